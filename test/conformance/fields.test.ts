import assert from 'node:assert/strict'
import type { Resource, TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import { resourceKeys } from './document-members.ts'
import { assertError, createSamples, identifier } from './samples.ts'

/** Returns the names of the attributes and relationships of a resource, sorted. */
function fieldsOf(resource: Resource | undefined): string[] {
  assert.ok(resource)
  const { attributes, relationships } = resource
  return [...Object.keys(attributes ?? {}), ...Object.keys(relationships ?? {})].sort()
}

const personFields = ['birth_date', 'computers', 'display_name', 'gender', 'name']
const computerFields = ['owner', 'serial']

describeService('Sparse fieldsets', (app: TestService) => {
  rule(
    'FLD-1',
    'given fields, every endpoint that returns resources returns these fields',
    async () => {
      const { ada, engine } = await createSamples(app)
      const name = { 'fields[person]': 'name' }
      const serial = { 'fields[computer]': 'serial' }
      assert.deepEqual(fieldsOf((await app.get(`/persons/${ada.id}`, name)).one), ['name'])
      assert.deepEqual(fieldsOf((await app.get(`/computers/${engine.id}/owner`, name)).one), [
        'name',
      ])
      assert.deepEqual(fieldsOf((await app.get(`/computers/${engine.id}`, serial)).one), ['serial'])
      for (const [path, query, field] of [
        ['/persons', name, 'name'],
        ['/computers', serial, 'serial'],
        [`/persons/${ada.id}/computers`, serial, 'serial'],
      ] as const) {
        const { many } = await app.get(path, query)
        assert.ok(many.length > 0, path)
        for (const resource of many) assert.deepEqual(fieldsOf(resource), [field], path)
      }
      const relationship = `/persons/${ada.id}/relationships/computers`
      const response = await app.get(relationship, { include: 'computers', ...serial })
      assert.deepEqual(fieldsOf(response.body.included?.[0]), ['serial'])
    },
  )

  rule('FLD-2', 'the value is a comma-separated list of names', async () => {
    const { ada } = await createSamples(app)
    const query = { 'fields[person]': 'gender,name,computers' }
    const { one } = await app.get(`/persons/${ada.id}`, query)
    assert.deepEqual(fieldsOf(one), ['computers', 'gender', 'name'])
  })

  rule('FLD-2', 'given an empty value, a resource has no fields', async () => {
    const { ada } = await createSamples(app)
    const { one } = await app.get(`/persons/${ada.id}`, { 'fields[person]': '' })
    assert.deepEqual(fieldsOf(one), [])
    assert.deepEqual(identifier(one), identifier(ada))
    assert.deepEqual(one.links, ada.links)
  })

  rule('FLD-3', 'given only attributes, a resource has no relationships', async () => {
    await createSamples(app)
    const { many } = await app.get('/persons', { 'fields[person]': 'name' })
    assert.equal(many.length, 3)
    for (const person of many) {
      assert.deepEqual(Object.keys(person.attributes ?? {}), ['name'])
      assert.ok(!('relationships' in person))
    }
  })

  rule(
    'FLD-3',
    'given fields of one type, included resources of this type have these fields',
    async () => {
      const { ada, engine } = await createSamples(app)
      const path = `/computers/${engine.id}`
      const restricted = await app.get(path, { include: 'owner', 'fields[person]': 'name' })
      assert.deepEqual(fieldsOf(restricted.one), computerFields)
      assert.deepEqual(fieldsOf(restricted.body.included?.[0]), ['name'])
      const query = { include: 'computers', 'fields[computer]': 'serial' }
      const person = await app.get(`/persons/${ada.id}`, query)
      assert.deepEqual(fieldsOf(person.one), personFields)
      assert.deepEqual(fieldsOf(person.body.included?.[0]), ['serial'])
    },
  )

  rule('FLD-3', 'given fields, the responses to POST and PATCH have these fields', async () => {
    const { ada, engine } = await createSamples(app)
    const query = { 'fields[person]': 'display_name' }
    const attributes = { name: 'Alan', email: 'alan@example.org', gender: 'male' }
    const created = await app.post('/persons', { data: { type: 'person', attributes } }, query)
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(created.one.attributes, { display_name: 'ALAN <alan@example.org>' })
    assert.deepEqual(fieldsOf(created.one), ['display_name'])
    const data = { ...identifier(ada), attributes: { name: 'Countess' } }
    const updated = await app.patch(`/persons/${ada.id}`, { data }, query)
    assert.equal(updated.status, 200, updated.text)
    assert.deepEqual(updated.one.attributes, { display_name: 'COUNTESS <ada@example.org>' })
    assert.deepEqual(fieldsOf(updated.one), ['display_name'])
    const computer = { data: { type: 'computer', attributes: { serial: 'new' } } }
    const nested = await app.post(`/persons/${ada.id}/computers`, computer, {
      'fields[computer]': 'serial',
    })
    assert.deepEqual(fieldsOf(nested.one), ['serial'])
    const renamed = { data: { ...identifier(engine), attributes: { serial: 'changed' } } }
    const patched = await app.patch(`/computers/${engine.id}`, renamed, {
      'fields[computer]': '',
    })
    assert.deepEqual(fieldsOf(patched.one), [])
  })

  rule('FLD-3', 'a listed relationship has data', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    const query = { 'fields[person]': 'computers' }
    const person = await app.get(`/persons/${ada.id}`, query)
    assert.deepEqual(fieldsOf(person.one), ['computers'])
    assert.deepEqual(person.one.relationships?.computers?.data, [identifier(engine)])
    const computer = await app.get(`/computers/${orphan.id}`, { 'fields[computer]': 'owner' })
    assert.deepEqual(fieldsOf(computer.one), ['owner'])
    assert.equal(computer.one.relationships?.owner?.data, null)
  })

  rule('FLD-3', 'an include path stops at a relationship that is not listed', async () => {
    const { ada, engine } = await createSamples(app)
    const path = `/persons/${ada.id}`
    const unlisted = await app.get(path, { include: 'computers', 'fields[person]': 'name' })
    assert.equal(unlisted.status, 200)
    assert.deepEqual(fieldsOf(unlisted.one), ['name'])
    assert.deepEqual(unlisted.body.included, [])
    const stopped = await app.get('/computers', {
      include: 'owner.computers',
      'fields[person]': 'name',
      'filter[serial]': 'engine',
    })
    assert.deepEqual(resourceKeys(stopped.body.included), [`person/${ada.id}`])
    const listed = await app.get(path, {
      include: 'computers',
      'fields[person]': 'name,computers',
    })
    assert.deepEqual(resourceKeys(listed.body.included), [`computer/${engine.id}`])
    const unknown = { include: 'nope', 'fields[person]': 'name' }
    assertError(await app.get(path, unknown), 400, { parameter: 'include' })
  })

  rule(
    'FLD-3',
    'a write-only field may be listed, but the response does not contain it',
    async () => {
      const { ada } = await createSamples(app)
      const response = await app.get(`/persons/${ada.id}`, { 'fields[person]': 'email,name' })
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(fieldsOf(response.one), ['name'])
    },
  )

  rule('FLD-4', 'without fields, a resource has every readable field', async () => {
    const { ada, engine } = await createSamples(app)
    const person = await app.get(`/persons/${ada.id}`)
    assert.deepEqual(fieldsOf(person.one), personFields)
    assert.deepEqual(person.one.attributes, {
      name: 'Ada',
      birth_date: '1815-12-10',
      gender: null,
      display_name: 'ADA <ada@example.org>',
    })
    assert.ok(!('data' in (person.one.relationships?.computers ?? {})))
    const computer = await app.get(`/computers/${engine.id}`)
    assert.deepEqual(fieldsOf(computer.one), computerFields)
    assert.ok(!('data' in (computer.one.relationships?.owner ?? {})))
  })
})
