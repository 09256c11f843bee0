import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as fc from 'fast-check'
import { chapter, ids, type World } from '../world.ts'
import { pathOf, queryOf } from './collection-request.ts'
import { Coverage } from './coverage.ts'
import { filtersOver } from './random-filter.ts'
import { anyDraft, store } from './random-rows.ts'
import { answer, type CollectionRequest } from './reference.ts'
import { type Row, relatedRows, rowsOf, type Tables, type TypeName } from './rows.ts'
import { seed } from './seed.ts'

const stages = 8
const requestsPerStage = 640

/** Query strings beyond this may meet the limit of URLs, which other tests are about. */
const longestQuery = 7000

chapter('§5 filter, held against a reference', (world: World) => {
  const coverage = new Coverage()

  for (let stage = 1; stage <= stages; stage += 1) {
    it(`finds what the reference finds, over random rows ${stage} of ${stages}`, async () => {
      const [draft] = fc.sample(anyDraft, { seed: seed + stage, numRuns: 1 })
      assert.ok(draft)
      const tables = await store(world, draft)
      const property = fc.asyncProperty(anyRequest(tables), async (request) => {
        const query = queryOf(request)
        fc.pre(query.length <= longestQuery)
        const expected = answer(tables, request)
        const answered = await world.call('GET', pathOf(request), {
          query: `${query}&fields%5B${request.type}%5D=`,
        })
        coverage.add(request, expected.count, rowsOf(tables, request.type).length)
        try {
          assert.equal(answered.status, 200)
          const found = expected.rows.map(({ id }) => String(id))
          assert.deepEqual(ids(answered), found)
          assert.equal(answered.body.meta?.count, expected.count)
        } catch (cause) {
          throw new Error(tell(tables, request, answered.text), { cause })
        }
      })
      await fc.assert(property, { seed: seed + stage, numRuns: requestsPerStage })
    })
  }

  it('tells apart characters that SQLite by itself takes for one another', async () => {
    const characters = ['\ufffd', '\ufffe', '\uffff', '\u{1fffe}']
    for (const name of characters) await world.person({ name })
    for (const op of ['eq', 'like', 'ilike', 'startswith', 'endswith', 'match']) {
      for (const [index, val] of characters.entries()) {
        const found = await world.get('/persons', { filter: [{ name: 'name', op, val }] })
        assert.deepEqual(ids(found), [String(index + 1)], `${op} ${JSON.stringify(val)}`)
      }
    }
  })

  it('searches texts of any length for texts of any length', async () => {
    const long = `${'a['.repeat(40_000)}%`
    await world.person({ name: `${long}b`, gender: long })
    await world.person({ name: 'a', gender: long })
    for (const op of ['like', 'ilike', 'startswith', 'match']) {
      const filter = [{ name: 'name', op, field: 'gender' }]
      const found = await world.get('/persons', { filter, 'fields[person]': '' })
      assert.equal(found.status, 200, `${op}: ${found.text.slice(0, 400)}`)
      assert.deepEqual(ids(found), op === 'match' ? ['1', '2'] : ['1'], op)
    }
  })

  it('asked everything: every operator on every kind in every position, with telling answers', () => {
    coverage.assertEnough(5000, 0.3)
  })
})

/** Mostly one tree alone; sometimes several, simple parameters, or the computers of one person. */
function anyRequest(tables: Tables): fc.Arbitrary<CollectionRequest> {
  const filters = filtersOver(tables)
  const owners = tables.persons.map(({ id }) => id)
  const requests = (type: TypeName, of: fc.Arbitrary<bigint | undefined>) =>
    fc
      .record({
        filters: fc.oneof(
          { weight: 8, arbitrary: filters.tree(type).map((tree) => [tree]) },
          { weight: 2, arbitrary: fc.array(filters.tree(type), { maxLength: 3 }) },
        ),
        simple: fc.oneof(
          { weight: 8, arbitrary: fc.constant([]) },
          { weight: 2, arbitrary: fc.array(filters.simple(type), { maxLength: 2 }) },
        ),
        of,
      })
      .map(({ of: owner, ...asked }) => ({
        type,
        ...asked,
        ...(owner !== undefined && { of: owner }),
        sort: [],
        page: { number: 1, size: 0 },
      }))
  return fc.oneof(
    { weight: 5, arbitrary: requests('person', fc.constant(undefined)) },
    { weight: 4, arbitrary: requests('computer', fc.constant(undefined)) },
    { weight: 1, arbitrary: requests('computer', fc.constantFrom(...owners)) },
  )
}

/** All that is needed to see what went wrong: the filter, the ids expected and answered, and the rows that differ. */
function tell(tables: Tables, request: CollectionRequest, text: string): string {
  const expected = answer(tables, request).rows.map(({ id }) => String(id))
  const answered = Array.from(text.matchAll(/"id":"(\d+)"/g), ([, id]) => String(id))
  const differ = new Set(expected).symmetricDifference(new Set(answered))
  const rows = rowsOf(tables, request.type).filter(({ id }) => differ.has(String(id)))
  return [
    `with PROPERTY_SEED=${seed}: GET ${pathOf(request)}`,
    `filter:   ${JSON.stringify(request.filters)}`,
    `simple:   ${JSON.stringify(request.simple)}`,
    `expected: ${expected.join(' ')}`,
    `answered: ${answered.length === 0 ? text.slice(0, 2000) : answered.join(' ')}`,
    ...rows.map(
      (row) => `differs:  ${printRow(row)} with ${relatedRows(tables, row).map(printRow)}`,
    ),
  ].join('\n')
}

function printRow(row: Row): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
