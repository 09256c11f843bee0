import type { ErrorList } from '../errors/collector.ts'
import type { Catalog } from '../model/catalog.ts'
import type { Action } from '../model/declare/action.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { DialectName, Sql } from '../model/dialect.ts'
import type { Model, ResourceType } from '../model/model.ts'
import type { Identity } from '../plan/access/identity.ts'
import type { MembersShape } from '../plan/members.ts'
import type { ReadPlan, ReadShape } from '../plan/read.ts'
import type { CompleteRows, Rows } from '../plan/read-result.ts'
import type { ReferencingShape } from '../plan/referencing.ts'
import type { Row, RowLayout } from '../plan/row-layout.ts'
import type { WritePlan } from '../plan/write.ts'
import type { AllowedOperations, AllowedQuestion } from './access/find-allowed.ts'
import type { IdempotencyOperations } from './idempotency-operations.ts'
import type { Migration, MigrationMode } from './migrations.ts'
import type { ReadExplanation } from './read/explain.ts'
import type { RunStatement } from './statement.ts'
import type { Statements } from './statements.ts'
import type { ActionCallValues } from './write/action.ts'
import type { ReferencingQuestion } from './write/referencing.ts'
import type { Step } from './write/steps.ts'

/** Runs SQL in a transaction. @returns rows by the names of their columns */
export type RunQuery = (expression: Sql) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** Hooks that run in the snapshot of a read. An error of a hook ends the read. */
export interface ReadHooks {
  readonly before: (query: RunQuery) => Promise<void>
  /** Receives every row before it is serialized, with its layout; the rows of a stream in batches. */
  readonly after: (rows: readonly Row[], layout: RowLayout, query: RunQuery) => Promise<void>
}

/** The options of a read. */
export interface ReadOptions {
  readonly hooks?: ReadHooks | undefined
  /** Returns a signal that aborts when the client disconnects; created at the first call, because few reads need it. */
  readonly signal?: (() => AbortSignal) | undefined
}

/** How what only reads is cancelled. */
interface CancelOptions {
  /** Returns a signal that aborts when the result is no longer needed. */
  readonly signal?: (() => AbortSignal) | undefined
}

/** The options of a transaction of the application that only reads. */
interface SnapshotOptions extends CancelOptions {
  /** Who calls, for the session of the model. */
  readonly identity?: Identity
}

/** The result of a write. */
export interface Written {
  readonly id: string
  /** The rows of the response; `undefined` when the write did not read them. */
  readonly rows: CompleteRows | undefined
  /** Whether links outside of the row changed, of a type whose hooks run after an update. */
  readonly changedLinks: boolean
  /** Whether it is durable already. Then `rows` is `undefined`, and `failure` the reason, if the response could not be read. */
  readonly isCommitted?: boolean
  readonly failure?: unknown
}

/** A create or an update as a list of steps. */
export interface PreparedWrite {
  /** The first step writes the row itself. */
  readonly steps: readonly [writeRow: Step, ...others: Step[]]
  /** Returns the result once all steps have run. */
  readonly result: () => Written
}

/** The options of a create or an update. */
export interface WriteOptions {
  /** The read of the response, executed together with the write. */
  readonly readPlan?: ReadPlan | undefined
  /** Whether the written row may be outside of the scope of its type afterwards. Default false. */
  readonly mayLeaveScope?: boolean
  /** Whether nothing follows that may fail, so that the database may commit together with the write. Default false. */
  readonly mayCommit?: boolean
}

/** The values of a read of several resources. */
export interface MemberValues {
  readonly id?: string
  readonly ids: readonly string[]
}

/** The options of a transaction that writes. */
export interface WriteTransactionOptions {
  /** Who sends the request, for the session of the model; its access rules do not apply before `Transaction.as`. */
  readonly identity?: Identity
  /** Whether it changes so many rows that on SQLite others, which wait for it, may run before. Default false. */
  readonly isLarge?: boolean
}

