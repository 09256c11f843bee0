import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { QueryPlanLine } from '../../src/store/sqlite/query-plan.ts'
import { compileCost, type Sizes } from '../../src/store/sqlite/statement-cost.ts'

/** A table with small rows. */
const sizesOf = (rows: number, keySizes?: readonly number[]): Sizes => {
  return { tableSize: () => ({ rows, rowSize: 0 }), keySizes: () => keySizes }
}

/** The number of rows that a search by an index of two columns is expected to visit, in a table of 200,000. */
function visitsOf(columns: string, keySizes?: readonly number[]): number {
  const sql = 'select 1 from "order_detail" as "t0"'
  const detail = `SEARCH t0 USING INDEX sqlite_autoindex_order_detail_1 (${columns})`
  const plan: QueryPlanLine[] = [[2, 0, detail]]
  const { estimate } = compileCost({ sql, placeholders: [] }, plan, () => 2)
  const scan = compileCost({ sql, placeholders: [] }, [[2, 0, 'SCAN t0']], () => 2)
  const sizes = sizesOf(200_000, keySizes)
  return Math.round((200_000 * estimate(sizes)) / scan.estimate(sizes))
}

describe('The cost of a search by a composite key', () => {
  it('is that of one row if all columns are compared', () => {
    assert.equal(visitsOf('order_id=? AND product_id=?'), 1)
  })

  it('is that of the rows with one value if the first column alone is compared', () => {
    assert.equal(visitsOf('order_id=?'), 2000)
  })

  it('is that of the mean number of rows with one value if it is known, and of ten rows at least', () => {
    assert.equal(visitsOf('order_id=?', [100, 200, 600]), 300)
    assert.equal(visitsOf('order_id=?', [2, 3]), 10)
  })

  it('is that of one row in a hundred for values with more rows than are counted', () => {
    assert.equal(visitsOf('order_id=?', [1000]), 2000)
  })
})

it('the cost of a statement has the parsing of a JSON document in each row, once', () => {
  const estimate = (condition: string) => {
    const sql = `select 1 from "note" as "t0" where ${condition}`
    const { estimate } = compileCost({ sql, placeholders: [] }, [[2, 0, 'SCAN t0']], () => 1)
    return estimate(sizesOf(10_000))
  }
  assert.ok(estimate('t0.meta is null') < 2)
  const parsed = estimate("json_extract(t0.meta, '$.a') is null")
  assert.ok(parsed > 20)
  assert.equal(estimate("json_type(t0.meta, '$.a') = json_extract(t0.meta, '$.b')"), parsed)
})
