import { sql } from 'kysely'
import { memoizeByIdentity } from '../memoize-by-identity.ts'
import type { PatternName, Sql } from '../sql.ts'
import { type CustomOperator, type CustomOperators, type Kind, text } from './kinds.ts'

/** A filter operator on attributes: the values that it takes, the kinds that it applies to and its SQL. */
export interface Operator {
  /** The least capable kinds that the operator applies to: `opaque` means all kinds, `textual` only texts. */
  readonly requires: Kind<unknown>['operators']
  /** The number of values: `one` may also be another field; a `list` is one bind parameter. */
  readonly takes: 'one' | 'two' | 'list'
  /**
   * What a filter reads if its column has an index: the rows that match (`matches`), the text of every row (`texts`), or the rows but for
   * those with some values (`others`). Absent: the index of a column does not concern it.
   */
  readonly reads?: 'matches' | 'texts' | 'others'
  /** The rows that a null value matches: those with `none` or with `some` value. Absent: the comparison is unknown. */
  readonly nullMatches?: 'none' | 'some'
  /** Compiles any comparison, e.g. with another field. For a value of the client the two members below come first. */
  readonly write: Write
  /**
   * The search that the operator performs, or whose negation it is: a dialect with `patterns` compiles it for values of the client,
   * and does not call `write`.
   */
  readonly pattern?: Readonly<{ is: PatternName; isNot: boolean }>
  /** A cheaper condition for some values of the client, e.g. a pattern of `like` without `%`. Not used if the value is another field. */
  readonly simpler?: Readonly<{ when: (value: unknown) => boolean; write: Write }>
}

/** The SQL of operators that differs between databases. Texts and patterns may be columns or bind parameters. */
export interface Comparisons {
  /** Null-safe equality: true or false, never unknown. */
  nullSafeEquals(left: Sql, right: Sql): Sql
  /** Membership in a list that is one bind parameter. */
  inList(left: Sql, list: Sql): Sql
  /** The text as `contains` and `like` compare it: by code point, whatever the collation of its column. */
  exact(text: Sql): Sql
  /** The same with case folded: `upper(lower(x))` by Unicode's full mappings. */
  foldCase(text: Sql): Sql
  /** Case-sensitive substring search. */
  contains(text: Sql, part: Sql): Sql
  /** Case-sensitive search where `%` matches any text. A pattern without `%` matches as a substring. */
  like(text: Sql, pattern: Sql): Sql
  startsWith(text: Sql, start: Sql): Sql
  endsWith(text: Sql, end: Sql): Sql
  /** True if every word of `words` is a word of the text, with case folded. */
  match(text: Sql, words: Sql): Sql
}

/** Writes a comparison as SQL. `right` has one expression, or two for `takes: 'two'`. */
type Write = (left: Sql, right: readonly [Sql, ...Sql[]], dialect: Comparisons) => Sql

/** Creates a search operator. A pattern without `%` becomes the simpler substring search. */
function search({ foldsCase = false, isNot = false }): Operator {
  const writeWith =
    (method: 'like' | 'contains'): Write =>
    (left, [right], dialect) => {
      const operand = foldsCase ? dialect.foldCase : dialect.exact
      const match = dialect[method](operand(left), operand(right))
      return isNot ? sql`not (${match})` : match
    }
  const hasNoWildcard = (pattern: unknown) => typeof pattern === 'string' && !pattern.includes('%')
  return {
    requires: 'textual',
    takes: 'one',
    reads: 'texts',
    write: writeWith('like'),
    pattern: { is: foldsCase ? 'ilike' : 'like', isNot },
    simpler: { when: hasNoWildcard, write: writeWith('contains') },
  }
}

/** Every operator on attributes and ids (`docs/service.md`, Filter). `any` and `has`, on relationships, are grammar of their own. */
// biome-ignore format: a table, one operator a row
export const operators = {
  eq:         { requires: 'opaque',  takes: 'one',  reads: 'matches', nullMatches: 'none', write: (left, [right]) => sql`${left} = ${right}` },
  ne:         { requires: 'opaque',  takes: 'one',  reads: 'others',  nullMatches: 'some', write: (left, [right]) => sql`${left} <> ${right}` },
  is_:        { requires: 'opaque',  takes: 'one',  reads: 'matches', nullMatches: 'none', write: (left, [right], dialect) => dialect.nullSafeEquals(left, right) },
  isnot:      { requires: 'opaque',  takes: 'one',  reads: 'others',  nullMatches: 'some', write: (left, [right], dialect) => sql`not (${dialect.nullSafeEquals(left, right)})` },
  in_:        { requires: 'plain',   takes: 'list', reads: 'matches', write: (left, [list], dialect) => dialect.inList(left, list) },
  notin_:     { requires: 'plain',   takes: 'list', reads: 'others',  write: (left, [list], dialect) => sql`not (${dialect.inList(left, list)})` },
  gt:         { requires: 'ordered', takes: 'one',  reads: 'matches', write: (left, [right]) => sql`${left} > ${right}` },
  ge:         { requires: 'ordered', takes: 'one',  reads: 'matches', write: (left, [right]) => sql`${left} >= ${right}` },
  lt:         { requires: 'ordered', takes: 'one',  reads: 'matches', write: (left, [right]) => sql`${left} < ${right}` },
  le:         { requires: 'ordered', takes: 'one',  reads: 'matches', write: (left, [right]) => sql`${left} <= ${right}` },
  between:    { requires: 'ordered', takes: 'two',  reads: 'matches', write: (left, [low, high]) => sql`${left} between ${low} and ${high}` },
  like:       search({}),
  notlike:    search({ isNot: true }),
  ilike:      search({ foldsCase: true }),
  notilike:   search({ foldsCase: true, isNot: true }),
  startswith: { requires: 'textual', takes: 'one',  reads: 'matches', write: (left, [right], dialect) => dialect.startsWith(left, right) },
  endswith:   { requires: 'textual', takes: 'one',  reads: 'texts', write: (left, [right], dialect) => dialect.endsWith(left, right) },
  contains:   { requires: 'array',   takes: 'one',  write: (left, [right]) => sql`${left} @> ${right}` },
  overlaps:   { requires: 'array',   takes: 'one',  write: (left, [right]) => sql`${left} && ${right}` },
  match:      { requires: 'textual', takes: 'one',  reads: 'texts', write: (left, [right], dialect) => dialect.match(left, right), pattern: { is: 'match', isNot: false } },
} satisfies Record<string, Operator>

