import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as fc from 'fast-check'
import { describeService, ids, type TestService } from '../../service-suite.ts'
import { Coverage } from '../coverage/coverage.ts'
import { people } from '../people.ts'
import { anyFilterRequest } from '../random/random-requests.ts'
import { anyUnstoredRows, store } from '../random/random-rows.ts'
import { start } from '../reference/reference.ts'
import { isExhaustive, scale, seed, takePart } from '../seed.ts'
import { queryOf } from './collection-request.ts'
import { assertFound, assertFoundAsTyped, assertFoundByQuery, longestQuery } from './comparison.ts'
import { everyFilter } from './every-request.ts'

const stages = scale
const requestsPerStage = isExhaustive ? 150 : 75
/** `npm test` sends one of so many parts of the requests that ask for each thing there is; `npm run test:long` sends all. */
const parts = 4

function held(app: TestService): void {
  const coverage = new Coverage(people)

  for (let stage = 1; stage <= stages; stage += 1) {
    it(`finds what the reference finds, over random rows ${stage} of ${stages}`, async () => {
      const [unstored] = fc.sample(anyUnstoredRows, { seed: seed + stage, numRuns: 1 })
      assert.ok(unstored)
      const data = await store(app, unstored)
      const property = fc.asyncProperty(anyFilterRequest(data), async (request) => {
        fc.pre(queryOf(request).length <= longestQuery)
        const found = await assertFound(app, data, request)
        await assertFoundAsTyped(app, data, request)
        await assertFoundByQuery(app, data, request)
        coverage.add(request, found, start(data, request).length)
      })
      await fc.assert(property, { seed: seed + stage, numRuns: requestsPerStage })
    })
  }

  it('finds what the reference finds by every operator of every field, in every position', async () => {
    const [unstored] = fc.sample(anyUnstoredRows, { seed, numRuns: 1 })
    assert.ok(unstored)
    const data = await store(app, unstored)
    for (const request of takePart(everyFilter(data), parts)) {
      const found = await assertFound(app, data, request)
      await assertFoundAsTyped(app, data, request)
      await assertFoundByQuery(app, data, request)
      coverage.add(request, found, start(data, request).length)
    }
  })

  const characters = ['\ufffd', '\ufffe', '\uffff', '\u{1fffe}']

  for (const op of ['eq', 'like', 'ilike', 'startswith', 'endswith', 'match'])
    it(`${op} distinguishes characters that SQLite itself considers equal`, async () => {
      for (const name of characters) await app.person({ name })
      for (const [index, val] of characters.entries()) {
        const found = await app.get('/persons', { filter: [{ name: 'name', op, val }] })
        assert.deepEqual(ids(found), [String(index + 1)], `${op} ${JSON.stringify(val)}`)
      }
    })

  for (const op of ['like', 'ilike', 'startswith', 'match'])
    it(`${op} searches texts of any length for texts of any length`, async () => {
      const long = `${'a['.repeat(40_000)}%`
      await app.person({ name: `${long}b`, gender: long })
      await app.person({ name: 'a', gender: long })

      const filter = [{ name: 'name', op, field: 'gender' }]
      const found = await app.get('/persons', { filter, 'fields[person]': '' })
      assert.equal(found.status, 200, `${op}: ${found.text.slice(0, 400)}`)
      assert.deepEqual(ids(found), op === 'match' ? ['1', '2'] : ['1'], op)
    })

  if (isExhaustive)
    it('requests everything: every operator on every kind in every position, with responses that hold some rows but not all', () => {
      coverage.assertEnough(stages * requestsPerStage, 0.3)
    })
}

describeService('Filters, compared with a reference', held)
