import assert from 'node:assert/strict'
import { defineModel, type Model } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { evaluateDeclarations } from '../../cli/introspect/evaluate-declarations.ts'
import { formatOmissions } from '../../cli/introspect/format-omissions.ts'
import { readDeclarations } from '../../cli/introspect.ts'
import { joinId } from '../../src/model/kinds/composite-ids.ts'
import { assertModelConforms } from '../checker/check-served.ts'
import type { Scope } from '../cleanup.ts'
import { connect, type Exchange } from '../client.ts'
import { openStore } from '../engine/engine.ts'
import { execute } from '../filled.ts'
import type { Document, Identifier, Resource } from '../test-response.ts'

/** A resource type or a field of it as a model has it. */
export type ResourceType = Model['types'] extends ReadonlyMap<string, infer Type> ? Type : never
type Field = ResourceType['fields'] extends ReadonlyMap<string, infer Each> ? Each : never
type Relationship = Extract<Field, { is: 'relationship' }>
type Attribute = Extract<Field, { is: 'attribute' }>
type Table = ResourceType['table']

/** A database that is introspected and served unchanged. */
export interface Served {
  readonly url: string
  readonly model: Model
  /** The output of the introspection. */
  readonly omitted: readonly string[]
  /** The warnings of the startup check. */
  readonly warnings: readonly string[]
  /** Sends a request. Its response must conform to JSON:API and to the description. @param raw - the body */
  readonly send: (method: string, path: string, raw?: string) => Promise<Exchange>
  /** Sends a GET request, whose response must be 200. */
  readonly get: (path: string) => Promise<Document>
}

/** The limits of a walk through a database. */
export interface Walk {
  /** The maximum number of resources of a type that are fetched one by one, with their relationships. */
  readonly resources: number
  /** The maximum number of attributes of a type by which its resources are sorted. */
  readonly sorts: number
  /** The maximum number of attributes of a type by whose values its resources are found. */
  readonly filters: number
}

/** Introspects a database and serves what is declared, until the scope ends. */
export async function serveDatabase(test: Scope, url: string): Promise<Served> {
  const declarations = await readDeclarations(url, { types: 'plural' })
  const model = defineModel(evaluateDeclarations(declarations), { maxPageSize: null })
  const store = await openStore(model, url)
  const server = createServer({ model, store, logLevel: 'silent' })
  test.after(() => server.close().then(() => store.close()))
  const { warnings } = await store.verify()
  const client = connect(await server.listen({ host: '127.0.0.1', port: 0 }))
  test.after(() => client.close())
  const send = async (method: string, path: string, raw?: string) => {
    const exchange = await client.send(method, path, { raw })
    assertModelConforms(model, exchange)
    return exchange
  }
  const get = async (path: string): Promise<Document> => {
    const exchange = await send('GET', path)
    assert.equal(exchange.status, 200, `${path}: ${exchange.text}`)
    return JSON.parse(exchange.text)
  }
  return { url, model, omitted: formatOmissions(declarations), warnings, send, get }
}

/** Fetches everything of a resource type; returns the number of links of each relationship through a join table. */
export async function walkType(
  served: Served,
  type: ResourceType,
  { resources: maxResources, sorts, filters }: Walk,
): Promise<Record<string, number>> {
  const resources = await assertEqualsTable(served, type)
  const ids = resources.map(({ id }) => id).slice(0, maxResources)
  for (const id of ids) {
    const { data } = await served.get(`${type.path}/${encodeURIComponent(id)}`)
    assert.deepEqual(
      data,
      resources.find((each) => each.id === id),
    )
  }
  const attributes = listAttributes(type)
  for (const field of attributes.filter(({ isSortable }) => isSortable).slice(0, sorts)) {
    const { data } = await served.get(`${type.path}?sort=-${encodeURIComponent(field.name)}`)
    assert.equal(asList(data).length, resources.length, `${type.path} by ${field.name}`)
  }
  for (const field of attributes.filter(({ isFilterable }) => isFilterable).slice(0, filters))
    await findByValues(served, type, field, resources)
  const joined: Record<string, number> = {}
  for (const field of type.fields.values()) {
    if (field.is !== 'relationship') continue
    const found = await walkRelationship(served, type, field, ids)
    const name = `${type.type}.${field.name}`
    if (field.link.foreignKey === 'join table') joined[name] = found
    assert.equal(found, await countLinks(served, type, field), name)
  }
  return joined
}

