import { setTimeout as pause } from 'node:timers/promises'
import { median, type Pace } from './measure.ts'
import type { Generator, Served } from './processes.ts'
import { startReading } from './reader.ts'

/** What a list that is streamed costs the service and those who ask it for something else. */
export interface Long {
  readonly database: string
  readonly persons: number
  /** Until the first byte comes, in milliseconds: the median of rounds, and the first time, when nothing is compiled yet. */
  readonly firstByte: number
  readonly firstEver: number
  /** Of an answer that is read to its end: in milliseconds, and in bytes. */
  readonly elapsed: number
  readonly bytes: number
  /** By how much memory grew meanwhile, in bytes. */
  readonly grown: number
  /** The longest time that the event loop was held, in milliseconds: meanwhile, and with nothing to do. */
  readonly held: Pair
  /** The same, without what the machine gave to other processes. */
  readonly heldByWork: Pair
  /** The p99 of small answers, in milliseconds, medians of rounds. */
  readonly p99: Pair
  /** While its reader has stopped: CPU in microseconds for each second, and by how much memory grew, in bytes. */
  readonly stopped: Readonly<{ cpu: number; grown: number }>
  /** After many readers have gone away in the middle: how many files and connections remain open. */
  readonly left: number | undefined
}

/** Beside a stream, and without one. */
interface Pair {
  readonly with: number
  readonly without: number
}

/** All persons with all computers. */
const everything = '/persons?page[size]=0&include=computers'
/** How many ask for small things. */
const connections = 4
/** How many readers go away. */
const leavers = 25
/** How long a server has to notice something, in milliseconds. */
const notice = 1000

/** Reads everything, and looks at what it does to the server and to others. */
export async function measureLong(
  served: Served,
  generator: Generator,
  { database, persons, pace }: Readonly<{ database: string; persons: number; pace: Pace }>,
): Promise<Long> {
  const small = async (milliseconds: number): Promise<number> => {
    const { port } = served
    const wishes = { workload: 'one', persons, connections, milliseconds, most: 50_000 }
    // Who reads everything needs the processor that is left.
    return (await generator.run({ port, ...wishes, isAwake: false })).p99
  }
  await small(pace.warmUp)
  const whole = await readWhole(served, persons)
  const pairs: (readonly [beside: number, alone: number])[] = []
  const firstBytes: number[] = []
  for (let round = 0; round < pace.rounds; round += 1) {
    const reader = await startReading(served.port, everything)
    firstBytes.push(reader.firstByte)
    const beside = await small(pace.milliseconds)
    reader.leave()
    pairs.push([beside, await small(pace.milliseconds)])
  }
  return {
    database,
    persons,
    firstByte: median(firstBytes),
    ...whole,
    p99: {
      with: median(pairs.map(([beside]) => beside)),
      without: median(pairs.map(([, alone]) => alone)),
    },
    stopped: await stop(served),
    left: await leave(served),
  }
}

/** Reads all of a stream. */
async function readWhole(served: Served, persons: number) {
  await served.watch()
  await pause(notice)
  const before = await served.watched()
  await served.watch()
  const { firstByte, all } = await startReading(served.port, everything)
  const { elapsed, bytes, end } = await all
  const during = await served.watched()
  if (!end.includes(`"count":${persons}`)) throw new Error(`The stream ends with ${end}.`)
  return {
    firstEver: firstByte,
    elapsed,
    bytes,
    grown: during.resident - before.resident,
    held: { with: during.held, without: before.held },
    heldByWork: { with: during.heldByWork, without: before.heldByWork },
  }
}

/** Has a reader stop in the middle, and looks at whether the server goes on. */
async function stop(served: Served): Promise<Long['stopped']> {
  const reader = await startReading(served.port, everything)
  reader.pause()
  await pause(notice)
  const before = await served.usage()
  await pause(notice)
  const after = await served.usage()
  reader.leave()
  return {
    cpu: ((after.cpu - before.cpu) / notice) * 1000,
    grown: after.resident - before.resident,
  }
}

/** Has readers go away in the middle. @returns how many files and connections more are open than before */
async function leave(served: Served): Promise<number | undefined> {
  const open: (number | undefined)[] = []
  // What the first ones open may be kept for those who follow.
  for (const _ of ['first', 'second']) {
    for (let each = 0; each < leavers; each += 1) {
      const reader = await startReading(served.port, everything)
      reader.leave()
    }
    await pause(notice)
    open.push((await served.watched()).open)
  }
  const [before, after] = open
  return before === undefined || after === undefined ? undefined : after - before
}
