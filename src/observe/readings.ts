import { type ChannelListener, channel } from 'node:diagnostics_channel'

/** What a part of a process counts by itself, and says when it is asked. */
export type ReadingName =
  | 'connections'
  | 'connections max'
  | 'connection timeouts'
  | 'pending connections'
  | 'queue depth'
  | 'statement cache entries'
  | 'statement cache bytes'
  | 'statement cache hits'
  | 'statement cache misses'
  | 'count cache hits'
  | 'count cache misses'
  | 'reader processes'

/** One number, with what it is about. */
export interface Reading {
  readonly name: ReadingName
  readonly value: number
  /** Names of the engine only: a state, a queue, a database. */
  readonly labels?: Readonly<Record<string, string>>
}

/** Something that counts, such as a cache or a pool. It says nothing once it is closed. */
interface Readable {
  readings(): readonly Reading[]
}

/** Takes the readings of one that counts. */
type Collect = (readings: readonly Reading[]) => void

/** Asks everything that counts. The types of Node.js describe messages as unknown; only this module publishes here. */
const asked = channel('lapidary:readings')

/** Forgets those that have ended, however often stores are opened. */
const ended = new FinalizationRegistry<ChannelListener>((answer) => asked.unsubscribe(answer))

/** Makes what counts known to those that ask. It need not be removed: it ends with its store. */
export function addReadable(readable: Readable): void {
  const source = new WeakRef(readable)
  const answer: ChannelListener = (collect) => {
    const readings = source.deref()?.readings()
    if (readings) (collect as Collect)(readings)
  }
  asked.subscribe(answer)
  ended.register(readable, answer)
}

/** Asks everything in this process what it counts now. */
export function collectReadings(): readonly Reading[] {
  const all: Reading[] = []
  const collect: Collect = (readings) => void all.push(...readings)
  asked.publish(collect)
  return all
}
