import assert from 'node:assert/strict'
import { storedAttributes } from './data.ts'
import { type Reference, see } from './reference.ts'
import { relationshipsOf, type Type, types } from './schema.ts'
import type { Data } from './things.ts'
import type { Send } from './transports.ts'

/** Compares complete lists with the reference. */
export async function assertSeen(
  send: Send,
  reference: Reference,
  data: Data,
  hint: string,
): Promise<void> {
  const expected = see(reference, data)
  for (const type of types) {
    const visible = listFields(type).filter((name) => reference.isVisible(type, name))
    const relationships = visible.filter((name) => name in relationshipsOf(type))
    const response = await send({
      method: 'GET',
      path: `/${type}?page[size]=0&fields[${type}]=${visible.join(',')}`,
    })
    const body = JSON.parse(response.slice(response.indexOf('] {') + 2))
    assert.ok(body.data, `${hint}: ${response}`)
    const found = body.data.map(
      ({ id, attributes = {}, relationships: linked = {} }: FoundResource) => ({
        id,
        attributes,
        linkage: Object.fromEntries(relationships.map((name) => [name, toIds(linked[name]?.data)])),
      }),
    )
    assert.deepEqual(found, expected[type], `${hint}: ${type}`)
    assert.equal(body.meta.count, expected[type].length, `${hint}: the count of ${type}`)
  }
}

function listFields(type: Type): string[] {
  return [...storedAttributes, 'mixed', 'loud', ...Object.keys(relationshipsOf(type))]
}

/** A resource of a document. */
interface FoundResource {
  readonly id: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, { readonly data?: unknown }>>
}

function toIds(data: unknown): string[] {
  const list = (Array.isArray(data) ? data : data === null ? [] : [data]) as { id: string }[]
  return list.map(({ id }) => id)
}

/** Checks that the descriptions which an identity gets name no field that does not exist for it. */
export async function assertDescribed(
  send: Send,
  reference: Reference,
  hint: string,
): Promise<void> {
  const read = async (path: string) => {
    const response = await send({ method: 'GET', path })
    assert.match(response, /^200 /, `${hint}: ${path}`)
    return JSON.parse(response.slice(response.indexOf('] {') + 2))
  }
  const api = await read('/openapi.json')
  const pages = await read('/html.model.json')
  for (const type of types) {
    const { $defs } = await read(`/${type}.schema.json`)
    for (const name of listFields(type)) {
      const exists = reference.isVisible(type, name) || isWrittenOnly(reference, type, name)
      const isNamedIn = (described: unknown) => JSON.stringify(described).includes(`"${name}"`)
      assert.equal(
        isNamedIn(ofType(api.components.schemas, type)),
        exists,
        `${hint}: ${type}.${name} in openapi.json`,
      )
      assert.equal(
        isNamedIn(ofType($defs, type)),
        exists,
        `${hint}: ${type}.${name} in schema.json`,
      )
      // The description for pages has the fields by which they can filter.
      if (!exists) assert.ok(!isNamedIn(pages[type]), `${hint}: ${type}.${name} in html.model.json`)
    }
  }
}

/** Whether an identity writes an attribute that it may not read. Then it exists, but not in responses. */
function isWrittenOnly(reference: Reference, type: Type, name: string): boolean {
  const isStored = storedAttributes.some((attribute) => attribute === name)
  return isStored && reference.isWritable(type, name)
}

function ofType(schemas: Readonly<Record<string, unknown>>, type: Type): unknown {
  return Object.entries(schemas).filter(([name]) => name.split('.')[0] === type)
}
