import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { after, before, describe, it } from 'node:test'
import type { OpenDatabase } from '../../open-database.ts'
import { seed } from '../seed.ts'
import { type Pair, runScenario, type ScenarioSize } from './run-scenario.ts'
import { createTables } from './schema.ts'
import { type OpenVariant, openVariant, type Variant } from './variants.ts'

/** Responses of every kind: an allowed create is one that met the rule on the new row. */
const allStatuses = [
  ...['GET 200', 'GET 400', 'GET 404', 'POST 201', 'POST 403', 'POST 404'],
  ...['PATCH 200', 'PATCH 403', 'PATCH 404', 'DELETE 200', 'DELETE 403', 'DELETE 404'],
]

/** Reads of pages that were answered. */
const pagedStatuses = ['page%5Bafter 200', 'page%5Bbefore 200', 'includePage 200']

/** Batches that were executed, and that a rule, a missing row or a condition ended. */
const batchStatuses = ['batch of several 200', 'batch 403', 'batch 404', 'batch 412']

/** So many scenarios have identities and rules of every kind; few may have none that answers 403. */
const minScenarios = 15

/**
 * Scenarios that found a fault that others find late. 401: a rule that lists composite ids, on an index that SQLite joins by. 715: null
 * for a key that references no row, without the right to unlink.
 */
const seedsOfFaults = [401, 715]

/**
 * Declares a test that no response depends on what its identity may not see.
 * @param minRequests - how many requests the scenarios send in all, at least
 * @param size - how many of them a scenario sends; default: that of the variant
 */
export function describeLeaks(
  variant: Variant,
  minRequests: number,
  size: Partial<ScenarioSize> = {},
): void {
  describe(`Databases that differ in what an identity may not see · ${variant}`, () => {
    let opened: OpenVariant
    let pair: Pair
    before(async () => {
      opened = await openVariant(variant)
      pair = [await createDatabase(opened), await createDatabase(opened)]
    })
    after(async () => {
      for (const { remove } of pair) await remove()
      await opened.close()
    })

    it('answer alike in the scenarios that found a fault', async () => {
      for (const each of seedsOfFaults) await runScenario(each, pair, opened.size)
    })

    it(`answer ${minRequests} random requests alike, with random rules`, async () => {
      const statuses = new Set<string>()
      let [scenarios, requests, changes, streams, waits, processes] = [0, 0, 0, 0, 0, 0]
      const countProcess = () => {
        processes += 1
      }
      channel('child_process').subscribe(countProcess)
      while (requests < minRequests) {
        const result = await runScenario(seed + scenarios, pair, { ...opened.size, ...size })
        scenarios += 1
        requests += result.requests
        changes += result.changes
        streams += result.streams
        waits += result.waits
        for (const status of result.statuses) statuses.add(status)
      }
      channel('child_process').unsubscribe(countProcess)
      // The scenarios must have secrets, and responses of every kind.
      assert.ok(changes > 2 * scenarios, `only ${changes} differences in ${scenarios} scenarios`)
      const isLarge = variant.startsWith('large')
      if (scenarios >= minScenarios) {
        if (isLarge) assert.ok(streams > scenarios, `only ${streams} streams`)
        if (variant === 'postgres') assert.ok(waits > 0, 'no write waited for a lock')
        if (variant === 'large-sqlite') assert.ok(processes > 0, 'no reader process')
        if (!isLarge)
          for (const status of [...allStatuses, ...pagedStatuses, ...batchStatuses])
            assert.ok(statuses.has(status), `no ${status}`)
      }
      const codes = new Set([...statuses].map((status) => status.split(' ')[1]))
      for (const code of isLarge ? ['200'] : ['200', '400', '404'])
        assert.ok(codes.has(code), `no ${code}`)
    })
  })
}

async function createDatabase({ columnTypes, create }: OpenVariant): Promise<OpenDatabase> {
  const created = await create()
  await created.second?.execute(createTables(columnTypes))
  return created
}
