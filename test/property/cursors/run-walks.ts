import { everyDatabase } from '../../databases.ts'
import { randomOf } from '../random-choices.ts'
import { serveLists } from './cursor-lists.ts'
import { walk } from './cursor-walks.ts'

// A program: walks through lists on SQLite, with a seed. It ends with 0, or with 2 after a walk that lost or repeated a row, or found
// another order.

const [seed = 0, walks = 100] = process.argv.slice(2).map(Number)
const [database] = everyDatabase
if (database === undefined) throw new Error('There is no database.')
for (let list = 0; list * 25 < walks && process.exitCode === undefined; list += 1) {
  const random = randomOf(seed + list)
  const server = await serveLists(database, random, true)
  try {
    for (let count = 0; count < 25; count += 1) await walk(server, random)
  } catch (error) {
    console.error(error)
    process.exitCode = 2
  } finally {
    await server.close()
  }
}
