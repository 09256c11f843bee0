import { quote } from '../errors/quote.ts'
import { suggest } from '../errors/suggestion.ts'
import { findOptionErrors } from './check-options.ts'
import {
  findInsertDefaultErrors,
  findReadOnlyErrors,
  findWrittenColumnErrors,
  getOwnColumn,
  writesColumn,
} from './check-written-columns.ts'
import type { Attribute, Computed, FieldDeclaration, JoinTable } from './fields.ts'
import type { Kind } from './kinds.ts'
import type { ModelOptions } from './model.ts'
import { resolveIdOptions } from './resolve.ts'
import type { ResourceDeclaration } from './resource.ts'

/** A declaration that cannot be served. Its message holds a line per mistake, each with the path to the wrong word. */
export class DeclarationError extends Error {
  readonly errors: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.name = 'DeclarationError'
    this.errors = mistakes
  }
}

/** Member names (https://jsonapi.org/format/1.0/#document-member-names) without the space, which no URL wants. */
const memberName =
  /^[a-zA-Z0-9\u0080-\uffff]([a-zA-Z0-9\u0080-\uffff_-]*[a-zA-Z0-9\u0080-\uffff])?$/

/**
 * Checks all that can be known of declarations without a database: first what they say, then what it means.
 * @throws DeclarationError with every mistake found
 */
export function checkDeclarations(
  resources: readonly ResourceDeclaration[],
  options: ModelOptions = {},
): void {
  throwDeclarationErrors(findOptionErrors(resources, options))
  throwDeclarationErrors([
    ...sizeMistakes(options),
    ...repeated(resources, 'type', (resource) => resource.type),
    ...repeated(resources, 'path', (resource) => resource.path),
    ...resources.flatMap((resource) => resourceMistakes(resource, resources)),
  ])
}

/** Ends a check. @throws DeclarationError when there are mistakes */
export function throwDeclarationErrors(mistakes: readonly string[]): void {
  if (mistakes.length > 0) throw new DeclarationError(mistakes)
}

function sizeMistakes({ pageSize, maxPageSize }: ModelOptions): string[] {
  const isNone = maxPageSize === undefined || maxPageSize === null
  if (pageSize === undefined || isNone || pageSize <= maxPageSize) return []
  return [`options.pageSize: must not be above maxPageSize, ${maxPageSize}; it is ${pageSize}`]
}

function repeated(
  resources: readonly ResourceDeclaration[],
  word: string,
  of: (resource: ResourceDeclaration) => string,
): string[] {
  return resources
    .filter(
      (resource, index) => resources.findIndex((other) => of(other) === of(resource)) !== index,
    )
    .map(
      (resource) =>
        `${resource.type}.${word}: another resource type has the ${word} "${of(resource)}" too`,
    )
}

function resourceMistakes(
  resource: ResourceDeclaration,
  all: readonly ResourceDeclaration[],
): string[] {
  const mistakes: string[] = []
  if (!memberName.test(resource.type)) {
    mistakes.push(`${resource.type}.type: "${resource.type}" is no JSON:API member name`)
  }
  if (!/^\/[A-Za-z0-9_~-]+$/.test(resource.path)) {
    mistakes.push(`${resource.type}.path: "${resource.path}" is not of the form "/word"`)
  }
  mistakes.push(
    ...idMistakes(resource),
    ...findReadOnlyErrors(resource),
    ...findInsertDefaultErrors(resource),
  )
  for (const [name, field] of Object.entries(resource.fields)) {
    const place = `${resource.type}.fields.${name}`
    mistakes.push(...nameMistakes(name).map((mistake) => `${place}: ${mistake}`))
    mistakes.push(
      ...fieldMistakes(name, field, resource, all).map((mistake) => `${place}${mistake}`),
    )
  }
  return mistakes
}

function nameMistakes(name: string): string[] {
  if (name === 'id' || name === 'type') return [`"${name}" is every resource's own member`]
  if (name === 'relationships' || name === 'links')
    return [`"${name}" has a meaning of its own in documents`]
  if (!memberName.test(name)) return [`"${name}" is no JSON:API member name`]
  if (name.includes('__')) return ['"__" stands between a relationship and its field in filters']
  return []
}

