import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, integer, type Model, resource, toMany } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { formatOmissions } from '../../cli/introspect/format-omissions.ts'
import { readDeclarations } from '../../cli/introspect.ts'
import { loadModel } from '../../cli/open-source.ts'
import type { Scope } from '../cleanup.ts'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled, isPostgres } from '../filled.ts'

/** Serves a database as `lapidary serve --write` does. */
async function serve(test: Scope, url: string, declared?: Model) {
  const model = declared ?? (await loadModel({ source: url, types: 'plural' }))
  const store = await openStore(model, url)
  const lines: string[] = []
  const server = createServer({
    model,
    store,
    logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } },
  })
  test.after(() => server.close().then(() => store.close()))
  await store.verify()
  const call = async (method: 'GET' | 'PATCH' | 'DELETE', url: string, document?: object) => {
    const media = { 'content-type': 'application/vnd.api+json' }
    const sent = document && { payload: JSON.stringify(document), headers: media }
    const { statusCode, headers, body } = await server.inject({ method, url, ...sent })
    return { status: statusCode, headers, body: body === '' ? undefined : JSON.parse(body) }
  }
  return { call, get: (path: string) => call('GET', path), lines, server }
}

const soldLines = `
  create table soldline (id integer primary key, order_no integer not null, price integer not null);
  insert into soldline values (1, 10, 5), (2, 10, 6), (3, 11, 7);`

/** Shops with the sums of their orders, which are rows of a view without a unique index. */
const shops: Model = defineModel([
  resource('shop', {
    path: '/shops',
    table: 'shop',
    access: 'read-only',
    fields: { sums: toMany('sum', { column: 'shop', access: 'read-only' }) },
  }),
  resource('sum', {
    path: '/sums',
    table: 'sums',
    access: 'read-only',
    id: { column: 'order_no' },
    fields: { price: attribute(integer, { column: 'price' }) },
  }),
])
const shopTables = `
  create table shop (id integer primary key);
  create table line (order_no integer not null, price integer, shop integer);
  create view sums as select order_no, price, shop from line;
  insert into shop values (1), (2);
  insert into line values (10, 7, 1), (11, 6, 1), (12, 5, 2);`
/** Adds a second row with the id 10. */
const repeat = 'insert into line values (10, 5, 1)'

/** A title, and a path whose document has the sum 10 twice. */
const repeating = [
  ['a list', '/sums'],
  ['a list sorted by another field, where the rows are apart', '/sums?sort=price'],
  ['a filtered list', '/sums?filter[id]=10'],
  ['a page', '/sums?page[size]=2'],
  ['the resource', '/sums/10'],
  ['included resources', '/shops?include=sums'],
  ['included resources of one resource', '/shops/1?include=sums'],
  ['related resources', '/shops/1/sums'],
  ['linkage', '/shops/1/relationships/sums'],
] as const

