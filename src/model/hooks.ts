import type { Sql } from './dialect.ts'
import type { FieldDeclaration } from './fields.ts'
import type { Kind } from './kinds.ts'

type Fields = Readonly<Record<string, FieldDeclaration>>

/** The attributes that a declaration keeps in columns, by name; null where a column may be. */
export type AttributesOf<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends { readonly is: 'attribute' }
    ? Name
    : never]: F[Name] extends { readonly kind: Kind<infer Value> } ? Value | null : never
}

/** What happens to the members of a relationship; a to-one is replaced by none or one. */
export interface MemberChange {
  readonly change: 'add' | 'remove' | 'replace'
  readonly ids: readonly string[]
}

/** A resource that is being made or changed: what the request brings, read as the fields' kinds. */
export interface Change<F extends Fields = Fields> {
  readonly attributes: Partial<AttributesOf<F>>
  readonly relationships: Readonly<Record<string, MemberChange>>
}

/** A resource as it is stored. */
export interface StoredResource<F extends Fields = Fields> {
  readonly id: string
  readonly attributes: AttributesOf<F>
}

/** A resource as it is about to be told: the attributes asked for. */
export interface ReturnedResource<F extends Fields = Fields> {
  readonly id: string
  readonly attributes: Partial<AttributesOf<F>>
}

/** Who asks, and the transaction in which a hook runs. */
export interface HookContext {
  /** What the server's `identify` made of the request; `undefined` without one. */
  readonly auth: unknown
  /**
   * Runs SQL in the transaction, that of a read only to read; returns the rows by the names of their columns. What the
   * database refuses is thrown, and leaves nothing: whoever catches it may go on.
   */
  readonly query: (expression: Sql) => Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** A value, or the promise of one. */
export type Awaitable<Value> = Value | Promise<Value>
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that changes nothing may return nothing at all
type Changes<F extends Fields> = Awaitable<Partial<AttributesOf<F>> | void>

/**
 * Functions of a resource type that run inside the transaction of a request. Whatever one throws undoes the whole:
 * a `Refusal` is told to the client, anything else is a fault of ours. A transaction may be tried again, so nothing in a
 * hook may have effects outside the database.
 */
export interface Hooks<F extends Fields = Fields> {
  /** @returns attributes to store beside or instead of those sent; any attribute, whoever may write it */
  beforeCreate?(change: Change<F>, context: HookContext): Changes<F>
  afterCreate?(created: StoredResource<F>, context: HookContext): Awaitable<void>
  /** Runs for a change of relationships alone, too. @returns as `beforeCreate` */
  beforeUpdate?(current: StoredResource<F>, change: Change<F>, context: HookContext): Changes<F>
  afterUpdate?(
    updated: StoredResource<F>,
    before: StoredResource<F>,
    context: HookContext,
  ): Awaitable<void>
  beforeDelete?(current: StoredResource<F>, context: HookContext): Awaitable<void>
  afterDelete?(deleted: StoredResource<F>, context: HookContext): Awaitable<void>
  /**
   * Before anything of resources of the type is let known: as primary data, linkage or included, by a path that starts at
   * one, or by a filter or a sort that asks about them.
   */
  beforeRead?(context: HookContext): Awaitable<void>
  /**
   * With those read, before they are told; a long list comes in parts, each as it is told. Those that are mere linkage on a
   * relationship's own URL come without attributes; those named in another resource's linkage do not come.
   */
  afterRead?(resources: readonly ReturnedResource<F>[], context: HookContext): Awaitable<void>
}
