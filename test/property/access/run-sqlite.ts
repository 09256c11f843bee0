import { databases } from '../../databases.ts'
import { runScenario } from './run-scenario.ts'
import { createTables } from './schema.ts'

// Runs scenarios on SQLite, in a process whose engine may have a planted hole: `run-sqlite.ts <seed> <scenarios>`. At the first
// scenario that fails it writes the seed to standard output and the message to standard error, and ends with 1.

const [firstSeed = 0, scenarios = 0] = process.argv.slice(2).map(Number)
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite')
if (sqlite === undefined) throw new Error('SQLite is not among the databases.')
const pair = [await sqlite.create(), await sqlite.create()] as const
for (const { second } of pair) await second?.execute(createTables(sqlite.columnTypes))
let seed = firstSeed
try {
  for (; seed < firstSeed + scenarios; seed += 1)
    await runScenario(seed, pair, { reads: 80, writes: 40 })
} catch (error) {
  process.exitCode = 1
  process.stdout.write(`${seed}\n`)
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
} finally {
  for (const { remove } of pair) await remove()
}
