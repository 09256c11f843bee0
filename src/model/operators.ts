import { sql } from 'kysely'
import type { Dialect, PatternName, Sql } from './dialect.ts'
import type { Kind } from './kinds.ts'

/** What the operators on attributes take, whom they suit and how they are written as SQL. */
export interface Operator {
  /** The least a kind must be for the operator: `opaque` suits all, `textual` texts alone. */
  readonly suits: Kind<unknown>['operators']
  /** How many values: `one` may also be another field; a `list` is bound as one value. */
  readonly takes: 'one' | 'two' | 'list'
  /** What `null` as the value means; absent: unknown, as SQL has it, so nothing matches. */
  readonly ofNull?: 'none' | 'some'
  readonly write: Write
  /** Which search it is, or the negation of which. */
  readonly pattern?: Readonly<{ is: PatternName; isNot: boolean }>
  /** What is written instead where the value is such that less will do; not where it is another field's. */
  readonly simpler?: Readonly<{ when: (value: unknown) => boolean; write: Write }>
}

/** Writes a comparison; `right` holds one expression, or two for `takes: 'two'`. */
type Write = (left: Sql, right: readonly [Sql, ...Sql[]], dialect: Dialect) => Sql

/** A search for a pattern; for a text that is no pattern, because it has no `%`, there is a simpler one. */
function search({ folds = false, isNot = false }): Operator {
  const written =
    (find: 'like' | 'contains'): Write =>
    (left, [right], dialect) => {
      const of = (text: Sql) => (folds ? dialect.fold(text) : text)
      const found = dialect[find](of(left), of(right))
      return isNot ? sql`not (${found})` : found
    }
  const when = (pattern: unknown) => typeof pattern === 'string' && !pattern.includes('%')
  return {
    suits: 'textual',
    takes: 'one',
    write: written('like'),
    pattern: { is: folds ? 'ilike' : 'like', isNot },
    simpler: { when, write: written('contains') },
  }
}

/** Every operator on attributes and ids (seed §4.1); `any` and `has`, on relationships, are grammar of their own. */
// biome-ignore format: a table, one operator a row
export const operators = {
  eq:         { suits: 'opaque',  takes: 'one',  ofNull: 'none', write: (left, [right]) => sql`${left} = ${right}` },
  ne:         { suits: 'opaque',  takes: 'one',  ofNull: 'some', write: (left, [right]) => sql`${left} <> ${right}` },
  is_:        { suits: 'opaque',  takes: 'one',  ofNull: 'none', write: (left, [right], dialect) => dialect.same(left, right) },
  isnot:      { suits: 'opaque',  takes: 'one',  ofNull: 'some', write: (left, [right], dialect) => sql`not (${dialect.same(left, right)})` },
  in_:        { suits: 'plain',   takes: 'list', write: (left, [list], dialect) => dialect.inList(left, list) },
  notin_:     { suits: 'plain',   takes: 'list', write: (left, [list], dialect) => sql`not (${dialect.inList(left, list)})` },
  gt:         { suits: 'ordered', takes: 'one',  write: (left, [right]) => sql`${left} > ${right}` },
  ge:         { suits: 'ordered', takes: 'one',  write: (left, [right]) => sql`${left} >= ${right}` },
  lt:         { suits: 'ordered', takes: 'one',  write: (left, [right]) => sql`${left} < ${right}` },
  le:         { suits: 'ordered', takes: 'one',  write: (left, [right]) => sql`${left} <= ${right}` },
  between:    { suits: 'ordered', takes: 'two',  write: (left, [low, high]) => sql`${left} between ${low} and ${high}` },
  like:       search({}),
  notlike:    search({ isNot: true }),
  ilike:      search({ folds: true }),
  notilike:   search({ folds: true, isNot: true }),
  startswith: { suits: 'textual', takes: 'one',  write: (left, [right], dialect) => dialect.startsWith(left, right) },
  endswith:   { suits: 'textual', takes: 'one',  write: (left, [right], dialect) => dialect.endsWith(left, right) },
  match:      { suits: 'textual', takes: 'one',  write: (left, [right], dialect) => dialect.match(left, right), pattern: { is: 'match', isNot: false } },
} satisfies Record<string, Operator>

/** The name of an operator on attributes, as on the wire. */
export type OperatorName = keyof typeof operators

const byName: ReadonlyMap<string, Operator> = new Map(Object.entries(operators))

/** The operator of that name, or `undefined`; prototype names are no operators. */
export function operatorNamed(name: string): Operator | undefined {
  return byName.get(name)
}

const suited = {
  opaque: ['opaque'],
  plain: ['opaque', 'plain'],
  ordered: ['opaque', 'plain', 'ordered'],
  textual: ['opaque', 'plain', 'ordered', 'textual'],
} as const

/** Whether fields of the kind can be asked with the operator. */
export function suits(operator: Operator, kind: Pick<Kind<unknown>, 'operators'>): boolean {
  const names: readonly string[] = suited[kind.operators]
  return names.includes(operator.suits)
}

/** The operators that fields of a kind take, in alphabetical order. */
export function operatorsOf(kind: Pick<Kind<unknown>, 'operators'>): string[] {
  return [...byName.keys()].filter((name) => suits(operators[name as OperatorName], kind)).sort()
}

/** The operators on a relationship itself: nested filters, and with `null`, has none and has some. */
export const relationshipOperators = {
  toOne: ['has', 'eq', 'ne', 'is_', 'isnot'],
  toMany: ['any', 'eq', 'ne', 'is_', 'isnot'],
} as const
