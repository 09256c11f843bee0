import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { it } from 'node:test'
import { buildRouteTable, type Route } from '../../src/handlers/route-table.ts'
import { createPlanner } from '../../src/plan/planner.ts'
import { type Engine, engine } from './engine.ts'
import { library, libraryTables } from './library.ts'

const base = '/v1/library'
const served = { model: library, tables: libraryTables, server: { prefix: base } }
const everyMethod = METHODS.filter((method) => method !== 'CONNECT')

/** An author and a book that nothing else leans on: they may be deleted. */
const free: Readonly<Record<string, string>> = { '/authors': '3', '/books': '4' }
const types: Readonly<Record<string, string>> = { '/authors': 'author', '/books': 'book' }
/** What each relationship leads to. */
const leadsTo: Readonly<Record<string, string>> = {
  ...{ books: 'book', pupils: 'author', teacher: 'author', author: 'author' },
}
const many = ['books', 'pupils']

/** The methods a route of the table answers. */
function methodsOf({ methods }: Route): string[] {
  const own = Object.keys(methods)
  return [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()
}

/** A path as the table has it, as a request has it. */
function realPath(path: string): string {
  const collection = `/${path.split('/')[1]}`
  return base + path.replace(':id', free[collection] ?? '')
}

/** A body that the path takes. */
function bodyFor(method: string, path: string): unknown {
  const [, collection = '', id, third = '', fourth] = path.split('/')
  const type = types[`/${collection}`] ?? ''
  if (!['POST', 'PATCH', 'DELETE'].includes(method)) return undefined
  if (third === 'relationships') return { data: many.includes(fourth ?? '') ? [] : null }
  const made = third === '' ? type : leadsTo[third]
  if (method === 'POST')
    return { data: { type: made, attributes: made === 'author' ? { name: 'x' } : {} } }
  return method === 'PATCH' ? { data: { type, id } } : undefined
}

function statusFor(method: string, path: string): number {
  if (method === 'OPTIONS') return 204
  return method === 'POST' && !path.includes('/relationships/') ? 201 : 200
}

const listed = (header: string | undefined) => (header ?? '').split(', ').sort()

async function call(world: Engine, method: string, path: string) {
  return world.call(method, realPath(path), { body: bodyFor(method, path) })
}

const routes = buildRouteTable(createPlanner(library))

it('the table holds the root, two collections, their resources and each relationship twice', () => {
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

engine('Routes', served, (world) => {
  for (const route of routes) {
    const allowed = methodsOf(route)
    it(`${route.path}: ${allowed.join(', ')} are answered, every other method is a 405 that names them`, async () => {
      for (const method of everyMethod.filter((each) => !allowed.includes(each))) {
        const answer = await call(world, method, route.path)
        assert.equal(answer.status, 405, `${method} ${route.path} → ${answer.text}`)
        assert.deepEqual(listed(answer.headers.allow), allowed, method)
        assert.equal(answer.fault.code, 'method_not_allowed')
        assert.ok(answer.fault.detail.includes(method))
      }
      const last = ['DELETE']
      const inOrder = [...allowed.filter((each) => !last.includes(each)), ...last]
      for (const method of inOrder.filter((each) => allowed.includes(each))) {
        const answer = await call(world, method, route.path)
        assert.equal(answer.status, statusFor(method, route.path), `${method} → ${answer.text}`)
        if (method === 'OPTIONS') assert.deepEqual(listed(answer.headers.allow), allowed)
      }
    })
  }

  it('a path that is not in the table is a 404, whatever the method', async () => {
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
    for (const path of [...paths.map((each) => base + each), '/', '/authors', '/v1', `${base}x`]) {
      for (const method of everyMethod) {
        const answer = await world.call(method, path)
        assert.equal(answer.status, 404, `${method} ${path} → ${answer.text}`)
        if (method !== 'HEAD') assert.equal(answer.fault.code, 'route_not_found')
      }
    }
  })

  it('that comes before whatever else is wrong with the request', async () => {
    for (const [method, headers, raw] of [
      ['POST', { 'Content-Type': 'no media type' }, 'x'],
      ['POST', { 'Content-Type': undefined }, 'x'],
      ['PATCH', {}, 'x'.repeat(2 ** 21)],
      ['DELETE', { 'Content-Type': 'application/vnd.api+json; charset=utf-8' }, '{'],
      ['GET', { Accept: 'application/vnd.api+json; a=b' }, undefined],
    ] as const) {
      for (const [path, status] of [
        ['/nowhere', 404],
        ['', 405],
      ] as const) {
        if (status === 405 && method === 'GET') continue
        const answer = await world.call(method, `${base}${path}`, { headers, raw })
        assert.equal(answer.status, status, `${method} ${path} → ${answer.text}`)
      }
    }
  })

  it('the root is there with and without its last slash', async () => {
    for (const path of [base, `${base}/`]) {
      assert.equal((await world.get(path)).status, 200)
      assert.equal((await world.call('PUT', path)).status, 405)
    }
  })
})
