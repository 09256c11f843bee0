import { suggest } from '../errors/suggestion.ts'
import { type Catalog, findTable, isUnique, type StoredTable } from './catalog.ts'
import {
  type ColumnReference,
  describeColumn,
  findColumnErrors,
  findGeneratedColumnErrors,
  findUnfilledColumns,
} from './check-columns.ts'
import { findViewErrors } from './check-writes.ts'
import type { Codec } from './codecs.ts'
import type { DialectName } from './dialect.ts'
import {
  getResourceType,
  type Link,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from './model.ts'

/** The declarations and the database that they are compared with. */
export interface CheckContext {
  readonly model: Model
  readonly catalog: Catalog
}

/** Writes the error that a table does not exist, with the tables that do. */
export function describeMissingTable(
  location: string,
  { schema, name }: Table,
  catalog: Catalog,
): string {
  const tables = catalog.tables.filter((table) => table.schema === (schema ?? catalog.schema))
  const hint = suggest(
    name,
    tables.map((table) => table.name),
    'tables',
  )
  const container = schema === undefined ? 'the database' : `the schema "${schema}"`
  return `${location}: ${container} has no table "${name}"; ${hint}`
}

/** Compares a relationship with the tables on both sides and with its join table. */
export function findRelationshipErrors(
  field: RelationshipField,
  resource: ResourceType,
  ownTable: StoredTable,
  { model, catalog }: CheckContext,
): string[] {
  const location = `${resource.type}.fields.${field.name}`
  const target = getResourceType(model, field.to)
  const otherTable = findTable(catalog, target.table)
  // A missing table is reported once, for its own resource type.
  if (otherTable === undefined) return []
  const own: Side = { resource, table: ownTable }
  const other: Side = { resource: target, table: otherTable }
  const { link } = field
  if (link.foreignKey !== 'join table')
    return findForeignKeyErrors({ field, link, location }, own, other, catalog)
  const codecs = {
    from: findCodec(link.ownKey, own, catalog.dialect),
    to: findCodec(link.otherKey, other, catalog.dialect),
  }
  return findJoinTableErrors({ field, link, location }, codecs, catalog)
}

/** One side of a relationship. */
interface Side {
  readonly resource: ResourceType
  readonly table: StoredTable
}

/** A relationship, its link, and the path of its declaration. */
interface LinkDeclaration<Key extends Link['foreignKey']> {
  readonly field: RelationshipField
  readonly link: Extract<Link, { foreignKey: Key }>
  readonly location: string
}

function findForeignKeyErrors(
  { field, link, location }: LinkDeclaration<'own' | 'other'>,
  own: Side,
  other: Side,
  { dialect }: Catalog,
): string[] {
  const isOwn = link.foreignKey === 'own'
  const [holder, foreignKey] = isOwn ? [own, link.ownKey] : [other, link.otherKey]
  const [referenced, column] = isOwn ? [other, link.otherKey] : [own, link.ownKey]
  const key = {
    location: `${location}.column`,
    column: foreignKey,
    codec: findCodec(column, referenced, dialect),
  }
  const reference = { location: `${location}.references`, column }
  const columnErrors = [
    ...findColumnErrors(key, holder.table, dialect),
    ...findColumnErrors(reference, referenced.table),
  ]
  if (columnErrors.length > 0) return columnErrors
  const isId = column === referenced.resource.id.column
  const referenceErrors =
    referenced.table.is === 'table'
      ? findReferenceErrors(reference, referenced.table, field.isWritable && !isId)
      : []
  if (referenceErrors.length > 0) return referenceErrors
  const mustBeUnique = !isOwn && !field.many && holder.table.is === 'table'
  if (mustBeUnique && !isUnique(holder.table, foreignKey))
    return [
      `${key.location}: ${describeColumn(foreignKey, holder.table)} is not unique, so there can be several related resources; use toMany`,
    ]
  return field.isWritable ? findGeneratedColumnErrors(location, foreignKey, holder.table) : []
}

/** Checks a referenced column: it must be unique, and not nullable if the relationship is writable. */
function findReferenceErrors(
  { location, column }: ColumnReference,
  table: StoredTable,
  isWritable: boolean,
): string[] {
  const name = describeColumn(column, table)
  if (!isUnique(table, column)) return [`${location}: ${name} is not unique`]
  return isWritable && table.columns.get(column)?.nullable
    ? [
        `${location}: ${name} is nullable, and a row with null cannot be linked; set access: "read-only"`,
      ]
    : []
}

/**
 * Returns the codec with which a type reads one of its columns. `undefined` if no field reads it, or if the column cannot
 * store such values: that is reported where the column is declared, not for every foreign key that references it.
 */
function findCodec(
  column: string,
  { resource: { id, fields }, table }: Side,
  dialect: DialectName,
): Codec | undefined {
  const reader = [id, ...fields.values()].find(
    (field) => field.is === 'attribute' && field.column === column,
  )
  const codec = reader?.is === 'attribute' ? reader.kind.codec : undefined
  const errors = findColumnErrors({ location: '', column, codec }, table, dialect)
  return errors.length === 0 ? codec : undefined
}

function findJoinTableErrors(
  { field, link, location }: LinkDeclaration<'join table'>,
  codecs: Readonly<Record<'from' | 'to', Codec | undefined>>,
  catalog: Catalog,
): string[] {
  const { from, to, joinTable } = link
  const table = findTable(catalog, joinTable)
  if (table === undefined)
    return [describeMissingTable(`${location}.through.table`, joinTable, catalog)]
  const references: ColumnReference[] = [
    { location: `${location}.through.from`, column: from, codec: codecs.from },
    { location: `${location}.through.to`, column: to, codec: codecs.to },
  ]
  const errors = references.flatMap((each) => findColumnErrors(each, table, catalog.dialect))
  if (errors.length > 0 || !field.isWritable) return errors
  const viewErrors = findViewErrors(`${location}.access`, table, ['insert', 'delete'])
  if (viewErrors.length > 0) return viewErrors
  return findUnfilledColumns(table, [from, to]).map(
    (name) =>
      `${location}.through: no row can be inserted, because ${describeColumn(name, table)} must not be null and has no default; set access: "read-only"`,
  )
}
