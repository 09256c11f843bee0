import { suggest } from '../../errors/suggestion.ts'
import { type Catalog, findTable, isUnique, type StoredTable } from '../catalog.ts'
import type { Database } from '../database.ts'
import type { Codec } from '../kinds/codecs.ts'
import type { Kind } from '../kinds/kinds.ts'
import {
  type Field,
  findInverse,
  getResourceType,
  isSameKey,
  type KeyColumns,
  type Link,
  listKeptColumns,
  listStoredColumns,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../model.ts'
import { isWrittenByCreates } from '../written-fields.ts'
import {
  type ColumnReference,
  findColumnErrors,
  findGeneratedColumnErrors,
  findNullableErrors,
  findUnfilledColumns,
  formatColumn,
  formatColumns,
} from './check-columns.ts'
import { findViewErrors } from './check-writes.ts'

/** The declarations and the database that they are compared with. */
export interface CheckContext {
  readonly model: Model
  readonly catalog: Catalog
  readonly database: Database
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
  { model, catalog, database }: CheckContext,
): string[] {
  const location = `${resource.type}.fields.${field.name}`
  const target = getResourceType(model, field.to)
  const immutableErrors = findImmutableErrors(field, resource, model)
  if (immutableErrors.length > 0) return immutableErrors
  const otherTable = findTable(catalog, target.table)
  // A missing table is reported once, for its own resource type.
  if (otherTable === undefined) return []
  const own: Side = { resource, table: ownTable }
  const other: Side = { resource: target, table: otherTable }
  const { link } = field
  if (link.foreignKey !== 'join table')
    return findForeignKeyErrors({ field, link, location }, own, other, database)
  const codecs = {
    from: link.ownKey.map((column) => findReadCodec(column, own, database)),
    to: link.otherKey.map((column) => findReadCodec(column, other, database)),
  }
  return findJoinTableErrors({ field, link, location }, codecs, { model, catalog, database })
}

/** A write of the other side would change an immutable field of resources that exist. */
function findImmutableErrors(
  field: RelationshipField,
  resource: ResourceType,
  model: Model,
): string[] {
  if (!field.isWritable) return []
  const { link } = field
  const target = getResourceType(model, field.to)
  const kept = listKeptColumns(target)
  const written = link.otherKey.filter((column) => !kept.includes(column))
  const changed = [...target.fields.values()].filter(
    (other) =>
      link.foreignKey === 'other' &&
      listStoredColumns(other).some((column) => written.includes(column)),
  )
  const inverse = findInverse(model, resource, field)
  const immutable = [...(inverse ? [inverse] : []), ...changed].find(isKept)
  if (immutable === undefined) return []
  const reason = immutable.set ? 'which the server sets' : 'which is immutable'
  return [
    `${resource.type}.fields.${field.name}.access: writes would change ${field.to}.fields.${immutable.name}, ${reason}; set access: "read-only"`,
  ]
}

/** Whether no update may change a field: it is immutable, or the server sets it and clients cannot write it. */
function isKept(field: Field): field is Exclude<Field, { is: 'computed' }> {
  if (field.is === 'computed') return false
  return field.isImmutable || (field.set !== undefined && !field.isWritable)
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
  database: Database,
): string[] {
  const isOwn = link.foreignKey === 'own'
  const [holder, foreignKey] = isOwn ? [own, link.ownKey] : [other, link.otherKey]
  const [referenced, references] = isOwn ? [other, link.otherKey] : [own, link.ownKey]
  const columnErrors = foreignKey.flatMap((column, index) => {
    const referencedColumn = references[index] ?? ''
    const codec = findReadCodec(referencedColumn, referenced, database)
    const reference = { location: `${location}.references`, column: referencedColumn }
    return [
      ...findColumnErrors(
        { location: `${location}.column`, column, codec },
        holder.table,
        database,
      ),
      ...findColumnErrors(reference, referenced.table),
    ]
  })
  if (columnErrors.length > 0) return columnErrors
  // A required relationship may have nulls of other programs; only `nullable: false` is a promise about the columns.
  if (isOwn && !field.acceptsNull && !field.required) {
    const nullableErrors = foreignKey.flatMap((column) =>
      findNullableErrors(`${location}.nullable`, column, own.table),
    )
    if (nullableErrors.length > 0) return nullableErrors
  }
  const isId = isSameKey(references, referenced.resource.id.columns)
  const isWritable = field.isWritable && !isId
  const referenceErrors =
    referenced.table.is === 'table'
      ? findReferenceErrors(references, referenced.table, { location, isWritable })
      : []
  if (referenceErrors.length > 0) return referenceErrors
  const mustBeUnique = !isOwn && !field.many && holder.table.is === 'table'
  if (mustBeUnique && !isUnique(holder.table, foreignKey)) {
    const are = foreignKey.length === 1 ? 'is not unique' : 'are not unique together'
    return [
      `${location}.column: ${formatColumns(foreignKey, holder.table)} ${are}, so there can be several related resources; use toMany`,
    ]
  }
  if (!isWrittenByCreates(field)) return []
  const viewErrors = findViewErrors(`${location}.access`, holder.table, ['update'])
  return viewErrors.length > 0
    ? viewErrors
    : foreignKey.flatMap((column) => findGeneratedColumnErrors(location, column, holder.table))
}

/** Checks referenced columns: they must be unique together, and not nullable if the relationship is writable. */
function findReferenceErrors(
  columns: KeyColumns,
  table: StoredTable,
  { location, isWritable }: Readonly<{ location: string; isWritable: boolean }>,
): string[] {
  if (!isUnique(table, columns)) {
    const are = columns.length === 1 ? 'is not unique' : 'are not unique together'
    return [`${location}.references: ${formatColumns(columns, table)} ${are}`]
  }
  const nullable = columns.find((column) => table.columns.get(column)?.nullable)
  return isWritable && nullable !== undefined
    ? [
        `${location}.references: ${formatColumn(nullable, table)} is nullable, and a row with null cannot be linked; set access: "read-only"`,
      ]
    : []
}

/**
 * Returns the codec with which a type reads one of its columns. `undefined` if no field reads it, or if the column cannot
 * store such values: that is reported where the column is declared, not for every foreign key that references it.
 */
function findReadCodec(
  column: string,
  { resource: { id, fields }, table }: Side,
  database: Database,
): Codec | undefined {
  const attributes = [...fields.values()].filter((field) => field.is === 'attribute')
  const readers: readonly Readonly<{ column: string | undefined; kind: Kind<unknown> }>[] = [
    ...id.parts,
    ...attributes,
  ]
  const codec = readers.find((reader) => reader.column === column)?.kind.codec
  const errors = findColumnErrors({ location: '', column, codec }, table, database)
  return errors.length === 0 ? codec : undefined
}

function findJoinTableErrors(
  { field, link, location }: LinkDeclaration<'join table'>,
  codecs: Readonly<Record<'from' | 'to', readonly (Codec | undefined)[]>>,
  { catalog, database }: CheckContext,
): string[] {
  const { from, to, joinTable } = link
  const table = findTable(catalog, joinTable)
  if (table === undefined)
    return [describeMissingTable(`${location}.through.table`, joinTable, catalog)]
  const toReferences = (side: 'from' | 'to') =>
    link[side].map((column, index): ColumnReference => {
      return { location: `${location}.through.${side}`, column, codec: codecs[side][index] }
    })
  const references = [...toReferences('from'), ...toReferences('to')]
  const errors = references.flatMap((each) => findColumnErrors(each, table, database))
  if (errors.length > 0 || !field.isWritable) return errors
  const viewErrors = findViewErrors(`${location}.access`, table, ['insert', 'delete'])
  if (viewErrors.length > 0) return viewErrors
  return findUnfilledColumns(table, [...from, ...to]).map(
    (name) =>
      `${location}.through: no row can be inserted, because ${formatColumn(name, table)} must not be null and has no default; set access: "read-only"`,
  )
}
