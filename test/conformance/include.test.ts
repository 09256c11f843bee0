import assert from 'node:assert/strict'
import type { Resource, World } from '../world.ts'
import { chapter, ids, rule } from '../world.ts'
import { isObject, linkedKeys, membersNamed, resourceKeys } from './document-members.ts'
import type { Samples } from './samples.ts'
import { assertError, computersOf, countResources, createSamples, identifier } from './samples.ts'

/** The name of a resource as `type/id`. */
function name({ type, id }: Resource): string {
  return `${type}/${id}`
}

/** Every route that shows resources or linkage, with include paths that fit it. */
function compounds({ ada, engine, orphan }: Samples): [path: string, include: string][] {
  const person = ['computers', 'computers.owner', 'computers.owner.computers']
  const computer = ['owner', 'owner.computers', 'owner.computers.owner', 'owner,owner.computers']
  const through = (paths: string[], step: string) => [
    step,
    ...paths.map((path) => `${step}.${path}`),
  ]
  const each = (path: string, includes: string[]) =>
    includes.map((include): [string, string] => [path, include])
  return [
    ...each('/persons', person),
    ...each(`/persons/${ada.id}`, person),
    ...each(`/computers/${engine.id}/owner`, person),
    ...each(`/computers/${engine.id}/relationships/owner`, through(person, 'owner')),
    ...each('/computers', computer),
    ...each(`/computers/${engine.id}`, computer),
    ...each(`/computers/${orphan.id}`, computer),
    ...each(`/persons/${ada.id}/computers`, computer),
    ...each(
      `/persons/${ada.id}/relationships/computers`,
      through(computer.slice(0, 3), 'computers'),
    ),
  ]
}

