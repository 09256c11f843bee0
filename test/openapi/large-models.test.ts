import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { attribute, createHandler, defineModel, resource, text, toMany, toOne } from 'lapidary'
import { createPages } from 'lapidary/html'
import { describeApi } from 'lapidary/openapi'
import { openSqlite } from 'lapidary/sqlite'

const count = 250
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
  /** Surrogate pairs at even and at odd positions. */
  const description = `${'🦉'.repeat(150_000)}.${'🦉'.repeat(150_000)}`
  const store = openSqlite(model, ':memory:')
  let handle: ReturnType<typeof createHandler>
  before(async () => {
    const tables = resources.map(
      (_, at) =>
        `create table thing${at} (id integer primary key, ${columns.join(' text, ')} text, up_id integer);`,
    )
    await store.migrate([{ version: 1, sql: tables.join('\n') }])
    handle = createHandler({ model, store, openapi: { description }, html: createPages() })
  })
  after(() => store.close())

  const read = (path: string, accept = '*/*') =>
    handle(new Request(`http://localhost${path}`, { headers: { accept } }))

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

  it('given a document that is longer than a megabyte, when it is sent, then it has parts, each with complete characters', async () => {
    const { body } = await read('/openapi.json')
    const parts: string[] = []
    for await (const part of body ?? []) parts.push(new TextDecoder().decode(part))
    assert.ok(parts.length > 8, `${parts.length} parts`)
    assert.equal(JSON.parse(parts.join('')).info.description, description)
  })

  it('given the landing page, when the resources of each type are counted, then others are served in between', async () => {
    const turns = await countTurns(read('/', 'text/html'))
    assert.ok(turns > 2, `${turns} iterations`)
  })

  it('given the description for the script of the pages, when it is made, then others are served in between', async () => {
    const turns = await countTurns(read('/html.model.json'))
    assert.ok(turns > count / 50, `${turns} iterations`)
  })
})
