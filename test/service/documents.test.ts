import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestResponse } from '../service-suite.ts'
import { describeService, ids } from '../service-suite.ts'
import { assertStatus } from './assert-errors.ts'
import { enter, identifier, included, linked, linkedIds } from './people.ts'

const members = (value: object | undefined): string[] => Object.keys(value ?? {}).sort()

describeService('Top-level members', (app) => {
  it('are data, links and jsonapi for one resource', async () => {
    const { ada } = await enter(app)
    const response = await app.get(`/persons/${ada.id}`)
    assert.deepEqual(members(response.body), ['data', 'jsonapi', 'links'])
    assert.deepEqual(response.body.jsonapi, { version: '1.0' })
    assert.deepEqual(response.body.links, { self: `/persons/${ada.id}` })
  })

  it('are data, links, jsonapi and meta.count for a collection', async () => {
    const { ada } = await enter(app)
    for (const path of ['/persons', '/computers', `/persons/${ada.id}/computers`]) {
      const response = await app.get(path)
      assert.deepEqual(members(response.body), ['data', 'jsonapi', 'links', 'meta'])
      assert.deepEqual(response.body.meta, { count: response.many.length })
    }
  })

  it('are jsonapi and meta.message for a delete and for a relationship write', async () => {
    const { ada, orphan } = await enter(app)
    const link = await app.post(`/persons/${ada.id}/relationships/computers`, {
      data: [identifier(orphan)],
    })
    const message = 'Relationship successfully created'
    assert.deepEqual(link.body, { jsonapi: { version: '1.0' }, meta: { message } })
    const gone = await app.delete(`/persons/${ada.id}`)
    assert.deepEqual(gone.body, {
      jsonapi: { version: '1.0' },
      meta: { message: 'Object successfully deleted' },
    })
  })

  it('are errors and jsonapi for a rejected request', async () => {
    const answers = [
      await app.get('/persons/999999'),
      await app.get('/nowhere'),
      await app.get('/persons', { sort: 'quux' }),
      await app.post('/persons', {}),
      await app.call('PUT', '/persons'),
    ]
    for (const response of answers) {
      assert.deepEqual(members(response.body), ['errors', 'jsonapi'])
      assert.deepEqual(response.body.jsonapi, { version: '1.0' })
    }
  })

  for (const [path, name] of [
    ['/persons', 'ada'],
    ['/computers', 'eniac'],
  ] as const)
    it(`given ${path}, then its resource has type, id, attributes, relationships and links.self`, async () => {
      const { [name]: resource } = await enter(app)
      assert.deepEqual(members(resource), ['attributes', 'id', 'links', 'relationships', 'type'])
      assert.equal(typeof resource.id, 'string')
      assert.deepEqual(resource.links, { self: `${path}/${resource.id}` })
    })
})

