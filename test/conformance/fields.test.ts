import assert from 'node:assert/strict'
import type { Resource, World } from '../world.ts'
import { chapter, rule } from '../world.ts'
import { resourceKeys } from './document-members.ts'
import { assertError, createSamples, identifier } from './samples.ts'

/** The names of a resource's attributes and relationships. */
function fieldsOf(resource: Resource | undefined): string[] {
  assert.ok(resource)
  const { attributes, relationships } = resource
  return [...Object.keys(attributes ?? {}), ...Object.keys(relationships ?? {})].sort()
}

const personFields = ['birth_date', 'computers', 'display_name', 'gender', 'name']
const computerFields = ['owner', 'serial']

chapter('FLD Sparse fieldsets', (world: World) => {
  // FLD-1 Clients may send `fields[TYPE]`.
  rule('FLD-1', 'fields may be chosen wherever resources are shown', async () => {
    const { ada, engine } = await createSamples(world)
    const name = { 'fields[person]': 'name' }
    const serial = { 'fields[computer]': 'serial' }
    assert.deepEqual(fieldsOf((await world.get(`/persons/${ada.id}`, name)).one), ['name'])
    assert.deepEqual(fieldsOf((await world.get(`/computers/${engine.id}/owner`, name)).one), [
      'name',
    ])
    assert.deepEqual(fieldsOf((await world.get(`/computers/${engine.id}`, serial)).one), ['serial'])
    for (const [path, query, field] of [
      ['/persons', name, 'name'],
      ['/computers', serial, 'serial'],
      [`/persons/${ada.id}/computers`, serial, 'serial'],
    ] as const) {
      const { many } = await world.get(path, query)
      assert.ok(many.length > 0, path)
      for (const resource of many) assert.deepEqual(fieldsOf(resource), [field], path)
    }
    const linkage = `/persons/${ada.id}/relationships/computers`
    const answer = await world.get(linkage, { include: 'computers', ...serial })
    assert.deepEqual(fieldsOf(answer.body.included?.[0]), ['serial'])
  })

  // FLD-2 Value: comma-separated list of field names; an empty value means no fields.
  rule('FLD-2', 'the value is a list of names, separated by commas', async () => {
    const { ada } = await createSamples(world)
    const query = { 'fields[person]': 'gender,name,computers' }
    const { one } = await world.get(`/persons/${ada.id}`, query)
    assert.deepEqual(fieldsOf(one), ['computers', 'gender', 'name'])
  })

  rule('FLD-2', 'an empty value means no fields', async () => {
    const { ada } = await createSamples(world)
    const { one } = await world.get(`/persons/${ada.id}`, { 'fields[person]': '' })
    assert.deepEqual(fieldsOf(one), [])
    assert.deepEqual(identifier(one), identifier(ada))
    assert.deepEqual(one.links, ada.links)
  })

  // FLD-3 For a restricted type, no other attribute or relationship appears, in primary or included
  // objects, whatever the method.
  rule('FLD-3', 'with attributes alone no relationship is told', async () => {
    await createSamples(world)
    const { many } = await world.get('/persons', { 'fields[person]': 'name' })
    assert.equal(many.length, 3)
    for (const person of many) {
      assert.deepEqual(Object.keys(person.attributes ?? {}), ['name'])
      assert.ok(!('relationships' in person))
    }
  })

  rule('FLD-3', 'included resources are restricted too, other types are not', async () => {
    const { ada, engine } = await createSamples(world)
    const path = `/computers/${engine.id}`
    const named = await world.get(path, { include: 'owner', 'fields[person]': 'name' })
    assert.deepEqual(fieldsOf(named.one), computerFields)
    assert.deepEqual(fieldsOf(named.body.included?.[0]), ['name'])
    const query = { include: 'computers', 'fields[computer]': 'serial' }
    const person = await world.get(`/persons/${ada.id}`, query)
    assert.deepEqual(fieldsOf(person.one), personFields)
    assert.deepEqual(fieldsOf(person.body.included?.[0]), ['serial'])
  })

  rule('FLD-3', 'the answers of POST and PATCH are restricted too', async () => {
    const { ada, engine } = await createSamples(world)
    const query = { 'fields[person]': 'display_name' }
    const attributes = { name: 'Alan', email: 'alan@example.org', gender: 'male' }
    const created = await world.post('/persons', { data: { type: 'person', attributes } }, query)
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(created.one.attributes, { display_name: 'ALAN <alan@example.org>' })
    assert.deepEqual(fieldsOf(created.one), ['display_name'])
    const data = { ...identifier(ada), attributes: { name: 'Countess' } }
    const changed = await world.patch(`/persons/${ada.id}`, { data }, query)
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(changed.one.attributes, { display_name: 'COUNTESS <ada@example.org>' })
    assert.deepEqual(fieldsOf(changed.one), ['display_name'])
    const computer = { data: { type: 'computer', attributes: { serial: 'new' } } }
    const nested = await world.post(`/persons/${ada.id}/computers`, computer, {
      'fields[computer]': 'serial',
    })
    assert.deepEqual(fieldsOf(nested.one), ['serial'])
    const renamed = { data: { ...identifier(engine), attributes: { serial: 'changed' } } }
    const patched = await world.patch(`/computers/${engine.id}`, renamed, {
      'fields[computer]': '',
    })
    assert.deepEqual(fieldsOf(patched.one), [])
  })

  rule('FLD-3', 'a listed relationship tells its data', async () => {
    const { ada, engine, orphan } = await createSamples(world)
    const query = { 'fields[person]': 'computers' }
    const person = await world.get(`/persons/${ada.id}`, query)
    assert.deepEqual(fieldsOf(person.one), ['computers'])
    assert.deepEqual(person.one.relationships?.computers?.data, [identifier(engine)])
    const computer = await world.get(`/computers/${orphan.id}`, { 'fields[computer]': 'owner' })
    assert.deepEqual(fieldsOf(computer.one), ['owner'])
    assert.equal(computer.one.relationships?.owner?.data, null)
  })

  rule('FLD-3', 'an include stops at the relationship that is not listed', async () => {
    const { ada, engine } = await createSamples(world)
    const path = `/persons/${ada.id}`
    const unlisted = await world.get(path, { include: 'computers', 'fields[person]': 'name' })
    assert.equal(unlisted.status, 200)
    assert.deepEqual(fieldsOf(unlisted.one), ['name'])
    assert.deepEqual(unlisted.body.included, [])
    const stopped = await world.get('/computers', {
      include: 'owner.computers',
      'fields[person]': 'name',
      'filter[serial]': 'engine',
    })
    assert.deepEqual(resourceKeys(stopped.body.included), [`person/${ada.id}`])
    const listed = await world.get(path, {
      include: 'computers',
      'fields[person]': 'name,computers',
    })
    assert.deepEqual(resourceKeys(listed.body.included), [`computer/${engine.id}`])
    const unknown = { include: 'nope', 'fields[person]': 'name' }
    assertError(await world.get(path, unknown), 400, { parameter: 'include' })
  })

  rule('FLD-3', 'an input-only field may be named and is told all the same to nobody', async () => {
    const { ada } = await createSamples(world)
    const answer = await world.get(`/persons/${ada.id}`, { 'fields[person]': 'email,name' })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(fieldsOf(answer.one), ['name'])
  })

  // FLD-4 Without `fields` for a type, the server picks all, some or no fields.
  rule('FLD-4', 'without a choice every readable field is told', async () => {
    const { ada, engine } = await createSamples(world)
    const person = await world.get(`/persons/${ada.id}`)
    assert.deepEqual(fieldsOf(person.one), personFields)
    assert.deepEqual(person.one.attributes, {
      name: 'Ada',
      birth_date: '1815-12-10',
      gender: null,
      display_name: 'ADA <ada@example.org>',
    })
    assert.ok(!('data' in (person.one.relationships?.computers ?? {})))
    const computer = await world.get(`/computers/${engine.id}`)
    assert.deepEqual(fieldsOf(computer.one), computerFields)
    assert.ok(!('data' in (computer.one.relationships?.owner ?? {})))
  })
})
