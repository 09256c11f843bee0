import { quote } from '../errors/quote.ts'
import {
  getResourceType,
  listKeptColumns,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import { omitIdColumns } from './id-columns.ts'
import { normalizeId } from './path-id.ts'
import type { Planner } from './planner.ts'
import type { WritePlan } from './write.ts'
import { convertServerValue, isInRow, type LinkChange, type WriteColumn } from './write-builder.ts'
import { listColumnNames } from './written-columns.ts'

/** The parts of a plan that values change. */
interface ChangedPlan {
  readonly columns: WriteColumn[]
  readonly values: unknown[]
  readonly links: LinkChange[]
  readonly linkIds: (readonly string[])[]
}

/**
 * Copies a plan with other values of fields, which it need not contain yet. Values of a hook or a validator are not bound by
 * `isWritable`. A value replaces everything that the plan writes to the same column.
 *
 * @param values - by the names of fields, as `FieldValues`
 * @throws Error if a name is not a stored attribute or a relationship, if a value is not of its kind, or if two values are of one
 *   column
 */
export function applyFieldValues(
  { shapes, model }: Planner,
  plan: WritePlan,
  values: Readonly<Record<string, unknown>>,
  resource: ResourceType,
): WritePlan {
  const { shape } = plan
  const changed: ChangedPlan = {
    columns: [...shape.columns],
    values: [...plan.values],
    links: [...shape.links],
    linkIds: [...plan.linkIds],
  }
  applyValues(values, changed, { resource, model, isNew: shape.row !== 'existing' })
  const { columns: all, links, ...rest } = changed
  const { columns, conflicts } = omitIdColumns(all, rest.values, { resource, model, id: plan.id })
  const [conflict] = conflicts
  if (conflict)
    throw new Error(
      `A hook of ${resource.type} returned "${conflict.field}", which does not agree with ${conflict.other ? `"${conflict.other}"` : 'the id'}: it is a part of the id.`,
    )
  return { ...plan, ...rest, shape: shapes.intern({ ...shape, columns, links }) }
}

/** Writes the values of fields into a plan. @throws Error if they are not an object, or two values are of one column */
function applyValues(
  values: Readonly<Record<string, unknown>>,
  changed: ChangedPlan,
  context: ValueContext,
): void {
  // In a program without types, `beforeDelete: () => true` may mean that the deletion is allowed.
  if (typeof values !== 'object')
    throw new Error(
      `A hook of ${context.resource.type} returned ${quote(values)}; it must return an object with the values to store, or nothing.`,
    )
  const written = new Map<string, string>()
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  for (const [name, value] of entries)
    for (const column of applyValue(name, value, changed, context)) {
      const other = written.get(column)
      if (other !== undefined)
        throw new Error(
          `A hook of ${context.resource.type} returned "${other}" and "${name}", which are both stored in the column "${column}".`,
        )
      written.set(column, name)
    }
}

/** The type that a plan writes. */
interface ValueContext {
  readonly resource: ResourceType
  readonly model: Model
  readonly isNew: boolean
}

/** @returns the columns of the row that store the value and nothing else, if there are any */
function applyValue(
  name: string,
  value: unknown,
  changed: ChangedPlan,
  context: ValueContext,
): readonly string[] {
  const { resource, model } = context
  const field = resource.fields.get(name)
  if (field?.is === 'attribute' && field.column !== undefined) {
    setColumn({ is: 'attribute', name }, convertServerValue(field, value), changed, context)
    return listUnsharedColumns([field.column], resource)
  }
  if (field?.is !== 'relationship')
    throw new Error(`${resource.type} has no stored attribute or relationship ${quote(name)}.`)
  const ids = toIds(field, value, getResourceType(model, field.to))
  if (isInRow(field)) {
    setColumn({ is: 'key', relationship: name }, ids[0] ?? null, changed, context)
    return listUnsharedColumns(field.link.ownKey, resource)
  }
  setMembers(field, ids, changed, context)
  return []
}

/** Several fields may be stored in a column of a composite id, or in that of the tenant: their values agree. */
function listUnsharedColumns(
  columns: readonly string[],
  resource: ResourceType,
): readonly string[] {
  if (columns.length === 1 && resource.id.parts.length === 1) return columns
  const kept = listKeptColumns(resource)
  return columns.filter((name) => !kept.includes(name))
}

/** Sets a column, instead of whatever the plan writes to it. */
function setColumn(
  column: WriteColumn,
  value: unknown,
  { columns, values }: ChangedPlan,
  { resource, model }: ValueContext,
): void {
  const names = listColumnNames(column, resource, model)
  const unshared = listUnsharedColumns(names, resource)
  const index = columns.findIndex((other) => {
    const others = listColumnNames(other, resource, model)
    return isSameList(names, others) || unshared.some((name) => others.includes(name))
  })
  if (index === -1) {
    columns.push(column)
    values.push(value)
  } else {
    columns[index] = column
    values[index] = value
  }
}

/** Sets the members of a relationship whose links are outside the row. */
function setMembers(
  { name, many }: RelationshipField,
  ids: readonly string[],
  { links, linkIds }: ChangedPlan,
  { isNew }: ValueContext,
): void {
  // A new row has no members to replace.
  const link: LinkChange = { relationship: name, change: isNew && many ? 'add' : 'replace' }
  const existing = links.findIndex(({ relationship }) => relationship === name)
  const index = existing === -1 ? links.length : existing
  links[index] = link
  linkIds[index] = ids
}

/** Reads the value of a relationship: an id or null, or an array of ids. */
function toIds(
  { name, many }: RelationshipField,
  value: unknown,
  related: ResourceType,
): readonly string[] {
  const sent: unknown = many ? value : value === null ? [] : [value]
  const ids = Array.isArray(sent)
    ? sent.map((id) => (typeof id === 'string' ? normalizeId(related, id) : undefined))
    : [undefined]
  if (ids.every((id) => id !== undefined)) return [...new Set(ids)]
  const expected = many ? 'an array of ids' : 'an id or null'
  throw new Error(
    `${name} must be ${expected} of ${related.type}; a hook returned ${quote(value)}.`,
  )
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name))
}
