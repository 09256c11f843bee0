import assert from 'node:assert/strict'
import pg from 'pg'
import { splitCommands } from '../../src/postgres/migrations.ts'
import type { OpenDatabase } from '../open-database.ts'
import { continueIds } from '../postgres.ts'
import { type Layout, writeDeleteRows, writeDropAll, writeTrigger } from './layouts.ts'

/** The URL of a database of the coordinator; `npm run test:citus` sets it. */
const coordinator = process.env.LAPIDARY_TEST_CITUS

/** A database on all nodes that this process uses alone as long as it runs, and a connection to it. */
interface Lease {
  readonly url: URL
  readonly connection: pg.Pool
}

/** Databases of each layout that this process has used and can use again. */
const free = new Map<Layout, Lease[]>()

/** Creates a database without tables on a cluster, in which new tables are distributed. */
export async function createOnCitus(layout: Layout): Promise<OpenDatabase> {
  const leases = free.get(layout) ?? []
  free.set(layout, leases)
  const lease = leases.pop() ?? (await leaseDatabase(layout))
  const run = async (commands: readonly string[]) => {
    for (const command of commands) await lease.connection.query(command)
  }
  const dropAll = () => run(writeDropAll(layout))
  // A session finds by one failure that a worker was restarted since it used it last.
  await dropAll().catch(dropAll)
  return {
    url: String(lease.url),
    second: {
      execute: (sql) => run([...splitCommands(sql), continueIds]),
      dropAll,
      deleteRows: () => run(writeDeleteRows(layout)),
      // A distributed table takes no rows of the type of another table.
      saveRows: async () => false,
      restoreRows: () => Promise.reject(new Error('No rows are saved on Citus.')),
    },
    remove: async () => void leases.push(lease),
  }
}

/** Holds the advisory lock of each database that this process uses, until the process ends. */
let locks: pg.Pool | undefined
let next = 1

/** Takes the first database that no other process uses; creates it if it does not exist. */
async function leaseDatabase(layout: Layout): Promise<Lease> {
  assert.ok(coordinator !== undefined, 'LAPIDARY_TEST_CITUS is not set')
  locks ??= connection(coordinator)
  for (;;) {
    const number = next++
    const { rows } = await locks.query(`select pg_try_advisory_lock(${number}) as locked`)
    if (!rows[0].locked) continue
    const name = `test_${layout.title.replaceAll(/\W/g, '_').toLowerCase()}_${number}`
    const url = new URL(`/${name}`, coordinator)
    const known = await locks.query(`select from pg_database where datname = '${name}'`)
    if (known.rowCount === 0) await createDatabase(locks, url, layout)
    if (layout.schema !== 'public')
      url.searchParams.set('options', `-c search_path=${layout.schema}`)
    return { url, connection: connection(String(url), layout.schema) }
  }
}

/** Creates a database on every node, and the cluster in it. */
async function createDatabase(base: pg.Pool, url: URL, layout: Layout): Promise<void> {
  const name = url.pathname.slice(1)
  const { rows: nodes } = await base.query(
    'select nodename, nodeport, groupid from pg_dist_node where isactive order by groupid',
  )
  for (const { nodename, nodeport } of nodes) {
    const at = (path: string) =>
      Object.assign(new URL(url), { hostname: nodename, port: nodeport, pathname: path })
    await runOnce(at(new URL(String(coordinator)).pathname), [`create database ${name}`])
    await runOnce(at(`/${name}`), ['create extension citus'])
  }
  const settings = Object.entries(layout.settings).map(
    ([setting, value]) => `alter database ${name} set ${setting} = ${value}`,
  )
  await runOnce(url, [
    ...nodes.map(({ nodename, nodeport, groupid }) =>
      groupid === 0
        ? `select citus_set_coordinator_host('${nodename}', ${nodeport})`
        : `select citus_add_node('${nodename}', ${nodeport})`,
    ),
    ...settings,
    ...writeTrigger(layout),
  ])
}

async function runOnce(url: URL, commands: readonly string[]): Promise<void> {
  const once = connection(String(url))
  try {
    for (const command of commands) await once.query(command)
  } finally {
    await once.end()
  }
}

/** One connection, which stays open and does not keep the process alive. */
function connection(url: string, schema = 'public'): pg.Pool {
  const plain = new URL(url)
  plain.search = ''
  return new pg.Pool({
    connectionString: String(plain),
    options: `-c client_min_messages=warning -c lock_timeout=10s -c TimeZone=UTC -c search_path=${schema}`,
    ...{ max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true },
  })
}
