import { sql } from 'kysely'
import type { Dialect, PatternName, Sql } from './dialect.ts'
import type { Kind } from './kinds.ts'

/** What the operators on attributes take, whom they suit and how they are written as SQL. */
export interface Operator {
  /** The least a kind must be for the operator: `opaque` suits all, `textual` texts alone. */
  readonly requires: Kind<unknown>['operators']
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
      const of = (text: Sql) => (folds ? dialect.foldCase(text) : text)
      const found = dialect[find](of(left), of(right))
      return isNot ? sql`not (${found})` : found
    }
  const when = (pattern: unknown) => typeof pattern === 'string' && !pattern.includes('%')
  return {
    requires: 'textual',
    takes: 'one',
    write: written('like'),
    pattern: { is: folds ? 'ilike' : 'like', isNot },
    simpler: { when, write: written('contains') },
  }
}

/** Every operator on attributes and ids (`docs/service.md`, Filter); `any` and `has`, on relationships, are grammar of their own. */
// biome-ignore format: a table, one operator a row
export const operators = {
  eq:         { requires: 'opaque',  takes: 'one',  ofNull: 'none', write: (left, [right]) => sql`${left} = ${right}` },
  ne:         { requires: 'opaque',  takes: 'one',  ofNull: 'some', write: (left, [right]) => sql`${left} <> ${right}` },
  is_:        { requires: 'opaque',  takes: 'one',  ofNull: 'none', write: (left, [right], dialect) => dialect.nullSafeEquals(left, right) },
  isnot:      { requires: 'opaque',  takes: 'one',  ofNull: 'some', write: (left, [right], dialect) => sql`not (${dialect.nullSafeEquals(left, right)})` },
  in_:        { requires: 'plain',   takes: 'list', write: (left, [list], dialect) => dialect.inList(left, list) },
  notin_:     { requires: 'plain',   takes: 'list', write: (left, [list], dialect) => sql`not (${dialect.inList(left, list)})` },
  gt:         { requires: 'ordered', takes: 'one',  write: (left, [right]) => sql`${left} > ${right}` },
  ge:         { requires: 'ordered', takes: 'one',  write: (left, [right]) => sql`${left} >= ${right}` },
  lt:         { requires: 'ordered', takes: 'one',  write: (left, [right]) => sql`${left} < ${right}` },
  le:         { requires: 'ordered', takes: 'one',  write: (left, [right]) => sql`${left} <= ${right}` },
  between:    { requires: 'ordered', takes: 'two',  write: (left, [low, high]) => sql`${left} between ${low} and ${high}` },
  like:       search({}),
  notlike:    search({ isNot: true }),
  ilike:      search({ folds: true }),
  notilike:   search({ folds: true, isNot: true }),
  startswith: { requires: 'textual', takes: 'one',  write: (left, [right], dialect) => dialect.startsWith(left, right) },
  endswith:   { requires: 'textual', takes: 'one',  write: (left, [right], dialect) => dialect.endsWith(left, right) },
  match:      { requires: 'textual', takes: 'one',  write: (left, [right], dialect) => dialect.match(left, right), pattern: { is: 'match', isNot: false } },
} satisfies Record<string, Operator>

/** The name of an operator on attributes, as on the wire. */
export type OperatorName = keyof typeof operators

const byName: ReadonlyMap<string, Operator> = new Map(Object.entries(operators))

/** The operator of that name, or `undefined`; prototype names are no operators. */
export function findOperator(name: string): Operator | undefined {
  return byName.get(name)
}

const capabilities = {
  opaque: ['opaque'],
  plain: ['opaque', 'plain'],
  ordered: ['opaque', 'plain', 'ordered'],
  textual: ['opaque', 'plain', 'ordered', 'textual'],
} as const

/** Whether fields of the kind can be asked with the operator. */
export function appliesTo(operator: Operator, kind: Pick<Kind<unknown>, 'operators'>): boolean {
  const names: readonly string[] = capabilities[kind.operators]
  return names.includes(operator.requires)
}

/** The operators that fields of a kind take, in alphabetical order. */
export function listOperators(kind: Pick<Kind<unknown>, 'operators'>): string[] {
  return [...byName.keys()]
    .filter((name) => appliesTo(operators[name as OperatorName], kind))
    .sort()
}

/** The operators on a relationship itself: nested filters, and with `null`, has none and has some. */
export const relationshipOperators = {
  toOne: ['has', 'eq', 'ne', 'is_', 'isnot'],
  toMany: ['any', 'eq', 'ne', 'is_', 'isnot'],
} as const
