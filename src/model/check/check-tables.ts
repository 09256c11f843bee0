import { quoteNames } from '../../errors/quote.ts'
import { listNames } from '../../errors/suggestion.ts'
import {
  type Catalog,
  findStoredColumn,
  findTable,
  isUnique,
  type StoredColumn,
  type StoredTable,
} from '../catalog.ts'
import type { Database } from '../database.ts'
import { idempotencyTable, idempotencyTableName } from '../idempotency-table.ts'
import { getCodec } from '../kinds/codecs.ts'
import { type Kind, kinds } from '../kinds/kinds.ts'
import { integer64 } from '../kinds/parametric-kinds.ts'
import type { AttributeField, Field, Model, ResourceType } from '../model.ts'
import {
  type ColumnReference,
  findCodecErrors,
  findColumnErrors,
  findNullableErrors,
  findOperatorErrors,
  formatColumn,
  formatColumns,
  listColumns,
} from './check-columns.ts'
import {
  type CheckContext,
  describeMissingTable,
  findRelationshipErrors,
} from './check-relationships.ts'
import { findWriteErrors, listFilledColumns } from './check-writes.ts'
import { throwDeclarationErrors } from './declaration-error.ts'

/**
 * Checks that the tables of a database match a model.
 * @throws DeclarationError with one line per error, each starting with the path to the wrong option
 */
export function checkStoredTables(model: Model, catalog: Catalog, database: Database): void {
  throwDeclarationErrors([
    ...[...model.types.values()].flatMap((resource) =>
      findResourceErrors(resource, { model, catalog, database }),
    ),
    ...findKeyTableErrors(model, catalog),
  ])
}

/** A model that names principals, or requires keys, needs the table of keys. */
function findKeyTableErrors({ idempotency, types }: Model, catalog: Catalog): string[] {
  const requiring = [...types.values()].find(
    ({ requiresIdempotencyKey, actions }) =>
      requiresIdempotencyKey ||
      [...actions.values()].some((each) => each.idempotency === 'required'),
  )
  if (idempotency.principal === undefined && requiring === undefined) return []
  if (findTable(catalog, { schema: undefined, name: idempotencyTableName })) return []
  const location = requiring ? `${requiring.type}.idempotency` : 'options.principal'
  return [
    `${location}: the database has no table "${idempotencyTableName}"; create it, by a migration or another tool: ${idempotencyTable.replaceAll(/\s+/g, ' ').trim()}`,
  ]
}

function findResourceErrors(resource: ResourceType, context: CheckContext): string[] {
  const { catalog, database } = context
  const table = findTable(catalog, resource.table)
  if (table === undefined)
    return [describeMissingTable(`${resource.type}.table`, resource.table, catalog)]
  if (table.error !== undefined)
    return [`${resource.type}.table: "${table.name}" cannot be read: ${table.error}`]
  const errors = [
    ...findIdErrors(resource, table, database),
    ...findExpressionErrors(resource, table),
    ...findSoftDeleteErrors(resource, table, database),
    ...findVersionErrors(resource, table, database),
    ...[...resource.fields.values()].flatMap((field) =>
      findFieldErrors(field, resource, table, context),
    ),
  ]
  // Errors of writes are reported only if all columns that are read exist.
  return errors.length > 0 || !resource.isWritable ? errors : findWriteErrors(resource, table)
}

function findIdErrors(resource: ResourceType, table: StoredTable, database: Database): string[] {
  const { type, id, ids, isWritable } = resource
  const location = `${type}.id`
  const isComposite = id.parts.length > 1
  const errors = id.parts.flatMap(({ column, kind }) => [
    ...findColumnErrors({ location, column, codec: kind.codec, notNull: true }, table, database),
    ...findPartErrors(kind, { location, stored: findStoredColumn(table, column), database }),
  ])
  if (errors.length > 0 || table.is === 'view') return errors
  if (!isUnique(table, id.columns)) {
    const are = isComposite ? 'are not unique together' : 'is not unique'
    return [
      `${location}: ${formatColumns(id.columns, table)} ${are}; ${listUniqueKeys(table, isComposite)}`,
    ]
  }
  // A trigger may set it.
  if (table.triggers?.changes.has('insert')) return []
  const isProvided = ids.fromClient === 'required' || ids.generatedBy === 'server' || !isWritable
  if (isProvided) return []
  const filled = isComposite ? listFilledColumns(resource) : []
  const missing = id.columns.find(
    (column) => !filled.includes(column) && !findStoredColumn(table, column)?.hasDefault,
  )
  if (missing === undefined) return []
  const remedy = `set client: "required"${isComposite ? ', or declare a field that writes it' : ''}`
  return [
    `${location}: ${formatColumn(missing, table)} has no default, so new rows would have no id; ${remedy}`,
  ]
}

/** What the check of a column of an id depends on. */
interface PartContext {
  readonly location: string
  readonly stored: StoredColumn | undefined
  readonly database: Database
}

