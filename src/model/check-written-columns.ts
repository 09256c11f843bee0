import type { FieldDeclaration } from './fields.ts'
import { resolveIdOptions } from './resolve.ts'
import type { ResourceDeclaration } from './resource.ts'

const writeHooks = [
  'beforeCreate',
  'afterCreate',
  'beforeUpdate',
  'afterUpdate',
  'beforeDelete',
  'afterDelete',
  'afterCommit',
] as const

/** Reports options of a read-only type that only have an effect on writes. */
export function findReadOnlyErrors(resource: ResourceDeclaration): string[] {
  if (resource.access !== 'read-only') return []
  const { client } = resolveIdOptions(resource)
  const options = [
    ...(client === undefined ? [] : ['id.client']),
    ...(resource.insertDefaults === undefined ? [] : ['insertDefaults']),
    ...(resource.validate === undefined ? [] : ['validate']),
    ...writeHooks.filter((name) => resource.hooks?.[name]).map((name) => `hooks.${name}`),
  ]
  return options.map(
    (option) =>
      `${resource.type}.${option}: has no effect, because the type is read-only; remove it`,
  )
}

/** Reports insert defaults for columns that the ids or a field write. */
export function findInsertDefaultErrors(resource: ResourceDeclaration): string[] {
  const id = resolveIdOptions(resource).column
  return Object.keys(resource.insertDefaults ?? {}).flatMap((column) => {
    const location = `${resource.type}.insertDefaults.${column}`
    if (column === id) return [`${location}: "${id}" is the id column`]
    return listWriters(column, resource).map(
      (name) => `${location}: the field "${name}" writes this column`,
    )
  })
}

/**
 * Reports a column that two fields write, because the value of one would be lost, and a field that writes the id column.
 * @param column - the declared column; `undefined` if the field uses the column of its own name
 * @returns each error without the path of the field
 */
export function findWrittenColumnErrors(
  name: string,
  column: string | undefined,
  resource: ResourceDeclaration,
): string[] {
  const location = column === undefined ? '' : '.column'
  const id = resolveIdOptions(resource).column
  if ((column ?? name) === id && name !== 'id')
    return [`${location}: "${id}" is the id column, which fields cannot write`]
  if (column === undefined) return []
  const writers = listWriters(column, resource).map((writer) => `"${writer}"`)
  if (writers.length < 2) return []
  return [
    `${location}: "${column}" is written by ${writers.join(' and ')}; set access: "read-only" on all but one of them`,
  ]
}

/** Returns the column of the type's own table that a field uses, or `undefined`. */
export function getOwnColumn(name: string, field: FieldDeclaration): string | undefined {
  if (field.is === 'attribute') return field.column ?? name
  return field.is === 'toOne' && field.foreignKey !== 'other' ? field.column : undefined
}

/** True if a field writes its column, with a client's value or a default. */
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

/** Returns the names of the fields that write a column. */
function listWriters(column: string, resource: ResourceDeclaration): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) =>
    writesColumn(field, resource) && getOwnColumn(name, field) === column ? [name] : [],
  )
}
