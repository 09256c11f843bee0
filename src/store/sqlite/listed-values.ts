/**
 * Parses the values of `check (column in ('a', 'b'))`, SQLite's form of an enumeration.
 * @param table - the `create table` statement
 * @returns `undefined` when the table has no such check of the column
 */
export function parseListedValues(table: string, column: string): string[] | undefined {
  const name = column.replace(/[^\w]/g, '\\$&')
  const list = new RegExp(
    `check\\s*\\(\\s*["\`[]?${name}["\`\\]]?\\s+in\\s*\\(((?:\\s*'(?:[^']|'')*'\\s*,?)+)\\)\\s*\\)`,
    'i',
  ).exec(table)?.[1]
  const values = list?.match(/'(?:[^']|'')*'/g)
  return values?.map((value) => value.slice(1, -1).replaceAll("''", "'"))
}
