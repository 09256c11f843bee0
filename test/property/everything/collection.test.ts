import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as fc from 'fast-check'
import { describeService, type TestService } from '../../service-suite.ts'
import { anyDocumentRequest } from '../random/random-requests.ts'
import { anyUnstoredRows, store } from '../random/random-rows.ts'
import { isExhaustive, scale, seed } from '../seed.ts'
import { queryOf } from './collection-request.ts'
import { assertDocument, longestQuery } from './comparison.ts'

const stages = scale
/** Each request combines filter, sort, page, fields and include. All databases get the same requests. */
const requestsPerStage = isExhaustive ? 100 : 50

describeService('Sort, page, include and fields, compared with a reference', (app: TestService) => {
  for (let stage = 1; stage <= stages; stage += 1) {
    it(`returns the same page in the same order, over random rows ${stage} of ${stages}`, async () => {
      const [unstored] = fc.sample(anyUnstoredRows, { seed: seed + stage, numRuns: 1 })
      assert.ok(unstored)
      const data = await store(app, unstored)
      const property = fc.asyncProperty(anyDocumentRequest(data), async (requested) => {
        fc.pre(queryOf(requested.request, requested.selection).length <= longestQuery)
        await assertDocument(app, data, requested)
      })
      await fc.assert(property, { seed: seed + stage, numRuns: requestsPerStage })
    })
  }
})
