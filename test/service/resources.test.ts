import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService, ids } from '../service-suite.ts'
import { assertErrors, assertStatus } from './assert-errors.ts'
import { count, enter, identifier, labels, linkedIds } from './people.ts'

const person = (attributes: Record<string, unknown>, relationships?: Record<string, unknown>) => ({
  data: { type: 'person', attributes, ...(relationships && { relationships }) },
})
const computer = (
  attributes: Record<string, unknown>,
  relationships?: Record<string, unknown>,
) => ({
  data: { type: 'computer', attributes, ...(relationships && { relationships }) },
})

describeService('Collections and resources', (app) => {
  it('GET /persons and GET /computers return the resources in the order of their ids', async () => {
    const { ada, alan, grace, odd, eniac, zuse, mark, orphan } = await enter(app)
    const persons = await app.get('/persons')
    assertStatus(persons, 200)
    assert.deepEqual(persons.many, [ada, alan, grace, odd])
    assert.equal(persons.body.meta?.count, 4)
    const computers = await app.get('/computers')
    assertStatus(computers, 200)
    assert.deepEqual(computers.many, [eniac, zuse, mark, orphan])
    assert.equal(computers.body.meta?.count, 4)
  })

  it('given an empty collection, then the response is 200 with an empty list', async () => {
    const response = await app.get('/persons')
    assertStatus(response, 200)
    assert.deepEqual([response.many, response.body.meta], [[], { count: 0 }])
  })

  it('GET /persons/<id> and GET /computers/<id> return one resource', async () => {
    const { ada, eniac } = await enter(app)
    assert.deepEqual((await app.get(`/persons/${ada.id}`)).one, ada)
    assert.deepEqual((await app.get(`/computers/${eniac.id}`)).one, eniac)
  })

  it('GET /computers/<computer_id>/owner returns the owner, as GET /persons/<id> does', async () => {
    const { ada, eniac } = await enter(app)
    const response = await app.get(`/computers/${eniac.id}/owner`)
    assertStatus(response, 200)
    assert.deepEqual(response.one, ada)
  })

  it('given a computer without an owner, then GET /computers/<computer_id>/owner is 200 with data null', async () => {
    const { orphan } = await enter(app)
    const response = await app.get(`/computers/${orphan.id}/owner`)
    assertStatus(response, 200)
    assert.equal(response.body.data, null)
    assert.deepEqual(response.body.links, { self: `/computers/${orphan.id}/owner` })
  })

  it('GET /persons/<id>/computers returns the computers of the person, page links and meta.count', async () => {
    const { ada, odd, eniac, zuse } = await enter(app)
    const response = await app.get(`/persons/${ada.id}/computers`, { 'page[size]': '1' })
    assertStatus(response, 200)
    assert.deepEqual(response.many, [eniac])
    assert.equal(response.body.meta?.count, 2)
    assert.deepEqual((await app.get(response.body.links?.next ?? '')).many, [zuse])
    const none = await app.get(`/persons/${odd.id}/computers`)
    assert.deepEqual([none.many, none.body.meta], [[], { count: 0 }])
  })
})

