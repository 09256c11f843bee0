import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadGenerator, ServerProcess } from './processes.ts'
import type { Timing } from './rounds.ts'
import { computeMedian } from './statistics.ts'
import { openStreamReader } from './stream-reader.ts'

/** The effect of a streamed list on the server and its other clients. Times are in milliseconds, sizes in bytes. */
export interface StreamingResult {
  readonly database: string
  readonly persons: number
  /** The time to the first byte, the median of rounds. */
  readonly firstByte: number
  /** The time to the first byte of the first stream, for which all code has to be compiled. */
  readonly coldFirstByte: number
  /** The duration of a stream that is read to its end. */
  readonly elapsed: number
  /** The size of that stream. */
  readonly bytes: number
  /** The growth of resident memory during that stream. */
  readonly memoryGrowth: number
  /** The longest block of the event loop, by the wall clock. */
  readonly loopBlocked: StreamEffect
  /** The longest block of the event loop, by the CPU time of its thread. */
  readonly loopBlockedCpu: StreamEffect
  /** The p99 of single resources, medians of rounds. */
  readonly p99: StreamEffect
  /** While the reader has paused: CPU time in microseconds per second, and the growth of resident memory. */
  readonly paused: Readonly<{ cpu: number; memoryGrowth: number }>
  /** The number of file descriptors that remain open after many readers have disconnected. */
  readonly leakedDescriptors: number | undefined
}

/** A value measured during a stream and without one. */
interface StreamEffect {
  readonly with: number
  readonly without: number
}

/** All persons with all computers. */
const streamTarget = '/persons?page[size]=0&include=computers'
/** The number of connections that read single resources. */
const connections = 4
/** The number of readers that disconnect. */
const disconnectingReaders = 25
/** The time that a server gets to reach a steady state, in milliseconds. */
const settlingTime = 1000

/** Measures the stream of a complete table, and its effect on the server and on other clients. */
export async function measureStreaming(
  server: ServerProcess,
  generator: LoadGenerator,
  { database, persons, timing }: Readonly<{ database: string; persons: number; timing: Timing }>,
): Promise<StreamingResult> {
  const measureP99 = async (milliseconds: number): Promise<number> => {
    const load = { workload: 'one', persons, connections, milliseconds, maxRequests: 50_000 }
    // The stream reader needs the other processor, so the generator must not poll.
    return (await generator.run({ port: server.port, ...load, busyPolling: false })).p99
  }
  await measureP99(timing.warmUp)
  const fullStream = await measureFullStream(server, persons)
  const p99s: (readonly [withStream: number, without: number])[] = []
  const firstBytes: number[] = []
  for (let round = 0; round < timing.rounds; round += 1) {
    const reader = await openStreamReader(server.port, streamTarget)
    firstBytes.push(reader.firstByte)
    const withStream = await measureP99(timing.milliseconds)
    reader.disconnect()
    p99s.push([withStream, await measureP99(timing.milliseconds)])
  }
  return {
    database,
    persons,
    firstByte: computeMedian(firstBytes),
    ...fullStream,
    p99: {
      with: computeMedian(p99s.map(([withStream]) => withStream)),
      without: computeMedian(p99s.map(([, without]) => without)),
    },
    paused: await measurePausedReader(server),
    leakedDescriptors: await countLeakedDescriptors(server),
  }
}

/** Reads a stream to its end. */
async function measureFullStream(server: ServerProcess, persons: number) {
  await server.startMonitor()
  await sleep(settlingTime)
  const before = await server.stopMonitor()
  await server.startMonitor()
  const { firstByte, completed } = await openStreamReader(server.port, streamTarget)
  const { elapsed, bytes, tail } = await completed
  const during = await server.stopMonitor()
  if (!tail.includes(`"count":${persons}`)) throw new Error(`The stream ends with ${tail}.`)
  return {
    coldFirstByte: firstByte,
    elapsed,
    bytes,
    memoryGrowth: during.resident - before.resident,
    loopBlocked: { with: during.loopBlocked, without: before.loopBlocked },
    loopBlockedCpu: { with: during.loopBlockedCpu, without: before.loopBlockedCpu },
  }
}

/** Pauses a reader in the middle of a stream, and measures whether the server continues to work. */
async function measurePausedReader(server: ServerProcess): Promise<StreamingResult['paused']> {
  const reader = await openStreamReader(server.port, streamTarget)
  reader.pause()
  await sleep(settlingTime)
  const before = await server.readUsage()
  await sleep(settlingTime)
  const after = await server.readUsage()
  reader.disconnect()
  return {
    cpu: ((after.cpu - before.cpu) / settlingTime) * 1000,
    memoryGrowth: after.resident - before.resident,
  }
}

/** Disconnects readers in the middle of streams. @returns how many more file descriptors are open afterwards */
async function countLeakedDescriptors(server: ServerProcess): Promise<number | undefined> {
  const disconnectReaders = async (): Promise<number | undefined> => {
    for (let count = 0; count < disconnectingReaders; count += 1) {
      const reader = await openStreamReader(server.port, streamTarget)
      reader.disconnect()
    }
    await sleep(settlingTime)
    return server.countDescriptors()
  }
  // The server may pool the connections that the first group opens.
  const before = await disconnectReaders()
  const after = await disconnectReaders()
  return before === undefined || after === undefined ? undefined : after - before
}
