import { quoteIdentifier } from '../quote-identifier.ts'

/** Matches texts, which are kept, and casts and brackets, which are removed. */
const castsAndBrackets =
  /('(?:[^']|'')*')|::(?:"(?:[^"]|"")*"|\w+(?: varying)?)(?:\."(?:[^"]|"")*"|\.\w+)?(?:\(\d+\))?(?:\[\])?|[()]/g

/** What remains of `in ('a', 'b')` and of `= 'a'` behind the name of the column. */
const listPattern = /^ = (?:ANY ARRAY\[(.*)\]|('(?:[^']|'')*'))$/s
const texts = /'(?:[^']|'')*'/g

/**
 * Parses the values of a check constraint that lists them, like an enumeration.
 * @param check - the condition from `pg_get_expr`, e.g. `((state)::text = ANY ((ARRAY['open'::text])::text[]))`
 * @param column - the only column of the constraint; in the condition of a domain it is called `VALUE`
 * @returns `undefined` for any other condition
 */
export function parseListedValues(check: string, column: string): string[] | undefined {
  const bare = check.replace(castsAndBrackets, (_, text = '') => text)
  for (const name of ['VALUE', column, quoteIdentifier(column)]) {
    const isNull = `${name} IS NULL OR `
    const rest = bare.startsWith(isNull) ? bare.slice(isNull.length) : bare
    const [, list, single] =
      (rest.startsWith(name) && listPattern.exec(rest.slice(name.length))) || []
    const all = list ?? single
    // The list must contain only texts.
    if (all === undefined || all.replace(texts, '').replaceAll(', ', '') !== '') continue
    return all.match(texts)?.map((text) => text.slice(1, -1).replaceAll("''", "'"))
  }
  return undefined
}