describeService('Creates', (app) => {
  for (const [path, body] of [
    ['/persons', person({ name: 'Ada', email: 'ada@example.org', birth_date: '1815-12-10' })],
    ['/computers', computer({ serial: 'ENIAC' })],
  ] as const)
    it(`POST ${path} is 201 with the resource as GET returns it`, async () => {
      const created = await app.post(path, body)
      assertStatus(created, 201)
      assert.deepEqual((await app.get(`${path}/${created.one.id}`)).one, created.one)
    })

  it('POST /persons links the computers of the body, also those of other owners', async () => {
    const { ada, eniac, zuse, orphan } = await enter(app)
    const computers = { data: [identifier(eniac), identifier(orphan)] }
    const created = await app.post('/persons', person({ name: 'Eve' }, { computers }))
    assertStatus(created, 201)
    assert.deepEqual(ids(await app.get(`/persons/${created.one.id}/computers`)), [
      eniac.id,
      orphan.id,
    ])
    assert.deepEqual(ids(await app.get(`/persons/${ada.id}/computers`)), [zuse.id])
  })

  it('POST /computers links the owner of the body, or none for null', async () => {
    const { alan } = await enter(app)
    const owned = await app.post(
      '/computers',
      computer({ serial: 'x' }, { owner: { data: identifier(alan) } }),
    )
    assertStatus(owned, 201)
    assert.equal((await app.get(`/computers/${owned.one.id}/owner`)).one.id, alan.id)
    const free = await app.post('/computers', computer({ serial: 'y' }, { owner: { data: null } }))
    assertStatus(free, 201)
    assert.equal((await app.get(`/computers/${free.one.id}/owner`)).body.data, null)
  })

  it('POST /persons/<id>/computers is 201, and the computer is linked to the person', async () => {
    const { odd } = await enter(app)
    const created = await app.post(`/persons/${odd.id}/computers`, computer({ serial: 'new' }))
    assertStatus(created, 201)
    assert.equal(created.headers.location, `/computers/${created.one.id}`)
    assert.deepEqual(ids(await app.get(`/persons/${odd.id}/computers`)), [created.one.id])
  })

  it('POST /persons/<id>/computers accepts a body with the same owner', async () => {
    const { odd } = await enter(app)
    const body = computer({ serial: 'new' }, { owner: { data: identifier(odd) } })
    assertStatus(await app.post(`/persons/${odd.id}/computers`, body), 201)
    assert.equal(await count(app, `/persons/${odd.id}/computers`), 1)
  })

  it('POST /persons/<id>/computers rejects a body with another owner, or null', async () => {
    const { odd, ada } = await enter(app)
    for (const data of [identifier(ada), null]) {
      const body = computer({ serial: 'new' }, { owner: { data } })
      const at = /^\/data\/relationships\/owner(\/data)?$/
      assertErrors(await app.post(`/persons/${odd.id}/computers`, body), 409, {
        status: 409,
        at,
      })
    }
    assert.equal(await count(app, '/computers'), 4)
  })

  it('given a missing related resource, then nothing is created', async () => {
    const { orphan } = await enter(app)
    const computers = { data: [identifier(orphan), { type: 'computer', id: '999999' }] }
    assertErrors(await app.post('/persons', person({ name: 'Eve' }, { computers })), 404, {
      status: 404,
      at: /^\/data\/relationships\/computers\/data\/1(\/id)?$/,
      says: ['computer', '999999'],
    })
    assert.equal(await count(app, '/persons'), 4)
    assert.equal((await app.get(`/computers/${orphan.id}/owner`)).body.data, null)
  })
})

