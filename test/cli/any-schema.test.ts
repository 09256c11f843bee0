import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createServer, type Model } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../client.ts'
import { seed } from '../property/seed.ts'
import { schemas } from './random-schema.ts'
import {
  assertCompiles,
  assertTidy,
  databaseIn,
  fittingModel,
  introspected,
  project,
} from './written.ts'

/** How many schemas are tried, which is a matter of seconds. */
const tries = 60

describe('The declarations of any schema', () => {
  it('fit it, serve it, are formatted and compile', async (test) => {
    const place = await project(test)
    for (const [index, sql] of fc.sample(schemas, { numRuns: tries, seed }).entries()) {
      const path = databaseIn(place, `schema${index}`, sql)
      try {
        const model = await fittingModel(await introspected(place, `schema${index}`, path), path)
        await assertServes(model, path)
      } catch (error) {
        throw new Error(`seed ${seed}, schema ${index}:\n${sql}`, { cause: error })
      }
    }
    assertTidy(place)
    assertCompiles(place)
  })
})

/** Fails unless every collection answers with all of its relationships. */
async function assertServes(model: Model, path: string): Promise<void> {
  const store = openSqlite(model, path)
  const server = createServer({ model, store, logLevel: 'silent' })
  try {
    for (const { path: collection, fields } of model.types.values()) {
      const names = [...fields.values()].flatMap(({ is, name }) =>
        is === 'relationship' ? [encodeURIComponent(name)] : [],
      )
      const url = `${collection}?include=${names.join(',')}`
      const answer = await server.inject({ url, headers: { accept: mediaType } })
      assert.equal(answer.statusCode, 200, `${url}: ${answer.body}`)
    }
  } finally {
    await server.close()
    await store.close()
  }
}
