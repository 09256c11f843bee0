import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from '../../service/start-service.ts'
import { everyDatabase } from '../databases.ts'
import { executeDirectly, insertMany } from '../service/direct-database.ts'
import { layouts } from './layouts.ts'

const contentType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

for (const database of everyDatabase.filter(({ name }) => name === layouts.reference.title))
  describe(`A batch over reference and distributed tables · ${database.name}`, () => {
    it('given changes of computers on several shards, then it can change persons, to whom they refer', async (test) => {
      const open = await database.create()
      const { url: databaseUrl } = open
      const service = await startService({
        ...{ port: 0, logLevel: 'silent', databaseUrl, atomic: 'on' },
      })
      test.after(async () => {
        await service.close()
        await open.remove()
      })
      await insertMany(databaseUrl, { persons: 3, computers: 20 })
      const owned = { type: 'person', id: '1', relationship: 'computers' }
      const operations = [
        { op: 'update', ref: owned, data: [] },
        { op: 'remove', ref: { type: 'person', id: '1' } },
        { op: 'remove', ref: { type: 'person', id: '2' } },
        { op: 'add', data: { type: 'person', attributes: { name: 'New' } } },
      ]
      const response = await fetch(`${service.url}/operations`, {
        ...{ method: 'POST', headers: { 'content-type': contentType } },
        body: JSON.stringify({ 'atomic:operations': operations }),
      })
      assert.equal(response.status, 200, await response.text())
      const stored = await executeDirectly(
        databaseUrl,
        'select person_id, count(*)::int from computer group by person_id order by person_id',
      )
      assert.deepEqual(stored, [
        { person_id: '3', count: 20 },
        { person_id: null, count: 40 },
      ])
    })
  })
