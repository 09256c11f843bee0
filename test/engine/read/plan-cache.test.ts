import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cachePlans } from '../../../src/plan/cache/plan-cache.ts'

/** A cached planner that counts how often it plans. */
function countedPlanner() {
  let planned = 0
  const planQuery = cachePlans((search) => {
    planned += 1
    return { search }
  })
  /** Runs queries and returns how many of them are planned. */
  const countPlanned = (queries: readonly string[]): number => {
    const before = planned
    for (const search of queries) planQuery(search)
    return planned - before
  }
  return { planQuery, countPlanned }
}

/** Different query strings of at least so many characters. */
function listQueries(count: number, length = 0): string[] {
  return Array.from({ length: count }, (_, number) => `filter[name]=${number}`.padEnd(length))
}

describe('The plan cache', () => {
  it('given 1,000 caches, when none is used, then they have no memory for keys', () => {
    const before = process.memoryUsage().arrayBuffers
    const caches = Array.from({ length: 1000 }, () => cachePlans((search) => ({ search })))
    const added = process.memoryUsage().arrayBuffers - before
    assert.ok(added < 1_000_000, `${added} bytes for ${caches.length} caches`)
  })

  for (const search of ['', 'filter[name]=first'])
    it(`given the query "${search}", when it comes three times, then it is planned once`, () => {
      const { planQuery, countPlanned } = countedPlanner()
      assert.equal(countPlanned([search, search, search]), 1)
      assert.equal(planQuery(search), planQuery(search))
    })

  it('given 20,000 queries, when they come again, then the last 1000 are cached and no others', () => {
    const { countPlanned } = countedPlanner()
    const queries = listQueries(20_000)
    assert.equal(countPlanned(queries), 20_000)
    assert.equal(countPlanned(queries.slice(-1000).toReversed()), 0)
    assert.equal(countPlanned(queries.slice(-2000, -1000).toReversed()), 1000)
  })

  it('given long queries, when they come again, then fewer are cached', () => {
    const { countPlanned } = countedPlanner()
    const queries = listQueries(2000, 9_999)
    countPlanned(queries)
    assert.equal(countPlanned(queries.slice(-100).toReversed()), 0)
    assert.equal(countPlanned(queries.slice(-200, -100).toReversed()), 100)
  })

  it('given an error of planning, when the query repeats, then the error is thrown each time', () => {
    let planned = 0
    const planQuery = cachePlans(() => {
      planned += 1
      throw new Error('invalid')
    })
    for (let time = 1; time <= 3; time += 1) assert.throws(() => planQuery('sort=x'), /invalid/)
    assert.equal(planned, 3)
  })
})
