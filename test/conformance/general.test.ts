import assert from 'node:assert/strict'
import type { TestResponse, TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import { recordSamples } from './sample-responses.ts'
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

/** The methods in the Allow header of a response. */
function allowedMethods({ headers }: TestResponse): string[] {
  return (headers.allow ?? '').split(/, */).sort()
}

describeService('General', (app: TestService) => {
  const samples = recordSamples(app)

  rule('GEN-1', 'given an error in one part, an update changes nothing', async () => {
    const { ada, engine } = await createSamples(app)
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
    for (const [index, status] of [404, 409, 422].entries()) {
      const response = await app.patch(path, { data: { ...identifier(ada), ...changes[index] } })
      assertError(response, status)
      assert.deepEqual((await app.get(path)).one, ada)
      assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
    }
  })

  rule('GEN-1', 'given a missing member, a relationship write changes nothing', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    const path = `/persons/${ada.id}/relationships/computers`
    const body = { data: [identifier(orphan), missingComputer] }
    assertError(await app.post(path, body), 404)
    assertError(await app.patch(path, body), 404)
    assert.equal(await ownerOf(app, orphan), null)
    assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
  })

  rule('GEN-1', 'given a missing member, a create creates and links nothing', async () => {
    const { orphan } = await createSamples(app)
    const computers = { data: [identifier(orphan), missingComputer] }
    const data = { type: 'person', attributes: { name: 'n' }, relationships: { computers } }
    assertError(await app.post('/persons', { data }), 404)
    assert.equal(await countResources(app, '/persons'), 3)
    assert.equal(await ownerOf(app, orphan), null)
  })

  for (const path of ['/persons', '/persons/1', `/persons/${missingId}`])
    rule('GEN-2', `HEAD ${path} returns the status of GET without a body`, async () => {
      await app.person()
      const get = await app.get(path)
      const head = await app.call('HEAD', path)
      assert.equal(head.status, get.status)
      assert.equal(head.text, '')
      assert.equal(head.headers['content-type'], get.headers['content-type'])
    })

  for (const [path, methods] of [
    ['/', []],
    ['/persons', ['POST', 'QUERY']],
    ['/computers', ['POST', 'QUERY']],
    ['/persons/1', ['DELETE', 'PATCH']],
    ['/computers/1', ['DELETE', 'PATCH']],
    ['/persons/1/computers', ['POST', 'QUERY']],
    ['/computers/1/owner', []],
    ['/persons/1/relationships/computers', ['DELETE', 'PATCH', 'POST', 'QUERY']],
    ['/computers/1/relationships/owner', ['DELETE', 'PATCH', 'POST']],
  ] as const)
    rule('GEN-2', `given an unsupported method, ${path} lists the allowed ones`, async () => {
      await createSamples(app)
      const expected = ['GET', 'HEAD', 'OPTIONS', ...methods].sort()
      const response = await app.call('PUT', path, { body: {} })
      assertError(response, 405)
      assert.deepEqual(allowedMethods(response), expected)
      const options = await app.call('OPTIONS', path)
      assert.equal(options.status, 204)
      assert.equal(options.text, '')
      assert.deepEqual(allowedMethods(options), expected)
    })

  for (const raw of ['{', '', 'x', '{"data":}', '{"data":{}}x'])
    rule('GEN-2', `given the body ${JSON.stringify(raw)}, a create gets 400`, async () => {
      assertError(await app.call('POST', '/persons', { raw }), 400)
    })

  for (const path of ['/nowhere', '/persons/1/nowhere', '/persons/1/2/3/4', '/person'])
    rule('GEN-2', `the unknown path ${path} gets 404`, async () => {
      await app.person()
      assertError(await app.get(path), 404)
      assertError(await app.post(path, { data: {} }), 404)
    })

  rule('GEN-2', 'every response has Accept in its Vary header', async () => {
    for (const { request, response } of await samples.all()) {
      assert.match(response.headers.vary ?? 'none', /\baccept\b/i, request)
    }
  })

  rule('GEN-3', 'every response has a documented status', async () => {
    const documented = [200, 201, 400, 404, 405, 406, 409, 413, 414, 415, 422, 431]
    for (const { request, response } of await samples.all()) {
      assert.ok(documented.includes(response.status), request)
    }
  })

  rule('GEN-4', 'every error has a sentence as its detail', async () => {
    for (const { request, response } of await samples.errors()) {
      for (const { detail } of response.body.errors ?? []) {
        assert.match(detail, /^\S.* .*[.?]$/s, request)
      }
    }
  })
})