describeService('Updates', (app) => {
  it('PATCH is 200 with the complete resource, as GET returns it', async () => {
    const { ada, eniac } = await enter(app)
    for (const [resource, attributes] of [
      [ada, { name: 'Augusta', gender: null }],
      [eniac, { serial: 'EDVAC' }],
    ] as const) {
      const path = resource.links?.self ?? ''
      const response = await app.patch(path, { data: { ...identifier(resource), attributes } })
      assertStatus(response, 200)
      assert.deepEqual((await app.get(path)).one, response.one)
    }
    assert.equal((await app.get(`/computers/${eniac.id}`)).one.attributes?.serial, 'EDVAC')
  })

  it('change attributes and relationships in one request', async () => {
    const { ada, eniac, orphan } = await enter(app)
    const data = {
      ...identifier(ada),
      attributes: { name: 'Augusta' },
      relationships: { computers: { data: [identifier(orphan)] } },
    }
    const response = await app.patch(`/persons/${ada.id}`, { data }, { include: 'computers' })
    assertStatus(response, 200)
    assert.equal(response.one.attributes?.name, 'Augusta')
    assert.deepEqual(linkedIds(response.one, 'computers'), [orphan.id])
    assert.equal((await app.get(`/computers/${eniac.id}/owner`)).body.data, null)
  })

  it('given a to-many relationship, then its set is replaced, also by an empty one', async () => {
    const { ada, eniac, mark } = await enter(app)
    const set = async (data: unknown[]) => {
      const body = { data: { ...identifier(ada), relationships: { computers: { data } } } }
      assertStatus(await app.patch(`/persons/${ada.id}`, body), 200)
      return ids(await app.get(`/persons/${ada.id}/computers`))
    }
    assert.deepEqual(await set([identifier(eniac), identifier(mark)]), [eniac.id, mark.id])
    assert.deepEqual(await set([identifier(mark), identifier(mark)]), [mark.id])
    assert.deepEqual(await set([]), [])
    assert.equal(await count(app, '/computers'), 4)
  })

  it('given a to-one relationship, then it is set or removed', async () => {
    const { alan, eniac } = await enter(app)
    const set = async (data: unknown) => {
      const body = { data: { ...identifier(eniac), relationships: { owner: { data } } } }
      assertStatus(await app.patch(`/computers/${eniac.id}`, body), 200)
      return (await app.get(`/computers/${eniac.id}/relationships/owner`)).body.data
    }
    assert.deepEqual(await set(identifier(alan)), identifier(alan))
    assert.equal(await set(null), null)
  })

  it('keep relationships that the body does not have', async () => {
    const { ada, eniac, zuse } = await enter(app)
    const data = { ...identifier(ada), attributes: { name: 'Augusta' } }
    const response = await app.patch(`/persons/${ada.id}`, { data }, { include: 'computers' })
    assert.deepEqual(linkedIds(response.one, 'computers'), [eniac.id, zuse.id])
  })

  it('given an error, then nothing is changed', async () => {
    const { ada, eniac, zuse, orphan } = await enter(app)
    const missing = { type: 'computer', id: '999999' }
    const data = {
      ...identifier(ada),
      attributes: { name: 'Augusta' },
      relationships: { computers: { data: [identifier(orphan), missing] } },
    }
    assertStatus(await app.patch(`/persons/${ada.id}`, { data }), 404)
    const now = await app.get(`/persons/${ada.id}`, { include: 'computers' })
    assert.equal(now.one.attributes?.name, 'Ada Lovelace')
    assert.deepEqual(linkedIds(now.one, 'computers'), [eniac.id, zuse.id])
    const owner = { data: { type: 'person', id: '999999' } }
    const attributes = { serial: 'EDVAC' }
    const body = { data: { ...identifier(eniac), attributes, relationships: { owner } } }
    const at = /^\/data\/relationships\/owner\/data(\/id)?$/
    assertErrors(await app.patch(`/computers/${eniac.id}`, body), 404, {
      status: 404,
      at,
      says: ['person', '999999'],
    })
    assert.deepEqual(labels(await app.get('/computers')), ['ENIAC', 'Zuse_Z3', 'Mark', 'Orphan'])
  })

  it('require data.id', async () => {
    const { ada } = await enter(app)
    const response = await app.patch(`/persons/${ada.id}`, person({ name: 'Augusta' }))
    assertErrors(response, 400, { status: 400, at: /^\/data(\/id)?$/, says: 'id' })
    assert.equal((await app.get(`/persons/${ada.id}`)).one.attributes?.name, 'Ada Lovelace')
  })

  for (const [method, path, id] of [
    ['POST', '/persons', undefined],
    ['POST', '/computers', undefined],
    ['POST', '/persons/1/computers', undefined],
    ['PATCH', '/persons/1', '1'],
    ['PATCH', '/computers/1', '1'],
  ] as const)
    it(`given a type that is not that of the path, then ${method} ${path} is rejected`, async () => {
      await enter(app)

      const wrong =
        path.startsWith('/persons') && !path.endsWith('/computers') ? 'computer' : 'person'
      for (const type of [wrong, 'Person', 'persons', '', '__proto__']) {
        const body = { data: { type, ...(id !== undefined && { id }), attributes: {} } }
        const response = await app.call(method, path, { body })
        assertErrors(response, 409, { status: 409, at: '/data/type' })
      }
      assert.equal(await count(app, '/persons'), 4)
    })
})

describeService('Deletions', (app) => {
  it('DELETE is 200 with a message, and the resource does not exist any more', async () => {
    const { ada, eniac } = await enter(app)
    for (const path of [`/persons/${ada.id}`, `/computers/${eniac.id}`]) {
      const response = await app.delete(path)
      assertStatus(response, 200)
      assert.deepEqual(response.body.meta, { message: 'Object successfully deleted' })
      assertStatus(await app.get(path), 404)
      assertStatus(await app.delete(path), 404)
    }
    assert.equal(await count(app, '/persons'), 3)
    assert.equal(await count(app, '/computers'), 3)
  })
})