/** The insert of several rows. */
export interface PreparedInserts {
  /** Returns the rows, in the order of the plans; `undefined` if a row is rejected: nothing says which one. */
  readonly insert: () => Promise<readonly Row[] | undefined>
  /**
   * Inserts the rows and commits, in one round trip. Absent if more statements have to run, and where a commit is no round trip.
   * @throws UnclearError if a row is rejected: the transaction runs again, without this
   */
  readonly insertAtOnce?: () => Promise<readonly Row[]>
  /** Loads a row of the response (`Statement.load`); absent if the rows have only their ids. */
  readonly load?: (row: Row) => void
}

/** The operations of a transaction that writes. */
export interface Transaction {
  /** Returns the same transaction with the access rules of an identity; `undefined` for none, as hooks use it: only the tenant stays. */
  readonly as: (identity: Identity | undefined) => Transaction
  /** Whose access rules apply; `undefined` for none. */
  readonly identity: Identity | undefined
  readonly query: RunQuery
  /** The keys of writes that may be repeated. */
  readonly keys: IdempotencyOperations
  /**
   * Calls an action whose work is SQL.
   * @returns its rows by the names of their columns; `undefined` if the work of the action is JavaScript
   */
  callAction(
    action: Action,
    resource: ResourceType,
    values: ActionCallValues,
  ): Promise<readonly Readonly<Record<string, unknown>>[] | undefined>
  /**
   * Runs steps as the database allows: one after the other, or pipelined (`StepExecutor`).
   * @param done - steps that have run before
   */
  run(steps: readonly Step[], done?: readonly Step[]): Awaitable<void>
  /**
   * Runs work that may fail: if it throws, what it wrote is rolled back, and the transaction continues. Works must not run at the
   * same time.
   */
  savepoint<Result>(work: () => Promise<Result>): Promise<Result>
  /** Executes a read that sees the writes of the transaction. */
  read(plan: ReadPlan, id?: string): Promise<CompleteRows>
  /**
   * Checks that the resource in the path and the related resources of a document exist, and locks them.
   * @returns the errors about related resources that do not exist
   * @throws NotFoundError for the resource in the path
   */
  checkPreconditions(plan: WritePlan): Awaitable<ErrorList>
  /**
   * Executes a create or an update whose plan is final: checks its preconditions and writes, together if the database pipelines.
   * @throws NotFoundError for the resource in the path; ApiError | ManyErrors for related resources that do not exist, and for
   *   violated constraints
   */
  write(plan: WritePlan, options?: WriteOptions): Awaitable<Written>
  /**
   * Prepares the insert of several rows of one shape by few statements.
   * @param response - of which shape their responses are
   * @returns `undefined` if somebody could tell it from inserts of one row
   */
  prepareInserts(plans: readonly WritePlan[], response: ReadShape): PreparedInserts | undefined
  /** Lists the steps of a create or an update. They throw `ApiError` for violated constraints. */
  prepareWrite(plan: WritePlan, options?: WriteOptions): PreparedWrite
  /**
   * Reads several stored resources of one type, in the order of their ids.
   * @param values - the ids of the resources or of members, and the id of the resource whose relationship changes
   * @throws HttpError `too_many_resources` (400)
   */
  readMembers(shape: MembersShape, values: Readonly<MemberValues>): Promise<readonly Row[]>
  /**
   * Reads the ids of the rows that reference rows with the given ids, as far as the request may read them.
   * @param ids - one at least
   * @param maxRows - the most that it returns
   */
  readReferencing(
    shape: ReferencingShape,
    ids: readonly string[],
    maxRows: number,
  ): Promise<readonly string[]>
  /** Checks the constraints that the commit would check. @throws ApiError for violated ones */
  checkDeferred(): Promise<void>
  /**
   * Deletes a resource.
   * @param mayCommit - as of `WriteOptions`
   * @returns `kept` if a trigger or a rule replaced the deletion, and the resource still exists
   * @throws NotFoundError when it does not exist; ApiError for violated constraints
   */
  remove(plan: WritePlan, mayCommit?: boolean): Promise<'deleted' | 'kept'>
}

/**
 * A database. A read sees one snapshot; a write is durable once its promise resolves. The published types lack the members
 * that are internal: only the engine can make a plan.
 */
