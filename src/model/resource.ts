import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { BoundValue } from './dialect.ts'
import type { Expression, FieldDeclaration } from './fields.ts'
import type { AttributesOf, Hooks } from './hooks.ts'
import type { Kind } from './kinds.ts'

/** The options of a type's ids. */
export interface IdOptions {
  /** The id column. Default `id`. */
  readonly column?: string
  /** The data type of the ids: 64-bit integers (the default), `uuid` or `text`. */
  readonly kind?: Kind<string>
  /**
   * Whether a client can or must send the id of a new resource. For ids that clients do not send, the server generates
   * UUIDs and the column's default generates all others.
   */
  readonly client?: 'optional' | 'required'
}

/** The declared fields of a type, by name. */
type FieldDeclarations = Readonly<Record<string, FieldDeclaration>>

type SomeOf<Attributes> = { readonly [Name in keyof Attributes]?: Attributes[Name] | undefined }

/** A declared resource type: its name, its path, its table and its fields. */
export interface ResourceDeclaration<
  Type extends string = string,
  Fields extends FieldDeclarations = FieldDeclarations,
> {
  readonly type: Type
  /** The collection's path, e.g. `/persons`. */
  readonly path: string
  /** The table or view. Several types may share one. */
  readonly table: string
  /** The schema of the table. Default: the database searches its default schemas. */
  readonly schema?: string
  /** The id column, or options of the ids. Default: the column `id` with 64-bit integers from the database. */
  readonly id?: string | IdOptions
  /** A description of the type for the root document. */
  readonly description?: string
  /**
   * The condition on rows that belong to the type, in every read and write. A write that would make it false is rejected.
   */
  readonly scope?: Expression
  /** The values of columns that no field writes, in the row of a new resource, by column. */
  readonly insertDefaults?: Readonly<Record<string, BoundValue | boolean>>
  /** `read-only`: clients cannot create, update or delete resources of the type. Required for views. Default `read-write`. */
  readonly access?: 'read-write' | 'read-only'
  /**
   * Validates all attributes together when a create or an update writes any of them. Gets the stored values of attributes
   * that the request does not send. Its output is not stored.
   */
  readonly validate?: StandardSchemaV1<SomeOf<AttributesOf<Fields>>, unknown>
  readonly hooks?: Hooks<Fields>
  /** By name, in the order in which they are serialized. */
  readonly fields: Fields
}

/**
 * Declares a resource type.
 *
 * @param type - its name in documents, e.g. `person`; relationships refer to it by this name
 * @param declaration - its path, its table and its fields by name
 * @see https://jsonapi.org/format/1.0/#document-resource-objects
 */
export function resource<const Type extends string, const Fields extends FieldDeclarations>(
  type: Type,
  declaration: Omit<ResourceDeclaration<Type, Fields>, 'type'>,
): ResourceDeclaration<Type, Fields> {
  return { type, ...declaration }
}
