import type { WriterCalls } from '../model/declare/action.ts'
import type {
  ActionName,
  CallInput,
  CallPath,
  CallQuery,
  CallResult,
  ReturnedType,
} from '../model/declare/action-types.ts'
import type { Batch, BatchOptions, BatchResults } from '../model/declare/batch-types.ts'
import type { DeclarationsOf } from '../model/declare/define-model.ts'
import type {
  ApiDocument,
  DocumentResource,
  DryRunDocument,
  ListDocument,
  MessageDocument,
} from '../model/declare/document-types.ts'
import type { FieldDeclarations } from '../model/declare/fields.ts'
import type { IfMatch } from '../model/declare/if-match.ts'
import type {
  FieldsetCheck,
  FilterCheck,
  IncludePath,
  ListQuery,
  ListSelection,
  NoQuery,
  PageCursors,
  ResourceQuery,
  UnfilteredType,
} from '../model/declare/query-types.ts'
import type { ResourceDeclaration } from '../model/declare/resource.ts'
import type {
  ChangeableName,
  Fieldsets,
  FieldsOf,
  LinkageChange,
  NewResource,
  NoFieldsets,
  RelationshipName,
  ResourceObject,
  ResourceUpdate,
  TypeName,
  WritableType,
} from '../model/declare/resource-types.ts'
import type { WriteRestrictions, WriteResult } from '../model/declare/restricted-writes.ts'
import type { Sql } from '../model/dialect.ts'
import type { Declarations } from '../model/model.ts'

/** A page of a list. */
export interface ResourceList<Resource> {
  readonly data: readonly Resource[]
  /**
   * `count`: the number of resources on all pages; absent if `page.total` is `none`, or `capped` and there are more. `page`: the cursors of
   * the other pages, of a page between cursors.
   */
  readonly meta: Readonly<{ count: number; page?: PageCursors }>
}

/** How a write may be repeated, and how it is restricted. */
interface Repeatable<Dry extends boolean> extends WriteRestrictions<Dry> {
  /**
   * A key such as `crypto.randomUUID()`: a call with the same arguments and key gets the result of the first one, and writes nothing. The
   * auth context needs a principal.
   */
  readonly idempotencyKey?: string | undefined
}

/** What a write depends on, how it may be repeated, and how it is restricted. */
interface Condition<Dry extends boolean> extends Repeatable<Dry> {
  /**
   * The version of what it changes, or an object that was read with `withVersions: true`; `*` for any version. If it is another one,
   * the call throws `VersionConflictError`, and nothing is written.
   */
  readonly ifMatch?: IfMatch | undefined
}

/** The document of a write: in a dry run, that of what it would have done. */
type DocumentResult<Dry extends boolean, Document> = Dry extends true ? DryRunDocument : Document

/** Who writes: a program, or the server by `asServer()`. */
type Writer = 'program' | 'server'

/** The access of the fields that a writer cannot write. */
interface ClosedFields {
  readonly program: Readonly<{ create: 'read-only'; update: 'read-only' | 'immutable' }>
  readonly server: Readonly<{ create: never; update: never }>
}

type ClosedTo<By extends Writer> = ClosedFields[By]

/** The names of the relationships that a writer can change. */
type LinkedName<Fields extends FieldDeclarations, By extends Writer> = By extends 'server'
  ? RelationshipName<Fields>
  : ChangeableName<Fields>

/**
 * Reads and writes with resources as plain objects. Every call checks, runs hooks and throws as the request does over HTTP:
 * `ApiError`, or `ManyErrors` for several errors of one call.
 */
export interface ResourceOperations<
  Types extends Declarations = Declarations,
  By extends Writer = 'program',
> {
  /** Reads the first page of a list, as `GET /persons`. */
  list<Type extends TypeName<Types> & string>(
    type: UnfilteredType<Types, Type>,
  ): Promise<ResourceList<ResourceObject<Types, Type>>>
  /** Reads a page of a list, as `GET /persons`. */
  list<
    Type extends TypeName<Types> & string,
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
  >(
    type: Type,
    query: (ListQuery<Types, Type, Path, Sets> & FilterCheck<Types, Type>) | NoQuery<Types, Type>,
  ): Promise<ResourceList<ResourceObject<Types, Type, Path, Sets>>>
  /** Reads a resource, as `GET /persons/1`. @throws NotFoundError when it does not exist */
  get<
    Type extends TypeName<Types> & string,
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
  >(
    type: Type,
    id: string,
    query?: ResourceQuery<Types, Type, Path, Sets>,
  ): Promise<ResourceObject<Types, Type, Path, Sets>>
  /** Creates a resource, as `POST /persons`. @returns the created resource */
  create<
    Type extends WritableType<Types> & TypeName<Types>,
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
    Dry extends boolean = false,
  >(
    type: Type,
    fields: NewResource<Types, Type, 'kind', ClosedTo<By>['create']>,
    query?: ResourceQuery<Types, Type, Path, Sets> & Repeatable<Dry>,
  ): Promise<
    WriteResult<
      Dry,
      ResourceObject<Types, Type, Path, Sets>,
      Omit<ResourceObject<Types, Type, Path, Sets>, 'id'>
    >
  >
  /** Updates a resource, as `PATCH /persons/1`. @returns the updated resource */
  update<
    Type extends WritableType<Types> & TypeName<Types>,
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
    Dry extends boolean = false,
  >(
    type: Type,
    id: string,
    fields: ResourceUpdate<Types, Type, 'kind', ClosedTo<By>['update']>,
    query?: ResourceQuery<Types, Type, Path, Sets> & Condition<Dry>,
  ): Promise<WriteResult<Dry, ResourceObject<Types, Type, Path, Sets>>>
  /** Deletes a resource, as `DELETE /persons/1`. */
  remove<Type extends WritableType<Types> & TypeName<Types>, Dry extends boolean = false>(
    type: Type,
    id: string,
    options?: Condition<Dry>,
  ): Promise<WriteResult<Dry, void, undefined>>
  /** Changes a relationship, as `POST`, `DELETE` or `PATCH /persons/1/relationships/computers`. */
  relate<
    Type extends TypeName<Types> & string,
    Name extends LinkedName<FieldsOf<Types, Type>, By> & string,
    Dry extends boolean = false,
  >(
    type: Type,
    id: string,
    relationship: Name,
    change: LinkageChange<FieldsOf<Types, Type>[Name]>,
    options?: Condition<Dry>,
  ): Promise<WriteResult<Dry, void, undefined>>
}