describeService('Linkage', (app) => {
  it('returns only the links of a relationship that is not loaded', async () => {
    const { ada, eniac } = await enter(app)
    assert.deepEqual(ada.relationships?.computers, {
      links: {
        self: `/persons/${ada.id}/relationships/computers`,
        related: `/persons/${ada.id}/computers`,
      },
    })
    assert.deepEqual(eniac.relationships?.owner, {
      links: {
        self: `/computers/${eniac.id}/relationships/owner`,
        related: `/computers/${eniac.id}/owner`,
      },
    })
  })

  it('returns data beside the links when the relationship is included', async () => {
    const { ada, odd, eniac, zuse, orphan } = await enter(app)
    const persons = await app.get('/persons', { include: 'computers' })
    const [hers] = persons.many
    assert.deepEqual(members(hers?.relationships?.computers), ['data', 'links'])
    assert.deepEqual(linked(hers, 'computers'), [identifier(eniac), identifier(zuse)])
    assert.deepEqual(
      linked(
        persons.many.find(({ id }) => id === odd.id),
        'computers',
      ),
      [],
    )
    const computers = await app.get('/computers', { include: 'owner' })
    const ofId = (id: string) => computers.many.find((each) => each.id === id)
    assert.deepEqual(linked(ofId(eniac.id), 'owner'), identifier(ada))
    assert.equal(linked(ofId(orphan.id), 'owner'), null)
  })

  it('returns data when the relationship is named in that type’s fields, included or not', async () => {
    const { ada, eniac, zuse, orphan } = await enter(app)
    const response = await app.get(`/persons/${ada.id}`, { 'fields[person]': 'computers' })
    assert.deepEqual(linkedIds(response.one, 'computers'), [eniac.id, zuse.id])
    assert.ok(!('included' in response.body))
    const machine = await app.get(`/computers/${eniac.id}`, {
      'fields[computer]': 'serial,owner',
    })
    assert.deepEqual(linked(machine.one, 'owner'), identifier(ada))
    const lonely = await app.get(`/computers/${orphan.id}`, { 'fields[computer]': 'owner' })
    assert.equal(linked(lonely.one, 'owner'), null)
  })

  it('returns the linkage of an included resource only for relationships that the include path follows', async () => {
    const { eniac } = await enter(app)
    const shallow = await app.get('/persons', { include: 'computers' })
    const deep = await app.get('/persons', { include: 'computers.owner' })
    const eniacIn = (response: TestResponse) =>
      response.body.included?.find(({ id }) => id === eniac.id)
    assert.deepEqual(members(eniacIn(shallow)?.relationships?.owner), ['links'])
    assert.deepEqual(members(eniacIn(deep)?.relationships?.owner), ['data', 'links'])
  })

  it('returns the linkage of all computers of a person', async () => {
    const ada = await app.person()
    const machines: string[] = []
    for (let each = 0; each < 35; each++) machines.push((await app.computer({}, ada)).id)
    const response = await app.get(`/persons/${ada.id}`, { include: 'computers' })
    assert.deepEqual(linkedIds(response.one, 'computers'), machines)
    assert.equal(response.body.included?.length, 35)
  })
})

