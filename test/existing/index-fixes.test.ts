import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import { everyDatabase } from '../databases.ts'
import { execute, filled } from '../filled.ts'
import { statementsOf } from '../service/statements.ts'
import { serveModel, splitWarning } from './serve-model.ts'

/** Makes the planner use an index wherever one can be used, and plan for any values of the parameters. */
const settings =
  'set enable_sort = off; set enable_seqscan = off; set enable_bitmapscan = off; set plan_cache_mode = force_generic_plan'

/** Writes the SQL that shows the plan of a statement. PostgreSQL 15 has no `explain (generic_plan)`. */
function explainGenericPlan(sql: string): string {
  const numbers = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
  const values = Array.from({ length: Math.max(...numbers) }, () => 'null')
  return `${settings}; prepare shown as ${sql}; explain execute shown(${values})`
}

/** A column type, a request, and a pattern that matches the query plan if it uses an index. */
const cases = [
  ['text', { sort: 'name' }, /Presorted Key: .*name/],
  ['varchar(9)', { sort: '-name' }, /Presorted Key: .*name/],
  ['char(9)', { 'filter[name]': 'ada' }, /Index Cond: \(.*name = /],
  ['citext', { 'filter[name]': 'ada' }, /Index Cond: \(.*name = /],
] as const

for (const database of everyDatabase.filter(({ name }) => name === 'PostgreSQL')) {
  describe('The fix in a warning about an index', () => {
    for (const [type, query, usesIndex] of cases) {
      it(`makes PostgreSQL use an index for a column of the type ${type}`, async (test) => {
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
        const served = await serveModel(test, defineModel([thing]), url)
        // The first request loads the facts of the tables before.
        const sql = (await statementsOf(() => served.get('/things', query))).at(-1) ?? ''
        const plan = async () => JSON.stringify(await execute(url, explainGenericPlan(sql)))
        assert.doesNotMatch(await plan(), usesIndex)
        for (const warning of served.warnings) await execute(url, splitWarning(warning)[1])
        assert.match(await plan(), usesIndex)
      })
    }
  })
}
