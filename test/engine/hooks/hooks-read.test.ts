import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  attribute,
  computed,
  defineModel,
  expression,
  type HookContext,
  integer,
  RequestError,
  type ReturnedResource,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

/** The hooks that ran, in order: hook, type, ids and auth context. */
let seen: string[] = []
/** The resources that the last `afterRead` received. */
let lastResources: readonly ReturnedResource[] = []
/** The resources that the first `afterRead` received. */
let firstResources: readonly ReturnedResource[] | undefined
/** The hook that throws. */
let throwing: string | undefined
let counts: unknown[] = []

const createHooks = (type: string) => ({
  async beforeRead({ auth }: HookContext): Promise<void> {
    seen.push(`before ${type} ${auth}`)
    await setTimeout(1)
    if (throwing === `before ${type}`) throw new RequestError({ detail: `No ${type} for you.` })
  },
  async afterRead(
    resources: readonly ReturnedResource[],
    { auth, query }: HookContext,
  ): Promise<void> {
    const all = resources.map(({ id }) => id)
    seen.push(`after ${type} ${all.length > 9 ? all.length : all.join(' ')} ${auth}`)
    lastResources = resources
    firstResources ??= resources
    counts.push(...(await query(sql`select count(*) as count from song`)).map(({ count }) => count))
    if (throwing === `after ${type} ${all.at(-1)}`)
      throw new RequestError({ status: 404, detail: 'Gone.' })
    if (throwing === `fail ${type}`) throw new Error('secret text')
  },
})

const band = resource('band', {
  path: '/bands',
  table: 'band',
  hooks: createHooks('band'),
  fields: {
    name: attribute(text),
    secret: attribute(text, { access: 'write-only' }),
    size: expression(integer, (column) => sql`length(${column('name')})`),
    loud: computed(text, { name: text }, ({ name }) => name?.toUpperCase() ?? null),
    songs: toMany('song', { column: 'band_id' }),
    fans: toMany('fan', { through: { table: 'likes', from: 'band_id', to: 'fan_id' } }),
  },
})
const song = resource('song', {
  path: '/songs',
  table: 'song',
  hooks: createHooks('song'),
  fields: {
    name: attribute(text),
    length: attribute(integer),
    band: toOne('band', { column: 'band_id' }),
  },
})
/** A type without hooks. */
const fan = resource('fan', {
  path: '/fans',
  table: 'fan',
  fields: {
    name: attribute(text),
    bands: toMany('band', { through: { table: 'likes', from: 'fan_id', to: 'band_id' } }),
  },
})

const served = {
  model: defineModel([band, song, fan], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes) => `
    create table band (id ${newId}, name text, secret text);
    create table song (id ${newId}, name text, length integer, band_id integer references band (id));
    create table fan (id ${newId}, name text);
    create table likes (band_id integer, fan_id integer);
    insert into band values (1, 'abba', 'x'), (2, 'beck', 'y');
    insert into song values (1, 's1', 3, 1), (2, 's2', 4, 1), (3, 's3', 5, 2), (4, 's4', 6, null);
    insert into fan values (1, 'f1');
    insert into likes values (1, 1)`,
  server: {
    authenticate: async ({ headers }: { headers: object }) =>
      'x-who' in headers ? headers['x-who'] : 'me',
  },
}

