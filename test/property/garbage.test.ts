import assert from 'node:assert/strict'
import { it } from 'node:test'
import { databases } from '../databases.ts'
import { chapter, type World } from '../world.ts'
import { assertNoFailures, noToll, storm } from './garbage-storm.ts'

/** Malformed requests for each database: with all databases together well over 20,000 of them are refused. */
const requests = Math.ceil(28_000 / databases.length)

chapter('malformed requests', (world: World) => {
  it('never break, hang or corrupt the service, and are all answered by a document', async () => {
    const toll = noToll(2, 2)
    for (const name of ['Ada', 'Alan']) await world.person({ name })
    for (const serial of ['A-1', 'A-2']) await world.computer({ serial })
    await storm(world, toll, requests)

    assertNoFailures(toll)
    const enough = 20_000 / databases.length
    assert.ok(toll.refused >= enough, `only ${toll.refused} of ${toll.sent} were refused`)
    const size = { 'page[size]': '1' }
    assert.equal((await world.get('/persons', size)).body.meta?.count, toll.persons)
    assert.equal((await world.get('/computers', size)).body.meta?.count, toll.computers)
    assert.equal((await world.get('/persons/1')).one.id, '1')
  })
})
