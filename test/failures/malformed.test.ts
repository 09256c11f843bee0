import { it } from 'node:test'
import { databases } from '../databases.ts'
import { longOnOthers } from '../long-tests.ts'
import { testMalformedRequests } from '../property/malformed/malformed.ts'

/** Malformed requests for each database. `npm run test:long` sends more. */
const requests = 200

for (const database of databases) {
  const options = longOnOthers(database.dialect)
  it(
    `given ${requests} malformed requests, the service answers each and does not fail or grow · ${database.name}`,
    options,
    async (test) => {
      await testMalformedRequests(test, database, requests)
    },
  )
}
