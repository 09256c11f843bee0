import type { Kind } from '../model/kinds.ts'
import type { AttributeField, Field } from '../model/model.ts'

/** Values of the kinds, as clients send them, by the names of the kinds. Of several values, the first that the kind accepts. */
const examples: Readonly<Record<string, readonly unknown[]>> = {
  id: ['1'],
  text: ['A text'],
  email: ['ada@example.org'],
  url: ['https://example.org/'],
  integer: [42],
  integer64: [42],
  number: [1.5],
  decimal: ['12.50', '12.5', '1.5', '0.5', '1'],
  boolean: [true],
  date: ['2024-02-29'],
  datetime: ['2024-02-29T12:30:00Z'],
  time: ['12:30:00'],
  uuid: ['f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
  json: [{ key: 'value' }],
  bytes: ['AAEC/w=='],
}

/** The name of a kind without its stored format: `boolean` of `boolean as Y/N`. */
export function getBaseName({ name }: Kind<unknown>): string {
  return name.split(' ')[0] ?? name
}

/** Makes a value of a kind as clients send it; `undefined` if there is none. */
export function makeExample(kind: Kind<unknown>): unknown {
  const { enum: choices } = kind.schema
  const candidates = Array.isArray(choices) ? choices : (examples[getBaseName(kind)] ?? [])
  return candidates.find((candidate: unknown) => 'value' in kind.readBody(candidate))
}

/** Makes a value of a kind as responses have it: the server may write it otherwise than clients do. */
function makeReturnedExample(kind: Kind<unknown>): unknown {
  const sent = makeExample(kind)
  if (sent === undefined) return undefined
  const read = kind.readBody(sent)
  return 'value' in read ? JSON.parse(kind.serialize(read.value)) : undefined
}

/** Makes the attributes of a resource as responses have them. */
export function makeReturnedAttributes(fields: readonly Field[]): Record<string, unknown> {
  return collect(fields.filter(isAttribute), makeReturnedExample)
}

/** Makes the attributes that a client sends. */
export function makeSentAttributes(fields: readonly AttributeField[]): Record<string, unknown> {
  return collect(fields, makeExample)
}

function isAttribute(field: Field): field is Exclude<Field, { is: 'relationship' }> {
  return field.is !== 'relationship'
}

function collect(
  fields: readonly Readonly<{ name: string; kind: Kind<unknown> }>[],
  make: (kind: Kind<unknown>) => unknown,
): Record<string, unknown> {
  const entries = fields.map(({ name, kind }) => [name, make(kind)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
