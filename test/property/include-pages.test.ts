import { it } from 'node:test'
import { databases } from '../databases.ts'
import { serveForest } from './includes/include-forest.ts'
import { compareRequest } from './includes/include-requests.ts'
import { randomOf } from './random-choices.ts'
import { scale, seed } from './seed.ts'

const requestsPerForest = 30
const forests = 8 * scale

for (const database of databases)
  it(`given any paths, sizes, sorts and filters, then resources list the members that plain objects have · ${database.name}`, async () => {
    for (let forest = 0; forest < forests; forest += 1) {
      const random = randomOf(seed + forest)
      const server = await serveForest(database, random)
      try {
        for (let request = 0; request < requestsPerForest; request += 1) {
          try {
            await compareRequest(server, random)
          } catch (error) {
            throw new Error(`PROPERTY_SEED=${seed + forest}, request ${request}`, { cause: error })
          }
        }
      } finally {
        await server.close()
      }
    }
  })
