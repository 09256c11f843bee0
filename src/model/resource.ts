import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { BoundValue } from './dialect.ts'
import type { Expression, FieldDeclaration } from './fields.ts'
import type { AttributesOf, Hooks } from './hooks.ts'
import type { Kind } from './kinds.ts'

/** How the resources of a type are identified. */
export interface IdOptions {
  /** The column of the ids; default `id`. */
  readonly column?: string
  /** What ids are: whole numbers of 64 bits (the default), `uuid`, or `text`. */
  readonly kind?: Kind<string>
  /**
   * Whether a client may, or must, give the id of what it creates. Otherwise the server makes uuids, and the column's own
   * default makes all other ids.
   */
  readonly client?: 'optional' | 'required'
}

/** Whatever a resource declares under its fields. */
export type FieldDeclarations = Readonly<Record<string, FieldDeclaration>>

type SomeOf<Attributes> = { readonly [Name in keyof Attributes]?: Attributes[Name] | undefined }

/** A resource type as it is declared: what it is called, where it is reached and kept, and its fields. */
export interface ResourceDeclaration<
  Type extends string = string,
  Fields extends FieldDeclarations = FieldDeclarations,
> {
  readonly type: Type
  /** The collection's path, e.g. `/persons`. */
  readonly path: string
  /** The table or view; several resource types may be cut out of one. */
  readonly table: string
  /** The schema of the table; default: the database's own choice. */
  readonly schema?: string
  /** The column of the ids, whole numbers given by the database, or all that is to be said of them; default `id`. */
  readonly id?: string | IdOptions
  /** What the type is, for the root document. */
  readonly description?: string
  /**
   * Only rows for which this holds are resources of the type, wherever they are met. A write that would make it false is
   * refused.
   */
  readonly scope?: Expression
  /** What columns that no field writes hold in rows that are created, by column. */
  readonly insertDefaults?: Readonly<Record<string, BoundValue | boolean>>
  /** `read-only`: nothing creates, changes or deletes resources of the type. Views must be. Default `read-write`. */
  readonly access?: 'read-write' | 'read-only'
  /**
   * Checks attributes together, those stored included, when a create or an update writes any. It gets all of them, may look
   * at some alone, and what it makes of them is not stored.
   */
  readonly validate?: StandardSchemaV1<SomeOf<AttributesOf<Fields>>, unknown>
  readonly hooks?: Hooks<Fields>
  /** By name, in the order in which they are told. */
  readonly fields: Fields
}

/**
 * Declares a resource type.
 *
 * @param type - its name on the wire, e.g. `person`; other resources name it by this
 * @param declaration - where it is reached and kept, and its fields by name
 * @see https://jsonapi.org/format/1.0/#document-resource-objects
 */
export function resource<const Type extends string, const Fields extends FieldDeclarations>(
  type: Type,
  declaration: Omit<ResourceDeclaration<Type, Fields>, 'type'>,
): ResourceDeclaration<Type, Fields> {
  return { type, ...declaration }
}
