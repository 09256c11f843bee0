import { type Catalog, findTable, type StoredTable } from './catalog.ts'
import { findColumnErrors, formatColumn } from './check-columns.ts'
import { describeMissingTable } from './check-relationships.ts'
import type { AttributeField } from './model.ts'

/** Compares the text index of an attribute with the database. */
export function findTextIndexErrors(
  { match, column }: AttributeField,
  location: string,
  table: StoredTable,
  catalog: Catalog,
): string[] {
  if (match === undefined || column === undefined) return []
  if (catalog.dialect === 'sqlite')
    return match.fts === undefined
      ? []
      : findFtsErrors(match.fts, column, { location, table, catalog })
  if (match.tsvector === undefined) return []
  const position = `${location}.tsvector`
  const errors = findColumnErrors({ location: position, column: match.tsvector }, table)
  const type = table.columns.get(match.tsvector)?.type
  return errors.length > 0 || type === 'tsvector'
    ? errors
    : [
        `${position}: ${formatColumn(match.tsvector, table)} has the type "${type}"; it must be tsvector`,
      ]
}

function findFtsErrors(
  name: string,
  column: string,
  {
    location,
    table,
    catalog,
  }: Readonly<{ location: string; table: StoredTable; catalog: Catalog }>,
): string[] {
  const position = `${location}.fts`
  if (table.is === 'view')
    return [`${position}: the rows of the view "${table.name}" have no numbers`]
  const index = findTable(catalog, { schema: undefined, name })
  return index === undefined
    ? [describeMissingTable(position, { schema: undefined, name }, catalog)]
    : findColumnErrors({ location: position, column }, index)
}
