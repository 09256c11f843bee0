import assert from 'node:assert/strict'
import type { TestService } from '../service-suite.ts'
import { describeService, ids, rule } from '../service-suite.ts'
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
const computer = { type: 'computer', attributes: { serial: 'new' } }

/** Client-generated ids of every JSON type, used and unused. */
const clientIds = ['1', '999999', 'c9f4e1b0-3f7e-4b4e-8d55-5d1c2b1d0e11', '', 7, null, true, {}, []]

/** Values of `relationships.computers` that are not relationship objects. */
const invalidRelationships = [{}, [], [{ type: 'computer', id: '1' }], null, 'x', 3]

describeService('Creating resources', (app: TestService) => {
  rule('CRE-1', 'a client can create persons, computers, and computers of a person', async () => {
    const person = await app.post('/persons', { data: ada })
    assert.equal(person.status, 201)
    assert.equal((await app.post('/computers', { data: computer })).status, 201)
    const nested = await app.post(`/persons/${person.one.id}/computers`, { data: computer })
    assert.equal(nested.status, 201)
    assert.deepEqual(await computersOf(app, person.one), [identifier(nested.one)])
    assert.equal(await countResources(app, '/computers'), 2)
  })

  for (const body of [
    {},
    { data: [ada] },
    { data: [] },
    { data: null },
    { data: 'x' },
    { data: 3 },
  ])
    rule('CRE-2', `given the body ${JSON.stringify(body)}, a create gets 400`, async () => {
      assertError(await app.post('/persons', body), 400)
      assert.equal(await countResources(app, '/persons'), 0)
    })

  for (const type of [undefined, null, 5, [], {}])
    rule('CRE-2', `given the type ${JSON.stringify(type)}, a create gets 400`, async () => {
      const { attributes } = ada
      const response = await app.post('/persons', { data: { type, attributes } })
      assertErrorWithin(response, 400, '/data')
      assert.equal(await countResources(app, '/persons'), 0)
    })

  for (const computers of invalidRelationships)
    rule(
      'CRE-3',
      `given the relationship ${JSON.stringify(computers)}, a create gets 400`,
      async () => {
        const data = { ...ada, relationships: { computers } }
        const response = await app.post('/persons', { data })
        assertErrorWithin(response, 400, '/data/relationships/computers')
        assert.equal(await countResources(app, '/persons'), 0)
      },
    )

  for (const data of [{ type: 'computer', id: '1' }, null, 'x', 3, {}])
    rule(
      'CRE-3',
      `given the linkage ${JSON.stringify(data)} of a to-many relationship, a create gets 400`,
      async () => {
        await createSamples(app)

        const body = { data: { ...ada, relationships: { computers: { data } } } }
        assertErrorWithin(
          await app.post('/persons', body),
          400,
          '/data/relationships/computers/data',
        )
        assert.equal(await countResources(app, '/persons'), 3)
      },
    )

  for (const data of [[{ type: 'person', id: '1' }], [], 'x', 3, {}])
    rule(
      'CRE-3',
      `given the linkage ${JSON.stringify(data)} of a to-one relationship, a create gets 400`,
      async () => {
        await createSamples(app)

        const body = { data: { ...computer, relationships: { owner: { data } } } }
        assertErrorWithin(await app.post('/computers', body), 400, '/data/relationships/owner/data')
        assert.equal(await countResources(app, '/computers'), 3)
      },
    )

  rule('CRE-3', 'the server ignores a relationship with only links', async () => {
    const computers = { links: { self: '/x', related: '/y' } }
    const response = await app.post('/persons', { data: { ...ada, relationships: { computers } } })
    assert.equal(response.status, 201, response.text)
    assert.deepEqual(await computersOf(app, response.one), [])
  })

  for (const id of clientIds)
    rule(
      'CRE-4',
      `given the id ${JSON.stringify(id)}, the server generates another id`,
      async () => {
        await app.person()
        const response = await app.post('/persons', { data: { ...ada, id } })
        assert.equal(response.status, 201, response.text)
        assert.equal(response.one.id, '2')
        assertError(await app.get(`/persons/${missingId}`), 404)
        assert.deepEqual(ids(await app.get('/persons')), ['1', '2'])
      },
    )

  rule('CRE-5', 'by default the server ignores a client-generated id', async () => {
    const response = await app.post('/computers', { data: { ...computer, id: missingId } })
    assert.equal(response.status, 201)
    assert.notEqual(response.one.id, missingId)
  })

  rule('CRE-5', 'given clientIds "forbid", a client-generated id gets 403', async () => {
    await app.restart({ clientIds: 'forbid' })
    const response = await app.post('/persons', { data: { ...ada, id: '5' } })
    assertError(response, 403, { pointer: '/data/id' })
    assert.equal(await countResources(app, '/persons'), 0)
    assert.equal((await app.post('/persons', { data: ada })).status, 201)
  })

  rule('CRE-6', 'a create gets 201', async () => {
    assert.equal((await app.post('/persons', { data: ada })).status, 201)
    assert.equal((await app.post('/computers', { data: computer })).status, 201)
  })

  rule('CRE-7', 'Location is a URL of the new resource', async () => {
    const created = await app.post('/persons', { data: ada })
    const { location } = created.headers
    assert.ok(location)
    assert.deepEqual((await app.get(location)).one, created.one)
  })

  rule('CRE-8', 'the response contains the new resource as a GET returns it', async () => {
    const person = await app.post('/persons', { data: ada })
    assert.equal(person.one.type, 'person')
    assert.deepEqual(person.one.attributes, {
      name: 'Ada',
      birth_date: null,
      gender: null,
      display_name: 'ADA <ada@example.org>',
    })
    assert.deepEqual(person.one, (await app.get(`/persons/${person.one.id}`)).one)
    const nested = await app.post(`/persons/${person.one.id}/computers`, { data: computer })
    assert.deepEqual(nested.one, (await app.get(`/computers/${nested.one.id}`)).one)
  })

  rule('CRE-8', 'given include, the response contains the same resources as a GET', async () => {
    const relationships = { owner: { data: identifier(await app.person()) } }
    const query = { include: 'owner' }
    const created = await app.post('/computers', { data: { ...computer, relationships } }, query)
    const fetched = await app.get(`/computers/${created.one.id}`, query)
    assert.deepEqual(created.one, fetched.one)
    assert.deepEqual(created.body.included, fetched.body.included)
  })

  rule('CRE-9', 'Location is the self link, also for a create at a related URL', async () => {
    const person = await app.post('/persons', { data: ada })
    assert.equal(person.headers.location, `/persons/${person.one.id}`)
    assert.equal(person.headers.location, person.one.links?.self)
    const nested = await app.post(`/persons/${person.one.id}/computers`, { data: computer })
    assert.equal(nested.headers.location, `/computers/${nested.one.id}`)
    assert.equal(nested.headers.location, nested.one.links?.self)
  })

  rule('CRE-9', 'given a base path, Location contains it as the self link does', async () => {
    await app.restart({ basePath: '/api' })
    const person = await app.post('/api/persons', { data: ada })
    assert.equal(person.headers.location, `/api/persons/${person.one.id}`)
    assert.equal(person.headers.location, person.one.links?.self)
  })

  rule('CRE-10', 'a create is complete when the server responds, so it is never 202', async () => {
    const response = await app.post('/persons', { data: ada })
    assert.notEqual(response.status, 202)
    assert.equal((await app.get(`/persons/${response.one.id}`)).status, 200)
  })

  rule('CRE-11', 'a create with a client-generated id gets 201 with the resource', async () => {
    const response = await app.post('/persons', { data: { ...ada, id: '77' } })
    assert.equal(response.status, 201)
    assert.equal(response.one.attributes?.name, 'Ada')
  })

  rule(
    'CRE-12',
    'given a path without creates, a POST gets 405 with the allowed methods',
    async () => {
      const { ada: person, engine } = await createSamples(app)
      for (const path of [`/persons/${person.id}`, `/computers/${engine.id}`]) {
        const response = await app.post(path, { data: ada })
        assertError(response, 405)
        const allowed = (response.headers.allow ?? '').split(/, */)
        assert.ok(allowed.includes('PATCH') && !allowed.includes('POST'), allowed.join())
      }
      assertError(await app.post(`/computers/${engine.id}/owner`, { data: ada }), 405)
      assert.equal(await countResources(app, '/persons'), 3)
    },
  )

  rule(
    'CRE-13',
    'given a missing member of a to-many relationship, a create gets 404',
    async () => {
      const { orphan } = await createSamples(app)
      const computers = { data: [identifier(orphan), missingComputer] }
      const response = await app.post('/persons', {
        data: { ...ada, relationships: { computers } },
      })
      const error = assertErrorWithin(response, 404, '/data/relationships/computers/data/1')
      assert.match(error.detail, new RegExp(missingId))
      assert.equal(await countResources(app, '/persons'), 3)
      assert.equal(await ownerOf(app, orphan), null)
    },
  )

  rule(
    'CRE-13',
    'given a missing to-one member or a missing parent, a create gets 404',
    async () => {
      const owner = { data: missingPerson }
      const response = await app.post('/computers', {
        data: { ...computer, relationships: { owner } },
      })
      assertErrorWithin(response, 404, '/data/relationships/owner/data')
      const nested = await app.post(`/persons/${missingId}/computers`, { data: computer })
      assertError(nested, 404, { parameter: 'id' })
      assert.equal(await countResources(app, '/computers'), 0)
    },
  )

  rule('CRE-14', 'the server ignores a client-generated id that exists', async () => {
    const first = await app.post('/persons', { data: ada })
    const data = { type: 'person', id: first.one.id, attributes: { name: 'Second' } }
    const second = await app.post('/persons', { data })
    assert.equal(second.status, 201)
    assert.notEqual(second.one.id, first.one.id)
    assert.equal((await app.get(`/persons/${first.one.id}`)).one.attributes?.name, 'Ada')
  })

  for (const [path, type] of [
    ['/persons', 'computer'],
    ['/persons', 'persons'],
    ['/persons', 'nope'],
    ['/computers', 'person'],
    ['/persons/1/computers', 'person'],
  ] as const)
    rule('CRE-15', `given the type ${type} at ${path}, a create gets 409`, async () => {
      await app.person()
      const attributes = { name: 'n', serial: 's' }
      assertError(await app.post(path, { data: { type, attributes } }), 409)
      assert.equal(await countResources(app, '/persons'), 1)
      assert.equal(await countResources(app, '/computers'), 0)
    })

  rule('CRE-16', 'given a wrong type, the error points at it and names both types', async () => {
    const response = await app.post('/persons', { data: computer })
    const { detail } = assertError(response, 409, { pointer: '/data/type' })
    assert.match(detail, /computer/)
    assert.match(detail, /person/)
  })

  rule(
    'CRE-16',
    'given another owner than the person in the path, the error points at it',
    async () => {
      const { ada: person, grace } = await createSamples(app)
      const path = `/persons/${person.id}/computers`
      for (const data of [identifier(grace), null]) {
        const response = await app.post(path, {
          data: { ...computer, relationships: { owner: { data } } },
        })
        assertErrorWithin(response, 409, '/data/relationships/owner')
      }
      assert.equal(await countResources(app, '/computers'), 3)
      const owner = { data: identifier(person) }
      const same = await app.post(path, { data: { ...computer, relationships: { owner } } })
      assert.equal(same.status, 201, same.text)
      assert.deepEqual(await ownerOf(app, same.one), identifier(person))
    },
  )
})
