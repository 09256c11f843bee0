import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findPort } from '../find-port.ts'
import { folder, start } from '../service/child.ts'
import { childrenOf, until } from '../service/processes.ts'

/** The number of requests of the collection that a page of metrics counts. */
async function countRequests(port: number): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const lines = page
    .split('\n')
    .filter((line) => /^http_server_request_duration_seconds_count{.*"\/persons"/.test(line))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Whether the port serves metrics. */
async function isServed(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined)
  return response?.ok === true
}

describe('The metrics of a server', () => {
  it('are on a port of their own, and end with it', async (test) => {
    const port = await findPort()
    const child = await start(test, await folder(test), ['--metrics-port', String(port)])
    for (let count = 0; count < 3; count += 1) await fetch(`${child.url}/persons`)
    assert.equal(await countRequests(port), 3)
    assert.equal((await fetch(`${child.url}/metrics`)).status, 404)
    child.process.kill('SIGTERM')
    await until(async () => !(await isServed(port)), 'the port is open')
  })

  it('of workers are summed by their supervisor, and stay when a worker is killed', async (test) => {
    const port = await findPort()
    const parameters = ['--workers', '2', '--metrics-port', String(port)]
    const child = await start(test, await folder(test), parameters)
    await until(() => isServed(port), 'there are no metrics')
    const read = () => fetch(`${child.url}/persons`, { headers: { connection: 'close' } })
    await Promise.all(Array.from({ length: 40 }, read))
    assert.equal(await countRequests(port), 40)
    const supervisor = child.process.pid ?? 0
    const [killed = 0] = await childrenOf(supervisor)
    process.kill(killed, 'SIGKILL')
    await until(async () => !(await childrenOf(supervisor)).includes(killed), 'the worker is left')
    await until(async () => (await childrenOf(supervisor)).length === 2, 'no worker came')
    assert.equal(await countRequests(port), 40)
    await read()
    assert.equal(await countRequests(port), 41)
  })
})
