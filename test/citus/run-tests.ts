import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { Client } from 'pg'
import { globalSetup, globalTeardown } from '../start-postgres.ts'
import { controlNode } from './control-node.ts'
import { type LayoutName, layouts } from './layouts.ts'

// Runs suites on Citus in each layout: `npm run test:citus`. Names of layouts and paths of test files may follow. The cluster is that of
// `LAPIDARY_TEST_CITUS`, the URL of a database of a coordinator whose nodes can be reached by the same user and password; else
// that which the programs `build.sh` and `cluster.sh` of a folder build and start.

const root = join(import.meta.dirname, '../..')
const folder = resolve(root, process.env.LAPIDARY_CITUS ?? '../shared/citus')

/** The suites, in the order in which they run. */
const suites = [
  ...['test/service/**/*.test.ts', 'test/conformance/*.test.ts', 'test/property/**/*.test.ts'],
  ...['test/citus/*.test.ts', 'test/engine/access/tenant-schemas.test.ts'],
]

const isLayout = (argument: string): argument is LayoutName => Object.hasOwn(layouts, argument)
const named = argv.slice(2).filter(isLayout)
const files = argv.slice(2).filter((argument) => !isLayout(argument))

/**
 * The settings of a node. Its data ends with the run, so it is not synced to disk. Each database has a process that detects deadlocks
 * between servers.
 */
const nodeSettings = ['fsync = off', 'full_page_writes = off', 'max_worker_processes = 64']

/** Builds and starts a cluster. @returns its URL */
async function startCluster(): Promise<string> {
  // A build without optimization takes half of the time.
  const env = { COPT: '-O0', ...process.env }
  execFileSync(join(folder, 'build.sh'), { stdio: 'inherit', env })
  execFileSync(join(folder, 'cluster.sh'), ['stop'])
  const url = execFileSync(join(folder, 'cluster.sh'), ['start'], { encoding: 'utf8' }).trim()
  const data = join(process.env.TMPDIR ?? '/tmp', 'citus-cluster')
  process.env.LAPIDARY_TEST_CITUS_DATA = data
  const nodes = await query(url, 'select nodename, nodeport, groupid from pg_dist_node')
  for (const { nodename, nodeport, groupid } of nodes) {
    const node = String(Object.assign(new URL(url), { hostname: nodename, port: nodeport }))
    for (const setting of nodeSettings) await query(node, `alter system set ${setting}`)
    await controlNode(join(data, String(groupid)), 'restart')
  }
  return url
}

async function query(url: string, sql: string) {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Runs the suites in each layout, in a process of its own. @returns whether exactly the exceptions failed */
async function runAll(url: string): Promise<boolean> {
  Object.assign(process.env, { LAPIDARY_TEST_CITUS: url, LAPIDARY_TEST_POSTGRES: url })
  await globalSetup()
  const paths =
    files.length > 0 ? files : suites.flatMap((suite) => globSync(suite, { cwd: root }).sort())
  const reporter = pathToFileURL(join(import.meta.dirname, 'reporter.ts')).href
  const options = ['--test', '--test-isolation=none', `--test-reporter=${reporter}`]
  const results = (named.length > 0 ? named : Object.keys(layouts)).map((layout) => {
    const env = { ...process.env, LAPIDARY_TEST_CITUS_LAYOUT: layout }
    const args = [...process.execArgv, ...options, ...paths]
    const { status, stderr } = spawnSync(process.execPath, args, {
      ...{ cwd: root, env, encoding: 'utf8', maxBuffer: 2 ** 28 },
      stdio: ['inherit', 'inherit', 'pipe'],
    })
    // Each service warns of what a layout does not guarantee.
    for (const line of new Set(stderr.split('\n'))) if (line !== '') console.error(line)
    return status
  })
  await globalTeardown()
  return results.every((status) => status === 0)
}

/** Runs the tests of this process. @returns whether they passed */
async function main(): Promise<boolean> {
  const { LAPIDARY_TEST_CITUS: url } = process.env
  if (url !== undefined) return runAll(url)
  if (!existsSync(join(folder, 'cluster.sh'))) {
    console.log(
      `Skipped: there is no Citus. Set LAPIDARY_TEST_CITUS to the URL of a coordinator, or LAPIDARY_CITUS to a folder with build.sh and cluster.sh; ${folder} is none.`,
    )
    return true
  }
  try {
    return await runAll(await startCluster())
  } finally {
    execFileSync(join(folder, 'cluster.sh'), ['stop'])
  }
}

process.exitCode = (await main()) ? 0 : 1
