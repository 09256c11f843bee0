import { it } from 'node:test'
import { crashDuringWrites } from './crashes.ts'

/** `npm run test:long` crashes it more often. */
const crashes = 1

it(`given ${crashes} crashes of PostgreSQL, no acknowledged write is lost and none is applied twice`, async (test) => {
  await crashDuringWrites(test, crashes)
})
