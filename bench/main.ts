import { AssertionError } from 'node:assert'
import { join } from 'node:path'
import { type Arena, arenasOf, type Bout, type Contestant } from './arenas.ts'
import { type Databases, openDatabases } from './databases.ts'
import { type Long, measureLong } from './long.ts'
import { duel, type Pair, summary } from './measure.ts'
import { type Options, readOptions } from './options.ts'
import { type Generator, type Served, serve, startGenerator } from './processes.ts'
import {
  type AnyResult,
  longHead,
  longRow,
  type Result,
  save,
  startHead,
  startRow,
  tableHead,
  tableRow,
} from './report.ts'
import { checkSame } from './same.ts'
import { measureStarts, type Start } from './start.ts'

const options = understood(process.argv.slice(2))
if (options !== undefined) await run(options)

/** The command line as options; what is wrong with it is told in one line. */
function understood(words: readonly string[]): Options | undefined {
  try {
    return readOptions(words)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
    return undefined
  }
}

async function run(options: Options): Promise<void> {
  const generator = startGenerator()
  const results: AnyResult[] = []
  if (options.against.some((name) => name !== 'long' && name !== 'start')) console.log(tableHead())
  try {
    for (const name of options.databases) {
      const databases = await openDatabases(name)
      try {
        const arenas = arenasOf(options).filter(({ database }) => database === name)
        for (const arena of arenas)
          results.push(...(await fight(arena, databases, { generator, options })))
        if (options.against.includes('long'))
          results.push(await stream(name, databases, { generator, options }))
        if (options.against.includes('start'))
          results.push(...(await startEach(name, databases, options)))
      } finally {
        await databases.end()
      }
    }
  } finally {
    await generator.end()
  }
  if (options.saves) console.log(`Saved as ${await save(results, options.pace)}`)
}

/** What a comparison is made with. */
interface Tools {
  readonly generator: Generator
  readonly options: Options
}

/** Compares two servers in everything, some times over with new processes: each compiles its own code in its own way. */
async function fight(arena: Arena, databases: Databases, tools: Tools): Promise<Result[]> {
  const { launches } = tools.options.pace
  const rounds = new Map<Bout, Pair[]>()
  for (let launch = 1; launch <= launches; launch += 1)
    await launched(arena, databases, async (servers) => {
      const bouts = launch === 1 ? await checked(arena, servers) : [...rounds.keys()]
      for (const bout of bouts) {
        const pairs = [...(rounds.get(bout) ?? []), ...(await compare(arena, bout, servers, tools))]
        rounds.set(bout, pairs)
        if (launch === launches) console.log(tableRow(resultOf(arena, bout, pairs)))
      }
    })
  return [...rounds].map(([bout, pairs]) => resultOf(arena, bout, pairs))
}

type Both = readonly [ours: Served, theirs: Served]

/** Starts both servers of an arena and ends them after the work. */
async function launched(
  { left, right, bouts }: Arena,
  databases: Databases,
  work: (servers: Both) => Promise<void>,
): Promise<void> {
  const isWritten = bouts.some((bout) => bout.left.writes)
  const servers: Served[] = []
  const started = async ({ subject, persons }: Contestant, side: string): Promise<Served> => {
    const url = isWritten ? await databases.copy(persons, side) : await databases.with(persons)
    const server = await serve(subject, url)
    servers.push(server)
    return server
  }
  try {
    await work([await started(left, 'left'), await started(right, 'right')])
  } finally {
    for (const server of servers) await server.end()
  }
}

/** @returns the bouts in which both sides answer alike; a peer may fail in some, the floor may not */
async function checked(
  { bouts, alike, left, against }: Arena,
  servers: Both,
): Promise<readonly Bout[]> {
  if (alike === undefined) return bouts
  const unfair = new Set<string>()
  for (const workload of new Set(bouts.map((bout) => bout.left))) {
    const theirs = bouts.find((bout) => bout.left === workload)?.right ?? workload
    const comparison = { servers, workloads: [workload, theirs], persons: left.persons } as const
    try {
      await checkSame(comparison, alike)
    } catch (error) {
      if (alike === 'bytes' || !(error instanceof AssertionError)) throw error
      unfair.add(workload.name)
      console.log(`${against} answers "${workload.says}" otherwise: ${error.message.slice(0, 200)}`)
    }
  }
  return bouts.filter((bout) => !unfair.has(bout.left.name))
}

/** Streams all of the largest database. */
async function stream(database: string, databases: Databases, tools: Tools): Promise<Long> {
  const { generator, options } = tools
  const { pace } = options
  const persons = Math.max(...options.persons)
  const served = await serve('service', await databases.with(persons))
  try {
    if (pace.profiles) await served.beginProfile()
    const came = await measureLong(served, generator, { database, persons, pace })
    if (pace.profiles)
      await served.endProfile(join(pace.profiles, `long-${database}-${persons}.cpuprofile`))
    console.log(longHead())
    console.log(longRow(came))
    return came
  } finally {
    await served.end()
  }
}

/** Starts the service on databases of each size. */
async function startEach(
  database: string,
  databases: Databases,
  { persons: sizes, pace: { rounds } }: Options,
): Promise<Start[]> {
  const results: Start[] = []
  console.log(startHead())
  for (const persons of sizes) {
    const url = await databases.with(persons)
    const came = await measureStarts(url, { database, persons, rounds })
    console.log(startRow(came))
    results.push(came)
  }
  return results
}

/** One bout of one launch. */
function compare(
  { left, right }: Arena,
  bout: Bout,
  [ours, theirs]: Both,
  { generator, options: { pace } }: Tools,
): Promise<Pair[]> {
  const sides = [
    { served: ours, workload: bout.left, persons: left.persons },
    { served: theirs, workload: bout.right, persons: right.persons },
  ] as const
  const warm = { ...pace, warmUp: pace.warmUp * (bout.warmUps ?? 1) }
  return duel(sides, bout.connections, warm, generator)
}

function resultOf({ against, database, left }: Arena, bout: Bout, pairs: readonly Pair[]): Result {
  const { connections } = bout
  const workload = bout.left.name
  return { against, database, persons: left.persons, workload, connections, ...summary(pairs) }
}
