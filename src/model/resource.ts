import type { FieldDeclaration } from './fields.ts'

/** A resource type as it is declared: what it is called, where it is reached and kept, and its fields. */
export interface ResourceDeclaration<
  Type extends string = string,
  Fields extends Readonly<Record<string, FieldDeclaration>> = Readonly<
    Record<string, FieldDeclaration>
  >,
> {
  readonly type: Type
  /** The collection's path, e.g. `/persons`. */
  readonly path: string
  readonly table: string
  /** The column of the id, a whole number given by the database; default `id`. */
  readonly id?: string
  /** What the type is, for the root document. */
  readonly description?: string
  /** By name, in the order in which they are told. */
  readonly fields: Fields
}

/**
 * Declares a resource type.
 *
 * @param type - its name on the wire, e.g. `person`; other resources name it by this
 * @param declaration - where it is reached and kept, and its fields by name
 * @see JSON:API 1.0, Resource Objects
 */
export function resource<
  const Type extends string,
  const Fields extends Readonly<Record<string, FieldDeclaration>>,
>(
  type: Type,
  declaration: Omit<ResourceDeclaration<Type, Fields>, 'type'>,
): ResourceDeclaration<Type, Fields> {
  return { type, ...declaration }
}
