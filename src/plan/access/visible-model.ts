import { type AuthValue, auth, type FieldRule, isAuthValue } from '../../model/access.ts'
import { sql } from '../../model/dialect.ts'
import {
  type AttributeField,
  type Field,
  findInverse,
  getResourceType,
  listStoredColumns,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'

/** Decides whether a rule of a field holds. */
type FieldDecider = (rule: FieldRule) => boolean

/** A decision of a field's rule; `undefined` for a constant. */
export function toDecision(rule: FieldRule): AuthValue | undefined {
  if (typeof rule === 'function') return auth(rule)
  return isAuthValue(rule) ? rule : undefined
}

/** What a field is restricted by. */
interface FieldContext {
  readonly model: Model
  readonly resource: ResourceType
  readonly holds: FieldDecider
}

/**
 * Restricts a model to the fields that exist for an identity. Plans are made with it, so a hidden field cannot be returned, filtered,
 * sorted or compared with, and every error reports it as an unknown name.
 */
export function restrictFields(model: Model, holds: FieldDecider): Model {
  const entries = [...model.types].map(
    ([type, resource]) => [type, restrictType({ model, resource, holds })] as const,
  )
  const isRestricted = entries.some(([type, resource]) => resource !== model.types.get(type))
  return isRestricted ? { ...model, types: new Map(entries) } : model
}

function restrictType(context: FieldContext): ResourceType {
  const { resource } = context
  const fields = new Map<string, Field>()
  let isRestricted = false
  for (const field of resource.fields.values()) {
    const restricted = restrictField(field, context)
    if (restricted) fields.set(field.name, restricted)
    if (restricted !== field) isRestricted = true
  }
  return isRestricted ? { ...resource, fields, unrestricted: resource } : resource
}

/** @returns the field as the identity sees it; `undefined` if it does not exist for it */
function restrictField(field: Field, context: FieldContext): Field | undefined {
  const isReadable = holdAll(listRules(field, 'readable', context), context)
  switch (field.is) {
    case 'computed':
      return isReadable ? field : undefined
    case 'relationship':
      if (!isReadable) return undefined
      return holdAll(listRules(field, 'writable', context), context)
        ? field
        : { ...field, isDenied: true }
    case 'attribute':
      return restrictAttribute(field, isReadable, context)
  }
}

function restrictAttribute(
  field: AttributeField,
  isReadable: boolean,
  context: FieldContext,
): AttributeField | undefined {
  const { filterable = true, sortable = true } = field.access ?? {}
  const isDenied = field.isWritable && !holdAll(listRules(field, 'writable', context), context)
  if (!isReadable && (!field.isWritable || isDenied)) return undefined
  const isFilterable = isReadable && context.holds(filterable)
  const isSortable = isReadable && context.holds(sortable)
  if (isReadable && isFilterable && isSortable && !isDenied) return field
  return {
    ...field,
    isReadable: field.isReadable && isReadable,
    isFilterable: field.isFilterable && isFilterable,
    isSortable: field.isSortable && isSortable,
    ...(field.paths && !isSortable && { paths: withoutSort(field.paths) }),
    ...(isDenied && { isDenied }),
  }
}

/** The values inside JSON have the rights of their attribute. */
function withoutSort(paths: ReadonlyMap<string, AttributeField>): typeof paths {
  return new Map([...paths].map(([name, path]) => [name, { ...path, isSortable: false }]))
}

function holdAll(rules: readonly FieldRule[], { holds }: FieldContext): boolean {
  return rules.every(holds)
}

/**
 * Lists the rules for a right to a field: its own rule or, without one, the rules of the fields that show the same values. These are the
 * attributes and relationships that are stored in the columns that it reads, and the relationship of the other side.
 */
function listRules(
  field: Field,
  right: 'readable' | 'writable',
  context: FieldContext,
): readonly FieldRule[] {
  const own = field.access?.[right]
  if (own !== undefined) return [own]
  const ofColumns = listColumnRules(field, right, context.resource)
  if (field.is !== 'relationship') return ofColumns
  return [...ofColumns, ...listInverseRules(field, right, context)]
}

function listColumnRules(
  field: Field,
  right: 'readable' | 'writable',
  { fields }: ResourceType,
): FieldRule[] {
  const columns = listColumns(field)
  return [...fields.values()].flatMap((other) => {
    const rule = other.access?.[right]
    const isStored = listStoredColumns(other).some((column) => columns.includes(column))
    return rule !== undefined && isStored ? [rule] : []
  })
}

function listInverseRules(
  field: RelationshipField,
  right: 'readable' | 'writable',
  { model, resource }: FieldContext,
): readonly FieldRule[] {
  const inverse = findInverse(model, resource, field)
  if (inverse === undefined) return []
  const other = getResourceType(model, field.to)
  // An identity that may not read one side must not write it from the other.
  const rights = right === 'writable' ? (['readable', 'writable'] as const) : ([right] as const)
  return rights.flatMap((each) => {
    const own = inverse.access?.[each]
    return own === undefined ? listColumnRules(inverse, each, other) : [own]
  })
}

/** The columns of the row that a field reads. */
function listColumns(field: Field): readonly string[] {
  if (field.is === 'computed') return field.columns.map(([column]) => column)
  const stored = listStoredColumns(field)
  if (stored.length > 0) return stored
  return field.is === 'attribute' ? listExpressionColumns(field) : []
}

function listExpressionColumns({ expression }: AttributeField): string[] {
  const columns: string[] = []
  // The columns of an expression are the same for every database.
  expression((name) => {
    columns.push(name)
    return sql.id(name)
  }, 'sqlite')
  return columns
}
