import { type AuthValue, auth, type FieldRule, isAuthValue } from '../../model/access.ts'
import type { AttributeField, Field, Model, ResourceType } from '../../model/model.ts'
import { indexFieldRules, type RuleIndex } from './field-rules.ts'

/** What an identity may do, as far as that does not depend on rows. */
interface FieldDecider {
  /** Whether a rule of a field holds. */
  readonly holds: (rule: FieldRule) => boolean
  /** False if the rules of a type refuse an operation on every row. */
  readonly allows: (type: string, operation: 'create' | 'update') => boolean
}

/** A decision of a field's rule; `undefined` for a constant. */
export function toDecision(rule: FieldRule): AuthValue | undefined {
  if (typeof rule === 'function') return auth(rule)
  return isAuthValue(rule) ? rule : undefined
}

/** What a field is restricted by. */
interface FieldContext extends FieldDecider {
  readonly index: RuleIndex
  readonly resource: ResourceType
}

/**
 * Restricts a model to the fields that exist for an identity. Plans are made with it, so a hidden field cannot be returned, filtered,
 * sorted or compared with, and every error reports it as an unknown name. A field exists for who may read it or write it.
 */
export function restrictFields(model: Model, decider: FieldDecider): Model {
  const index = indexFieldRules(model)
  const entries = [...model.types].map(
    ([type, resource]) => [type, restrictType({ ...decider, index, resource })] as const,
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
  const isReadable = holdAll(field, 'readable', context)
  switch (field.is) {
    case 'computed':
      return isReadable ? field : undefined
    case 'relationship':
      if (!isReadable) return undefined
      return holdAll(field, 'writable', context) ? field : { ...field, isDenied: true }
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
  const isDenied = field.isWritable && !holdAll(field, 'writable', context)
  const isSent = field.isWritable && !isDenied && isEverSent(field, context)
  if (!(isReadable && field.isReadable) && !isSent) return undefined
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

/** Whether the identity may send a writable attribute in any request: in a create or in an update. */
function isEverSent({ set, isImmutable }: AttributeField, context: FieldContext): boolean {
  const { resource, allows } = context
  const isCreated = set === undefined && allows(resource.type, 'create')
  return resource.isWritable && (isCreated || (!isImmutable && allows(resource.type, 'update')))
}

/** The values inside JSON have the rights of their attribute. */
function withoutSort(paths: ReadonlyMap<string, AttributeField>): typeof paths {
  return new Map([...paths].map(([name, path]) => [name, { ...path, isSortable: false }]))
}

function holdAll(
  field: Field,
  right: 'readable' | 'writable',
  { index, resource, holds }: FieldContext,
): boolean {
  return index.listRules(field, right, resource).every(holds)
}
