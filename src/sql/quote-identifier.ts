import type { Table } from '../model/model.ts'

/** Quotes a name for SQL, as both databases do. Names of declarations and catalogs may contain any character. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Quotes the name of a table, with its schema if one is declared. */
export function quoteTableName({ schema, name }: Table): string {
  const quoted = quoteIdentifier(name)
  return schema === undefined ? quoted : `${quoteIdentifier(schema)}.${quoted}`
}
