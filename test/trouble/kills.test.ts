import { it } from 'node:test'
import { databases } from '../databases.ts'
import { killDuringWrites } from './kills.ts'

/** Kills for each database: of the server, of a worker, of the supervisor. `npm run test:long` kills more often. */
const kills = 3

for (const database of databases) {
  it(`given ${kills} kills during writes, no acknowledged write is lost and none is half done · ${database.name}`, async (test) => {
    await killDuringWrites(test, database, kills)
  })
}
