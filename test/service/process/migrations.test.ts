import assert from 'node:assert/strict'
import { it } from 'node:test'
import { defineModel } from 'lapidary'
import { migrations } from '../../../service/migrations.ts'
import { resources } from '../../../service/resources/index.ts'
import { parseServiceSettings, type Settings } from '../../../service/settings.ts'
import {
  prepareService,
  type RunningService,
  startService,
} from '../../../service/start-service.ts'
import { databases } from '../../databases.ts'
import { openStore } from '../../engine/engine.ts'
import { longOnOthers } from '../../long-tests.ts'
import type { OpenDatabase } from '../../open-database.ts'
import { run } from '../child.ts'

/** Starts the service and stops it, so that a start that should have failed leaves nothing open. */
async function startAndStop(settings: Partial<Settings>): Promise<void> {
  const service = await startService(settings)
  await service.close(0)
}

/** How many instances start at the same time. */
const instances = 10

for (const { name, create, dialect } of databases.filter((database) => database.isShared)) {
  const quiet = { port: 0, logLevel: 'silent' } as const
  async function on(work: (database: OpenDatabase) => Promise<void>): Promise<void> {
    const database = await create()
    try {
      await work(database)
    } finally {
      await database.remove()
    }
  }

  it(`given ${instances} instances that start at the same time, then the tables are created once · ${name}`, () =>
    on(async ({ url }) => {
      const start = () => startService({ ...quiet, databaseUrl: url })
      const started = await Promise.allSettled(Array.from({ length: instances }, start))
      const services = started.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const failed = started.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      await Promise.all(services.map((service: RunningService) => service.close(0)))
      assert.deepEqual(failed, [])
    }))

  it(
    `given --migrate=only, then the process creates the tables and ends · ${name}`,
    longOnOthers(dialect),
    (test) =>
      on(async ({ url }) => {
        const ended = await run(test, ['--migrate=only'], { DATABASE_URL: url })
        assert.equal(ended.code, 0, ended.stderr)
        assert.match(ended.stdout, /^.+ is ready\.\n$/)
        const service = await startService({ ...quiet, databaseUrl: url, migrate: 'off' })
        await service.close(0)
      }),
  )

  it(
    `given --migrate=off, then missing tables are an error and are not created · ${name}`,
    longOnOthers(dialect),
    (test) =>
      on(async ({ url }) => {
        const start = () => startAndStop({ ...quiet, databaseUrl: url, migrate: 'off' })
        await assert.rejects(start, /^Error: .* at version 0; this program needs 2\. .*$/)
        const ended = await run(test, ['--migrate', 'off'], { DATABASE_URL: url })
        assert.equal(ended.code, 2)
        assert.match(ended.stderr, /^lapidary: .* at version 0; this program needs 2\. .*\n$/)
      }),
  )

  it(`given tables of a newer version, then every mode rejects them · ${name}`, () =>
    on(async ({ url }) => {
      const store = await openStore(defineModel(resources), url)
      const ours = migrations[store.dialect]
      await store.migrate([...ours, { version: 99, sql: 'create table later (id integer)' }])
      await store.close()
      const settings = { ...parseServiceSettings(), ...quiet, databaseUrl: url }
      for (const start of [
        () => startAndStop({ ...settings, migrate: 'auto' }),
        () => prepareService({ ...settings, migrate: 'only' }, false),
        () => startAndStop({ ...settings, migrate: 'off' }),
      ])
        await assert.rejects(start, /^Error: .* at version 99; this program knows .* up to 2\. .*$/)
    }))

  it(`given a migration that fails, then it leaves no changes · ${name}`, () =>
    on(async ({ url }) => {
      const store = await openStore(defineModel(resources), url)
      const ours = migrations[store.dialect]
      await assert.rejects(
        store.migrate([
          ...ours,
          { version: 3, sql: 'create table later (id integer); no such thing' },
        ]),
        /^Error: The migration 3 failed: (?:near "no": syntax error|syntax error at or near "no")$/,
      )
      assert.deepEqual((await store.catalog()).tables, [])
      await store.migrate(ours)
      await store.verify()
      await store.close()
    }))
}
