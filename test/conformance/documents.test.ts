import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TestService } from '../service-suite.ts'
import { describeService, ids, rule } from '../service-suite.ts'
import { isObject } from './document-members.ts'
import { recordSamples } from './sample-responses.ts'
import { assertError, computersOf, countResources, createSamples, identifier } from './samples.ts'

const schema = JSON.parse(readFileSync(new URL('../schemas/schema.json', import.meta.url), 'utf8'))

/** The official schema. Its format `uri` also accepts paths, as JSON:API 1.0 does. */
const validateOfficial = new Ajv2020({ strict: false, allErrors: true })
  .addFormat(
    'uri',
    (link) => URL.canParse(link) || (link.startsWith('/') && URL.canParse(link, 'http://h')),
  )
  .compile(schema)

describeService('Document structure', (app: TestService) => {
  const samples = recordSamples(app)

  rule('DOC-1', 'the root of every response is an object', async () => {
    for (const { request, document } of await samples.all()) assert.ok(isObject(document), request)
  })

  for (const raw of ['[]', '"x"', 'null', '3', 'true', '[{"data":null}]'])
    rule('DOC-1', `given the document ${raw}, a write gets 400`, async () => {
      const { id } = await app.person()
      assertError(await app.call('POST', '/persons', { raw }), 400)
      assertError(await app.call('PATCH', `/persons/${id}`, { raw }), 400)
      assert.equal(await countResources(app, '/persons'), 1)
    })

  rule('DOC-2', 'every response has data, errors or meta', async () => {
    for (const { request, response } of await samples.all()) {
      const { body } = response
      assert.ok('data' in body || 'errors' in body || 'meta' in body, request)
    }
  })

  for (const body of [{}, { meta: {} }, { jsonapi: { version: '1.0' } }])
    rule('DOC-2', `given the document ${JSON.stringify(body)}, a write gets 400`, async () => {
      const { id } = await app.person()
      assertError(await app.post('/persons', body), 400)
      assertError(await app.patch(`/persons/${id}`, body), 400)
      assertError(await app.post(`/persons/${id}/relationships/computers`, body), 400)
      assert.equal(await countResources(app, '/persons'), 1)
    })

  rule('DOC-3', 'no response has data and errors', async () => {
    for (const { request, response } of await samples.all()) {
      assert.ok(!('data' in response.body && 'errors' in response.body), request)
    }
  })

  rule('DOC-4', 'every response has jsonapi, and included only on request', async () => {
    const allowed = new Set(['data', 'errors', 'meta', 'jsonapi', 'links', 'included'])
    for (const { request, response } of await samples.all()) {
      const unknown = Object.keys(response.body).filter((name) => !allowed.has(name))
      assert.deepEqual(unknown, [], request)
      assert.ok('jsonapi' in response.body, request)
      assert.ok(!('included' in response.body) || request.includes('"include"'), request)
    }
  })

  rule('DOC-5', 'given include, a response with only meta has no included', async () => {
    const { ada, grace, engine, orphan } = await createSamples(app)
    const include = { include: 'computers' }
    const linkage = `/persons/${ada.id}/relationships/computers`
    const members = { data: [identifier(orphan)] }
    const owner = `/computers/${engine.id}/relationships/owner`
    const responses = [
      await app.post(linkage, members, include),
      await app.patch(linkage, members, include),
      await app.delete(linkage, members, include),
      await app.patch(owner, { data: identifier(grace) }, { include: 'owner' }),
      await app.delete(`/persons/${ada.id}`, undefined, include),
    ]
    for (const response of responses) {
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(Object.keys(response.body).sort(), ['jsonapi', 'meta'], response.text)
    }
  })

  rule('DOC-5', 'no response has included without data', async () => {
    for (const { request, response } of await samples.all()) {
      assert.ok(!('included' in response.body) || 'data' in response.body, request)
    }
  })

  rule('DOC-6', 'top-level links are self, related and pagination links', async () => {
    const allowed = new Set(['self', 'related', 'first', 'last', 'prev', 'next'])
    for (const { request, response } of await samples.all()) {
      const unknown = Object.keys(response.body.links ?? {}).filter((name) => !allowed.has(name))
      assert.deepEqual(unknown, [], request)
      if ('data' in response.body && request.startsWith('GET ')) {
        assert.equal(typeof response.body.links?.self, 'string', request)
      }
    }
  })

  rule('DOC-7', 'the official schema accepts every response', async () => {
    for (const { request, document } of await samples.all()) {
      validateOfficial(document)
      assert.deepEqual(validateOfficial.errors ?? [], [], request)
    }
  })

  rule('DOC-8', 'the server ignores unknown members in a create', async () => {
    const document = {
      foo: 1,
      links: {},
      included: [],
      meta: { note: 'x' },
      data: {
        type: 'person',
        bar: 2,
        links: { self: '/x' },
        meta: {},
        attributes: { name: 'n' },
        relationships: { computers: { links: { self: '/y' }, data: [], baz: 3 } },
      },
    }
    const response = await app.post('/persons', document)
    assert.equal(response.status, 201, response.text)
    assert.equal(response.one.attributes?.name, 'n')
  })

  for (const [title, query] of [
    ['without linkage', {}],
    ['with linkage', { include: 'computers' }],
  ] as const)
    rule('DOC-8', `a PATCH with a fetched document ${title} changes nothing`, async () => {
      const { ada, engine } = await createSamples(app)
      const path = `/persons/${ada.id}`
      const before = await app.get(path, query)
      const response = await app.patch(path, before.body, query)
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(response.one, before.one)
      assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
    })

  rule('DOC-9', 'primary data is an object, null or an array, depending on the URL', async () => {
    const { ada, rosa, engine, orphan } = await createSamples(app)
    const person = await app.get(`/persons/${ada.id}`)
    assert.deepEqual(identifier(person.one), identifier(ada))
    assert.equal((await app.get(`/computers/${orphan.id}/owner`)).body.data, null)
    assert.equal((await app.get('/persons')).many.length, 3)
    assert.deepEqual((await app.get(`/persons/${rosa.id}/computers`)).body.data, [])
    assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
    assert.deepEqual(await computersOf(app, rosa), [])
    const owner = await app.get(`/computers/${engine.id}/relationships/owner`)
    assert.deepEqual(owner.body.data, identifier(ada))
  })

  rule('DOC-10', 'a collection with one member or none is an array', async () => {
    const { ada } = await createSamples(app)
    const one = await app.get('/persons', { 'filter[name]': 'Ada' })
    assert.equal(one.status, 200)
    assert.deepEqual(ids(one), [ada.id])
    const none = await app.get('/persons', { 'filter[name]': 'nobody' })
    assert.equal(none.status, 200)
    assert.deepEqual(none.body.data, [])
  })
})
