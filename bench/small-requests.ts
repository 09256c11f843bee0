/** A small request of a client while others send expensive ones. */
type SmallRequest = (origin: string, index: number) => Promise<Response>

/** The header fields of a request with a document. */
export const documentHeaders = { 'Content-Type': 'application/vnd.api+json' }

/** Reads one of the first 1,000 persons. */
const readOne: SmallRequest = (origin, index) => fetch(`${origin}/persons/${1 + (index % 1000)}`)

/** What other clients send meanwhile: single resources, small lists, updates of persons 50,001 to 51,000. */
const smallRequests: readonly SmallRequest[] = [
  readOne,
  (origin, index) => fetch(`${origin}/persons?page[size]=10&page[number]=${1 + (index % 10)}`),
  (origin, index) => {
    const id = String(50_001 + (index % 1000))
    const data = { type: 'person', id, attributes: { name: `Name ${index}` } }
    return fetch(`${origin}/persons/${id}`, {
      method: 'PATCH',
      headers: documentHeaders,
      body: JSON.stringify({ data }),
    })
  },
]

/** Latencies of small requests, in milliseconds, and the number of those that were not successful. */
interface SmallCost {
  readonly latencies: readonly number[]
  readonly failures: number
}

/** Sends a small request every 5 ms after the response to the one before. @param isFinished - receives the number of responses */
async function repeatSmall(
  send: SmallRequest,
  origin: string,
  isFinished: (responses: number) => boolean,
): Promise<SmallCost> {
  const latencies: number[] = []
  let failures = 0
  while (!isFinished(latencies.length)) {
    const start = performance.now()
    const response = await send(origin, latencies.length)
    await response.arrayBuffer()
    latencies.push(performance.now() - start)
    if (!response.ok) failures += 1
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { latencies, failures }
}

/** The cost of an expensive request, and the latencies of small requests meanwhile. */
interface Cost {
  readonly status: number
  readonly seconds: number
  readonly bytes: number
  readonly latencies: readonly number[]
}

/** Sends one expensive request, while another client reads at least 100 single resources. */
export async function measureOne(origin: string, send: () => Promise<Response>): Promise<Cost> {
  let isFinished = false
  const small = repeatSmall(readOne, origin, (responses) => isFinished && responses >= 100)
  const start = performance.now()
  const response = await send()
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.length
  const seconds = (performance.now() - start) / 1000
  isFinished = true
  return { status: response.status, seconds, bytes, latencies: (await small).latencies }
}

/** How long many clients repeat an expensive request, in milliseconds. */
const crowdTime = 8000

/**
 * Repeats an expensive request by many clients, while others send small requests.
 *
 * @param send - receives the number of the client, from 0
 * @returns the 99th percentile of each of the small requests in milliseconds, with the number of those that failed
 */
export async function measureCrowd(
  origin: string,
  clients: number,
  send: (client: number) => Promise<Response>,
): Promise<readonly string[]> {
  const end = performance.now() + crowdTime
  const isFinished = () => performance.now() > end
  const crowd = Array.from({ length: clients }, async (_, client) => {
    while (!isFinished()) for await (const _chunk of (await send(client)).body ?? []);
  })
  const costs = await Promise.all(
    smallRequests.map((small) => repeatSmall(small, origin, isFinished)),
  )
  await Promise.all(crowd)
  return costs.map(
    ({ latencies, failures }) =>
      findP99(latencies).toFixed(0) + (failures > 0 ? `, ${failures} failed` : ''),
  )
}

/** Returns the 99th percentile. */
export function findP99(latencies: readonly number[]): number {
  const sorted = latencies.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0
}

/** The columns of a table of expensive requests by many clients. */
export const crowdColumns: readonly string[] = [
  'p99 of single resources, ms',
  'p99 of small lists, ms',
  'p99 of updates, ms',
]

/** Prints a row of a table in Markdown. */
export function printRow(cells: readonly string[]): void {
  console.log(`| ${cells.join(' | ')} |`)
}

/** Prints the names of the columns of a table in Markdown. */
export function printColumns(columns: readonly string[]): void {
  printRow(columns)
  console.log(`|${' --- |'.repeat(columns.length)}`)
}
