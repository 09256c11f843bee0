import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, json, resource } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { attributeTexts } from '../things.ts'

const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: { doc: attribute(json), sorted: attribute(json, { invalidValues: 'null' }) },
})
const served = {
  model: defineModel([thing]),
  tables: ({ newId }: ColumnTypes, dialect: string) => `
    create table thing (id ${newId}, doc json, sorted ${dialect === 'postgres' ? 'jsonb' : 'json'});
    insert into thing (doc, sorted) values
      ('null', 'null'), (null, null), ('[null]', '[null]'), (' null${'\n\t'}', ' null '),
      ('{"a":null}', '{"a":null}'), ('"null"', '"null"')`,
}

engine('JSON null', served, (app) => {
  const nulls = ['1', '2', '4']
  const values = ['3', '5', '6']
  for (const name of ['doc', 'sorted']) {
    it(`${name}: it is returned as null and found by filters with null`, async () => {
      assert.deepEqual(attributeTexts(await app.get('/things'), name), [
        'null',
        'null',
        '[null]',
        'null',
        '{"a":null}',
        '"null"',
      ])
      for (const [op, found] of [
        ['eq', nulls],
        ['is_', nulls],
        ['ne', values],
        ['isnot', values],
      ] as const) {
        const clause = { name, op, val: null }
        assert.deepEqual(ids(await app.get('/things', { filter: [clause] })), found, op)
        const others = found === nulls ? values : nulls
        const filter = [{ not: clause }]
        assert.deepEqual(ids(await app.get('/things', { filter })), others, `not ${op}`)
      }
    })
  }
})
