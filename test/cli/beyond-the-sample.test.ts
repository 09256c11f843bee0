import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { explainRead } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { formatOmissions } from '../../cli/format-omissions.ts'
import { readDeclarations } from '../../cli/introspect.ts'
import { loadModel } from '../../cli/open-source.ts'
import { assertModelConforms } from '../checker/check-served.ts'
import { Cleanup, type Scope } from '../cleanup.ts'
import { connect, type Exchange } from '../client.ts'
import { type Database, databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled } from '../filled.ts'
import type { Document, Resource } from '../test-response.ts'

const sqlite = findDatabase()

function findDatabase(): Database {
  const found = databases.find(({ dialect }) => dialect === 'sqlite')
  assert.ok(found)
  return found
}

/** Serves a database as `lapidary serve --write` does. */
async function serve(test: Scope, url: string) {
  const model = await loadModel({ source: url, types: 'plural' })
  const store = await openStore(model, url)
  const server = createServer({ model, store, html: createPages(), logLevel: 'silent' })
  test.after(() => server.close().then(() => store.close()))
  await store.verify()
  const client = connect(await server.listen({ host: '127.0.0.1', port: 0 }))
  test.after(() => client.close())
  const send = async (method: string, path: string, data?: unknown): Promise<Exchange> => {
    const exchange = await client.send(method, path, data === undefined ? {} : { body: { data } })
    assertModelConforms(model, exchange)
    return exchange
  }
  const get = async (path: string): Promise<Document> => {
    const { status, text } = await send('GET', path)
    assert.equal(status, 200, `${path}: ${text}`)
    return JSON.parse(text)
  }
  const list = async (path: string): Promise<Resource[]> => {
    const { data } = await get(path)
    assert.ok(Array.isArray(data))
    // The data of a collection are resources.
    return data as Resource[]
  }
  return { model, server, send, get, list }
}

/** A table whose first 1,200 rows have valid values, and the others none. */
const lateValues = `
  create table latecol (id integer primary key, amount integer, price decimal(9, 2), rate real, day date, at datetime, moment time,
    flag boolean, mark uuid, data json, name text);
  create table ref (id integer primary key, latecol_id integer references latecol);
  create index latecol_amount on latecol (amount);
  with recursive s (i) as (select 1 union all select i + 1 from s where i < 1500)
    insert into latecol select i, iif(i <= 1200, i, 'n/a'), iif(i <= 1200, 1.5, 'n/a'), iif(i <= 1200, 0.5, 'n/a'), iif(i <= 1200, '2024-01-01', ''),
      iif(i <= 1200, iif(i % 2, '2024-01-01', '2024-01-01T10:00Z'), 'never'), iif(i <= 1200, '10:00:00', 'noon'), iif(i <= 1200, 1, 'yes'),
      iif(i <= 1200, 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'none'), iif(i <= 1200, '{}', '{'), iif(i <= 1200, 'x', x'00') from s;
  insert into ref values (1, 1300), (2, 1)`

/** The attributes of `lateValues`. */
const names = 'amount price rate day at moment flag mark data name'.split(' ')

describe('A value that is not of its kind, beyond the first 1,000 rows', () => {
  const cleanup = new Cleanup()
  let url: string
  let served: Awaited<ReturnType<typeof serve>>
  before(async () => {
    url = await filled(cleanup, sqlite, lateValues)
    served = await serve(cleanup, url)
  })
  after(() => cleanup.run())

  it('is null in lists, resources, includes, related routes, streams and pages', async () => {
    const { get, list, server } = served
    const invalid = Object.fromEntries(names.map((name) => [name, null]))
    const page = await list('/latecols?page[size]=30&page[number]=45')
    assert.equal(page.length, 30)
    const { data, included } = await get('/refs?include=latecol&sort=id')
    assert.ok(Array.isArray(data))
    const found = [
      page[0],
      (await get('/latecols/1300')).data,
      (await get('/refs/1/latecol')).data,
      included?.find(({ id }) => id === '1300'),
      (await list('/latecols?page[size]=1000&page[number]=2'))[300],
    ]
    for (const each of found) {
      assert.ok(each && 'attributes' in each)
      assert.deepEqual(each.attributes, invalid)
    }
    const html = await server.inject({ url: '/latecols/1300', headers: { accept: 'text/html' } })
    assert.equal(html.statusCode, 200)
  })

  for (const name of names.filter((each) => each !== 'data')) {
    it(`in ${name} does not make sorts and filters fail`, async () => {
      const { get } = served
      for (const sort of [name, `-${name}`])
        assert.equal((await get(`/latecols?sort=${sort}`)).meta?.count, 1500)
      const [{ attributes }] = (await get('/latecols?page[size]=1')).data as [Resource]
      const val = attributes?.[name]
      for (const op of ['eq', 'ne', ...(['flag', 'mark'].includes(name) ? [] : ['ge', 'lt'])])
        await get(`/latecols?filter=${JSON.stringify([{ name, op, val }])}`)
    })
  }

  it('may be stored by another program after the start', async (test) => {
    const url = await filled(test, sqlite, 'create table a (id integer primary key, n integer)')
    const { list } = await serve(test, url)
    await execute(url, "insert into a values (1, 'abc'), (2, 2)")
    assert.deepEqual(
      (await list('/as')).map(({ attributes }) => attributes?.n),
      [null, 2],
    )
  })

  it('does not keep sorts of a sampled integer from using its index', async () => {
    const store = await openStore(served.model, url)
    cleanup.after(() => store.close())
    const read = await explainRead({ model: served.model, store }, '/latecols?sort=-amount')
    assert.deepEqual(read.warnings, [])
  })

  it('is declared null by init, because its declarations are strict', async () => {
    const declarations = await readDeclarations(url, { checksAllRows: true })
    const [text = ''] = declarations.resources.map((each) => each.text)
    for (const name of names)
      assert.match(text, new RegExp(`\\b${name}: attribute\\(.*invalidValues: 'null'`), name)
    assert.ok(
      formatOmissions(declarations).includes(
        'latecol.amount: a value is not of the kind integer, such as "n/a"; it is returned as null',
      ),
    )
  })
})

