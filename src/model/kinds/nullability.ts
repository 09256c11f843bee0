import type { Attribute, ToOne } from '../declare/fields.ts'

/** Three facts about a field, which do not follow from each other: `text not null default ''` need not be sent, and is never null. */
export interface Nullability {
  /** Whether a create must send a value, unless the declaration has a default. */
  readonly required: boolean
  /** Whether clients may send null. */
  readonly acceptsNull: boolean
  /** Whether responses may contain null. */
  readonly isNullable: boolean
}

/** Resolves the options `required` and `nullable` of a field. */
export function resolveNullability({
  required = false,
  nullable = !required,
}: Pick<Attribute | ToOne, 'required' | 'nullable'>): Nullability {
  return { required, acceptsNull: nullable && !required, isNullable: nullable }
}

/** The types of the options `required` and `nullable`. */
type Options = Readonly<{ is: 'attribute' | 'toOne'; required?: unknown; nullable?: unknown }>

/** `null` if responses may contain null for a declared field, else `never`. */
export type ReturnedNull<Field extends Options> = [Field['nullable']] extends [true]
  ? null
  : SentNull<Field>

/** `null` if clients may send null for a declared field, else `never`. */
export type SentNull<Field extends Options> = [Field['nullable']] extends [false]
  ? never
  : [Exclude<Field['required'], undefined>] extends [true]
    ? never
    : null
