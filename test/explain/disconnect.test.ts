import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { defineModel, explainRead, resource } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { Cleanup } from '../cleanup.ts'
import { databases } from '../databases.ts'
import { filled, isPostgres } from '../filled.ts'

const number = resource('number', {
  path: '/numbers',
  table: 'number',
  access: 'read-only',
  fields: {},
})
const model = defineModel([number])
const endless = `create view number as
  with recursive n (id) as (select 1 union all select id + 1 from n) select id from n`

for (const database of databases)
  describe(`An explanation · ${database.name}`, () => {
    it('given a client that disconnects, then the read is stopped', {
      timeout: 60_000,
    }, async (test) => {
      const cleanup = new Cleanup()
      test.after(() => cleanup.run())
      const url = await filled(cleanup, database, endless)
      // Longer than the test may take.
      const options = { timeout: 600_000 }
      const store = isPostgres(url)
        ? await openPostgres(model, url, options)
        : openSqlite(model, url.replace(/^sqlite:/, ''), options)
      cleanup.after(() => store.close())
      const controller = new AbortController()
      const { signal } = controller
      const explanation = explainRead({ model, store }, '/numbers?sort=-id', { signal })
      explanation.catch(() => {})
      await pause(100)
      controller.abort()
      await assert.rejects(explanation, { status: 503 })
    })
  })
