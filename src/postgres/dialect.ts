import { sql } from 'kysely'
import type { AggregatedIds, Dialect, LastInsertId, Sql } from '../model/dialect.ts'
import { nameColumns } from '../sql/keys/keys.ts'
import { formatArray } from './arrays.ts'
import { postgres } from './database.ts'

/** The characters between words, as in `src/sqlite/connection/functions.ts`; PostgreSQL stores no U+0000. */
const separators =
  '[\\u0001-/:-@[-`{-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7\\u2000-\\u206f\\u2e00-\\u2e7f\\u3000-\\u303f]+'

/** Compares texts by code point: columns may have collations in which different texts are equal, or that cannot be searched. */
const exact = (text: Sql): Sql => sql`${text} collate "C"`

/** Advisory locks have numbers. Two pairs of texts with the same one are as unlikely as two equal random numbers of 64 bits. */
const tryLock: NonNullable<Dialect['tryLock']> = (first, second) =>
  sql`pg_try_advisory_xact_lock(hashtextextended(${first}, hashtextextended(${second}, 7240)))`

/** With `no key update` other transactions may still insert rows that reference this one. */
const locks: NonNullable<Dialect['locks']> = {
  'no key update': sql` for no key update`,
  update: sql` for update`,
  share: sql` for share`,
}

const settingName = sql.lit('lapidary.last_insert_id')
/** The id of the row that was inserted last is stored in a setting of the transaction, so that later statements of a batch find the row. */
const lastInsertId: LastInsertId = {
  retain: (id) => sql`set_config(${settingName}, ${id}, true)`,
  // After the transaction the setting is empty, not null.
  retained: sql`nullif(current_setting(${settingName}, true), '')`,
  retainedPart: (index) =>
    sql`replace(replace(split_part(current_setting(${settingName}, true), ',', ${sql.lit(index + 1)}), '~1', ','), '~0', '~')`,
}

/**
 * What the planner of Citus refuses otherwise: subqueries among values, and constant conditions beside outer joins. PostgreSQL makes
 * one of them, where a column equals both a parameter and the value of a subquery.
 */
const withoutRefusals: Pick<Dialect, 'insertsQueries' | 'matchesNothing' | 'equalsSubquery'> = {
  insertsQueries: true,
  equalsSubquery: (left, subquery) => sql`${left} in (${subquery} limit 1)`,
  matchesNothing: (column) => sql`${column} is distinct from ${column}`,
}

/** Whether the server is PostgreSQL itself: no other implementation of its protocol, and no distribution by Citus. */
export const isGenuinePostgres = sql`(version() ~ '^PostgreSQL [0-9a-z.]+ ' and to_regclass('pg_catalog.pg_dist_partition') is null)`

/**
 * Creates the dialect of PostgreSQL.
 * @param folding - the collation with the full case mappings of Unicode
 * @param isGenuine - whether the server is PostgreSQL itself. Elsewhere a statement may not see the settings of an earlier one of its
 *   transaction, because they run on different servers.
 */
export function postgresDialect(folding: string, isGenuine = true): Dialect {
  return {
    ...postgres,
    tryLock,
    nullSafeEquals: (left, right) => sql`${left} is not distinct from ${right}`,
    bindList: formatArray,
    inList: (left, list) => sql`${left} = any(${list})`,
    selectRows: (lists) => sql`select * from unnest(${sql.join(lists)})`,
    // Unlike `in`, this is not converted to a join. A view may contain an id twice.
    equalsSubquery: (left, subquery) => sql`${left} = (${subquery} limit 1)`,
    selectKeyValue: (key, isFull) =>
      sql`'t' || ${isFull ? sql`${key}::text` : sql`left(${key}::text, 513)`}`,
    bindKeyValue: (value) => String(value).slice(1),
    versionOf: (columns) => sql`md5(row(${sql.join(columns)})::text)`,
    ...createTextFunctions(folding, isGenuine),
    // Only subqueries at the top level are pulled up to joins. Planning forty joins takes 10 s.
    preventPullUp: (condition) => sql`(${condition}) is true`,
    ...(isGenuine ? { lastInsertId } : withoutRefusals),
    locks,
    isPlainTable: (table) =>
      sql`(select not (relhassubclass or relhasrules or relrowsecurity) from pg_class where oid = ${sql.lit(table)}::regclass)`,
    now: sql`now()`,
    ...subqueries,
    aggregateIds,
    joinedGroups: {
      aggregateIds: (id, order) => sql`json_agg(${id} order by ${sql.join(order)})::text`,
    },
  }
}

/** How the planner runs subqueries. */
const subqueries = {
  hasAntiJoins: true,
  hasLateralJoins: true,
  knowsNulls: true,
  subqueryBarrier: sql` offset 0`,
} as const

/** The comparisons of texts. */
type TextFunctions = Pick<
  Dialect,
  'exact' | 'foldCase' | 'contains' | 'like' | 'startsWith' | 'endsWith' | 'match'
>

function createTextFunctions(folding: string, isGenuine: boolean): TextFunctions {
  const fold = (text: Sql): Sql => sql`upper(lower(${text} collate ${sql.id(folding)}))`
  // Citus sends a statement without the inner one of two nested collations. The folding collation finds the same texts: it compares by
  // code point where it does not order.
  const foldCase = isGenuine ? (text: Sql) => exact(fold(text)) : fold
  const wordsOf = (text: Sql): Sql =>
    sql`array_remove(regexp_split_to_array(${foldCase(text)}, ${sql.lit(separators)}), '')`
  const contains = (text: Sql, part: Sql): Sql => sql`strpos(${text}, ${part}) > 0`
  return {
    exact,
    foldCase,
    contains,
    like: (text, pattern) =>
      sql`case when strpos(${pattern}, '%') = 0 then ${contains(text, pattern)}
        else ${text} like replace(replace(${pattern}, '\\', '\\\\'), '_', '\\_') end`,
    startsWith: (text, start) => sql`starts_with(${exact(text)}, ${exact(start)})`,
    endsWith: (text, end) => sql`right(${exact(text)}, length(${end})) = ${exact(end)}`,
    match: (text, words) => sql`${wordsOf(text)} @> ${wordsOf(words)}`,
  }
}

function aggregateIds({ id, order, from, where }: AggregatedIds, limit: number | undefined): Sql {
  if (limit === undefined)
    return sql`coalesce((select json_agg(${id} order by ${sql.join(order)}) from ${from} where ${where})::text, '[]')`
  const { names, select } = nameColumns('position', order)
  return sql`coalesce((select json_agg(id order by ${sql.join(names)}) from (select ${id} as id, ${select} from ${from}
            where ${where} limit ${sql.lit(limit)}) as linked)::text, '[]')`
}
