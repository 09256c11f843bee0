import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { OpenApiDocument } from 'lapidary/openapi'
import { storedAttributes } from './data.ts'
import { listOperations } from './list-operations.ts'
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
  return [
    ...storedAttributes,
    ...['mixed', 'loud', 'ownNumber', 'nextNumber'],
    ...Object.keys(relationshipsOf(type)),
  ]
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

/** Checks that the descriptions which an identity gets name the fields and the operations that exist for it, and no others. */
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
  const operations = listOperations(reference)
  assert.deepEqual(listDescribed(api), [...operations].sort(), `${hint}: openapi.json`)
  assertRoot(await read('/'), reference, hint)
  const used = types.filter((type) => [...operations].some((each) => isOf(each, type)))
  for (const type of types.filter((type) => !used.includes(type))) {
    const response = await send({ method: 'GET', path: `/${type}.schema.json` })
    assert.match(response, /^404 /, `${hint}: ${type}.schema.json`)
  }
  for (const type of used) {
    const { $defs } = await read(`/${type}.schema.json`)
    const sent = listSent(type, operations)
    const described = Object.keys($defs).filter((name) => /\.(new|update)$/.test(name))
    assert.deepEqual(described.sort(), sent, `${hint}: ${type} in schema.json`)
    for (const name of listFields(type)) {
      const isRead = reference.isVisible(type, name)
      const isWritten = !isRead && isWrittenOnly(reference, type, name)
      const isNamedIn = (part: unknown) => JSON.stringify(part).includes(`"${name}"`)
      const inApi = isNamedIn(ofType(api.components.schemas, type))
      const inSchema = isNamedIn(ofType($defs, type))
      const at = `${hint}: ${type}.${name}`
      if (!isRead && !isWritten) assert.ok(!inApi && !inSchema, `${at} is described`)
      const isShown = isRead && operations.has(`GET /${type}`)
      if (isShown) assert.ok(inSchema, `${at} in schema.json`)
      // Who may not read an immutable attribute cannot send it back in an update.
      const isSent = reference.isFixed(type, name) ? sent.includes(`${type}.new`) : sent.length > 0
      if (isWritten) assert.equal(inSchema, isSent, `${at} in schema.json`)
      const isUsed = isRead ? operations.has(`GET /${type}`) : isWritten && isSent
      if (isUsed) assert.ok(inApi, `${at} in openapi.json`)
      // The description for pages has the fields by which they can filter.
      if (!isRead) assert.ok(!isNamedIn(pages[type] ?? {}), `${at} in html.model.json`)
    }
  }
  assert.deepEqual(Object.keys(pages), used, `${hint}: html.model.json`)
}

/** The expected examples of a description. */
interface ExpectedExamples {
  readonly reference: Reference
  readonly data: Data
  /** The description with examples made by kind, which a description has for types that are not read in time. */
  readonly made: OpenApiDocument
}

/** Checks that each example of a description is made by kind, or is a resource that the identity may read. */
export async function assertExamples(
  send: Send,
  { reference, data, made }: ExpectedExamples,
  hint: string,
): Promise<void> {
  const response = await send({ method: 'GET', path: '/openapi.json' })
  const description: OpenApiDocument = JSON.parse(response.slice(response.indexOf('] {') + 2))
  const seen = see(reference, data)
  for (const type of types) {
    const example = findExample(description, type)

    if (example === undefined || isDeepStrictEqual(example, findExample(made, type))) continue
    const row = seen[type].find(({ id }) => id === example.id)
    const attributes = Object.keys(example.attributes).map((name) => [name, row?.attributes[name]])
    assert.deepEqual(example.attributes, Object.fromEntries(attributes), `${hint}: ${type}`)
  }
}

/** Finds the example of a resource: its id and its attributes. */
function findExample({ components }: OpenApiDocument, type: Type) {
  const [example] = Object(components.schemas[type]).examples ?? []
  if (example === undefined) return undefined
  const { id, attributes = {} } = JSON.parse(JSON.stringify(example)) as FoundResource
  return { id, attributes }
}

/** Lists the operations of a description, without the addresses of descriptions. */
function listDescribed({ paths }: { paths: Readonly<Record<string, object>> }): string[] {
  const methods = ['get', 'post', 'patch', 'delete']
  return Object.entries(paths)
    .filter(([path]) => path !== '/' && path !== '/operations' && !path.endsWith('.json'))
    .flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => methods.includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    )
    .sort()
}

function isOf(operation: string, type: Type): boolean {
  return operation.split(' ')[1]?.split('/')[1] === type
}

/** Lists the schemas of a type that an identity may send. */
function listSent(type: Type, operations: ReadonlySet<string>): string[] {
  const creates = types.flatMap((owner) =>
    Object.entries(relationshipsOf(owner)).flatMap(([name, { to }]) =>
      to === type ? [`POST /${owner}/{id}/${name}`] : [],
    ),
  )
  const canCreate = [`POST /${type}`, ...creates].some((each) => operations.has(each))
  return [
    ...(canCreate ? [`${type}.new`] : []),
    ...(operations.has(`PATCH /${type}/{id}`) ? [`${type}.update`] : []),
  ]
}

/** The root document has the types that the identity may use, with the relationships that exist for it. */
function assertRoot(
  root: { meta: { resources: Record<string, { relationships: object }> } },
  reference: Reference,
  hint: string,
): void {
  const operations = [...listOperations(reference)]
  const expected = types
    .filter((type) => operations.some((each) => isOf(each, type)))
    .map((type) => {
      const names = Object.keys(relationshipsOf(type))
      return [type, names.filter((name) => reference.isVisible(type, name)).sort()]
    })
  const found = Object.entries(root.meta.resources).map(([type, { relationships }]) => {
    return [type, Object.keys(relationships).sort()]
  })
  assert.deepEqual(found, expected, `${hint}: the root document`)
}

/** Whether an identity writes an attribute that it may not read. Then it exists, but not in responses. */
function isWrittenOnly(reference: Reference, type: Type, name: string): boolean {
  const isStored = storedAttributes.some((attribute) => attribute === name)
  return isStored && reference.isWritable(type, name)
}

function ofType(schemas: Readonly<Record<string, unknown>>, type: Type): unknown {
  return Object.entries(schemas).filter(([name]) => name.split('.')[0] === type)
}
