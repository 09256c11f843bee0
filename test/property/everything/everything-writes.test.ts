import { it } from 'node:test'
import * as fc from 'fast-check'
import { engine } from '../../engine/engine.ts'
import { WriteCoverage } from '../coverage/write-coverage.ts'
import {
  anyTemplates,
  everyTemplate,
  type WriteTemplate,
  writeOf,
} from '../random/random-writes.ts'
import { isExhaustive, scale, seed, takePart } from '../seed.ts'
import * as declared from './declared-museum.ts'
import { everything } from './everything.ts'
import { Mirror } from './mirror.ts'

const sequences = isExhaustive ? 10 * scale : 2
/** `npm test` sends one of so many parts of the changes of relationships that there are; `npm run test:long` sends all. */
const parts = 3

const served = { model: declared.everything, tables: declared.tablesOfEverything }

/** Deletes the rows of a sequence before the next one. */
const clear = Object.keys(everything.tables)
  .map((table) => `delete from ${table};`)
  .toReversed()
  .join('\n')

engine(
  'Writes to every kind and every relationship, compared with a reference',
  served,
  (server) => {
    const coverage = new WriteCoverage(everything)

    /** Runs templates on empty tables and on the reference, and asserts that each response and the rows at the end are equal. */
    const compare = async (templates: readonly WriteTemplate[]) => {
      await server.execute(clear)
      const mirror = new Mirror(server, everything)
      for (const template of templates) {
        const write = writeOf(template, mirror.data)
        const { status } = await mirror.write(write)
        coverage.add(write, status)
      }
      await mirror.assertEqual()
    }

    it(`leave the rows of the reference after each of ${sequences} random sequences`, async () => {
      try {
        await fc.assert(fc.asyncProperty(anyTemplates, compare), { seed, numRuns: sequences })
      } catch (error) {
        throw new Error(`with PROPERTY_SEED=${seed}: ${error}`, { cause: error })
      }
    })

    it('leave the rows of the reference after every change of every relationship', () => {
      const { plain = [], linking = [] } = Object.groupBy(everyTemplate(), ({ links, parent }) =>
        links.length === 0 && parent === undefined ? 'plain' : 'linking',
      )
      return compare([...plain, ...takePart(linking, parts)])
    })

    // Fewer sequences may not reach every status.
    if (isExhaustive)
      it('reach every status, and make every change of every form of relationship', () =>
        coverage.assertEnough())
  },
)
