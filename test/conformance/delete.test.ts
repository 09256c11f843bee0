import assert from 'node:assert/strict'
import type { World } from '../world.ts'
import { chapter, rule } from '../world.ts'
import {
  assertError,
  countResources,
  createSamples,
  identifier,
  missingId,
  ownerOf,
} from './samples.ts'

const deleted = { jsonapi: { version: '1.0' }, meta: { message: 'Object successfully deleted' } }

chapter('DEL Deleting', (world: World) => {
  // DEL-1 Accepted but not finished → 202.
  rule('DEL-1', 'a deletion is finished when it is answered, never 202', async () => {
    const { ada, engine } = await createSamples(world)
    for (const path of [`/computers/${engine.id}`, `/persons/${ada.id}`]) {
      const answer = await world.delete(path)
      assert.notEqual(answer.status, 202)
      assert.equal((await world.get(path)).status, 404)
    }
    assert.equal(await countResources(world, '/persons'), 2)
    assert.equal(await countResources(world, '/computers'), 2)
  })

  // DEL-2 Success without content → 204.
  rule('DEL-2', 'a deletion is answered with content, so never 204', async () => {
    const { rosa, orphan } = await createSamples(world)
    for (const path of [`/computers/${orphan.id}`, `/persons/${rosa.id}`]) {
      const answer = await world.delete(path)
      assert.notEqual(answer.status, 204)
      assert.notEqual(answer.text, '')
    }
  })

  // DEL-3 Success with meta only → 200.
  rule('DEL-3', 'a deletion is 200 and tells a message alone', async () => {
    const { ada, orphan } = await createSamples(world)
    for (const path of [`/computers/${orphan.id}`, `/persons/${ada.id}`]) {
      const answer = await world.delete(path)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, deleted)
    }
  })

  rule('DEL-3', 'the computers of a deleted person stay, without an owner', async () => {
    const { ada, grace, engine, compiler } = await createSamples(world)
    assert.equal((await world.delete(`/persons/${ada.id}`)).status, 200)
    assertError(await world.get(`/persons/${ada.id}`), 404, { parameter: 'id' })
    assert.equal((await world.get(`/computers/${engine.id}`)).status, 200)
    assert.equal(await ownerOf(world, engine), null)
    assert.deepEqual(await ownerOf(world, compiler), identifier(grace))
  })

  // DEL-4 Resource does not exist → 404.
  rule('DEL-4', 'what does not exist, or no longer, is 404', async () => {
    const { ada, engine } = await createSamples(world)
    assertError(await world.delete(`/persons/${missingId}`), 404, { parameter: 'id' })
    assertError(await world.delete(`/computers/${missingId}`), 404, { parameter: 'id' })
    for (const path of [`/computers/${engine.id}`, `/persons/${ada.id}`]) {
      assert.equal((await world.delete(path)).status, 200)
      assertError(await world.delete(path), 404, { parameter: 'id' })
    }
  })
})
