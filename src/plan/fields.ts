import { type ErrorCollector, emptyCollector, refuse, report } from '../errors/collector.ts'
import { ParameterError, quoted } from '../errors/errors.ts'
import { suggestion } from '../errors/suggestion.ts'
import type { AttributeField, Field, Model, ResourceType, StoredValue } from '../model/model.ts'
import { isSame, type LinkageColumn, type RowLayout } from './rows.ts'

/** The fields asked for, by resource type; a type that is not named shows all of its fields. */
export type Fieldsets = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Checks the names of `fields[type]` parameters. Input-only names are accepted and will show nothing.
 * @throws ApiError | ManyErrors `invalid_fields` (400) for every type and name that does not exist
 * @see SERVICE §5; JSON:API 1.0, Sparse Fieldsets
 */
export function planFields(words: ReadonlyMap<string, readonly string[]>, model: Model): Fieldsets {
  const errors = emptyCollector()
  const fieldsets = new Map<string, ReadonlySet<string>>()
  for (const [type, names] of words) {
    const fieldset = new Set(names)
    checkFieldset(type, fieldset, model, errors)
    fieldsets.set(type, fieldset)
  }
  refuse(errors)
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
  const known = suggestion(type, [...model.types.keys()], 'types')
  const detail = `${parameter}: there is no resource type ${quoted(type)}; ${known}`
  return new ParameterError('invalid_fields', parameter, detail)
}

function unknownName(name: string, { type, fields }: ResourceType): ParameterError {
  const parameter = `fields[${type}]`
  const known = suggestion(name, [...fields.keys()], 'fields')
  const detail = `${parameter}: ${type} has no field ${quoted(name)}; ${known}`
  return new ParameterError('invalid_fields', parameter, detail)
}

/** Whether a field of a type is to be shown. */
export function isShown(fieldsets: Fieldsets, type: string, name: string): boolean {
  return fieldsets.get(type)?.has(name) ?? true
}

/**
 * Settles what is read and shown of a type: nothing that was not asked for is selected or computed.
 * @param followed - the relationships of the type that are included; their linkage is shown
 */
export function planLayout(
  resource: ResourceType,
  fieldsets: Fieldsets,
  followed: ReadonlySet<string>,
): RowLayout {
  const shown = [...resource.fields.values()].filter(({ name }) =>
    isShown(fieldsets, resource.type, name),
  )
  const listed = fieldsets.get(resource.type)
  const linkages = shown.flatMap((field): LinkageColumn[] =>
    field.is === 'relationship' && (listed !== undefined || followed.has(field.name))
      ? [{ relationship: field.name, many: field.many }]
      : [],
  )
  return {
    type: resource.type,
    attributes: shown.filter(isTold).map(({ name }) => name),
    relationships: shown.filter(({ is }) => is === 'relationship').map(({ name }) => name),
    values: distinct(shown.flatMap(valuesOf)),
    linkages,
  }
}

function isTold(field: Field): boolean {
  return field.is === 'computed' || (field.is === 'attribute' && field.reads)
}

function valuesOf(field: Field): StoredValue[] {
  switch (field.is) {
    case 'attribute':
      return field.reads ? [storedValue(field)] : []
    case 'computed':
      return field.columns.map(([column, { kind }]) => ({ column, form: kind.form }))
    case 'relationship':
      return []
  }
}

/** What a row must hold for an attribute. */
export function storedValue({ name, column, kind }: AttributeField): StoredValue {
  return column === undefined ? { expression: name, form: kind.form } : { column, form: kind.form }
}

/** A value that several fields need is read once. */
function distinct(values: readonly StoredValue[]): StoredValue[] {
  return values.filter((value, index) => values.findIndex((each) => isSame(each, value)) === index)
}
