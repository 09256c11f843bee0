import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Model } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { Cleanup } from '../../cleanup.ts'
import { mediaType } from '../../client.ts'
import { databases } from '../../databases.ts'
import { openStore } from '../../engine/engine.ts'
import { execute, isPostgres } from '../../filled.ts'
import { isExhaustive, scale, seed } from '../../property/seed.ts'
import type { Resource } from '../../test-response.ts'
import {
  assertCompiles,
  assertFormatted,
  createProject,
  importGenerated,
  verifiedModel,
} from '../generated-project.ts'
import { additions, createRole, listAdditions } from './random-additions.ts'
import { postgresSql, schemas, sqliteSql } from './random-schema.ts'

/** The number of random schemas for each database. */
const runs = isExhaustive ? 5 * scale : 2
/** The number of those that are not in order. The samples of each take a process on SQLite. */
const disorderlyRuns = isExhaustive ? 2 * scale : 1

describe('Declarations generated from random schemas', () => {
  const cleanup = new Cleanup()
  let project: string
  before(async () => {
    project = await createProject(cleanup)
  })
  after(() => cleanup.run())

  for (const database of databases) {
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

  // `npm run test:long` compiles them; those of `lapidary init` are always compiled.
  if (isExhaustive)
    it('are formatted and compile', () => {
      const written = readdirSync(project).filter((name) => /^(?:sqlite|postgres)\d+$/.test(name))
      assert.equal(written.length, runs * databases.length)
      assertFormatted(project)
      assertCompiles(project)
    })
})

describe('Databases that are not in order', () => {
  const cleanup = new Cleanup()
  let project: string
  before(async () => {
    project = await createProject(cleanup)
  })
  after(() => cleanup.run())

  for (const database of databases) {
    it(`with triggers, views, invalid values and few rights, are served without an internal error · ${database.name}`, async () => {
      const added = fc.sample(additions, { numRuns: disorderlyRuns, seed })
      const samples = fc.sample(schemas, { numRuns: disorderlyRuns, seed })
      for (const [index, tables] of samples.entries()) {
        const { url, remove } = await database.create()
        const addition = added[index] ?? added[0]
        assert.ok(addition)
        const sql = isPostgres(url) ? postgresSql(tables) : sqliteSql(tables)
        const role = isPostgres(url) ? `role_${randomUUID().slice(0, 8)}` : undefined
        try {
          await execute(url, sql)
          await executeEach(url, listAdditions(tables, addition, database.dialect))
          const folder = `wild-${database.dialect}${index}`
          const resources = await importGenerated(project, folder, url, 'with samples')
          const model = await verifiedModel(resources, url)
          await assertServes(model, url)
          if (role !== undefined) {
            await execute(url, createRole(role, tables, addition))
            await assertServes(model, withRole(url, role), [200, 403])
            await execute(url, `drop owned by ${role}; drop role ${role}`)
          }
          // Last: a create can add a row whose id is null to a view, which only the start would find.
          await assertWrites(model, url)
        } catch (error) {
          const additional = JSON.stringify(addition)
          throw new Error(`seed ${seed}, schema ${index}:\n${sql}\n${additional}`, { cause: error })
        } finally {
          await remove()
        }
      }
    })
  }
})

/** Runs statements one by one. The schema may not allow some of them. */
async function executeEach(url: string, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    // Other programs write without foreign keys.
    const sql = isPostgres(url) ? statement : `pragma foreign_keys = off; ${statement}`
    await execute(url, sql).catch((error) => assert.ok(error instanceof Error))
  }
}

function withRole(url: string, role: string): string {
  const own = new URL(url)
  own.username = role
  own.password = 'x'
  return String(own)
}

/** Asserts that no create, update or deletion of any collection is an internal error. */
async function assertWrites(model: Model, url: string): Promise<void> {
  const store = await openStore(model, url)
  const server = createServer({ model, store, logLevel: 'silent' })
  const headers = { accept: mediaType, 'content-type': mediaType }
  const send = async (method: 'POST' | 'PATCH' | 'DELETE', target: string, data?: object) => {
    const payload = data && JSON.stringify({ data })
    const response = await server.inject({
      method,
      url: target,
      headers,
      ...(payload && { payload }),
    })
    assert.ok(response.statusCode < 500, `${method} ${target}: ${response.body}`)
  }
  try {
    for (const { type, path: collection, isWritable } of model.types.values()) {
      if (!isWritable) continue
      await send('POST', collection, { type, attributes: {} })
      await send('POST', collection, { type, id: '77', attributes: {} })
      const list = await server.inject({ url: collection, headers: { accept: mediaType } })
      const [first] = JSON.parse(list.body).data
      if (first === undefined) continue
      await send('PATCH', first.links.self, { type, id: first.id, attributes: first.attributes })
      await send('DELETE', first.links.self)
    }
  } finally {
    await server.close()
    await store.close()
  }
}

/** Asserts that every collection can be read with all of its relationships included, or is rejected as expected. */
async function assertServes(
  model: Model,
  url: string,
  statuses: readonly number[] = [200],
): Promise<void> {
  const store = await openStore(model, url)
  const server = createServer({ model, store, logLevel: 'silent' })
  try {
    for (const { path: collection, fields } of model.types.values()) {
      const names = [...fields.values()].flatMap(({ is, name }) =>
        is === 'relationship' ? [encodeURIComponent(name)] : [],
      )
      const target = `${collection}?include=${names.join(',')}`
      const response = await server.inject({ url: target, headers: { accept: mediaType } })
      assert.ok(statuses.includes(response.statusCode), `${target}: ${response.body}`)
      if (response.statusCode !== 200) continue
      const { data }: { data: readonly Resource[] } = JSON.parse(response.body)
      for (const { id, links, relationships = {} } of data) {
        const own = await server.inject({ url: links?.self ?? '', headers: { accept: mediaType } })
        assert.equal(own.statusCode, 200, `${links?.self}: ${own.body}`)
        assert.equal(JSON.parse(own.body).data.id, id)
        for (const { links: paths } of Object.values(relationships))
          for (const url of [paths?.self, paths?.related]) {
            const related = await server.inject({ url: url ?? '', headers: { accept: mediaType } })
            assert.ok(statuses.includes(related.statusCode), `${url}: ${related.body}`)
          }
      }
    }
  } finally {
    await server.close()
    await store.close()
  }
}
