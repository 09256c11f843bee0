import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv } from 'node:process'
import { run } from 'node:test'
import { globalSetup, globalTeardown } from '../start-postgres.ts'
import { exceptions } from './exceptions.ts'
import { type LayoutName, layouts } from './layouts.ts'

// Runs suites on Citus in each layout: `npm run test:citus`. Names of layouts and paths of test files may follow. The cluster is that of
// `LAPIDARY_TEST_CITUS`, the URL of a database of a coordinator whose nodes can be reached by the same user and password; else
// that which the programs `build.sh` and `cluster.sh` of a folder build and start.

const root = join(import.meta.dirname, '../..')
const folder = resolve(root, process.env.LAPIDARY_CITUS ?? '../shared/citus')

/** The suites, in the order in which they run. */
const suites = ['service/**', 'conformance', 'property/**'].map(
  (folder) => `test/${folder}/*.test.ts`,
)

const isLayout = (argument: string): argument is LayoutName => Object.hasOwn(layouts, argument)
const named = argv.slice(2).filter(isLayout)
const files = argv.slice(2).filter((argument) => !isLayout(argument))

/** Runs the suites in the layout of this process, and prints what fails. @returns whether exactly the exceptions failed */
async function runLayout(layout: LayoutName): Promise<boolean> {
  console.log(layouts[layout].title)
  const expected = exceptions.filter(({ layouts: on }) => on.includes(layout))
  const failed = new Set<string>()
  const passed = new Set<string>()
  let isGood = true
  const paths =
    files.length > 0 ? files : suites.flatMap((suite) => globSync(suite, { cwd: root }).sort())
  for await (const { type, data } of run({ files: paths, cwd: root, isolation: 'none' })) {
    const isTest = (type === 'test:pass' || type === 'test:fail') && data.details.type !== 'suite'
    if (!isTest || data.skip !== undefined) continue
    if (type === 'test:pass') passed.add(data.name)
    else if (expected.some(({ test }) => test === data.name)) failed.add(data.name)
    else {
      isGood = false
      const { cause } = data.details.error
      console.log(`  ✖ ${data.name}\n    ${String(cause ?? data.details.error).slice(0, 400)}`)
    }
  }
  const stale = expected.filter(({ test }) => passed.has(test) && !failed.has(test))
  for (const { test } of stale) console.log(`  ✖ passes and is an exception: ${test}`)
  console.log(`  ${passed.size} passed, ${failed.size} exceptions`)
  return isGood && stale.length === 0 && passed.size > 0
}

/** Builds and starts a cluster. @returns its URL */
function startCluster(): string {
  execFileSync(join(folder, 'build.sh'), { stdio: 'inherit' })
  execFileSync(join(folder, 'cluster.sh'), ['stop'])
  return execFileSync(join(folder, 'cluster.sh'), ['start'], { encoding: 'utf8' }).trim()
}

/** Runs each layout in a process of its own. @returns whether all of them passed */
async function runAll(url: string): Promise<boolean> {
  Object.assign(process.env, { LAPIDARY_TEST_CITUS: url, LAPIDARY_TEST_POSTGRES: url })
  await globalSetup()
  const results = (named.length > 0 ? named : Object.keys(layouts)).map((layout) => {
    const env = { ...process.env, LAPIDARY_TEST_CITUS_LAYOUT: layout }
    const args = [...process.execArgv, import.meta.filename, ...files]
    return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status
  })
  await globalTeardown()
  return results.every((status) => status === 0)
}

/** Runs the tests of this process. @returns whether they passed */
async function main(): Promise<boolean> {
  const { LAPIDARY_TEST_CITUS: url, LAPIDARY_TEST_CITUS_LAYOUT: layout } = process.env
  if (layout !== undefined && isLayout(layout)) return runLayout(layout)
  if (url !== undefined) return runAll(url)
  if (!existsSync(join(folder, 'cluster.sh'))) {
    console.log(
      `Skipped: there is no Citus. Set LAPIDARY_TEST_CITUS to the URL of a coordinator, or LAPIDARY_CITUS to a folder with build.sh and cluster.sh; ${folder} is none.`,
    )
    return true
  }
  try {
    return await runAll(startCluster())
  } finally {
    execFileSync(join(folder, 'cluster.sh'), ['stop'])
  }
}

process.exitCode = (await main()) ? 0 : 1
