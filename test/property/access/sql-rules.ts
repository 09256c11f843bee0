import { auth, type RowRule, sql } from 'lapidary'
import { areDistributed } from '../../databases.ts'
import type { Random } from './random.ts'
import { type Identity, idColumns, nextColumns, nextOf, type Type } from './schema.ts'
import { type Data, linked, type Thing, type Truth } from './things.ts'

type WriteSql = Extract<RowRule, { sql: unknown }>['sql']

/** A row, the other rows, and the identity of the request; `undefined` without one. */
interface RuleContext {
  readonly type: Type
  readonly thing: Thing
  readonly data: Data
  readonly identity: Identity | undefined
}

/** The meaning of the SQL of a rule for a row, which the reference evaluates instead of the SQL. */
interface SqlMeaning {
  readonly usesIdentity: boolean
  readonly holds: (context: RuleContext) => Truth
}

/** A rule in SQL. Its function has the meaning as further members, because the engine accepts no others in the rule. */
interface SqlRule {
  readonly sql: WriteSql & SqlMeaning
}

const idOf = auth((identity: Identity) => identity.id)
const levelOf = auth((identity: Identity) => identity.level)
const wordOf = auth((identity: Identity) => identity.word)

function declareRule(
  write: WriteSql,
  holds: SqlMeaning['holds'],
  { usesIdentity = true }: Partial<Pick<SqlMeaning, 'usesIdentity'>> = {},
): SqlRule {
  return { sql: Object.assign(write, { holds, usesIdentity }) }
}

/** Returns the meaning of a rule in SQL. @throws Error for one that `randomSqlRule` has not created */
export function readMeaning(rule: Readonly<{ sql: WriteSql }>): SqlMeaning {
  if ('holds' in rule.sql) return rule.sql as WriteSql & SqlMeaning
  throw new Error('The SQL of this rule has no meaning for the reference.')
}

/** Creates a random rule in SQL: on columns of the row, and on the rows of another table, all of which it sees. */
export function randomSqlRule(type: Type, random: Random): SqlRule {
  const rules: readonly (() => SqlRule)[] = [
    () =>
      declareRule(
        (column) => sql`${column('rank')} >= ${levelOf}`,
        ({ thing: { rank }, identity }) =>
          rank === null ? undefined : rank >= (identity?.level ?? 0),
      ),
    () =>
      declareRule(
        (column) => sql`${column('name')} = ${wordOf} or ${column('rank')} is null`,
        ({ thing: { name, rank }, identity }) =>
          rank === null || (name === null ? undefined : name === identity?.word),
      ),
    () =>
      declareRule(
        (column) => sql`coalesce(${column('name')}, 'ash') <> 'ash'`,
        ({ thing: { name } }) => (name ?? 'ash') !== 'ash',
        { usesIdentity: false },
      ),
    () => ofNext(type),
    ...(type === 'blue' ? [] : [() => ofFans(type)]),
  ]
  return random.pick(rules)()
}

/** The end of a subquery over rows of other servers, and of none that refers to the row. */
const barrier = areDistributed ? sql` offset 0` : sql``

/** A rule on the row that the row references, whoever may read it. */
function ofNext(type: Type): SqlRule {
  const other = nextOf[type]
  const keys = idColumns(other)
  return declareRule(
    (column) => {
      if (areDistributed) {
        const next = sql.join(nextColumns(type).map(column))
        const known = sql.join(keys.map((key) => sql.id(key)))
        return sql`((${next}) in (select ${known} from ${sql.id(other)} where gone is null and rank < ${levelOf}${barrier})) is true`
      }
      const isNext = nextColumns(type).map(
        (key, at) => sql`n.${sql.id(keys[at] ?? '')} = ${column(key)}`,
      )
      return sql`exists (select 1 from ${sql.id(other)} as n where ${sql.join(isNext, sql` and `)} and n.gone is null and n.rank < ${levelOf})`
    },
    ({ thing, data, identity }) =>
      linked(type, thing, 'next', data).some(
        ([, { rank }]) => rank !== null && rank < (identity?.level ?? 0),
      ),
  )
}

/** A rule on the join table. */
function ofFans(type: Exclude<Type, 'blue'>): SqlRule {
  const [own, other] = type === 'red' ? ['red_id', 'green_id'] : ['green_id', 'red_id']
  return declareRule(
    (column) =>
      sql`${column('id')} in (select ${sql.id(own)} from fan where ${sql.id(other)} = cast(${idOf} as bigint)${barrier})`,
    ({ thing: { id }, data: { fans }, identity }) =>
      fans.has(type === 'red' ? `${id} ${identity?.id}` : `${identity?.id} ${id}`),
  )
}
