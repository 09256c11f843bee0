import { type Catalog, findTable, type StoredTable } from '../../model/catalog.ts'
import { formatColumn, formatColumns } from '../../model/check/check-columns.ts'
import {
  type AttributeField,
  getResourceType,
  listKeptColumns,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import { isSentByClients } from '../../model/written-fields.ts'
import { hasForeignKey, listRelationshipKeys } from '../keys/relationship-keys.ts'

/**
 * Warns of fields whose declaration does not say that the column is `not null`: the database finds only the first of several missing
 * values, and the description of the API promises too much. A trigger may set the value. Also warns of relationships that are declared
 * never to be null, where responses may have null.
 */
export function listNullWarnings(model: Model, catalog: Catalog): string[] {
  const ofFields = [...model.types.values()].flatMap((resource) => {
    const table = findTable(catalog, resource.table)
    if (!resource.isWritable || table?.is !== 'table' || table.triggers) return []
    return [...resource.fields.values()].flatMap((field) => {
      const location = `${resource.type}.fields.${field.name}`
      if (field.is === 'computed' || !isSentByClients(field) || !field.acceptsNull) return []
      return field.is === 'attribute'
        ? listAttributeWarnings(location, field, table)
        : listRelationshipWarnings(location, field, resource, table)
    })
  })
  return [...ofFields, ...listHiddenWarnings(model, catalog)]
}

function listAttributeWarnings(
  location: string,
  { column }: AttributeField,
  table: StoredTable,
): string[] {
  return column !== undefined && table.columns.get(column)?.nullable === false
    ? [
        `${location}: ${formatColumn(column, table)} must not be null, and clients may send null; to fix it: set nullable: false`,
      ]
    : []
}

function listRelationshipWarnings(
  location: string,
  { link, set }: RelationshipField,
  resource: ResourceType,
  table: StoredTable,
): string[] {
  const { hooks } = resource
  const kept = listKeptColumns(resource)
  const names = link.foreignKey === 'own' ? link.ownKey : []
  const columns = names.flatMap((name) =>
    kept.includes(name) ? [] : (table.columns.get(name) ?? []),
  )
  if (columns.length === 0 || columns.some(({ nullable }) => nullable)) return []
  const isFilled = set !== undefined || hooks.beforeCreate !== undefined
  const isRequired = !isFilled && columns.some(({ hasDefault }) => !hasDefault)
  const option = isRequired ? 'required: true' : 'nullable: false'
  return [
    `${location}: ${formatColumns(names, table)} must not be null, and clients may ${isRequired ? 'omit the relationship' : 'send null'}; to fix it: set ${option}`,
  ]
}

/** Warns of relationships without null in their types, whose resource may be hidden or may not exist. */
function listHiddenWarnings(model: Model, catalog: Catalog): string[] {
  return listRelationshipKeys(model).flatMap((key) => {
    const { field, resource } = key
    const { isNullable, isEnforced, link, to } = field
    if (isNullable || link.foreignKey !== 'own') return []
    const { softDelete, hasDeclaredScope } = getResourceType(model, to)
    const isTable = findTable(catalog, key.table)?.is === 'table'
    const reason =
      softDelete !== undefined || hasDeclaredScope
        ? `${to} has ${softDelete === undefined ? 'a scope' : 'softDelete'}`
        : isEnforced === false ||
            (isEnforced === undefined && isTable && !hasForeignKey(key, catalog))
          ? 'no foreign key of the database ensures that the resource exists'
          : undefined
    return reason === undefined
      ? []
      : [
          `${resource.type}.fields.${field.name}: responses may have null, because ${reason}; to fix it: set nullable: true`,
        ]
  })
}