/** Reports a kind whose values the database does not store in one spelling each, and an enumeration that is not that of the database. */
function findPartErrors(
  { name, codec, schema }: Kind<string>,
  { location, stored, database }: PartContext,
): string[] {
  if (!getCodec(codec, database).idText)
    return [
      `${location}: ${name} cannot be part of an id on this database, which may store a value in several spellings; use text${name === 'datetime' ? ' or storedAs(datetime, …)' : ''}`,
    ]
  if (codec !== 'enumerationId' || stored?.type !== 'enum') return []
  const values: ReadonlySet<unknown> = new Set(stored.values)
  const declared: ReadonlySet<unknown> = new Set(Array.isArray(schema.enum) ? schema.enum : [])
  const others = [...values.symmetricDifference(declared)]
  if (others.length === 0) return []
  return [
    `${location}: the enumeration must have the values of the type of "${stored.name}"; only one of them has ${quoteNames(others.map(String))}`,
  ]
}

/** Lists the columns that could be the id instead, or, for a composite id, also the sets of columns. */
function listUniqueKeys({ uniques }: StoredTable, isComposite: boolean): string {
  const columns = uniques.filter(({ length }) => length === 1).flat()
  if (!isComposite && (columns.length > 0 || uniques.length === 0))
    return listNames(columns, 'unique columns')
  // A catalog may have a primary key and its index.
  const names = new Set(uniques.map((key) => key.join(', ')))
  const keys = listNames([...names], 'unique keys')
  return isComposite ? keys : `declare id: { column: ${JSON.stringify(uniques[0])} }; ${keys}`
}

function findExpressionErrors(resource: ResourceType, table: StoredTable): string[] {
  const { type, scope, softDelete, insertDefaults } = resource
  const columns = scope ? listColumns(scope, `${type}.scope`) : []
  const references: ColumnReference[] = [
    ...columns.filter(({ column }) => column !== softDelete),
    ...insertDefaults.map(([column]) => ({ location: `${type}.insertDefaults.${column}`, column })),
  ]
  return references.flatMap((reference) => findColumnErrors(reference, table))
}

/** Checks the column that stores when a resource was deleted. */
function findSoftDeleteErrors(
  { type, softDelete, isWritable }: ResourceType,
  table: StoredTable,
  database: Database,
): string[] {
  if (softDelete === undefined) return []
  const location = `${type}.softDelete`
  const reference = { location, column: softDelete, codec: kinds.datetime.codec }
  const errors = findColumnErrors(reference, table, database)
  if (errors.length > 0 || table.is === 'view' || !isWritable) return errors
  const { nullable = true, writable = true } = table.columns.get(softDelete) ?? {}
  const name = formatColumn(softDelete, table)
  if (!nullable) return [`${location}: ${name} must be nullable: null means not deleted`]
  return writable ? [] : [`${location}: ${name} is generated by the database`]
}

function findVersionErrors(
  { type, version, isWritable }: ResourceType,
  table: StoredTable,
  database: Database,
): string[] {
  if (version === undefined) return []
  const location = `${type}.version`
  if (version === database.rowVersion)
    return table.is === 'table'
      ? []
      : [`${location}: only tables have the system column ${version}; remove it, or name a column`]
  const codecs = [kinds.integer.codec, integer64().codec]
  const found = codecs.map((codec) =>
    findColumnErrors({ location, column: version, codec }, table, database),
  )
  const errors = found.every((each) => each.length > 0) ? (found[0] ?? []) : []
  if (errors.length > 0 || table.is === 'view' || !isWritable) return errors
  const { writable = true, type: stored = '' } = table.columns.get(version) ?? {}
  const name = formatColumn(version, table)
  if (/^(?:smallint|numeric\(\d,0\))$/i.test(stored))
    return [`${location}: ${name} has the type "${stored}", which is too small; make it an integer`]
  return writable ? [] : [`${location}: ${name} is generated by the database`]
}

function findFieldErrors(
  field: Field,
  resource: ResourceType,
  table: StoredTable,
  context: CheckContext,
): string[] {
  const location = `${resource.type}.fields.${field.name}`
  const { database } = context
  switch (field.is) {
    case 'attribute': {
      const { column, expression, kind } = field
      if (column === undefined)
        return [
          ...findCodecErrors(location, kind.codec, database),
          ...findOperatorErrors(location, kind, database),
          ...listColumns((columnOf) => expression(columnOf, database), location).flatMap((each) =>
            findColumnErrors(each, table),
          ),
        ]
      const reference = { location: `${location}.column`, column, codec: kind.codec }
      // A required attribute may have nulls of other programs; only `nullable: false` is a promise about the column.
      const notNull = !field.acceptsNull && !field.required
      return [
        ...findColumnErrors(reference, table, database),
        ...(notNull ? findNullableErrors(`${location}.nullable`, column, table) : []),
        ...findOperatorErrors(location, kind, database),
        ...findTextIndexErrors(field, `${location}.match`, table, context),
      ]
    }
    case 'computed':
      return field.columns.flatMap(([column, { kind, nullable }]) => {
        const columnLocation = `${location}.columns.${column}`
        const reference = {
          location: columnLocation,
          column,
          codec: kind.codec,
          notNull: !nullable,
        }
        return findColumnErrors(reference, table, database)
      })
    case 'relationship':
      return findRelationshipErrors(field, resource, table, context)
  }
}

/** Compares the text index of an attribute with the database. */
function findTextIndexErrors(
  { match, column }: AttributeField,
  location: string,
  table: StoredTable,
  { catalog, database: { textIndexes } }: CheckContext,
): string[] {
  if (match === undefined || column === undefined || !textIndexes.isDeclared(match)) return []
  return textIndexes.findErrors({ location, index: match, column, table, catalog })
}
