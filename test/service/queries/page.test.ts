import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestResponse, TestService } from '../../service-suite.ts'
import { describeService, ids } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { enter, labels } from '../people.ts'

/** The page of each pagination link, by the name of the link, in this order; without `self`. */
function pages(response: TestResponse): Record<string, number> {
  const links = response.body.links ?? {}
  const numbers = ['first', 'prev', 'next', 'last'].flatMap((name) => {
    const link = links[name]
    return link === undefined
      ? []
      : [[name, Number(new URL(link).searchParams.get('page[number]') ?? 1)]]
  })
  return Object.fromEntries(numbers)
}

async function crowd(app: TestService, size: number): Promise<string[]> {
  const all: string[] = []
  for (let each = 1; each <= size; each++) all.push((await app.person({ name: `n${each}` })).id)
  return all
}

describeService('Pages', (app) => {
  it('have 30 resources by default', async () => {
    const all = await crowd(app, 31)
    const first = await app.get('/persons')
    assert.deepEqual(ids(first), all.slice(0, 30))
    assert.deepEqual(first.body.meta, { count: 31 })
    assert.deepEqual(pages(first), { first: 1, next: 2, last: 2 })
    const second = await app.get('/persons', { 'page[number]': '2' })
    assert.deepEqual(ids(second), all.slice(30))
    assert.deepEqual(pages(second), { first: 1, prev: 1, last: 2 })
  })

  it('are numbered from 1 and have page[size] resources', async () => {
    const all = await crowd(app, 5)
    const links = [
      { first: 1, next: 2, last: 3 },
      { first: 1, prev: 1, next: 3, last: 3 },
      { first: 1, prev: 2, last: 3 },
    ]
    for (const [at, expected] of links.entries()) {
      const query = { 'page[size]': '2', 'page[number]': String(at + 1) }
      const response = await app.get('/persons', query)
      assert.deepEqual(ids(response), all.slice(2 * at, 2 * at + 2))
      assert.deepEqual(pages(response), expected)
      assert.equal(response.body.meta?.count, 5)
    }
    const plain = await app.get('/persons', { 'page[size]': '2' })
    assert.deepEqual(ids(plain), all.slice(0, 2))
  })

  it('have absolute, encoded links with the other parameters of the query', async () => {
    const all = await crowd(app, 5)
    const query =
      'filter=[]&page[size]=1&sort=-name&include=computers&fields[person]=name,computers'
    const response = await app.call('GET', '/persons', { query })
    assert.deepEqual(Object.keys(response.body.links ?? {}).sort(), [
      'first',
      'last',
      'next',
      'self',
    ])
    for (const link of Object.values(response.body.links ?? {})) {
      assert.ok(link.startsWith(`${app.url}/persons?`), link)
      assert.match(link, /^[^[\]{}"]*$/)
      const parameters = new URL(link).searchParams
      assert.equal(parameters.get('filter'), '[]')
      assert.equal(parameters.get('page[size]'), '1')
      assert.equal(parameters.get('sort'), '-name')
      assert.equal(parameters.get('include'), 'computers')
      assert.equal(parameters.get('fields[person]'), 'name,computers')
    }
    assert.deepEqual(ids(await app.get(response.body.links?.next ?? '')), [all[3]])
    assert.deepEqual(ids(await app.get(response.body.links?.last ?? '')), [all[0]])
  })

  it('followed by next, and back by prev, return every resource once', async () => {
    const all = await crowd(app, 7)
    const walk = async (from: string, by: 'next' | 'prev') => {
      const idsByPage: string[][] = []
      for (let link: string | undefined = from; link !== undefined; ) {
        const page: TestResponse = await app.get(link)
        idsByPage.push(ids(page))
        link = page.body.links?.[by]
      }
      return idsByPage
    }
    const start = await app.get('/persons', { sort: '-id', 'page[size]': '3' })
    const forth = await walk(start.body.links?.first ?? '', 'next')
    assert.deepEqual(forth.flat(), all.toReversed())
    const back = await walk(start.body.links?.last ?? '', 'prev')
    assert.deepEqual(back.toReversed(), forth)
  })

  it('have only the link self if there is only one', async () => {
    await crowd(app, 3)
    for (const size of ['3', '4', '30', '1000000']) {
      const response = await app.get('/persons', { 'page[size]': size })
      assert.deepEqual(Object.keys(response.body.links ?? {}), ['self'])
    }
    const none = await app.get('/computers')
    assert.deepEqual([none.many, none.body.meta], [[], { count: 0 }])
    assert.deepEqual(Object.keys(none.body.links ?? {}), ['self'])
  })

  it('past the end are 200 with an empty list', async () => {
    await crowd(app, 3)
    for (const number of ['3', '4', '1000000000', '9007199254740991']) {
      const response = await app.get('/persons', { 'page[size]': '2', 'page[number]': number })
      assertStatus(response, 200)
      assert.deepEqual([response.many, response.body.meta], [[], { count: 3 }])
      const { first, last, next } = pages(response)
      assert.deepEqual([first, last, next], [1, 2, undefined])
    }
    const empty = await app.get('/computers', { 'page[number]': '7' })
    assert.deepEqual([empty.status, empty.many], [200, []])
  })

  it('given page[size]=0, then one page has all resources and only the link self', async () => {
    const all = await crowd(app, 33)
    for (const query of ['page[size]=0', 'page[size]=0&page[number]=1', 'page[size]=0&sort=id']) {
      const response = await app.call('GET', '/persons', { query })
      assert.deepEqual(ids(response), all)
      assert.deepEqual(response.body.meta, { count: 33 })
      assert.deepEqual(Object.keys(response.body.links ?? {}), ['self'])
    }
    const none = await app.get('/computers', { 'page[size]': '0', include: 'owner' })
    assert.deepEqual([none.many, none.body.included, none.body.meta], [[], [], { count: 0 }])
  })

  it('have the number of resources on all pages in meta.count', async () => {
    await crowd(app, 12)
    const query = { 'page[size]': '2', filter: [{ name: 'name', op: 'startswith', val: 'n1' }] }
    const response = await app.get('/persons', query)
    assert.deepEqual(labels(response), ['n1', 'n10'])
    assert.deepEqual(response.body.meta, { count: 4 })
    assert.deepEqual(pages(response), { first: 1, next: 2, last: 2 })
  })

  it('of a related collection have only its resources', async () => {
    const { ada, zuse } = await enter(app)
    const response = await app.get(`/persons/${ada.id}/computers`, {
      'page[size]': '1',
      'page[number]': '2',
    })
    assert.deepEqual(ids(response), [zuse.id])
    assert.deepEqual(pages(response), { first: 1, prev: 1, last: 2 })
    assert.equal(response.body.meta?.count, 2)
  })

  it('given a route of one resource, then valid parameters have no effect', async () => {
    const { ada } = await enter(app)
    const response = await app.get(`/persons/${ada.id}`, { 'page[size]': '1', 'page[number]': '9' })
    assert.deepEqual(response.one, ada)
    const bad = await app.get(`/persons/${ada.id}`, { 'page[size]': 'x' })
    assertErrors(bad, 400, { status: 400, at: 'page[size]' })
  })
})

/** Invalid page parameters, and the parameters in the errors. */
// biome-ignore format: a table, one query a row
const rejected: readonly (readonly [query: string, ...parameters: string[]])[] = [
  ['page[size]=-1',                  'page[size]'],
  ['page[size]=x',                   'page[size]'],
  ['page[size]=1.5',                 'page[size]'],
  ['page[size]=1.0',                 'page[size]'],
  ['page[size]=1e2',                 'page[size]'],
  ['page[size]=0x10',                'page[size]'],
  ['page[size]=',                    'page[size]'],
  ['page[size]=+1',                  'page[size]'],
  ['page[size]=%2B1',                'page[size]'],
  ['page[size]=%D9%A3',              'page[size]'],
  ['page[size]=null',                'page[size]'],
  ['page[size]=NaN',                 'page[size]'],
  ['page[number]=0',                 'page[number]'],
  ['page[number]=-1',                'page[number]'],
  ['page[number]=x',                 'page[number]'],
  ['page[number]=2.5',               'page[number]'],
  ['page[number]=',                  'page[number]'],
  ['page[size]=x&page[number]=y',    'page[size]', 'page[number]'],
  ['page[size]=0&page[number]=0',    'page[number]'],
  ['page[limit]=5',                  'page[limit]'],
  ['page[offset]=5&page[limit]=5',   'page[offset]', 'page[limit]'],
  ['page[Size]=5',                   'page[Size]'],
  ['page[]=5',                       'page[]'],
  ['page[size][x]=5',                'page[size][x]'],
  ['page=5',                         'page'],
  ['page[size]=5&page[size]=6',      'page[size]'],
  ['page[size]=5&page%5Bsize%5D=5',  'page[size]'],
]

describeService('Errors of pages', (app) => {
  for (const [query, ...parameters] of rejected)
    it(`rejects the invalid page ${query} with 400 at its parameter`, async () => {
      const expectedErrors = parameters.map((at) => ({ status: 400, at }))
      assertErrors(await app.call('GET', '/persons', { query }), 400, ...expectedErrors)
    })

  it('responds to numbers beyond 2^53 with 200 or 400, never with 500', async () => {
    await app.person()
    for (const number of ['9007199254740993', '9223372036854775808', '9'.repeat(60)]) {
      for (const name of ['page[size]', 'page[number]']) {
        const response = await app.get('/persons', { [name]: number })
        assert.ok(response.status === 200 || response.status === 400, response.text)
      }
    }
  })
})

describeService(
  'PAGE_SIZE and MAX_PAGE_SIZE',
  (app) => {
    it('PAGE_SIZE is the size of a page without a requested size', async () => {
      const all = await crowd(app, 5)
      const response = await app.get('/persons')
      assert.deepEqual(ids(response), all.slice(0, 2))
      assert.deepEqual(pages(response), { first: 1, next: 2, last: 3 })
    })

    it('MAX_PAGE_SIZE may be requested, and nothing above it, nor 0', async () => {
      const all = await crowd(app, 5)
      assert.deepEqual(ids(await app.get('/persons', { 'page[size]': '4' })), all.slice(0, 4))
      for (const size of ['5', '0', '1000000']) {
        const response = await app.get('/persons', { 'page[size]': size })
        assertErrors(response, 400, { status: 400, at: 'page[size]', says: '4' })
      }
    })
  },
  { settings: { pageSize: 2, maxPageSize: 4 } },
)
