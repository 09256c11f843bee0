import assert from 'node:assert/strict'

// Histories of concurrent writers. Each operation is data; a program runs it, over HTTP or in process. Every writer that succeeds leaves
// a mark that nobody else writes: so what the database has at the end shows which writes were applied, and which were lost.

/** An operation of a writer on a shared resource. */
export interface Operation {
  readonly is: 'update' | 'delete' | 'replace' | 'add' | 'call' | 'batch'
  /** Whether it has the version that the writer has read as its condition. */
  readonly isConditional: boolean
  /** What it writes: unique in its history. */
  readonly mark: string
}

/** What a writer has read: the state, and its version. */
interface Seen {
  readonly value: string
  readonly version: string
}

/** The result of an operation: `unknown` if the connection ended before the response. */
export type Outcome = 'applied' | 'conflict' | 'missing' | 'unknown'

/** Runs the operations of a history. */
export interface HistoryTarget {
  /** Reads the value that operations of a kind change; `undefined` if the resource does not exist. */
  read(kind: Operation['is']): Promise<Seen | undefined>
  execute(operation: Operation, seen: Seen): Promise<Outcome>
}

/** An operation that ended: what its writer had seen, and what it wrote. */
interface Event {
  readonly operation: Operation
  readonly seen: Seen
  readonly outcome: Outcome
}

/**
 * Runs writers at the same time, each of which reads and then writes several times.
 * @param choose - returns the next operation of a writer
 */
export async function recordHistory(
  target: HistoryTarget,
  { writers, steps }: Readonly<{ writers: number; steps: number }>,
  choose: (writer: number, step: number) => Operation,
): Promise<readonly Event[]> {
  const events: Event[] = []
  const write = async (writer: number) => {
    for (let step = 0; step < steps; step += 1) {
      const operation = choose(writer, step)
      const seen = await target.read(operation.is)
      if (seen === undefined) return
      events.push({ operation, seen, outcome: await target.execute(operation, seen) })
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  return events
}

/**
 * Finds lost updates: two conditional writes that were applied to the same version. Of the writes that depend on one state, at most one
 * can be the next; and the last state must be what an applied write, or one without a response, has written.
 * @returns a line for each
 */
export function findLostUpdates(
  events: readonly Event[],
  last: Seen | undefined,
  initial: string,
): readonly string[] {
  const applied = events.filter(({ outcome }) => outcome === 'applied')
  const conditional = applied.filter(({ operation }) => operation.isConditional)
  const byVersion = Map.groupBy(conditional, ({ seen }) => seen.version)
  const lost = [...byVersion.values()].flatMap((group) =>
    group.length < 2
      ? []
      : [
          `${group.map(({ operation }) => operation.mark).join(' and ')} depend on the same version`,
        ],
  )
  if (last === undefined) return lost
  const possible = events
    .filter(({ outcome }) => outcome === 'applied' || outcome === 'unknown')
    .map(({ operation }) => operation.mark)
  const isKnown = last.value === initial || possible.some((mark) => last.value.includes(mark))
  return isKnown ? lost : [...lost, `nobody has written ${last.value}`]
}

/** Asserts that a history has no lost update. */
export function assertNoLostUpdate(...history: Parameters<typeof findLostUpdates>): void {
  assert.deepEqual(findLostUpdates(...history), [])
}

/** The response to a write with a key, or to one of its repetitions. */
export interface Repetition {
  readonly key: string
  /** What the write leaves in the database, unless it deletes. */
  readonly mark: string
  readonly status: number
  /** The bytes of the document and the header fields that a repetition must have again. */
  readonly response: string
}

/**
 * Finds writes that were executed more than once, or whose repetitions got another response.
 * @param counts - how often the database has each mark
 * @returns a line for each
 */
export function findRepeatedWrites(
  repetitions: readonly Repetition[],
  counts: ReadonlyMap<string, number>,
): readonly string[] {
  const byKey = Map.groupBy(repetitions, ({ key }) => key)
  return [...byKey].flatMap(([key, all]) => {
    const ended = all.filter(({ status }) => status !== 409 && status < 500)
    const different = new Set(ended.map(({ status, response }) => `${status} ${response}`))
    const mark = all[0]?.mark ?? ''
    const count = counts.get(mark) ?? 0
    const expected = mark !== '' && ended.some(({ status }) => status < 300) ? 1 : 0
    return [
      ...(different.size > 1 ? [`${key} got ${different.size} different responses`] : []),
      ...(mark !== '' && count !== expected ? [`${mark} was written ${count} times`] : []),
    ]
  })
}
