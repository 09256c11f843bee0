import assert from 'node:assert/strict'
import type { Answer, World } from '../world.ts'
import { chapter, rule } from '../world.ts'
import { fetchErrorSamples, fetchSamples } from './sample-responses.ts'
import {
  assertError,
  computersOf,
  countResources,
  createSamples,
  identifier,
  missingComputer,
  missingId,
  ownerOf,
} from './samples.ts'

/** The methods an answer allows. */
function allowed({ headers }: Answer): string[] {
  return (headers.allow ?? '').split(/, */).sort()
}

chapter('GEN General', (world: World) => {
  // GEN-1 A request succeeds or fails as a whole.
  rule('GEN-1', 'an update that fails in one part changes nothing', async () => {
    const { ada, engine } = await createSamples(world)
    const path = `/persons/${ada.id}`
    const changes = [
      {
        attributes: { name: 'Changed' },
        relationships: { computers: { data: [missingComputer] } },
      },
      {
        attributes: { name: 'Changed' },
        relationships: { computers: { data: [identifier(ada)] } },
      },
      { attributes: { name: 'Changed', email: 'x' }, relationships: { computers: { data: [] } } },
    ]
    for (const [at, status] of [404, 409, 422].entries()) {
      const answer = await world.patch(path, { data: { ...identifier(ada), ...changes[at] } })
      assertError(answer, status)
      assert.deepEqual((await world.get(path)).one, ada)
      assert.deepEqual(await computersOf(world, ada), [identifier(engine)])
    }
  })

  rule('GEN-1', 'a relationship write that fails for one member changes none', async () => {
    const { ada, engine, orphan } = await createSamples(world)
    const path = `/persons/${ada.id}/relationships/computers`
    const body = { data: [identifier(orphan), missingComputer] }
    assertError(await world.post(path, body), 404)
    assertError(await world.patch(path, body), 404)
    assert.equal(await ownerOf(world, orphan), null)
    assert.deepEqual(await computersOf(world, ada), [identifier(engine)])
  })

  rule('GEN-1', 'a creation that fails creates nothing and links nothing', async () => {
    const { orphan } = await createSamples(world)
    const computers = { data: [identifier(orphan), missingComputer] }
    const data = { type: 'person', attributes: { name: 'n' }, relationships: { computers } }
    assertError(await world.post('/persons', { data }), 404)
    assert.equal(await countResources(world, '/persons'), 3)
    assert.equal(await ownerOf(world, orphan), null)
  })

  // GEN-2 Responses follow HTTP semantics (RFC 7231).
  rule('GEN-2', 'HEAD answers as GET does, without a body', async () => {
    const { ada } = await createSamples(world)
    for (const path of ['/persons', `/persons/${ada.id}`, `/persons/${missingId}`]) {
      const get = await world.get(path)
      const head = await world.call('HEAD', path)
      assert.equal(head.status, get.status, path)
      assert.equal(head.text, '', path)
      assert.equal(head.headers['content-type'], get.headers['content-type'], path)
    }
  })

  rule('GEN-2', 'another method on a known path is 405 and tells those it allows', async () => {
    const { ada, engine } = await createSamples(world)
    const reading = ['GET', 'HEAD', 'OPTIONS']
    for (const [path, methods] of [
      ['/', []],
      ['/persons', ['POST']],
      ['/computers', ['POST']],
      [`/persons/${ada.id}`, ['DELETE', 'PATCH']],
      [`/computers/${engine.id}`, ['DELETE', 'PATCH']],
      [`/persons/${ada.id}/computers`, ['POST']],
      [`/computers/${engine.id}/owner`, []],
      [`/persons/${ada.id}/relationships/computers`, ['DELETE', 'PATCH', 'POST']],
      [`/computers/${engine.id}/relationships/owner`, ['DELETE', 'PATCH', 'POST']],
    ] as const) {
      const expected = [...reading, ...methods].sort()
      const answer = await world.call('PUT', path, { body: {} })
      assertError(answer, 405)
      assert.deepEqual(allowed(answer), expected, path)
      const options = await world.call('OPTIONS', path)
      assert.equal(options.status, 204, path)
      assert.equal(options.text, '', path)
      assert.deepEqual(allowed(options), expected, path)
    }
  })

  rule('GEN-2', 'a body that is no JSON is 400, an unknown path 404', async () => {
    await createSamples(world)
    for (const raw of ['{', '', 'x', '{"data":}', '{"data":{}}x']) {
      assertError(await world.call('POST', '/persons', { raw }), 400)
    }
    for (const path of ['/nowhere', '/persons/1/nowhere', '/persons/1/2/3/4', '/person']) {
      assertError(await world.get(path), 404)
      assertError(await world.post(path, { data: {} }), 404)
    }
  })

  rule('GEN-2', 'answers depend on Accept and say so', async () => {
    for (const { asked, answer } of await fetchSamples(world)) {
      assert.match(answer.headers.vary ?? 'none', /\baccept\b/i, asked)
    }
  })

  // GEN-3 Other status codes are allowed.
  rule('GEN-3', 'no status is told but those the service document lists', async () => {
    const listed = [200, 201, 400, 404, 405, 406, 409, 413, 414, 415, 422, 431]
    for (const { asked, answer } of await fetchSamples(world)) {
      assert.ok(listed.includes(answer.status), asked)
    }
  })

  // GEN-4 Error responses may carry error details.
  rule('GEN-4', 'every refusal explains itself in a sentence', async () => {
    for (const { asked, answer } of await fetchErrorSamples(world)) {
      for (const { detail } of answer.body.errors ?? []) {
        assert.match(detail, /^\S.* .*[.?]$/s, asked)
      }
    }
  })
})
