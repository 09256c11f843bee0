import type { FieldDeclaration } from '../declare/fields.ts'
import type {
  FieldsOf,
  JsonFilterName,
  RelatedType,
  RelationshipName,
  StoredName,
  TypeName,
} from '../declare/resource-types.ts'
import type { Declarations } from '../model.ts'
import type { OperatorLevel } from './kinds.ts'
import type { CountOperatorName, CustomOperands } from './operators.ts'

/** Another field of the same resource, to compare with instead of a value. */
interface FieldOperand<Name extends string> {
  readonly field: Name
}

/** Tests for equality. Null means that the field has no value. */
interface EqualityOperands<Operand> {
  readonly eq?: Operand | null
  readonly ne?: Operand | null
  readonly is_?: Operand | null
  readonly isnot?: Operand | null
}

interface PlainOperands<Value, Operand> extends EqualityOperands<Operand> {
  readonly in_?: readonly Value[]
  readonly notin_?: readonly Value[]
}

interface OrderedOperands<Value, Operand> extends PlainOperands<Value, Operand> {
  readonly gt?: Operand
  readonly ge?: Operand
  readonly lt?: Operand
  readonly le?: Operand
  readonly between?: readonly [low: Value, high: Value]
}

interface TextualOperands<Value, Operand> extends OrderedOperands<Value, Operand> {
  readonly like?: Operand
  readonly notlike?: Operand
  readonly ilike?: Operand
  readonly notilike?: Operand
  readonly startswith?: Operand
  readonly endswith?: Operand
  readonly match?: Operand
}

/** The elements that an array contains, all or some of them. */
interface ArrayOperands<Operand> extends EqualityOperands<Operand> {
  readonly contains?: Operand
  readonly overlaps?: Operand
}

/**
 * The operators on an attribute with their operands, all of which must match: `{ ge: 1, lt: 5 }`. The kind of the attribute says
 * which there are (`docs/service.md`, Filter).
 * @typeParam Other - the names of the attributes to compare with
 */
export interface FilterOperands<Value, Other extends string = string> {
  readonly opaque: EqualityOperands<never>
  readonly plain: PlainOperands<Value, Value | FieldOperand<Other>>
  readonly ordered: OrderedOperands<Value, Value | FieldOperand<Other>>
  readonly textual: TextualOperands<Value, Value | FieldOperand<Other>>
  readonly array: ArrayOperands<Value | FieldOperand<Other>>
}

/** A value of a filter. Over HTTP, a 64-bit integer may be a number too. */
export type FilterValue<Value> = Value extends bigint
  ? number | bigint
  : [Value] extends [readonly (bigint | null)[]]
    ? readonly FilterValue<Value[number]>[]
    : Value

/** A condition on an attribute: a value that it equals, null, or operators with operands. */
type AttributeCondition<
  Field extends FieldDeclaration | undefined,
  Other extends string,
> = Field extends {
  readonly kind: {
    serialize(value: infer Value): string
    readonly operators: infer Level extends OperatorLevel
  }
}
  ?
      | ('opaque' extends Level ? never : FilterValue<Value>)
      | null
      | (FilterOperands<FilterValue<Value>, Other>[Level] & CustomOperands<Field>)
  : never

/** A condition on the related resources: null for none, `ne: null` for some, or conditions that one of them meets. */
type RelationshipCondition<Types extends Declarations, Field extends FieldDeclaration | undefined> =
  | null
  | (Field extends { readonly is: 'toMany' }
      ? EqualityOperands<never> & {
          readonly any?: FilterConditions<Types, RelatedType<Types, Field>> | null
        } & CountOperands<Field>
      : EqualityOperands<never> & {
          readonly has?: FilterConditions<Types, RelatedType<Types, Field>> | null
        })

/** The operators on the number of related resources, for a relationship that is declared with `count`. */
type CountOperands<Field> = Field extends { readonly count?: infer IsCounted }
  ? [Extract<IsCounted, true>] extends [never]
    ? unknown
    : { readonly [Name in CountOperatorName]?: number }
  : unknown

/** A condition on an attribute of related resources or on a value inside JSON, by the path to it, e.g. `owner__name`. */
type PathCondition = string | number | bigint | boolean | null | FilterOperands<unknown>['textual']

/**
 * Conditions on the attributes and relationships of a type by name, and combinations of conditions; all must match. A field that
 * is named like a combination is filtered by a list of filter objects.
 */
export type FilterConditions<
  Types extends Declarations,
  Type extends TypeName<Types>,
> = string extends keyof Types
  ? UntypedConditions
  : {
      readonly [Name in
        | 'id'
        | StoredName<FieldsOf<Types, Type>>
        | RelationshipName<FieldsOf<Types, Type>>]?: Name extends 'id'
        ? string | FilterOperands<string, never>['textual']
        : Name extends RelationshipName<FieldsOf<Types, Type>>
          ? RelationshipCondition<Types, FieldsOf<Types, Type>[Name]>
          : AttributeCondition<FieldsOf<Types, Type>[Name], StoredName<FieldsOf<Types, Type>>>
    } & PathConditions<
      | `${RelationshipName<FieldsOf<Types, Type>>}__${string}`
      | JsonFilterName<FieldsOf<Types, Type>>
    > &
      Combinations<FilterConditions<Types, Type>>

/**
 * Conditions by path. Without paths `unknown`, because an intersection with an object type without members would accept any value:
 * the compiler rejects a value without a common member only if every type of the intersection has members.
 */
type PathConditions<Path extends string> = [Path] extends [never]
  ? unknown
  : { readonly [Name in Path]?: PathCondition }

/** Combinations of conditions. */
interface Combinations<Conditions> {
  readonly and?: readonly Conditions[]
  readonly or?: readonly Conditions[]
  readonly not?: Conditions
}

/** Conditions on a type whose declarations are not known to the compiler. */
interface UntypedConditions {
  readonly [name: string]: unknown
}
