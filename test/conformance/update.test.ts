import assert from 'node:assert/strict'
import type { Answer, Query, Resource, World } from '../world.ts'
import { chapter, rule } from '../world.ts'
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

/** The path of a resource. */
function path({ type, id }: Resource): string {
  return `/${type}s/${id}`
}

chapter('UPD Updating resources', (app: World) => {
  /** Sends changes of a resource to its path. */
  function change(resource: Resource, changes: object, query?: Query): Promise<Answer> {
    return app.patch(path(resource), { data: { ...identifier(resource), ...changes } }, query)
  }

  async function read(resource: Resource): Promise<Resource> {
    return (await app.get(path(resource))).one
  }

  // UPD-1 Existing resources may be modifiable and deletable.
  rule('UPD-1', 'persons and computers can be changed and deleted', async () => {
    const { ada, engine } = await createSamples(app)
    assert.equal((await change(ada, { attributes: { name: 'A' } })).status, 200)
    assert.equal((await change(engine, { attributes: { serial: 's' } })).status, 200)
    assert.equal((await app.delete(path(engine))).status, 200)
    assert.equal((await app.delete(path(ada))).status, 200)
  })

  // UPD-2 The request has one resource object with `type` and `id` (client duty).
  rule('UPD-2', 'anything but one resource object with type and id is refused', async () => {
    const { ada } = await createSamples(app)
    const { type, id } = ada
    const attributes = { name: 'Changed' }
    const whole = { type, id, attributes }
    for (const body of [{}, { data: [whole] }, { data: [] }, { data: null }, { data: 'x' }]) {
      assertError(await app.patch(path(ada), body), 400)
    }
    for (const data of [
      { id, attributes },
      { type, attributes },
      { type: 5, id, attributes },
    ]) {
      assertErrorWithin(await app.patch(path(ada), { data }), 400, '/data')
    }
    assert.deepEqual(await read(ada), ada)
  })

  // UPD-3 Any subset of attributes may be sent.
  rule('UPD-3', 'any of the attributes may be sent alone', async () => {
    const { ada } = await createSamples(app)
    for (const [name, value] of [
      ['name', 'Augusta'],
      ['birth_date', '1815-12-11'],
      ['gender', 'female'],
      ['gender', null],
    ] as const) {
      const response = await change(ada, { attributes: { [name]: value } })
      assert.equal(response.status, 200, response.text)
      assert.equal(response.one.attributes?.[name], value)
    }
    const response = await change(ada, { attributes: { email: 'a@example.org' } })
    assert.equal(response.one.attributes?.display_name, 'AUGUSTA <a@example.org>')
  })

  // UPD-4 Attributes not sent keep their value; they are not nulled.
  rule('UPD-4', 'attributes that are not sent keep their value', async () => {
    const { ada } = await createSamples(app)
    const response = await change(ada, { attributes: { name: 'Augusta' } })
    assert.deepEqual(response.one.attributes, {
      ...ada.attributes,
      name: 'Augusta',
      display_name: 'AUGUSTA <ada@example.org>',
    })
    const before = await read(ada)
    for (const changes of [{}, { attributes: {} }, { relationships: {} }]) {
      const same = await change(ada, changes)
      assert.equal(same.status, 200, same.text)
      assert.deepEqual(same.one, before)
      assert.deepEqual(await read(ada), before)
    }
  })

  // UPD-5 Any subset of relationships may be sent.
  rule('UPD-5', 'relationships may be sent without attributes', async () => {
    const { ada, grace, engine, orphan } = await createSamples(app)
    const computers = { data: [identifier(engine), identifier(orphan)] }
    assert.equal((await change(ada, { relationships: { computers } })).status, 200)
    assert.deepEqual(await computersOf(app, ada), computers.data)
    const owner = { data: identifier(grace) }
    assert.equal((await change(orphan, { relationships: { owner } })).status, 200)
    assert.deepEqual(await ownerOf(app, orphan), owner.data)
    assert.equal((await read(orphan)).attributes?.serial, 'orphan')
  })

  // UPD-6 Relationships not sent keep their value.
  rule('UPD-6', 'relationships that are not sent keep their value', async () => {
    const { ada, engine } = await createSamples(app)
    await change(ada, { attributes: { name: 'A' } })
    await change(engine, { attributes: { serial: 's' } })
    assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
    assert.deepEqual(await ownerOf(app, engine), identifier(ada))
  })

  // UPD-7 A relationship given must have `data`; it replaces the old value.
  rule('UPD-7', 'a relationship that is sent replaces the old one', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    const computers = (data: unknown) => change(ada, { relationships: { computers: { data } } })
    assert.equal((await computers([identifier(orphan)])).status, 200)
    assert.deepEqual(await computersOf(app, ada), [identifier(orphan)])
    assert.equal(await ownerOf(app, engine), null)
    assert.equal((await computers([])).status, 200)
    assert.deepEqual(await computersOf(app, ada), [])
    const owner = (data: unknown) => change(engine, { relationships: { owner: { data } } })
    assert.equal((await owner(identifier(ada))).status, 200)
    assert.deepEqual(await ownerOf(app, engine), identifier(ada))
    assert.equal((await owner(null)).status, 200)
    assert.equal(await ownerOf(app, engine), null)
  })

  rule('UPD-7', 'a relationship without data is refused, unless it has links alone', async () => {
    const { ada, engine } = await createSamples(app)
    for (const relationship of [{}, [], null, 'x']) {
      const computers = await change(ada, { relationships: { computers: relationship } })
      assertErrorWithin(computers, 400, '/data/relationships/computers')
      const owner = await change(engine, { relationships: { owner: relationship } })
      assertErrorWithin(owner, 400, '/data/relationships/owner')
    }
    const computers = { links: ada.relationships?.computers?.links }
    assert.equal((await change(ada, { relationships: { computers } })).status, 200)
    assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
  })

  // UPD-8 Full replacement of a to-many may be refused.
  // UPD-9 If refused, reject everything with 403.
  rule(['UPD-8', 'UPD-9'], 'the full replacement of a to-many is never refused', async () => {
    const { ada, compiler, orphan } = await createSamples(app)
    const computers = { data: [identifier(compiler), identifier(orphan)] }
    const response = await change(ada, { attributes: { name: 'A' }, relationships: { computers } })
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(await computersOf(app, ada), computers.data)
    assert.equal((await read(ada)).attributes?.name, 'A')
  })

  // UPD-10 Accepted but not finished → 202.
  rule('UPD-10', 'an update is finished when it is answered, never 202', async () => {
    const { ada } = await createSamples(app)
    const response = await change(ada, { attributes: { name: 'A' } })
    assert.equal(response.status, 200)
    assert.equal((await read(ada)).attributes?.name, 'A')
  })

  // UPD-11 Server changed more than request → 200.
  rule('UPD-11', 'a new name changes the display name too, and the response says so', async () => {
    const { ada } = await createSamples(app)
    const response = await change(ada, { attributes: { name: 'Straße' } })
    assert.equal(response.status, 200)
    assert.equal(response.one.attributes?.display_name, 'STRASSE <ada@example.org>')
  })

  // UPD-12 That 200 shows the updated resource as a GET of the same URL would.
  rule('UPD-12', 'the response tells the resource as a GET with the same query does', async () => {
    const { ada, engine } = await createSamples(app)
    for (const query of [{}, { include: 'computers' }, { 'fields[person]': 'name,computers' }]) {
      const response = await change(ada, { attributes: { gender: 'female' } }, query)
      const { body } = await app.get(path(ada), query)
      assert.deepEqual(response.body, body)
    }
    const owner = { relationships: { owner: { data: null } } }
    const response = await change(engine, owner, { include: 'owner' })
    assert.deepEqual(response.body, (await app.get(path(engine), { include: 'owner' })).body)
  })

  // UPD-13 Meta-only success is 200.
  // UPD-14 A meta-only success shows no resource.
  rule(['UPD-13', 'UPD-14'], 'the response is the resource, never meta alone', async () => {
    const { ada, engine } = await createSamples(app)
    for (const resource of [ada, engine]) {
      for (const changes of [{}, { attributes: {} }, { relationships: {} }]) {
        const response = await change(resource, changes)
        assert.equal(response.status, 200)
        assert.deepEqual(identifier(response.one), identifier(resource))
        assert.ok(!('meta' in response.body), response.text)
      }
    }
  })

  // UPD-15 Nothing else changed → 200 with document, or 204.
  rule(
    'UPD-15',
    'the response is 200 with the resource also when nothing else changed',
    async () => {
      const { engine } = await createSamples(app)
      const response = await change(engine, { attributes: { serial: 'changed' } })
      assert.equal(response.status, 200)
      assert.deepEqual(response.one, { ...engine, attributes: { serial: 'changed' } })
    },
  )

  // UPD-16 Unsupported update of a resource or relationship → 403.
  rule('UPD-16', 'output-only fields are discarded, so no update is forbidden', async () => {
    const { ada } = await createSamples(app)
    const attributes = { id: '9', display_name: 'NOBODY', name: 'Augusta' }
    const response = await change(ada, { attributes })
    assert.equal(response.status, 200, response.text)
    assert.equal(response.one.id, ada.id)
    assert.equal(response.one.attributes?.display_name, 'AUGUSTA <ada@example.org>')
    const alone = await change(ada, { attributes: { display_name: 'NOBODY' } })
    assert.deepEqual(alone.one, response.one)
  })

  // UPD-17 Resource to modify does not exist → 404.
  rule('UPD-17', 'a resource that does not exist is 404', async () => {
    await createSamples(app)
    for (const type of ['person', 'computer']) {
      const absent = { type, id: missingId }
      const { detail } = assertError(await change(absent, {}), 404, { parameter: 'id' })
      assert.match(detail, new RegExp(missingId))
      assert.match(detail, new RegExp(type, 'i'))
    }
  })

  // UPD-18 Request names a related resource that does not exist → 404.
  rule(
    'UPD-18',
    'a related resource that does not exist is 404 and nothing is changed',
    async () => {
      const { ada, engine, orphan } = await createSamples(app)
      const owner = { data: missingPerson }
      const computer = { attributes: { serial: 'changed' }, relationships: { owner } }
      assertErrorWithin(await change(engine, computer), 404, '/data/relationships/owner/data')
      assert.deepEqual(await read(engine), engine)
      assert.deepEqual(await ownerOf(app, engine), identifier(ada))
      const computers = { data: [identifier(orphan), missingComputer] }
      const person = { attributes: { name: 'Changed' }, relationships: { computers } }
      assertErrorWithin(await change(ada, person), 404, '/data/relationships/computers/data/1')
      assert.deepEqual(await read(ada), ada)
      assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
    },
  )

  // UPD-19 Constraint violation → 409.
  rule('UPD-19', 'no value has to be unique, so none conflicts', async () => {
    const { ada, grace, engine, orphan } = await createSamples(app)
    const serial = engine.attributes?.serial
    assert.equal((await change(orphan, { attributes: { serial } })).status, 200)
    const attributes = { name: ada.attributes?.name, email: 'ada@example.org' }
    const response = await change(grace, { attributes })
    assert.equal(response.status, 200)
    assert.equal(response.one.attributes?.display_name, ada.attributes?.display_name)
  })

  // UPD-20 `type` and `id` do not match the endpoint → 409.
  rule('UPD-20', 'another type is 409; another id is discarded', async () => {
    const { ada, grace } = await createSamples(app)
    for (const type of ['computer', 'persons', 'nope']) {
      const data = { type, id: ada.id, attributes: { name: 'Changed' } }
      assertError(await app.patch(path(ada), { data }), 409)
    }
    assert.deepEqual(await read(ada), ada)
    for (const id of ['999', grace.id]) {
      const data = { type: 'person', id, attributes: { gender: id } }
      const response = await app.patch(path(ada), { data })
      assert.equal(response.status, 200, response.text)
      assert.equal(response.one.id, ada.id)
      assert.equal(response.one.attributes?.gender, id)
    }
    assert.deepEqual(await read(grace), grace)
  })

  // UPD-21 409 explains the source.
  rule('UPD-21', 'a conflict of types points at the type and names both', async () => {
    const { ada } = await createSamples(app)
    const data = { type: 'computer', id: ada.id }
    const { detail } = assertError(await app.patch(path(ada), { data }), 409, {
      pointer: '/data/type',
    })
    assert.match(detail, /computer/)
    assert.match(detail, /person/)
  })
})

chapter(
  'UPD Updating resources, where another id is a conflict',
  (app: World) => {
    rule(
      ['UPD-20', 'UPD-21'],
      'another id is 409, points at the id and changes nothing',
      async () => {
        const { ada } = await createSamples(app)
        const data = { type: 'person', id: '999', attributes: { name: 'Changed' } }
        const response = await app.patch(path(ada), { data })
        const { detail } = assertError(response, 409, { pointer: '/data/id' })
        assert.match(detail, /999/)
        assert.deepEqual((await app.get(path(ada))).one, ada)
        const same = await app.patch(path(ada), { data: { ...data, id: ada.id } })
        assert.equal(same.status, 200, same.text)
      },
    )
  },
  { settings: { idMismatch: 'conflict' } },
)