/** Calls of actions. */
interface ActionOperations<Types extends Declarations = Declarations> {
  /**
   * Calls an action, as `POST /issues/1/actions/close`: `call('issues', 'close', { id: '1', parameters: { comment: 'Fixed.' } })`.
   * @returns the resource, the list of resources or the members of `meta` that the action returns; `undefined` if it returns nothing
   */
  call<
    Type extends TypeName<Types> & string,
    Name extends ActionName<Types[Type]>,
    Path extends CallPath<Types, Type, Name> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
    Dry extends boolean = false,
  >(
    type: Type,
    action: Name,
    input: CallInput<Types, Type, Name> &
      CallQuery<Types, ReturnedType<Types, Type, Name>, Path, Sets> &
      Pick<WriteRestrictions<Dry>, 'dryRun'>,
  ): Promise<WriteResult<Dry, CallResult<Types, Type, Name, Path, Sets>>>
}

/** The same reads and writes with JSON:API documents as results, equal to those of the responses over HTTP. */
export interface DocumentOperations<
  Types extends Declarations = Declarations,
  By extends Writer = 'program',
> {
  /** Reads the first page of a list, as `GET /persons`. */
  list<Type extends TypeName<Types> & string>(
    type: UnfilteredType<Types, Type>,
  ): Promise<ListDocument<DocumentResource<Types, Type>>>
  /** Reads a page of a list, as `GET /persons`. */
  list<
    Type extends TypeName<Types> & string,
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
  >(
    type: Type,
    query: (ListQuery<Types, Type, Path, Sets> & FilterCheck<Types, Type>) | NoQuery<Types, Type>,
  ): Promise<ListDocument<DocumentResource<Types, Type, Sets>>>
  /** Reads a resource, as `GET /persons/1`. @throws NotFoundError when it does not exist */
  get<
    Type extends TypeName<Types> & string,
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
  >(
    type: Type,
    id: string,
    query?: ResourceQuery<Types, Type, Path, Sets>,
  ): Promise<ApiDocument<DocumentResource<Types, Type, Sets>>>
  /** Creates a resource, as `POST /persons`. */
  create<
    Type extends WritableType<Types> & TypeName<Types>,
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
    Dry extends boolean = false,
  >(
    type: Type,
    fields: NewResource<Types, Type, 'kind', ClosedTo<By>['create']>,
    query?: ResourceQuery<Types, Type, Path, Sets> & Repeatable<Dry>,
  ): Promise<DocumentResult<Dry, ApiDocument<DocumentResource<Types, Type, Sets>>>>
  /** Updates a resource, as `PATCH /persons/1`. */
  update<
    Type extends WritableType<Types> & TypeName<Types>,
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
    Dry extends boolean = false,
  >(
    type: Type,
    id: string,
    fields: ResourceUpdate<Types, Type, 'kind', ClosedTo<By>['update']>,
    query?: ResourceQuery<Types, Type, Path, Sets> & Condition<Dry>,
  ): Promise<DocumentResult<Dry, ApiDocument<DocumentResource<Types, Type, Sets>>>>
  /** Deletes a resource, as `DELETE /persons/1`. */
  remove<Type extends WritableType<Types> & TypeName<Types>, Dry extends boolean = false>(
    type: Type,
    id: string,
    options?: Condition<Dry>,
  ): Promise<DocumentResult<Dry, MessageDocument>>
  /** Changes a relationship, as `POST`, `DELETE` or `PATCH /persons/1/relationships/computers`. */
  relate<
    Type extends TypeName<Types> & string,
    Name extends LinkedName<FieldsOf<Types, Type>, By> & string,
    Dry extends boolean = false,
  >(
    type: Type,
    id: string,
    relationship: Name,
    change: LinkageChange<FieldsOf<Types, Type>[Name]>,
    options?: Condition<Dry>,
  ): Promise<DocumentResult<Dry, MessageDocument>>
}

