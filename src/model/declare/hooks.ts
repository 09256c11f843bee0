import type { ReturnedNull, SentNull } from '../kinds/nullability.ts'
import type { Sql } from '../sql.ts'
import type { Attribute, FieldDeclaration, FieldDeclarations, ToOne } from './fields.ts'
import type { Logger } from './request-context.ts'

/** The names of the fields that are declared by one of the functions `attribute`, `toOne` and `toMany`. */
type NamesOf<F extends FieldDeclarations, Is extends FieldDeclaration['is']> = {
  [Name in keyof F]: F[Name] extends { readonly is: Is } ? Name : never
}[keyof F]

/**
 * The values of a type's attributes that are stored in columns, by field name. For fields that are not known to the compiler,
 * values of any name and type.
 */
export type AttributesOf<F extends FieldDeclarations> = string extends keyof F
  ? Readonly<Record<string, unknown>>
  : { readonly [Name in NamesOf<F, 'attribute'>]: StoredValue<F[Name]> }

type StoredValue<Field> = Field extends Attribute<infer Value> ? Value | ReturnedNull<Field> : never

/**
 * The values that the validator of a type receives, by field name. Each may be null: the row may have none yet, or the request none
 * that is valid.
 */
export type ValidatedOf<F extends FieldDeclarations> = {
  readonly [Name in keyof AttributesOf<F>]?: AttributesOf<F>[Name] | null | undefined
}

/** The related id of each to-one relationship of a type, by field name; null for none. */
export type ToOneIds<F extends FieldDeclarations> = string extends keyof F
  ? Readonly<Record<string, string | null>>
  : { readonly [Name in NamesOf<F, 'toOne'>]: StoredId<F[Name]> }

type StoredId<Field> = Field extends ToOne ? string | ReturnedNull<Field> : never

/** The name of a to-many relationship of a type. */
export type ToManyName<F extends FieldDeclarations> = string extends keyof F
  ? string
  : NamesOf<F, 'toMany'> & string

/** The change of a to-many relationship: the members that a write adds, removes, or replaces all members with. */
export interface RelationshipChange {
  readonly change: 'add' | 'remove' | 'replace'
  readonly ids: readonly string[]
}

/** The changed relationships, by field name: the new id of a to-one relationship or null, the change of a to-many one. */
export type RelationshipChanges<F extends FieldDeclarations> = string extends keyof F
  ? Readonly<Record<string, string | null | RelationshipChange>>
  : { readonly [Name in NamesOf<F, 'toOne'>]?: string | null } & {
      readonly [Name in ToManyName<F>]?: RelationshipChange
    }

/**
 * The attributes that a create or an update changes, by field name. Null is among them only if clients may send it: the request
 * would be rejected.
 */
export type AttributeChanges<F extends FieldDeclarations> = string extends keyof F
  ? Readonly<Record<string, unknown>>
  : { readonly [Name in NamesOf<F, 'attribute'>]?: ChangedValue<F[Name]> }

type ChangedValue<Field> = Field extends Attribute<infer Value> ? Value | SentNull<Field> : never

/** The attributes and relationships that a create or an update changes, read as the kinds of the fields. */
export interface ResourceChange<F extends FieldDeclarations = FieldDeclarations> {
  readonly attributes: AttributeChanges<F>
  readonly relationships: RelationshipChanges<F>
}

/** A resource with all of its stored attributes, and the related id of each to-one relationship. */
export interface StoredResource<F extends FieldDeclarations = FieldDeclarations> {
  readonly id: string
  readonly attributes: AttributesOf<F>
  readonly relationships: ToOneIds<F>
}

/** A resource of the response, with the requested attributes only. */
export interface ReturnedResource<F extends FieldDeclarations = FieldDeclarations> {
  readonly id: string
  readonly attributes: Partial<AttributesOf<F>>
}

/**
 * The values that a hook stores, by field name: those of attributes, the id or null of a to-one relationship, and all members
 * of a to-many relationship. A field that is absent or undefined keeps the value that the request sends.
 */
