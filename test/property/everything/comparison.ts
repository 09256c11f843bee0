import assert from 'node:assert/strict'
import type { Call } from '../../client.ts'
import type { Document, Resource, TestResponse } from '../../test-response.ts'
import { ids } from '../../test-response.ts'
import type { DocumentRequest } from '../random/random-requests.ts'
import { type CollectionRequest, evaluateRequest } from '../reference/reference.ts'
import { type Expected, expectedResources, keyOf } from '../reference/reference-document.ts'
import type { Data } from '../schema.ts'
import { seed } from '../seed.ts'
import { pairsOf, pathOf, queryOf } from './collection-request.ts'
import { jsonOf, parseExactly } from './exact-json.ts'
import { idOf } from './rows.ts'
import { typedQueryOf } from './typed-filters.ts'

/** The server under test: the service, or a server of the engine. */
export interface ServerUnderTest {
  call(method: string, path: string, call?: Call): Promise<TestResponse>
}

/** The maximum length of query strings. Other tests check the limit of URLs. */
export const longestQuery = 7000

/** Asserts that the server finds the same resources as the reference. @returns their number */
export async function assertFound(
  server: ServerUnderTest,
  data: Data,
  request: CollectionRequest,
  query = queryOf(request, { fields: { [request.type]: [] } }),
): Promise<number> {
  const { rows, count } = evaluateRequest(data, request)
  const expected = rows.map((row) => idOf(data.schema, request.type, row))
  const path = pathOf(data.schema, request)
  const received = await server.call('GET', path, { query })
  try {
    assert.equal(received.status, 200)
    assert.deepEqual(ids(received), expected)
    assert.equal(received.body.meta?.count, count)
  } catch (cause) {
    const found = Array.isArray(received.body.data) ? new Set(ids(received)) : new Set<string>()
    const differing = found.symmetricDifference(new Set(expected))
    throw new Error(`${query}\n${formatFailure(data, request, received.text, differing)}`, {
      cause,
    })
  }
  return count
}

/** Asserts that a QUERY whose body has the filters finds what is expected, and that the GET of its `Location` has the same bytes. */
export async function assertFoundByQuery(
  server: ServerUnderTest,
  data: Data,
  request: CollectionRequest,
): Promise<void> {
  const path = pathOf(data.schema, request)
  const { filters, ...others } = request
  const url = queryOf({ ...others, filters: [] }, { fields: { [request.type]: [] } })
  const headers = { 'content-type': 'application/json' }
  const raw = `{"filter":${jsonOf(filters)}}`
  const received = await server.call('QUERY', path, { query: url, headers, raw })
  const { rows } = evaluateRequest(data, request)
  const expected = rows.map((row) => idOf(data.schema, request.type, row))
  const label = `QUERY ${path}?${url}\n${raw}\n${received.text}`
  assert.deepEqual(ids(received), expected, label)
  const { location } = received.headers
  if (location === undefined) return
  const got = await server.call('GET', location)
  assert.deepEqual([got.text, got.headers.etag], [received.text, received.headers.etag], label)
}

/** Asserts that the same filters find the same in the forms that people type. */
export async function assertFoundAsTyped(
  server: ServerUnderTest,
  data: Data,
  request: CollectionRequest,
): Promise<void> {
  const query = typedQueryOf(data.schema, request)
  if (query === undefined || query.length > longestQuery) return
  await assertFound(server, data, request, query)
}

/** Formats a failure: the filter, the expected and the returned ids, and the rows that differ. */
function formatFailure(
  data: Data,
  request: CollectionRequest,
  text: string,
  differing: ReadonlySet<string>,
): string {
  const everything = evaluateRequest(data, { ...request, filters: [], simple: [] }).rows
  const rows = everything.filter((row) => differing.has(idOf(data.schema, request.type, row)))
  return [
    `with PROPERTY_SEED=${seed}: GET ${pathOf(data.schema, request)}`,
    `filter:   ${jsonOf(request.filters)}`,
    `simple:   ${jsonOf(request.simple)}`,
    `expected: ${evaluateRequest(data, request).rows.map((row) => idOf(data.schema, request.type, row))}`,
    `returned: ${text.slice(0, 2000)}`,
    ...rows.map((row) => `differs:  ${jsonOf(row)}`),
  ].join('\n')
}

