import assert from 'node:assert/strict'
import type { Served } from './processes.ts'
import type { Wish, Workload } from './workloads.ts'

/** How many of a workload's requests are compared. */
const compared = 20

/** Two servers and what they are asked for. */
export interface Comparison {
  readonly servers: readonly [Served, Served]
  readonly workloads: readonly [Workload, Workload]
  readonly persons: number
}

/**
 * Makes sure that two servers answer alike before either is timed.
 * @param alike - `bytes`: byte for byte, the host aside; `ids`: they tell of the same resources in the same order
 * @throws AssertionError with the request and both answers
 */
export async function checkSame(
  { servers: [left, right], workloads, persons }: Comparison,
  alike: 'bytes' | 'ids',
): Promise<void> {
  const [ours, theirs] = workloads
  const read = alike === 'bytes' ? textOf : idsOf
  for (let number = 0; number < (ours.scans ? 3 : compared); number += 1) {
    const wish = ours.wish(number, persons)
    const expected = await answerTo(left, wish)
    assert.match(expected, /^2/, `${ours.name}: ${wish.target} ${expected}`)
    const other = theirs.wish(number, persons)
    const actual = await answerTo(right, other)
    assert.match(actual, /^2/, `${theirs.name}: ${other.target} ${actual}`)
    // Databases that were written to in another way give other ids.
    if (alike === 'bytes' || !ours.writes)
      assert.deepEqual(read(actual), read(expected), `${theirs.name}: ${other.target}`)
  }
}

function textOf(answer: string): string {
  return answer
}

/** The ids of the primary data. */
function idsOf(answer: string): string[] {
  const { data } = JSON.parse(answer.slice(answer.indexOf('\n') + 1))
  return [data].flat().map(({ id }: Readonly<{ id: unknown }>) => String(id))
}

/** An answer as one text; the host is the only thing in which two servers may differ. */
async function answerTo({ port }: Served, { method, target, body }: Wish): Promise<string> {
  const type = 'application/vnd.api+json'
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, {
    method,
    headers: { accept: type, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  })
  const heads = ['content-type', 'vary', 'location'].map((name) => answer.headers.get(name))
  const text = `${answer.status} ${heads.join(' ')}\n${await answer.text()}`
  return text.replaceAll(`http://127.0.0.1:${port}`, 'http://host')
}
