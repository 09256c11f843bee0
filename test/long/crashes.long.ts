import { it } from 'node:test'
import { crashDuringWrites } from '../failures/crashes.ts'

const crashes = Number(process.env.LAPIDARY_CRASHES ?? 10)

it(`given ${crashes} crashes of PostgreSQL, no acknowledged write is lost and none is applied twice`, async (test) => {
  await crashDuringWrites(test, crashes)
})
