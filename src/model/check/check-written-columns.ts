import type { FieldDeclaration } from '../declare/fields.ts'
import { resolveIdOptions, toList } from '../declare/resolve.ts'
import type { ResourceDeclaration } from '../declare/resource.ts'

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
  const id = listIdColumns(resource)
  return Object.keys(resource.insertDefaults ?? {}).flatMap((column) => {
    const location = `${resource.type}.insertDefaults.${column}`
    // A column of a composite id may have a default, unless clients send the id.
    const isProvided = id.length === 1 || resolveIdOptions(resource).client !== undefined
    if (id.includes(column) && isProvided)
      return [`${location}: "${column}" is ${describeIdColumn(id)}`]
    return listWriters(column, resource).map(
      (name) => `${location}: the field "${name}" writes this column`,
    )
  })
}

function listIdColumns(resource: ResourceDeclaration): string[] {
  return resolveIdOptions(resource).parts.map(({ column }) => column)
}

function describeIdColumn(id: readonly string[]): string {
  return id.length === 1 ? 'the id column' : 'a column of the id'
}

/**
 * Reports a column that two fields write, because the value of one would be lost, and a field that writes the id column. Fields may
 * write the columns of a composite id, also several fields: their values must agree. None writes the tenant's part of a composite
 * foreign key.
 * @param columns - the declared columns; `undefined` if the field uses the column of its own name
 * @param tenantColumn - the column that stores the tenant of the rows
 * @returns each error without the path of the field
 */
export function findWrittenColumnErrors(
  name: string,
  columns: string | readonly string[] | undefined,
  resource: ResourceDeclaration,
  tenantColumn?: string,
): string[] {
  const location = columns === undefined ? '' : '.column'
  const id = listIdColumns(resource)
  return toList(columns ?? name).flatMap((column) => {
    if (id.includes(column))
      return id.length === 1 && name !== 'id'
        ? [`${location}: "${column}" is the id column, which fields cannot write`]
        : []
    if (columns === undefined || column === tenantColumn) return []
    const writers = listWriters(column, resource).map((writer) => `"${writer}"`)
    if (writers.length < 2) return []
    return [
      `${location}: "${column}" is written by ${writers.join(' and ')}; set access: "read-only" on all but one of them`,
    ]
  })
}

/** Returns the columns of the type's own table that a field uses. */
function listOwnColumns(name: string, field: FieldDeclaration): readonly string[] {
  if (field.is === 'attribute') return [field.column ?? name]
  return field.is === 'toOne' && field.foreignKey !== 'other' ? toList(field.column) : []
}

/** True if a field writes its column, with a client's value, a default, or a value of the auth context. */
export function writesColumn(field: FieldDeclaration, { access }: ResourceDeclaration): boolean {
  if (access === 'read-only') return false
  if ('set' in field && field.set !== undefined) return true
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
    writesColumn(field, resource) && listOwnColumns(name, field).includes(column) ? [name] : [],
  )
}