/** The query of `each`: the selection of a list, without pages and included resources. */
export interface EachQuery<
  Types extends Declarations,
  Type extends TypeName<Types> & string,
  Sets extends Fieldsets<Types> = NoFieldsets,
> extends ListSelection<Types, Type> {
  readonly fields?: Sets & FieldsetCheck<Types, Sets>
}

/** Reads and writes for a writer, and calls of actions. */
interface Calls<Types extends Declarations = Declarations, By extends Writer = 'program'>
  extends ResourceOperations<Types, By>,
    ActionOperations<Types> {
  /** The same operations with JSON:API documents as results. */
  readonly documents: DocumentOperations<Types, By>
}

/** The calls of a program, and those that write as the server. */
interface ProgramCalls<Types extends Declarations> extends Calls<Types> {
  /**
   * Returns the same calls for what only the server writes: they write every stored field, also one that is read-only, immutable, set
   * from the auth context, or closed to the identity by `writable`. All else is as without it: validators, hooks, and the access
   * rules of types, rows and links.
   */
  asServer(): Calls<Types, 'server'>
}

/** Reads and writes with one auth context. */
export interface Client<Types extends Declarations = Declarations> extends ProgramCalls<Types> {
  /**
   * Reads all resources of a list, in one snapshot and in constant memory, whatever `maxPageSize` is. The read holds a
   * database connection until the loop ends.
   */
  each<Type extends TypeName<Types> & string>(
    type: UnfilteredType<Types, Type>,
  ): AsyncGenerator<ResourceObject<Types, Type>, void, undefined>
  /** Reads all resources of a list in the same way, with a filter, an order or fields. */
  each<Type extends TypeName<Types> & string, const Sets extends Fieldsets<Types> = NoFieldsets>(
    type: Type,
    query: (EachQuery<Types, Type, Sets> & FilterCheck<Types, Type>) | NoQuery<Types, Type>,
  ): AsyncGenerator<ResourceObject<Types, Type, never, Sets>, void, undefined>
  /**
   * Writes several resources in one transaction, as `POST /operations`, in a model with `atomic: true`. The function adds operations,
   * which run after it has returned, in their order: `atomic((batch) => { const a = batch.create('author', {…}); return
   * batch.create('book', { author: a }) })`.
   *
   * @returns the results of the operations that the function returns: of one, or of those in a list or an object
   * @throws what the first operation throws that fails, with a pointer to it; nothing is stored then
   */
  atomic<
    const Returned,
    const Sets extends Fieldsets<Types> = NoFieldsets,
    Dry extends boolean = false,
  >(
    work: (batch: Batch<Types, Sets>) => Returned,
    options?: BatchOptions<Types, Sets, Dry>,
  ): Promise<WriteResult<Dry, BatchResults<Returned>, BatchResults<Returned, true>>>
  /**
   * Runs SQL that only reads, in a transaction of its own after the model's `begin`, and returns the rows by column name. Access
   * rules and hooks do not apply. On SQLite a reader process runs it, on PostgreSQL a replica if there is one.
   *
   * @throws HttpError `query_timeout` (503) after the deadline of reads; Error when the SQL is not valid, or writes
   */
  sql(expression: Sql): Promise<readonly Readonly<Record<string, unknown>>[]>
  /**
   * Runs work in one transaction: its calls commit together, or, if it throws, not at all. Calls within it go through `tx`;
   * they see its writes, and run one after the other. The work may run again after a conflict with another transaction, so it
   * must not have effects outside of the database.
   *
   * @returns the result of the work, once the transaction is durable
   * @throws what the work throws; HttpError `unavailable` (503) when the database cannot be written
   */
  transaction<Result>(work: (tx: TransactionClient<Types>) => Promise<Result>): Promise<Result>
}

/** Reads and writes in a transaction. A call that fails changes nothing; the work may catch its error and continue. */
export interface TransactionClient<Types extends Declarations = Declarations>
  extends ProgramCalls<Types> {
  /** Runs SQL in the transaction and returns the rows by column name. A rejected statement has no effect. */
  sql(expression: Sql): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** The calls of a writer in the transaction of an action. `call` has no types: the actions are declared after the resources. */
interface TypedWriterCalls<Types extends Declarations, By extends Writer>
  extends ResourceOperations<Types, By>,
    Pick<WriterCalls, 'call'> {}

/**
 * The `tx` of actions with the types of declarations. The types of the actions themselves would follow from what they do, so their
 * resources are declared first, and get them after that: `{ ...issues, actions: { close } }`.
 */
export interface TypedActionCalls<Resources extends readonly ResourceDeclaration[]>
  extends TypedWriterCalls<DeclarationsOf<Resources>, 'program'> {
  /** Returns the same calls for what only the server writes; see `TransactionClient`. */
  asServer(): TypedWriterCalls<DeclarationsOf<Resources>, 'server'>
}
