import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { attribute, defineModel, idempotencyTable, resource, type Store, text } from 'lapidary'
import { atomicMediaType } from '../../src/model/media-types.ts'
import { hosts, type RunningHost } from '../adapters/hosts.ts'
import { everyDatabase } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import type { OpenDatabase } from '../open-database.ts'
import { randomOf } from '../property/random-choices.ts'
import { seed } from '../property/seed.ts'
import { openSocket } from '../raw-socket.ts'
import { connectToDatabase } from '../service/direct-database.ts'

// A client that loses its connection in the midst of a batch repeats it with the same key: the batch is written once, whether the first
// request has arrived or not, and whether its response was lost.

const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { text: attribute(text, { required: true }) },
})
const model = defineModel([note], { principal: () => 'everybody', atomic: true })

const operations = ['a', 'b', 'c'].map((text) => ({
  op: 'add',
  data: { type: 'note', attributes: { text } },
}))
const body = JSON.stringify({ 'atomic:operations': operations })

/** How many batches of each host are cut. */
const rounds = 12

/** A request in raw bytes. */
const write = (key: string) =>
  [
    'POST /operations HTTP/1.1',
    'Host: 127.0.0.1',
    'Connection: close',
    `Content-Type: ${atomicMediaType}`,
    `Idempotency-Key: ${key}`,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')

/** How a client that has sent some bytes of a request leaves. */
const endings = ['end', 'destroy', 'resetAndDestroy'] as const

for (const database of everyDatabase)
  for (const host of hosts)
    describe(`A batch with a key whose connection is cut · ${host.name} · ${database.name}`, () => {
      let opened: OpenDatabase
      let store: Store
      let running: RunningHost
      let connection: Awaited<ReturnType<typeof connectToDatabase>>
      before(async () => {
        opened = await database.create()
        store = await openStore(model, opened.url)
        const table = `create table note (id ${database.columnTypes.newId}, text text not null);`
        await store.migrate([{ version: 1, sql: table + idempotencyTable }])
        running = await host.start({ model, store, prefix: '' })
        connection = await connectToDatabase(opened.url)
      })
      after(async () => {
        await connection.close()
        await running.close()
        await store.close()
        await opened.remove()
      })
      const countRows = async () => (await connection.run('select id from note')).length
      /** Sends a whole request. @returns the response in raw bytes */
      const send = async (key: string) => {
        const socket = await openSocket(running.origin)
        socket.send(write(key))
        return socket.closed()
      }

      it(`is written once when it is repeated (PROPERTY_SEED=${seed})`, async () => {
        const random = randomOf(seed)
        for (let round = 0; round < rounds; round += 1) {
          const rows = await countRows()
          const key = `cut-${round}`
          const request = write(key)
          // Half of them are complete: the response is lost.
          const length = random.chance(0.5) ? request.length : random.below(request.length)
          const { socket } = await openSocket(running.origin, { reads: false })
          await new Promise((resolve) => socket.write(request.slice(0, length), resolve))
          const ending = random.pick(endings)
          socket[ending]()
          if (ending !== 'end') await once(socket, 'close')
          const hint = `${length} of ${request.length} bytes, then ${ending}`
          assert.match(await send(key), /^HTTP\/1.1 200 /, hint)
          assert.equal(await countRows(), rows + operations.length, hint)
          socket.destroy()
        }
      })

      it('is written once by 100 repetitions that overlap', async () => {
        const rows = await countRows()
        const responses = await Promise.all(Array.from({ length: 100 }, () => send('overlap')))
        const statuses = new Set(responses.map((each) => each.slice(9, 12)))
        assert.deepEqual(
          [...statuses].filter((status) => !['200', '409'].includes(status)),
          [],
        )
        assert.match(await send('overlap'), /^HTTP\/1.1 200 /)
        const bodies = responses.flatMap((each) =>
          each.startsWith('HTTP/1.1 200') ? [each.slice(each.indexOf('\r\n\r\n'))] : [],
        )
        assert.equal(new Set(bodies).size, 1)
        assert.equal(await countRows(), rows + operations.length)
      })
    })