const asList = (data: Document['data']): Resource[] => [data ?? []].flat()
const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
const tableName = ({ schema, name }: Table) =>
  schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`

/** The attributes that a column stores. */
function listAttributes({ fields }: ResourceType): (Attribute & { readonly column: string })[] {
  return [...fields.values()].flatMap((field) =>
    field.is === 'attribute' && field.column !== undefined
      ? [{ ...field, column: field.column }]
      : [],
  )
}

/** Compares a collection with its table: the number of rows, the ids, and the texts and integers of every row. */
async function assertEqualsTable(served: Served, type: ResourceType): Promise<readonly Resource[]> {
  const { data, meta } = await served.get(`${type.path}?sort=id`)
  const resources = new Map(asList(data).map((each) => [each.id, each]))
  const attributes = listAttributes(type).filter(({ kind }) =>
    ['text', 'integer', 'enumeration'].includes(kind.name),
  )
  const columns = new Set([...type.id.columns, ...attributes.map(({ column }) => column)])
  const texts = [...columns].map((name) => `cast(${quote(name)} as text) as ${quote(name)}`)
  const rows = await execute(served.url, `select ${texts.join(', ')} from ${tableName(type.table)}`)
  assert.deepEqual([meta?.count, resources.size], [rows.length, rows.length], type.path)
  for (const row of rows) {
    const parts = type.id.parts.map((part) => toIdPart(row[part.column], part.kind.name))
    const id = parts.length === 1 ? String(parts[0]) : joinId(parts)
    const found = resources.get(id)
    assert.ok(found, `${type.path}/${id}`)
    for (const { name, column, invalidValues } of attributes) {
      const value: unknown = found.attributes?.[name] ?? null
      if (value === null && invalidValues === 'null') continue
      const expected = row[column]
      assert.equal(value === null ? null : String(value), expected, `${type.path}/${id} ${name}`)
    }
  }
  return [...resources.values()]
}

/** The text of a column in an id. */
function toIdPart(text: unknown, kind: string): string {
  if (kind !== 'datetime') return String(text)
  return new Date(String(text)).toISOString().replace(/\.?0*Z$/, 'Z')
}

/** Finds each resource by its value of an attribute, including null. */
async function findByValues(
  { get }: Served,
  { path, type }: ResourceType,
  { name, kind }: Attribute,
  resources: readonly Resource[],
): Promise<void> {
  const isOpaque = kind.operators === 'opaque'
  const values = new Set(
    resources.flatMap((resource): unknown[] => {
      const value: unknown = resource.attributes?.[name] ?? null
      // JSON.parse has rounded integers beyond 2^53.
      const isExact: boolean = !(
        typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
      )
      return typeof value === 'object' || isOpaque || !isExact ? [] : [value]
    }),
  )
  for (const value of [...values, null]) {
    const filter = encodeURIComponent(JSON.stringify([{ name, op: 'eq', val: value }]))
    const found = asList((await get(`${path}?filter=${filter}`)).data).map(({ id }) => id)
    const expected = resources.filter(({ attributes }) => (attributes?.[name] ?? null) === value)
    const missing = expected.filter(({ id }) => !found.includes(id)).map(({ id }) => id)
    assert.deepEqual(missing, [], `${type}.${name} = ${value}`)
  }
}

/** The number of links that the database stores for a relationship: of keys that reference a row. */
async function countLinks(
  { model, url }: Served,
  { table }: ResourceType,
  { link, to }: Relationship,
): Promise<number> {
  const target = model.types.get(to)?.table
  assert.ok(target)
  const isEqual = (
    one: string,
    columns: readonly string[],
    other: string,
    keys: readonly string[],
  ) =>
    columns
      .map((name, at) => `${one}.${quote(name)} = ${other}.${quote(keys[at] ?? '')}`)
      .join(' and ')
  const [own, other] = [`${tableName(table)} as a`, `${tableName(target)} as b`]
  const from =
    link.foreignKey === 'join table'
      ? `${own} join ${tableName(link.joinTable)} as j on ${isEqual('a', link.ownKey, 'j', link.from)} join ${other} on ${isEqual('b', link.otherKey, 'j', link.to)}`
      : link.foreignKey === 'own'
        ? `${own} join ${other} on ${isEqual('b', link.otherKey, 'a', link.ownKey)}`
        : `${own} join ${other} on ${isEqual('a', link.ownKey, 'b', link.otherKey)}`
  const [row] = await execute(url, `select count(*) as n from ${from}`)
  return Number(row?.n)
}

/** Fetches a relationship of some resources in every way; returns the number of its links. */
async function walkRelationship(
  { get }: Served,
  { path, type }: ResourceType,
  { name: field }: Relationship,
  ids: readonly string[],
): Promise<number> {
  const identify = ({ type, id }: Identifier) => `${type}/${id}`
  const name = encodeURIComponent(field)
  const included = await get(`${path}?include=${name}`)
  for (const id of ids) {
    const own = `${path}/${encodeURIComponent(id)}`
    const linkage = asList((await get(`${own}/relationships/${name}`)).data)
    const related = asList((await get(`${own}/${name}`)).data)
    const resource = asList(included.data).find((each) => each.id === id)
    const ofResource = [resource?.relationships?.[field]?.data ?? []].flat()
    const expected = linkage.map(identify).sort()
    assert.deepEqual(related.map(identify).sort(), expected, `${type} ${id} ${field}`)
    assert.deepEqual(ofResource.map(identify).sort(), expected, `${type} ${id} ${field}`)
  }
  return asList(included.data).reduce(
    (count, { relationships }) => count + [relationships?.[field]?.data ?? []].flat().length,
    0,
  )
}
