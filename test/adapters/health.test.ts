import assert from 'node:assert/strict'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { attribute, DeclarationError, defineModel, resource, type Store, text } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { Client } from 'pg'
import { logOf } from '../log.ts'
import { long } from '../long-tests.ts'
import { freshPostgres } from '../postgres.ts'

const note = resource('note', { path: '/notes', table: 'note', fields: { text: attribute(text) } })
const model = defineModel([note])

describe('The health routes', () => {
  let folder = ''
  let store: Store
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lapidary-'))
    store = openSqlite(model, join(folder, 'notes.db'), { create: true })
    await store.migrate([{ version: 1, sql: 'create table note (id integer primary key, text)' }])
  })
  after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })

  const get = async (app: ReturnType<typeof createServer>, path: string) => {
    const { statusCode, headers, body } = await app.inject(path)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    return [statusCode, JSON.parse(body).status]
  }

  it('respond without authentication, without the prefix and without a line in the access log', async (test) => {
    const lines = await logOf(async () => {
      const authenticate = () => {
        throw new Error('not authenticated')
      }
      const app = createServer({ model, store, prefix: '/api', authenticate })
      test.after(() => app.close())
      assert.deepEqual(await get(app, '/health/live'), [200, 'live'])
      assert.deepEqual(await get(app, '/health/ready'), [200, 'ready'])
    })
    assert.deepEqual(lines, [])
  })

  it('report a database that is not ready', async (test) => {
    const app = createServer({ model, store, logLevel: 'silent' })
    test.after(() => app.close())
    const path = join(folder, 'notes.db')
    await rename(path, `${path}.away`)
    assert.deepEqual(await get(app, '/health/ready'), [503, 'unavailable'])
    assert.deepEqual(await get(app, '/health/live'), [200, 'live'])
    await rename(`${path}.away`, path)
    assert.deepEqual(await get(app, '/health/ready'), [200, 'ready'])
  })

  it('report a database that does not respond within 2 s', long, async (test) => {
    const database = await freshPostgres()
    const postgres = await openPostgres(model, database.url)
    const app = createServer({ model, store: postgres, logLevel: 'silent' })
    test.after(async () => {
      await app.close()
      await postgres.close()
      await database.remove()
    })
    await postgres.migrate([
      { version: 1, sql: 'create table note (id bigint primary key, text text)' },
    ])
    const holder = new Client(database.url)
    await holder.connect()
    await holder.query('begin; lock table lapidary_migration')
    assert.deepEqual(await get(app, '/health/ready'), [503, 'unavailable'])
    await holder.end()
    assert.deepEqual(await get(app, '/health/ready'), [200, 'ready'])
  })

  it('report a server that closes while it serves on', async (test) => {
    const app = createServer({ model, store, logLevel: 'silent', shutdownDelay: 2000 })
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const closed = app.close()
    test.after(() => closed)
    await pause(50)
    assert.equal((await fetch(`${origin}/health/ready`)).status, 503)
    assert.equal((await fetch(`${origin}/notes`)).status, 200)
    await closed
    await assert.rejects(fetch(`${origin}/notes`))
  })

  it('can be left out, and do not hide a resource type', async (test) => {
    const health = resource('health', { path: '/health', table: 'note', fields: {} })
    const other = defineModel([health])
    const otherStore = openSqlite(other, join(folder, 'notes.db'))
    test.after(() => otherStore.close())
    const options = { model: other, store: otherStore, logLevel: 'silent' }
    assert.throws(() => createServer(options), DeclarationError)
    const app = createServer({ ...options, health: false })
    test.after(() => app.close())
    const { statusCode, json } = await app.inject('/health/live')
    assert.deepEqual([statusCode, json().errors[0].code], [404, 'not_found'])
    await createServer({ ...options, prefix: '/api' }).close()
  })
})
