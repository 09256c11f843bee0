import { sql } from 'kysely'
import type { BoundValue, Dialect, LastInsertId, Sql } from '../../model/dialect.ts'

/** Whatever stands between words, as in `sqlite-functions.ts`; PostgreSQL keeps no U+0000. */
const between =
  '[\\u0001-/:-@[-`{-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7\\u2000-\\u206f\\u2e00-\\u2e7f\\u3000-\\u303f]+'

/** A text letter for letter: columns may have collations under which others are equal, or that cannot be searched. */
const exact = (text: Sql): Sql => sql`${text} collate "C"`

const setting = sql.lit('lapidary.last_new')
/** A setting of the transaction holds the id of the row made last. */
const lastInsertId: LastInsertId = {
  retain: (id) => sql`set_config(${setting}, ${id}, true)`,
  // On a connection that has kept one before, none is an empty text.
  retained: sql`nullif(current_setting(${setting}, true), '')`,
}

/** Whether it is PostgreSQL itself that is asked, and no other server speaks for it, or with it. */
export const isGenuinePostgres = sql`(version() ~ '^PostgreSQL [0-9a-z.]+ ' and to_regclass('pg_catalog.pg_dist_partition') is null)`

/**
 * How PostgreSQL writes what databases write differently.
 * @param folding - the collation whose mappings of case are Unicode's full ones
 * @param keepsSettings - whether a statement sees the settings that one before it has made: not where it runs on another server
 */
export function postgresDialect(folding: string, keepsSettings = true): Dialect {
  const foldCase = (text: Sql): Sql => sql`upper(lower(${text} collate ${sql.id(folding)}))`
  const wordsOf = (text: Sql): Sql =>
    sql`array_remove(regexp_split_to_array(${foldCase(text)} collate "C", ${sql.lit(between)}), '')`
  const contains = (text: Sql, part: Sql): Sql => sql`strpos(${exact(text)}, ${exact(part)}) > 0`
  return {
    name: 'postgres',
    nullSafeEquals: (left, right) => sql`${left} is not distinct from ${right}`,
    bindList: (values) => `{${values.map(arrayElement).join(',')}}`,
    inList: (left, list) => sql`${left} = any(${list})`,
    // Unlike a list, it is no join. A view may hold an id twice.
    equalsSubquery: (left, subquery) => sql`${left} = (${subquery} limit 1)`,
    foldCase,
    contains,
    like: (text, pattern) =>
      sql`case when strpos(${exact(pattern)}, '%') = 0 then ${contains(text, pattern)}
        else ${exact(text)} like replace(replace(${exact(pattern)}, '\\', '\\\\'), '_', '\\_') end`,
    startsWith: (text, start) => sql`starts_with(${exact(text)}, ${exact(start)})`,
    endsWith: (text, end) => sql`right(${exact(text)}, length(${end})) = ${exact(end)}`,
    // Subqueries are pulled up from the top level alone, and planning some forty together takes 10 s.
    preventPullUp: (condition) => sql`(${condition}) is true`,
    match: (text, words) => sql`${wordsOf(text)} @> ${wordsOf(words)}`,
    ...(keepsSettings && { lastInsertId }),
    // Others may still refer to the row by a key.
    lock: sql` for no key update`,
    aggregateIds: (id, order, from, where) =>
      sql`coalesce((select json_agg(${id} order by ${order}) from ${from} where ${where})::text, '[]')`,
    aggregateIdsInGroups: (id, order) => sql`json_agg(${id} order by ${order})::text`,
  }
}

/** An element of an array as PostgreSQL writes arrays (PostgreSQL 18, 8.15.6). */
function arrayElement(value: BoundValue): string {
  return value === null ? 'NULL' : `"${String(value).replace(/[\\"]/g, '\\$&')}"`
}
