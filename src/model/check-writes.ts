import type { StoredTable } from './catalog.ts'
import { findGeneratedColumnErrors, findUnfilledColumns } from './check-columns.ts'
import type { Field, ResourceType } from './model.ts'

/** What would make writes fail, whatever they bring. */
export function findWriteErrors(resource: ResourceType, table: StoredTable): string[] {
  const { type } = resource
  if (table.is === 'view')
    return [`${type}.access: "${table.name}" is a view; say access: "read-only"`]
  return [
    ...newRowMistakes(resource, table),
    ...[...resource.fields.values()].flatMap((field) => attributeMistakes(field, resource, table)),
    ...findUnfilledColumns(table, filled(resource)).map(
      (name) =>
        `${type}.insertDefaults: no field writes the column "${name}" of the table "${table.name}", which has no default and must not be null`,
    ),
  ]
}

/** The columns that can be filled in a new row. */
function filled({ id, insertDefaults, fields, hooks }: ResourceType): string[] {
  const columns = [...fields.values()].flatMap((field) => {
    if (field.is === 'computed') return []
    if (field.is === 'relationship')
      return field.isWritable && field.link.foreignKey === 'own' ? [field.link.ownKey] : []
    // The hook may fill any attribute, whoever else may write it.
    const isFilled = field.isWritable || field.makeDefault || hooks.beforeCreate
    return isFilled && field.column !== undefined ? [field.column] : []
  })
  return [id.column, ...insertDefaults.map(([column]) => column), ...columns]
}

function newRowMistakes({ type, insertDefaults }: ResourceType, table: StoredTable): string[] {
  return insertDefaults.flatMap(([name, value]) => {
    const place = `${type}.insertDefaults.${name}`
    const stored = table.columns.get(name)
    if (stored?.writable === false)
      return [`${place}: the column "${name}" of the table "${table.name}" is generated`]
    return value === null && stored?.nullable === false
      ? [`${place}: the column "${name}" of the table "${table.name}" must not be null`]
      : []
  })
}

/** What the column of an attribute does not allow to be written. */
function attributeMistakes(
  field: Field,
  { type, hooks }: ResourceType,
  table: StoredTable,
): string[] {
  if (field.is !== 'attribute' || field.column === undefined) return []
  if (!field.isWritable && !field.makeDefault) return []
  const stored = table.columns.get(field.column)
  const place = `${type}.fields.${field.name}`
  const mistakes = findGeneratedColumnErrors(place, field.column, table)
  if (mistakes.length > 0 || !field.isWritable) return mistakes
  const isOptional = !field.required && !field.makeDefault && !hooks.beforeCreate
  return isOptional && stored?.nullable === false && !stored.hasDefault
    ? [
        `${place}.required: the column "${stored.name}" of the table "${table.name}" must not be null and has no default; say required: true`,
      ]
    : []
}
