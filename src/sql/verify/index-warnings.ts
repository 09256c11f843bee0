import { quoteNames } from '../../errors/quote.ts'
import { type Catalog, findTable, isIndexed } from '../../model/catalog.ts'
import {
  findInverse,
  getResourceType,
  type KeyColumns,
  type Link,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import type { IndexLookup } from '../database-facts.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { compileCreateIndex, type IndexContext } from './create-index.ts'

/** A relationship without an index. */
export interface IndexWarning {
  /** The paths of the relationships, e.g. `person.fields.computers`. */
  readonly paths: readonly string[]
  readonly message: string
  /** The statement that creates the index. */
  readonly fix: string
  /** What it is on. */
  readonly key: Readonly<{ table: Table; columns: KeyColumns }>
}

/** The columns by which a relationship finds rows. */
interface ForeignKeyColumns {
  /** The path of the relationship, e.g. `person.fields.computers`. */
  readonly path: string
  readonly table: Table
  readonly columns: KeyColumns
  /** By which the columns are compared; `undefined` for their own. */
  readonly collations: readonly (string | undefined)[]
}

/**
 * Warns of relationships without an index: to follow one, a database scans the table.
 * @returns a warning for each key
 */
export function listIndexWarnings(model: Model, context: IndexContext): IndexWarning[] {
  const { catalog } = context
  const scanned = listForeignKeys(model).filter(({ table, columns, collations }) => {
    const stored = findTable(catalog, table)
    return stored?.indexes !== undefined && !isIndexed(stored, columns) && !isCollated(collations)
  })
  return groupByColumns(scanned, catalog).map(([first, paths]) => {
    const names = quoteNames(first.columns)
    const label = first.columns.length === 1 ? 'column' : 'columns'
    const message = `no index begins with the ${label} ${names} of "${first.table.name}", which is scanned to follow the relationship`
    const { table, columns } = first
    const keys = columns.map((column) => ({ column }))
    return {
      paths,
      message,
      fix: compileCreateIndex({ table, keys }, context),
      key: { table, columns },
    }
  })
}

/**
 * Warns of relationships whose foreign key is compared by another collation than its own, and has no index of this collation.
 * @param hasIndex - whether columns are the first of an index of some collations
 */
export function listCollationWarnings(
  model: Model,
  context: IndexContext,
  hasIndex: IndexLookup,
): IndexWarning[] {
  const scanned = listForeignKeys(model).filter(
    ({ table, columns, collations }) =>
      isCollated(collations) && !hasIndex(table, columns, collations),
  )
  return groupByColumns(scanned, context.catalog).map(([{ table, columns, collations }, paths]) => {
    const names = quoteNames(columns)
    const used = [...new Set(collations.filter((each) => each !== undefined))]
    const message = `${names} of "${table.name}" is compared by the collation ${used.join(' and ')} of what it references, and no index has it, so the table is scanned to follow the relationship`
    const keys = columns.map((column, index) => ({
      column,
      sql: formatCollated(quoteIdentifier(column), collations[index]),
    }))
    const indexed = { table, keys }
    return { paths, message, fix: compileCreateIndex(indexed, context), key: { table, columns } }
  })
}

function formatCollated(column: string, collation: string | undefined): string {
  return collation === undefined ? column : `${column} collate ${collation}`
}

function isCollated(collations: readonly (string | undefined)[]): boolean {
  return collations.some((each) => each !== undefined)
}

function listForeignKeys(model: Model): ForeignKeyColumns[] {
  return [...model.types.values()].flatMap((resource) =>
    listRelationships(resource).flatMap((field) => listKeyColumns(field, resource, model)),
  )
}

/** Groups foreign keys with the same columns. @returns one of each group, and the paths of all */
function groupByColumns(
  keys: readonly ForeignKeyColumns[],
  catalog: Catalog,
): (readonly [ForeignKeyColumns, readonly string[]])[] {
  const byColumns = Map.groupBy(keys, ({ table, columns }) =>
    JSON.stringify([table.schema ?? catalog.schema, table.name, columns]),
  )
  return [...byColumns.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [[first, [...new Set(group.map(({ path }) => path))]]]
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
      return [{ path, ...keyOf('otherKey', getResourceType(model, field.to).table, link) }]
    case 'own': {
      // Only the inverse relationship finds rows by it.
      const hasInverse = findInverse(model, resource, field) !== undefined
      return hasInverse ? [{ path, ...keyOf('ownKey', resource.table, link) }] : []
    }
    case 'join table':
      return (['from', 'to'] as const).map((key) => ({
        path,
        table: link.joinTable,
        columns: link[key],
        collations: link.collations?.[key] ?? [],
      }))
  }
}

function keyOf(
  key: 'ownKey' | 'otherKey',
  table: Table,
  link: Link,
): Omit<ForeignKeyColumns, 'path'> {
  return { table, columns: link[key], collations: link.collations?.[key] ?? [] }
}