function fieldMistakes(
  name: string,
  field: FieldDeclaration,
  resource: ResourceDeclaration,
  all: readonly ResourceDeclaration[],
): string[] {
  switch (field.is) {
    case 'attribute':
      return attributeMistakes(name, field, resource)
    case 'expression':
      return orderMistakes(field)
    case 'computed':
      return computedMistakes(name, field, resource)
    case 'toOne':
    case 'toMany': {
      const types = all.map(({ type }) => type)
      const shared = relationshipMistakes(name, field, resource)
      if (types.includes(field.to)) return shared
      return [
        ...shared,
        `.to: there is no resource type "${field.to}"; ${suggest(field.to, types, 'types')}`,
      ]
    }
  }
}

/** The kinds whose values can stand in a path and are told as they are asked for. */
const idKinds: readonly string[] = ['id', 'uuid', 'text']

function idMistakes(resource: ResourceDeclaration): string[] {
  const { kind } = resolveIdOptions(resource)
  if (idKinds.includes(kind.name)) return []
  return [`${resource.type}.id.kind: ids are whole numbers, uuids or texts; this is ${kind.name}`]
}

function attributeMistakes(
  name: string,
  field: Attribute,
  resource: ResourceDeclaration,
): string[] {
  const isReadOnly = field.access === 'read-only'
  if (isReadOnly && field.required)
    return ['.required: a read-only attribute cannot be required, nobody may send it']
  return [
    ...orderMistakes(field),
    ...defaultMistakes(field),
    ...(isReadOnly && field.validate
      ? ['.validate: nobody may send a read-only attribute, so nothing is checked']
      : []),
    ...(writesColumn(field, resource) ? findWrittenColumnErrors(name, field.column, resource) : []),
  ]
}

function orderMistakes({
  kind,
  sort,
}: Readonly<{ kind: Kind<unknown>; sort?: boolean }>): string[] {
  return sort && kind.operators === 'opaque'
    ? [`.sort: values of the kind ${kind.name} have no order`]
    : []
}

/** What a function makes is seen only when it is called. */
function defaultMistakes({ kind, default: value, required }: Attribute): string[] {
  if (value === undefined || typeof value === 'function') return []
  if (value === null)
    return required ? ['.default: must not be null, as the attribute is required'] : []
  const reading = kind.readBody(value)
  return 'value' in reading ? [] : [`.default: must be ${reading.expected}; it is ${quote(value)}`]
}

function relationshipMistakes(
  name: string,
  field: Extract<FieldDeclaration, { is: 'toOne' | 'toMany' }>,
  resource: ResourceDeclaration,
): string[] {
  if ('through' in field) return joinMistakes(field.through)
  const isOwn =
    field.is === 'toOne' && field.foreignKey !== 'other' && writesColumn(field, resource)
  return isOwn ? findWrittenColumnErrors(name, field.column, resource) : []
}

function joinMistakes({ from, to }: JoinTable): string[] {
  return from === to ? [`.through.to: "${to}" is the column of this side already`] : []
}

function computedMistakes(name: string, field: Computed, resource: ResourceDeclaration): string[] {
  const fields = Object.entries(resource.fields)
  const before = fields.slice(
    0,
    fields.findIndex(([other]) => other === name),
  )
  return Object.entries(field.columns).flatMap(([column, { kind }]) => {
    const readers = [
      ...fields.flatMap(([other, each]) =>
        each.is === 'attribute' ? [[other, getOwnColumn(other, each), each.kind] as const] : [],
      ),
      ...before.flatMap(([other, each]) =>
        each.is === 'computed'
          ? Object.entries(each.columns).map(([name, use]) => [other, name, use.kind] as const)
          : [],
      ),
    ]
    return readers
      .filter(([, read, as]) => read === column && as.comparesAs !== kind.comparesAs)
      .map(
        ([other, , as]) =>
          `.columns.${column}: is ${kind.name} here and ${as.name} in the field "${other}"`,
      )
  })
}
