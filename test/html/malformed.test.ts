import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as fc from 'fast-check'
import { type RunningService, startService } from '../../service/start-service.ts'
import { type Client, connect, mediaType } from '../client.ts'
import { anyBadFilter, anyBadQuery } from '../property/malformed/malformed-queries.ts'
import { seed } from '../property/seed.ts'

const requests = 150

describe('Pages of malformed requests', () => {
  let service: RunningService
  let client: Client
  before(async () => {
    const settings = { databaseUrl: 'sqlite::memory:', port: 0, logLevel: 'silent' }
    service = await startService(settings, true)
    client = connect(service.url)
  })
  after(async () => {
    client.close()
    await service.close()
  })

  it('given any query, when a browser sends it, then its page has the status of the JSON, and no 500', async () => {
    const queries = fc.sample(fc.oneof(anyBadQuery(), anyBadFilter()), { seed, numRuns: requests })
    const statuses = new Set<number>()
    for (const { path, query } of queries) {
      const send = (accept: string) =>
        client.send('GET', path, { query, headers: { Accept: accept } })
      const page = await send('text/html')
      const json = await send(mediaType)
      assert.equal(page.status, json.status, `${path}?${query}`)
      assert.ok(page.status < 500, `${path}?${query}`)
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
      assert.match(page.text, /<\/html>$/)
      statuses.add(page.status)
    }
    assert.deepEqual([...statuses].sort(), [200, 400])
  })
})
