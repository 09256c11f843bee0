import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { QueryPlanLine } from '../../src/store/sqlite/query-plan.ts'
import { compileCost } from '../../src/store/sqlite/statement-cost.ts'

/** A table with small rows. */
const sizeOf = (rows: number) => () => ({ rows, rowSize: 0 })

/** The number of rows that a search by an index of two columns is expected to visit, in a table of 100,000. */
function visitsOf(columns: string): number {
  const sql = 'select 1 from "order_detail" as "t0"'
  const detail = `SEARCH t0 USING INDEX sqlite_autoindex_order_detail_1 (${columns})`
  const plan: QueryPlanLine[] = [[2, 0, detail]]
  const { estimate } = compileCost({ sql, placeholders: [] }, plan, () => 2)
  const scan = compileCost({ sql, placeholders: [] }, [[2, 0, 'SCAN t0']], () => 2)
  return Math.round((100_000 * estimate(sizeOf(100_000))) / scan.estimate(sizeOf(100_000)))
}

describe('The cost of a search by a composite key', () => {
  it('is that of one row if all columns are compared', () => {
    assert.equal(visitsOf('order_id=? AND product_id=?'), 1)
  })

  it('is that of the rows with one value if the first column alone is compared', () => {
    assert.equal(visitsOf('order_id=?'), 1000)
  })
})

it('the cost of a statement has the parsing of a JSON document in each row, once', () => {
  const estimate = (condition: string) => {
    const sql = `select 1 from "note" as "t0" where ${condition}`
    const { estimate } = compileCost({ sql, placeholders: [] }, [[2, 0, 'SCAN t0']], () => 1)
    return estimate(sizeOf(10_000))
  }
  assert.ok(estimate('t0.meta is null') < 2)
  const parsed = estimate("json_extract(t0.meta, '$.a') is null")
  assert.ok(parsed > 20)
  assert.equal(estimate("json_type(t0.meta, '$.a') = json_extract(t0.meta, '$.b')"), parsed)
})
