import { basename, join } from 'node:path'
import type { LoadResult } from './load-generator.ts'
import type { LoadGenerator, ServerProcess } from './processes.ts'
import { computeMedian, computeSpread, type Spread } from './statistics.ts'
import type { Workload } from './workloads.ts'

/** A server and the workload that it gets. */
interface LoadedServer {
  readonly server: ServerProcess
  readonly workload: Workload
  readonly persons: number
}

/** The duration and the number of measurements. */
export interface Timing {
  readonly rounds: number
  /** How many times both servers are started. The rounds are divided among the launches, rounded up. */
  readonly launches: number
  /** The length of a round. */
  readonly milliseconds: number
  /** The length of the warm-up before the rounds of a launch, in milliseconds. */
  readonly warmUp: number
  /** A folder for CPU profiles of the rounds. The profiles of the last launch remain. */
  readonly profiles: string | undefined
}

/** The result of one round of one server. */
interface RoundResult extends LoadResult {
  /** Requests per second. */
  readonly rate: number
  /** CPU time of the server process per request, in microseconds. */
  readonly cpu: number
  /** Resident memory of the server process after the round, in bytes. */
  readonly resident: number
}

/** The results of two servers. */
export interface Summary {
  /** Requests per second of the left server divided by those of the right one. */
  readonly rate: Spread
  /** CPU time per request of the right server divided by that of the left one. */
  readonly cpu: Spread
  /** Medians of the rounds. */
  readonly left: RoundResult
  readonly right: RoundResult
}

/** One round of each server, measured one after the other. */
export type RoundPair = readonly [left: RoundResult, right: RoundResult]

/** The most requests of a round. */
const maxRequests = 50_000

/** One connection sends too few requests during the warm-up for V8 to compile the code. */
const countWarmUpConnections = (connections: number) => (connections === 1 ? 32 : connections)

/**
 * Measures two servers in alternating rounds of the same load, so that both see the same disturbances.
 * @returns the rounds of one launch
 */
export async function runRounds(
  [left, right]: readonly [LoadedServer, LoadedServer],
  connections: number,
  timing: Timing,
  generator: LoadGenerator,
): Promise<RoundPair[]> {
  const run = (loaded: LoadedServer) =>
    runRound(loaded, connections, timing.milliseconds, generator)
  for (const loaded of [left, right])
    await runRound(loaded, countWarmUpConnections(connections), timing.warmUp, generator)
  if (timing.profiles) for (const { server } of [left, right]) await server.startProfile()
  const pairs: RoundPair[] = []
  for (let round = 0; round < timing.rounds / timing.launches; round += 1) {
    // The first server of a round alternates, so that a drift of the machine favors neither.
    if (round % 2 === 0) {
      const leftResult = await run(left)
      pairs.push([leftResult, await run(right)])
    } else {
      const rightResult = await run(right)
      pairs.push([await run(left), rightResult])
    }
  }
  if (timing.profiles)
    for (const loaded of [left, right])
      await loaded.server.stopProfile(profilePath(loaded, timing.profiles))
  return pairs
}

/** Summarizes rounds of two servers. */
export function summarize(pairs: readonly RoundPair[]): Summary {
  return {
    rate: computeSpread(pairs.map(([left, right]) => left.rate / right.rate)),
    cpu: computeSpread(pairs.map(([left, right]) => right.cpu / left.cpu)),
    left: takeMedians(pairs.map(([left]) => left)),
    right: takeMedians(pairs.map(([, right]) => right)),
  }
}

function profilePath({ server, workload, persons }: LoadedServer, folder: string): string {
  return join(folder, `${workload.name}-${persons}-${basename(server.name)}.cpuprofile`)
}

async function runRound(
  { server, workload, persons }: LoadedServer,
  connections: number,
  milliseconds: number,
  generator: LoadGenerator,
): Promise<RoundResult> {
  const before = await server.readUsage()
  const load = await generator.run({
    port: server.port,
    workload: workload.name,
    persons,
    connections,
    milliseconds,
    busyPolling: server.isSingleProcess,
    maxRequests,
  })
  const after = await server.readUsage()
  return {
    ...load,
    rate: (load.requests / load.elapsed) * 1000,
    cpu: (after.cpu - before.cpu) / load.requests,
    resident: after.resident,
  }
}

function takeMedians(rounds: readonly RoundResult[]): RoundResult {
  const median = (name: keyof RoundResult) => computeMedian(rounds.map((round) => round[name]))
  return {
    requests: median('requests'),
    elapsed: median('elapsed'),
    bytes: median('bytes'),
    rate: median('rate'),
    cpu: median('cpu'),
    p50: median('p50'),
    p99: median('p99'),
    resident: median('resident'),
  }
}
