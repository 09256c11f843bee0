import assert from 'node:assert/strict'
import type { TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import {
  assertError,
  countResources,
  createSamples,
  identifier,
  missingId,
  ownerOf,
} from './samples.ts'

const deleted = { jsonapi: { version: '1.0' }, meta: { message: 'Object successfully deleted' } }

describeService('Deleting resources', (app: TestService) => {
  rule('DEL-1', 'a deletion is complete when the server responds, so it is never 202', async () => {
    const { ada, engine } = await createSamples(app)
    for (const path of [`/computers/${engine.id}`, `/persons/${ada.id}`]) {
      const response = await app.delete(path)
      assert.notEqual(response.status, 202)
      assert.equal((await app.get(path)).status, 404)
    }
    assert.equal(await countResources(app, '/persons'), 2)
    assert.equal(await countResources(app, '/computers'), 2)
  })

  rule('DEL-2', 'the response to a deletion has content, so it is never 204', async () => {
    const { rosa, orphan } = await createSamples(app)
    for (const path of [`/computers/${orphan.id}`, `/persons/${rosa.id}`]) {
      const response = await app.delete(path)
      assert.notEqual(response.status, 204)
      assert.notEqual(response.text, '')
    }
  })

  rule('DEL-3', 'a deletion gets 200 with only a message', async () => {
    const { ada, orphan } = await createSamples(app)
    for (const path of [`/computers/${orphan.id}`, `/persons/${ada.id}`]) {
      const response = await app.delete(path)
      assert.equal(response.status, 200)
      assert.deepEqual(response.body, deleted)
    }
  })

  rule('DEL-3', 'given a deleted person, her computers remain without an owner', async () => {
    const { ada, grace, engine, compiler } = await createSamples(app)
    assert.equal((await app.delete(`/persons/${ada.id}`)).status, 200)
    assertError(await app.get(`/persons/${ada.id}`), 404, { parameter: 'id' })
    assert.equal((await app.get(`/computers/${engine.id}`)).status, 200)
    assert.equal(await ownerOf(app, engine), null)
    assert.deepEqual(await ownerOf(app, compiler), identifier(grace))
  })

  rule('DEL-4', 'given an unknown or a deleted id, a deletion gets 404', async () => {
    const { ada, engine } = await createSamples(app)
    assertError(await app.delete(`/persons/${missingId}`), 404, { parameter: 'id' })
    assertError(await app.delete(`/computers/${missingId}`), 404, { parameter: 'id' })
    for (const path of [`/computers/${engine.id}`, `/persons/${ada.id}`]) {
      assert.equal((await app.delete(path)).status, 200)
      assertError(await app.delete(path), 404, { parameter: 'id' })
    }
  })
})