/** The formats of datetimes, each with the SQL of its texts, and what a new one is. */
const datetimeFormats: readonly (readonly [
  title: string,
  type: string,
  sql: string,
  written: string | number,
])[] = [
  [
    'a space',
    'datetime',
    "datetime('2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05 10:30:30',
  ],
  [
    'a space and six digits',
    'datetime(6)',
    "strftime('%Y-%m-%d %H:%M:%f000', '2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05 10:30:30.000000',
  ],
  [
    'a T and no zone',
    'timestamp',
    "strftime('%Y-%m-%dT%H:%M:%S', '2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05T10:30:30',
  ],
  [
    'a T and Z',
    'datetime',
    "strftime('%Y-%m-%dT%H:%M:%SZ', '2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05T10:30:30Z',
  ],
  [
    'an offset of 0',
    'datetime',
    "strftime('%Y-%m-%d %H:%M:%S+00:00', '2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05 10:30:30+00:00',
  ],
  ['seconds', 'datetime', "unixepoch('2024-05-05 10:00:00', i || ' minutes')", 1714905030],
  [
    'milliseconds',
    'datetime',
    "unixepoch('2024-05-05 10:00:00', i || ' minutes') * 1000",
    1714905030000,
  ],
  [
    'a type for dates',
    'date',
    "datetime('2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05 10:30:30',
  ],
]

describe('Datetimes of SQLite without an index', () => {
  for (const [title, type, text, written] of datetimeFormats) {
    it(`are written in the format of all sampled values: ${title}`, async (test) => {
      const url = await filled(
        test,
        sqlite,
        `create table a (id integer primary key, at ${type} not null);
         with recursive s (i) as (select 1 union all select i + 1 from s where i < 50) insert into a select i, ${text} from s`,
      )
      const { send } = await serve(test, url)
      const attributes = { at: '2024-05-05T10:30:30Z' }
      const created = await send('POST', '/as', { type: 'as', attributes })
      assert.equal(created.status, 201, created.text)
      assert.deepEqual(JSON.parse(created.text).data.attributes, attributes)
      const [row] = await execute(url, 'select at from a where id = 51')
      assert.equal(row?.at, written)
      const sql = 'select count(*) as n from a where at < (select at from a where id = 31)'
      const [counted] = await execute(url, sql)
      assert.equal(counted?.n, 31)
    })
  }

  it('have the format of their default before there are rows', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, at datetime not null default current_timestamp,
         made datetime default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), seen timestamp default (datetime('now', 'localtime')))`,
    )
    const { send } = await serve(test, url)
    const time = '2024-05-05T10:30:30Z'
    const attributes = { at: time, made: time, seen: time }
    const { status, text } = await send('POST', '/as', { type: 'as', attributes })
    assert.equal(status, 201, text)
    const [row = {}] = await execute(url, 'select at, made, seen from a')
    assert.deepEqual(Object.values(row), [
      ...['2024-05-05 10:30:30', '2024-05-05T10:30:30.000Z', '2024-05-05 10:30:30'],
    ])
  })

  it('are read in other notations too, which may be beyond the sample', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, at datetime);
       with recursive s (i) as (select 1 union all select i + 1 from s where i < 1500)
         insert into a select i, iif(i <= 1200, datetime('2024-01-01', i || ' minutes'), iif(i = 1300, 'x', '2024-01-01T00:00:00+01:00')) from s`,
    )
    const { get } = await serve(test, url)
    const read = async (id: number) => ((await get(`/as/${id}`)).data as Resource).attributes?.at
    assert.deepEqual(
      [await read(1), await read(1299), await read(1300)],
      ['2024-01-01T00:01:00Z', '2023-12-31T23:00:00Z', null],
    )
  })

  it('of several formats stay plain, and the start says what is written', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, at datetime, made datetime default current_timestamp);
       insert into a values (1, '2024-01-01 00:00:00', '2024-01-01T00:00:00Z'), (2, '2024-01-01T00:00:00Z', null)`,
    )
    const declarations = await readDeclarations(url, { types: 'plural' })
    const written =
      'its datetimes have several formats; new ones are stored as 2024-01-31T12:00:00.000000Z'
    assert.deepEqual(formatOmissions(declarations), [`a.at: ${written}`, `a.made: ${written}`])
    assert.deepEqual(formatOmissions(await readDeclarations(url, { readOnly: true })), [])
  })

  it('beyond the sample decide what init declares, because its declarations are strict', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, at datetime, made datetime);
       with recursive s (i) as (select 1 union all select i + 1 from s where i < 1500)
         insert into a select i, iif(i <= 1200, datetime('2024-01-01'), '2024-01-01T00:00:00+01:00'), datetime('2024-01-01') from s`,
    )
    const { resources } = await readDeclarations(url, { types: 'plural', checksAllRows: true })
    assert.match(resources[0]?.text ?? '', /at: attribute\(datetime\)/)
    assert.match(resources[0]?.text ?? '', /made: attribute\(storedAs\(datetime, /)
  })
})
