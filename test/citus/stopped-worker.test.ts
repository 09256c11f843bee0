import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type RunningService, startService } from '../../service/start-service.ts'
import { type Call, connect } from '../client.ts'
import { everyDatabase } from '../databases.ts'
import { executeDirectly } from '../service/direct-database.ts'
import { until } from '../service/processes.ts'
import { controlNode } from './control-node.ts'
import { layouts } from './layouts.ts'

// Two instances of the service on a cluster, one of whose workers stops and returns while clients write.

/** The folders of the nodes of the cluster that `npm run test:citus` has started; a cluster that is given cannot be stopped. */
const folder = process.env.LAPIDARY_TEST_CITUS_DATA
const control = (node: number, ...args: readonly string[]) =>
  controlNode(`${folder}/${node}`, ...args)

/** Computers on several shards, which one write changes together, and the serials that all of them may have. */
interface Group {
  readonly ids: readonly string[]
  serials: readonly string[]
}

const atomic = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

/** A computer whose creation was acknowledged, and the serials that it may have: two if a change got no acknowledgement. */
interface Written {
  readonly id: string
  serials: readonly string[]
}

for (const database of everyDatabase.filter(({ name }) => name === layouts.distributed.title))
  describe(`A worker that stops under load · ${database.name}`, () => {
    it('given two instances, then what it holds is 503, the rest is served, and no acknowledged write is lost', {
      skip: folder === undefined,
    }, async (test) => {
      const open = await database.create()
      const settings = {
        port: 0,
        logLevel: 'silent',
        databaseUrl: open.url,
        databaseTimeout: 2000,
        atomic: 'on',
      } as const
      const services: RunningService[] = [
        await startService(settings),
        await startService(settings),
      ]
      const clients = services.map(({ url }) => connect(new URL(url).origin))
      test.after(async () => {
        for (const client of clients) client.close()
        for (const service of services) await service.close(0)
        await executeDirectly(open.url, 'select recover_prepared_transactions()')
        await open.remove()
      })
      const ledger: Written[] = []
      const statuses = new Map<number, number>()
      let isOver = false
      const send = async (at: number, ...[method, path, call]: [string, string, Call]) => {
        const response = await clients[at % 2]?.send(method, path, call)
        assert.ok(response)
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        if (response.status < 300) return response
        assert.equal(response.status, 503, response.text)
        assert.equal(response.headers['retry-after'], '1', response.text)
        return undefined
      }
      const writer = async (at: number) => {
        for (let count = 0; !isOver; count += 1) {
          const [serial, changed] = [`${at}-${count}`, `${at}-${count} changed`]
          const data = { type: 'computer', attributes: { serial } }
          const created = await send(at, 'POST', '/computers', { body: { data } })
          if (created === undefined) continue
          const { id } = JSON.parse(created.text).data
          const entry: Written = { id, serials: [serial] }
          ledger.push(entry)
          entry.serials = [serial, changed]
          const change = { type: 'computer', id, attributes: { serial: changed } }
          const body = { data: change }
          if (await send(at, 'PATCH', `/computers/${id}`, { body })) entry.serials = [changed]
        }
      }
      // Every write changes all rows of the group: one that is prepared and not yet committed lets no later one pass.
      const groups: Group[] = []
      const writeTogether = async (at: number, operations: readonly object[]) => {
        const headers = { accept: atomic, 'content-type': atomic }
        const body = { 'atomic:operations': operations }
        return send(at, 'POST', '/operations', { headers, body })
      }
      const groupWriter = async (at: number) => {
        const computer = { type: 'computer', attributes: { serial: 'first' } }
        const add = { op: 'add', data: computer }
        const created = await writeTogether(at, Array(8).fill(add))
        const results: { data: { id: string } }[] = JSON.parse(created?.text ?? '')[
          'atomic:results'
        ]
        const group: Group = { ids: results.map(({ data }) => data.id), serials: ['first'] }
        groups.push(group)
        for (let count = 0; !isOver; count += 1) {
          const serial = `${at}-${count} together`
          const update = (id: string) => ({
            ...{ op: 'update', data: { type: 'computer', id, attributes: { serial } } },
          })
          group.serials = [...group.serials, serial]
          if (await writeTogether(at, group.ids.map(update))) {
            group.serials = [serial]
            together.push(serial)
          }
        }
      }
      const together: string[] = []
      const work = Promise.all([
        ...Array.from({ length: 6 }, (_, number) => writer(number)),
        ...Array.from({ length: 4 }, (_, number) => groupWriter(number)),
      ])
      await until(() => ledger.length > 100 && together.length > 20, 'too few writes')
      const before = [...ledger]

      test.after(() => control(2, 'start').catch(() => {}))
      await control(2, 'stop', '-m', 'immediate')
      const stopped = ledger.length
      await until(
        () => (statuses.get(503) ?? 0) > 10 && ledger.length > stopped + 50,
        'nothing is served',
      )
      const reads = new Set<number>()
      for (const { id } of before.slice(0, 40)) {
        const response = await clients[Number(id) % 2]?.send('GET', `/computers/${id}`)
        assert.ok(response)
        reads.add(response.status)
        if (response.status === 503) assert.equal(response.headers['retry-after'], '1')
      }
      assert.deepEqual([...reads].sort(), [200, 503])

      await control(2, 'start')
      const back = performance.now()
      const isServed = async () => {
        const answers = await Promise.all(
          before.slice(0, 40).map(({ id }, at) => clients[at % 2]?.send('GET', `/computers/${id}`)),
        )
        return answers.every((each) => each?.status === 200)
      }
      while (!(await isServed())) {
        assert.ok(performance.now() - back < 2000, 'the service is not back')
        await pause(50)
      }
      isOver = true
      await work
      await executeDirectly(open.url, 'select recover_prepared_transactions()')
      const stored = await executeDirectly(open.url, 'select id, serial from computer')
      const serials = new Map(stored.map(({ id, serial }) => [String(id), serial]))
      for (const each of ledger)
        assert.ok(each.serials.includes(String(serials.get(each.id))), each.id)
      for (const each of groups) {
        const found = [...new Set(each.ids.map((id) => String(serials.get(id))))]
        assert.equal(found.length, 1, found.join())
        assert.ok(each.serials.includes(found.join()), found.join())
      }
    })
  })
