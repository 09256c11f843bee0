import assert from 'node:assert/strict'
import type { World } from '../world.ts'
import { chapter, ids, rule } from '../world.ts'
import {
  assertError,
  assertErrorWithin,
  computersOf,
  countResources,
  createSamples,
  identifier,
  missingComputer,
  missingId,
  missingPerson,
  ownerOf,
} from './samples.ts'

const ada = { type: 'person', attributes: { name: 'Ada', email: 'ada@example.org' } }
const serial = { type: 'computer', attributes: { serial: 'new' } }

/** Ids that clients send of their own: those in use and not, of every JSON type. */
const clientIds = ['1', '999999', 'c9f4e1b0-3f7e-4b4e-8d55-5d1c2b1d0e11', '', 7, null, true, {}, []]

chapter('CRE Creating', (world: World) => {
  // CRE-1 Types may be creatable.
  rule('CRE-1', 'persons and computers can be created, computers also below a person', async () => {
    const person = await world.post('/persons', { data: ada })
    assert.equal(person.status, 201)
    assert.equal((await world.post('/computers', { data: serial })).status, 201)
    const nested = await world.post(`/persons/${person.one.id}/computers`, { data: serial })
    assert.equal(nested.status, 201)
    assert.deepEqual(await computersOf(world, person.one), [identifier(nested.one)])
    assert.equal(await countResources(world, '/computers'), 2)
  })

  // CRE-2 The request has one resource object as primary data, with `type` (client duty; server
  // rejects otherwise).
  rule('CRE-2', 'anything but one resource object with a type is refused', async () => {
    for (const body of [
      {},
      { data: [ada] },
      { data: [] },
      { data: null },
      { data: 'x' },
      { data: 3 },
    ]) {
      assertError(await world.post('/persons', body), 400)
    }
    const { attributes } = ada
    for (const type of [undefined, null, 5, [], {}]) {
      assertErrorWithin(await world.post('/persons', { data: { type, attributes } }), 400, '/data')
    }
    assert.equal(await countResources(world, '/persons'), 0)
  })

  // CRE-3 Each relationship given is an object with `data` (client duty).
  rule(
    'CRE-3',
    'a relationship that is no object, or has neither data nor links, is refused',
    async () => {
      const { orphan } = await createSamples(world)
      for (const computers of [{}, [], [identifier(orphan)], null, 'x', 3]) {
        const data = { ...ada, relationships: { computers } }
        const answer = await world.post('/persons', { data })
        assertErrorWithin(answer, 400, '/data/relationships/computers')
      }
      assert.equal(await countResources(world, '/persons'), 3)
    },
  )

  rule('CRE-3', 'linkage of the wrong arity is refused', async () => {
    const { ada: owner, orphan } = await createSamples(world)
    for (const data of [identifier(orphan), null, 'x', 3, {}]) {
      const body = { data: { ...ada, relationships: { computers: { data } } } }
      assertErrorWithin(
        await world.post('/persons', body),
        400,
        '/data/relationships/computers/data',
      )
    }
    for (const data of [[identifier(owner)], [], 'x', 3, {}]) {
      const body = { data: { ...serial, relationships: { owner: { data } } } }
      assertErrorWithin(await world.post('/computers', body), 400, '/data/relationships/owner/data')
    }
    assert.equal(await countResources(world, '/persons'), 3)
    assert.equal(await countResources(world, '/computers'), 3)
  })

  rule('CRE-3', 'a relationship with links alone is ignored', async () => {
    const computers = { links: { self: '/x', related: '/y' } }
    const answer = await world.post('/persons', { data: { ...ada, relationships: { computers } } })
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(await computersOf(world, answer.one), [])
  })

  // CRE-4 Client-generated ids may be accepted; they must come in `id` and be universally unique.
  rule('CRE-4', 'an id that a client makes up is not taken', async () => {
    for (const id of clientIds) {
      const answer = await world.post('/persons', { data: { ...ada, id } })
      assert.equal(answer.status, 201, answer.text)
      assert.match(answer.one.id, /^[1-9][0-9]*$/)
      assert.notEqual(answer.one.id, missingId)
    }
    assertError(await world.get(`/persons/${missingId}`), 404)
    const all = ids(await world.get('/persons'))
    assert.equal(new Set(all).size, clientIds.length)
  })

  // CRE-5 Unsupported client-generated id → 403.
  rule('CRE-5', 'a sent id is discarded by default', async () => {
    const answer = await world.post('/computers', { data: { ...serial, id: missingId } })
    assert.equal(answer.status, 201)
    assert.notEqual(answer.one.id, missingId)
  })

  rule(
    'CRE-5',
    'where client ids are forbidden, a sent id is 403 and nothing is created',
    async () => {
      await world.restart({ clientIds: 'forbid' })
      assertError(await world.post('/persons', { data: { ...ada, id: '5' } }), 403, {
        pointer: '/data/id',
      })
      assert.equal(await countResources(world, '/persons'), 0)
      assert.equal((await world.post('/persons', { data: ada })).status, 201)
    },
  )

  // CRE-6 Created, no client id → 201.
  rule('CRE-6', 'a creation is 201', async () => {
    assert.equal((await world.post('/persons', { data: ada })).status, 201)
    assert.equal((await world.post('/computers', { data: serial })).status, 201)
  })

  // CRE-7 `Location` names the new resource.
  rule('CRE-7', 'Location leads to what was created', async () => {
    const created = await world.post('/persons', { data: ada })
    const { location } = created.headers
    assert.ok(location)
    assert.deepEqual((await world.get(location)).one, created.one)
  })

  // CRE-8 The 201 body holds the created resource.
  rule('CRE-8', 'the answer tells the created resource as a GET does', async () => {
    const person = await world.post('/persons', { data: ada })
    assert.equal(person.one.type, 'person')
    assert.deepEqual(person.one.attributes, {
      name: 'Ada',
      birth_date: null,
      gender: null,
      display_name: 'ADA <ada@example.org>',
    })
    assert.deepEqual(person.one, (await world.get(`/persons/${person.one.id}`)).one)
    const hers = { owner: { data: identifier(person.one) } }
    const query = { include: 'owner' }
    const computer = await world.post(
      '/computers',
      { data: { ...serial, relationships: hers } },
      query,
    )
    const read = await world.get(`/computers/${computer.one.id}`, query)
    assert.deepEqual(computer.one, read.one)
    assert.deepEqual(computer.body.included, read.body.included)
    const nested = await world.post(`/persons/${person.one.id}/computers`, { data: serial })
    assert.deepEqual(nested.one, (await world.get(`/computers/${nested.one.id}`)).one)
  })

  // CRE-9 `Location` equals the resource `links.self`.
  rule('CRE-9', 'Location is the self link of the resource, never the nested path', async () => {
    const person = await world.post('/persons', { data: ada })
    assert.equal(person.headers.location, `/persons/${person.one.id}`)
    assert.equal(person.headers.location, person.one.links?.self)
    const nested = await world.post(`/persons/${person.one.id}/computers`, { data: serial })
    assert.equal(nested.headers.location, `/computers/${nested.one.id}`)
    assert.equal(nested.headers.location, nested.one.links?.self)
  })

  rule('CRE-9', 'Location carries the base path, as the self link does', async () => {
    await world.restart({ basePath: '/api' })
    const person = await world.post('/api/persons', { data: ada })
    assert.equal(person.headers.location, `/api/persons/${person.one.id}`)
    assert.equal(person.headers.location, person.one.links?.self)
  })

  // CRE-10 Accepted but not finished → 202.
  rule('CRE-10', 'a creation is finished when it is answered, never 202', async () => {
    const answer = await world.post('/persons', { data: ada })
    assert.notEqual(answer.status, 202)
    assert.equal((await world.get(`/persons/${answer.one.id}`)).status, 200)
  })

  // CRE-11 With a client id: 201 + document or 204.
  rule('CRE-11', 'a creation with a sent id is 201 with the resource', async () => {
    const answer = await world.post('/persons', { data: { ...ada, id: '77' } })
    assert.equal(answer.status, 201)
    assert.equal(answer.one.attributes?.name, 'Ada')
  })

  // CRE-12 Unsupported create → 403.
  rule(
    'CRE-12',
    'a path where nothing can be created is 405, telling what can be done',
    async () => {
      const { ada: person, engine } = await createSamples(world)
      for (const path of [`/persons/${person.id}`, `/computers/${engine.id}`]) {
        const answer = await world.post(path, { data: ada })
        assertError(answer, 405)
        const allowed = (answer.headers.allow ?? '').split(/, */)
        assert.ok(allowed.includes('PATCH') && !allowed.includes('POST'), allowed.join())
      }
      assertError(await world.post(`/computers/${engine.id}/owner`, { data: ada }), 405)
      assert.equal(await countResources(world, '/persons'), 3)
    },
  )

  // CRE-13 Request names a related resource that does not exist → 404.
  rule(
    'CRE-13',
    'a related resource that does not exist is 404 and nothing is created',
    async () => {
      const { orphan } = await createSamples(world)
      const computers = { data: [identifier(orphan), missingComputer] }
      const person = await world.post('/persons', {
        data: { ...ada, relationships: { computers } },
      })
      const fault = assertErrorWithin(person, 404, '/data/relationships/computers/data/1')
      assert.match(fault.detail, new RegExp(missingId))
      const owner = { data: missingPerson }
      const computer = await world.post('/computers', {
        data: { ...serial, relationships: { owner } },
      })
      assertErrorWithin(computer, 404, '/data/relationships/owner/data')
      const nested = await world.post(`/persons/${missingId}/computers`, { data: serial })
      assertError(nested, 404, { parameter: 'id' })
      assert.equal(await countResources(world, '/persons'), 3)
      assert.equal(await countResources(world, '/computers'), 3)
      assert.equal(await ownerOf(world, orphan), null)
    },
  )

  // CRE-14 Client id already in use → 409.
  rule('CRE-14', 'a sent id that is in use is discarded like any other', async () => {
    const first = await world.post('/persons', { data: ada })
    const data = { type: 'person', id: first.one.id, attributes: { name: 'Second' } }
    const second = await world.post('/persons', { data })
    assert.equal(second.status, 201)
    assert.notEqual(second.one.id, first.one.id)
    assert.equal((await world.get(`/persons/${first.one.id}`)).one.attributes?.name, 'Ada')
  })

  // CRE-15 `type` not of this collection → 409.
  rule('CRE-15', 'a type that is not of the collection is 409', async () => {
    const { ada: person } = await createSamples(world)
    for (const [path, type] of [
      ['/persons', 'computer'],
      ['/persons', 'persons'],
      ['/persons', 'nope'],
      ['/computers', 'person'],
      [`/persons/${person.id}/computers`, 'person'],
    ] as const) {
      const attributes = { name: 'n', serial: 's' }
      assertError(await world.post(path, { data: { type, attributes } }), 409)
    }
    assert.equal(await countResources(world, '/persons'), 3)
    assert.equal(await countResources(world, '/computers'), 3)
  })

  // CRE-16 409 explains the source of the conflict.
  rule('CRE-16', 'a conflict of types points at the type and names both', async () => {
    const answer = await world.post('/persons', { data: serial })
    const { detail } = assertError(answer, 409, { pointer: '/data/type' })
    assert.match(detail, /computer/)
    assert.match(detail, /person/)
  })

  rule(
    'CRE-16',
    'a computer of one person sent to another, or to nobody, points at its owner',
    async () => {
      const { ada: person, grace } = await createSamples(world)
      const path = `/persons/${person.id}/computers`
      for (const data of [identifier(grace), null]) {
        const answer = await world.post(path, {
          data: { ...serial, relationships: { owner: { data } } },
        })
        assertErrorWithin(answer, 409, '/data/relationships/owner')
      }
      assert.equal(await countResources(world, '/computers'), 3)
      const owner = { data: identifier(person) }
      const same = await world.post(path, { data: { ...serial, relationships: { owner } } })
      assert.equal(same.status, 201, same.text)
      assert.deepEqual(await ownerOf(world, same.one), identifier(person))
    },
  )
})
