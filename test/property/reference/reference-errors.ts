/** Computes the errors of a write before any table is changed, over plain objects, as decision 0007 defines them. */
import { jsonOf } from '../everything/exact-json.ts'
import { cell, rowWithId, valueIn } from '../everything/rows.ts'
import type { Linkage, ParsedResource, Target, Write } from '../everything/write.ts'
import {
  type AttributeDescription,
  type Data,
  getRelationship,
  getType,
  type JsonValue,
  type Kind,
  type RelationshipDescription,
  type TypeDescription,
} from '../schema.ts'
import type { Identifier } from './reference-document.ts'
import { kinds } from './reference-kinds.ts'

// biome-ignore format: a table, one kind a row
/** The invalid values of each kind. All other values in writes are valid. */
export const badValues: Readonly<Record<Kind, readonly JsonValue[]>> = {
  id:          ['x', '007', '9223372036854775808', '1.0'],
  key:         ['x', '', '100', '1,a,b', '007,a', ',a', '100,~', '100,a~2', 100],
  text:        [1, true, ['a'], 'nul \0 nul', { a: 1 }],
  email:       ['ada', 'a@', '@b.example', 'a b@c.example', 1],
  url:         ['/path', 'a.example', 'https://', 'https://a b.example/', false],
  integer:     [1.5, '1', 2n ** 53n, true, 1e21],
  integer64:   [1.5, 'x', 2n ** 63n, -(2n ** 63n) - 1n, 1e21],
  decimal:     [12.5, '1e5', '+1', '007', '.5', '1.', '', 'x'],
  number:      ['1', 'x', true, [1]],
  boolean:     [0, 1, 'true'],
  date:        ['2001-02-29', '2001-2-3', '0000-01-01', '10000-01-01', '2001-02-03T00:00:00Z', 20010203],
  datetime:    ['2001-02-03', '2001-02-03T04:05:06', '2001-02-03 04:05:06Z', '2001-02-03T04:05:60Z', '2001-02-03T04:05:06.1234567Z', '0001-01-01T00:00:00+01:00'],
  time:        ['24:00:00', '12:00', '12:00:00Z', '12:00:00.1234567', 120000],
  uuid:        ['x', '{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}', 'f81d4fae7dec11d0a76500a0c91e6bf6', 1],
  enumeration: ['opened', 0, ['open']],
  json:        ['text', 1, true, { links: 1 }, { a: { relationships: [] } }, ['\0'], { '': 1 }, { 'a/b': 1 }],
  bytes:       ['A', 'AA', 'AB==', 'AAA=\n', 'ä', 1],
}

/** Decimals that are invalid with twelve digits, two of them after the point. */
export const badAmounts: readonly JsonValue[] = ['0.001', '0.010', '12345678901', '-10000000000.00']

/** Lists the statuses of the errors of a write. */
export function listErrors(data: Data, write: Write): number[] {
  switch (write.is) {
    case 'create':
      return listCreateErrors(data, write)
    case 'update':
      return listUpdateErrors(data, write)
    case 'relate':
      return listRelationshipErrors(data, write)
    case 'delete':
      return isThere(data, write.type, write.id) ? [] : [404]
  }
}

/** The status of a response with errors: that of all errors, or 400 if they differ. */
export function statusOf(errors: readonly number[]): number {
  const [first = 200, ...others] = errors
  return others.every((other) => other === first) ? first : 400
}

function listCreateErrors(data: Data, write: Extract<Write, { is: 'create' }>): number[] {
  const { type, parent } = write
  const resource = getType(data.schema, type)
  if (parent !== undefined) {
    const { access } = getRelationship(data.schema, parent.type, parent.relationship)
    if (access === 'read-only') return [403]
    if (!isReadableId(getType(data.schema, parent.type), parent.id)) return [404]
  }
  if (write.says !== type) return [409]
  if (hasWrongNumber(data, type, write)) return [400]
  if (parent !== undefined && !isThere(data, parent.type, parent.id)) return [404]
  const missing = Object.entries(resource.attributes).filter(
    ([name, { required }]) => required && write.attributes[name] === undefined,
  )
  return [
    ...listIdErrors(resource, write.id),
    ...missing.map(() => 422),
    ...listMemberErrors(data, type, write, undefined),
    ...(parent && contradicts(data, write, parent) ? [409] : []),
  ]
}

function listUpdateErrors(data: Data, write: Extract<Write, { is: 'update' }>): number[] {
  const { type, id } = write
  if (!isReadableId(getType(data.schema, type), id)) return [404]
  if (write.says !== type) return [409]
  if (hasWrongNumber(data, type, write)) return [400]
  if (!isThere(data, type, id)) return [404]
  return listMemberErrors(data, type, write, id)
}

