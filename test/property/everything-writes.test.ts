import { it } from 'node:test'
import * as fc from 'fast-check'
import { engine } from '../engine/engine.ts'
import { everything } from './everything.ts'
import { Mirror } from './mirror.ts'
import { anySteps, writeOf } from './random-writes.ts'
import { seed } from './seed.ts'
import * as world from './world-of-everything.ts'
import { WriteCoverage } from './write-coverage.ts'

const sequences = 200

const served = { model: world.everything, tables: world.tablesOfEverything }

/** Leaves nothing of a sequence to the next one. */
const clear = Object.keys(everything.tables)
  .map((table) => `delete from ${table};`)
  .toReversed()
  .join('\n')

engine(
  'writes to every kind and every relationship, held against a reference',
  served,
  (server) => {
    it(`leave what the reference says, after each of ${sequences} sequences`, async () => {
      const coverage = new WriteCoverage(everything)
      const property = fc.asyncProperty(anySteps, async (steps) => {
        await server.execute(clear)
        const mirror = new Mirror(server, everything)
        for (const step of steps) {
          const write = writeOf(step, mirror.data)
          const { status } = await mirror.write(write)
          coverage.add(write, status)
        }
        await mirror.assertEqual()
      })
      try {
        await fc.assert(property, { seed, numRuns: sequences })
      } catch (error) {
        throw new Error(`with PROPERTY_SEED=${seed}: ${error}`, { cause: error })
      }
      coverage.assertEnough()
    })
  },
)
