import { it } from 'node:test'
import { databases } from '../databases.ts'
import { killDuringWrites } from './kills.ts'

/** How many kills for each database; test/long/ has the long form. */
const kills = Number(process.env.LAPIDARY_KILLS ?? 5)

for (const database of databases) {
  it(`given ${kills} kills during writes, no acknowledged write is lost and none is half done · ${database.name}`, async (test) => {
    await killDuringWrites(test, database, kills)
  })
}
