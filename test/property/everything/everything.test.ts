import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as fc from 'fast-check'
import { type Engine, engine } from '../../engine/engine.ts'
import { Coverage } from '../coverage/coverage.ts'
import { DocumentCoverage } from '../coverage/document-coverage.ts'
import { anyMuseum, storeMuseum } from '../random/random-museum.ts'
import { anyDocumentRequest, anyFilterRequest } from '../random/random-requests.ts'
import { start } from '../reference/reference.ts'
import type { Data } from '../schema.ts'
import { isExhaustive, scale, seed, takePart } from '../seed.ts'
import { queryOf } from './collection-request.ts'
import {
  assertDocument,
  assertFound,
  assertFoundAsTyped,
  assertFoundByQuery,
  longestQuery,
} from './comparison.ts'
import * as declared from './declared-museum.ts'
import { everyDocument, everyFilter } from './every-request.ts'
import { everything } from './everything.ts'

const stages = scale
const filtersPerStage = isExhaustive ? 100 : 35
const documentsPerStage = isExhaustive ? 30 : 10
/** `npm test` sends one of so many parts of the requests of `every-request.ts`; `npm run test:long` sends all. */
const parts = 24

const served = { model: declared.everything, tables: declared.tablesOfEverything }

engine(
  'Reads over every kind and every relationship, compared with a reference',
  served,
  (server) => {
    const coverage = new Coverage(everything)
    const documents = new DocumentCoverage(everything)

    for (let stage = 1; stage <= stages; stage += 1) {
      it(`finds and returns what the reference does, over random rows ${stage} of ${stages}`, async () => {
        const data = await stored(server, stage)
        const finding = fc.asyncProperty(anyFilterRequest(data), async (request) => {
          fc.pre(queryOf(request).length <= longestQuery)
          const found = await assertFound(server, data, request)
          await assertFoundAsTyped(server, data, request)
          await assertFoundByQuery(server, data, request)
          coverage.add(request, found, start(data, request).length)
        })
        await fc.assert(finding, { seed: seed + stage, numRuns: filtersPerStage })
        const returning = fc.asyncProperty(anyDocumentRequest(data), async (requested) => {
          fc.pre(queryOf(requested.request, requested.selection).length <= longestQuery)
          await assertDocument(server, data, requested)
          documents.add(data, requested)
        })
        await fc.assert(returning, { seed: seed + stage, numRuns: documentsPerStage })
      })
    }

    it('finds what the reference finds by every operator of every field, in every position', async () => {
      const data = await stored(server, 0)
      for (const request of takePart(everyFilter(data), parts)) {
        const found = await assertFound(server, data, request)
        await assertFoundAsTyped(server, data, request)
        await assertFoundByQuery(server, data, request)
        coverage.add(request, found, start(data, request).length)
      }
    })

    it('returns what the reference returns in every order and over every relationship', async () => {
      const data = await stored(server, 0)
      for (const requested of takePart(everyDocument(data), parts)) {
        await assertDocument(server, data, requested)
        documents.add(data, requested)
      }
    })

    if (isExhaustive)
      it('requests everything: every operator on every kind and every shape of relationship', () => {
        coverage.assertEnough(stages * filtersPerStage, 0.2)
        documents.assertEnough(stages * documentsPerStage)
      })
  },
)

async function stored(server: Engine, stage: number): Promise<Data> {
  const [unstored] = fc.sample(anyMuseum, { seed: seed + stage, numRuns: 1 })
  assert.ok(unstored)
  return storeMuseum(server, unstored)
}
