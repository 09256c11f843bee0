import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Answer, World } from '../world.ts'
import { chapter, ids } from '../world.ts'
import { enter, labels } from './people.ts'
import { assertRefused, assertStatus } from './told.ts'

/** The page that each link of a collection leads to, by the link's name: `self` aside, always in this order. */
function pages(answer: Answer): Record<string, number> {
  const links = answer.body.links ?? {}
  const numbers = ['first', 'prev', 'next', 'last'].flatMap((name) => {
    const link = links[name]
    return link === undefined
      ? []
      : [[name, Number(new URL(link).searchParams.get('page[number]') ?? 1)]]
  })
  return Object.fromEntries(numbers)
}

async function crowd(world: World, size: number): Promise<string[]> {
  const all: string[] = []
  for (let each = 1; each <= size; each++) all.push((await world.person({ name: `n${each}` })).id)
  return all
}

chapter('pages', (world) => {
  it('are of 30 by default', async () => {
    const all = await crowd(world, 31)
    const first = await world.get('/persons')
    assert.deepEqual(ids(first), all.slice(0, 30))
    assert.deepEqual(first.body.meta, { count: 31 })
    assert.deepEqual(pages(first), { first: 1, next: 2, last: 2 })
    const second = await world.get('/persons', { 'page[number]': '2' })
    assert.deepEqual(ids(second), all.slice(30))
    assert.deepEqual(pages(second), { first: 1, prev: 1, last: 2 })
  })

  it('count from 1 and are as large as page[size] says', async () => {
    const all = await crowd(world, 5)
    const links = [
      { first: 1, next: 2, last: 3 },
      { first: 1, prev: 1, next: 3, last: 3 },
      { first: 1, prev: 2, last: 3 },
    ]
    for (const [at, expected] of links.entries()) {
      const query = { 'page[size]': '2', 'page[number]': String(at + 1) }
      const answer = await world.get('/persons', query)
      assert.deepEqual(ids(answer), all.slice(2 * at, 2 * at + 2))
      assert.deepEqual(pages(answer), expected)
      assert.equal(answer.body.meta?.count, 5)
    }
    const plain = await world.get('/persons', { 'page[size]': '2' })
    assert.deepEqual(ids(plain), all.slice(0, 2))
  })

  it('have absolute, encoded links that carry the rest of the query', async () => {
    const all = await crowd(world, 5)
    const query =
      'filter=[]&page[size]=1&sort=-name&include=computers&fields[person]=name,computers'
    const answer = await world.call('GET', '/persons', { query })
    assert.deepEqual(Object.keys(answer.body.links ?? {}).sort(), ['first', 'last', 'next', 'self'])
    for (const link of Object.values(answer.body.links ?? {})) {
      assert.ok(link.startsWith(`${world.url}/persons?`), link)
      assert.match(link, /^[^[\]{}"]*$/)
      const parameters = new URL(link).searchParams
      assert.equal(parameters.get('filter'), '[]')
      assert.equal(parameters.get('page[size]'), '1')
      assert.equal(parameters.get('sort'), '-name')
      assert.equal(parameters.get('include'), 'computers')
      assert.equal(parameters.get('fields[person]'), 'name,computers')
    }
    assert.deepEqual(ids(await world.get(answer.body.links?.next ?? '')), [all[3]])
    assert.deepEqual(ids(await world.get(answer.body.links?.last ?? '')), [all[0]])
  })

  it('walked by next, and back by prev, tell every resource once', async () => {
    const all = await crowd(world, 7)
    const walk = async (from: string, by: 'next' | 'prev') => {
      const steps: string[][] = []
      for (let link: string | undefined = from; link !== undefined; ) {
        const page: Answer = await world.get(link)
        steps.push(ids(page))
        link = page.body.links?.[by]
      }
      return steps
    }
    const start = await world.get('/persons', { sort: '-id', 'page[size]': '3' })
    const forth = await walk(start.body.links?.first ?? '', 'next')
    assert.deepEqual(forth.flat(), all.toReversed())
    const back = await walk(start.body.links?.last ?? '', 'prev')
    assert.deepEqual(back.toReversed(), forth)
  })

  it('have no links but self when there is only one', async () => {
    await crowd(world, 3)
    for (const size of ['3', '4', '30', '1000000']) {
      const answer = await world.get('/persons', { 'page[size]': size })
      assert.deepEqual(Object.keys(answer.body.links ?? {}), ['self'])
    }
    const none = await world.get('/computers')
    assert.deepEqual([none.many, none.body.meta], [[], { count: 0 }])
    assert.deepEqual(Object.keys(none.body.links ?? {}), ['self'])
  })

  it('past the end are 200 with an empty list', async () => {
    await crowd(world, 3)
    for (const number of ['3', '4', '1000000000', '9007199254740991']) {
      const answer = await world.get('/persons', { 'page[size]': '2', 'page[number]': number })
      assertStatus(answer, 200)
      assert.deepEqual([answer.many, answer.body.meta], [[], { count: 3 }])
      const { first, last, next } = pages(answer)
      assert.deepEqual([first, last, next], [1, 2, undefined])
    }
    const empty = await world.get('/computers', { 'page[number]': '7' })
    assert.deepEqual([empty.status, empty.many], [200, []])
  })

  it('page[size]=0 is everything, with self alone', async () => {
    const all = await crowd(world, 33)
    for (const query of ['page[size]=0', 'page[size]=0&page[number]=1', 'page[size]=0&sort=id']) {
      const answer = await world.call('GET', '/persons', { query })
      assert.deepEqual(ids(answer), all)
      assert.deepEqual(answer.body.meta, { count: 33 })
      assert.deepEqual(Object.keys(answer.body.links ?? {}), ['self'])
    }
    const none = await world.get('/computers', { 'page[size]': '0', include: 'owner' })
    assert.deepEqual([none.many, none.body.included, none.body.meta], [[], [], { count: 0 }])
  })

  it('meta.count counts the matches over all pages', async () => {
    await crowd(world, 12)
    const query = { 'page[size]': '2', filter: [{ name: 'name', op: 'startswith', val: 'n1' }] }
    const answer = await world.get('/persons', query)
    assert.deepEqual(labels(answer), ['n1', 'n10'])
    assert.deepEqual(answer.body.meta, { count: 4 })
    assert.deepEqual(pages(answer), { first: 1, next: 2, last: 2 })
  })

  it('of a related collection are pages of it alone', async () => {
    const { ada, zuse } = await enter(world)
    const answer = await world.get(`/persons/${ada.id}/computers`, {
      'page[size]': '1',
      'page[number]': '2',
    })
    assert.deepEqual(ids(answer), [zuse.id])
    assert.deepEqual(pages(answer), { first: 1, prev: 1, last: 2 })
    assert.equal(answer.body.meta?.count, 2)
  })

  it('change nothing on a single-resource route, as long as they are valid', async () => {
    const { ada } = await enter(world)
    const answer = await world.get(`/persons/${ada.id}`, { 'page[size]': '1', 'page[number]': '9' })
    assert.deepEqual(answer.one, ada)
    const bad = await world.get(`/persons/${ada.id}`, { 'page[size]': 'x' })
    assertRefused(bad, 400, { status: 400, at: 'page[size]' })
  })
})

/** Queries that ask for no page there could be, and the parameters at fault. */
// biome-ignore format: a table, one query a row
const refused: readonly (readonly [query: string, ...parameters: string[]])[] = [
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

chapter('pages, refusals', (world) => {
  it('refuses every page that there cannot be, with 400 at its parameter', async () => {
    for (const [query, ...parameters] of refused) {
      const told = parameters.map((at) => ({ status: 400, at }))
      assertRefused(await world.call('GET', '/persons', { query }), 400, ...told)
    }
  })

  it('never fails over a number too large to count with', async () => {
    await world.person()
    for (const number of ['9007199254740993', '9223372036854775808', '9'.repeat(60)]) {
      for (const name of ['page[size]', 'page[number]']) {
        const answer = await world.get('/persons', { [name]: number })
        assert.ok(answer.status === 200 || answer.status === 400, answer.text)
      }
    }
  })
})

chapter(
  'PAGE_SIZE and MAX_PAGE_SIZE',
  (world) => {
    it('PAGE_SIZE is the size of a page that is not asked for', async () => {
      const all = await crowd(world, 5)
      const answer = await world.get('/persons')
      assert.deepEqual(ids(answer), all.slice(0, 2))
      assert.deepEqual(pages(answer), { first: 1, next: 2, last: 3 })
    })

    it('MAX_PAGE_SIZE may be asked for, and nothing above it, nor 0', async () => {
      const all = await crowd(world, 5)
      assert.deepEqual(ids(await world.get('/persons', { 'page[size]': '4' })), all.slice(0, 4))
      for (const size of ['5', '0', '1000000']) {
        const answer = await world.get('/persons', { 'page[size]': size })
        assertRefused(answer, 400, { status: 400, at: 'page[size]', says: '4' })
      }
    })
  },
  { settings: { pageSize: 2, maxPageSize: 4 } },
)
