import type { FieldDeclaration } from 'lapidary'
import type { Examination } from './examination.ts'

/** The number of resources that a filter by each of their values has to find. */
const filteredResources = 10

/**
 * Checks that values make round trips: what was read can be written back unchanged, and a filter by it finds the resource. Only for
 * declarations, whose kinds are known.
 */
export async function checkValues(examination: Examination, sample: number): Promise<void> {
  const { api, type, violations } = examination
  const { declared } = api
  const fields = declared?.model.declarations[type.type]?.fields
  if (!declared || !fields) return
  const { client, model } = declared
  const size = Math.min(sample, model.maxPageSize ?? sample)
  const { data } = await client.list(type.type, { page: { size } })
  for (const [index, resource] of data.entries())
    for (const [name, field] of Object.entries(fields)) {
      const value = resource[name]
      const example = `GET ${type.path}/${encodeURIComponent(resource.id)}`
      const subject = `${type.type}.${name}`
      const problem = value === null || value === undefined ? undefined : checkKind(field, value)
      if (problem) violations.add({ subject, problem, example })
      if (index < filteredResources && isFilterable(field) && value !== undefined)
        await checkFilter(examination, { id: resource.id, name, value, example })
    }
}

/** Checks that a write accepts a value that was read, and serializes it as the same JSON. */
function checkKind(field: FieldDeclaration, value: unknown): string | undefined {
  if (field.is !== 'attribute' || field.kind.operators === 'array') return undefined
  const result = field.kind.readBody(value)
  return 'value' in result
    ? undefined
    : `a stored value is not of the kind ${field.kind.name}, so it cannot be written back`
}

/**
 * False for computed attributes, for those that the declaration excludes, and for opaque kinds, which are compared with null
 * only.
 */
function isFilterable(field: FieldDeclaration): boolean {
  return (
    (field.is === 'attribute' || field.is === 'expression') && field.kind.operators !== 'opaque'
  )
}

/** A filter by id and by the value of a field. */
interface ValueFilter {
  readonly id: string
  readonly name: string
  readonly value: unknown
  readonly example: string
}

async function checkFilter(
  { api, type, violations }: Examination,
  { id, name, value, example }: ValueFilter,
): Promise<void> {
  const filter = [
    { name: 'id', op: 'eq', val: id },
    { name, op: 'is_', val: value },
  ] as const
  const shown = typeof value === 'bigint' ? String(value) : JSON.stringify(value)
  const add = (result: string) =>
    violations.add({
      subject: `${type.type}.${name}`,
      problem: `a filter by its value ${shown} ${result}`,
      example,
    })
  try {
    const found = await api.declared?.client.list(type.type, { filter })
    if (found?.data.length !== 1) add('does not find the resource')
  } catch (error) {
    if (!(error instanceof Object && 'code' in error && error.code === 'invalid_filter'))
      throw error
    add('is invalid')
  }
}
