import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { databases } from '../databases.ts'
import { type Pair, runScenario } from './access/run-scenario.ts'
import { createTables } from './access/schema.ts'
import { scale, seed } from './seed.ts'

const scenarios = 3 * scale
const size = { reads: 40, writes: 15 }

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

    it(`answer ${scenarios} scenarios of random rules and requests alike`, async () => {
      const statuses = new Map<number, number>()
      let changes = 0
      for (let index = 0; index < scenarios; index += 1) {
        const result = await runScenario(seed + index, pair, size)
        changes += result.changes
        for (const [status, count] of result.statuses)
          statuses.set(status, (statuses.get(status) ?? 0) + count)
      }
      // The scenarios are worth something: there are secrets, and requests of every outcome.
      assert.ok(changes > 2 * scenarios, `only ${changes} differences`)
      for (const status of [200, 400, 403, 404]) assert.ok(statuses.has(status), `no ${status}`)
    })
  })
