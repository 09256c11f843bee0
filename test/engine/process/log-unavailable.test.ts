import assert from 'node:assert/strict'
import { it } from 'node:test'
import { defineModel } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { HttpError } from '../../../src/errors/errors.ts'
import { logOf } from '../../log.ts'
import { until } from '../../service/processes.ts'

it('given 503 responses with a cause, when several have the same cause, then one is logged each second, and then how many more', async (test) => {
  const model = defineModel([])
  const store = openSqlite(model, ':memory:')
  const server = createServer({ model, store, accessLog: false })
  test.after(async () => {
    await server.close()
    await store.close()
  })
  const failing = (cause: unknown) => async () => {
    const headers = { 'retry-after': '1' }
    throw new HttpError('unavailable', 'The database cannot be reached.', headers, { cause })
  }
  server.get('/unreachable', failing(new Error('connect ECONNREFUSED')))
  server.get('/full', failing(new Error('disk full')))
  server.get('/busy', failing(undefined))
  await server.ready()
  const lines = await logOf(async (logged) => {
    for (const path of ['/full', '/busy', '/unreachable', '/unreachable', '/unreachable']) {
      assert.equal((await server.inject(path)).statusCode, 503)
    }
    // The second of `/full` is over before it.
    await until(() => logged().includes('more requests'), 'the others are not logged')
    await server.inject('/full')
  })
  const entries = lines.map((line) => {
    const { level, msg, err, url, suppressed } = JSON.parse(line)
    return [level, msg, err?.message, url, suppressed]
  })
  assert.deepEqual(entries, [
    [50, 'a request could not be served', 'disk full', '/full', undefined],
    [50, 'a request could not be served', 'connect ECONNREFUSED', '/unreachable', undefined],
    [50, 'more requests could not be served', undefined, undefined, 2],
    [50, 'a request could not be served', 'disk full', '/full', undefined],
  ])
})

it('given 503 responses with different causes, when there are more than 100 within a second, then the others share one line', async (test) => {
  const model = defineModel([])
  const store = openSqlite(model, ':memory:')
  const server = createServer({ model, store, accessLog: false })
  test.after(async () => {
    await server.close()
    await store.close()
  })
  let count = 0
  server.get('/unreachable', async () => {
    count += 1
    throw new HttpError('unavailable', '', {}, { cause: new Error(`cause ${count}`) })
  })
  await server.ready()
  const lines = await logOf(async (logged) => {
    await Promise.all(Array.from({ length: 150 }, () => server.inject('/unreachable')))
    await until(() => logged().includes('more requests'), 'the others are not logged')
  })
  const entries = lines.map((line) => JSON.parse(line))
  assert.equal(entries.filter(({ err }) => err !== undefined).length, 101)
  assert.deepEqual(
    entries
      .filter(({ err }) => err === undefined)
      .map(({ cause, suppressed }) => [cause, suppressed]),
    [['others', 49]],
  )
})