describeService('Links', (app) => {
  it('are paths in resources and at the top of a single-resource document', async () => {
    const { ada, eniac } = await enter(app)
    const path = `/persons/${ada.id}`
    assert.equal((await app.get(path)).body.links?.self, path)
    const owner = await app.get(`/computers/${eniac.id}/owner`)
    assert.equal(owner.body.links?.self, `/computers/${eniac.id}/owner`)
    assert.equal(owner.one.links?.self, path)
  })

  it('are absolute at the top of a collection', async () => {
    const { ada } = await enter(app)
    for (const path of ['/persons', '/computers', `/persons/${ada.id}/computers`]) {
      assert.deepEqual((await app.get(path)).body.links, { self: app.url + path })
      const paged = (await app.get(path, { 'page[size]': '1' })).body.links ?? {}
      for (const link of Object.values(paged))
        assert.ok(link.startsWith(`${app.url}${path}?`), link)
    }
  })

  it('repeat the query of the request in self, encoded', async () => {
    const { ada } = await enter(app)
    const path = `/persons/${ada.id}`
    const single = await app.call('GET', path, { query: 'fields[person]=name&include=' })
    const { self } = single.body.links ?? {}
    assert.equal(self, `${path}?fields%5Bperson%5D=name&include=`)
    assert.deepEqual((await app.get(self ?? '')).body, single.body)
  })

  for (const query of [
    'sort=-name&page[size]=2',
    'filter=[{"name":"name","op":"like","val":"a%25e"}]',
    'filter[name]=Ada+Lovelace',
    'filter[name]=Ada%20Lovelace&include=computers',
    'filter[name]=1%2B1%26x%3Dy%23z',
    'filter[name]=%C3%A9%F0%9F%98%80',
  ])
    it(`given the query ${query}, then the link self leads to the same document`, async () => {
      await enter(app)
      const first = await app.call('GET', '/persons', { query })
      assertStatus(first, 200)
      const self = first.body.links?.self ?? ''
      assert.match(self, /^[\w.~:/?#@!$&'()*+,;=%-]*$/, 'a URL of RFC 3986, brackets encoded')
      assert.deepEqual((await app.get(self)).body, first.body)
    })

  const person = { data: { type: 'person', attributes: { name: 'n' } } }
  const computer = { data: { type: 'computer', attributes: { serial: 's' } } }

  for (const [path, body, at] of [
    ['/persons', person, '/persons'],
    ['/computers', computer, '/computers'],
    ['/persons/1/computers', computer, '/computers'],
  ] as const)
    it(`given a resource created at ${path}, then Location is its links.self`, async () => {
      await enter(app)

      const created = await app.post(path, body)
      assertStatus(created, 201)
      assert.equal(created.headers.location, `${at}/${created.one.id}`)
      assert.equal(created.one.links?.self, created.headers.location)
      assert.deepEqual((await app.get(created.body.links?.self ?? '')).one, created.one)
    })
})

describeService('Included resources', (app) => {
  it('are absent without include', async () => {
    const { ada } = await enter(app)
    for (const path of ['/persons', `/persons/${ada.id}`, '/computers']) {
      assert.ok(!('included' in (await app.get(path)).body))
    }
  })

  for (const [path, include] of [
    ['/persons/4', 'computers'],
    ['/persons/4', ''],
    ['/persons', ''],
    ['/persons/4/computers', 'owner'],
    ['/computers/4', 'owner'],
    ['/persons/4/relationships/computers', 'computers'],
  ] as const)
    it(`given include, then the member is present, even if it is empty: ${path}?include=${include}`, async () => {
      await enter(app)
      assert.deepEqual((await app.get(path, { include })).body.included, [], `${path} ${include}`)
    })

  it('are absent if data is null or absent', async () => {
    const { ada, orphan } = await enter(app)
    const answers = [
      await app.get(`/computers/${orphan.id}/owner`, { include: 'computers' }),
      await app.get(`/computers/${orphan.id}/relationships/owner`, { include: 'owner' }),
      await app.post(
        `/persons/${ada.id}/relationships/computers`,
        { data: [] },
        { include: 'computers' },
      ),
      await app.delete(`/persons/${ada.id}`, undefined, { include: 'computers' }),
    ]
    for (const response of answers) {
      assertStatus(response, 200)
      assert.ok(!('included' in response.body), response.text)
    }
  })

  it('contain no resource twice, and none of the primary data', async () => {
    const { ada, grace, eniac, zuse } = await enter(app)
    const owners = await app.get('/computers', { include: 'owner' })
    assert.deepEqual(included(owners), [`person ${ada.id}`, `person ${grace.id}`])
    const around = await app.get(`/persons/${ada.id}`, { include: 'computers.owner.computers' })
    assert.deepEqual(included(around), [`computer ${eniac.id}`, `computer ${zuse.id}`])
  })

  it('are all linked from another resource of the document', async () => {
    const { ada, eniac, zuse } = await enter(app)
    const response = await app.get(`/computers/${eniac.id}`, { include: 'owner.computers' })
    assert.deepEqual(included(response), [`computer ${zuse.id}`, `person ${ada.id}`])
    assert.deepEqual(linked(response.one, 'owner'), identifier(ada))
    const hers = response.body.included?.find(({ type }) => type === 'person')
    assert.deepEqual(linkedIds(hers, 'computers'), [eniac.id, zuse.id])
  })

  it('given several include paths, then a primary resource has the relationships of all of them', async () => {
    const { ada, eniac } = await enter(app)
    const response = await app.get('/computers', { include: 'owner.computers' })
    assert.ok(!included(response).some((each) => each.startsWith('computer')))
    assert.equal(ids(response).filter((id) => id === eniac.id).length, 1)
    const hers = response.body.included?.find(({ id }) => id === ada.id)
    assert.ok(linkedIds(hers, 'computers').includes(eniac.id))
  })
})