function listRelationshipErrors(
  data: Data,
  { target, change, linkage }: Extract<Write, { is: 'relate' }>,
): number[] {
  const relationship = getRelationship(data.schema, target.type, target.relationship)
  if (relationship.access === 'read-only') return [403]
  if (!isReadableId(getType(data.schema, target.type), target.id)) return [404]
  if (relationship.many !== Array.isArray(linkage)) return [400]
  if (!isThere(data, target.type, target.id)) return [404]
  return listLinkageErrors(data, relationship, linkage, change === 'remove')
}

function isReadableId({ id }: TypeDescription, text: string): boolean {
  return !badValues[id.kind].includes(text)
}

function isThere(data: Data, type: string, id: string): boolean {
  return rowWithId(data, type, id) !== undefined
}

/** Whether linkage is one identifier instead of a list, or the reverse. */
function hasWrongNumber(data: Data, type: string, { relationships }: ParsedResource): boolean {
  const fields = getType(data.schema, type).relationships
  return Object.entries(relationships).some(([name, linkage]) => {
    const field = fields[name]
    if (field === undefined || field.access === 'read-only') return false
    return field.many !== Array.isArray(linkage)
  })
}

function listIdErrors({ id: { kind, client } }: TypeDescription, id?: JsonValue): number[] {
  if (client === undefined) return []
  if (id === undefined) return client === 'required' ? [422] : []
  return id === '' || badValues[kind].includes(id) ? [422] : []
}

function listMemberErrors(
  data: Data,
  type: string,
  { attributes, relationships }: ParsedResource,
  id: string | undefined,
): number[] {
  const fields = getType(data.schema, type)
  const row = id === undefined ? undefined : rowWithId(data, type, id)
  return [
    ...Object.entries(attributes).flatMap(([name, json]) => {
      if (name === 'id') return []
      const attribute = fields.attributes[name]
      if (attribute === undefined) return [422]
      if (attribute.access === 'read-only') return []
      if (!isValue(attribute, json)) return [422]
      const isChanged = row && jsonOf(valueIn(data, type, row, name)) !== jsonOf(json)
      return attribute.access === 'immutable' && isChanged ? [422] : []
    }),
    ...Object.entries(relationships).flatMap(([name, linkage]) => {
      const relationship = fields.relationships[name]
      if (relationship === undefined) return [422]
      if (relationship.access === 'read-only') return []
      return listLinkageErrors(data, relationship, linkage, false)
    }),
  ]
}

function isValue(attribute: AttributeDescription, json: JsonValue): boolean {
  if (json === null) return attribute.required !== true
  const bad = attribute.scale === undefined ? [] : badAmounts
  const text = jsonOf(json)
  return ![...badValues[attribute.kind], ...bad].some((each) => jsonOf(each) === text)
}

/** A resource that is unlinked need not exist. */
function listLinkageErrors(
  data: Data,
  { to }: RelationshipDescription,
  linkage: Linkage,
  isRemoved: boolean,
): number[] {
  return identifiersIn(linkage).flatMap(({ type, id }) => {
    if (type !== to) return [409]
    return isRemoved || isThere(data, to, id) ? [] : [404]
  })
}

/** The identifiers of linkage. */
export function identifiersIn(linkage: Linkage): readonly Identifier[] {
  if (linkage === null) return []
  return Array.isArray(linkage) ? linkage : [linkage].flat()
}

/** The inverse of the relationship in the path, if it may be written. */
function inverseOf(data: Data, { type, relationship }: Target): string | undefined {
  const { to, link } = getRelationship(data.schema, type, relationship)
  if (link.foreignKey === 'join table') return undefined
  const [found] = Object.entries(getType(data.schema, to).relationships).find(
    ([, other]) =>
      other.to === type &&
      other.link.foreignKey === 'own' &&
      other.link.ownKey === link.otherKey &&
      other.link.otherKey === link.ownKey &&
      other.access !== 'read-only',
  ) ?? [undefined]
  return found
}

/** Whether the document links the new resource to another one than the path. */
function contradicts(data: Data, { relationships }: ParsedResource, parent: Target): boolean {
  const linkage = relationships[inverseOf(data, parent) ?? '']
  if (linkage === undefined) return false
  const [first] = identifiersIn(linkage)
  return first?.id !== parent.id
}

/** The value of a foreign key column for the related resource; null for none. */
export function keyTo(
  data: Data,
  type: string,
  column: string,
  [first]: readonly Identifier[],
): JsonValue {
  const row = first && rowWithId(data, type, first.id)
  return row === undefined ? null : cell(row, column)
}

/** Reads a value of a body. */
export function readBody({ kind }: AttributeDescription, json: JsonValue): JsonValue {
  return json === null ? null : kinds[kind].read(json)
}
