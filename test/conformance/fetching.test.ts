import assert from 'node:assert/strict'
import type { Answer, World } from '../world.ts'
import { chapter, ids, rule } from '../world.ts'
import { allLinks } from './document-members.ts'
import { assertError, createSamples, identifier, missingId } from './samples.ts'

/** Follows every link from these paths on, each once, and hands back what was fetched. */
async function crawl(world: World, ...paths: string[]): Promise<Map<string, Answer>> {
  const fetched = new Map<string, Answer>()
  const open = [...paths]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (fetched.has(path)) continue
    const answer = await world.get(path)
    assert.equal(answer.status, 200, `${path}\n${answer.text}`)
    fetched.set(path, answer)
    open.push(...allLinks(answer.body))
  }
  return fetched
}

chapter('GET Fetching resources and relationships', (world: World) => {
  // GET-1 Every URL given as top-level `self`, resource `self` or relationship `related` can be
  // fetched.
  rule('GET-1', 'every link that is told can be fetched', async () => {
    await createSamples(world)
    const fetched = await crawl(world, '/persons?page[size]=2&include=computers', '/computers')
    // 3 persons and 3 computers with 3 links each, and 2 collections, the one in two pages and two spellings.
    assert.ok(fetched.size >= 6 * 3 + 4, [...fetched.keys()].join('\n'))
  })

  rule('GET-1', 'links lead back to the service where it has a base path', async () => {
    await world.restart({ basePath: '/api/v1' })
    await createSamples(world)
    const fetched = await crawl(world, '/api/v1/persons?include=computers', '/api/v1/computers')
    for (const path of fetched.keys()) {
      assert.equal(new URL(path, world.url).pathname.startsWith('/api/v1/'), true, path)
    }
    assert.ok(fetched.size >= 6 * 3 + 2, [...fetched.keys()].join('\n'))
  })

  // GET-2 Successful fetch → 200.
  rule('GET-2', 'a successful fetch is 200', async () => {
    const { ada, engine } = await createSamples(world)
    const collections = ['/persons', '/computers', `/persons/${ada.id}/computers`]
    const singles = [
      `/persons/${ada.id}`,
      `/computers/${engine.id}`,
      `/computers/${engine.id}/owner`,
    ]
    for (const path of [...collections, ...singles]) {
      assert.equal((await world.get(path)).status, 200, path)
    }
  })

  // GET-3 Fetching a collection gives an array of resource objects or `[]`.
  rule('GET-3', 'a collection is a list of resources, or an empty one', async () => {
    assert.deepEqual((await world.get('/persons')).body.data, [])
    assert.deepEqual((await world.get('/computers')).body.data, [])
    const { ada, grace, rosa, engine, compiler, orphan } = await createSamples(world)
    const persons = await world.get('/persons')
    assert.deepEqual(persons.many.map(identifier), [ada, grace, rosa].map(identifier))
    const computers = await world.get('/computers')
    assert.deepEqual(computers.many.map(identifier), [engine, compiler, orphan].map(identifier))
    const related = await world.get(`/persons/${ada.id}/computers`)
    assert.deepEqual(related.many.map(identifier), [identifier(engine)])
    assert.equal(related.many[0]?.attributes?.serial, 'engine')
    assert.deepEqual((await world.get(`/persons/${rosa.id}/computers`)).body.data, [])
  })

  // GET-4 Fetching one resource gives a resource object or `null`; `null` only where the URL could
  // hold one resource and does not now.
  rule('GET-4', 'one resource is an object, and null where there could be one', async () => {
    const { ada, engine, orphan } = await createSamples(world)
    assert.deepEqual((await world.get(`/persons/${ada.id}`)).one, ada)
    const owner = await world.get(`/computers/${engine.id}/owner`)
    assert.deepEqual(owner.one, ada)
    const none = await world.get(`/computers/${orphan.id}/owner`)
    assert.equal(none.status, 200)
    assert.equal(none.body.data, null)
    assert.ok(!('errors' in none.body))
  })

  // GET-5 A missing single resource → 404 (unless the `null` case applies).
  rule('GET-5', 'a resource that does not exist is 404, told by kind and id', async () => {
    await createSamples(world)
    for (const [path, kind, parameter] of [
      [`/persons/${missingId}`, 'person', 'id'],
      [`/computers/${missingId}`, 'computer', 'id'],
      [`/computers/${missingId}/owner`, 'computer', 'computer_id'],
      [`/persons/${missingId}/computers`, 'person', 'id'],
    ] as const) {
      const { detail } = assertError(await world.get(path), 404, { parameter })
      assert.match(detail, new RegExp(kind, 'i'), path)
      assert.match(detail, new RegExp(missingId), path)
    }
    assertError(await world.get('/persons/abc'), 404)
    assertError(await world.get('/computers/abc/owner'), 404)
  })

  // GET-6 Every relationship `self` URL can be fetched.
  rule('GET-6', 'every relationship can be fetched at its own link', async () => {
    const { ada, engine } = await createSamples(world)
    const computers = ada.relationships?.computers?.links?.self
    const owner = engine.relationships?.owner?.links?.self
    assert.deepEqual((await world.get(computers ?? '')).body.data, [identifier(engine)])
    assert.deepEqual((await world.get(owner ?? '')).body.data, identifier(ada))
  })

  // GET-7 Successful relationship fetch → 200.
  rule('GET-7', 'a successful fetch of a relationship is 200', async () => {
    const { ada, engine } = await createSamples(world)
    assert.equal((await world.get(`/persons/${ada.id}/relationships/computers`)).status, 200)
    assert.equal((await world.get(`/computers/${engine.id}/relationships/owner`)).status, 200)
  })

  // GET-8 Its primary data is the linkage.
  rule('GET-8', 'a relationship is told as linkage alone', async () => {
    const { ada, engine, orphan } = await createSamples(world)
    const second = await world.computer({ serial: 'second' }, ada)
    const computers = await world.get(`/persons/${ada.id}/relationships/computers`)
    assert.deepEqual(computers.body.data, [identifier(engine), identifier(second)])
    const owner = await world.get(`/computers/${engine.id}/relationships/owner`)
    assert.deepEqual(owner.body.data, identifier(ada))
    const none = await world.get(`/computers/${orphan.id}/relationships/owner`)
    assert.equal(none.body.data, null)
  })

  // GET-9 Its top-level links may hold `self` and `related`.
  rule('GET-9', 'a relationship has the links that its resource tells', async () => {
    const { ada, engine } = await createSamples(world)
    const computers = await world.get(`/persons/${ada.id}/relationships/computers`)
    assert.deepEqual(computers.body.links, ada.relationships?.computers?.links)
    assert.deepEqual(Object.keys(computers.body.links ?? {}).sort(), ['related', 'self'])
    const owner = await world.get(`/computers/${engine.id}/relationships/owner`)
    assert.deepEqual(owner.body.links, engine.relationships?.owner?.links)
    assert.deepEqual(Object.keys(owner.body.links ?? {}).sort(), ['related', 'self'])
  })

  // GET-10 Relationship URL that does not exist → 404.
  rule('GET-10', 'a relationship that does not exist is 404', async () => {
    const { ada, engine } = await createSamples(world)
    const parameter = 'id'
    const person = await world.get(`/persons/${missingId}/relationships/computers`)
    assertError(person, 404, { parameter })
    const computer = await world.get(`/computers/${missingId}/relationships/owner`)
    assertError(computer, 404, { parameter })
    for (const path of [
      `/persons/${ada.id}/relationships/nope`,
      `/persons/${ada.id}/relationships/owner`,
      `/persons/${ada.id}/relationships/name`,
      `/persons/${ada.id}/relationships`,
      `/computers/${engine.id}/relationships/computers`,
      `/computers/${engine.id}/nope`,
    ]) {
      assertError(await world.get(path), 404)
    }
  })

  // GET-11 Existing relationship URL with nothing in it → 200.
  rule('GET-11', 'an empty relationship is 200, with [] or null', async () => {
    const { rosa, orphan } = await createSamples(world)
    const computers = await world.get(`/persons/${rosa.id}/relationships/computers`)
    assert.equal(computers.status, 200)
    assert.deepEqual(computers.body.data, [])
    const owner = await world.get(`/computers/${orphan.id}/relationships/owner`)
    assert.equal(owner.status, 200)
    assert.equal(owner.body.data, null)
    assert.deepEqual(ids(await world.get(`/persons/${rosa.id}/computers`)), [])
  })
})
