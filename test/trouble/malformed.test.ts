import { it } from 'node:test'
import { databases } from '../databases.ts'
import { attackWithMalformed } from './malformed.ts'

/** How many malformed requests; test/long/ has the long form. */
const requests = Number(process.env.LAPIDARY_MALFORMED ?? 5000)

for (const database of databases.filter(({ name }) => name === 'SQLite')) {
  it(`given ${requests} malformed requests, the service answers, does not fail and does not grow · ${database.name}`, async (test) => {
    await attackWithMalformed(test, database, requests)
  })
}
