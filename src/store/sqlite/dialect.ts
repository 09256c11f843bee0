import { sql } from 'kysely'
import type { BoundValue, Dialect, Sql } from '../../model/dialect.ts'
import { likePattern } from './patterns.ts'

const contains = (text: Sql, part: Sql) => sql`instr(${text}, ${part}) > 0`

/** How SQLite writes what databases write differently. Functions named `lapidary_…` are in `sqlite-functions.ts`. */
export const sqliteDialect: Dialect = {
  name: 'sqlite',
  nullSafeEquals: (left, right) => sql`${left} is ${right}`,
  bindList: (values) => `[${values.map(jsonOf).join(',')}]`,
  inList: (left, list) => sql`${left} in (select value from json_each(${list}))`,
  // Unlike a list, it leaves the rows in the order of the index that finds them.
  equalsSubquery: (left, subquery) => sql`${left} is (${subquery})`,
  foldCase: (text) => sql`lapidary_fold(${text})`,
  contains,
  patterns: {
    bind: (pattern) => (pattern.is === 'like' ? likePattern(pattern) : pattern),
    // A pattern is a number to our function; a text is GLOB's, which SQLite evaluates several times as fast.
    write: (is, text, pattern) =>
      is === 'like'
        ? sql`iif(typeof(${pattern}) = 'text', ${text} glob ${pattern}, lapidary_matches(${text}, ${pattern}))`
        : sql`lapidary_matches(${text}, ${pattern})`,
  },
  // A pattern that stands in another field.
  like: (text, pattern) =>
    sql`iif(instr(${pattern}, '%') = 0, ${contains(text, pattern)}, lapidary_like(${text}, ${pattern}))`,
  // A range, which an index serves.
  startsWith: (text, start) =>
    sql`(${text} collate binary >= ${start} and ${text} collate binary < lapidary_after(${start}))`,
  endsWith: (text, end) =>
    sql`(length(${text}) >= length(${end}) and substr(${text}, length(${text}) - length(${end}) + 1) = ${end})`,
  match: (text, words) => sql`lapidary_match(${text}, ${words})`,
  // Transactions that write take turns.
  lock: sql``,
  // The order of a subquery stays where an aggregate follows that may see it, and an index may have it already; an order
  // of the aggregate's own is always sorted.
  aggregateIds: (id, order, from, where) =>
    sql`(select json_group_array(id) from (select ${id} as id from ${from} where ${where} order by ${order}))`,
  // SQLite evaluates a subquery in FROM once, and makes an index of its own for the lookups in it.
  aggregateIdsByScan: ({ id, order, key, from, where }, here) => sql`coalesce((select ids from
    (select key, json_group_array(id) as ids from (select ${key} as key, ${id} as id from ${from} where ${where}
      order by ${key}, ${order}) group by key) where key = ${here}), '[]')`,
}

function jsonOf(value: BoundValue): string {
  if (typeof value === 'bigint') return String(value)
  const text = JSON.stringify(value)
  // Digits alone are a whole number to SQLite, and those of a large double are not all its own.
  const isLarge = typeof value === 'number' && /^-?\d{16,}$/.test(text)
  return isLarge ? `${text}.0` : text
}
