import { type ErrorCollector, emptyCollector, report, throwErrors } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { suggest } from '../errors/suggestion.ts'
import type { AttributeField, Field, Model, ResourceType, StoredValue } from '../model/model.ts'
import { createCountValue, isSameValue, type LinkageColumn, type RowLayout } from './row-layout.ts'

/** The requested fields by resource type. A type without an entry has all its fields. */
export type FieldsetsByType = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Resolves the `fields[type]` parameters. Write-only names are accepted and select nothing.
 * @throws ApiError | ManyErrors `invalid_fields` (400) for every type and field that does not exist
 * @see https://jsonapi.org/format/1.0/#fetching-sparse-fieldsets and `docs/service.md`, Sparse fieldsets
 */
export function planFields(
  fields: ReadonlyMap<string, readonly string[]>,
  model: Model,
): FieldsetsByType {
  const errors = emptyCollector()
  const fieldsets = new Map<string, ReadonlySet<string>>()
  for (const [type, names] of fields) {
    const fieldset = new Set(names)
    checkFieldset(type, fieldset, model, errors)
    fieldsets.set(type, fieldset)
  }
  throwErrors(errors)
  return fieldsets
}

function checkFieldset(
  type: string,
  names: ReadonlySet<string>,
  model: Model,
  errors: ErrorCollector,
): void {
  const resource = model.types.get(type)
  if (resource === undefined) report(errors, () => unknownType(type, model))
  else
    for (const name of names)
      if (name !== 'id' && !resource.fields.has(name))
        report(errors, () => unknownName(name, resource))
}

function unknownType(type: string, model: Model): ParameterError {
  const parameter = `fields[${type}]`
  const known = suggest(type, [...model.types.keys()], 'types')
  const detail = `${parameter}: there is no resource type ${quote(type)}; ${known}`
  return new ParameterError('invalid_fields', parameter, detail)
}

function unknownName(name: string, { type, fields }: ResourceType): ParameterError {
  const parameter = `fields[${type}]`
  const known = suggest(name, [...fields.keys()], 'fields')
  const detail = `${parameter}: ${type} has no field ${quote(name)}; ${known}`
  return new ParameterError('invalid_fields', parameter, detail)
}

/** Whether a field is in the fieldset of its type. */
export function isInFieldset(fieldsets: FieldsetsByType, type: string, name: string): boolean {
  return fieldsets.get(type)?.has(name) ?? true
}

/** What a layout has beside the fields. */
interface LayoutOptions {
  /** The relationships of the type whose related resources are counted. */
  readonly counted?: readonly string[]
  /** The included relationships of which rows list a page. */
  readonly paged?: ReadonlySet<string>
}

/**
 * Plans which values of a type are read and which members its resource objects have. Nothing else is selected or computed.
 * @param included - the relationships of the type that are included; their linkage is read
 */
export function planLayout(
  resource: ResourceType,
  fieldsets: FieldsetsByType,
  included: ReadonlySet<string>,
  { counted = [], paged }: LayoutOptions = {},
): RowLayout {
  const fields = [...resource.fields.values()].filter(({ name }) =>
    isInFieldset(fieldsets, resource.type, name),
  )
  const counts = counted.filter((name) => isInFieldset(fieldsets, resource.type, name))
  const hasFieldset = fieldsets.has(resource.type)
  const linkages = fields.flatMap((field): LinkageColumn[] =>
    field.is === 'relationship' && (hasFieldset || included.has(field.name))
      ? [
          {
            relationship: field.name,
            many: field.many,
            ...(paged?.has(field.name) && { isPaged: true }),
          },
        ]
      : [],
  )
  return {
    type: resource.type,
    attributes: fields.filter(isReadable).map(({ name }) => name),
    relationships: fields.filter(({ is }) => is === 'relationship').map(({ name }) => name),
    values: [...withoutDuplicates(fields.flatMap(listValues)), ...counts.map(createCountValue)],
    linkages,
  }
}

function isReadable(field: Field): boolean {
  return field.is === 'computed' || (field.is === 'attribute' && field.isReadable)
}

/** The stored values that a field needs. */
function listValues(field: Field): StoredValue[] {
  switch (field.is) {
    case 'attribute':
      return field.isReadable ? [toStoredValue(field)] : []
    case 'computed':
      return field.columns.map(([column, { kind }]) => ({ column, codec: kind.codec }))
    case 'relationship':
      return []
  }
}

/** The stored value of an attribute: its column, or its expression. */
export function toStoredValue({ name, column, kind }: AttributeField): StoredValue {
  return column === undefined
    ? { expression: name, codec: kind.codec }
    : { column, codec: kind.codec }
}

/** A value that several fields need is read once. */
function withoutDuplicates(values: readonly StoredValue[]): StoredValue[] {
  return values.filter(
    (value, index) => values.findIndex((other) => isSameValue(other, value)) === index,
  )
}
