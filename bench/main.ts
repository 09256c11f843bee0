import { AssertionError } from 'node:assert'
import { join } from 'node:path'
import { type Arena, arenasOf, type Bout, type Contestant } from './arenas.ts'
import { type Databases, openDatabases } from './databases.ts'
import { type Long, measureLong } from './long.ts'
import { duel } from './measure.ts'
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

const options = readOptions(process.argv.slice(2))
if (options !== undefined) await run(options)

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

/** Starts both servers of an arena, makes sure that they answer alike, and compares them in everything. */
async function fight(arena: Arena, databases: Databases, tools: Tools): Promise<Result[]> {
  const isWritten = arena.bouts.some(({ left }) => left.writes)
  const servers: Served[] = []
  const started = async ({ subject, persons }: Contestant, side: string): Promise<Served> => {
    const url = isWritten ? await databases.copy(persons, side) : await databases.with(persons)
    const server = await serve(subject, url)
    servers.push(server)
    return server
  }
  try {
    const left = await started(arena.left, 'left')
    const right = await started(arena.right, 'right')
    const fair = await checked(arena, [left, right])
    return await compare({ ...arena, bouts: fair }, [left, right], tools)
  } finally {
    for (const server of servers) await server.end()
  }
}

/** @returns the bouts in which both sides answer alike; a peer may fail in some, the floor may not */
async function checked(
  { bouts, alike, left, against }: Arena,
  servers: readonly [Served, Served],
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

async function compare(
  { against, database, left, right, bouts }: Arena,
  [ours, theirs]: readonly [Served, Served],
  { generator, options }: Tools,
): Promise<Result[]> {
  const results: Result[] = []
  for (const bout of bouts) {
    const sides = [
      { served: ours, workload: bout.left, persons: left.persons },
      { served: theirs, workload: bout.right, persons: right.persons },
    ] as const
    const { connections, warmUps = 1 } = bout
    const { pace } = options
    const warm = { ...pace, warmUp: pace.warmUp * warmUps }
    const came = await duel(sides, connections, warm, generator)
    const about = {
      against,
      database,
      persons: left.persons,
      workload: bout.left.name,
      connections,
    }
    results.push({ ...about, ...came })
    console.log(tableRow({ ...about, ...came }))
  }
  return results
}
