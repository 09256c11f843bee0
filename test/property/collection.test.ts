import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as fc from 'fast-check'
import { databases } from '../databases.ts'
import { chapter, type World } from '../world.ts'
import { queryOf } from './collection-request.ts'
import { assertDocument, longestQuery } from './comparison.ts'
import { anyAsked } from './random-requests.ts'
import { anyDraft, store } from './random-rows.ts'
import { seed } from './seed.ts'

const stages = 4
/** Of filter, sort, page, fields and include together, for each database: over 20,000 a run; the same ones, for the seed is the same. */
const requestsPerStage = Math.ceil(20_400 / databases.length / stages)

chapter('sort, page, include, fields, held against a reference', (world: World) => {
  for (let stage = 1; stage <= stages; stage += 1) {
    it(`tells the same page in the same order, over random rows ${stage} of ${stages}`, async () => {
      const [draft] = fc.sample(anyDraft, { seed: seed + stage, numRuns: 1 })
      assert.ok(draft)
      const data = await store(world, draft)
      const property = fc.asyncProperty(anyAsked(data), async (asked) => {
        fc.pre(queryOf(asked.request, asked.selection).length <= longestQuery)
        await assertDocument(world, data, asked)
      })
      await fc.assert(property, { seed: seed + stage, numRuns: requestsPerStage })
    })
  }
})
