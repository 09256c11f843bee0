/** Quotes a name for SQL, as both databases do. Names of declarations and catalogs may contain any character. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
