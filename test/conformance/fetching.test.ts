import assert from 'node:assert/strict'
import type { TestResponse, TestService } from '../service-suite.ts'
import { describeService, ids, rule } from '../service-suite.ts'
import { allLinks } from './document-members.ts'
import { assertError, createSamples, identifier, missingId } from './samples.ts'

/** Follows every link from the start paths, each once. Returns the responses by path. */
async function followLinks(
  app: TestService,
  ...start: string[]
): Promise<Map<string, TestResponse>> {
  const fetched = new Map<string, TestResponse>()
  const queue = [...start]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (fetched.has(path)) continue
    const response = await app.get(path)
    assert.equal(response.status, 200, `${path}\n${response.text}`)
    fetched.set(path, response)
    queue.push(...allLinks(response.body))
  }
  return fetched
}

describeService('Fetching resources and relationships', (app: TestService) => {
  rule('GET-1', 'every link in a response can be fetched', async () => {
    await createSamples(app)
    const fetched = await followLinks(app, '/persons?page[size]=2&include=computers', '/computers')
    // Six resources with 3 links each, /computers, and /persons with two pages and two notations of its query.
    assert.ok(fetched.size >= 6 * 3 + 4, [...fetched.keys()].join('\n'))
  })

  rule('GET-1', 'given a base path, every link in a response can be fetched', async () => {
    await app.restart({ basePath: '/api/v1' })
    await createSamples(app)
    const fetched = await followLinks(app, '/api/v1/persons?include=computers', '/api/v1/computers')
    for (const path of fetched.keys()) {
      assert.ok(new URL(path, app.url).pathname.startsWith('/api/v1/'), path)
    }
    assert.ok(fetched.size >= 6 * 3 + 2, [...fetched.keys()].join('\n'))
  })

  for (const path of [
    '/persons',
    '/computers',
    '/persons/1/computers',
    '/persons/1',
    '/computers/1',
    '/computers/1/owner',
  ])
    rule('GET-2', `GET ${path} gets 200`, async () => {
      await createSamples(app)
      assert.equal((await app.get(path)).status, 200)
    })

  rule('GET-3', 'an empty collection is an empty array', async () => {
    const { id } = await app.person()
    assert.deepEqual((await app.get('/computers')).body.data, [])
    assert.deepEqual((await app.get(`/persons/${id}/computers`)).body.data, [])
  })

  rule('GET-3', 'a collection is an array of resource objects', async () => {
    const { ada, grace, rosa, engine, compiler, orphan } = await createSamples(app)
    const persons = await app.get('/persons')
    assert.deepEqual(persons.many.map(identifier), [ada, grace, rosa].map(identifier))
    const computers = await app.get('/computers')
    assert.deepEqual(computers.many.map(identifier), [engine, compiler, orphan].map(identifier))
    const related = await app.get(`/persons/${ada.id}/computers`)
    assert.deepEqual(related.many.map(identifier), [identifier(engine)])
    assert.equal(related.many[0]?.attributes?.serial, 'engine')
  })

  rule('GET-4', 'a single resource is an object, or null if it may be absent', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    assert.deepEqual((await app.get(`/persons/${ada.id}`)).one, ada)
    const owner = await app.get(`/computers/${engine.id}/owner`)
    assert.deepEqual(owner.one, ada)
    const none = await app.get(`/computers/${orphan.id}/owner`)
    assert.equal(none.status, 200)
    assert.equal(none.body.data, null)
    assert.ok(!('errors' in none.body))
  })

  for (const [path, type, parameter] of [
    [`/persons/${missingId}`, 'person', 'id'],
    [`/computers/${missingId}`, 'computer', 'id'],
    [`/computers/${missingId}/owner`, 'computer', 'computer_id'],
    [`/persons/${missingId}/computers`, 'person', 'id'],
  ] as const)
    rule('GET-5', `given the missing resource ${path}, the error names type and id`, async () => {
      const { detail } = assertError(await app.get(path), 404, { parameter })
      assert.match(detail, new RegExp(type, 'i'))
      assert.match(detail, new RegExp(missingId))
    })

  for (const path of ['/persons/abc', '/computers/abc/owner'])
    rule('GET-5', `given an id that is not a number, GET ${path} gets 404`, async () => {
      assertError(await app.get(path), 404)
    })

  rule('GET-6', 'every relationship can be fetched at its self link', async () => {
    const { ada, engine } = await createSamples(app)
    const computers = ada.relationships?.computers?.links?.self
    const owner = engine.relationships?.owner?.links?.self
    assert.deepEqual((await app.get(computers ?? '')).body.data, [identifier(engine)])
    assert.deepEqual((await app.get(owner ?? '')).body.data, identifier(ada))
  })

  rule('GET-7', 'a fetch of a relationship gets 200', async () => {
    const { ada, engine } = await createSamples(app)
    assert.equal((await app.get(`/persons/${ada.id}/relationships/computers`)).status, 200)
    assert.equal((await app.get(`/computers/${engine.id}/relationships/owner`)).status, 200)
  })

  rule('GET-8', 'the data of a relationship document is the linkage', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    const second = await app.computer({ serial: 'second' }, ada)
    const computers = await app.get(`/persons/${ada.id}/relationships/computers`)
    assert.deepEqual(computers.body.data, [identifier(engine), identifier(second)])
    const owner = await app.get(`/computers/${engine.id}/relationships/owner`)
    assert.deepEqual(owner.body.data, identifier(ada))
    const none = await app.get(`/computers/${orphan.id}/relationships/owner`)
    assert.equal(none.body.data, null)
  })

  rule('GET-9', 'a relationship document has the links of the relationship object', async () => {
    const { ada, engine } = await createSamples(app)
    const computers = await app.get(`/persons/${ada.id}/relationships/computers`)
    assert.deepEqual(computers.body.links, ada.relationships?.computers?.links)
    assert.deepEqual(Object.keys(computers.body.links ?? {}).sort(), ['related', 'self'])
    const owner = await app.get(`/computers/${engine.id}/relationships/owner`)
    assert.deepEqual(owner.body.links, engine.relationships?.owner?.links)
    assert.deepEqual(Object.keys(owner.body.links ?? {}).sort(), ['related', 'self'])
  })

  for (const path of [
    `/persons/${missingId}/relationships/computers`,
    `/computers/${missingId}/relationships/owner`,
  ])
    rule('GET-10', `given a missing resource, GET ${path} gets 404`, async () => {
      assertError(await app.get(path), 404, { parameter: 'id' })
    })

  for (const path of [
    '/persons/1/relationships/nope',
    '/persons/1/relationships/owner',
    '/persons/1/relationships/name',
    '/persons/1/relationships',
    '/computers/1/relationships/computers',
    '/computers/1/nope',
  ])
    rule('GET-10', `given an unknown relationship, GET ${path} gets 404`, async () => {
      await createSamples(app)
      assertError(await app.get(path), 404)
    })

  rule('GET-11', 'an empty relationship gets 200 with [] or null', async () => {
    const { rosa, orphan } = await createSamples(app)
    const computers = await app.get(`/persons/${rosa.id}/relationships/computers`)
    assert.equal(computers.status, 200)
    assert.deepEqual(computers.body.data, [])
    const owner = await app.get(`/computers/${orphan.id}/relationships/owner`)
    assert.equal(owner.status, 200)
    assert.equal(owner.body.data, null)
    assert.deepEqual(ids(await app.get(`/persons/${rosa.id}/computers`)), [])
  })
})
