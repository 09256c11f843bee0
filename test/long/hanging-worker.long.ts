import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { folder, start } from '../service/child.ts'
import { childrenOf, isRunning, until } from '../service/processes.ts'

describe('A worker that hangs', { concurrency: true }, () => {
  it('is killed within 30 seconds of SIGTERM, and the service leaves no process', async (test) => {
    const child = await start(test, await folder(test), ['--workers', '2'])
    await until(() => child.printed().includes('2 workers'), 'the second worker does not listen')
    const workers = await childrenOf(child.process.pid)
    const [hanging = 0] = workers
    process.kill(hanging, 'SIGSTOP')
    const begun = performance.now()
    await child.end('SIGTERM')
    assert.ok(performance.now() - begun < 30_000, `${performance.now() - begun} ms`)
    await until(() => !workers.some(isRunning), `${workers} are left`)
  })

  it('is killed, if the service gets SIGTERM while it starts', async (test) => {
    // The first worker listens before the second one starts.
    const child = await start(test, await folder(test), ['--workers', '2'])
    const starting = async () => (await childrenOf(child.process.pid)).length === 2
    await until(starting, 'the second worker does not start')
    const workers = await childrenOf(child.process.pid)
    process.kill(Math.max(...workers), 'SIGSTOP')
    await child.end('SIGTERM')
    await until(() => !workers.some(isRunning), `${workers} are left`)
  })
})
