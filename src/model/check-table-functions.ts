import { isNeverWritten } from './access.ts'
import { resolveIdOptions } from './resolve.ts'
import type { ResourceDeclaration } from './resource.ts'

/** Options that need a table, or resources that have an id without arguments. */
const excluded = ['schema', 'softDelete', 'insertDefaults', 'queries', 'actions'] as const

/** Checks a type whose rows a table function returns. @param findNameErrors - checks the name of a field */
export function findTableFunctionErrors(
  resource: ResourceDeclaration,
  findNameErrors: (name: string) => readonly string[],
): string[] {
  const { type, table, access, fields } = resource
  if (typeof table === 'string') return []
  const isReadOnly =
    access === 'read-only' || (typeof access === 'object' && isNeverWritten(access))
  const parameters = Object.keys(table.parameters).flatMap((name) => {
    const location = `${type}.table.parameters.${name}`
    const errors = Object.hasOwn(fields, name)
      ? [`a field has the name "${name}"; rename one of them`]
      : findNameErrors(name)
    return errors.map((error) => `${location}: ${error}`)
  })
  return [
    ...(isReadOnly
      ? []
      : [
          `${type}.access: the rows of a table function cannot be written; set access: "read-only"`,
        ]),
    ...excluded
      .filter((option) => resource[option] !== undefined)
      .map((option) => `${type}.${option}: not allowed with a table function; remove it`),
    ...parameters,
  ]
}

/** Whether an id has several columns: its own, and those of the arguments of a table function. */
export function hasCompositeId(resource: ResourceDeclaration): boolean {
  const { table } = resource
  const count = typeof table === 'string' ? 0 : Object.keys(table.parameters).length
  return count + resolveIdOptions(resource).parts.length > 1
}
