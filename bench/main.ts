import { AssertionError } from 'node:assert'
import { join } from 'node:path'
import { type Comparison, planComparisons, type Scenario, type Target } from './comparisons.ts'
import type { Databases } from './databases/databases.ts'
import { openDatabases } from './databases/open.ts'
import { type Options, parseOptions } from './options.ts'
import {
  type LoadGenerator,
  type ServerProcess,
  startLoadGenerator,
  startServerProcess,
} from './processes.ts'
import {
  type ComparisonResult,
  formatComparisonHead,
  formatComparisonRow,
  formatStartupHead,
  formatStartupRow,
  formatStreamingHead,
  formatStreamingRow,
  type Result,
  saveResults,
} from './report.ts'
import { type RoundPair, runRounds, summarize } from './rounds.ts'
import { measureStartup, type StartupResult } from './startup.ts'
import { measureStreaming, type StreamingResult } from './streaming.ts'
import { verifyEqual } from './verify-equal.ts'

const options = readOptions(process.argv.slice(2))
if (options !== undefined) await run(options)

/** Parses the command line, and prints one line if it is invalid. */
function readOptions(parameters: readonly string[]): Options | undefined {
  try {
    return parseOptions(parameters)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
    return undefined
  }
}

async function run(options: Options): Promise<void> {
  const generator = startLoadGenerator()
  const results: Result[] = []
  if (options.against.some((name) => name !== 'streaming' && name !== 'startup'))
    console.log(formatComparisonHead())
  try {
    for (const engine of options.databases) {
      const databases = await openDatabases(engine)
      try {
        results.push(...(await runEngine(engine, { databases, generator, options })))
      } finally {
        await databases.close()
      }
    }
  } finally {
    await generator.stop()
  }
  if (options.saves) console.log(`Saved as ${await saveResults(results, options.timing)}`)
}

/** The context of every measurement. */
interface Context {
  readonly databases: Databases
  readonly generator: LoadGenerator
  readonly options: Options
}

async function runEngine(engine: string, context: Context): Promise<Result[]> {
  const { options } = context
  const results: Result[] = []
  for (const comparison of planComparisons(options))
    if (comparison.database === engine) results.push(...(await runComparison(comparison, context)))
  if (options.against.includes('streaming')) results.push(await runStreaming(engine, context))
  if (options.against.includes('startup')) results.push(...(await runStartup(engine, context)))
  return results
}

/** Measures every scenario of a comparison. Each launch starts new processes, because V8 optimizes each one differently. */
async function runComparison(
  comparison: Comparison,
  context: Context,
): Promise<ComparisonResult[]> {
  const { launches } = context.options.timing
  const rounds = new Map<Scenario, RoundPair[]>()
  for (let launch = 1; launch <= launches; launch += 1)
    await withServers(comparison, context.databases, async (servers) => {
      const scenarios =
        launch === 1 ? await selectEqualScenarios(comparison, servers) : [...rounds.keys()]
      for (const scenario of scenarios) {
        const pairs = await runScenario(comparison, scenario, servers, context)
        const allPairs = [...(rounds.get(scenario) ?? []), ...pairs]
        rounds.set(scenario, allPairs)
        if (launch === launches)
          console.log(formatComparisonRow(makeResult(comparison, scenario, allPairs)))
      }
    })
  return [...rounds].map(([scenario, pairs]) => makeResult(comparison, scenario, pairs))
}

type ServerPair = readonly [left: ServerProcess, right: ServerProcess]

/** Starts both servers of a comparison, and stops them afterwards. */
async function withServers(
  { left, right, scenarios }: Comparison,
  databases: Databases,
  measure: (servers: ServerPair) => Promise<void>,
): Promise<void> {
  const writes = scenarios.some((scenario) => scenario.left.writes)
  const servers: ServerProcess[] = []
  const start = async ({ server: name, persons }: Target, side: string): Promise<ServerProcess> => {
    const url = writes ? await databases.copy(persons, side) : await databases.open(persons)
    const server = await startServerProcess(name, url)
    servers.push(server)
    return server
  }
  try {
    await measure([await start(left, 'left'), await start(right, 'right')])
  } finally {
    for (const server of servers) await server.stop()
  }
}

/**
 * Selects the scenarios in which both servers send equal responses.
 * @throws AssertionError if a baseline or another version of the service responds differently; a peer may
 */
async function selectEqualScenarios(
  { scenarios, equality, left, against }: Comparison,
  servers: ServerPair,
): Promise<readonly Scenario[]> {
  if (equality === undefined) return scenarios
  const different = new Set<string>()
  for (const workload of new Set(scenarios.map((scenario) => scenario.left))) {
    const right = scenarios.find((scenario) => scenario.left === workload)?.right ?? workload
    const pair = { servers, workloads: [workload, right], persons: left.persons } as const
    try {
      await verifyEqual(pair, equality)
    } catch (error) {
      if (equality === 'bytes' || !(error instanceof AssertionError)) throw error
      different.add(workload.name)
      const message = error.message.slice(0, 200)
      console.log(`${against} responds differently to "${workload.description}": ${message}`)
    }
  }
  return scenarios.filter((scenario) => !different.has(scenario.left.name))
}

/** Runs the rounds of one scenario in one launch. */
function runScenario(
  { left, right }: Comparison,
  scenario: Scenario,
  [leftServer, rightServer]: ServerPair,
  { generator, options: { timing } }: Context,
): Promise<RoundPair[]> {
  const loaded = [
    { server: leftServer, workload: scenario.left, persons: left.persons },
    { server: rightServer, workload: scenario.right, persons: right.persons },
  ] as const
  const warmUp = timing.warmUp * (scenario.warmUpFactor ?? 1)
  return runRounds(loaded, scenario.connections, { ...timing, warmUp }, generator)
}

function makeResult(
  { against, database, left }: Comparison,
  scenario: Scenario,
  pairs: readonly RoundPair[],
): ComparisonResult {
  const { connections } = scenario
  const workload = scenario.left.name
  return { against, database, persons: left.persons, workload, connections, ...summarize(pairs) }
}

/** Streams the largest database. */
async function runStreaming(
  engine: string,
  { databases, generator, options }: Context,
): Promise<StreamingResult> {
  const { timing } = options
  const persons = Math.max(...options.persons)
  const server = await startServerProcess('service', await databases.open(persons))
  try {
    if (timing.profiles) await server.startProfile()
    const result = await measureStreaming(server, generator, { database: engine, persons, timing })
    if (timing.profiles)
      await server.stopProfile(join(timing.profiles, `streaming-${engine}-${persons}.cpuprofile`))
    console.log(formatStreamingHead())
    console.log(formatStreamingRow(result))
    return result
  } finally {
    await server.stop()
  }
}

/** Starts the service on a database of each size. */
async function runStartup(
  engine: string,
  { databases, options }: Context,
): Promise<StartupResult[]> {
  const { rounds } = options.timing
  const results: StartupResult[] = []
  console.log(formatStartupHead())
  for (const persons of options.persons) {
    const url = await databases.open(persons)
    const result = await measureStartup(url, { database: engine, persons, rounds })
    console.log(formatStartupRow(result))
    results.push(result)
  }
  return results
}