engine('Read hooks', served, (app) => {
  beforeEach(() => {
    seen = []
    lastResources = []
    firstResources = undefined
    counts = []
    throwing = undefined
  })

  /** Reads and the hooks that run for each. */
  // biome-ignore format: a table, one read a row
  const reads = [
    ['/songs',                          {},                                       'before song', 'after song 1 2 3 4'],
    ['/songs',                          { 'page[size]': '2' },                    'before song', 'after song 1 2'],
    ['/songs',                          { 'page[size]': '0' },                    'before song', 'after song 1 2 3 4'],
    ['/songs',                          { 'filter[name]': 'none' },               'before song'],
    ['/songs/2',                        {},                                       'before song', 'after song 2'],
    ['/songs/2',                        { include: 'band' },                      'before song', 'before band', 'after song 2', 'after band 1'],
    ['/songs',                          { include: 'band.songs' },                'before song', 'before band', 'after song 1 2 3 4', 'after band 1 2'],
    ['/bands/1',                        { include: 'songs.band' },                'before band', 'before song', 'after band 1', 'after song 1 2'],
    ['/songs/1/band',                   {},                                       'before song', 'before band', 'after band 1'],
    ['/songs/4/band',                   {},                                       'before song', 'before band'],
    ['/bands/1/songs',                  {},                                       'before band', 'before song', 'after song 1 2'],
    ['/bands/1/relationships/songs',    {},                                       'before band', 'before song', 'after song 1 2'],
    ['/songs/1/relationships/band',     {},                                       'before song', 'before band', 'after band 1'],
    ['/songs/1/relationships/band',     { include: 'band' },                      'before song', 'before band', 'after band 1', 'after band 1'],
    ['/fans/1',                         {}                                        ],
    ['/fans/1',                         { 'fields[fan]': 'bands' },               'before band'],
    ['/fans',                           { include: 'bands' },                     'before band', 'after band 1'],
    ['/fans',                           { include: 'bands', 'fields[band]': 'songs' }, 'before band', 'before song', 'after band 1'],
    ['/fans',                           { include: 'bands', 'fields[band]': 'name', 'includeFilter[bands]': '[{"name":"songs__length","op":"gt","val":0}]' }, 'before band', 'before song', 'after band 1'],
    ['/fans/1/bands',                   {},                                       'before band', 'after band 1'],
    ['/fans',                           { 'filter[bands__name]': 'x' },           'before band'],
    ['/fans',                           { filter: [{ not: { or: [{ name: 'bands', op: 'any', val: { name: 'songs', op: 'eq', val: null } }] } }] }, 'before band', 'before song'],
    ['/fans',                           { 'filter[name]': 'x', sort: 'name' }],
    ['/songs',                          { sort: 'band.name', 'filter[name]': 'x' }, 'before song', 'before band'],
  ] as const satisfies readonly (readonly [string, object, ...string[]])[]

  for (const [path, query, ...hooks] of reads) {
    it(`given read hooks, when ${path} ${JSON.stringify(query)} is read, then the hooks of all affected types run`, async () => {
      const answer = await app.get(path, query)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(
        seen,
        hooks.map((hook) => `${hook} me`),
      )
    })
  }

  it('given read hooks, when a resource is written, then they run around the response, within the transaction', async () => {
    const data = { type: 'song', attributes: { name: 'new' } }
    const made = await app.call('POST', '/songs', { query: { include: 'band' }, body: { data } })
    assert.deepEqual(seen, ['before song me', 'before band me', `after song ${made.one.id} me`])
    assert.deepEqual(counts, [5])
    seen = []
    await app.patch('/songs/1', { data: { ...data, id: '1' } })
    assert.deepEqual(seen, ['before song me', 'after song 1 me'])
    throwing = 'after song 1'
    const relationships = { band: { data: null } }
    const body = { data: { ...data, id: '1', attributes: { name: 'no' }, relationships } }
    assert.equal((await app.patch('/songs/1', body)).status, 404)
    throwing = undefined
    assert.equal((await app.get('/songs/1')).one.attributes?.name, 'new')
    assert.equal((await app.get('/songs/1/band')).one.id, '1')
    seen = []
    await app.delete('/songs/1')
    await app.patch('/bands/1/relationships/songs', { data: [] })
    assert.deepEqual(seen, [])
  })

  for (const [path, query, expected] of [
    ['/bands/1', {}, { name: 'abba' }],
    ['/bands/1', { 'fields[band]': 'size,loud,secret' }, {}],
    ['/songs/1', { 'fields[song]': 'length' }, { length: 3 }],
    ['/songs/1/band', {}, { name: 'abba' }],
    ['/bands/1/relationships/songs', { include: 'songs' }, { name: 's1', length: 3 }],
    ['/fans/1', { include: 'bands' }, { name: 'abba' }],
  ] as const)
    it(`given ${path} with ${JSON.stringify(query)}, when afterRead runs, then it receives the requested attributes that are stored`, async () => {
      assert.equal((await app.get(path, query)).status, 200)
      assert.deepEqual(lastResources[0], { id: '1', attributes: expected }, path)
    })

  it('given a relationship that includes its members, when afterRead runs for the linkage, then it receives no attributes', async () => {
    firstResources = undefined
    await app.get('/bands/1/relationships/songs', { include: 'songs' })
    assert.deepEqual(firstResources, [
      { id: '1', attributes: {} },
      { id: '2', attributes: {} },
    ])
  })

  for (const [who, status, ...paths] of [
    [
      'before song',
      403,
      '/songs',
      '/songs/1',
      '/bands/1/songs',
      '/bands/1/relationships/songs',
      '/bands?include=songs',
      '/bands?fields[band]=songs',
    ],
    [
      'before band',
      403,
      '/songs/1/band',
      '/songs?include=band',
      '/fans?include=bands',
      '/bands/99',
    ],
    [
      'after song 2',
      404,
      '/songs/2',
      '/bands/1/songs',
      '/bands/1/relationships/songs',
      '/bands/1?include=songs',
    ],
    ['fail band', 500, '/bands', '/songs?include=band'],
  ] as const)
    it(`given a hook that throws a RequestError, ${who}, when a resource is read, then only that error is reported`, async () => {
      throwing = who
      for (const path of paths) {
        const answer = await app.get(path)
        assert.equal(answer.status, status, `${who} ${path} ${answer.text}`)
        assert.equal(answer.body.errors?.length, 1)
        assert.ok(!answer.text.includes('secret'))
      }
      assert.equal((await app.get('/fans')).status, 200)
    })

  it('given a streamed list, when afterRead runs, then it receives batches, and an error in the first one is reported', async () => {
    await app.execute(`with recursive n (n) as (select 10 union all select n + 1 from n where n < 700)
      insert into song (id, name, length, band_id) select n, 's' || n, n, 1 + n % 2 from n`)
    const query = { 'page[size]': '0', include: 'band' }
    const answer = await app.get('/songs', query)
    assert.equal(answer.many.length, 695)
    const parts = seen.flatMap((each) => /^after song (.*) me$/.exec(each)?.[1] ?? [])
    assert.equal(
      parts.reduce((sum, part) => sum + Number(part), 0),
      695,
    )
    assert.ok(parts.length > 1)
    assert.equal(seen.at(-1), 'after band 1 2 me')
    assert.equal(seen.filter((each) => each.startsWith('before')).length, 2)
    throwing = 'before song'
    assert.equal((await app.get('/songs', query)).status, 403)
    throwing = `after song ${Number(parts[0]) + 5}`
    assert.equal((await app.get('/songs', query)).status, 404)
    throwing = undefined
    assert.equal((await app.call('HEAD', '/songs', { query })).status, 200)
  })

  it('given concurrent writes, when afterRead runs SQL, then it sees the snapshot of the response', async () => {
    const before = (await app.get('/songs')).many.length
    counts = []
    const data = { type: 'fan' }
    const [read] = await Promise.all([
      app.get('/songs', { include: 'band' }),
      app.post('/fans', { data }),
      app.delete('/songs/4'),
    ])
    assert.equal(new Set(counts).size, 1)
    assert.equal(counts[0], read.many.length)
    assert.ok([before, before - 1].includes(read.many.length))
  })

  it('given hooks that wait, when many reads and writes run at once, then all of them finish', async () => {
    const requests = Array.from({ length: 12 }, (_, at) => [
      app.get('/songs', { include: 'band.songs', 'page[size]': at % 2 === 0 ? '0' : '3' }),
      app.post('/songs', { data: { type: 'song', attributes: { name: `n${at}` } } }),
    ])
    const answers = await Promise.all(requests.flat())
    assert.deepEqual(
      answers.map(({ status }) => status),
      requests.flatMap(() => [200, 201]),
    )
    assert.equal(ids(await app.get('/songs')).length, 16)
  })

  it('given concurrent requests of several users, when hooks run, then each receives the auth context of its request', async () => {
    await Promise.all(
      ['ada', 'bob', 'cyd'].map((who) =>
        app.call('GET', '/songs/1', { headers: { 'x-who': who } }),
      ),
    )
    const expected = ['ada', 'bob', 'cyd'].flatMap((who) => [
      `before song ${who}`,
      `after song 1 ${who}`,
    ])
    assert.deepEqual(seen.sort(), expected.sort())
  })
})
