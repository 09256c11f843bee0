import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { attribute, createHandler, defineModel, resource, text, toMany, toOne } from 'lapidary'
import { describeApi } from 'lapidary/openapi'
import { openSqlite } from 'lapidary/sqlite'

const count = 100
const columns = Array.from({ length: 12 }, (_, at) => `c${at}`)

const resources = Array.from({ length: count }, (_, at) =>
  resource(`thing${at}`, {
    path: `/thing${at}s`,
    table: `thing${at}`,
    fields: {
      ...Object.fromEntries(columns.map((name) => [name, attribute(text)])),
      up: toOne(`thing${(at + 1) % count}`, { column: 'up_id' }),
      down: toMany(`thing${(at + count - 1) % count}`, { column: 'up_id' }),
    },
  }),
)

/** Counts the iterations of the event loop until a promise is settled. */
async function countTurns(promise: Promise<unknown>): Promise<number> {
  let isSettled = false
  const settled = promise.finally(() => {
    isSettled = true
  })
  let turns = 0
  for (; !isSettled; turns += 1) await nextIteration()
  await settled
  return turns
}

describe(`The descriptions of ${count} types`, () => {
  const model = defineModel(resources)
  const store = openSqlite(model, ':memory:')
  let handle: ReturnType<typeof createHandler>
  before(() => {
    handle = createHandler({ model, store, openapi: true })
  })
  after(() => store.close())

  const read = (path: string) => handle(new Request(`http://localhost${path}`))

  it('given two first requests for the OpenAPI document, when it is made, then others are served in between, and it is made once', async () => {
    const first = read('/openapi.json')
    const second = read('/openapi.json')
    const turns = await countTurns(first)
    assert.ok(turns > 5, `${turns} iterations`)
    for (const promise of [second, read('/openapi.json')]) {
      const more = await countTurns(promise)
      assert.ok(more < turns / 2, `${more} iterations more`)
    }
    const texts = await Promise.all([first, second].map(async (each) => (await each).text()))
    assert.equal(texts[0], texts[1])
    const description = JSON.parse(texts[0] ?? '')
    const { servers: _, ...described } = JSON.parse(JSON.stringify(describeApi(model)))
    assert.deepEqual(description.components.schemas, described.components.schemas)
    assert.deepEqual(
      Object.keys(described.paths).filter((path) => !(path in description.paths)),
      [],
    )
  })

  it('given the first request for the schema of a type, when it is made, then others are served in between', async () => {
    const turns = await countTurns(read('/thing5s.schema.json'))
    assert.ok(turns > 2, `${turns} iterations`)
  })
})