/** The name of an operator on attributes, as in requests. */
export type OperatorName = keyof typeof operators

const byName: ReadonlyMap<string, Operator> = new Map(Object.entries(operators))

/** Returns the filter operators of a kind that a program defines, by name; none for other kinds. */
export function getCustomOperators({
  customOperators = {},
}: Pick<Kind<unknown>, 'customOperators'>): CustomOperators {
  // Only `defineKind` sets the member, and checks it.
  return customOperators as CustomOperators
}

/** Returns a filter operator of a kind that a program defines, by its name in a request; `undefined` if the kind has none. */
export function findCustomOperator(
  kind: Pick<Kind<unknown>, 'customOperators'>,
  name: string,
): CustomOperator | undefined {
  const operators = getCustomOperators(kind)
  return Object.hasOwn(operators, name) ? operators[name] : undefined
}

/** Returns an operator by its name, or `undefined`. */
export function findOperator(name: string): Operator | undefined {
  return byName.get(name)
}

/** The requirements that the kinds of each level meet. */
const capabilities = {
  opaque: ['opaque'],
  plain: ['opaque', 'plain'],
  ordered: ['opaque', 'plain', 'ordered'],
  textual: ['opaque', 'plain', 'ordered', 'textual'],
  array: ['opaque', 'array'],
} as const

/** True if an operator applies to the values of a kind. */
export function appliesTo(operator: Operator, kind: Pick<Kind<unknown>, 'operators'>): boolean {
  const requirements: readonly string[] = capabilities[kind.operators]
  return requirements.includes(operator.requires)
}

/** True if values of a kind have an order, so that they can be sorted by. */
export function isSortable({ operators }: Pick<Kind<unknown>, 'operators'>): boolean {
  return operators !== 'opaque' && operators !== 'array'
}

/** Returns the names of the operators that apply to a kind, in alphabetical order. */
export function listOperators(kind: Pick<Kind<unknown>, 'operators'>): string[] {
  return [...byName].flatMap(([name, operator]) => (appliesTo(operator, kind) ? [name] : [])).sort()
}

/** Returns the kind of the operand of an operator: that of the field, or text for a search, whatever textual kind the field has. */
export function getOperandKind({ requires }: Operator, kind: Kind<unknown>): Kind<unknown> {
  return requires === 'textual' ? text : kind
}

/** An operator on values of a kind, and its operand. */
export interface KindOperator {
  readonly name: string
  /** Whether it compares with values of the kind, searches a text, or belongs to a kind that a program defines. */
  readonly is: 'comparison' | 'search' | 'custom'
  readonly takes: Operator['takes']
  /** The kind of the values that it takes. */
  readonly operand: Kind<unknown>
  /** Whether it also takes another field. */
  readonly takesField: boolean
}

/** Lists the operators on values of a kind: those of every kind in alphabetical order, then those that a program defines for it. */
export const listKindOperators = memoizeByIdentity(
  (kind: Kind<unknown>): readonly KindOperator[] => {
    const general = listOperators(kind).map((name): KindOperator => {
      const operator: Operator = Reflect.get(operators, name)
      const { requires, takes } = operator
      const takesField = isSortable(kind) && takes === 'one'
      const operand = getOperandKind(operator, kind)
      return {
        name,
        is: requires === 'textual' ? 'search' : 'comparison',
        takes,
        operand,
        takesField,
      }
    })
    const custom = Object.entries(getCustomOperators(kind)).map(
      ([name, { takes }]): KindOperator => ({
        ...{ name, is: 'custom', takes: 'one', operand: takes, takesField: false },
      }),
    )
    return [...general, ...custom]
  },
)

/** The operators on relationships. `any` and `has` take a nested filter; the others take null: has none, or has some. */
export const relationshipOperators = {
  toOne: ['has', 'eq', 'ne', 'is_', 'isnot'],
  toMany: ['any', 'eq', 'ne', 'is_', 'isnot'],
} as const

/** The operators on the number of related resources of a to-many relationship with `count`, and those that compare the number. */
export const countOperators = {
  count_eq: 'eq',
  count_ne: 'ne',
  count_gt: 'gt',
  count_ge: 'ge',
  count_lt: 'lt',
  count_le: 'le',
} as const satisfies Record<string, OperatorName>

/** The name of an operator on the number of related resources, as in requests. */
export type CountOperatorName = keyof typeof countOperators

/** Whether a name is that of an operator on the number of related resources. */
export function isCountOperator(name: string): name is CountOperatorName {
  return Object.hasOwn(countOperators, name)
}

/** Returns the names of the operators on a relationship, as in requests. */
export function listRelationshipOperators({
  many,
  isCounted,
}: Readonly<{ many: boolean; isCounted: boolean }>): readonly string[] {
  const own = relationshipOperators[many ? 'toMany' : 'toOne']
  return isCounted ? [...own, ...Object.keys(countOperators)] : own
}

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
