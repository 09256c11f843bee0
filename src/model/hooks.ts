import type { Sql } from './dialect.ts'
import type { FieldDeclaration } from './fields.ts'
import type { Kind } from './kinds.ts'

type Fields = Readonly<Record<string, FieldDeclaration>>

/** The values of a type's attributes that are stored in columns, by field name. Each may be null. */
export type AttributesOf<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends { readonly is: 'attribute' }
    ? Name
    : never]: F[Name] extends { readonly kind: Kind<infer Value> } ? Value | null : never
}

/** A change of a relationship. A to-one relationship is replaced by no id or one. */
export interface RelationshipChange {
  readonly change: 'add' | 'remove' | 'replace'
  readonly ids: readonly string[]
}

/** The attributes and relationships that a create or an update sends, read as the kinds of the fields. */
export interface ResourceChange<F extends Fields = Fields> {
  readonly attributes: Partial<AttributesOf<F>>
  readonly relationships: Readonly<Record<string, RelationshipChange>>
}

/** A resource with all of its stored attributes. */
export interface StoredResource<F extends Fields = Fields> {
  readonly id: string
  readonly attributes: AttributesOf<F>
}

/** A resource of the response, with the requested attributes only. */
export interface ReturnedResource<F extends Fields = Fields> {
  readonly id: string
  readonly attributes: Partial<AttributesOf<F>>
}

/** The auth context of the request, and the transaction in which the hook runs. */
export interface HookContext {
  /** What the server's `authenticate` returned for the request; `undefined` without it. */
  readonly auth: unknown
  /**
   * Runs SQL in the transaction and returns the rows by column name. The transaction of a read is read-only. If the database
   * rejects the statement, the promise rejects and the statement has no effect; a hook that catches the error may continue.
   */
  readonly query: (expression: Sql) => Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** A value, or a promise of one. */
export type Awaitable<Value> = Value | Promise<Value>
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that changes nothing may return nothing at all
type Changes<F extends Fields> = Awaitable<Partial<AttributesOf<F>> | void>

/**
 * Functions of a resource type that run inside the transaction of a request. If one throws, the transaction is rolled back:
 * the client sees a `RequestError` as it is, and any other error as a bare 500. A transaction may be retried, so a hook must
 * not have effects outside the database.
 */
export interface Hooks<F extends Fields = Fields> {
  /** @returns attributes to store in addition to those sent or instead of them, including ones that clients cannot write */
  beforeCreate?(change: ResourceChange<F>, context: HookContext): Changes<F>
  afterCreate?(created: StoredResource<F>, context: HookContext): Awaitable<void>
  /** Also runs if only relationships change. @returns as for `beforeCreate` */
  beforeUpdate?(
    current: StoredResource<F>,
    change: ResourceChange<F>,
    context: HookContext,
  ): Changes<F>
  afterUpdate?(
    updated: StoredResource<F>,
    before: StoredResource<F>,
    context: HookContext,
  ): Awaitable<void>
  beforeDelete?(current: StoredResource<F>, context: HookContext): Awaitable<void>
  afterDelete?(deleted: StoredResource<F>, context: HookContext): Awaitable<void>
  /**
   * Runs before a response can reveal anything about resources of the type: as primary data, as linkage, as included
   * resources, by a path through one of them, or by a filter or a sort that uses them.
   */
  beforeRead?(context: HookContext): Awaitable<void>
  /**
   * Runs with the resources of the response before they are serialized; for a streamed list, with each batch. Resources that
   * the URL of a relationship returns as linkage have no attributes here; the linkage of other resources is not passed.
   */
  afterRead?(resources: readonly ReturnedResource<F>[], context: HookContext): Awaitable<void>
}
