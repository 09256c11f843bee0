import { it } from 'node:test'
import { databases } from '../databases.ts'
import { killDuringWrites } from './kills.ts'

/**
 * Kills of the server. `npm run test:long` kills more often, and workers and the supervisor too, as `workers.test.ts` does once.
 */
const kills = 1

for (const database of databases) {
  it(`given ${kills} kills during writes, no acknowledged write is lost and none is half done · ${database.name}`, async (test) => {
    await killDuringWrites(test, database, kills)
  })
}
