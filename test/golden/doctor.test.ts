import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkType } from '../../cli/doctor/check-type.ts'
import { serveInProcess } from '../../cli/doctor/examined-api.ts'
import { ViolationCollector } from '../../cli/doctor/violation.ts'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { model, readUser, tables } from './model.ts'

/** The identities of the golden requests; none for an empty text. */
const identities = ['', '2:admin']

for (const database of databases)
  describe(`The checks of lapidary doctor on ${database.dialect}`, () => {
    for (const user of identities)
      it(`find no violation in what the engine serves to ${user || 'a request without an identity'}`, async (test) => {
        const opened = await database.create()
        test.after(() => opened.remove())
        await opened.second?.execute(tables(database.columnTypes))
        const store = await openStore(model, opened.url)
        test.after(() => store.close())
        const api = await serveInProcess(
          { model, store },
          readUser(() => user),
        )
        const violations = new ViolationCollector()
        let examined = 0
        for (const type of api.types) {
          if (type.needed.length > 0) continue
          const description = api.describe?.(type.path)
          const found = await checkType({ api, type, violations, description }, { sample: 50 })
          examined += found.examined
        }
        assert.deepEqual(violations.format(), [])
        assert.ok(examined > 50, String(examined))
      })
  })
