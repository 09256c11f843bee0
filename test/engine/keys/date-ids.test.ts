import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, date, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { assertErrors } from '../../service/assert-errors.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

/** A calendar, and facts about its days, as in a data warehouse. */
const day = resource('day', {
  path: '/days',
  table: 'day',
  id: { column: 'day', kind: date, client: 'required' },
  fields: { name: attribute(text), sales: toMany('sale', { column: 'day' }) },
})
const sale = resource('sale', {
  path: '/sales',
  table: 'sale',
  fields: { amount: attribute(integer), day: toOne('day', { column: 'day' }) },
})

const served = {
  model: defineModel([day, sale]),
  tables: ({ newId, date: dateType }: ColumnTypes) => `
    create table day (day ${dateType} not null primary key, name text);
    create table sale (id ${newId}, amount integer, day ${dateType} references day (day));
    create index sale_day on sale (day);
    insert into day values ('2024-02-29', 'leap'), ('2024-03-01', null), ('1815-12-10', 'old');
    insert into sale (amount, day) values (5, '2024-02-29'), (7, '2024-02-29'), (9, null);`,
}

engine('Ids that are dates', served, (app) => {
  it('name resources in paths, linkage and filters', async () => {
    const response = await app.get('/days/2024-02-29', { include: 'sales' })
    assert.equal(response.one.id, '2024-02-29')
    assert.deepEqual(
      response.body.included?.map(({ id }) => id),
      ['1', '2'],
    )
    assert.deepEqual(ids(await app.get('/days', { sort: '-id' })), [
      '2024-03-01',
      '2024-02-29',
      '1815-12-10',
    ])
    const filter = [{ name: 'id', op: 'ge', val: '2024-02-29' }]
    assert.deepEqual(ids(await app.get('/days', { filter })), ['2024-02-29', '2024-03-01'])
    assert.deepEqual(ids(await app.get('/sales', { 'filter[day__id]': '2024-02-29' })), ['1', '2'])
    for (const path of ['/days/2024-02-30', '/days/2024-2-29', '/days/x'])
      assertErrors(await app.get(path), 404, { status: 404, at: 'id' })
  })

  it('are sent by clients', async () => {
    const created = await app.post('/days', { data: { type: 'day', id: '2000-01-01' } })
    assert.equal(created.status, 201)
    assert.equal(created.one.links?.self, '/days/2000-01-01')
    const data = { type: 'day', id: '2000-01-01' }
    const linked = await app.patch('/sales/3/relationships/day', { data })
    assert.equal(linked.status, 200)
    assert.deepEqual(ids(await app.get('/days/2000-01-01/sales')), ['3'])
    for (const id of ['2000-02-30', '20000101', 'infinity'])
      assertErrors(await app.post('/days', { data: { type: 'day', id } }), 422, {
        status: 422,
        at: '/data/id',
        says: 'a calendar date, written YYYY-MM-DD',
      })
  })
})

engine('Ids that are dates of PostgreSQL alone', { ...served, only: 'postgres' }, (app) => {
  it('have the text of the database', async () => {
    await app.execute(`insert into day values ('infinity', 'never'), ('0044-03-15 BC', 'ides');
      insert into sale (amount, day) values (1, 'infinity')`)
    const listed = ids(await app.get('/days', { sort: 'id' }))
    assert.deepEqual([listed[0], listed.at(-1)], ['0044-03-15 BC', 'infinity'])
    assert.deepEqual(ids(await app.get('/days/infinity/sales')), ['4'])
    const filter = { 'filter[id]': '0044-03-15 BC' }
    assert.deepEqual(ids(await app.get('/days', filter)), ['0044-03-15 BC'])
    assert.deepEqual((await app.get('/sales/4/relationships/day')).body.data, {
      type: 'day',
      id: 'infinity',
    })
  })
})
