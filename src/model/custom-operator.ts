import type { CustomOperator } from './kinds.ts'

/** The types of operands by the names of their operators. */
export type Operands = Readonly<Record<string, unknown>>

/** The operators of a kind that defines none. */
// biome-ignore lint/complexity/noBannedTypes: an object type without members
export type NoOperators = {}

/** The operators with operands of given types. */
export type OperatorsWith<Types extends Operands> = {
  readonly [Name in keyof Types]: CustomOperator<Types[Name]>
}

/** A kind with its filter operators, if it has any. */
export type WithOperators<Defined, Types extends Operands> = [keyof Types] extends [never]
  ? Defined
  : Defined & { readonly customOperators: OperatorsWith<Types> }

/** The operands of the operators of a kind: `{ near: … }`. */
export type CustomOperands<Field> = Field extends {
  readonly kind: { readonly customOperators: infer Operators }
}
  ? { readonly [Name in keyof Operators]?: OperandOf<Operators[Name]> }
  : unknown

type OperandOf<Operator> = Operator extends CustomOperator<infer Operand> ? Operand : never

/** The names of the operators of the kind of a field. */
export type CustomOperatorName<Field> = Field extends {
  readonly kind: { readonly customOperators: infer Operators }
}
  ? keyof Operators & string
  : never
