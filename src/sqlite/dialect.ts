import { sql } from 'kysely'
import type { BoundValue, Dialect, Sql } from '../model/dialect.ts'
import { nameColumns } from '../sql/keys/keys.ts'
import { and } from '../sql/tables.ts'
import { toGlobPattern } from './connection/patterns.ts'
import { sqlite } from './database.ts'

const contains = (text: Sql, part: Sql) => sql`instr(${text}, ${part}) > 0`

/** The SQL dialect of SQLite. The functions `lapidary_…` are in `functions.ts`. */
export const sqliteDialect: Dialect = {
  ...sqlite,
  nullSafeEquals: (left, right) => sql`${left} is ${right}`,
  bindList: (values) => `[${values.map(toJson).join(',')}]`,
  inList: (left, list) => sql`${left} in (select value from json_each(${list}))`,
  bindRows: (rows) => `[${rows.map((values) => `[${values.map(toJson).join(',')}]`).join(',')}]`,
  selectRows: ([list], width) =>
    sql`select ${sql.join(listElements(width))} from json_each(${list})`,
  hideColumn: (column) => sql`+${column}`,
  // Unlike a list, it keeps the rows in the order of the index that finds them.
  equalsSubquery: (left, subquery) => sql`${left} is (${subquery})`,
  // A driver returns doubles exactly, but not integers beyond 2^53, nor texts that are not UTF-8. A text of other programs may contain
  // U+0000, at which `substr` ends, but not that of its bytes; that of no bytes is null, which `concat` omits.
  selectKeyValue: (key, isFull) => {
    const text = isFull
      ? sql`'x' || hex(${key})`
      : sql`concat('u', substr(cast(${key} as blob), 1, 513))`
    const blob = isFull ? key : sql`substr(${key}, 1, 513)`
    return sql`case typeof(${key}) when 'text' then ${text} when 'integer' then 'i' || ${key} when 'blob' then 'b' || hex(${blob}) else ${key} end`
  },
  versionOf: (columns) => joinTexts(columns.map((column) => sql`quote(${column})`)),
  bindKeyValue,
  exact: (text) => text,
  foldCase: (text) => sql`lapidary_fold(${text})`,
  contains,
  patterns: {
    bind: (pattern) => (pattern.is === 'like' ? toGlobPattern(pattern) : pattern),
    // A number is a registered pattern, a text a pattern of GLOB.
    write: (is, text, pattern) =>
      is === 'like'
        ? sql`iif(typeof(${pattern}) = 'text', ${text} glob ${pattern}, lapidary_matches(${text}, ${pattern}))`
        : sql`lapidary_matches(${text}, ${pattern})`,
  },
  // The pattern is the value of another column.
  like: (text, pattern) =>
    sql`iif(instr(${pattern}, '%') = 0, ${contains(text, pattern)}, lapidary_like(${text}, ${pattern}))`,
  // An index finds a range.
  startsWith: (text, start) =>
    sql`(${text} collate binary >= ${start} and ${text} collate binary < lapidary_after(${start}))`,
  endsWith: (text, end) =>
    sql`(length(${text}) >= length(${end}) and substr(${text}, length(${text}) - length(${end}) + 1) = ${end})`,
  match: (text, words) => sql`lapidary_match(${text}, ${words})`,
  now: sql`strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')`,
  // SQLite keeps the order of a subquery for an aggregate that may depend on it, and may take it from an index. An order in the
  // aggregate itself is always sorted.
  aggregateIds: ({ id, order, from, where }) =>
    sql`(select json_group_array(id) from (select ${id} as id from ${from} where ${where} order by ${sql.join(order)}))`,
  // SQLite evaluates a subquery in FROM once, and builds an automatic index for the lookups in it.
  aggregateIdsByScan: ({ id, order, key, from, where }, here) => {
    const { names, select } = nameColumns('key', key)
    const isHere = and(names.map((name, index) => sql`${name} = ${here[index]}`))
    return sql`coalesce((select ids from
    (select ${sql.join(names)}, json_group_array(id) as ids from (select ${select}, ${id} as id from ${from} where ${where}
      order by ${sql.join([...key, ...order])}) group by ${sql.join(names)}) where ${isHere}), '[]')`
  },
}

/** Compiles the elements of an array that is the value of a row of `json_each`. */
function listElements(width: number): Sql[] {
  return Array.from(
    { length: width },
    (_, index) => sql`value ->> ${sql.lit(index)} as ${sql.id(`id${index}`)}`,
  )
}

/** A function has at most 127 arguments, or 1,000 in later releases. */
const maxTexts = 100

function joinTexts(texts: readonly Sql[]): Sql {
  const groups = Array.from({ length: Math.ceil(texts.length / maxTexts) }, (_, index) =>
    texts.slice(index * maxTexts, (index + 1) * maxTexts),
  )
  const joined = groups.map((group) => sql`concat_ws(',', ${sql.join(group)})`)
  const [first] = joined
  return first !== undefined && joined.length === 1 ? first : joinTexts(joined)
}

/** Integers with this many characters are below 2^53; to bind a number is faster than to bind a bigint. */
const safeLength = 15

function bindKeyValue(value: string | number): BoundValue {
  if (typeof value === 'number') return value
  const rest = value.slice(1)
  const [letter] = value
  if (letter === 'u' || letter === 't') return rest
  if (letter === 'b' || letter === 'x') return Buffer.from(rest, 'hex')
  return rest.length <= safeLength ? Number(rest) : BigInt(rest)
}

function toJson(value: BoundValue): string {
  if (typeof value === 'bigint') return String(value)
  const text = JSON.stringify(value)
  // SQLite reads digits without a point as an integer, which may differ from a large double.
  const isLargeInteger = typeof value === 'number' && /^-?\d{16,}$/.test(text)
  return isLargeInteger ? `${text}.0` : text
}
