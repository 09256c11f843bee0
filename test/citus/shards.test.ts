import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type RunningService, startService } from '../../service/start-service.ts'
import { type Client, connect } from '../client.ts'
import { everyDatabase } from '../databases.ts'
import type { OpenDatabase } from '../open-database.ts'
import { insertMany } from '../service/direct-database.ts'
import { layouts } from './layouts.ts'
import { proxyTasks, type TaskProxy } from './task-proxy.ts'

// How many shards the main requests touch, by the statements that the coordinator sends to them.

/** A request, and the number of shards that it touches in each layout. */
interface Row {
  readonly send: readonly [method: string, path: string, body?: unknown]
  readonly reference: number
  readonly distributed: number
  /** The number of shards that have its rows, where Citus searches more of them: it sends the result of a subquery, as a list, an array or a
   * scalar, to every shard. Only a value in the statement leads to one, and another round trip would read it. */
  readonly needed?: number
}

const person = (id?: string) => ({ data: { type: 'person', id, attributes: { name: 'New' } } })
const computer = (id?: string) => ({
  data: { type: 'computer', id, attributes: { serial: 'new' } },
})

// A row is on one shard, which its key tells. Rows of a list, and those that refer to a row, may be on any of the four shards of their
// table; without a foreign key a row counts as related only if the other one exists, which is on a shard of its own. The only shard of a
// reference table is on every node, so that it is read on the coordinator, or beside the other rows.
// biome-ignore format: a table, one request a row
const requests: readonly Row[] = [
  { send: ['GET', '/persons/7'],                         reference: 0, distributed: 1 },
  { send: ['GET', '/computers/7'],                       reference: 1, distributed: 1 },
  { send: ['GET', '/persons?page[size]=5'],              reference: 0, distributed: 4 },
  { send: ['GET', '/computers?page[size]=5'],            reference: 4, distributed: 4 },
  { send: ['GET', '/persons?filter[id]=7'],              reference: 0, distributed: 1 },
  { send: ['GET', '/computers?filter[id]=7'],            reference: 1, distributed: 1 },
  { send: ['GET', '/computers?filter[serial]=7-1'],      reference: 4, distributed: 4 },
  { send: ['GET', '/computers?filter[owner__id]=7'],     reference: 4, distributed: 5 },
  { send: ['GET', '/persons/7?include=computers'],       reference: 4, distributed: 5 },
  { send: ['GET', '/computers/7?include=owner'],         reference: 1, distributed: 5, needed: 2 },
  { send: ['GET', '/computers/7/owner'],                 reference: 2, distributed: 5, needed: 2 },
  { send: ['GET', '/persons/7/computers'],               reference: 4, distributed: 5 },
  { send: ['POST', '/persons', person()],                reference: 1, distributed: 1 },
  { send: ['PATCH', '/persons/7', person('7')],          reference: 1, distributed: 1 },
  { send: ['POST', '/computers', computer()],            reference: 1, distributed: 1 },
  { send: ['PATCH', '/computers/7', computer('7')],      reference: 1, distributed: 1 },
  { send: ['DELETE', '/computers/7'],                    reference: 1, distributed: 1 },
]

/** The shards in statements, by their names. */
function shardsIn(tasks: readonly string[]): Set<string> {
  return new Set(tasks.flatMap((task) => task.match(/\b(?:person|computer)_\d+\b/g) ?? []))
}

for (const layout of ['reference', 'distributed'] as const)
  for (const database of everyDatabase.filter(({ name }) => name === layouts[layout].title))
    describe(`The shards that a request touches · ${database.name}`, () => {
      let open: OpenDatabase
      let service: RunningService
      let client: Client
      let proxy: TaskProxy

      before(async () => {
        open = await database.create()
        proxy = await proxyTasks(open.url)
        service = await startService({ port: 0, logLevel: 'silent', databaseUrl: proxy.url })
        client = connect(service.url)
        await insertMany(open.url, { persons: 40, computers: 2 })
      })
      after(async () => {
        client?.close()
        await service?.close()
        await proxy?.close()
        await open.remove()
      })

      for (const row of requests) {
        const [method, path, body] = row.send
        it(`${method} ${path}`, async () => {
          proxy.tasks()
          const { status, text } = await client.send(method, encodeURI(path), { body })
          assert.ok(status < 300, text)
          const tasks = proxy.tasks()
          assert.equal(shardsIn(tasks).size, row[layout], tasks.join('\n'))
        })
      }
    })
