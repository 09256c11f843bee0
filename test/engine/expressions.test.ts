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
import { ids } from '../answer.ts'
import type { Query } from '../client.ts'
import type { ColumnTypes } from '../databases.ts'
import { statementsOf } from '../service/statements.ts'
import { engine } from './engine.ts'

const invoice = resource('invoice', {
  path: '/invoices',
  table: 'invoice',
  fields: {
    code: attribute(text, { required: true }),
    day: attribute(date),
    limit: attribute(integer),
    /** Over its own columns, with a value of the declaration's own. */
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

const served = {
  model: defineModel([invoice, line], { maxPageSize: null }),
  tables: ({ newId, date, number }: ColumnTypes) => `
    create table invoice (id ${newId}, code text not null, day ${date}, "limit" integer,
      successor_id integer references invoice (id));
    create table line (id ${newId}, price ${number}, amount integer, invoice_id integer references invoice (id));
    insert into invoice values (1, 'a', '2009-05-01', 20, 2), (2, 'b', '2010-01-01', 5, 3), (3, 'c', null, 1, null);
    insert into line values (1, 2.5, 4, 1), (2, 5, 2, 1), (3, 0.5, 1, 2), (4, null, 3, 2)`,
}

/** What each expression tells of the three invoices, and their order by it, up and down. */
// biome-ignore format: a table, one expression a row
const told = [
  ['label',       ['a/2009-05-01', 'b/2010-01-01', null], '1 2 3', '3 2 1'],
  ['year',        [2009, 2010, null],                     '1 2 3', '3 2 1'],
  ['is_late',     [true, false, null],                    '2 1 3', '3 1 2'],
  ['lines_count', [2, 2, 0],                              '3 1 2', '1 2 3'],
  ['total',       [20, 0.5, null],                        '2 1 3', '3 1 2'],
  ['tax',         ['6.50', '4.50', null],                 '2 1 3', '3 1 2'],
] as const

engine('Expressions', served, (world) => {
  const found = async (path: string, query: Query) => {
    const answer = await world.get(path, query)
    assert.equal(answer.status, 200, answer.text)
    return ids(answer).join(' ')
  }

  for (const [name, values, up, down] of told) {
    it(`${name} is told in lists, alone, included, related and after a write`, async () => {
      const list = await world.get('/invoices')
      assert.deepEqual(
        list.many.map(({ attributes }) => attributes?.[name]),
        values,
      )
      for (const [path, query, at] of [
        ['/invoices/1', {}, 0],
        ['/lines/3/invoice', {}, 1],
        ['/invoices/2/successor', {}, 2],
      ] as const) {
        assert.deepEqual((await world.get(path, query)).one.attributes?.[name], values[at])
      }
      const { included = [] } = (await world.get('/lines', { include: 'invoice' })).body
      assert.deepEqual(
        included.map(({ attributes }) => attributes?.[name]),
        values.slice(0, 2),
      )
      const data = { type: 'invoice', id: '1', attributes: { code: 'a' } }
      assert.deepEqual(
        (await world.patch('/invoices/1', { data })).one.attributes?.[name],
        values[0],
      )
    })

    it(`${name} is filtered and sorted by, here and through relationships`, async () => {
      const [value] = values
      const alike = [1, 2, 3].filter((n) => values[n - 1] === value).join(' ')
      const none = [1, 2, 3].filter((n) => values[n - 1] === null).join(' ')
      const some = [1, 2, 3].filter((n) => values[n - 1] !== null).join(' ')
      for (const [path, filter, all] of [
        ['/invoices', { name, op: 'eq', val: value }, alike],
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
          alike === '1' ? '1 2' : '1 2 3 4',
        ],
      ] as const) {
        assert.equal(await found(path, { filter: [filter] }), all, JSON.stringify(filter))
      }
      assert.equal(await found('/invoices', { sort: name }), up)
      assert.equal(await found('/invoices', { sort: `-${name}` }), down)
      const isFirst = down.indexOf('1') < down.indexOf('2')
      const lines = await found('/lines', { sort: `-invoice.${name},id` })
      assert.equal(lines, isFirst ? '1 2 3 4' : '3 4 1 2')
    })
  }

  it('fields are compared with expressions, and expressions with each other', async () => {
    for (const [filter, all] of [
      [{ name: 'limit', op: 'le', field: 'total' }, '1'],
      [{ name: 'total', op: 'lt', field: 'limit' }, '2'],
      [{ name: 'lines_count', op: 'ne', field: 'limit' }, '1 2 3'],
      [{ name: 'total', op: 'isnot', field: 'lines_count' }, '1 2 3'],
      [{ name: 'label', op: 'startswith', field: 'code' }, '1 2'],
      [{ name: 'year', op: 'gt', field: 'lines_count' }, '1 2'],
    ] as const) {
      assert.equal(await found('/invoices', { filter: [filter] }), all, JSON.stringify(filter))
    }
    const lines = {
      filter: [{ name: 'lines', op: 'any', val: { name: 'sum', op: 'eq', field: 'price' } }],
    }
    assert.equal(await found('/invoices', lines), '2')
    const bad = [{ name: 'label', op: 'eq', field: 'year' }]
    assert.equal((await world.get('/invoices', { filter: bad })).fault.code, 'invalid_filter')
  })

  it('they take every operator that suits their kind', async () => {
    for (const [filter, all] of [
      [{ name: 'total', op: 'between', val: [0.5, 20] }, '1 2'],
      [{ name: 'label', op: 'ilike', val: 'B/%' }, '2'],
      [{ name: 'label', op: 'match', val: '2009' }, '1'],
      [{ name: 'lines_count', op: 'notin_', val: [2] }, '3'],
      [{ name: 'tax', op: 'gt', val: '4.50' }, '1'],
    ] as const) {
      assert.equal(await found('/invoices', { filter: [filter] }), all, JSON.stringify(filter))
    }
    assert.equal(await found('/invoices', { 'filter[is_late]': 'true' }), '1')
    assert.equal(await found('/invoices', { 'filter[successor__total]': '0.5' }), '1')
  })

  it('one that neither filters nor sorts is told alone', async () => {
    const answer = await world.get('/invoices/1')
    assert.ok(answer.text.includes('"largest":9223372036854775807'), answer.text)
    for (const query of [{ 'filter[largest]': '1' }, { sort: 'largest' }])
      assert.equal((await world.get('/invoices', query)).status, 400)
  })

  it('they are discarded from bodies, whatever is sent', async () => {
    const attributes = { code: 'z', total: 'no number', lines_count: -1, label: null }
    const made = await world.post('/invoices', { data: { type: 'invoice', attributes } })
    assert.equal(made.status, 201, made.text)
    assert.equal(made.one.attributes?.lines_count, 0)
    const data = { type: 'invoice', id: '1', attributes: { total: 5 } }
    assert.equal((await world.patch('/invoices/1', { data })).one.attributes?.total, 20)
  })

  it('they follow what they are made of', async () => {
    const data = { type: 'line', attributes: { price: 100, amount: 3 } }
    await world.post('/invoices/3/lines', { data })
    const { one } = await world.get('/invoices/3')
    assert.deepEqual([one.attributes?.total, one.attributes?.lines_count], [300, 1])
    await world.patch('/lines/1', { data: { type: 'line', id: '1', attributes: { amount: 40 } } })
    assert.equal(await found('/invoices', { sort: '-total' }), '3 1 2')
  })

  it('a fieldset without them does not make the database compute them', async () => {
    for (const query of [
      { 'fields[invoice]': 'code,lines', include: 'lines', 'fields[line]': 'price' },
      { 'fields[invoice]': '', 'page[size]': '0' },
    ]) {
      const run = (await statementsOf(() => world.get('/invoices', query))).join('\n')
      assert.doesNotMatch(run, /sum\(|substr|\|\||line\.invoice_id|9223372036854775807| \* /)
    }
    const one = await statementsOf(() => world.get('/invoices', { 'fields[invoice]': 'total' }))
    assert.match(one.join('\n'), /sum\(price \* amount\)/)
    assert.doesNotMatch(one.join('\n'), /\|\||substr/)
  })

  it('a long list of them is streamed, sorted by them, with what they are compared with', async () => {
    await world.execute(`
      with recursive n (n) as (select 10 union all select n + 1 from n where n < 700)
      insert into invoice (id, code, day) select n, 'n' || n, '2020-01-01' from n;
      insert into line (price, amount, invoice_id) select 1.5, n.id, n.id from invoice n where id >= 10`)
    const query = {
      sort: '-total',
      'page[size]': '0',
      include: 'lines',
      filter: [{ name: 'lines_count', op: 'ge', val: 1 }],
    }
    const answer = await world.get('/invoices', query)
    const totals = answer.many.map(({ attributes }) => Number(attributes?.total))
    assert.deepEqual(
      totals,
      totals.toSorted((one, other) => other - one),
    )
    assert.equal(totals.length, 693)
    assert.equal(answer.body.included?.length, 695)
  })
})
