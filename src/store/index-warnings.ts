import { type Catalog, findTable, isIndexed } from '../model/catalog.ts'
import {
  findInverse,
  getResourceType,
  type KeyColumns,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../model/model.ts'
import { quoteIdentifier } from './quote-identifier.ts'

/** A relationship without an index. */
export interface IndexWarning {
  /** The paths of the relationships, e.g. `person.fields.computers`. */
  readonly paths: readonly string[]
  readonly message: string
  /** The statement that creates the index. */
  readonly fix: string
}

/** The columns by which a relationship finds rows. */
interface ForeignKeyColumns {
  /** The path of the relationship, e.g. `person.fields.computers`. */
  readonly path: string
  readonly table: Table
  readonly columns: KeyColumns
}

/**
 * Warns of relationships without an index: to follow one, a database scans the table.
 * @returns a warning for each key
 */
export function listIndexWarnings(model: Model, catalog: Catalog): IndexWarning[] {
  const keys = [...model.types.values()].flatMap((resource) =>
    [...resource.fields.values()].flatMap((field) =>
      field.is === 'relationship' ? listKeyColumns(field, resource, model) : [],
    ),
  )
  const scanned = keys.filter(({ table, columns }) => {
    const stored = findTable(catalog, table)
    return stored?.indexes !== undefined && !isIndexed(stored, columns)
  })
  const byColumns = Map.groupBy(scanned, ({ table, columns }) =>
    JSON.stringify([table.schema ?? catalog.schema, table.name, columns]),
  )
  return [...byColumns.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const paths = [...new Set(group.map(({ path }) => path))]
    const names = first.columns.map((column) => `"${column}"`).join(', ')
    const label = first.columns.length === 1 ? 'column' : 'columns'
    const message = `no index begins with the ${label} ${names} of "${first.table.name}", which is scanned to follow the relationship`
    return { paths, message, fix: compileCreateIndex(first, catalog) }
  })
}

/** Formats a warning as a line of `verify`. */
export function formatIndexWarning({ paths, message, fix }: IndexWarning): string {
  return `${paths.join(', ')}: ${message}; to fix it: ${fix}`
}

/** Lists the foreign keys of a relationship. The columns that they reference are unique, so they have an index. */
function listKeyColumns(
  field: RelationshipField,
  resource: ResourceType,
  model: Model,
): ForeignKeyColumns[] {
  const path = `${resource.type}.fields.${field.name}`
  const { link } = field
  switch (link.foreignKey) {
    case 'other':
      return [{ path, table: getResourceType(model, field.to).table, columns: link.otherKey }]
    case 'own': {
      // Only the inverse relationship finds rows by it.
      const hasInverse = findInverse(model, resource, field) !== undefined
      return hasInverse ? [{ path, table: resource.table, columns: link.ownKey }] : []
    }
    case 'join table':
      return [link.from, link.to].map((columns) => ({ path, table: link.joinTable, columns }))
  }
}

/** What an index is on: columns, or an expression over one. */
interface IndexedColumns {
  readonly table: Table
  readonly columns: readonly string[]
  /** SQL; the columns themselves if absent. */
  readonly expression?: string
}

/** Writes the statement that creates an index. */
export function compileCreateIndex(
  { table, columns, expression }: IndexedColumns,
  { dialect, schema }: Catalog,
): string {
  const name = quoteIdentifier(table.name)
  const list = expression ?? columns.map(quoteIdentifier).join(', ')
  // Only SQLite requires a name for an index.
  if (dialect === 'sqlite')
    return `create index ${quoteIdentifier([table.name, ...columns].join('_'))} on ${name} (${list})`
  const isQualified = table.schema !== undefined && table.schema !== schema
  const qualifiedName = isQualified ? `${quoteIdentifier(table.schema)}.${name}` : name
  return `create index on ${qualifiedName} (${list})`
}
