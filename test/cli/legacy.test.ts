import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Cleanup } from '../cleanup.ts'
import { databases } from '../databases.ts'
import { execute, filled } from '../filled.ts'
import { longOnOthers } from '../long-tests.ts'
import type { Resource } from '../test-response.ts'
import { findings } from './legacy/findings.ts'
import { postgresSql } from './legacy/postgres.ts'
import { sharedSql } from './legacy/shared.ts'
import { sqliteSql } from './legacy/sqlite.ts'
import {
  type ResourceType,
  type Served,
  serveDatabase,
  type Walk,
  walkType,
} from './walk-database.ts'

/** `test/long/legacy.long.ts` walks everything. */
const isComplete = process.env.LEGACY_WALK === 'complete'
const takeEach = <Item>(items: readonly Item[], step: number) =>
  isComplete ? items : items.filter((_, index) => index % step === 0)
const all = Number.POSITIVE_INFINITY
const walk: Walk = isComplete
  ? { resources: all, sorts: all, filters: all }
  : { resources: 1, sorts: 1, filters: 1 }

/** Returns the resources of a type whose ids a URL can contain. */
async function list({ get }: Served, { path }: ResourceType): Promise<Resource[]> {
  const { data } = await get(path)
  return [data ?? []].flat().filter(({ id }) => id !== '.' && id !== '..')
}

for (const database of databases) {
  const expected = findings[database.dialect]
  const isPostgres = database.dialect === 'postgres'
  const title = `A legacy database of more than sixty tables, introspected and served unchanged · ${database.name}`
  describe(title, longOnOthers(database.dialect), () => {
    const cleanup = new Cleanup()
    let served: Served
    before(async () => {
      const own = isPostgres ? postgresSql : sqliteSql
      const url = await filled(cleanup, database, sharedSql(database.dialect) + own)
      served = await serveDatabase(cleanup, url)
    })
    after(() => {
      return cleanup.run()
    })

    const writableTypes = () => [...served.model.types.values()].filter((type) => type.isWritable)

    it('prints what it omits and what the data contains, each with the reason', () => {
      assert.deepEqual(served.omitted, expected.omitted)
      assert.ok(served.model.types.size > 55)
    })

    it('warns at the start by name, with the consequence', () => {
      const isOther = (line: string) => !/no index|collate "C"/.test(line)
      assert.deepEqual(served.warnings.filter(isOther), expected.warnings)
    })

    it('responds at every route, and counts, values and links equal those of SQL', async () => {
      for (const type of takeEach([...served.model.types.values()], 4))
        await walkType(served, type, walk)
    })

    it('accepts resources as they were returned', async () => {
      const rejected: Record<string, number> = {}
      for (const type of writableTypes()) {
        const resources = await list(served, type)
        // The rejected ones are not the first.
        const some = Object.keys(expected.rejected).some((path) => path.startsWith(`${type.path}/`))
        for (const { links } of resources.slice(0, some ? all : walk.resources)) {
          const path = links?.self ?? ''
          const stored = (await served.send('GET', path)).text
          const { status, text } = await served.send('PATCH', path, stored)
          if (status === 200) assert.equal(text, stored)
          else rejected[path] = status
        }
      }
      assert.deepEqual(rejected, expected.rejected)
    })

    it('creates and deletes without an internal error, and returns what it stores', async () => {
      for (const type of takeEach(writableTypes(), 3)) {
        const [first] = await list(served, type)
        for (const data of [{}, { id: '77' }, { attributes: first?.attributes }]) {
          const body = JSON.stringify({ data: { type: type.type, ...data } })
          const created = await served.send('POST', type.path, body)
          assert.ok(created.status < 500, created.text)
          if (created.status !== 201) continue
          const location = created.headers.location ?? ''
          assert.deepEqual((await served.get(location)).data, JSON.parse(created.text).data)
          assert.equal((await served.send('DELETE', location)).status, 200)
        }
      }
      // Triggers drop the mail, keep the row and change the new one.
      const create = async (type: string) =>
        served.send('POST', `/${type}`, JSON.stringify({ data: { type } }))
      assert.equal((await create('inboxes')).status, 409)
      const kept = await served.send('DELETE', '/keep-forevers/1')
      assert.match(kept.text, /The database kept the object/)
      assert.match((await create('stampeds')).text, /"changed_by":"trigger"/)
    })

    if (!isPostgres) return
    it('is served to a role without all privileges: the rest is, and what it lacks is 403', async (test) => {
      const role = `legacy_${randomUUID().slice(0, 8)}`
      const { url } = served
      await execute(
        url,
        `create role ${role} login password 'x'; grant usage on schema public, archive to ${role};
         grant select on all tables in schema public, archive to ${role}; revoke select on hidden, half_hidden from ${role};
         grant select (id, name) on half_hidden to ${role}`,
      )
      const limited = new URL(url)
      limited.username = role
      limited.password = 'x'
      const cleanup = new Cleanup()
      cleanup.after(() => execute(url, `drop owned by ${role}; drop role ${role}`))
      test.after(() => cleanup.run())
      const seen = await serveDatabase(cleanup, limited.href)
      const lacking = seen.omitted.filter((line) => line.includes('permission'))
      assert.deepEqual(lacking, [
        'hidden is omitted: it cannot be read: permission denied for table hidden',
        'only_here is omitted: it cannot be read: permission denied for schema zeta',
        'half_hidden.salary is omitted: it cannot be read: permission denied for table half_hidden',
      ])
      for (const { path } of seen.model.types.values()) await seen.get(path)
      const data = { type: 'persons', attributes: { name: 'Eve' } }
      const denied = await seen.send('POST', '/persons', JSON.stringify({ data }))
      assert.equal(denied.status, 403, denied.text)
      await execute(url, `revoke select on supplier from ${role}`)
      assert.equal((await seen.send('GET', '/suppliers')).status, 403)
    })
  })
}
