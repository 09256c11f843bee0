import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type RunningService, startService } from '../../service/start-service.ts'
import { assertServiceConforms } from '../checker/check-served.ts'
import { type Call, connect } from '../client.ts'
import type { OpenDatabase } from '../open-database.ts'
import { freshPostgres } from '../postgres.ts'
import { parseResponse, type TestResponse } from '../test-response.ts'
import { type CountingProxy, proxyTo } from './proxy.ts'

const reads: readonly string[] = [
  '/persons/1',
  '/persons/1?include=computers.owner.computers',
  '/persons?include=computers.owner&page[size]=2&page[number]=2&sort=-name&filter[gender]=f',
  '/persons/1/computers?include=owner&page[size]=2',
  '/persons/1/relationships/computers?include=computers.owner',
  '/computers?filter=[{"name":"owner","op":"has","val":{"name":"name","op":"like","val":"%A%"}}]&sort=owner.name',
  '/computers/1/owner?include=computers',
]

const body = (type: string, attributes: object, id?: string, relationships?: object) => ({
  body: { data: { type, id, attributes, relationships } },
})

const computers = { data: [{ type: 'computer', id: '1' }] }
const owning = { computers }

/** Begin, lookups, writes and the read of the response; then commit, unless one statement is the whole write. */
const writes: readonly (readonly [method: string, path: string, call: Call, most: number])[] = [
  ['POST', '/persons', body('person', { name: 'Eve' }), 1],
  ['POST', '/persons?include=computers', body('person', { name: 'Eve' }, undefined, owning), 2],
  ['POST', '/persons/1/computers', body('computer', { serial: 'A' }), 2],
  ['PATCH', '/persons/1', body('person', { name: 'Eve' }, '1'), 1],
  ['PATCH', '/persons/1', body('person', { name: 'Eve' }, '1', owning), 2],
  ['PATCH', '/persons/1/relationships/computers', { body: computers }, 2],
  ['PATCH', '/persons/1/relationships/computers', { body: { data: [] } }, 2],
  ['DELETE', '/persons/1', {}, 1],
]

describe('Round trips to PostgreSQL', () => {
  let database: OpenDatabase
  let proxy: CountingProxy
  let service: RunningService
  let ask: (method: string, path: string, call?: Call) => Promise<TestResponse>

  before(async () => {
    database = await freshPostgres()
    proxy = await proxyTo(database.url)
    service = await startService({ port: 0, logLevel: 'silent', databaseUrl: proxy.url }, true)
    const session = connect(service.url)
    ask = async (method, path, call) => {
      const exchange = await session.send(method, path, call)
      assertServiceConforms(exchange)
      return parseResponse(exchange)
    }
  })
  after(async () => {
    await service.close(0)
    await proxy.close()
    await database.remove()
  })

  for (const path of reads) {
    it(`one for ${path}`, async () => {
      proxy.roundTrips()
      assert.equal((await ask('GET', path)).status, 200)
      assert.equal(proxy.roundTrips(), 1)
    })
  }

  for (const [method, path, call, most] of writes) {
    it(`at most ${most} for ${method} ${path} ${JSON.stringify(call)}`, async () => {
      proxy.roundTrips()
      assert.ok((await ask(method, path, call)).status < 300)
      const count = proxy.roundTrips()
      assert.ok(count <= most, `${count} round trips`)
    })
  }
})
