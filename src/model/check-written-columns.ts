import type { FieldDeclaration } from './fields.ts'
import { resolveIdOptions } from './resolve.ts'
import type { ResourceDeclaration } from './resource.ts'

/** The hooks that only writes run. */
const writeHooks = [
  'beforeCreate',
  'afterCreate',
  'beforeUpdate',
  'afterUpdate',
  'beforeDelete',
  'afterDelete',
] as const

/** What a declaration says of writes that never come: nobody writes resources of a read-only type. */
export function findReadOnlyErrors(resource: ResourceDeclaration): string[] {
  if (resource.access !== 'read-only') return []
  const { client } = resolveIdOptions(resource)
  const said = [
    ...(client === undefined ? [] : ['id.client']),
    ...(resource.insertDefaults === undefined ? [] : ['insertDefaults']),
    ...(resource.validate === undefined ? [] : ['validate']),
    ...writeHooks.filter((name) => resource.hooks?.[name]).map((name) => `hooks.${name}`),
  ]
  return said.map((place) => `${resource.type}.${place}: nothing writes a read-only type`)
}

/** What new rows are to hold in columns that something else writes. */
export function findInsertDefaultErrors(resource: ResourceDeclaration): string[] {
  const id = resolveIdOptions(resource).column
  return Object.keys(resource.insertDefaults ?? {}).flatMap((column) => {
    const place = `${resource.type}.insertDefaults.${column}`
    if (column === id) return [`${place}: "${id}" is the column of the ids`]
    return writersOf(column, resource).map((name) => `${place}: the field "${name}" writes it`)
  })
}

/**
 * A column that two fields write would keep the value of one and drop the other's silently; the ids' is written by nobody.
 * @param column - as declared; told where it is said, so never of a field that has none of its own
 */
export function findWrittenColumnErrors(
  name: string,
  column: string | undefined,
  resource: ResourceDeclaration,
): string[] {
  const place = column === undefined ? '' : '.column'
  const id = resolveIdOptions(resource).column
  if ((column ?? name) === id && name !== 'id')
    return [`${place}: "${id}" is the column of the ids, which the database writes`]
  if (column === undefined) return []
  const writers = writersOf(column, resource).map((writer) => `"${writer}"`)
  return writers.length < 2 ? [] : [`${place}: "${column}" is written by ${writers.join(' and ')}`]
}

/** The column of the type's own table that a field stands for. */
export function getOwnColumn(name: string, field: FieldDeclaration): string | undefined {
  if (field.is === 'attribute') return field.column ?? name
  return field.is === 'toOne' && field.foreignKey !== 'other' ? field.column : undefined
}

/** Whether a field of a type writes its column: from what a body brings, or a default. */
export function writesColumn(field: FieldDeclaration, { access }: ResourceDeclaration): boolean {
  if (access === 'read-only') return false
  switch (field.is) {
    case 'attribute':
      return field.access !== 'read-only' || field.default !== undefined
    case 'toOne':
    case 'toMany':
      return field.access !== 'read-only'
    case 'expression':
    case 'computed':
      return false
  }
}

/** The fields of a type that write a column, by name. */
function writersOf(column: string, resource: ResourceDeclaration): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) =>
    writesColumn(field, resource) && getOwnColumn(name, field) === column ? [name] : [],
  )
}
