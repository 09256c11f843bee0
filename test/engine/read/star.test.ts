import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { Query } from '../../client.ts'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'
import { Forest } from '../forest.ts'

const node = resource('node', {
  path: '/nodes',
  table: 'node',
  fields: {
    name: attribute(text),
    parent: toOne('node', { column: 'parent_id' }),
    children: toMany('node', { column: 'parent_id' }),
  },
})

/** One node has a third of all others as its children; the rest stand alone. */
const star = new Forest(
  Array.from({ length: 900 }, (_, at) => {
    const isOfStar = at < 300
    return { id: at + 1, name: isOfStar ? 'star' : 'dust', parent: isOfStar && at > 0 ? 1 : null }
  }),
)

const served = {
  model: defineModel([node], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes) => `
    create table node (id ${newId}, name text, parent_id integer references node (id));
    create index node_parent_id on node (parent_id);
    ${star.sql}`,
}

/** Six relationships to and fro between a node and its children: a database that tries every path tries 300 × 300 × 300. */
const toAndFro = Array.from({ length: 3 }, () => ['children', 'parent']).flat()
/** More than any response here takes, less than following every path takes, in milliseconds. */
const timeLimit = 3000

engine('A node of many children, and long paths', served, (app) => {
  async function inTime(query: Query): Promise<void> {
    const start = performance.now()
    const answer = await app.get('/nodes', query)
    const elapsed = performance.now() - start
    assert.equal(answer.status, 200, answer.text)
    assert.ok(elapsed < timeLimit, `${JSON.stringify(query)} took ${Math.round(elapsed)} ms`)
  }

  it('a filter over a path of relationships takes time in proportion to their number, not to the number of row paths', async () => {
    await inTime({ [`filter[${toAndFro.join('__')}__name]`]: 'nobody' })
    await inTime({
      filter: [{ not: { name: `${toAndFro.join('__')}__name`, op: 'ne', val: 'star' } }],
    })
  })

  it('an include path takes time in proportion to its relationships', async () => {
    const query = { include: toAndFro.join('.'), 'filter[name]': 'dust' }
    await inTime(query)
    await inTime({ ...query, 'page[size]': '0' })
  })

  it('a sort over a path takes time in proportion to its relationships', async () => {
    const twenty = Array.from({ length: 20 }, () => 'parent').join('.')
    await inTime({ sort: `${twenty}.name,-parent.name`, 'page[size]': '0' })
  })
})
