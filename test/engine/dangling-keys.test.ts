import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, sql, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import { ids } from '../test-response.ts'
import { engine } from './engine.ts'

const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: {
    holder: toOne('holder', { column: 'holder_id', access: 'read-only' }),
    keeper: toOne('keeper', { column: 'holder_id', access: 'read-only' }),
  },
})
const holder = resource('holder', {
  path: '/holders',
  table: 'holder',
  fields: {
    name: attribute(text),
    items: toMany('item', { column: 'holder_id', access: 'read-only' }),
  },
})
/** A holder who is still there. */
const keeper = resource('keeper', {
  path: '/keepers',
  table: 'holder',
  scope: (column) => sql`${column('gone')} = ${false}`,
  insertDefaults: { gone: false },
  fields: { name: attribute(text) },
})

const served = {
  model: defineModel([item, holder, keeper]),
  tables: ({ newId, id, boolean: truth }: ColumnTypes) => {
    const [no, yes] = truth === 'integer' ? ['0', '1'] : ['false', 'true']
    return `
      create table holder (id ${newId}, name text, gone ${truth} default ${no});
      create table item (id ${newId}, holder_id ${id});
      insert into holder (id, gone) values (1, ${no}), (2, ${yes});
      insert into item (id, holder_id) values (1, 1), (2, 2), (3, 9), (4, null), (5, 1)`
  },
}

engine('Keys that lead nowhere', served, (app) => {
  it('are met by no filter on the id, and by every one that says not', async () => {
    for (const [relationship, id, found] of [
      ['holder', '1', ['1', '5']],
      ['holder', '2', ['2']],
      ['holder', '9', []],
      ['keeper', '1', ['1', '5']],
      ['keeper', '2', []],
      ['keeper', '9', []],
    ] as const) {
      const clause = { name: `${relationship}__id`, op: 'eq', val: id }
      const has = { name: relationship, op: 'has', val: { name: 'id', op: 'eq', val: id } }
      const others = ['1', '2', '3', '4', '5'].filter((each) => !found.some((one) => one === each))
      for (const filter of [[clause], [has]])
        assert.deepEqual(ids(await app.get('/items', { filter })), found, JSON.stringify(filter))
      assert.deepEqual(ids(await app.get('/items', { filter: [{ not: clause }] })), others)
    }
  })
})
