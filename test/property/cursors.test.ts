import assert from 'node:assert/strict'
import { it } from 'node:test'
import { databases } from '../databases.ts'
import { serveLists } from './cursors/cursor-lists.ts'
import { readList, walk } from './cursors/cursor-walks.ts'
import { randomOf } from './random-choices.ts'
import { scale, seed } from './seed.ts'

/** The walks through each set of rows. */
const walksPerList = 25
const lists = 10 * scale

for (const database of databases)
  it(`given any sort, page size and direction, then a walk by cursors has each row once, while others change · ${database.name}`, async () => {
    for (let list = 0; list < lists; list += 1) {
      const random = randomOf(seed + list)
      const server = await serveLists(database, random, true)
      try {
        for (let count = 0; count < walksPerList; count += 1) {
          try {
            await walk(server, random)
          } catch (error) {
            throw new Error(`PROPERTY_SEED=${seed + list}, walk ${count}`, { cause: error })
          }
        }
      } finally {
        await server.close()
      }
    }
  })

it('given the same rows, then the order is the same on every database', async () => {
  const servers = await Promise.all(databases.map((each) => serveLists(each, randomOf(seed))))
  try {
    const { item = [], slot = [] } = servers[0]?.terms ?? {}
    for (const [path, terms] of [
      ['/items', item],
      ['/slots', slot],
    ] as const)
      for (const term of terms)
        for (const direction of ['', '-']) {
          const [first, ...others] = await Promise.all(
            servers.map((server) => readList(server, `${path}?sort=${direction}${term}`)),
          )
          for (const other of others) assert.deepEqual(other, first, `${direction}${term}`)
        }
  } finally {
    await Promise.all(servers.map((server) => server.close()))
  }
})
