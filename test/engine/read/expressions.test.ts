import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  boolean,
  date,
  decimal,
  defineModel,
  expression,
  integer,
  number,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { Query } from '../../client.ts'
import type { ColumnTypes } from '../../databases.ts'
import { statementsOf } from '../../service/statements.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const invoice = resource('invoice', {
  path: '/invoices',
  table: 'invoice',
  fields: {
    code: attribute(text, { required: true }),
    day: attribute(date),
    limit: attribute(integer),
    /** Over columns of the table, with a constant. */
    label: expression(text, (column) => sql`${column('code')} || ${'/'} || ${column('day')}`),
    year: expression(
      integer,
      (column) => sql`cast(substr(cast(${column('day')} as text), 1, 4) as integer)`,
    ),
    is_late: expression(boolean, (column) => sql`${column('day')} < '2010-01-01'`),
    /** Over other tables. */
    lines_count: expression(
      integer,
      (column) => sql`(select count(*) from line where line.invoice_id = ${column('id')})`,
    ),
    total: expression(
      number,
      (column) => sql`(select sum(price * amount) from line where invoice_id = ${column('id')})`,
    ),
    tax: expression(
      decimal({ precision: 12, scale: 2 }),
      (column) => sql`(select sum(amount) + 0.5 from line where invoice_id = ${column('id')})`,
    ),
    largest: expression(integer, () => sql`9223372036854775807`, { filter: false, sort: false }),
    lines: toMany('line', { column: 'invoice_id' }),
    successor: toOne('invoice', { column: 'successor_id' }),
  },
})
const line = resource('line', {
  path: '/lines',
  table: 'line',
  fields: {
    price: attribute(number),
    amount: attribute(integer),
    sum: expression(number, (column) => sql`${column('price')} * ${column('amount')}`),
    invoice: toOne('invoice', { column: 'invoice_id' }),
  },
})

const fixture = {
  model: defineModel([invoice, line], { maxPageSize: null }),
  tables: ({ newId, date, number }: ColumnTypes) => `
    create table invoice (id ${newId}, code text not null, day ${date}, "limit" integer,
      successor_id integer references invoice (id));
    create table line (id ${newId}, price ${number}, amount integer, invoice_id integer references invoice (id));
    insert into invoice values (1, 'a', '2009-05-01', 20, 2), (2, 'b', '2010-01-01', 5, 3), (3, 'c', null, 1, null);
    insert into line values (1, 2.5, 4, 1), (2, 5, 2, 1), (3, 0.5, 1, 2), (4, null, 3, 2)`,
}

/** The value of each expression for the three invoices, and the order of their ids by it, ascending and descending. */
// biome-ignore format: a table, one expression a row
const expressions = [
  ['label',       ['a/2009-05-01', 'b/2010-01-01', null], '1 2 3', '3 2 1'],
  ['year',        [2009, 2010, null],                     '1 2 3', '3 2 1'],
  ['is_late',     [true, false, null],                    '2 1 3', '3 1 2'],
  ['lines_count', [2, 2, 0],                              '3 1 2', '1 2 3'],
  ['total',       [20, 0.5, null],                        '2 1 3', '3 1 2'],
  ['tax',         ['6.50', '4.50', null],                 '2 1 3', '3 1 2'],
] as const

