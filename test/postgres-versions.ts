import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { install } from './installed-tools.ts'

// Runs the tests on other major versions of PostgreSQL than that of the root manifest: `npm run test:postgres -- 15 16`.
// Without a version it takes all of them; paths of test files among the arguments take the place of all files.

const { dependencies } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'postgres-versions/package.json'), 'utf8'),
) as { dependencies: Readonly<Record<string, string>> }
const known = Object.keys(dependencies).map((name) => name.replace('postgres-', ''))

const isVersion = (argument: string) => /^\d+$/.test(argument)
const named = argv.slice(2).filter(isVersion)
const files = argv.slice(2).filter((argument) => !isVersion(argument))
const unknown = named.filter((version) => !known.includes(version))
if (unknown.length > 0)
  throw new Error(`test/postgres-versions has ${known.join(', ')}, and not ${unknown.join(', ')}.`)

install('postgres-versions')
const script = files.length > 0 ? ['run', 'test:file', '--', ...files] : ['test']
const failed = (named.length > 0 ? named : known).filter((version) => {
  console.log(`PostgreSQL ${version}`)
  const env = { ...process.env, LAPIDARY_TEST_POSTGRES_VERSION: version }
  const shell = process.platform === 'win32'
  return spawnSync('npm', script, { stdio: 'inherit', env, shell }).status !== 0
})
if (failed.length > 0) {
  console.error(`Tests fail on PostgreSQL ${failed.join(', ')}.`)
  process.exitCode = 1
}
