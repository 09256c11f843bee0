/** What a condition of PostgreSQL holds beside its words: texts, which stay, and types and brackets, which say nothing here. */
const notation =
  /('(?:[^']|'')*')|::(?:"(?:[^"]|"")*"|\w+(?: varying)?)(?:\."(?:[^"]|"")*"|\.\w+)?(?:\(\d+\))?(?:\[\])?|[()]/g

/** What `in ('a', 'b')`, which may be null besides, and `= 'a'` are then, behind the name of a column. */
const listing = /^ = (?:ANY ARRAY\[(.*)\]|('(?:[^']|'')*'))$/s
const texts = /'(?:[^']|'')*'/g

/**
 * The values of a check constraint that lists them, PostgreSQL's other way to an enumeration.
 * @param check - a condition as `pg_get_expr` writes it, e.g. `((state)::text = ANY ((ARRAY['open'::text])::text[]))`
 * @param column - the one column that it is about; the condition of a domain calls it `VALUE`
 * @returns `undefined` when the condition says anything else
 */
export function parseListedValues(check: string, column: string): string[] | undefined {
  const bare = check.replace(notation, (_, text = '') => text)
  for (const name of ['VALUE', column, `"${column.replaceAll('"', '""')}"`]) {
    const isNull = `${name} IS NULL OR `
    const rest = bare.startsWith(isNull) ? bare.slice(isNull.length) : bare
    const [, list, single] = (rest.startsWith(name) && listing.exec(rest.slice(name.length))) || []
    const all = list ?? single
    // A list of texts holds nothing beside them.
    if (all === undefined || all.replace(texts, '').replaceAll(', ', '') !== '') continue
    return all.match(texts)?.map((text) => text.slice(1, -1).replaceAll("''", "'"))
  }
  return undefined
}