export type FieldValues<F extends FieldDeclarations = FieldDeclarations> = string extends keyof F
  ? Readonly<Record<string, unknown>>
  : Optional<StorableOf<F> & Readonly<Record<ToManyName<F>, readonly string[]>>>

/** The values that a hook may store. The database rejects a null that a column cannot store. */
type StorableOf<F extends FieldDeclarations> = {
  readonly [Name in NamesOf<F, 'attribute'>]: F[Name] extends Attribute<infer Value>
    ? Value | null
    : never
} & Readonly<Record<NamesOf<F, 'toOne'>, string | null>>

type Optional<Values> = { readonly [Name in keyof Values]?: Values[Name] | undefined }

/** The request for which a hook runs. */
export interface RequestDetails<Auth = unknown> {
  /** What the server's `authenticate` returned for the request; `undefined` without it. */
  readonly auth: Auth
  /** The id of the request in the log; `undefined` for a call in process that has none. */
  readonly requestId: string | undefined
  /** The address of the client; `undefined` for a call in process, and where the host does not know it. */
  readonly ip: string | undefined
  /** The logger of the request. */
  readonly log: Logger
  /** Aborts when the client disconnects before the response is sent. */
  readonly signal: AbortSignal
  /** Whether what is written will be rolled back: the client only wants to know what would happen. */
  readonly dryRun: boolean
}

/** Runs SQL in a transaction and returns the rows by column name. */
type Query = (expression: Sql) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** The request, and the transaction that begins. */
export interface BeginContext<Auth = unknown> extends RequestDetails<Auth> {
  /**
   * Runs SQL in the transaction and returns the rows by column name. The transaction of a read is read-only. If the database
   * rejects the statement, the promise rejects and the statement has no effect; a hook that catches the error may continue.
   */
  readonly query: Query
}

/** The request, the transaction in which a hook runs, and the resource type for which it runs. */
export interface HookContext<Auth = unknown, Type extends string = string>
  extends BeginContext<Auth> {
  readonly type: Type
}

/** The context of a hook that is about one stored resource. `ToMany` are the names of its to-many relationships. */
export interface ResourceHookContext<
  ToMany extends string = string,
  Auth = unknown,
  Type extends string = string,
> extends HookContext<Auth, Type> {
  /** Reads the ids of the members of a to-many relationship of the resource, as the transaction sees them now. */
  members(relationship: ToMany): Promise<readonly string[]>
}

/** The request after its transaction was committed, and the resource type of the change. */
export interface CommitContext<Auth = unknown, Type extends string = string>
  extends RequestDetails<Auth> {
  readonly type: Type
}

/** A committed change of one resource. `before` is the resource before it, `resource` the one after it. */
export type CommittedChange<F extends FieldDeclarations = FieldDeclarations> =
  | Readonly<{ operation: 'create'; resource: StoredResource<F> }>
  | Readonly<{ operation: 'update'; resource: StoredResource<F>; before: StoredResource<F> }>
  | Readonly<{ operation: 'delete'; before: StoredResource<F> }>

/** A value, or a promise of one. */
export type Awaitable<Value> = Value | Promise<Value>
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that changes nothing may return nothing at all
type Changes<F extends FieldDeclarations> = Awaitable<FieldValues<F> | void>

/**
 * Functions of a resource type that run inside the transaction of a request, except `afterCommit`. If one throws, the transaction
 * is rolled back: the client sees a `RequestError` as it is, and any other error as a bare 500. A transaction may be retried, so
 * these hooks must not have effects outside the database.
 */
export interface Hooks<
  F extends FieldDeclarations = FieldDeclarations,
  Auth = unknown,
  Type extends string = string,
