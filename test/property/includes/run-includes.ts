import { everyDatabase } from '../../databases.ts'
import { randomOf } from '../random-choices.ts'
import { serveForest } from './include-forest.ts'
import { compareRequest } from './include-requests.ts'

// A program: random requests with pages of included members on SQLite, with a seed. It ends with 0, or with 2 after a document that
// differs from that of plain objects.

const [seed = 0, requests = 100] = process.argv.slice(2).map(Number)
const [database] = everyDatabase
if (database === undefined) throw new Error('There is no database.')
for (let forest = 0; forest * 25 < requests && process.exitCode === undefined; forest += 1) {
  const random = randomOf(seed + forest)
  const server = await serveForest(database, random)
  try {
    for (let count = 0; count < 25; count += 1) await compareRequest(server, random)
  } catch (error) {
    console.error(error)
    process.exitCode = 2
  } finally {
    await server.close()
  }
}
