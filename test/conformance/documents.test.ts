import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { World } from '../world.ts'
import { chapter, ids, rule } from '../world.ts'
import { isObject } from './document-members.ts'
import { fetchSamples } from './sample-responses.ts'
import { assertError, computersOf, countResources, createSamples, identifier } from './samples.ts'

const schema = JSON.parse(readFileSync(new URL('../schemas/schema.json', import.meta.url), 'utf8'))

/** The official schema, its `uri` format relaxed for the `/…` paths that 1.0 allows. */
const official = new Ajv2020({ strict: false, allErrors: true })
  .addFormat(
    'uri',
    (link) => URL.canParse(link) || (link.startsWith('/') && URL.canParse(link, 'http://h')),
  )
  .compile(schema)

chapter('DOC Document structure', (world: World) => {
  // DOC-1 The root of every request and response document with data is a JSON object.
  rule('DOC-1', 'the root of every answer is an object', async () => {
    for (const { asked, document } of await fetchSamples(world))
      assert.ok(isObject(document), asked)
  })

  rule('DOC-1', 'a request document that is no object is refused', async () => {
    const cast = await createSamples(world)
    for (const raw of ['[]', '"x"', 'null', '3', 'true', '[{"data":null}]']) {
      assertError(await world.call('POST', '/persons', { raw }), 400)
      assertError(await world.call('PATCH', `/persons/${cast.ada.id}`, { raw }), 400)
    }
    assert.equal(await countResources(world, '/persons'), 3)
  })

  // DOC-2 A document has at least one of `data`, `errors`, `meta`.
  rule('DOC-2', 'every answer has data, errors or meta', async () => {
    for (const { asked, answer } of await fetchSamples(world)) {
      const { body } = answer
      assert.ok('data' in body || 'errors' in body || 'meta' in body, asked)
    }
  })

  rule('DOC-2', 'a request document without data is refused', async () => {
    const cast = await createSamples(world)
    for (const body of [{}, { meta: {} }, { jsonapi: { version: '1.0' } }]) {
      assertError(await world.post('/persons', body), 400)
      assertError(await world.patch(`/persons/${cast.ada.id}`, body), 400)
      assertError(await world.post(`/persons/${cast.ada.id}/relationships/computers`, body), 400)
    }
    assert.equal(await countResources(world, '/persons'), 3)
  })

  // DOC-3 `data` and `errors` never appear together.
  rule('DOC-3', 'data and errors never appear together', async () => {
    for (const { asked, answer } of await fetchSamples(world)) {
      assert.ok(!('data' in answer.body && 'errors' in answer.body), asked)
    }
  })

  // DOC-4 Optional top-level members are `jsonapi`, `links`, `included`; nothing else is allowed.
  rule(
    'DOC-4',
    'jsonapi is always there, included only on demand, and nothing unknown',
    async () => {
      const allowed = new Set(['data', 'errors', 'meta', 'jsonapi', 'links', 'included'])
      for (const { asked, answer } of await fetchSamples(world)) {
        const unknown = Object.keys(answer.body).filter((name) => !allowed.has(name))
        assert.deepEqual(unknown, [], asked)
        assert.ok('jsonapi' in answer.body, asked)
        assert.ok(!('included' in answer.body) || asked.includes('"include"'), asked)
      }
    },
  )

  // DOC-5 No `included` without `data`.
  rule('DOC-5', 'an answer of meta alone includes nothing, even when asked to', async () => {
    const { ada, grace, engine, orphan } = await createSamples(world)
    const include = { include: 'computers' }
    const linkage = `/persons/${ada.id}/relationships/computers`
    const members = { data: [identifier(orphan)] }
    const owner = `/computers/${engine.id}/relationships/owner`
    const answers = [
      await world.post(linkage, members, include),
      await world.patch(linkage, members, include),
      await world.delete(linkage, members, include),
      await world.patch(owner, { data: identifier(grace) }, { include: 'owner' }),
      await world.delete(`/persons/${ada.id}`, undefined, include),
    ]
    for (const answer of answers) {
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(Object.keys(answer.body).sort(), ['jsonapi', 'meta'], answer.text)
    }
  })

  rule('DOC-5', 'no answer anywhere has included without data', async () => {
    for (const { asked, answer } of await fetchSamples(world)) {
      assert.ok(!('included' in answer.body) || 'data' in answer.body, asked)
    }
  })

  // DOC-6 Top-level `links` may hold `self`, `related` and pagination links only.
  rule('DOC-6', 'top-level links are self, related and the pagination links only', async () => {
    const allowed = new Set(['self', 'related', 'first', 'last', 'prev', 'next'])
    for (const { asked, answer } of await fetchSamples(world)) {
      const unknown = Object.keys(answer.body.links ?? {}).filter((name) => !allowed.has(name))
      assert.deepEqual(unknown, [], asked)
      if ('data' in answer.body && asked.startsWith('GET ')) {
        assert.equal(typeof answer.body.links?.self, 'string', asked)
      }
    }
  })

  // DOC-7 Objects the specification defines carry no extra members in what the server emits.
  rule('DOC-7', 'the official schema accepts every body', async () => {
    for (const { asked, document } of await fetchSamples(world)) {
      official(document)
      assert.deepEqual(official.errors ?? [], [], asked)
    }
  })

  // DOC-8 The server ignores members it does not recognise in what it receives.
  rule('DOC-8', 'members it does not know are ignored in a create', async () => {
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
    const answer = await world.post('/persons', document)
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.one.attributes?.name, 'n')
  })

  rule(
    'DOC-8',
    'a fetched resource can be sent back as it is, with linkage or without',
    async () => {
      const { ada, engine } = await createSamples(world)
      const path = `/persons/${ada.id}`
      for (const query of [{}, { include: 'computers' }]) {
        const before = await world.get(path, query)
        const answer = await world.patch(path, before.body, query)
        assert.equal(answer.status, 200, answer.text)
        assert.deepEqual(answer.one, before.one)
        assert.deepEqual(await computersOf(world, ada), [identifier(engine)])
      }
    },
  )

  // DOC-9 Primary data is one resource / one identifier / `null` for single-resource URLs, and an
  // array of resources / array of identifiers / `[]` for collection URLs.
  rule('DOC-9', 'primary data has the shape its URL promises', async () => {
    const { ada, rosa, engine, orphan } = await createSamples(world)
    const person = await world.get(`/persons/${ada.id}`)
    assert.deepEqual(identifier(person.one), identifier(ada))
    assert.equal((await world.get(`/computers/${orphan.id}/owner`)).body.data, null)
    assert.equal((await world.get('/persons')).many.length, 3)
    assert.deepEqual((await world.get(`/persons/${rosa.id}/computers`)).body.data, [])
    assert.deepEqual(await computersOf(world, ada), [identifier(engine)])
    assert.deepEqual(await computersOf(world, rosa), [])
    const owner = await world.get(`/computers/${engine.id}/relationships/owner`)
    assert.deepEqual(owner.body.data, identifier(ada))
  })

  // DOC-10 A collection is an array even with 0 or 1 entries.
  rule('DOC-10', 'a collection is an array even with one entry or none', async () => {
    const { ada } = await createSamples(world)
    const one = await world.get('/persons', { 'filter[name]': 'Ada' })
    assert.equal(one.status, 200)
    assert.deepEqual(ids(one), [ada.id])
    const none = await world.get('/persons', { 'filter[name]': 'nobody' })
    assert.equal(none.status, 200)
    assert.deepEqual(none.body.data, [])
  })
})
