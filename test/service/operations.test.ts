import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type RunningService, startService } from '../../service/start-service.ts'

const type = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

describe('The setting ATOMIC', () => {
  const quiet = { port: 0, databaseUrl: 'sqlite::memory:', logLevel: 'silent' }
  const services: RunningService[] = []
  let off = ''
  let on = ''
  let modern = ''
  let modernOff = ''
  before(async () => {
    const started = [
      await startService(quiet, false),
      await startService({ ...quiet, atomic: 'on', maxOperations: 2 }, false),
      await startService({ ...quiet, jsonapiVersion: '1.1' }, false),
      await startService({ ...quiet, jsonapiVersion: '1.1', atomic: 'off' }, false),
    ]
    services.push(...started)
    ;[off = '', on = '', modern = '', modernOff = ''] = started.map(({ url }) => url)
  })
  after(() => Promise.all(services.map((service) => service.close())))

  const add = { op: 'add', data: { type: 'person', attributes: { name: 'Ada' } } }
  const send = (url: string, operations: readonly object[]) =>
    fetch(`${url}/operations`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify({ 'atomic:operations': operations }),
    })

  it('is off by default: there is no such path', async () => {
    assert.equal((await send(off, [add])).status, 404)
  })

  it('writes several resources, at most as many as MAX_OPERATIONS', async () => {
    const response = await send(on, [add, add])
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), type)
    assert.equal((await send(on, [add, add, add])).status, 400)
  })

  it('is on by default with JSONAPI_VERSION=1.1, which all routes speak', async () => {
    assert.equal((await send(modern, [add])).status, 200)
    assert.equal((await send(modernOff, [add])).status, 404)
    const accept = 'application/vnd.api+json;profile="https://example.org/profile"'
    const read = (url: string) => fetch(`${url}/persons`, { headers: { accept } })
    const response = await read(modern)
    const { jsonapi } = (await response.json()) as { jsonapi: object }
    assert.deepEqual([response.status, jsonapi], [200, { version: '1.1' }])
    assert.equal((await read(on)).status, 406)
    const unknown = await fetch(`${modern}/nothing`)
    const { errors, ...rest } = (await unknown.json()) as { errors: readonly object[] }
    assert.deepEqual([errors.length, rest], [1, { jsonapi: { version: '1.1' } }])
  })

  it('repeats a whole batch with one key, and needs no document', async () => {
    const headers = { 'content-type': type, 'idempotency-key': '"k"' }
    const body = JSON.stringify({ 'atomic:operations': [add, add] })
    const request = { method: 'POST', headers, body }
    const [first, second] = [
      await fetch(`${on}/operations`, request),
      await fetch(`${on}/operations`, request),
    ]
    assert.equal(await second.text(), await first.text())
    assert.equal(second.headers.get('idempotency-replayed'), 'true')
    assert.equal(second.headers.get('content-type'), type)
    const update = { op: 'update', data: { type: 'person', id: '1', attributes: { name: 'Eve' } } }
    const minimal = await fetch(`${on}/operations`, {
      method: 'POST',
      headers: { 'content-type': type, prefer: 'return=minimal' },
      body: JSON.stringify({ 'atomic:operations': [update] }),
    })
    assert.equal(minimal.status, 204)
  })
})
