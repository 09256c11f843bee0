import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../databases.ts'
import { type Child, folder, start } from '../service/child.ts'
import { executeDirectly } from '../service/direct-database.ts'
import { childrenOf, isRunning, until } from '../service/processes.ts'
import { type State, TrackedClient, writeKinds } from './tracked-writes.ts'

/** The processes that are killed: the only one, one of two workers, or the supervisor of two workers. */
const targets = ['server', 'worker', 'supervisor'] as const

/** The number of clients that write at the same time. */
const clients = 8

const nothing: State = { persons: new Map(), computers: new Map() }

/** The result of a run. */
interface KillReport {
  readonly acknowledged: ReadonlyMap<string, number>
  /** The number of writes without a response, and of those that were stored all the same. */
  readonly inDoubt: number
  readonly executed: number
}

/**
 * Kills processes of the service repeatedly while clients write, and checks the database each time: every acknowledged write is
 * stored, one without a response is stored completely or not at all, and nothing else has changed. Repeated with its key, that one is
 * stored exactly once.
 */
export async function killDuringWrites(
  test: TestContext,
  database: Database,
  kills: number,
): Promise<KillReport> {
  const { url, remove } = await database.create()
  const all = Array.from({ length: clients }, (_, number) => new TrackedClient(`c${number}`))
  const acknowledged = new Map<string, number>()
  let [inDoubt, executed] = [0, 0]
  for (let kill = 0; kill < kills; kill += 1) {
    const target = targets[kill % targets.length] ?? 'server'
    const workers = target === 'server' ? '1' : '2'
    const args = [
      '--atomic',
      'on',
      '--workers',
      workers,
      '--log-level',
      'warn',
      '--database-url',
      url,
    ]
    const child = await start(test, await folder(test), args)
    const stop = new AbortController()
    const work = Promise.all(all.map((each) => each.write(child.url, stop.signal, acknowledged)))
    await until(enough(acknowledged, kill === kills - 1), 'too few writes were acknowledged')
    await pause(Math.random() * 20)
    await killed(child, target)
    stop.abort()
    await work
    if (target === 'worker') assert.equal((await child.end('SIGTERM')).code, 0, child.printed())
    await assertSound(url)
    const found = await statesOf(url)
    for (const each of all) {
      if (each.isInDoubt) inDoubt += 1
      const isExecuted = each.continueWith(found.get(each.prefix) ?? nothing)
      if (isExecuted) executed += 1
    }
  }
  const child = await start(test, await folder(test), [
    ...['--atomic', 'on', '--log-level', 'warn', '--database-url', url],
  ])
  await Promise.all(all.map((each) => each.settle(child.url)))
  assert.equal((await child.end('SIGTERM')).code, 0, child.printed())
  const found = await statesOf(url)
  for (const each of all) each.continueWith(found.get(each.prefix) ?? nothing)
  await remove()
  return { acknowledged, inDoubt, executed }
}

/** Whether a random number of further writes are acknowledged; before the last kill, some of every kind. */
function enough(acknowledged: ReadonlyMap<string, number>, isLast: boolean): () => boolean {
  const count = () => [...acknowledged.values()].reduce((sum, each) => sum + each, 0)
  const wanted = count() + 5 + Math.random() * 60
  return () => count() >= wanted && (!isLast || writeKinds.every((kind) => acknowledged.has(kind)))
}

async function killed(child: Child, target: (typeof targets)[number]): Promise<void> {
  const workers = await childrenOf(child.process.pid)
  if (target !== 'worker') {
    await child.end('SIGKILL')
    // The processes that it has started end by themselves.
    await until(() => !workers.some(isRunning), `${workers} are left`)
    return
  }
  const [pid = 0] = workers
  process.kill(pid, 'SIGKILL')
  await until(() => !isRunning(pid), `${pid} is left`)
  await pause(50)
}

/** Asserts that the database is not damaged, after it has finished the statements of the killed process. */
async function assertSound(url: string): Promise<void> {
  if (url.startsWith('postgres:')) {
    const busy = `select 1 from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
        and (state <> 'idle' or state_change > clock_timestamp() - interval '200 ms')`
    await until(
      async () => (await executeDirectly(url, busy)).length === 0,
      'PostgreSQL is still busy',
    )
  } else {
    assert.deepEqual(await executeDirectly(url, 'pragma integrity_check'), [
      { integrity_check: 'ok' },
    ])
    assert.deepEqual(await executeDirectly(url, 'pragma foreign_key_check'), [])
  }
  const astray = `select computer.id from computer left join person on person.id = computer.person_id
    where computer.person_id is not null and person.id is null`
  assert.deepEqual(await executeDirectly(url, astray), [])
}

/** The stored rows, by the prefix of the client that wrote them. */
async function statesOf(url: string): Promise<Map<string, State>> {
  const persons = await executeDirectly(url, 'select id, name, email from person')
  const computers = await executeDirectly(
    url,
    `select computer.id, serial, person.name as owner from computer
     left join person on person.id = computer.person_id`,
  )
  const prefixes = [...persons.map(({ name }) => name), ...computers.map(({ serial }) => serial)]
  const states = new Map(
    prefixes.map((name) => {
      const state = { persons: new Map(), computers: new Map() }
      return [prefixOf(name), state] as const
    }),
  )
  for (const { id, name, email } of persons)
    states.get(prefixOf(name))?.persons.set(String(name), { id: String(id), email })
  for (const { id, serial, owner } of computers)
    states.get(prefixOf(serial))?.computers.set(String(serial), { id: String(id), owner })
  return states
}

const prefixOf = (name: unknown): string => String(name).split('-', 1).join()
