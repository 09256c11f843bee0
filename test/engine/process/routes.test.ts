import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { it } from 'node:test'
import { buildRouteTable, type Route } from '../../../src/endpoints/route-table.ts'
import { createPlanner } from '../../../src/plan/planner.ts'
import { type Engine, engine } from '../engine.ts'
import { library, libraryTables } from '../library.ts'

const prefix = '/v1/library'
const served = {
  isLongOnOthers: true,
  model: library,
  tables: libraryTables,
  server: { prefix },
}
const everyMethod = METHODS.filter((method) => method !== 'CONNECT')

/** An author and a book without references, by path: they can be deleted. */
const deletable: Readonly<Record<string, string>> = { '/authors': '3', '/books': '4' }
const types: Readonly<Record<string, string>> = { '/authors': 'author', '/books': 'book' }
/** The related type of each relationship. */
const relatedTypes: Readonly<Record<string, string>> = {
  ...{ books: 'book', pupils: 'author', teacher: 'author', author: 'author' },
}
const many = ['books', 'pupils']

/** Lists the methods that a route supports. */
function listMethods({ path, methods }: Route): string[] {
  const own = Object.keys(methods)
  const isList = path in types || many.some((name) => path.endsWith(`/${name}`))
  const query = isList ? ['QUERY'] : []
  return [...own, ...(own.includes('GET') ? ['HEAD'] : []), ...query, 'OPTIONS'].sort()
}

/** Fills in the id of a path pattern. */
function fillPath(path: string): string {
  const collection = `/${path.split('/')[1]}`
  return prefix + path.replace(':id', deletable[collection] ?? '')
}

/** A valid body for a path. */
function bodyFor(method: string, path: string): unknown {
  const [, collection = '', id, third = '', fourth] = path.split('/')
  const type = types[`/${collection}`] ?? ''
  if (!['POST', 'PATCH', 'DELETE'].includes(method)) return undefined
  if (third === 'relationships') return { data: many.includes(fourth ?? '') ? [] : null }
  const made = third === '' ? type : relatedTypes[third]
  if (method === 'POST')
    return { data: { type: made, attributes: made === 'author' ? { name: 'x' } : {} } }
  return method === 'PATCH' ? { data: { type, id } } : undefined
}

function statusFor(method: string, path: string): number {
  if (method === 'OPTIONS') return 204
  return method === 'POST' && !path.includes('/relationships/') ? 201 : 200
}

const listed = (header: string | undefined) => (header ?? '').split(', ').sort()

async function call(app: Engine, method: string, path: string) {
  const sent =
    method === 'QUERY'
      ? { raw: '{}', headers: { 'Content-Type': 'application/json' } }
      : { body: bodyFor(method, path) }
  return app.call(method, fillPath(path), sent)
}

const routes = buildRouteTable(createPlanner(library))

it('given two types, when the route table is built, then it has the root, the collections, the resources and two paths for each relationship', () => {
  assert.deepEqual(
    routes.map(({ path }) => path).sort(),
    [
      '/',
      ...['/authors', '/authors/:id', '/books', '/books/:id'],
      ...['/authors/:id/books', '/authors/:id/pupils', '/authors/:id/teacher', '/books/:id/author'],
      ...['/authors/:id/relationships/books', '/authors/:id/relationships/pupils'],
      ...['/authors/:id/relationships/teacher', '/books/:id/relationships/author'],
    ].sort(),
  )
})

engine('Routes', served, (app) => {
  for (const route of routes) {
    const allowed = listMethods(route)
    it(`given ${route.path}, when every method is sent, then ${allowed.join(', ')} succeed and every other is a 405 that lists them`, async () => {
      for (const method of everyMethod.filter((each) => !allowed.includes(each))) {
        const answer = await call(app, method, route.path)
        assert.equal(answer.status, 405, `${method} ${route.path} → ${answer.text}`)
        assert.deepEqual(listed(answer.headers.allow), allowed, method)
        assert.equal(answer.error.code, 'method_not_allowed')
        assert.ok(answer.error.detail.includes(method))
      }
      const last = ['DELETE']
      const inOrder = [...allowed.filter((each) => !last.includes(each)), ...last]
      for (const method of inOrder.filter((each) => allowed.includes(each))) {
        const answer = await call(app, method, route.path)
        assert.equal(answer.status, statusFor(method, route.path), `${method} → ${answer.text}`)
        if (method === 'OPTIONS') assert.deepEqual(listed(answer.headers.allow), allowed)
      }
    })
  }

  const paths = [
    ...[
      '/nowhere',
      '/authors/1/nowhere',
      '/authors/1/relationships',
      '/authors/1/books/1',
      '/Authors',
    ],
    ...['/authors/1/relationships/nowhere', '/authors/1/relationships/books/1', '//'],
    ...['/writer', '/book', '/authors/1/by', '/authors/1/name', '/authors/1/relationships/name'],
  ]

  for (const path of [...paths.map((each) => prefix + each), '/', '/authors', '/v1', `${prefix}x`])
    it(`given the path ${path}, which is not in the table, when any method is sent, then the response is a 404`, async () => {
      for (const method of everyMethod) {
        const answer = await app.call(method, path)
        assert.equal(answer.status, 404, `${method} ${path} → ${answer.text}`)
        if (method !== 'HEAD') assert.equal(answer.error.code, 'route_not_found')
      }
    })

  for (const [method, headers, raw] of [
    ['POST', { 'Content-Type': 'no media type' }, 'x'],
    ['POST', { 'Content-Type': undefined }, 'x'],
    ['PATCH', {}, 'x'.repeat(2 ** 21)],
    ['DELETE', { 'Content-Type': 'application/vnd.api+json; charset=utf-8' }, '{'],
    ['GET', { Accept: 'application/vnd.api+json; a=b' }, undefined],
  ] as const)
    for (const [path, status] of method === 'GET'
      ? ([['/nowhere', 404]] as const)
      : ([
          ['/nowhere', 404],
          ['', 405],
        ] as const))
      it(`given a ${method} of ${prefix}${path} with ${JSON.stringify(headers)} and more errors, then ${status} comes first`, async () => {
        const answer = await app.call(method, `${prefix}${path}`, { headers, raw })
        assert.equal(answer.status, status, `${method} ${path} → ${answer.text}`)
      })

  it('given a prefix, when the root is requested with or without a final slash, then both work', async () => {
    for (const path of [prefix, `${prefix}/`]) {
      assert.equal((await app.get(path)).status, 200)
      assert.equal((await app.call('PUT', path)).status, 405)
    }
  })
})
