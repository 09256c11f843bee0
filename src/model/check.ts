import { quoted } from '../errors/errors.ts'
import { suggestion } from '../errors/nearest.ts'
import type { Attribute, Computed, FieldDeclaration, JoinTable } from './fields.ts'
import type { Kind } from './kinds.ts'
import type { ResourceDeclaration } from './resource.ts'
import { idOptions } from './settle.ts'

/** A declaration that cannot be served. Its message holds a line per mistake, each with the path to the wrong word. */
export class DeclarationError extends Error {
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.name = 'DeclarationError'
    this.mistakes = mistakes
  }
}

/** JSON:API 1.0, Member Names, without the space, which no URL wants. */
const memberName =
  /^[a-zA-Z0-9\u0080-\uffff]([a-zA-Z0-9\u0080-\uffff_-]*[a-zA-Z0-9\u0080-\uffff])?$/

/**
 * Checks all that can be known of declarations without a database.
 * @param sizes - the sizes of pages among the model's options, by name
 * @throws DeclarationError with every mistake found
 */
export function checkDeclarations(
  resources: readonly ResourceDeclaration[],
  sizes: Readonly<Record<string, number | undefined>> = {},
): void {
  const mistakes = [
    ...sizeMistakes(sizes),
    ...repeated(resources, 'type', (resource) => resource.type),
    ...repeated(resources, 'path', (resource) => resource.path),
    ...resources.flatMap((resource) => resourceMistakes(resource, resources)),
  ]
  if (mistakes.length > 0) throw new DeclarationError(mistakes)
}

function sizeMistakes(sizes: Readonly<Record<string, number | undefined>>): string[] {
  return Object.entries(sizes).flatMap(([name, size]) => {
    if (size === undefined || (Number.isSafeInteger(size) && size >= 1)) return []
    return [`options.${name}: must be a whole number from 1; it is ${size}`]
  })
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
  mistakes.push(...idMistakes(resource), ...newRowMistakes(resource))
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
    case 'attribute': {
      if (field.required && field.access === 'read-only') {
        return ['.required: a read-only attribute cannot be required, nobody may send it']
      }
      return [
        ...orderMistakes(field),
        ...defaultMistakes(field),
        ...(field.access === 'read-only'
          ? []
          : writtenColumnMistakes(name, field.column, resource)),
      ]
    }
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
        `.to: there is no resource type "${field.to}"; ${suggestion(field.to, types, 'types')}`,
      ]
    }
  }
}

/** The kinds whose values can stand in a path and are told as they are asked for. */
const idKinds: readonly string[] = ['id', 'uuid', 'text']

function idMistakes(resource: ResourceDeclaration): string[] {
  const { kind } = idOptions(resource)
  if (idKinds.includes(kind.name)) return []
  return [`${resource.type}.id.kind: ids are whole numbers, uuids or texts; this is ${kind.name}`]
}

function newRowMistakes(resource: ResourceDeclaration): string[] {
  return Object.keys(resource.newRows ?? {}).flatMap((column) => {
    const writers = Object.entries(resource.fields).filter(
      ([name, field]) =>
        !(
          field.is === 'attribute' &&
          field.access === 'read-only' &&
          field.default === undefined
        ) && columnOf(name, field) === column,
    )
    return writers.map(
      ([name]) => `${resource.type}.newRows.${column}: the field "${name}" writes it`,
    )
  })
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
function defaultMistakes({ kind, default: value }: Attribute): string[] {
  if (value === undefined || value === null || typeof value === 'function') return []
  const reading = kind.readBody(value)
  return 'value' in reading ? [] : [`.default: must be ${reading.expected}; it is ${quoted(value)}`]
}

function relationshipMistakes(
  name: string,
  field: Extract<FieldDeclaration, { is: 'toOne' | 'toMany' }>,
  resource: ResourceDeclaration,
): string[] {
  if ('through' in field) return joinMistakes(field.through)
  const isOwn = field.is === 'toOne' && field.key !== 'there' && field.access !== 'read-only'
  return isOwn ? writtenColumnMistakes(name, field.column, resource) : []
}

function joinMistakes({ from, to }: JoinTable): string[] {
  return from === to ? [`.through.to: "${to}" is the column of this side already`] : []
}

/**
 * A column that two fields write would keep the value of one and drop the other's silently; the ids' is written by nobody.
 * @param column - as declared; told where it is said, so never of a field that has none of its own
 */
function writtenColumnMistakes(
  name: string,
  column: string | undefined,
  resource: ResourceDeclaration,
): string[] {
  if (resource.access === 'read-only') return []
  const place = column === undefined ? '' : '.column'
  const id = idOptions(resource).column
  if ((column ?? name) === id && name !== 'id')
    return [`${place}: "${id}" is the column of the ids, which the database writes`]
  if (column === undefined) return []
  const writers = Object.entries(resource.fields).flatMap(([other, field]) => {
    const writes =
      field.is === 'computed' || field.is === 'expression' ? false : field.access !== 'read-only'
    return writes && columnOf(other, field) === column ? [`"${other}"`] : []
  })
  return writers.length < 2 ? [] : [`${place}: "${column}" is written by ${writers.join(' and ')}`]
}

function columnOf(name: string, field: FieldDeclaration): string | undefined {
  if (field.is === 'attribute') return field.column ?? name
  return field.is === 'toOne' && field.key !== 'there' ? field.column : undefined
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
        each.is === 'attribute' ? [[other, columnOf(other, each), each.kind] as const] : [],
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
