import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestService } from '../../service-suite.ts'
import { describeService } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { count } from '../people.ts'

const uuid = '0b9a2c1e-6f57-4d0e-9a53-2d1f4e6b7c88'

describeService('Output-only fields', (app) => {
  it('given display_name and id among the attributes of a create, then they are ignored', async () => {
    const attributes = { name: 'Ada', display_name: 'Somebody Else', id: '77' }
    const response = await app.post('/persons', { data: { type: 'person', attributes } })
    assertStatus(response, 201)
    assert.equal(response.one.attributes?.display_name, 'ADA')
    assert.notEqual(response.one.id, '77')
    assert.ok(!('id' in response.one.attributes))
  })

  for (const display_name of [null, 5, [], {}, '\u0000'])
    it(`given any value of an output-only attribute, then it is ignored: ${JSON.stringify(display_name)}`, async () => {
      const attributes = { name: 'Ada', display_name }
      assertStatus(await app.post('/persons', { data: { type: 'person', attributes } }), 201)
    })

  it('given display_name and id among the attributes of an update, then they are ignored', async () => {
    const { id } = await app.person({ name: 'Ada' })
    const attributes = { display_name: 'Somebody Else', id: '77' }
    const response = await app.patch(`/persons/${id}`, { data: { type: 'person', id, attributes } })
    assertStatus(response, 200)
    assert.equal(response.one.id, id)
    assert.equal(response.one.attributes?.display_name, 'ADA')
  })

  for (const name of ['links', 'relationships'])
    it(`given ${name} among the attributes, which Jsona sends back, then it is ignored`, async () => {
      const json = `"${name}":{"self":"/persons/1","owner":{"data":null}}`
      for (const response of await attempts(app, 'person', 'attributes', json)) {
        assert.ok([200, 201].includes(response.status), response.text)
        assert.equal(response.one.attributes?.name, 'n')
        assert.ok(!(name in response.one.attributes))
      }
    })

  for (const name of ['links', 'relationships'])
    it(`given ${name} among the relationships, then it is unknown`, async () => {
      for (const response of await attempts(
        app,
        'person',
        'relationships',
        `"${name}":{"data":null}`,
      ))
        assertErrors(response, 422, { status: 422, at: `/data/relationships/${name}` })
    })

  for (const id of ['999', 999, uuid, '', null])
    it(`given the id ${JSON.stringify(id)} in a create, then it is ignored`, async () => {
      const data = { type: 'person', id, attributes: { name: 'Ada' } }
      const response = await app.post('/persons', { data })
      assertStatus(response, 201)
      assert.match(response.one.id, /^[1-9]$/)
    })

  it('given an existing id in a create, then it is ignored', async () => {
    const ada = await app.person({ name: 'Ada' })
    const data = { type: 'person', id: ada.id, attributes: { name: 'Eve' } }
    const eve = await app.post('/persons', { data })
    assertStatus(eve, 201)
    assert.notEqual(eve.one.id, ada.id)
    assert.equal((await app.get(`/persons/${ada.id}`)).one.attributes?.name, 'Ada')
  })

  it('given another id in an update, then it is ignored', async () => {
    const ada = await app.person({ name: 'Ada' })
    const eve = await app.person({ name: 'Eve' })
    for (const id of [eve.id, '999', uuid]) {
      const data = { type: 'person', id, attributes: { gender: id } }
      const response = await app.patch(`/persons/${ada.id}`, { data })
      assertStatus(response, 200)
      assert.equal(response.one.id, ada.id)
      assert.equal(response.one.attributes?.gender, id)
    }
    assert.equal((await app.get(`/persons/${eve.id}`)).one.attributes?.gender, null)
    assert.equal(await count(app, '/persons'), 2)
  })
})

describeService(
  'The settings clientIds: forbid and idMismatch: conflict',
  (app) => {
    it('given an id in a create, then the response is 403', async () => {
      const data = { type: 'person', id: uuid, attributes: { name: 'Ada' } }
      assertErrors(await app.post('/persons', { data }), 403, { status: 403, at: '/data/id' })
      assert.equal(await count(app, '/persons'), 0)
    })

    it('given an update whose id is not that of the path, then the response is 409', async () => {
      const { id } = await app.person({ name: 'Ada' })
      const attributes = { name: 'Eve' }
      const other = { data: { type: 'person', id: '999', attributes } }
      const expectedError = { status: 409, at: '/data/id', says: '999' }
      assertErrors(await app.patch(`/persons/${id}`, other), 409, expectedError)
      assert.equal((await app.get(`/persons/${id}`)).one.attributes?.name, 'Ada')
      assertStatus(
        await app.patch(`/persons/${id}`, { data: { type: 'person', id, attributes } }),
        200,
      )
    })
  },
  { settings: { clientIds: 'forbid', idMismatch: 'conflict' } },
)

