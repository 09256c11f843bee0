import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Model } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { Cleanup } from '../cleanup.ts'
import { mediaType } from '../client.ts'
import { openStore } from '../engine/engine.ts'
import { execute, isPostgres, lasting } from '../filled.ts'
import { scale, seed } from '../property/seed.ts'
import {
  assertCompiles,
  assertFormatted,
  createProject,
  importGenerated,
  verifiedModel,
} from './generated-project.ts'
import { postgresSql, schemas, sqliteSql } from './random-schema.ts'

/** The number of random schemas for each database. */
const runs = 5 * scale

describe('Declarations generated from random schemas', () => {
  const cleanup = new Cleanup()
  let project: string
  before(async () => {
    project = await createProject(cleanup)
  })
  after(() => cleanup.run())

  for (const database of lasting) {
    it(`match their database and answer requests · ${database.name}`, async () => {
      for (const [index, tables] of fc.sample(schemas, { numRuns: runs, seed }).entries()) {
        const { url, remove } = await database.create()
        const sql = isPostgres(url) ? postgresSql(tables) : sqliteSql(tables)
        try {
          await execute(url, sql)
          const resources = await importGenerated(project, database.dialect + index, url)
          await assertServes(await verifiedModel(resources, url), url)
        } catch (error) {
          throw new Error(`seed ${seed}, schema ${index}:\n${sql}`, { cause: error })
        } finally {
          await remove()
        }
      }
    })
  }

  it('are formatted and compile', () => {
    const written = readdirSync(project).filter((name) => /^(?:sqlite|postgres)\d+$/.test(name))
    assert.equal(written.length, runs * lasting.length)
    assertFormatted(project)
    assertCompiles(project)
  })
})

/** Fails unless every collection can be fetched with all of its relationships included. */
async function assertServes(model: Model, url: string): Promise<void> {
  const store = await openStore(model, url)
  const server = createServer({ model, store, logLevel: 'silent' })
  try {
    for (const { path: collection, fields } of model.types.values()) {
      const names = [...fields.values()].flatMap(({ is, name }) =>
        is === 'relationship' ? [encodeURIComponent(name)] : [],
      )
      const target = `${collection}?include=${names.join(',')}`
      const response = await server.inject({ url: target, headers: { accept: mediaType } })
      assert.equal(response.statusCode, 200, `${target}: ${response.body}`)
    }
  } finally {
    await server.close()
    await store.close()
  }
}