engine('Expressions', fixture, (app) => {
  const listIds = async (path: string, query: Query) => {
    const response = await app.get(path, query)
    assert.equal(response.status, 200, response.text)
    return ids(response).join(' ')
  }

  for (const [name, values, up, down] of expressions) {
    it(`given the expression ${name}, when its resource is listed, fetched, included, related or written, then the value is returned`, async () => {
      const list = await app.get('/invoices')
      assert.deepEqual(
        list.many.map(({ attributes }) => attributes?.[name]),
        values,
      )
      for (const [path, query, at] of [
        ['/invoices/1', {}, 0],
        ['/lines/3/invoice', {}, 1],
        ['/invoices/2/successor', {}, 2],
      ] as const) {
        assert.deepEqual((await app.get(path, query)).one.attributes?.[name], values[at])
      }
      const { included = [] } = (await app.get('/lines', { include: 'invoice' })).body
      assert.deepEqual(
        included.map(({ attributes }) => attributes?.[name]),
        values.slice(0, 2),
      )
      const data = { type: 'invoice', id: '1', attributes: { code: 'a' } }
      assert.deepEqual((await app.patch('/invoices/1', { data })).one.attributes?.[name], values[0])
    })

    it(`given the expression ${name}, when a filter or a sort uses it, also through relationships, then the order and the matches are right`, async () => {
      const [value] = values
      const equalIds = [1, 2, 3].filter((n) => values[n - 1] === value).join(' ')
      const none = [1, 2, 3].filter((n) => values[n - 1] === null).join(' ')
      const some = [1, 2, 3].filter((n) => values[n - 1] !== null).join(' ')
      for (const [path, filter, all] of [
        ['/invoices', { name, op: 'eq', val: value }, equalIds],
        ['/invoices', { name, op: 'eq', val: null }, none],
        ['/invoices', { not: { name, op: 'eq', val: null } }, some],
        [
          '/invoices',
          { name: 'successor', op: 'has', val: { name, op: 'eq', val: values[1] } },
          '1',
        ],
        [
          '/lines',
          { name: `invoice__${name}`, op: 'in_', val: [value] },
          equalIds === '1' ? '1 2' : '1 2 3 4',
        ],
      ] as const) {
        assert.equal(await listIds(path, { filter: [filter] }), all, JSON.stringify(filter))
      }
      assert.equal(await listIds('/invoices', { sort: name }), up)
      assert.equal(await listIds('/invoices', { sort: `-${name}` }), down)
      const isFirst = down.indexOf('1') < down.indexOf('2')
      const lines = await listIds('/lines', { sort: `-invoice.${name},id` })
      assert.equal(lines, isFirst ? '1 2 3 4' : '3 4 1 2')
    })
  }

  for (const [filter, all] of [
    [{ name: 'limit', op: 'le', field: 'total' }, '1'],
    [{ name: 'total', op: 'lt', field: 'limit' }, '2'],
    [{ name: 'lines_count', op: 'ne', field: 'limit' }, '1 2 3'],
    [{ name: 'total', op: 'isnot', field: 'lines_count' }, '1 2 3'],
    [{ name: 'label', op: 'startswith', field: 'code' }, '1 2'],
    [{ name: 'year', op: 'gt', field: 'lines_count' }, '1 2'],
  ] as const)
    it(`given fields and expressions, when a filter compares them with each other, then their kinds decide whether it may: ${JSON.stringify(filter)}`, async () => {
      assert.equal(await listIds('/invoices', { filter: [filter] }), all, JSON.stringify(filter))
    })

  it('given an expression of a related type or of another kind, when a filter compares it with a field, then it is found or rejected', async () => {
    const lines = {
      filter: [{ name: 'lines', op: 'any', val: { name: 'sum', op: 'eq', field: 'price' } }],
    }
    assert.equal(await listIds('/invoices', lines), '2')
    const bad = [{ name: 'label', op: 'eq', field: 'year' }]
    assert.equal((await app.get('/invoices', { filter: bad })).error.code, 'invalid_filter')
  })

  for (const [filter, all] of [
    [{ name: 'total', op: 'between', val: [0.5, 20] }, '1 2'],
    [{ name: 'label', op: 'ilike', val: 'B/%' }, '2'],
    [{ name: 'label', op: 'match', val: '2009' }, '1'],
    [{ name: 'lines_count', op: 'notin_', val: [2] }, '3'],
    [{ name: 'tax', op: 'gt', val: '4.50' }, '1'],
  ] as const)
    it(`given an operator of its kind, when a filter applies it to an expression, then the matches are right: ${JSON.stringify(filter)}`, async () => {
      assert.equal(await listIds('/invoices', { filter: [filter] }), all, JSON.stringify(filter))
    })

  it('given an expression, when a simple filter names it, then the matches are right', async () => {
    assert.equal(await listIds('/invoices', { 'filter[is_late]': 'true' }), '1')
    assert.equal(await listIds('/invoices', { 'filter[successor__total]': '0.5' }), '1')
  })

  it('given an expression that is neither filterable nor sortable, when requested, then only its value is returned', async () => {
    const response = await app.get('/invoices/1')
    assert.ok(response.text.includes('"largest":9223372036854775807'), response.text)
    for (const query of [{ 'filter[largest]': '1' }, { sort: 'largest' }])
      assert.equal((await app.get('/invoices', query)).status, 400)
  })

  it('given a body with expressions, when written, then they are ignored', async () => {
    const attributes = { code: 'z', total: 'no number', lines_count: -1, label: null }
    const made = await app.post('/invoices', { data: { type: 'invoice', attributes } })
    assert.equal(made.status, 201, made.text)
    assert.equal(made.one.attributes?.lines_count, 0)
    const data = { type: 'invoice', id: '1', attributes: { total: 5 } }
    assert.equal((await app.patch('/invoices/1', { data })).one.attributes?.total, 20)
  })

  it('given a changed column, when its resource is fetched, then expressions over it have changed', async () => {
    const data = { type: 'line', attributes: { price: 100, amount: 3 } }
    await app.post('/invoices/3/lines', { data })
    const { one } = await app.get('/invoices/3')
    assert.deepEqual([one.attributes?.total, one.attributes?.lines_count], [300, 1])
    await app.patch('/lines/1', { data: { type: 'line', id: '1', attributes: { amount: 40 } } })
    assert.equal(await listIds('/invoices', { sort: '-total' }), '3 1 2')
  })

  it('given a fieldset without expressions, when requested, then the database does not compute them', async () => {
    for (const query of [
      { 'fields[invoice]': 'code,lines', include: 'lines', 'fields[line]': 'price' },
      { 'fields[invoice]': '', 'page[size]': '0' },
    ]) {
      const run = (await statementsOf(() => app.get('/invoices', query))).join('\n')
      assert.doesNotMatch(run, /sum\(|substr|\|\||line\.invoice_id|9223372036854775807| \* /)
    }
    const one = await statementsOf(() => app.get('/invoices', { 'fields[invoice]': 'total' }))
    assert.match(one.join('\n'), /sum\(price \* amount\)/)
    assert.doesNotMatch(one.join('\n'), /\|\||substr/)
  })

  it('given a long list sorted and filtered by expressions, when requested in full, then the stream is right', async () => {
    await app.execute(`
      with recursive n (n) as (select 10 union all select n + 1 from n where n < 700)
      insert into invoice (id, code, day) select n, 'n' || n, '2020-01-01' from n;
      insert into line (price, amount, invoice_id) select 1.5, n.id, n.id from invoice n where id >= 10`)
    const query = {
      sort: '-total',
      'page[size]': '0',
      include: 'lines',
      filter: [{ name: 'lines_count', op: 'ge', val: 1 }],
    }
    const response = await app.get('/invoices', query)
    const totals = response.many.map(({ attributes }) => Number(attributes?.total))
    assert.deepEqual(
      totals,
      totals.toSorted((one, other) => other - one),
    )
    assert.equal(totals.length, 693)
    assert.equal(response.body.included?.length, 695)
  })
})