for (const database of databases) {
  describe(`Ids of a view that repeat after the start · ${database.name}`, () => {
    for (const [title, path] of repeating)
      it(`are an error, and the log names the type, the id and the remedy: ${title}`, async (test) => {
        const url = await filled(test, database, shopTables)
        const { get, lines } = await serve(test, url, shops)
        assert.equal((await get(path)).status, 200)
        await execute(url, repeat)
        const { status, body } = await get(path)
        assert.equal(status, 500)
        assert.equal(body.errors[0].code, 'internal_error')
        assert.doesNotMatch(JSON.stringify(body), /order_no/)
        assert.match(
          lines.join(),
          /sum: \\"sums\\" has several rows with the id \\"10\\", and each id must name one resource; declare other columns than \\"order_no\\" as its id, or change its rows/,
        )
      })

    it('leave documents without them as they are', async (test) => {
      const url = await filled(test, database, shopTables)
      const { get } = await serve(test, url, shops)
      await execute(url, repeat)
      for (const path of ['/sums/11', '/sums?filter[price]=6', '/shops/2?include=sums', '/shops'])
        assert.equal((await get(path)).status, 200, path)
    })

    it('are an error in a long list, too', async (test) => {
      const url = await filled(test, database, shopTables)
      const { server, lines } = await serve(test, url, shops)
      const rows = Array.from({ length: 900 }, (_, index) => `(${index + 100}, 8, 2)`)
      await execute(url, `insert into line values ${rows.join()}, (10, 9, 1)`)
      const path = '/sums?sort=price&page[size]=1000'
      // A stream that has begun is cut off.
      const response = await server.inject({ url: path }).catch(() => undefined)
      const found = response?.body.match(/"type":"sum","id":"10"/g) ?? []
      assert.ok(found.length < 2)
      assert.match(lines.join(), /several rows with the id \\"10\\"/)
    })

    it('are an error in documents that the key of a generated declaration shows', async (test) => {
      const view = `create table s (id integer primary key, o int, p int); insert into s values (1, 10, 5), (2, 11, 6);
        create view w as select o as order_no, p from s`
      const url = await filled(test, database, view)
      const { get } = await serve(test, url)
      assert.equal((await get('/ws/10')).status, 200)
      await execute(url, 'insert into s values (3, 10, 7)')
      assert.equal((await get('/ws')).status, 500)
      assert.equal((await get('/ws/10')).status, 500)
      assert.equal((await get('/ws/11')).status, 200)
    })
  })

  describe(`Views without a column "id" · ${database.name}`, () => {
    it('have the first column, or pair of columns, as the id that is unique in their rows', async (test) => {
      const url = await filled(
        test,
        database,
        `${soldLines}
         create view ordersum as select order_no, sum(price) as total from soldline group by order_no;
         create view named as select price as amount, id as soldline_id from soldline;
         create view pairs as select order_no, price % 2 as odd, count(*) as n from soldline group by order_no, price % 2;
         create view repeated as select 1 as id, order_no from soldline;
         create view alike as select 1 as one, 2 as two from soldline`,
      )
      const { get } = await serve(test, url)
      assert.equal((await get('/ordersums/10')).status, 200)
      assert.equal((await get('/nameds/3')).status, 200)
      assert.equal((await get('/pairs/10,1')).status, 200)
      const lines = formatOmissions(await readDeclarations(url, { types: 'plural' }))
      for (const line of [
        'alike is omitted: it is a view without a column "id", and no column or pair of columns identifies its rows',
        'repeated is omitted: its key id repeats',
        'ordersum has the key order_no, which no row repeats so far',
        'named has the key soldline_id, which no row repeats so far',
        'pairs has the key order_no, odd, which no row repeats so far',
      ])
        assert.ok(lines.includes(line), `${line}\n${lines.join('\n')}`)
    })
  })
  if (database.name !== 'PostgreSQL') continue

  describe('Materialized views without data · PostgreSQL', () => {
    const tables = `create table base (id integer primary key, n text); insert into base values (1, 'a');
      create materialized view summary as select id, n from base with no data; create unique index on summary (id);
      create view behind as select id, n from summary`

    it('are 503 until they are refreshed, and the log names the view and the statement', async (test) => {
      const url = await filled(test, database, tables)
      assert.ok(isPostgres(url))
      const { get, lines } = await serve(test, url)
      const { status, headers, body } = await get('/summaries')
      assert.equal(status, 503)
      assert.equal(headers['retry-after'], '1')
      assert.equal(body.errors[0].code, 'unavailable')
      assert.doesNotMatch(JSON.stringify(body), /summary/)
      assert.match(lines.join(), /refresh materialized view \\"summary\\"/)
      assert.equal((await get('/bases')).status, 200)
      assert.equal((await get('/summaries/1')).status, 503)
      await execute(url, 'refresh materialized view summary')
      assert.equal((await get('/summaries')).status, 200)
      await execute(url, 'refresh materialized view summary with no data')
      assert.equal((await get('/summaries')).status, 503)
    })
  })

  describe('Tables from which others inherit · PostgreSQL', () => {
    it('are left out, because no constraint keeps the keys of their rows from repeating', async (test) => {
      const url = await filled(
        test,
        database,
        `create table kin (id integer primary key, n text); create table kin_child (extra text, primary key (id)) inherits (kin);
         insert into kin values (1, 'a'); insert into kin_child values (1, 'c', 'x');
         create table part (id integer, n text, primary key (id)) partition by range (id);
         create table part_1 partition of part for values from (0) to (10)`,
      )
      const { get } = await serve(test, url)
      assert.equal((await get('/kins')).status, 404)
      assert.equal((await get('/kin-children')).status, 200)
      assert.equal((await get('/parts')).status, 200)
      assert.deepEqual(formatOmissions(await readDeclarations(url, { types: 'plural' })), [
        'kin is omitted: other tables inherit from it, so its key may repeat',
      ])
    })

    const later = `create table kin (id integer primary key, n text); insert into kin values (1, 'a'), (2, 'b');
      create table pet (id integer primary key, kin_id integer references kin); insert into pet values (1, 1), (2, 2)`
    const child = `create table kin_child (extra text) inherits (kin); insert into kin_child values (1, 'c', 'x')`
    const kin = (id: string) => ({ data: { type: 'kins', id, attributes: { n: 'z' } } })

    for (const path of ['/kins', '/kins?sort=n', '/kins/1', '/pets?include=kin', '/pets/1/kin'])
      it(`given a child that is created after the start, a repeated key is an error: ${path}`, async (test) => {
        const url = await filled(test, database, later)
        const { get, lines } = await serve(test, url)
        assert.equal((await get(path)).status, 200)
        await execute(url, child)
        assert.equal((await get(path)).status, 500)
        assert.match(lines.join(), /kins: \\"kin\\" has several rows with the id \\"1\\"/)
      })

    for (const [method, column] of [
      ['PATCH', 'n'],
      ['DELETE', 'id'],
    ] as const)
      it(`given a child that is created after the start, a ${method} changes no rows with a repeated key`, async (test) => {
        const url = await filled(test, database, `${later}; delete from pet`)
        const { call, lines } = await serve(test, url)
        await execute(url, child)
        const document = method === 'PATCH' ? kin('1') : undefined
        assert.equal((await call(method, '/kins/1', document)).status, 500)
        assert.match(lines.join(), /kins: \\"kin\\" has several rows with the id \\"1\\"/)
        const rows = await execute(url, `select ${column} from kin order by n`)
        assert.deepEqual(
          rows.map((row) => row[column]),
          column === 'n' ? ['a', 'b', 'c'] : [1, 2, 1],
        )
        assert.equal((await call('PATCH', '/kins/2', kin('2'))).status, 200)
      })
  })
}
