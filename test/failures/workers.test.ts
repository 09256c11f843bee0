import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connect } from '../client.ts'
import { long } from '../long-tests.ts'
import { isExhaustive, scale } from '../property/seed.ts'
import { folder, start } from '../service/child.ts'
import { executeDirectly } from '../service/direct-database.ts'
import { childrenOf, isRunning, socketsOf, until } from '../service/processes.ts'
import { writesStored, writeUntil } from '../service/stream-of-writes.ts'

/** The number of workers. */
const workers = 2
/** The number of kills. `npm run test:long` kills more often. */
const kills = isExhaustive ? 2 * scale : 1

const started = async (test: Parameters<typeof start>[0]) => {
  const directory = await folder(test)
  const child = await start(test, directory, ['--workers', String(workers), '--log-level', 'warn'])
  const supervisor = child.process.pid ?? 0
  return { child, supervisor, databaseUrl: `sqlite:${directory}/data/lapidary.db` }
}

it(
  'connections spread over the workers, and none passes through the supervisor',
  long,
  async (test) => {
    const { child, supervisor } = await started(test)
    const pids = await childrenOf(supervisor)
    const before = await Promise.all([supervisor, ...pids].map(socketsOf))
    const clients = Array.from({ length: 64 }, () => connect(child.url))
    const answers = await Promise.all(clients.map((each) => each.send('GET', '/persons')))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const after = await Promise.all([supervisor, ...pids].map(socketsOf))
    const [ofSupervisor, ...ofWorkers] = after.map((count, at) => (count ?? 0) - (before[at] ?? 0))
    if (process.platform === 'linux') {
      assert.equal(ofSupervisor, 0)
      assert.ok(
        ofWorkers.every((count) => count > 0),
        String(ofWorkers),
      )
      // A connection from before may have been closed meanwhile.
      assert.ok(ofWorkers.reduce((sum, count) => sum + count) >= clients.length - 2)
    }
    for (const each of clients) each.close()
  },
)

it(`connections of workers that are killed end, over ${kills} kills, and none is kept`, async (test) => {
  const { child, supervisor, databaseUrl } = await started(test)
  const before = await socketsOf(supervisor)
  const stop = new AbortController()
  const load = [
    writeUntil(child.url, stop.signal, { clients: 4 }),
    writeUntil(child.url, stop.signal, { clients: 4, prefix: 'new-', agent: { keepAlive: false } }),
  ]
  for (let kill = 0; kill < kills; kill += 1) {
    await writesStored(databaseUrl, 20 * (kill + 1))
    await until(async () => (await childrenOf(supervisor)).length > 0, 'no worker was replaced')
    const [killed = 0] = await childrenOf(supervisor)
    process.kill(killed, 'SIGKILL')
    await until(() => !isRunning(killed), `${killed} is left`)
  }
  await until(
    async () => (await childrenOf(supervisor)).length === workers,
    'not all workers were replaced',
  )
  stop.abort()
  const logs = await Promise.all(load)
  for (const { hanging, rejected } of logs) {
    assert.deepEqual([...hanging], [])
    assert.deepEqual([...rejected], [])
  }
  assert.ok(logs.some(({ acknowledged }) => acknowledged.size > kills))
  // The supervisor learns of the end of a worker some time after it.
  await until(async () => (await socketsOf(supervisor)) === before, 'a socket is kept')
  const rows = await executeDirectly(
    databaseUrl,
    'select name, count(*) as times from person group by name',
  )
  const stored = new Map(rows.map(({ name, times }) => [String(name), Number(times)]))
  for (const name of logs.flatMap(({ acknowledged }) => [...acknowledged]))
    assert.ok(stored.has(name), `${name} was acknowledged and is not there`)
  assert.equal((await child.end('SIGTERM')).code, 0, child.printed())
})

it('given a supervisor that is killed, its workers respond to the requests in progress and end', async (test) => {
  const { child, supervisor, databaseUrl } = await started(test)
  const pids = await childrenOf(supervisor)
  const stop = new AbortController()
  const load = writeUntil(child.url, stop.signal, { clients: 8 })
  await writesStored(databaseUrl)
  await child.end('SIGKILL')
  await until(() => !pids.some(isRunning), `${pids} are left`)
  stop.abort()
  const { acknowledged, rejected, hanging } = await load
  assert.deepEqual([...rejected], [])
  assert.deepEqual([...hanging], [])
  assert.ok(acknowledged.size > 8, String(acknowledged.size))
  const rows = await executeDirectly(databaseUrl, 'select name from person order by name')
  assert.deepEqual(rows.map(({ name }) => String(name)).sort(), [...acknowledged].sort())
  await assert.rejects(connect(child.url).send('GET', '/persons'))
})
