import { type Catalog, findTable } from '../model/catalog.ts'
import {
  findInverse,
  getResourceType,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../model/model.ts'

/** A column by which rows are found when a relationship is followed, and where it is declared. */
interface KeyColumn {
  readonly place: string
  readonly table: Table
  readonly column: string
}

/**
 * Warns of the relationships that no index serves: without one, a database scans a whole table whenever it follows them.
 *
 * @returns a line for each column, with the relationships, and the statement that makes the index
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
  return [...byColumn.values()].flatMap((all) => {
    const [first] = all
    if (first === undefined) return []
    const places = [...new Set(all.map(({ place }) => place))].join(', ')
    const says = `no index begins with the column "${first.column}" of "${first.table.name}", which is scanned to follow the relationship`
    return `${places}: ${says}; to mend it: ${createIndex(first, catalog)}`
  })
}

/** By what a relationship finds rows; that the columns it refers to tell rows apart is checked elsewhere. */
function listKeyColumns(
  field: RelationshipField,
  resource: ResourceType,
  model: Model,
): KeyColumn[] {
  const place = `${resource.type}.fields.${field.name}`
  const { link } = field
  switch (link.foreignKey) {
    case 'other':
      return [{ place, table: getResourceType(model, field.to).table, column: link.otherKey }]
    case 'own': {
      // Rows are found by it from the other side alone.
      const isFollowedBack = findInverse(model, resource, field) !== undefined
      return isFollowedBack ? [{ place, table: resource.table, column: link.ownKey }] : []
    }
    case 'join table':
      return [link.from, link.to].map((column) => ({ place, table: link.joinTable, column }))
  }
}

function createIndex({ table, column }: KeyColumn, { dialect, schema }: Catalog): string {
  const name = quotedName(table.name)
  // Only SQLite asks for the name of an index.
  if (dialect === 'sqlite')
    return `create index ${quotedName(`${table.name}_${column}`)} on ${name} (${quotedName(column)})`
  const isElsewhere = table.schema !== undefined && table.schema !== schema
  const whole = isElsewhere ? `${quotedName(table.schema)}.${name}` : name
  return `create index on ${whole} (${quotedName(column)})`
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