chapter('INC Compound documents', (app: World) => {
  // INC-1 Responses may include related resources.
  rule('INC-1', 'related resources come along when they are request for', async () => {
    const { ada, engine } = await createSamples(app)
    const response = await app.get(`/persons/${ada.id}`, { include: 'computers' })
    assert.equal(response.status, 200)
    assert.deepEqual(resourceKeys(response.body.included), [name(engine)])
    assert.deepEqual(response.body.included, [(await app.get(`/computers/${engine.id}`)).one])
  })

  // INC-2 Included resources sit in one top-level `included` array of resource objects.
  rule(
    'INC-2',
    'included resources stand in one top-level list, each a resource object',
    async () => {
      const cast = await createSamples(app)
      for (const [path, include] of compounds(cast)) {
        const response = await app.get(path, { include })
        const where = `${path}?include=${include}\n${response.text}`
        assert.equal(response.status, 200, where)
        assert.equal(membersNamed(response.body, 'included').length, 1, where)
        assert.ok(Array.isArray(response.body.included), where)
        for (const resource of response.body.included) {
          assert.equal(typeof resource.type, 'string', where)
          assert.equal(typeof resource.id, 'string', where)
          assert.equal(typeof resource.links?.self, 'string', where)
          assert.ok(isObject(resource.attributes), where)
        }
      }
    },
  )

  // INC-3 Full linkage: each included resource is named by an identifier in the same document; the
  // only exception is linkage hidden by `fields`.
  rule('INC-3', 'every included resource is linked from another in the document', async () => {
    const cast = await createSamples(app)
    for (const [path, include] of compounds(cast)) {
      const response = await app.get(path, { include })
      const where = `${path}?include=${include}\n${response.text}`
      const reachable = linkedKeys(response.body)
      if (path.includes('/relationships/')) {
        for (const one of [response.body.data ?? []].flat()) reachable.add(name(one))
      }
      const loose = resourceKeys(response.body.included).filter((one) => !reachable.has(one))
      assert.deepEqual(loose, [], where)
    }
  })

  rule('INC-3', 'a path forces linkage on every relationship along it', async () => {
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

  // INC-4 At most one resource object per `type`+`id` in the whole document, primary data counted.
  rule('INC-4', 'no resource stands twice in a document, primary data counted', async () => {
    const cast = await createSamples(app)
    for (const [path, include] of compounds(cast)) {
      const { body, text } = await app.get(path, { include })
      const primary = path.includes('/relationships/') ? [] : [body.data ?? []].flat()
      const all = resourceKeys([...primary, ...(body.included ?? [])])
      assert.deepEqual(all, [...new Set(all)], `${path}?include=${include}\n${text}`)
    }
  })

  rule('INC-4', 'a path that comes back to where it began repeats nothing', async () => {
    const { ada, engine } = await createSamples(app)
    const person = await app.get(`/persons/${ada.id}`, { include: 'computers.owner' })
    assert.deepEqual(resourceKeys(person.body.included), [name(engine)])
    await app.computer({ serial: 'second' }, ada)
    const computers = await app.get('/computers', { include: 'owner' })
    const times = resourceKeys(computers.body.included).filter((one) => one === name(ada))
    assert.equal(times.length, 1)
  })
})

chapter('INP include', (app: World) => {
  // INP-1 Related resources may be included by default.
  rule('INP-1', 'nothing is included that was not request for', async () => {
    const cast = await createSamples(app)
    for (const path of new Set(compounds(cast).map(([path]) => path))) {
      const response = await app.get(path)
      assert.equal(response.status, 200, path)
      assert.ok(!('included' in response.body), path)
    }
  })

  // INP-2 An endpoint may support `include`.
  rule('INP-2', 'every response that shows data includes what is request for', async () => {
    const cast = await createSamples(app)
    const { ada, engine } = cast
    for (const [path, include] of compounds(cast)) {
      const response = await app.get(path, { include })
      assert.equal(response.status, 200, response.text)
      assert.ok('included' in response.body, `${path}?include=${include}`)
    }
    const hers = { owner: { data: identifier(ada) } }
    const computer = { type: 'computer', attributes: { serial: 'new' }, relationships: hers }
    const created = await app.post('/computers', { data: computer }, { include: 'owner' })
    assert.equal(created.status, 201)
    assert.deepEqual(resourceKeys(created.body.included), [name(ada)])
    const nested = { data: { type: 'computer', attributes: { serial: 'newer' } } }
    const linked = await app.post(`/persons/${ada.id}/computers`, nested, { include: 'owner' })
    assert.equal(linked.status, 201)
    assert.deepEqual(resourceKeys(linked.body.included), [name(ada)])
    const data = { ...identifier(engine), attributes: { serial: 'changed' } }
    const changed = await app.patch(`/computers/${engine.id}`, { data }, { include: 'owner' })
    assert.equal(changed.status, 200)
    assert.deepEqual(resourceKeys(changed.body.included), [name(ada)])
  })

  // INP-3 An endpoint without `include` support responses 400 to it.
  rule('INP-3', 'the entry page, which shows no resources, refuses include', async () => {
    assertError(await app.get('/', { include: 'computers' }), 400, { parameter: 'include' })
  })

  rule('INP-3', 'an response of meta alone refuses an unknown path and does nothing', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    const include = { include: 'nope' }
    const place = { parameter: 'include' }
    const path = `/persons/${ada.id}/relationships/computers`
    assertError(await app.delete(`/persons/${ada.id}`, undefined, include), 400, place)
    assertError(await app.post(path, { data: [identifier(orphan)] }, include), 400, place)
    assertError(await app.delete(path, { data: [identifier(engine)] }, include), 400, place)
    assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
  })

  // INP-4 With `include` given, nothing unrequested is in `included`.
  rule('INP-4', 'nothing but the requested is included', async () => {
    const { ada, engine } = await createSamples(app)
    const second = await app.computer({ serial: 'second' }, ada)
    const person = await app.get(`/persons/${ada.id}`, { include: 'computers' })
    assert.deepEqual(resourceKeys(person.body.included).sort(), [name(engine), name(second)].sort())
    const computer = await app.get(`/computers/${engine.id}`, { include: 'owner' })
    assert.deepEqual(resourceKeys(computer.body.included), [name(ada)])
  })

  // INP-5 Value: comma-separated list of relationship paths, each dot-separated.
  rule('INP-5', 'paths are separated by commas and their steps by dots', async () => {
    const { ada, grace, engine, compiler } = await createSamples(app)
    const computers = await app.get('/computers', { include: 'owner,owner.computers' })
    assert.deepEqual(resourceKeys(computers.body.included).sort(), [name(ada), name(grace)].sort())
    const person = await app.get(`/computers/${engine.id}`, { include: 'owner,owner.computers' })
    assert.deepEqual(resourceKeys(person.body.included), [name(ada)])
    const persons = await app.get('/persons', { include: 'computers.owner' })
    assert.deepEqual(
      resourceKeys(persons.body.included).sort(),
      [name(engine), name(compiler)].sort(),
    )
  })

  // INP-6 Unknown or unsupported path → 400.
  rule('INP-6', 'a path that does not exist is refused, wherever it breaks', async () => {
    const { ada } = await createSamples(app)
    const wrong = ['nope', 'computers.nope', 'name', 'computers,nope', 'computers.owner.nope']
    const malformed = ['computers,,computers.owner', 'computers.', '.computers', ',', 'computers,']
    for (const include of [...wrong, ...malformed, 'computers ', 'owner', 'person', '__proto__']) {
      for (const path of ['/persons', `/persons/${ada.id}`]) {
        assertError(await app.get(path, { include }), 400, { parameter: 'include' })
      }
    }
  })

  rule('INP-6', 'with a wrong path nothing is written', async () => {
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

  rule('INP-6', 'an empty include is served and includes nothing', async () => {
    const { ada } = await createSamples(app)
    for (const path of ['/persons', `/persons/${ada.id}`]) {
      const response = await app.get(path, { include: '' })
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(response.body.included, [])
    }
  })

  // INP-7 On a relationship URL the path starts with the relationship name; on a related URL it
  // starts at the related type.
  rule(
    'INP-7',
    'a path begins at the relationship on its route, else at the shown type',
    async () => {
      const { ada, engine } = await createSamples(app)
      const linkage = `/persons/${ada.id}/relationships/computers`
      const computers = await app.get(linkage, { include: 'computers' })
      assert.deepEqual(computers.body.data, [identifier(engine)])
      assert.deepEqual(computers.body.included?.map(identifier), [identifier(engine)])
      assert.equal(computers.body.included?.[0]?.attributes?.serial, 'engine')
      const owners = await app.get(linkage, { include: 'computers.owner' })
      assert.deepEqual(resourceKeys(owners.body.included).sort(), [name(engine), name(ada)].sort())
      assertError(await app.get(linkage, { include: 'owner' }), 400, { parameter: 'include' })
      const related = await app.get(`/persons/${ada.id}/computers`, { include: 'owner' })
      assert.deepEqual(ids(related), [engine.id])
      assert.deepEqual(resourceKeys(related.body.included), [name(ada)])
      const wrong = await app.get(`/persons/${ada.id}/computers`, { include: 'computers' })
      assertError(wrong, 400, { parameter: 'include' })
    },
  )
})
