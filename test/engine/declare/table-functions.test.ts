import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import {
  attribute,
  computed,
  createApi,
  date,
  defineModel,
  integer,
  integer64,
  resource,
  sql,
  tableFunction,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import { type ColumnTypes, databases } from '../../databases.ts'
import { filled } from '../../filled.ts'
import { assertErrors } from '../../service/assert-errors.ts'
import { ids } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

/** The declarations of a database: PostgreSQL has a stored function, SQLite a query. */
function declare(dialect: DialectName) {
  const store = resource('store', {
    path: '/stores',
    table: 'store',
    fields: { name: attribute(text), visits: toMany('visit', { column: 'store_id' }) },
  })
  const visit = resource('visit', {
    path: '/visits',
    table: 'visit',
    fields: { store: toOne('store', { column: 'store_id' }) },
  })
  const sales = resource('sales', {
    path: '/sales',
    table: tableFunction({ since: date, label: text }, ({ since, label }) =>
      dialect === 'postgres'
        ? sql`select * from sales_since(${since}, ${label})`
        : sql`select day, store_id, sum(amount) as total, ${label} || ' ' || day as title
            from sale where day >= ${since} group by day, store_id`,
    ),
    id: { column: ['day', 'store_id'], kind: [date, integer] },
    access: 'read-only',
    fields: {
      day: attribute(date),
      total: attribute(integer64()),
      title: attribute(text),
      long: computed(text, { title: text }, ({ title }) => `${title}!`),
      store: toOne('store', { column: 'store_id' }),
      visits: toMany('visit', { column: 'store_id', references: 'store_id', count: true }),
    },
  })
  const numbers = resource('numbers', {
    path: '/numbers',
    table: tableFunction({ count: integer }, ({ count }) =>
      dialect === 'postgres'
        ? sql`select n as number, n % 2 + 1 as store_id from generate_series(1, ${count}) as n`
        : sql`with recursive n (number) as (select 1 union all select number + 1 from n where number < ${count})
            select number, number % 2 + 1 as store_id from n`,
    ),
    id: 'number',
    access: {
      read: { filter: [{ name: 'number', op: 'ne', val: 3 }] },
      create: false,
      update: false,
      delete: false,
    },
    scope: (column) => sql`${column('number')} <> 5`,
    fields: {
      number: attribute(integer64(), { access: 'read-only' }),
      store: toOne('store', { column: 'store_id', access: 'read-only' }),
    },
  })
  return defineModel([store, visit, sales, numbers], { maxPageSize: null })
}

const tables = (types: ColumnTypes, dialect: DialectName) => `
  create table store (id ${types.newId}, name text);
  create table visit (id ${types.newId}, store_id ${types.id} references store (id));
  create table sale (id ${types.newId}, store_id ${types.id}, day ${types.date}, amount integer);
  insert into store (name) values ('North'), ('South');
  insert into visit (store_id) values (1), (1), (2);
  insert into sale (store_id, day, amount) values
    (1, '2024-01-01', 5), (1, '2024-01-01', 7), (2, '2024-01-01', 1), (1, '2024-01-02', 2), (9, '2023-12-31', 1);
  ${
    dialect === 'postgres'
      ? `create or replace function sales_since(since date, label text)
           returns table (day date, store_id bigint, total bigint, title text) language sql stable as $$
           select s.day, s.store_id, sum(amount), label || ' ' || s.day from sale as s where s.day >= since group by 1, 2 $$`
      : ''
  }`

for (const dialect of ['sqlite', 'postgres'] as const)
  engine(
    'Table functions',
    { only: dialect, model: declare(dialect), tables, server: { authenticate: () => ({}) } },
    (app) => {
      const called = { 'filter[since]': '2024-01-01', 'filter[label]': 'a,b' }
      const first = '2024-01-01,a~1b,2024-01-01,1'

      it('are collections whose ids begin with the arguments', async () => {
        const { status, body } = await app.get('/sales', called)
        assert.equal(status, 200)
        assert.equal(body.meta?.count, 3)
        const id = encodeURIComponent(first)
        assert.deepEqual((body.data as unknown[])[0], {
          type: 'sales',
          id: first,
          attributes: {
            day: '2024-01-01',
            total: 12,
            title: 'a,b 2024-01-01',
            long: 'a,b 2024-01-01!',
          },
          relationships: {
            store: {
              links: { self: `/sales/${id}/relationships/store`, related: `/sales/${id}/store` },
            },
            visits: {
              links: { self: `/sales/${id}/relationships/visits`, related: `/sales/${id}/visits` },
            },
          },
          links: { self: `/sales/${id}` },
        })
      })

      it('can be filtered, sorted, paged, counted and included', async () => {
        const [north, south] = [first, first.replace(/1$/, '2')]
        const later = '2024-01-01,a~1b,2024-01-02,1'
        const list = async (query: object) => ids(await app.get('/sales', { ...called, ...query }))
        assert.deepEqual(await list({}), [north, south, later])
        assert.deepEqual(await list({ 'filter[day]': '2024-01-02' }), [later])
        assert.deepEqual(await list({ 'filter[id]': south }), [south])
        assert.deepEqual(await list({ 'filter[store__name]': 'North', sort: '-id' }), [
          later,
          north,
        ])
        assert.deepEqual(await list({ sort: '-total', 'page[size]': '2' }), [north, later])
        assert.deepEqual(
          await list({ sort: 'store.name,total', 'page[number]': '2', 'page[size]': '1' }),
          [north],
        )
        assert.deepEqual(await list({ sort: '-visits.count,day' }), [north, later, south])
        const { body } = await app.get('/sales', {
          filter: [
            { name: 'label', op: 'eq', val: 'x' },
            {
              or: [
                { name: 'total', op: 'gt', val: 5 },
                { name: 'total', op: 'lt', val: 2 },
              ],
            },
            { name: 'since', op: 'eq', val: '2024-01-01' },
          ],
          include: 'store.visits,visits',
          'fields[sales]': 'total,store,visits',
          withCount: 'visits',
          'page[size]': '1',
        })
        assert.equal(body.meta?.count, 2)
        assert.deepEqual((body.data as { attributes: unknown }[])[0]?.attributes, { total: 12 })
        assert.deepEqual(
          body.included?.map(({ type, id }) => `${type} ${id}`),
          ['store 1', 'visit 1', 'visit 2'],
        )
        assert.match(String(body.links?.next), /filter=.*page%5Bnumber%5D=2/)
      })

      it('return each resource by its id, with its relationships', async () => {
        const path = `/sales/${encodeURIComponent(first)}`
        const { status, body } = await app.get(path, { include: 'store,visits' })
        assert.equal(status, 200)
        assert.deepEqual(
          body.included?.map(({ type, id }) => `${type} ${id}`),
          ['store 1', 'visit 1', 'visit 2'],
        )
        assert.equal((await app.get(`${path}/store`)).status, 200)
        assert.deepEqual(ids(await app.get(`${path}/visits`, { sort: '-id' })), ['2', '1'])
        assert.deepEqual(ids(await app.get(`${path}/relationships/visits`)), ['1', '2'])
        for (const id of [
          '2024-01-01,x,2024-01-01,9',
          '2024-13-01,x,2024-01-01,1',
          '2024-01-01,1',
          'x',
        ])
          assert.equal((await app.get(`/sales/${id}`)).status, 404, id)
      })

      it('reject missing, unknown and wrong arguments together', async () => {
        const { body } = await app.get('/sales', { 'filter[since]': 'soon', sort: 'nothing' })
        assert.deepEqual(
          body.errors?.map(({ source, detail }) => [source?.parameter, detail]),
          [
            [
              'filter[since]',
              'filter[since]: the parameter "since" must be a calendar date, written YYYY-MM-DD; it is "soon".',
            ],
            [
              'filter[label]',
              'filter[label]: sales needs the parameter "label", of the kind text.',
            ],
            [
              'sort',
              'sort: sales has no field "nothing"; the fields to sort by are "id", "day", "total", "title".',
            ],
          ],
        )
        const since = { name: 'since', op: 'eq', val: '2024-01-01' }
        const label = { name: 'label', op: 'eq', val: 'x' }
        const bad = async (filter: unknown, says: string) =>
          assertErrors(await app.get('/sales', { filter: filter as never }), 400, {
            status: 400,
            at: 'filter',
            says,
          })
        await bad([since, label, since], 'the parameter "since" is sent twice')
        await bad(
          [{ ...since, op: 'ge' }, label],
          'since has no operator "ge"; the operators are "eq"',
        )
        await bad([{ ...since, val: null }, label], 'must be a calendar date')
        await bad([since, { ...label, val: null }], 'must be a string')
        await bad([since, { name: 'label', op: 'eq', field: 'title' }], 'takes a value')
        await bad([since, label, { not: since }], 'since is a parameter of sales')
        await bad([since, label, { name: 'labl', op: 'eq', val: 1 }], 'sales has no field "labl"')
      })

      it('are streamed if they are long, within the scope and the access rules', async () => {
        const count = 1200
        const response = await app.get('/numbers', {
          'filter[count]': String(count),
          'page[size]': '0',
          include: 'store.visits',
        })
        const { body } = response
        assert.equal(body.meta?.count, count - 2)
        assert.equal(body.included?.length, 5)
        const found = ids(response)
        assert.deepEqual([found.length, found[2], found.at(-1)], [count - 2, '1200,4', '1200,1200'])
        assert.equal((await app.get('/numbers/9,3')).status, 404)
        assert.equal((await app.get('/numbers/9,4/store')).status, 200)
        const last = { 'filter[count]': '1200', 'page[size]': '1', 'page[number]': '1198' }
        assert.deepEqual(ids(await app.get('/numbers', last)), ['1200,1200'])
        assert.deepEqual(ids(await app.get('/numbers', { ...last, 'filter[count]': '4' })), [])
      })

      it('cannot be written', async () => {
        const path = `/sales/${encodeURIComponent(first)}`
        const data = { type: 'sales', attributes: { total: 1 } }
        const { status, body } = await app.post('/sales', { data })
        assert.deepEqual([status, body.errors?.[0]?.code], [403, 'read_only'])
        assert.equal((await app.patch(path, { data: { ...data, id: first } })).status, 403)
        assert.equal((await app.delete(path)).status, 403)
      })

      it('are counted again after each change', async () => {
        assert.equal(
          (await app.get('/sales', { ...called, 'page[size]': '1' })).body.meta?.count,
          3,
        )
        await app.execute("insert into sale (store_id, day, amount) values (2, '2024-02-02', 3)")
        const { body } = await app.get('/sales', { ...called, 'page[size]': '1', include: 'store' })
        assert.equal(body.meta?.count, 4)
      })

      it('fail if ids repeat or are null, and the log says which', async () => {
        await app.execute("insert into sale (store_id, day, amount) values (null, '2024-03-03', 3)")
        const { status, body } = await app.get('/sales', called)
        assert.deepEqual([status, body.errors?.[0]?.code], [500, 'internal_error'])
      })

      it('are typed in process', async () => {
        const model = declare(dialect)
        const store = await openStore(model, app.databaseUrl)
        try {
          const client = createApi({ model, store }).with({})
          const { data } = await client.list('sales', {
            filter: { since: '2024-01-01', label: 'x', total: { ge: 2 } },
          })
          assert.deepEqual(
            data.map(({ total }) => total),
            [12n, 2n],
          )
          const statements: unknown[] = []
          const listen = (statement: unknown) => statements.push(statement)
          subscribe('lapidary:statement', listen)
          const filter = { since: '2024-01-01', label: 'y' } as const
          const page = await client.list('sales', { filter, include: ['store'] })
          unsubscribe('lapidary:statement', listen)
          assert.equal(page.meta.count, 3)
          if (dialect === 'postgres') assert.equal(statements.length, 1)
          const { title } = await client.get('sales', data[0]?.id ?? '')
          assert.equal(title, 'x 2024-01-01')
          await assert.rejects(
            // @ts-expect-error the parameter label is missing
            client.list('sales', { filter: { since: '2024-01-01' } }),
            /needs the parameter "label"/,
          )
          await assert.rejects(
            // @ts-expect-error a date is a text
            client.list('sales', { filter: { since: 1, label: 'x' } }),
            /must be a calendar date/,
          )
        } finally {
          await store.close()
        }
      })
    },
  )

describe('Table functions at the start', () => {
  const other = resource('other', { path: '/others', table: 'other', fields: {} })
  const define = (options: object, more: object = {}) => {
    const declared = {
      path: '/calls',
      table: tableFunction({ a: integer }, ({ a }) => sql`select ${a} as id, 'x' as b`),
      access: 'read-only',
      fields: { b: attribute(text) },
      ...options,
    }
    // Declarations in plain JavaScript.
    const call = resource('call', declared as never)
    return defineModel([call, { ...other, ...more }] as never)
  }

  it('are rejected with the name of the wrong option', () => {
    const rejected = (options: object, message: RegExp, more?: object) =>
      assert.throws(() => define(options, more), message)
    const called = (parameters: object) => ({
      table: tableFunction(parameters as never, () => sql`select 1 as id, 'x' as b`),
    })
    rejected({ access: 'read-write' }, /call\.access: the rows of a table function cannot be/)
    rejected({ schema: 'x' }, /call\.schema: not allowed with a table function; remove it/)
    rejected({ softDelete: 'b' }, /call\.softDelete: not allowed with a table function/)
    rejected(called({ b: text }), /call\.table\.parameters\.b: a field has the name "b"/)
    rejected(called({ a__b: text }), /call\.table\.parameters\.a__b: "__" is reserved/)
    rejected(called({ a: 'text' }), /call\.table\.parameters\.a: must be an attribute kind/)
    rejected({ table: {} }, /call\.table: must be a name, or created by tableFunction/)
    rejected(
      { table: tableFunction({}, () => 'select 1' as never) },
      /call\.table: must return sql/,
    )
    rejected({}, /other\.fields\.calls\.to: call is a table function/, {
      fields: { calls: toMany('call', { column: 'id' }) },
    })
  })

  for (const database of databases)
    it(`are compared with the columns that they return · ${database.name}`, async (test) => {
      const url = await filled(test, database, 'create table other (id bigint primary key)')
      const verify = async (options: object) => {
        const store = await openStore(define(options, { access: 'read-only' }), url)
        test.after(() => store.close())
        return store.verify()
      }
      await verify({})
      const named = {
        id: { kind: text },
        table: tableFunction({}, () => sql`select 'k' as id, 'x' as b`),
      }
      assert.deepEqual(await verify(named), { warnings: [], unserved: [] })
      await assert.rejects(
        verify({ fields: { c: attribute(text) } }),
        /call\.fields\.c\.column: the table "call\(\)" has no column "c".*"b"/,
      )
      await assert.rejects(
        verify({ id: 'no' }),
        /call\.id: the table "call\(\)" has no column "no"/,
      )
      await assert.rejects(
        verify({ table: tableFunction({}, () => sql`select id from nowhere`), fields: {} }),
        /call\.table: the database rejects its SQL: .*nowhere/,
      )
      if (database.dialect === 'postgres')
        await assert.rejects(
          verify({ fields: { b: attribute(integer) } }),
          /"b" of the table "call\(\)" has the type "text", which cannot store/,
        )
    })
})
