import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { databases } from '../../databases.ts'
import { seed } from '../seed.ts'
import { type Pair, runScenario, type ScenarioSize } from './run-scenario.ts'
import { createTables } from './schema.ts'

/** Responses of every kind: an allowed create is one that met the rule on the new row. */
const expectedStatuses = [
  ...['GET 200', 'GET 400', 'GET 404', 'POST 201', 'POST 403', 'POST 404'],
  ...['PATCH 200', 'PATCH 403', 'PATCH 404', 'DELETE 403', 'DELETE 404'],
]

/**
 * Declares the tests that no response depends on what its identity may not see, on each database.
 * @param minRequests - how many requests the scenarios of a database send in all, at least
 */
export function describeLeaks(minRequests: number, size: ScenarioSize): void {
  for (const database of databases)
    describe(`Databases that differ in what an identity may not see · ${database.name}`, () => {
      let pair: Pair
      before(async () => {
        pair = [await database.create(), await database.create()]
        for (const { second } of pair) await second?.execute(createTables(database.columnTypes))
      })
      after(async () => {
        for (const { remove } of pair) await remove()
      })

      it(`answer ${minRequests} random requests alike, with random rules`, async () => {
        const statuses = new Set<string>()
        let [scenarios, requests, changes] = [0, 0, 0]
        while (requests < minRequests) {
          const result = await runScenario(seed + scenarios, pair, size)
          scenarios += 1
          requests += result.requests
          changes += result.changes
          for (const status of result.statuses) statuses.add(status)
        }
        // The scenarios are worth something: there are secrets, and responses of every kind.
        assert.ok(changes > 2 * scenarios, `only ${changes} differences in ${scenarios} scenarios`)
        for (const status of expectedStatuses) assert.ok(statuses.has(status), `no ${status}`)
      })
    })
}
