import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createServer } from 'lapidary/fastify'
import { formatOmissions } from '../../cli/format-omissions.ts'
import { readDeclarations } from '../../cli/introspect.ts'
import { loadModel } from '../../cli/open-source.ts'
import type { Scope } from '../cleanup.ts'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled, isPostgres } from '../filled.ts'

/** Serves a database as `lapidary serve --write` does. */
async function serve(test: Scope, url: string) {
  const model = await loadModel({ source: url, types: 'plural' })
  const store = await openStore(model, url)
  const lines: string[] = []
  const server = createServer({
    model,
    store,
    logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } },
  })
  test.after(() => server.close().then(() => store.close()))
  await store.verify()
  const get = async (path: string) => {
    const { statusCode, headers, body } = await server.inject({ url: path })
    return { status: statusCode, headers, body: JSON.parse(body) }
  }
  return { get, lines }
}

const soldLines = `
  create table soldline (id integer primary key, order_no integer not null, price integer not null);
  insert into soldline values (1, 10, 5), (2, 10, 6), (3, 11, 7);`

for (const database of databases) {
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
  })
}
