import { basename, join } from 'node:path'
import type { Load } from './load.ts'
import type { Generator, Served } from './processes.ts'
import type { Workload } from './workloads.ts'

/** A server with what is asked of it. */
export interface Side {
  readonly served: Served
  readonly workload: Workload
  readonly persons: number
}

/** How long and how often. */
export interface Pace {
  readonly rounds: number
  /** How many times both servers are started anew; the rounds are shared out among them, rounded up. */
  readonly launches: number
  /** Of a round, and of the warm-up before them. */
  readonly milliseconds: number
  readonly warmUp: number
  /** A folder for CPU profiles of the rounds; those of the last launch stay. */
  readonly profiles: string | undefined
}

/** One round of one side. */
export interface Measured extends Load {
  /** Requests in a second. */
  readonly rate: number
  /** The server's CPU time for a request, in microseconds. */
  readonly cpu: number
  /** The server's memory after the round, in bytes. */
  readonly resident: number
}

/** What the rounds of two sides came to. */
export interface Duel {
  /** How many times as many requests in a second the left side answers. */
  readonly rate: Spread
  /** How many times as much CPU time the right side takes for a request. */
  readonly cpu: Spread
  readonly left: Measured
  readonly right: Measured
}

/** The median of per-round ratios, and between what half of them lie. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** No round has more requests than this. */
const most = 50_000

/** A round of each side, one after the other. */
export type Pair = readonly [left: Measured, right: Measured]

/** Who asks alone asks for too little in the time for V8 to compile what is measured. */
const warming = (connections: number) => (connections === 1 ? 32 : connections)

/**
 * Has two sides answer the same load in turns; only what lies side by side in time is compared.
 * @returns as many rounds as one launch has
 */
export async function duel(
  [left, right]: readonly [Side, Side],
  connections: number,
  pace: Pace,
  generator: Generator,
): Promise<Pair[]> {
  const run = (side: Side, milliseconds: number) =>
    measure(side, connections, milliseconds, generator)
  for (const side of [left, right])
    await measure(side, warming(connections), pace.warmUp, generator)
  if (pace.profiles) for (const { served } of [left, right]) await served.beginProfile()
  const pairs: Pair[] = []
  for (let round = 0; round < pace.rounds / pace.launches; round += 1) {
    // Who begins changes, so that a drift of the machine helps neither.
    if (round % 2 === 0) {
      const first = await run(left, pace.milliseconds)
      pairs.push([first, await run(right, pace.milliseconds)])
    } else {
      const first = await run(right, pace.milliseconds)
      pairs.push([await run(left, pace.milliseconds), first])
    }
  }
  if (pace.profiles)
    for (const side of [left, right]) await side.served.endProfile(profileOf(side, pace.profiles))
  return pairs
}

/** What rounds came to. */
export function summary(pairs: readonly Pair[]): Duel {
  return {
    rate: spread(pairs.map(([one, other]) => one.rate / other.rate)),
    cpu: spread(pairs.map(([one, other]) => other.cpu / one.cpu)),
    left: typical(pairs.map(([one]) => one)),
    right: typical(pairs.map(([, other]) => other)),
  }
}

function profileOf({ served, workload, persons }: Side, folder: string): string {
  return join(folder, `${workload.name}-${persons}-${basename(served.subject)}.cpuprofile`)
}

async function measure(
  { served, workload, persons }: Side,
  connections: number,
  milliseconds: number,
  generator: Generator,
): Promise<Measured> {
  const before = await served.usage()
  const load = await generator.run({
    port: served.port,
    workload: workload.name,
    persons,
    connections,
    milliseconds,
    isAwake: served.isAlone,
    most,
  })
  const after = await served.usage()
  return {
    ...load,
    rate: (load.requests / load.elapsed) * 1000,
    cpu: (after.cpu - before.cpu) / load.requests,
    resident: after.resident,
  }
}

function typical(rounds: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => spread(rounds.map((round) => round[name])).median
  return {
    requests: of('requests'),
    elapsed: of('elapsed'),
    bytes: of('bytes'),
    rate: of('rate'),
    cpu: of('cpu'),
    p50: of('p50'),
    p99: of('p99'),
    resident: of('resident'),
  }
}

/** The number in the middle. */
export function median(values: readonly number[]): number {
  return spread(values).median
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}
