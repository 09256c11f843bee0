import { runScenario } from './run-scenario.ts'
import { createTables } from './schema.ts'
import { openVariant, variants } from './variants.ts'

// Runs scenarios in a process whose engine may be a mutant: `run-scenarios.ts <variant> <seed>…`. At the first scenario that
// fails it writes the seed to standard output and the message to standard error, and ends with 2. With 1, that of Node, it ends where
// anything else fails.

const [name, ...seeds] = process.argv.slice(2)
const variant = variants.find((each) => each === name)
if (variant === undefined) throw new Error(`There is no variant ${name}.`)
const { columnTypes, create, size, close } = await openVariant(variant)
const pair = [await create(), await create()] as const
for (const { second } of pair) await second?.execute(createTables(columnTypes))
let seed: string | undefined
try {
  for (seed of seeds) await runScenario(Number(seed), pair, size)
} catch (error) {
  process.exitCode = 2
  process.stdout.write(`${seed}\n`)
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
} finally {
  for (const { remove } of pair) await remove()
  await close()
}