export interface Store {
  /** The model that it was opened for. */
  readonly model: Model
  readonly dialect: DialectName
  /** The name of the database in messages, e.g. `SQLite at data/lapidary.db`. */
  readonly description: string
  /**
   * Executes a read. A synchronous driver returns the rows, or throws, without a promise.
   * @param id - the id in the path; `undefined` when the plan needs none
   * @throws NotFoundError when the resource in the path does not exist; HttpError `query_timeout` (503) when the read
   *   takes too long
   * @internal
   */
  read(plan: ReadPlan, id?: string, options?: ReadOptions): Awaitable<Rows>
  /**
   * Identifies the committed state of the database: as long as it is the same, a read of the plan that begins later has the same rows.
   * @returns `undefined` if the rows depend on more, e.g. on the time, or where the database does not tell
   * @internal
   */
  readState(plan: ReadPlan): Awaitable<string | undefined>
  /**
   * Executes a read as `read` does and returns its statements with their plans. Of the hooks only those before the read run.
   * @throws NotFoundError when the resource in the path does not exist
   * @internal
   */
  explain(plan: ReadPlan, id?: string, options?: ReadOptions): Promise<ReadExplanation>
  /**
   * Runs the statements of an identity in one snapshot, for what explains its rules. The work only reads.
   * @internal
   */
  inspect<Result>(
    identity: Identity | undefined,
    work: (statements: Statements, run: RunStatement) => Promise<Result>,
    options?: CancelOptions,
  ): Promise<Result>
  /**
   * Evaluates the access rules of operations on resources, with one statement.
   * @internal
   */
  findAllowed(question: AllowedQuestion, options?: CancelOptions): Promise<AllowedOperations>
  /**
   * Reads the ids of rows that reference others, as `Transaction.readReferencing`.
   * @internal
   */
  findReferencing(
    question: ReferencingQuestion,
    options?: CancelOptions,
  ): Promise<readonly string[]>
  /**
   * Runs SQL of the application in a read-only transaction, which sees one snapshot. On SQLite it runs in a reader process.
   * @throws what the work throws; HttpError `query_timeout` (503) for a statement that takes too long
   * @internal
   */
  snapshot<Result>(
    work: (query: RunQuery) => Promise<Result>,
    options?: SnapshotOptions,
  ): Promise<Result>
  /**
   * Runs work in a write transaction, and rolls it back if the work throws. The work may run more than once; only the last run is
   * committed. PostgreSQL runs it again after a conflict with another transaction, or after it generated an id that is taken.
   * SQLite commits several transactions together: it runs the work again when their commit fails, e.g. by a deferred foreign key of
   * one of them, and when another process holds the lock of the file.
   *
   * On SQLite one transaction writes at a time: while the work of one waits, e.g. for a request to another server, every other
   * write waits too. Work that awaits a further `transaction` of the same store waits forever.
   * @returns the result of the work once the transaction is durable
   * @throws HttpError `unavailable` (503) when the database cannot be written
   * @internal
   */
  transaction<Result>(
    work: (transaction: Transaction) => Awaitable<Result>,
    options?: WriteTransactionOptions,
  ): Promise<Result>
  /**
   * Loads what the store needs to know of the tables of the model. The server calls it before it listens; otherwise it happens
   * with the first read or write.
   * @internal
   */
  prepare(): Promise<void>
  /**
   * Verifies at startup that the database matches the model: its tables and columns, and the SQL of the declarations.
   * @returns `warnings`: a line for each declaration whose responses differ because of its table, with the declaration, the
   *   difference and the fix. `unserved`: those of them that name rows which no response contains, because they have no id
   * @throws DeclarationError with a line for each error, which starts with the path of the declaration
   */
  verify(): Promise<Readonly<{ warnings: readonly string[]; unserved: readonly string[] }>>
  /** Queries the tables and columns of the database. */
  catalog(): Promise<Catalog>
  /**
   * Runs the migrations that the schema lacks; in mode `compare` only checks that there are none. Several programs may call it
   * at the same time.
   * @throws Error with a message of one line for a schema of another version
   */
  migrate(migrations: readonly Migration[], mode?: MigrationMode): Promise<void>
  /**
   * Checks that the database can be reached, and that the migrations that `migrate` has been given have run.
   * @throws Error when the database is not ready
   */
  checkReady(): Promise<void>
  /** Closes every connection. Further reads and writes are rejected: HttpError `unavailable` (503). */
  close(): Promise<void>
}
