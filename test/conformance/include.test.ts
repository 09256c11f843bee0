import assert from 'node:assert/strict'
import type { Resource, TestService } from '../service-suite.ts'
import { describeService, ids, rule } from '../service-suite.ts'
import { isObject, linkedKeys, membersNamed, resourceKeys } from './document-members.ts'
import { assertError, computersOf, countResources, createSamples, identifier } from './samples.ts'

/** Returns the identifier of a resource as `type/id`. */
function keyOf({ type, id }: Resource): string {
  return `${type}/${id}`
}

/** Every URL that returns resources or linkage of the samples, with include paths. The ids are those of the samples. */
function includeRequests(): [path: string, include: string][] {
  const ofPerson = ['computers', 'computers.owner', 'computers.owner.computers']
  const ofComputer = ['owner', 'owner.computers', 'owner.computers.owner', 'owner,owner.computers']
  const after = (name: string, paths: string[]) => [name, ...paths.map((path) => `${name}.${path}`)]
  const requests = (path: string, includes: string[]) =>
    includes.map((include): [string, string] => [path, include])
  return [
    ...requests('/persons', ofPerson),
    ...requests('/persons/1', ofPerson),
    ...requests('/computers/1/owner', ofPerson),
    ...requests('/computers/1/relationships/owner', after('owner', ofPerson)),
    ...requests('/computers', ofComputer),
    ...requests('/computers/1', ofComputer),
    ...requests('/computers/3', ofComputer),
    ...requests('/persons/1/computers', ofComputer),
    ...requests('/persons/1/relationships/computers', after('computers', ofComputer.slice(0, 3))),
  ]
}

describeService('Compound documents', (app: TestService) => {
  rule('INC-1', 'given include, a response has the related resources', async () => {
    const { ada, engine } = await createSamples(app)
    const response = await app.get(`/persons/${ada.id}`, { include: 'computers' })
    assert.equal(response.status, 200)
    assert.deepEqual(resourceKeys(response.body.included), [keyOf(engine)])
    assert.deepEqual(response.body.included, [(await app.get(`/computers/${engine.id}`)).one])
  })

  for (const [path, include] of includeRequests())
    rule(
      ['INC-2', 'INC-3', 'INC-4', 'INP-2'],
      `${path}?include=${include} has linked resource objects in included, each once`,
      async () => {
        await createSamples(app)
        const { body, status, text } = await app.get(path, { include })
        assert.equal(status, 200, text)
        assert.equal(membersNamed(body, 'included').length, 1, text)
        assert.ok(Array.isArray(body.included), text)
        for (const resource of body.included) {
          assert.equal(typeof resource.type, 'string', text)
          assert.equal(typeof resource.id, 'string', text)
          assert.equal(typeof resource.links?.self, 'string', text)
          assert.ok(isObject(resource.attributes), text)
        }
        const primary = [body.data ?? []].flat()
        const isLinkage = path.includes('/relationships/')
        const linked = new Set([...linkedKeys(body), ...(isLinkage ? primary.map(keyOf) : [])])
        const unlinked = resourceKeys(body.included).filter((key) => !linked.has(key))
        assert.deepEqual(unlinked, [], text)
        const all = resourceKeys([...(isLinkage ? [] : primary), ...body.included])
        assert.deepEqual(all, [...new Set(all)], text)
      },
    )

  rule('INC-3', 'every relationship on an include path has linkage', async () => {
    const { ada, grace } = await createSamples(app)
    const response = await app.get('/computers', { include: 'owner.computers', sort: 'id' })
    assert.deepEqual(
      response.many.map(({ relationships }) => relationships?.owner?.data),
      [identifier(ada), identifier(grace), null],
    )
    const owners = (response.body.included ?? []).filter(({ type }) => type === 'person')
    assert.equal(owners.length, 2)
    for (const { relationships } of owners) assert.ok(Array.isArray(relationships?.computers?.data))
  })

  rule(
    'INC-4',
    'given a path back to the primary data, included has no primary resource',
    async () => {
      const { ada, engine } = await createSamples(app)
      const person = await app.get(`/persons/${ada.id}`, { include: 'computers.owner' })
      assert.deepEqual(resourceKeys(person.body.included), [keyOf(engine)])
      await app.computer({ serial: 'second' }, ada)
      const computers = await app.get('/computers', { include: 'owner' })
      const owners = resourceKeys(computers.body.included).filter((key) => key === keyOf(ada))
      assert.equal(owners.length, 1)
    },
  )
})

