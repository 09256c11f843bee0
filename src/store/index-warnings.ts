import { type Catalog, findTable } from '../model/catalog.ts'
import {
  findInverse,
  getResourceType,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../model/model.ts'
import { quoteIdentifier } from './quote-identifier.ts'

/** A column by which a relationship finds rows. */
interface KeyColumn {
  /** The path of the relationship, e.g. `person.fields.computers`. */
  readonly path: string
  readonly table: Table
  readonly column: string
}

/**
 * Warns of relationships without an index: to follow one, a database scans the table.
 * @returns a line for each column, with the relationships and the statement that creates the index
 */
export function listIndexWarnings(model: Model, catalog: Catalog): string[] {
  const keys = [...model.types.values()].flatMap((resource) =>
    [...resource.fields.values()].flatMap((field) =>
      field.is === 'relationship' ? listKeyColumns(field, resource, model) : [],
    ),
  )
  const scanned = keys.filter(({ table, column }) => {
    const indexed = findTable(catalog, table)?.indexed
    return indexed !== undefined && !indexed.has(column)
  })
  const byColumn = Map.groupBy(scanned, ({ table, column }) =>
    JSON.stringify([table.schema ?? catalog.schema, table.name, column]),
  )
  return [...byColumn.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const paths = [...new Set(group.map(({ path }) => path))].join(', ')
    const message = `no index begins with the column "${first.column}" of "${first.table.name}", which is scanned to follow the relationship`
    return `${paths}: ${message}; to fix it: ${compileCreateIndex(first, catalog)}`
  })
}

/** Lists the foreign keys of a relationship. The columns that they reference are unique, so they have an index. */
function listKeyColumns(
  field: RelationshipField,
  resource: ResourceType,
  model: Model,
): KeyColumn[] {
  const path = `${resource.type}.fields.${field.name}`
  const { link } = field
  switch (link.foreignKey) {
    case 'other':
      return [{ path, table: getResourceType(model, field.to).table, column: link.otherKey }]
    case 'own': {
      // Only the inverse relationship finds rows by it.
      const hasInverse = findInverse(model, resource, field) !== undefined
      return hasInverse ? [{ path, table: resource.table, column: link.ownKey }] : []
    }
    case 'join table':
      return [link.from, link.to].map((column) => ({ path, table: link.joinTable, column }))
  }
}

function compileCreateIndex({ table, column }: KeyColumn, { dialect, schema }: Catalog): string {
  const name = quoteIdentifier(table.name)
  // Only SQLite requires a name for an index.
  if (dialect === 'sqlite')
    return `create index ${quoteIdentifier(`${table.name}_${column}`)} on ${name} (${quoteIdentifier(column)})`
  const isQualified = table.schema !== undefined && table.schema !== schema
  const qualifiedName = isQualified ? `${quoteIdentifier(table.schema)}.${name}` : name
  return `create index on ${qualifiedName} (${quoteIdentifier(column)})`
}
