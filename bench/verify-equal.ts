import assert from 'node:assert/strict'
import type { ServerProcess } from './processes.ts'
import type { Workload, WorkloadRequest } from './workloads.ts'

/** The number of verified requests of a workload: fewer if each visits every row. */
const verifiedRequests = { usual: 20, scans: 3 } as const

/** Two servers and the workload of each. */
interface ServerPair {
  readonly servers: readonly [ServerProcess, ServerProcess]
  readonly workloads: readonly [Workload, Workload]
  readonly persons: number
}

/**
 * Verifies that two servers send equal responses before either is timed.
 * @param equality - `bytes`: equal bytes except the host; `ids`: the same resources in the same order
 * @throws AssertionError with the request and both responses
 */
export async function verifyEqual(
  { servers: [leftServer, rightServer], workloads: [left, right], persons }: ServerPair,
  equality: 'bytes' | 'ids',
): Promise<void> {
  const read = equality === 'bytes' ? (response: string) => response : readIds
  const count = left.scans ? verifiedRequests.scans : verifiedRequests.usual
  for (let number = 0; number < count; number += 1) {
    const leftRequest = left.request(number, persons)
    const expected = await send(leftServer, leftRequest)
    assert.match(expected, /^2/, `${left.name}: ${leftRequest.target} ${expected}`)
    const rightRequest = right.request(number, persons)
    const actual = await send(rightServer, rightRequest)
    assert.match(actual, /^2/, `${right.name}: ${rightRequest.target} ${actual}`)
    // Databases with a different history of writes assign different ids.
    if (equality === 'bytes' || !left.writes)
      assert.deepEqual(read(actual), read(expected), `${right.name}: ${rightRequest.target}`)
  }
}

/** Reads the ids of the primary data. */
function readIds(response: string): string[] {
  const { data } = JSON.parse(response.slice(response.indexOf('\n') + 1))
  return [data].flat().map(({ id }: Readonly<{ id: unknown }>) => String(id))
}

/** Sends a request. @returns the response as one text, without the port, which differs between servers */
async function send(
  { port }: ServerProcess,
  { method, target, body, headers }: WorkloadRequest,
): Promise<string> {
  const type = 'application/vnd.api+json'
  const response = await fetch(`http://127.0.0.1:${port}${target}`, {
    method,
    headers: { accept: type, ...(body !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body }),
  })
  const fields = ['content-type', 'vary', 'location'].map((name) => response.headers.get(name))
  const text = `${response.status} ${fields.join(' ')}\n${await response.text()}`
  return text.replaceAll(`http://127.0.0.1:${port}`, 'http://host')
}
