import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { it } from 'node:test'
import { startService } from '../../../service/start-service.ts'

it('given a port that another program uses, when the service starts, then the error says what to do', async (test) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  test.after(() => other.close())
  const address = other.address()
  assert.ok(address !== null && typeof address === 'object')
  const { port } = address
  const start = startService({ databaseUrl: 'sqlite::memory:', logLevel: 'silent', port })
  await assert.rejects(start, {
    message: `port ${port} of 127.0.0.1 is in use by another program; stop it, or choose another port by --port or PORT`,
  })
})

it('given an address of another machine, when the service starts, then the error says what to do', async () => {
  const quiet = { databaseUrl: 'sqlite::memory:', logLevel: 'silent', port: 0 } as const
  await assert.rejects(startService({ ...quiet, host: '192.0.2.1' }), {
    message: '192.0.2.1 is not an address of this machine; choose another one by --host or HOST',
  })
})
