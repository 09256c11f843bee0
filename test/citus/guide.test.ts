import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from '../../service/start-service.ts'
import { connect } from '../client.ts'
import { everyDatabase } from '../databases.ts'
import { blocksOf } from '../docs/blocks.ts'
import { readPage } from '../docs/pages.ts'
import { executeDirectly } from '../service/direct-database.ts'
import { layouts } from './layouts.ts'

const [, distribute = ''] = blocksOf(readPage('docs/guides/sharding.md'))
  .filter(({ language }) => language === 'sql')
  .map(({ text }) => text)

// Outside of the schema of a tenant, new tables of this layout are on the coordinator.
for (const database of everyDatabase.filter(({ name }) => name === layouts.tenant.title))
  describe(`docs/guides/sharding.md · ${database.name}`, () => {
    it('has a script that distributes the tables of the service with their rows, which serves as before', async (test) => {
      const open = await database.create()
      test.after(() => open.remove())
      const databaseUrl = open.url.replace(/\?.*/, '')
      const name = new URL(databaseUrl).pathname.slice(1)
      /** Runs requests on a service of its own. */
      const serve = async <Result>(
        work: (send: ReturnType<typeof connect>['send']) => Promise<Result>,
      ) => {
        const service = await startService({ port: 0, logLevel: 'silent', databaseUrl })
        const client = connect(new URL(service.url).origin)
        try {
          return await work(client.send)
        } finally {
          client.close()
          await service.close()
        }
      }
      const headers = { 'idempotency-key': 'one' }
      const person = { data: { type: 'person', attributes: { name: 'Ada' } } }
      const computer = {
        data: {
          type: 'computer',
          attributes: { serial: 'x' },
          relationships: { owner: { data: { type: 'person', id: '1' } } },
        },
      }
      const read = async (send: ReturnType<typeof connect>['send']) => {
        const { status, text } = await send('GET', '/persons?include=computers.owner&sort=-name')
        assert.equal(status, 200)
        return text.replaceAll(/127\.0\.0\.1:\d+/g, 'host')
      }
      const before = await serve(async (send) => {
        assert.equal((await send('POST', '/persons', { body: person, headers })).status, 201)
        assert.equal((await send('POST', '/computers', { body: computer })).status, 201)
        return read(send)
      })
      for (const command of distribute
        .replace('database postgres', `database ${name}`)
        .split(';\n'))
        if (command.trim() !== '') await executeDirectly(databaseUrl, command)
      const kinds = await executeDirectly(
        databaseUrl,
        'select logicalrelid::text as name, partmethod from pg_dist_partition order by 1',
      )
      assert.deepEqual(kinds, [
        { name: 'computer', partmethod: 'h' },
        { name: 'lapidary_idempotency', partmethod: 'h' },
        { name: 'person', partmethod: 'n' },
      ])
      await serve(async (send) => {
        assert.equal(await read(send), before)
        const again = await send('POST', '/persons', { body: person, headers })
        assert.deepEqual([again.status, again.headers['idempotency-replayed']], [201, 'true'])
        assert.equal((await send('DELETE', '/persons/1')).status, 200)
        assert.equal((await send('GET', '/computers/1/owner')).status, 200)
      })
    })
  })
