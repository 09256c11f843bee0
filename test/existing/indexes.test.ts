import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import { execute, filled, lasting } from '../filled.ts'
import { statementsOf } from '../service/statements.ts'
import { type Serving, serve } from './serving.ts'

/** The planner is to take an index wherever it can. */
const settings = 'set enable_sort = off; set enable_seqscan = off; set enable_bitmapscan = off'

/** A column, a query, and what the plan of its statement says when an index serves. */
const cases = [
  ['text', { sort: 'name' }, /Presorted Key: .*name/],
  ['varchar(9)', { sort: '-name' }, /Presorted Key: .*name/],
  ['char(9)', { 'filter[name]': 'ada' }, /Index Cond: \(.*name = /],
  ['citext', { 'filter[name]': 'ada' }, /Index Cond: \(.*name = /],
] as const

for (const database of lasting.filter(({ name }) => name === 'PostgreSQL')) {
  describe('What the start says of indexes', () => {
    for (const [type, query, served] of cases) {
      it(`${type}: none serves before it is mended, and one does afterwards`, async (test) => {
        const url = await filled(
          test,
          database,
          `create extension citext; create table thing (id bigint primary key, name ${type} not null);
           create index on thing (name)`,
        )
        const thing = resource('thing', {
          ...{ path: '/things', table: 'thing', access: 'read-only' },
          fields: { name: attribute(text) },
        })
        const serving: Serving = await serve(test, defineModel([thing]), url)
        const [sql = ''] = await statementsOf(() => serving.get('/things', query))
        const plan = async () =>
          JSON.stringify(await execute(url, `${settings}; explain (generic_plan) ${sql}`))
        assert.doesNotMatch(await plan(), served)
        for (const remark of serving.remarks)
          await execute(url, String(remark.split('; to mend it: ')[1]))
        assert.match(await plan(), served)
      })
    }
  })
}