> {
  /** @returns values to store in addition to those sent or instead of them, including ones that clients cannot write */
  beforeCreate?(change: ResourceChange<F>, context: HookContext<Auth, Type>): Changes<F>
  afterCreate?(
    created: StoredResource<F>,
    context: ResourceHookContext<ToManyName<F>, Auth, Type>,
  ): Awaitable<void>
  /**
   * Also runs if only relationships change, and if a write to another resource changes a foreign key of this one.
   * @returns as for `beforeCreate`
   */
  beforeUpdate?(
    current: StoredResource<F>,
    change: ResourceChange<F>,
    context: ResourceHookContext<ToManyName<F>, Auth, Type>,
  ): Changes<F>
  /** Does not run if the update has stored the same attributes, relationships and members again; neither does `afterCommit`. */
  afterUpdate?(
    updated: StoredResource<F>,
    before: StoredResource<F>,
    context: ResourceHookContext<ToManyName<F>, Auth, Type>,
  ): Awaitable<void>
  /**
   * @returns values to store instead of deleting the row; `undefined` to delete it. With `softDelete`, values to store in
   *   addition
   */
  beforeDelete?(
    current: StoredResource<F>,
    context: ResourceHookContext<ToManyName<F>, Auth, Type>,
  ): Changes<F>
  afterDelete?(deleted: StoredResource<F>, context: HookContext<Auth, Type>): Awaitable<void>
  /**
   * Runs once the change is durable, and before the response, which waits for the promise that it returns. An error is logged;
   * the client does not see it, because the change cannot be undone.
   */
  afterCommit?(committed: CommittedChange<F>, context: CommitContext<Auth, Type>): Awaitable<void>
  /**
   * Runs before a response can reveal anything about resources of the type: as primary data, as linkage, as included
   * resources, by a path through one of them, or by a filter or a sort that uses them.
   */
  beforeRead?(context: HookContext<Auth, Type>): Awaitable<void>
  /**
   * Runs with the resources of the response before they are serialized; for a streamed list, with each batch. Resources that
   * the URL of a relationship returns as linkage have no attributes here; the linkage of other resources is not passed.
   */
  afterRead?(
    resources: readonly ReturnedResource<F>[],
    context: HookContext<Auth, Type>,
  ): Awaitable<void>
}

/** Functions that run for every resource type: each hook before that of the type itself. `context.type` names the type. */
export interface ModelHooks<Type extends string = string, Auth = unknown>
  extends Hooks<FieldDeclarations, Auth, Type> {
  /**
   * Runs at the start of every transaction, that of a read too, before anything else runs in it: for settings that row-level
   * security policies use. If it throws, the request fails as with any other hook. With it, every read is a transaction.
   */
  begin?(context: BeginContext<Auth>): Awaitable<void>
}

/**
 * Combines the hooks of a model with those of a type: of each pair, the hook of the model runs first. What the hook of the type
 * returns wins.
 */
export function combineHooks(first: Hooks | undefined, second: Hooks = {}): Hooks {
  if (first === undefined) return second
  const names = new Set([...listNames(first), ...listNames(second)])
  const entries = [...names].map((name) => {
    const [one, other] = [first[name], second[name]]
    if (!one || !other) return [name, other ?? one] as const
    // A name has hooks of one signature.
    const run = name === 'afterCommit' ? runEach : runBoth
    return [name, run(one as Hook, other as Hook)] as const
  })
  return Object.fromEntries(entries)
}

type Hook = (...args: readonly unknown[]) => unknown

const hookNames = {
  beforeCreate: true,
  afterCreate: true,
  beforeUpdate: true,
  afterUpdate: true,
  beforeDelete: true,
  afterDelete: true,
  afterCommit: true,
  beforeRead: true,
  afterRead: true,
} satisfies Record<keyof Hooks, true>

function listNames(hooks: Hooks): (keyof Hooks)[] {
  return (Object.keys(hookNames) as (keyof Hooks)[]).filter((name) => hooks[name] !== undefined)
}

function runBoth(one: Hook, other: Hook): Hook {
  return async (...args) => {
    const first = (await one(...args)) as FieldValues | undefined
    const second = (await other(...args)) as FieldValues | undefined
    return first && second ? { ...first, ...second } : first || second
  }
}

/** Runs the second hook even if the first throws: after the commit nothing can be undone. */
function runEach(one: Hook, other: Hook): Hook {
  return async (...args) => {
    try {
      await one(...args)
    } finally {
      await other(...args)
    }
  }
}
