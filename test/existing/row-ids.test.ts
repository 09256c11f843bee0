import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  date,
  defineModel,
  integer,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { assertModelConforms } from '../checker/check-served.ts'
import { Cleanup } from '../cleanup.ts'
import { type Client, connect, type Exchange } from '../client.ts'
import { everyDatabase } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { filled } from '../filled.ts'
import type { Identifier, Resource } from '../test-response.ts'

const sqlite = everyDatabase.find(({ dialect }) => dialect === 'sqlite')

/** Types with rows whose keys are null or of another kind, and rows that reference these rows. */
const model = defineModel(
  [
    resource('code', {
      path: '/codes',
      table: 'code',
      id: { column: 'code', kind: text, client: 'required' },
      fields: { word: attribute(text), refs: toMany('ref', { column: 'code' }) },
    }),
    resource('part', {
      path: '/parts',
      table: 'part',
      id: { column: ['a', 'b'], kind: [integer, date], client: 'required' },
      fields: { word: attribute(text), refs: toMany('ref', { column: ['a', 'b'] }) },
    }),
    resource('number', {
      path: '/numbers',
      table: 'number',
      id: { column: 'no', client: 'required' },
      fields: { word: attribute(text), refs: toMany('ref', { column: 'no' }) },
    }),
    resource('token', {
      path: '/tokens',
      table: 'token',
      id: { kind: uuid },
      fields: { word: attribute(text) },
    }),
    resource('fine', {
      path: '/fines',
      table: 'fine',
      id: { column: ['a', 'b'], kind: [integer, date], client: 'required' },
      fields: { word: attribute(text) },
    }),
    resource('ref', {
      path: '/refs',
      table: 'ref',
      fields: {
        code: toOne('code', { column: 'code' }),
        part: toOne('part', { column: ['a', 'b'] }),
        number: toOne('number', { column: 'no' }),
      },
    }),
  ],
  { maxPageSize: null },
)

const tables = `
  create table code (code text primary key, word text);
  insert into code values ('a', 'x'), (null, 'null'), (null, 'null'), (x'00', 'blob');
  create table part (a integer, b text, word text, primary key (a, b));
  insert into part values (1, '2024-01-01', 'x'), ('abc', '2024-01-01', 'text'), (2, null, 'null'), (2, 'no date', 'text'), (2, '2024-01-01T00:00:00Z', 'time');
  create table number (no int primary key, word text);
  insert into number values (1, 'x'), ('abc', 'text'), (2.5, 'real'), (null, 'null'), (x'00', 'blob');
  create table token (id text primary key, word text);
  insert into token values ('f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'x'), ('F81D4FAE-7DEC-11D0-A765-00A0C91E6BF7', 'upper case'), ('no', 'text');
  create table fine (a integer, b text, word text, primary key (a, b)); insert into fine values (1, '2024-01-01', 'x');
  create table ref (id integer primary key, code text references code, a integer, b text, no int references number, foreign key (a, b) references part);
  insert into ref values (1, 'a', 1, '2024-01-01', 1), (2, x'00', 'abc', '2024-01-01', 'abc'), (3, null, 2, null, 2.5), (4, null, 2, 'no date', x'00')`

describe('Rows of SQLite whose keys are null or of another kind', () => {
  const cleanup = new Cleanup()
  let client: Client
  let warnings: readonly string[]
  before(async () => {
    assert.ok(sqlite)
    const store = await openStore(model, await filled(cleanup, sqlite, tables))
    const server = createServer({ model, store, logLevel: 'silent' })
    cleanup.after(() => server.close().then(() => store.close()))
    warnings = (await store.verify()).warnings.filter((line) => !line.includes('no index'))
    client = connect(await server.listen({ host: '127.0.0.1', port: 0 }))
    cleanup.after(() => client.close())
  })
  after(() => cleanup.run())

  const send = async (method: string, path: string, data?: unknown): Promise<Exchange> => {
    const exchange = await client.send(method, path, data === undefined ? {} : { body: { data } })
    assertModelConforms(model, exchange)
    return exchange
  }
  const get = async (path: string) => {
    const exchange = await send('GET', path)
    assert.equal(exchange.status, 200, exchange.text)
    const body: { data: Resource[]; included?: Identifier[]; meta?: { count: number } } =
      JSON.parse(exchange.text)
    return body
  }

  it('are named at the start', () => {
    const consequence = 'such rows are left out of every response; correct or delete them'
    assert.deepEqual(warnings, [
      `code.id: the column "code" of "code" contains null; ${consequence}`,
      `part.id: the columns "a", "b" of "part" contain "abc,2024-01-01", which is not an id of part; ${consequence}`,
      `number.id: the column "no" of "number" contains "abc", which is not an id of number; ${consequence}`,
      `token.id: the column "id" of "token" contains "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF7", which is not an id of token; ${consequence}`,
    ])
  })

  for (const [path, id] of [
    ['/codes', 'a'],
    ['/parts', '1,2024-01-01'],
    ['/numbers', '1'],
    ['/tokens', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
    ['/fines', '1,2024-01-01'],
  ] as const) {
    it(`are not in ${path}, its pages, counts, filters and sorts`, async () => {
      for (const query of ['', '?sort=-id', '?sort=word&page[size]=0', '?filter[word]=x']) {
        const { data, meta } = await get(path + query)
        assert.deepEqual([data.map((each) => each.id), meta?.count], [[id], 1], path + query)
      }
      assert.deepEqual((await get(`${path}?page[size]=1&page[number]=2`)).data, [])
      for (const word of ['null', 'text', 'blob', 'real', 'time', 'upper%20case'])
        assert.deepEqual((await get(`${path}?filter[word]=${word}`)).data, [])
    })
  }

  it('are in no linkage and are not included, in pages and in streams', async () => {
    for (const size of ['', '&page[size]=0'])
      for (const name of ['code', 'part', 'number']) {
        const { data, included = [] } = await get(`/refs?include=${name}${size}`)
        const linkage = data.map(({ relationships }) => relationships?.[name]?.data)
        assert.equal(linkage.length, 4)
        assert.deepEqual(linkage.slice(1), [null, null, null], name)
        assert.deepEqual(
          included.map(({ type, id }) => ({ type, id })),
          [linkage[0]],
        )
        for (const path of [`/refs/2/${name}`, `/refs/2/relationships/${name}`])
          assert.equal((await get(path)).data, null)
      }
  })

  it('do not exist for writes', async () => {
    for (const path of ['/codes/null', '/numbers/abc', '/numbers/2', '/parts/2,no%20date'])
      for (const method of ['GET', 'DELETE'])
        assert.equal((await send(method, path)).status, 404, path)
    const made = await send('POST', '/codes', { type: 'code', id: 'b', attributes: { word: 'y' } })
    assert.equal(made.status, 201, made.text)
    assert.equal((await send('DELETE', '/codes/b')).status, 200)
    const relationships = { number: { data: { type: 'number', id: '1' } } }
    const change = await send('PATCH', '/refs/2', { type: 'ref', id: '2', relationships })
    assert.equal(change.status, 200, change.text)
    const linkage = JSON.parse((await send('GET', '/numbers/1/relationships/refs')).text)
    assert.deepEqual(linkage.data, [
      { type: 'ref', id: '1' },
      { type: 'ref', id: '2' },
    ])
  })
})
