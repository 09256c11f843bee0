import type { ErrorList } from '../errors/collector.ts'
import type { Catalog } from '../model/catalog.ts'
import type { DialectName, Sql } from '../model/dialect.ts'

import type { Awaitable } from '../model/hooks.ts'

import type { ReadPlan } from '../plan/read.ts'
import type { CompleteRows, Rows } from '../plan/read-result.ts'
import type { Row, RowLayout } from '../plan/row-layout.ts'
import type { WritePlan } from '../plan/write.ts'
import type { Migration, MigrationMode } from './migrations.ts'
import type { Step, StepExecutor } from './steps.ts'

/** Runs SQL in a transaction; returns the rows by the names of their columns. */
export type RunQuery = (expression: Sql) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** What is done in the snapshot of a read, beside reading. Whatever it throws ends the read. */
export interface ReadHooks {
  readonly before: (query: RunQuery) => Promise<void>
  /** Gets every row before it is told, with its layout; those of a stream as they are read. */
  readonly after: (rows: readonly Row[], layout: RowLayout, query: RunQuery) => Promise<void>
}

/** How a read is carried out, beside what it reads. */
export interface ReadOptions {
  /** What else is done in the same snapshot. */
  readonly hooks?: ReadHooks | undefined
  /** Aborts when the client disconnects; made when it is first called, because few reads last long enough to need it. */
  readonly signal?: (() => AbortSignal) | undefined
}

/** The result of a write. */
export interface Written {
  readonly id: string
  /** The rows of the response; `undefined` when the write did not read them. */
  readonly rows: CompleteRows | undefined
}

/** A create or an update as a list of steps. */
export interface PreparedWrite {
  readonly steps: readonly Step[]
  /** Returns the result once all steps have run. */
  readonly result: () => Written
}

/** The operations of a transaction that writes. */
export interface Transaction {
  readonly query: RunQuery
  /** Runs steps as the database allows: one after the other, or pipelined. */
  readonly run: StepExecutor
  /** Executes a read that sees the writes of the transaction. */
  read(plan: ReadPlan, id?: string): Promise<CompleteRows>
  /**
   * Checks that the resource in the path and the related resources of a document exist, and locks them.
   * @returns the errors about related resources that do not exist
   * @throws NotFoundError for the resource in the path
   */
  checkPreconditions(plan: WritePlan): Promise<ErrorList>
  /**
   * Lists the steps of a create or an update. They throw `ApiError` for violated constraints.
   * @param readPlan - the read of the response, executed together with the write
   */
  prepareWrite(plan: WritePlan, readPlan?: ReadPlan): PreparedWrite
  /** Deletes a resource. @throws NotFoundError when it does not exist; ApiError for violated constraints */
  remove(plan: WritePlan): Promise<void>
}

/** Where resources are kept. All reads of one call see one snapshot; every write that returned is durable. */
export interface Store {
  readonly dialect: DialectName
  /** What a person calls it, e.g. `SQLite at data/lapidary.db`. */
  readonly description: string
  /**
   * Runs a read. Rows that are there at once are returned at once, and so are errors thrown.
   * @param id - the id in the path; `undefined` when the plan needs none
   * @throws NotFoundError when the resource in the path is not there; HeaderError `query_timeout` (503) when the read
   *   takes longer than the store allows
   */
  read(plan: ReadPlan, id?: string, options?: ReadOptions): Awaitable<Rows>
  /**
   * Runs work that writes: all of it or, when it throws, nothing. It may be run again when others stood in its way.
   * @returns what the work returned, once that is durable
   * @throws HeaderError `unavailable` (503) when the database cannot be written
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  /**
   * Checks at start that the database can serve the model: its tables and columns, and the SQL that declarations write.
   * @returns a line for each way in which answers differ from those of tables that would be made for the model: the
   *   place in the declarations, what differs, and what mends it; none where nothing does
   * @throws DeclarationError with a line per mistake, each with the path to the wrong word
   */
  verify(): Promise<Readonly<{ warnings: readonly string[] }>>
  /** The tables and columns that are there. */
  catalog(): Promise<Catalog>
  /**
   * Brings the schema to the newest version that is given, or only makes sure that it is there; versions that have run
   * are not run again. Any number of programs may do so at once.
   * @throws Error with one clear line for a schema of another version that is to stay as it is
   */
  migrate(migrations: readonly Migration[], mode?: MigrationMode): Promise<void>
  /** Ends every connection. */
  close(): Promise<void>
}
