const value = /[-+]?[\d.]+(?:e[-+]?\d+)?|'(?:[^']|'')*'|true|false|null/
const type = /::[\w ."]+(?:\(\d+(?:, ?\d+)?\))?/
const literal = new RegExp(`^\\(?(?:${value.source})\\)?(?:${type.source})*$`, 'i')

/**
 * True if the SQL of a default is one value, such as `0` or `''::character varying`, and no function, such as `nextval('s'::regclass)`.
 * @param defaultSql - as the catalog of the database writes it; null without a default
 */
export function isLiteral(defaultSql: unknown): boolean {
  return typeof defaultSql === 'string' && literal.test(defaultSql)
}
