import assert from 'node:assert/strict'
import type { Served } from './processes.ts'
import type { Workload } from './workloads.ts'

/** How many of a workload's requests are compared. */
const compared = 20

/**
 * Makes sure that two servers give the same answers, byte for byte, before either is timed.
 * @throws AssertionError with the request and both answers
 */
export async function checkSame(
  [left, right]: readonly [Served, Served],
  workload: Workload,
  persons: number,
): Promise<void> {
  for (let number = 0; number < (workload.scans ? 3 : compared); number += 1) {
    const { target } = workload.wish(number, persons)
    const expected = await answerTo(left, workload, number, persons)
    assert.match(expected, /^2/, `${workload.name}: ${target}`)
    assert.equal(await answerTo(right, workload, number, persons), expected, target)
  }
}

/** An answer as one text; the host is the only thing in which two servers may differ. */
async function answerTo(
  { port }: Served,
  workload: Workload,
  number: number,
  persons: number,
): Promise<string> {
  const type = 'application/vnd.api+json'
  const { method, target, body } = workload.wish(number, persons)
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, {
    method,
    headers: { accept: type, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  })
  const heads = ['content-type', 'vary', 'location'].map((name) => answer.headers.get(name))
  const text = `${answer.status} ${heads.join(' ')}\n${await answer.text()}`
  return text.replaceAll(`http://127.0.0.1:${port}`, 'http://host')
}
