import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { explainRead } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import { Cleanup } from '../cleanup.ts'
import { everyDatabase } from '../databases.ts'
import {
  anyRequest,
  anyTables,
  fillTables,
  modelOf,
  names,
  type Tables,
} from './random/random-tables.ts'
import { scale, seed } from './seed.ts'

/** The maximum number of rows that a node of a plan visits, as a multiple of the rows of its tables and of its result. */
const most = 2
/** The maximum number of rows of a set that is not streamed; two such sets may be joined row by row. */
const held = 501

/** Returns the rows that each node of a plan visits, as `explain analyze` reports them. */
function listVisits(plan: readonly string[]): number[] {
  const visits: number[] = []
  let loops = 1
  for (const line of plan) {
    const [, rows, count] = /\(actual rows=([\d.]+) loops=(\d+)\)/.exec(line) ?? []
    const [, removed] = /Rows Removed by [\w ]+: (\d+)/.exec(line) ?? []
    if (rows !== undefined) {
      loops = Number(count)
      visits.push(Number(rows) * loops)
    }
    // It follows the line of its node.
    if (removed !== undefined) visits.push((visits.pop() ?? 0) + Number(removed) * loops)
  }
  return visits
}

/** Returns the rows of all tables that a statement names, each as often as it is named. */
function countScanned(sql: string, { sizes, references }: Tables): number {
  const named = [...sql.matchAll(/"([a-d]|j\d)" (?:as|where)/g)].map(([, name = '']) => name)
  return named.reduce((sum, name) => {
    const from = references[Number(name.slice(1))]?.from ?? 0
    return sum + (sizes[names.indexOf(name)] ?? sizes[from] ?? 0)
  }, 0)
}

/** Makes tables so large that a visit for each pair of rows exceeds the bound. */
const enlarge = ({ sizes, references }: Tables): Tables => {
  return { sizes: sizes.map((size) => size * 8), references }
}

const postgres = everyDatabase.find(({ dialect }) => dialect === 'postgres')

describe('The rows that a node of a plan visits on PostgreSQL', { skip: !postgres }, () => {
  it('are bounded by two scans of its tables and the rows returned, without any index', async () => {
    const cases = anyTables.map(enlarge).chain((tables) =>
      fc.record({
        tables: fc.constant(tables),
        isAnalyzed: fc.boolean(),
        requests: fc.array(anyRequest(tables), { minLength: 12, maxLength: 12 }),
      }),
    )
    let statements = 0
    await fc.assert(
      fc.asyncProperty(cases, async ({ tables, isAnalyzed, requests }) => {
        assert.ok(postgres)
        const cleanup = new Cleanup()
        try {
          const { url, remove, second } = await postgres.create()
          cleanup.after(remove)
          await second?.execute(fillTables(tables) + (isAnalyzed ? 'analyze' : ''))
          const model = modelOf(tables)
          const store = await openPostgres(model, url)
          cleanup.after(() => store.close())
          for (const request of requests) {
            const explained = await explainRead({ model, store }, request)
            for (const { sql, plan, rows } of explained.statements) {
              const visits = Math.max(...listVisits(plan))
              const scanned = countScanned(sql, tables) + rows
              assert.ok(
                visits <= most * scanned + held ** 2,
                `${request}: ${visits} rows, of ${scanned}, by\n${plan.join('\n')}`,
              )
              statements += 1
            }
          }
        } finally {
          await cleanup.run()
        }
      }),
      { numRuns: 2 * scale, seed },
    )
    assert.ok(statements > 20)
  })
})
