import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createServer, type Model } from 'lapidary'
import { mediaType } from '../client.ts'
import { openStore } from '../engine/engine.ts'
import { execute, isPostgres, lasting } from '../filled.ts'
import { seed } from '../property/seed.ts'
import { postgresSql, schemas, sqliteSql } from './random-schema.ts'
import { assertCompiles, assertTidy, fittingModel, introspected, project } from './written.ts'

/** How many schemas are tried, which is a matter of seconds. */
const tries = 60

for (const database of lasting) {
  describe(`The declarations of any schema · ${database.name}`, () => {
    it('fit it, serve it, are formatted and compile', async (test) => {
      const place = await project(test)
      for (const [index, tables] of fc.sample(schemas, { numRuns: tries, seed }).entries()) {
        const { url, remove } = await database.create()
        const sql = isPostgres(url) ? postgresSql(tables) : sqliteSql(tables)
        try {
          await execute(url, sql)
          const resources = await introspected(place, `schema${index}`, url)
          await assertServes(await fittingModel(resources, url), url)
        } catch (error) {
          throw new Error(`seed ${seed}, schema ${index}:\n${sql}`, { cause: error })
        } finally {
          await remove()
        }
      }
      assertTidy(place)
      assertCompiles(place)
    })
  })
}

/** Fails unless every collection answers with all of its relationships. */
async function assertServes(model: Model, url: string): Promise<void> {
  const store = await openStore(model, url)
  const server = createServer({ model, store, logLevel: 'silent' })
  try {
    for (const { path: collection, fields } of model.types.values()) {
      const names = [...fields.values()].flatMap(({ is, name }) =>
        is === 'relationship' ? [encodeURIComponent(name)] : [],
      )
      const target = `${collection}?include=${names.join(',')}`
      const answer = await server.inject({ url: target, headers: { accept: mediaType } })
      assert.equal(answer.statusCode, 200, `${target}: ${answer.body}`)
    }
  } finally {
    await server.close()
    await store.close()
  }
}
