import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../client.ts'
import {
  anyRequest,
  anyTables,
  anyWrite,
  fillTables,
  modelOf,
  names,
  type Tables,
} from './random/random-tables.ts'
import { isExhaustive, scale, seed } from './seed.ts'

/** The random tables, each with its requests and writes. */
const runs = isExhaustive ? 4 * scale : 2

/** The cost of a statement, as the store on SQLite publishes it. */
interface Work {
  readonly sql: string
  readonly steps: number
  readonly rows: number
}

/** Returns the cost of the statements of a function. */
async function workOf(run: () => Promise<void>): Promise<Work[]> {
  const all: Work[] = []
  // The store publishes nothing else on the channel.
  const listen = (message: unknown) => void all.push(message as Work)
  subscribe('lapidary:work', listen)
  try {
    await run()
  } finally {
    unsubscribe('lapidary:work', listen)
  }
  return all
}

/** Operations for each visit to a row, a level of nesting aside; a comparison takes a few, and sorting some more. */
const perVisit = 40
const perValue = 8

/**
 * The maximum cost of a statement: one scan of each of its tables, the rows that it returns, and those that were sent.
 *
 * @param sent - the members in all writes so far
 */
function bound({ sql, rows }: Work, { sizes, references }: Tables, sent = 0): number {
  const tables = [...sql.matchAll(/"([a-d]|j\d)" (?:as|where)/g)].map(([, name = '']) => name)
  const scans = tables.map((name) => {
    const own = sizes[names.indexOf(name)]
    return own ?? sizes[references[Number(name.slice(1))]?.from ?? 0] ?? 0
  })
  const linked = sizes.reduce((sum, size) => sum + size, 0)
  // Each relationship whose linkage is aggregated or whose rows are counted sorts its links.
  const groups = sql.split(/json_group_array|group by/).length - 1
  const aggregated = linked * groups
  // The tables have the rows that were sent before.
  const visits = scans.reduce((sum, size) => sum + size + sent, sent) + rows + aggregated
  return 500 + visits * (perVisit + perValue * (sql.split('?').length - 1))
}

function assertBounded(
  request: string,
  work: readonly Work[],
  tables: Tables,
  sent?: number,
): void {
  for (const each of work) {
    const most = bound(each, tables, sent)
    assert.ok(
      each.steps <= most,
      `${request}\n${each.sql}\n${each.steps} operations, ${most} at most`,
    )
  }
}

describe('The rows that a statement visits', () => {
  it('are bounded by a scan of each of its tables and the rows returned, without any index', async () => {
    let statements = 0
    await fc.assert(
      fc.asyncProperty(
        anyTables.chain((tables) =>
          fc.record({
            tables: fc.constant(tables),
            requests: fc.array(anyRequest(tables), { minLength: 12, maxLength: 12 }),
            writes: fc.array(anyWrite(tables), { minLength: 4, maxLength: 4 }),
          }),
        ),
        async ({ tables, requests, writes }) => {
          const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
          const path = join(folder, 'test.db')
          const database = new DatabaseSync(path)
          database.exec(fillTables(tables))
          database.close()
          const model = modelOf(tables)
          const store = openSqlite(model, path)
          const server = createServer({ model, store, logLevel: 'silent' })
          try {
            await store.verify()
            for (const url of requests) {
              const work = await workOf(async () => {
                const response = await server.inject({ url })
                assert.equal(response.statusCode, 200, `${url}\n${response.body}`)
              })
              statements += work.length
              assertBounded(url, work, tables)
            }
            let sent = 0
            for (const { method, url, data } of writes) {
              sent += data.length
              const work = await workOf(async () => {
                const headers = { 'content-type': mediaType }
                const payload = JSON.stringify({ data })
                const response = await server.inject({ method, url, headers, payload })
                assert.ok(response.statusCode < 300, `${method} ${url}\n${response.body}`)
              })
              assert.ok(work.length > 0)
              assertBounded(`${method} ${url}`, work, tables, sent)
            }
          } finally {
            await server.close()
            await store.close()
            rmSync(folder, { recursive: true })
          }
        },
      ),
      { numRuns: runs, seed },
    )
    assert.ok(statements > 25 * runs)
  })
})