/** Creates and updates with one more member in `attributes` or `relationships`, returned as JSON. */
async function attempts(
  app: TestService,
  type: 'person' | 'computer',
  member: string,
  json: string,
) {
  const named = type === 'person' ? { name: 'n' } : { serial: 's' }
  const { id } = type === 'person' ? await app.person(named) : await app.computer(named)
  const required = JSON.stringify(named).slice(1, -1)
  const members =
    member === 'attributes'
      ? `"attributes":{${required},${json}}`
      : `"attributes":{${required}},"${member}":{${json}}`
  const create = `{"data":{"type":"${type}",${members}}}`
  const update = `{"data":{"type":"${type}","id":"${id}",${members}}}`
  return [
    await app.call('POST', `/${type}s`, { raw: create }),
    await app.call('PATCH', `/${type}s/${id}`, { raw: update }),
  ]
}

// biome-ignore format: a table, one unknown name a row
const unknown: readonly (readonly [type: 'person' | 'computer', name: string, pointer: string, exist: readonly string[]])[] = [
  ['person',   'quux',           'quux',           ['name', 'email', 'birth_date', 'gender']],
  ['person',   'password',       'password',       ['name', 'email', 'birth_date', 'gender']],
  ['person',   'Name',           'Name',           ['name']],
  ['person',   'birthdate',      'birthdate',      ['birth_date']],
  ['person',   '__proto__',      '__proto__',      []],
  ['person',   'constructor',    'constructor',    []],
  ['person',   'toString',       'toString',       []],
  ['person',   'hasOwnProperty', 'hasOwnProperty', []],
  ['person',   'with/slash',     'with~1slash',    []],
  ['person',   'til~de',         'til~0de',        []],
  ['person',   '',               '',               []],
  ['computer', 'person_id',      'person_id',      ['serial']],
  ['computer', 'quux',           'quux',           ['serial']],
]

describeService('Unknown fields', (app) => {
  for (const [type, name, pointer, exist] of unknown)
    it(`given the unknown attribute ${name} of ${type}, then the error has its pointer and the valid names`, async () => {
      const json = `${JSON.stringify(name)}:"x"`
      for (const response of await attempts(app, type, 'attributes', json)) {
        const says = [JSON.stringify(name).slice(1, -1), ...exist]
        assertErrors(response, 422, { status: 422, at: `/data/attributes/${pointer}`, says })
      }
    })

  it('given an unknown relationship, then the error has its pointer and the valid names', async () => {
    const named = { person: 'computers', computer: 'owner' } as const
    for (const type of ['person', 'computer'] as const) {
      for (const response of await attempts(app, type, 'relationships', '"quux":{"data":null}')) {
        const at = '/data/relationships/quux'
        assertErrors(response, 422, { status: 422, at, says: ['quux', named[type]] })
      }
    }
  })

  it('given a relationship among the attributes or an attribute among the relationships, then it is rejected', async () => {
    for (const response of await attempts(app, 'person', 'attributes', '"computers":[]')) {
      assertErrors(response, 422, { status: 422, at: '/data/attributes/computers' })
    }
    for (const response of await attempts(
      app,
      'computer',
      'relationships',
      '"serial":{"data":null}',
    )) {
      assertErrors(response, 422, { status: 422, at: '/data/relationships/serial' })
    }
  })

  it('given a hidden name, then the error is that of an unknown one', async () => {
    const said = async (type: 'person' | 'computer', name: string) => {
      const answers = await attempts(app, type, 'attributes', `"${name}":"x"`)
      return answers.map(({ text }) => text.replaceAll(name, 'it'))
    }
    assert.deepEqual(await said('person', 'password'), await said('person', 'pazzword'))
    assert.deepEqual(await said('computer', 'person_id'), await said('computer', 'persom_id'))
  })

  it('given a rejected body, then nothing of it is stored', async () => {
    const attributes = { name: 'Eve', quux: 1 }
    await app.post('/persons', { data: { type: 'person', attributes } })
    assert.equal(await count(app, '/persons'), 0)
    const { id } = await app.person({ name: 'Ada' })
    await app.patch(`/persons/${id}`, { data: { type: 'person', id, attributes } })
    assert.equal((await app.get(`/persons/${id}`)).one.attributes?.name, 'Ada')
  })
})