/** Asserts that the server returns the same document as the reference. */
export async function assertDocument(
  server: ServerUnderTest,
  data: Data,
  requested: DocumentRequest,
): Promise<void> {
  const path = pathOf(data.schema, requested.request)
  const query = queryOf(requested.request, requested.selection)
  const received = await server.call('GET', path, { query })
  try {
    assert.equal(received.status, 200)
    compareDocument(data, requested, parseExactly<Document>(received.text))
  } catch (error) {
    const url = `${path}?${decodeURIComponent(query)}`
    const message = `with PROPERTY_SEED=${seed}: GET ${url}\n${error}`
    throw new Error(`${message}\n${received.text.slice(0, 4000)}`, { cause: error })
  }
}

function compareDocument(
  data: Data,
  { request, selection }: DocumentRequest,
  body: Document,
): void {
  const { type } = request
  const { rows, count } = evaluateRequest(data, request)
  const { data: primary, included } = body
  assert.ok(Array.isArray(primary), 'the data is a list')
  assert.deepEqual(
    primary.map(({ id }) => id),
    rows.map((row) => idOf(data.schema, type, row)),
    'the ids, in order',
  )
  assert.equal(body.meta?.count, count, 'meta.count')
  compareLinks(data, { request, selection }, count, body.links ?? {})
  const expected = expectedResources(data, type, rows, selection)
  assert.deepEqual(
    new Set((included ?? []).map(keyOf)),
    new Set(expected.keys()).difference(new Set(primary.map(keyOf))),
    'what is included',
  )
  const sendsInclude = selection.include.length > 0
  assert.equal(included !== undefined, sendsInclude, 'included is there when include was sent')
  for (const resource of [...primary, ...(included ?? [])]) {
    compareResource(resource, expected.get(keyOf(resource)))
  }
}

/**
 * Compares the pagination links: `first` and `last` if there are several pages, `prev` and `next` if these pages exist. All have
 * the parameters of the request.
 */
function compareLinks(
  data: Data,
  { request, selection }: DocumentRequest,
  count: number,
  links: Readonly<Record<string, string>>,
): void {
  const { number, size } = request.page
  const pages = size === 0 ? 1 : Math.max(1, Math.ceil(count / size))
  const numbers = {
    ...(pages > 1 && { first: 1, last: pages }),
    ...(pages > 1 && number > 1 && { prev: Math.min(number - 1, pages) }),
    ...(number < pages && { next: number + 1 }),
  }
  const { self, ...others } = links
  // docs/service.md does not define the links after the end of a single page.
  const isSaid = size === 0 || pages > 1 || number === 1
  if (isSaid)
    assert.deepEqual(Object.keys(others).toSorted(), Object.keys(numbers).toSorted(), 'the links')
  const path = pathOf(data.schema, request)
  const pairs = pairsOf(request, selection).map(([name, value]) => [name, value] as const)
  assert.deepEqual(split(self ?? ''), { path, pairs: sorted(pairs) }, 'the link self')
  const rest = pairs.filter(([name]) => name !== 'page[number]')
  for (const [name, page] of Object.entries(numbers)) {
    const wanted = sorted([...rest, ['page[number]', String(page)]])
    assert.deepEqual(split(links[name] ?? ''), { path, pairs: wanted }, `the link ${name}`)
  }
}

function split(link: string): unknown {
  const url = new URL(link)
  return { path: url.pathname, pairs: sorted([...url.searchParams]) }
}

function sorted(pairs: readonly (readonly [string, string])[]): unknown {
  return pairs.map(([name, value]) => [name, value]).toSorted()
}

/** Asserts that a resource has exactly these attributes, relationships and linkage. */
export function compareResource(resource: Resource, expected: Expected | undefined): void {
  const key = keyOf(resource)
  assert.ok(expected, `${key} was not requested`)
  assert.deepEqual(resource.attributes ?? {}, expected.attributes, `the attributes of ${key}`)
  const returned = Object.entries(resource.relationships ?? {}).map(([name, { data }]) => [
    name,
    data,
  ])
  assert.deepEqual(
    Object.fromEntries(returned),
    expected.relationships,
    `the relationships of ${key}`,
  )
  const counts = Object.entries(resource.relationships ?? {}).flatMap(([name, { meta }]) =>
    meta === undefined ? [] : [[name, meta.count]],
  )
  assert.deepEqual(Object.fromEntries(counts), expected.counts, `the counts of ${key}`)
}
