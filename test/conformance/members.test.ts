import assert from 'node:assert/strict'
import type { World } from '../world.ts'
import { chapter, rule } from '../world.ts'
import { allMembers, isObject, membersNamed } from './document-members.ts'
import { fetchSamples } from './sample-responses.ts'
import { assertError, createSamples, identifier } from './samples.ts'

/** Every member name of the gallery, by where it stands. */
async function memberNames(world: World): Promise<[where: string, name: string][]> {
  const found = (await fetchSamples(world)).flatMap(({ asked, document }) =>
    [...allMembers(document)].map(({ pointer, name }): [string, string] => [
      `${asked}: ${pointer}`,
      name,
    ]),
  )
  assert.ok(found.length > 500, `the gallery shows only ${found.length} members`)
  return found
}

chapter('MET Meta', (world: World) => {
  // MET-1 Each `meta` is an object.
  rule('MET-1', 'every meta is an object', async () => {
    for (const { asked, document } of await fetchSamples(world)) {
      for (const found of membersNamed(document, 'meta')) assert.ok(isObject(found), asked)
    }
  })

  // MET-2 Any members may appear in `meta`.
  rule('MET-2', 'collections tell a count, deletes and relationship writes a message', async () => {
    const { ada, engine, orphan } = await createSamples(world)
    for (const [path, count] of [
      ['/persons', 3],
      ['/computers', 3],
      [`/persons/${ada.id}/computers`, 1],
    ] as const) {
      assert.deepEqual((await world.get(path)).body.meta, { count }, path)
    }
    const linkage = `/persons/${ada.id}/relationships/computers`
    const owner = `/computers/${engine.id}/relationships/owner`
    const created = { message: 'Relationship successfully created' }
    const updated = { message: 'Relationship successfully updated' }
    const deleted = { message: 'Object successfully deleted' }
    const more = { data: [identifier(orphan)] }
    assert.deepEqual((await world.post(linkage, more)).body.meta, created)
    assert.deepEqual((await world.delete(linkage, more)).body.meta, updated)
    assert.deepEqual((await world.patch(linkage, more)).body.meta, updated)
    assert.deepEqual((await world.patch(owner, { data: null })).body.meta, updated)
    assert.deepEqual((await world.post(owner, { data: identifier(ada) })).body.meta, created)
    assert.deepEqual((await world.delete(owner, { data: identifier(ada) })).body.meta, updated)
    assert.deepEqual((await world.delete(`/computers/${engine.id}`)).body.meta, deleted)
    assert.deepEqual((await world.delete(`/persons/${ada.id}`)).body.meta, deleted)
  })
})

chapter('API The jsonapi object', (world: World) => {
  // API-1 A document may carry `jsonapi`.
  rule('API-1', 'every body carries jsonapi, errors included', async () => {
    for (const { asked, answer } of await fetchSamples(world))
      assert.ok('jsonapi' in answer.body, asked)
  })

  // API-2 It is an object.
  rule('API-2', 'jsonapi is an object', async () => {
    for (const { asked, answer } of await fetchSamples(world)) {
      assert.ok(isObject(answer.body.jsonapi), asked)
    }
  })

  // API-3 It may hold `version`, a string naming the highest version supported.
  rule('API-3', 'the version is the text 1.0', async () => {
    for (const { asked, answer } of await fetchSamples(world)) {
      assert.equal(answer.body.jsonapi?.version, '1.0', asked)
    }
  })

  // API-4 It may hold `meta`.
  rule('API-4', 'jsonapi holds the version and nothing else', async () => {
    for (const { asked, answer } of await fetchSamples(world)) {
      assert.deepEqual(answer.body.jsonapi, { version: '1.0' }, asked)
    }
  })
})

chapter('NAM Member names', (world: World) => {
  // NAM-1 Names are case sensitive.
  rule('NAM-1', 'a name in another case is another name', async () => {
    const { ada } = await createSamples(world)
    const create = (type: string, attributes: unknown) =>
      world.post('/persons', { data: { type, attributes } })
    const answer = await create('person', { name: 'n', Name: 'x' })
    assertError(answer, 422, { pointer: '/data/attributes/Name' })
    assertError(await create('Person', { name: 'n' }), 409, { pointer: '/data/type' })
    assertError(await world.get('/persons', { sort: 'Name' }), 400, { parameter: 'sort' })
    assertError(await world.get('/persons', { include: 'Computers' }), 400, {
      parameter: 'include',
    })
    const filter = await world.get('/persons', { 'filter[Name]': 'Ada' })
    assertError(filter, 400, { parameter: 'filter[Name]' })
    const fields = await world.get('/persons', { 'fields[Person]': 'name' })
    assertError(fields, 400, { parameter: 'fields[Person]' })
    const data = { ...identifier(ada), attributes: { NAME: 'x' } }
    assertError(await world.patch(`/persons/${ada.id}`, { data }), 422)
    assert.equal((await world.get(`/persons/${ada.id}`)).one.attributes?.name, 'Ada')
    assert.equal((await world.get('/Persons')).status, 404)
  })

  // NAM-2 A name has at least one character.
  rule('NAM-2', 'no member name is empty', async () => {
    for (const [where, name] of await memberNames(world)) assert.notEqual(name, '', where)
  })

  // NAM-3 Only allowed characters: a-z A-Z 0-9, U+0080 and above, and inside only `-` `_` space.
  rule('NAM-3', 'member names hold letters, digits, and - _ and space alone', async () => {
    for (const [where, name] of await memberNames(world)) {
      assert.match(name, /^[A-Za-z0-9\u0080-\uFFFF _-]+$/, where)
    }
  })

  // NAM-4 First and last character is a globally allowed one (not `-`, `_`, space).
  rule('NAM-4', 'member names begin and end with a letter or digit', async () => {
    for (const [where, name] of await memberNames(world)) {
      assert.match(name, /^[A-Za-z0-9\u0080-\uFFFF]/, where)
      assert.match(name, /[A-Za-z0-9\u0080-\uFFFF]$/, where)
    }
  })

  // NAM-5 a-z, A-Z, 0-9 and non-ASCII may stand anywhere.
  rule('NAM-5', 'a document may hold members named in any letters', async () => {
    const more = { Größe9: 1, 名前: { 'É-1': 2 } }
    const data = { type: 'person', attributes: { name: 'n' }, ...more }
    const answer = await world.post('/persons', { ...more, data, meta: more })
    assert.equal(answer.status, 201, answer.text)
  })

  // NAM-6 Reserved characters never appear: every ASCII punctuation mark other than `-` and `_`,
  // DEL, and the C0 controls.
  rule('NAM-6', 'no member name holds punctuation or a control character', async () => {
    for (const [where, name] of await memberNames(world)) {
      assert.doesNotMatch(name, /[!-,./:-@[-^`{-~\p{Cc}]/u, where)
    }
  })

  // NAM-7 Use only URL-safe unreserved characters.
  rule('NAM-7', 'member names are safe in a URL as they are', async () => {
    for (const [where, name] of await memberNames(world)) {
      assert.match(name, /^[A-Za-z0-9_-]+$/, where)
    }
  })
})