describeService('Inclusion of related resources', (app: TestService) => {
  for (const path of new Set(includeRequests().map(([path]) => path)))
    rule('INP-1', `${path} without include has no included resources`, async () => {
      await createSamples(app)
      const response = await app.get(path)
      assert.equal(response.status, 200)
      assert.ok(!('included' in response.body))
    })

  rule('INP-2', 'creates and updates support include', async () => {
    const { ada, engine } = await createSamples(app)
    const relationships = { owner: { data: identifier(ada) } }
    const computer = { type: 'computer', attributes: { serial: 'new' }, relationships }
    const created = await app.post('/computers', { data: computer }, { include: 'owner' })
    assert.equal(created.status, 201)
    assert.deepEqual(resourceKeys(created.body.included), [keyOf(ada)])
    const nested = { data: { type: 'computer', attributes: { serial: 'newer' } } }
    const linked = await app.post(`/persons/${ada.id}/computers`, nested, { include: 'owner' })
    assert.equal(linked.status, 201)
    assert.deepEqual(resourceKeys(linked.body.included), [keyOf(ada)])
    const data = { ...identifier(engine), attributes: { serial: 'changed' } }
    const updated = await app.patch(`/computers/${engine.id}`, { data }, { include: 'owner' })
    assert.equal(updated.status, 200)
    assert.deepEqual(resourceKeys(updated.body.included), [keyOf(ada)])
  })

  rule('INP-3', 'the root document, which has no resources, rejects include', async () => {
    assertError(await app.get('/', { include: 'computers' }), 400, { parameter: 'include' })
  })

  rule(
    'INP-3',
    'given an invalid include, a write with only meta in its response changes nothing',
    async () => {
      const { ada, engine, orphan } = await createSamples(app)
      const include = { include: 'nope' }
      const source = { parameter: 'include' }
      const path = `/persons/${ada.id}/relationships/computers`
      assertError(await app.delete(`/persons/${ada.id}`, undefined, include), 400, source)
      assertError(await app.post(path, { data: [identifier(orphan)] }, include), 400, source)
      assertError(await app.delete(path, { data: [identifier(engine)] }, include), 400, source)
      assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
    },
  )

  rule('INP-4', 'included has only the requested resources', async () => {
    const { ada, engine } = await createSamples(app)
    const second = await app.computer({ serial: 'second' }, ada)
    const person = await app.get(`/persons/${ada.id}`, { include: 'computers' })
    assert.deepEqual(
      resourceKeys(person.body.included).sort(),
      [keyOf(engine), keyOf(second)].sort(),
    )
    const computer = await app.get(`/computers/${engine.id}`, { include: 'owner' })
    assert.deepEqual(resourceKeys(computer.body.included), [keyOf(ada)])
  })

  rule(
    'INP-5',
    'include has several paths, separated by commas, with dots between relationships',
    async () => {
      const { ada, grace, engine, compiler } = await createSamples(app)
      const computers = await app.get('/computers', { include: 'owner,owner.computers' })
      assert.deepEqual(
        resourceKeys(computers.body.included).sort(),
        [keyOf(ada), keyOf(grace)].sort(),
      )
      const person = await app.get(`/computers/${engine.id}`, { include: 'owner,owner.computers' })
      assert.deepEqual(resourceKeys(person.body.included), [keyOf(ada)])
      const persons = await app.get('/persons', { include: 'computers.owner' })
      assert.deepEqual(
        resourceKeys(persons.body.included).sort(),
        [keyOf(engine), keyOf(compiler)].sort(),
      )
    },
  )

  for (const include of [
    ...['nope', 'computers.nope', 'name', 'computers,nope', 'computers.owner.nope'],
    ...['computers,,computers.owner', 'computers.', '.computers', ',', 'computers,'],
    ...['computers ', 'owner', 'person', '__proto__'],
  ])
    rule('INP-6', `given include="${include}", persons get 400`, async () => {
      const { id } = await app.person()
      for (const path of ['/persons', `/persons/${id}`])
        assertError(await app.get(path, { include }), 400, { parameter: 'include' })
    })

  rule('INP-6', 'given an invalid include, a create and an update change nothing', async () => {
    const { ada } = await createSamples(app)
    const include = { include: 'nope' }
    const created = { data: { type: 'person', attributes: { name: 'n' } } }
    assertError(await app.post('/persons', created, include), 400, { parameter: 'include' })
    const changed = { data: { ...identifier(ada), attributes: { name: 'n' } } }
    const path = `/persons/${ada.id}`
    assertError(await app.patch(path, changed, include), 400, { parameter: 'include' })
    assert.equal(await countResources(app, '/persons'), 3)
    assert.equal((await app.get(path)).one.attributes?.name, 'Ada')
  })

  rule('INP-6', 'given an empty include, included is empty', async () => {
    const { ada } = await createSamples(app)
    for (const path of ['/persons', `/persons/${ada.id}`]) {
      const response = await app.get(path, { include: '' })
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(response.body.included, [])
    }
  })

  rule(
    'INP-7',
    'a path starts at the relationship at its URL, and at the returned type at other URLs',
    async () => {
      const { ada, engine } = await createSamples(app)
      const linkage = `/persons/${ada.id}/relationships/computers`
      const computers = await app.get(linkage, { include: 'computers' })
      assert.deepEqual(computers.body.data, [identifier(engine)])
      assert.deepEqual(computers.body.included?.map(identifier), [identifier(engine)])
      assert.equal(computers.body.included?.[0]?.attributes?.serial, 'engine')
      const owners = await app.get(linkage, { include: 'computers.owner' })
      assert.deepEqual(
        resourceKeys(owners.body.included).sort(),
        [keyOf(engine), keyOf(ada)].sort(),
      )
      assertError(await app.get(linkage, { include: 'owner' }), 400, { parameter: 'include' })
      const related = await app.get(`/persons/${ada.id}/computers`, { include: 'owner' })
      assert.deepEqual(ids(related), [engine.id])
      assert.deepEqual(resourceKeys(related.body.included), [keyOf(ada)])
      const invalid = await app.get(`/persons/${ada.id}/computers`, { include: 'computers' })
      assertError(invalid, 400, { parameter: 'include' })
    },
  )
})
