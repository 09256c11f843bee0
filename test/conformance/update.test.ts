import assert from 'node:assert/strict'
import type { Query, Resource, TestResponse, TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import {
  assertError,
  assertErrorWithin,
  computersOf,
  createSamples,
  identifier,
  missingComputer,
  missingId,
  missingPerson,
  ownerOf,
} from './samples.ts'

/** Returns the path of a resource. */
function pathOf({ type, id }: Resource): string {
  return `/${type}s/${id}`
}

describeService('Updating resources', (app: TestService) => {
  /** Updates a resource. */
  function update(resource: Resource, changes: object, query?: Query): Promise<TestResponse> {
    return app.patch(pathOf(resource), { data: { ...identifier(resource), ...changes } }, query)
  }

  async function fetch(resource: Resource): Promise<Resource> {
    return (await app.get(pathOf(resource))).one
  }

  rule('UPD-1', 'a client can update and delete persons and computers', async () => {
    const { ada, engine } = await createSamples(app)
    assert.equal((await update(ada, { attributes: { name: 'A' } })).status, 200)
    assert.equal((await update(engine, { attributes: { serial: 's' } })).status, 200)
    assert.equal((await app.delete(pathOf(engine))).status, 200)
    assert.equal((await app.delete(pathOf(ada))).status, 200)
  })

  const person = { type: 'person', id: '1', attributes: { name: 'Changed' } }
  for (const body of [{}, { data: [person] }, { data: [] }, { data: null }, { data: 'x' }])
    rule('UPD-2', `given the body ${JSON.stringify(body)}, an update gets 400`, async () => {
      const before = await app.person()
      assertError(await app.patch('/persons/1', body), 400)
      assert.deepEqual(await fetch(before), before)
    })

  for (const [title, change] of [
    ['no type', { type: undefined }],
    ['no id', { id: undefined }],
    ['a number as type', { type: 5 }],
  ] as const)
    rule('UPD-2', `given ${title}, an update gets 400`, async () => {
      const before = await app.person()
      const response = await app.patch('/persons/1', { data: { ...person, ...change } })
      assertErrorWithin(response, 400, '/data')
      assert.deepEqual(await fetch(before), before)
    })

  for (const [name, value] of [
    ['name', 'Augusta'],
    ['birth_date', '1815-12-11'],
    ['gender', 'female'],
    ['gender', null],
  ] as const)
    rule('UPD-3', `an update may have only the attribute ${name}, ${value}`, async () => {
      const { ada } = await createSamples(app)
      const response = await update(ada, { attributes: { [name]: value } })
      assert.equal(response.status, 200, response.text)
      assert.equal(response.one.attributes?.[name], value)
    })

  rule('UPD-3', 'an update may have only the write-only attribute email', async () => {
    const { ada } = await createSamples(app)
    const response = await update(ada, { attributes: { email: 'a@example.org' } })
    assert.equal(response.one.attributes?.display_name, 'ADA <a@example.org>')
  })

  rule('UPD-4', 'attributes that are not in the request keep their values', async () => {
    const { ada } = await createSamples(app)
    const response = await update(ada, { attributes: { name: 'Augusta' } })
    assert.deepEqual(response.one.attributes, {
      ...ada.attributes,
      name: 'Augusta',
      display_name: 'AUGUSTA <ada@example.org>',
    })
    const before = await fetch(ada)
    for (const changes of [{}, { attributes: {} }, { relationships: {} }]) {
      const same = await update(ada, changes)
      assert.equal(same.status, 200, same.text)
      assert.deepEqual(same.one, before)
      assert.deepEqual(await fetch(ada), before)
    }
  })

  rule('UPD-5', 'an update may have only relationships', async () => {
    const { ada, grace, engine, orphan } = await createSamples(app)
    const computers = { data: [identifier(engine), identifier(orphan)] }
    assert.equal((await update(ada, { relationships: { computers } })).status, 200)
    assert.deepEqual(await computersOf(app, ada), computers.data)
    const owner = { data: identifier(grace) }
    assert.equal((await update(orphan, { relationships: { owner } })).status, 200)
    assert.deepEqual(await ownerOf(app, orphan), owner.data)
    assert.equal((await fetch(orphan)).attributes?.serial, 'orphan')
  })

  rule('UPD-6', 'relationships that are not in the request keep their values', async () => {
    const { ada, engine } = await createSamples(app)
    await update(ada, { attributes: { name: 'A' } })
    await update(engine, { attributes: { serial: 's' } })
    assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
    assert.deepEqual(await ownerOf(app, engine), identifier(ada))
  })

  rule('UPD-7', 'a relationship in the request replaces the current one', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    const computers = (data: unknown) => update(ada, { relationships: { computers: { data } } })
    assert.equal((await computers([identifier(orphan)])).status, 200)
    assert.deepEqual(await computersOf(app, ada), [identifier(orphan)])
    assert.equal(await ownerOf(app, engine), null)
    assert.equal((await computers([])).status, 200)
    assert.deepEqual(await computersOf(app, ada), [])
    const owner = (data: unknown) => update(engine, { relationships: { owner: { data } } })
    assert.equal((await owner(identifier(ada))).status, 200)
    assert.deepEqual(await ownerOf(app, engine), identifier(ada))
    assert.equal((await owner(null)).status, 200)
    assert.equal(await ownerOf(app, engine), null)
  })

  for (const relationship of [{}, [], null, 'x'])
    rule(
      'UPD-7',
      `given the relationship ${JSON.stringify(relationship)} without data, an update gets 400`,
      async () => {
        const { ada, engine } = await createSamples(app)
        const computers = await update(ada, { relationships: { computers: relationship } })
        assertErrorWithin(computers, 400, '/data/relationships/computers')
        const owner = await update(engine, { relationships: { owner: relationship } })
        assertErrorWithin(owner, 400, '/data/relationships/owner')
      },
    )

  rule('UPD-7', 'given a relationship with only links, an update ignores it', async () => {
    const { ada, engine } = await createSamples(app)
    const computers = { links: ada.relationships?.computers?.links }
    assert.equal((await update(ada, { relationships: { computers } })).status, 200)
    assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
  })

  rule(
    ['UPD-8', 'UPD-9'],
    'a full replacement of a to-many relationship is supported',
    async () => {
      const { ada, compiler, orphan } = await createSamples(app)
      const computers = { data: [identifier(compiler), identifier(orphan)] }
      const response = await update(ada, {
        attributes: { name: 'A' },
        relationships: { computers },
      })
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(await computersOf(app, ada), computers.data)
      assert.equal((await fetch(ada)).attributes?.name, 'A')
    },
  )

  rule('UPD-10', 'an update is complete when the server responds, so it is never 202', async () => {
    const { ada } = await createSamples(app)
    const response = await update(ada, { attributes: { name: 'A' } })
    assert.equal(response.status, 200)
    assert.equal((await fetch(ada)).attributes?.name, 'A')
  })

  rule('UPD-11', 'given a new name, the response has the new display name', async () => {
    const { ada } = await createSamples(app)
    const response = await update(ada, { attributes: { name: 'Straße' } })
    assert.equal(response.status, 200)
    assert.equal(response.one.attributes?.display_name, 'STRASSE <ada@example.org>')
  })

  rule('UPD-12', 'the response equals that of a GET with the same query', async () => {
    const { ada, engine } = await createSamples(app)
    for (const query of [{}, { include: 'computers' }, { 'fields[person]': 'name,computers' }]) {
      const response = await update(ada, { attributes: { gender: 'female' } }, query)
      const { body } = await app.get(pathOf(ada), query)
      assert.deepEqual(response.body, body)
    }
    const owner = { relationships: { owner: { data: null } } }
    const response = await update(engine, owner, { include: 'owner' })
    assert.deepEqual(response.body, (await app.get(pathOf(engine), { include: 'owner' })).body)
  })

  rule(['UPD-13', 'UPD-14'], 'the response has the resource, never only meta', async () => {
    const { ada, engine } = await createSamples(app)
    for (const resource of [ada, engine]) {
      for (const changes of [{}, { attributes: {} }, { relationships: {} }]) {
        const response = await update(resource, changes)
        assert.equal(response.status, 200)
        assert.deepEqual(identifier(response.one), identifier(resource))
        assert.ok(!('meta' in response.body), response.text)
      }
    }
  })

  rule('UPD-15', 'given no other changes, the response is 200 with the resource', async () => {
    const { engine } = await createSamples(app)
    const response = await update(engine, { attributes: { serial: 'changed' } })
    assert.equal(response.status, 200)
    assert.deepEqual(response.one, { ...engine, attributes: { serial: 'changed' } })
  })

  rule('UPD-16', 'the server ignores read-only fields, so no update gets 403', async () => {
    const { ada } = await createSamples(app)
    const attributes = { id: '9', display_name: 'NOBODY', name: 'Augusta' }
    const response = await update(ada, { attributes })
    assert.equal(response.status, 200, response.text)
    assert.equal(response.one.id, ada.id)
    assert.equal(response.one.attributes?.display_name, 'AUGUSTA <ada@example.org>')
    const onlyReadOnly = await update(ada, { attributes: { display_name: 'NOBODY' } })
    assert.deepEqual(onlyReadOnly.one, response.one)
  })

  rule('UPD-17', 'given a missing resource, an update gets 404', async () => {
    await createSamples(app)
    for (const type of ['person', 'computer']) {
      const missing = { type, id: missingId }
      const { detail } = assertError(await update(missing, {}), 404, { parameter: 'id' })
      assert.match(detail, new RegExp(missingId))
      assert.match(detail, new RegExp(type, 'i'))
    }
  })

  rule(
    'UPD-18',
    'given a missing related resource, an update gets 404 and changes nothing',
    async () => {
      const { ada, engine, orphan } = await createSamples(app)
      const owner = { data: missingPerson }
      const computer = { attributes: { serial: 'changed' }, relationships: { owner } }
      assertErrorWithin(await update(engine, computer), 404, '/data/relationships/owner/data')
      assert.deepEqual(await fetch(engine), engine)
      assert.deepEqual(await ownerOf(app, engine), identifier(ada))
      const computers = { data: [identifier(orphan), missingComputer] }
      const person = { attributes: { name: 'Changed' }, relationships: { computers } }
      assertErrorWithin(await update(ada, person), 404, '/data/relationships/computers/data/1')
      assert.deepEqual(await fetch(ada), ada)
      assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
    },
  )

  rule('UPD-19', 'no value must be unique, so equal values get 200', async () => {
    const { ada, grace, engine, orphan } = await createSamples(app)
    const serial = engine.attributes?.serial
    assert.equal((await update(orphan, { attributes: { serial } })).status, 200)
    const attributes = { name: ada.attributes?.name, email: 'ada@example.org' }
    const response = await update(grace, { attributes })
    assert.equal(response.status, 200)
    assert.equal(response.one.attributes?.display_name, ada.attributes?.display_name)
  })

  for (const type of ['computer', 'persons', 'nope'])
    rule('UPD-20', `given the type ${type}, an update of a person gets 409`, async () => {
      const before = await app.person()
      assertError(await app.patch('/persons/1', { data: { ...person, type } }), 409)
      assert.deepEqual(await fetch(before), before)
    })

  for (const id of ['999', '2'])
    rule('UPD-20', `given the other id ${id}, the server ignores it`, async () => {
      await app.person()
      const other = await app.person()
      const data = { type: 'person', id, attributes: { gender: 'x' } }
      const response = await app.patch('/persons/1', { data })
      assert.equal(response.status, 200, response.text)
      assert.equal(response.one.id, '1')
      assert.equal(response.one.attributes?.gender, 'x')
      assert.deepEqual(await fetch(other), other)
    })

  rule('UPD-21', 'given another type, the error points at it and names both types', async () => {
    const { ada } = await createSamples(app)
    const data = { type: 'computer', id: ada.id }
    const { detail } = assertError(await app.patch(pathOf(ada), { data }), 409, {
      pointer: '/data/type',
    })
    assert.match(detail, /computer/)
    assert.match(detail, /person/)
  })
})

describeService(
  'Updating resources with idMismatch "conflict"',
  (app: TestService) => {
    rule(
      ['UPD-20', 'UPD-21'],
      'given another id, an update gets 409 and changes nothing',
      async () => {
        const { ada } = await createSamples(app)
        const data = { type: 'person', id: '999', attributes: { name: 'Changed' } }
        const response = await app.patch(pathOf(ada), { data })
        const { detail } = assertError(response, 409, { pointer: '/data/id' })
        assert.match(detail, /999/)
        assert.deepEqual((await app.get(pathOf(ada))).one, ada)
        const same = await app.patch(pathOf(ada), { data: { ...data, id: ada.id } })
        assert.equal(same.status, 200, same.text)
      },
    )
  },
  { settings: { idMismatch: 'conflict' } },
)
