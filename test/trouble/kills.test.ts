import { it } from 'node:test'
import { databases } from '../databases.ts'
import { killDuringWrites } from './kills.ts'

/** Kills: of the server, of a worker, of the supervisor. On PostgreSQL only of the server. `npm run test:long` kills more often. */
const kills = { sqlite: 3, postgres: 1 }

for (const database of databases) {
  it(`given ${kills[database.dialect]} kills during writes, no acknowledged write is lost and none is half done · ${database.name}`, async (test) => {
    await killDuringWrites(test, database, kills[database.dialect])
  })
}
