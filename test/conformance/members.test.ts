import assert from 'node:assert/strict'
import type { TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import { allMembers, isObject, membersNamed } from './document-members.ts'
import { type RecordedSamples, recordSamples } from './sample-responses.ts'
import { assertError, createSamples, identifier } from './samples.ts'

/** The member names of all samples, each with its request and JSON pointer. */
async function memberNames(samples: RecordedSamples): Promise<[location: string, name: string][]> {
  const found = (await samples.all()).flatMap(({ request, document }) =>
    [...allMembers(document)].map(({ pointer, name }): [string, string] => [
      `${request}: ${pointer}`,
      name,
    ]),
  )
  assert.ok(found.length > 500, `the samples have only ${found.length} members`)
  return found
}

describeService('Meta', (app: TestService) => {
  const samples = recordSamples(app)

  rule('MET-1', 'every meta is an object', async () => {
    for (const { request, document } of await samples.all()) {
      for (const found of membersNamed(document, 'meta')) assert.ok(isObject(found), request)
    }
  })

  rule(
    'MET-2',
    'a collection has a count in meta, and a deletion or a relationship write has a message',
    async () => {
      const { ada, engine, orphan } = await createSamples(app)
      for (const [path, count] of [
        ['/persons', 3],
        ['/computers', 3],
        [`/persons/${ada.id}/computers`, 1],
      ] as const) {
        assert.deepEqual((await app.get(path)).body.meta, { count }, path)
      }
      const linkage = `/persons/${ada.id}/relationships/computers`
      const owner = `/computers/${engine.id}/relationships/owner`
      const created = { message: 'Relationship successfully created' }
      const updated = { message: 'Relationship successfully updated' }
      const deleted = { message: 'Object successfully deleted' }
      const added = { data: [identifier(orphan)] }
      assert.deepEqual((await app.post(linkage, added)).body.meta, created)
      assert.deepEqual((await app.delete(linkage, added)).body.meta, updated)
      assert.deepEqual((await app.patch(linkage, added)).body.meta, updated)
      assert.deepEqual((await app.patch(owner, { data: null })).body.meta, updated)
      assert.deepEqual((await app.post(owner, { data: identifier(ada) })).body.meta, created)
      assert.deepEqual((await app.delete(owner, { data: identifier(ada) })).body.meta, updated)
      assert.deepEqual((await app.delete(`/computers/${engine.id}`)).body.meta, deleted)
      assert.deepEqual((await app.delete(`/persons/${ada.id}`)).body.meta, deleted)
    },
  )
})

describeService('The jsonapi object', (app: TestService) => {
  const samples = recordSamples(app)

  rule('API-1', 'every response has jsonapi, also an error response', async () => {
    for (const { request, response } of await samples.all())
      assert.ok('jsonapi' in response.body, request)
  })

  rule('API-2', 'jsonapi is an object', async () => {
    for (const { request, response } of await samples.all()) {
      assert.ok(isObject(response.body.jsonapi), request)
    }
  })

  rule('API-3', 'the version is the string "1.0"', async () => {
    for (const { request, response } of await samples.all()) {
      assert.equal(response.body.jsonapi?.version, '1.0', request)
    }
  })

  rule('API-4', 'jsonapi has only the member version', async () => {
    for (const { request, response } of await samples.all()) {
      assert.deepEqual(response.body.jsonapi, { version: '1.0' }, request)
    }
  })
})

describeService('Member names', (app: TestService) => {
  const samples = recordSamples(app)

  rule('NAM-1', 'a name in another case is unknown', async () => {
    const { ada } = await createSamples(app)
    const create = (type: string, attributes: unknown) =>
      app.post('/persons', { data: { type, attributes } })
    const response = await create('person', { name: 'n', Name: 'x' })
    assertError(response, 422, { pointer: '/data/attributes/Name' })
    assertError(await create('Person', { name: 'n' }), 409, { pointer: '/data/type' })
    assertError(await app.get('/persons', { sort: 'Name' }), 400, { parameter: 'sort' })
    assertError(await app.get('/persons', { include: 'Computers' }), 400, {
      parameter: 'include',
    })
    const filter = await app.get('/persons', { 'filter[Name]': 'Ada' })
    assertError(filter, 400, { parameter: 'filter[Name]' })
    const fields = await app.get('/persons', { 'fields[Person]': 'name' })
    assertError(fields, 400, { parameter: 'fields[Person]' })
    const data = { ...identifier(ada), attributes: { NAME: 'x' } }
    assertError(await app.patch(`/persons/${ada.id}`, { data }), 422)
    assert.equal((await app.get(`/persons/${ada.id}`)).one.attributes?.name, 'Ada')
    assert.equal((await app.get('/Persons')).status, 404)
  })

  rule('NAM-2', 'no member name is empty', async () => {
    for (const [location, name] of await memberNames(samples)) assert.notEqual(name, '', location)
  })

  rule('NAM-3', 'member names have only letters, digits, -, _ and space', async () => {
    for (const [location, name] of await memberNames(samples)) {
      assert.match(name, /^[A-Za-z0-9\u0080-\uFFFF _-]+$/, location)
    }
  })

  rule('NAM-4', 'member names start and end with a letter or digit', async () => {
    for (const [location, name] of await memberNames(samples)) {
      assert.match(name, /^[A-Za-z0-9\u0080-\uFFFF]/, location)
      assert.match(name, /[A-Za-z0-9\u0080-\uFFFF]$/, location)
    }
  })

  rule('NAM-5', 'given member names with any letters, a create gets 201', async () => {
    const unknown = { Größe9: 1, 名前: { 'É-1': 2 } }
    const data = { type: 'person', attributes: { name: 'n' }, ...unknown }
    const response = await app.post('/persons', { ...unknown, data, meta: unknown })
    assert.equal(response.status, 201, response.text)
  })

  rule('NAM-6', 'no member name has punctuation or control characters', async () => {
    for (const [location, name] of await memberNames(samples)) {
      assert.doesNotMatch(name, /[!-,./:-@[-^`{-~\p{Cc}]/u, location)
    }
  })

  rule('NAM-7', 'member names are URL-safe without encoding', async () => {
    for (const [location, name] of await memberNames(samples)) {
      assert.match(name, /^[A-Za-z0-9_-]+$/, location)
    }
  })
})
