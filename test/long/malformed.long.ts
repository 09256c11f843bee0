import { it } from 'node:test'
import { databases } from '../databases.ts'
import { testMalformedRequests } from '../property/malformed/malformed.ts'
import { readCount } from '../read-count.ts'

/** Malformed requests, for all databases together; `mutated.long.ts` sends more. */
const requests = readCount('LAPIDARY_MALFORMED', 100_000, 5_000)

for (const database of databases) {
  const share = Math.ceil(requests / databases.length)
  it(`given ${share} malformed requests, the service answers, does not fail and does not grow · ${database.name}`, async (test) => {
    const { sent, rejected, memory } = await testMalformedRequests(test, database, share)
    test.diagnostic(`${rejected} of ${sent} rejected; ${memory.join(' MiB, then ')} MiB`)
  })
}
