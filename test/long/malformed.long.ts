import { it } from 'node:test'
import { databases } from '../databases.ts'
import { attackWithMalformed } from '../trouble/malformed.ts'

/** Malformed requests, for all databases together. */
const requests = Number(process.env.LAPIDARY_MALFORMED ?? 100_000)

for (const database of databases) {
  const share = Math.ceil(requests / databases.length)
  it(`given ${share} malformed requests, the service answers, does not fail and does not grow · ${database.name}`, async (test) => {
    const { sent, refused, memory } = await attackWithMalformed(test, database, share)
    test.diagnostic(`${refused} of ${sent} refused; ${memory.join(' MiB, then ')} MiB`)
  })
}
