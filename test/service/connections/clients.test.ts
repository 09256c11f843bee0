import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Resource } from '../../service-suite.ts'
import { describeService } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { enter, found, identifier, labels, linkedIds } from '../people.ts'

const contentType = { 'Content-Type': 'application/vnd.api+json' }

describeService(
  'Header fields that clients send',
  (app) => {
    it('Content-Type on GET', async () => {
      const { ada } = await enter(app)
      assert.deepEqual((await app.get(`/persons/${ada.id}`, {}, contentType)).one, ada)
      assertStatus(await app.get('/persons', {}, contentType), 200)
    })

    it('Content-Type on DELETE without a body', async () => {
      const { ada, eniac } = await enter(app)
      assertStatus(await app.call('DELETE', `/persons/${ada.id}`, { headers: contentType }), 200)
      const empty = { ...contentType, 'Content-Length': '0' }
      assertStatus(await app.call('DELETE', `/computers/${eniac.id}`, { headers: empty }), 200)
    })

    it('a body on the DELETE of a resource, which is ignored', async () => {
      const { ada, alan, grace, eniac } = await enter(app)
      assertStatus(await app.delete(`/persons/${ada.id}`, { data: identifier(ada) }), 200)
      assertStatus(
        await app.delete(`/persons/${alan.id}`, { data: { type: 'computer', id: '0' } }),
        200,
      )
      assertStatus(await app.call('DELETE', `/persons/${grace.id}`, { raw: 'not JSON' }), 200)
      assertStatus(await app.delete(`/computers/${eniac.id}`, {}), 200)
    })

    it('Accept: application/json, text/plain, */*', async () => {
      await enter(app)
      const response = await app.get(
        '/persons',
        {},
        { Accept: 'application/json, text/plain, */*' },
      )
      assertStatus(response, 200)
      assert.equal(response.headers['content-type'], 'application/vnd.api+json')
    })
  },
  { isLongOnOthers: true },
)

describeService('Queries that clients send', (app) => {
  it('given brackets raw or encoded, then the response is the same', async () => {
    await enter(app)
    for (const query of [
      'page[size]=1&fields[person]=name&filter[gender]=male',
      'page%5Bsize%5D=1&fields%5Bperson%5D=name&filter%5Bgender%5D=male',
      'page%5bsize%5d=1&fields[person%5D=name&filter%5Bgender]=male',
    ]) {
      const response = await app.call('GET', '/persons', { query })
      assertStatus(response, 200)
      assert.deepEqual(
        response.many.map(({ attributes }) => attributes),
        [{ name: 'Alan Turing' }],
      )
      assert.ok(response.body.links?.self?.includes('page%5Bsize%5D=1'), response.text)
    }
  })

  it('raw braces, brackets and quotes in filter', async () => {
    await enter(app)
    const raw = 'filter=[{"name":"gender","op":"eq","val":"male"}]'
    assert.deepEqual(await found(app, '/persons', raw), ['Alan'])
    const mixed = 'filter=[{"or":[{"name":"gender","op":"eq","val":"male"}]}]&page[size]=5'
    assert.deepEqual(await found(app, '/persons', mixed), ['Alan'])
  })

  for (const [text, name] of [
    ['a+b', 'a b'],
    ['a%20b', 'a b'],
    ['a%2Bb', 'a+b'],
  ] as const)
    it(`+ or %20 for a space, %2B for a plus: ${text}`, async () => {
      await app.person({ name: 'a b' })
      await app.person({ name: 'a+b' })
      const plain = await app.call('GET', '/persons', { query: `filter[name]=${text}` })
      assert.equal(plain.many[0]?.attributes?.name, name)
      const json = `filter=[{"name":"name","op":"eq","val":"${text}"}]`
      const response = await app.call('GET', '/persons', { query: json })
      assert.deepEqual(
        response.many.map(({ attributes }) => attributes?.name),
        [name],
      )
      assert.deepEqual((await app.get(response.body.links?.self ?? '')).body, response.body)
    })

  it('parameters in any order', async () => {
    await enter(app)
    const parts = [
      'sort=-name',
      'page[size]=2',
      'include=computers',
      'fields[person]=name,computers',
      'filter[gender]=female',
    ]
    const first = await app.call('GET', '/persons', { query: parts.join('&') })
    const other = await app.call('GET', '/persons', { query: parts.toReversed().join('&') })
    assertStatus(first, 200)
    assert.deepEqual(labels(first), ['Grace', 'Ada'])
    assert.deepEqual([other.body.data, other.body.included], [first.body.data, first.body.included])
  })

  for (const [query, at] of [
    ['include[]=computers', 'include[]'],
    ['include%5B%5D=computers', 'include[]'],
    ['fields=name', 'fields'],
  ] as const)
    it(`${query}: 400 that names the parameter`, async () => {
      const response = await app.call('GET', '/persons', { query })
      assertErrors(response, 400, { status: 400, at, says: at })
    })

  it('filter[owner__id]=5', async () => {
    const { ada } = await enter(app)
    const query = `filter[owner__id]=${ada.id}`
    assert.deepEqual(await found(app, '/computers', query), ['ENIAC', 'Zuse_Z3'])
    assert.deepEqual(await found(app, '/computers', 'filter[owner__id]=999999'), [])
  })

  for (const query of ['', '&', 'include=&', '&sort=name&&'])
    it(`a path with an empty query: ?${query}`, async () => {
      await enter(app)
      assertStatus(await app.call('GET', '/persons', { query }), 200)
    })
})

describeService('Members of bodies that clients send and the server ignores', (app) => {
  it('at the top level: meta, included, links and any others', async () => {
    const body = {
      meta: { sent: true },
      included: [{ type: 'computer', id: '1', attributes: { serial: 5 } }],
      links: { self: '/x' },
      jsonapi: { version: '1.1' },
      errors: [],
      foo: 1,
      data: { type: 'person', attributes: { name: 'Ada' } },
    }
    assertStatus(await app.post('/persons', body), 201)
    assertStatus(await app.post('/persons', { ...body, included: 'x', links: null, meta: 5 }), 201)
  })

  it('in resources: links, meta, lid and any others', async () => {
    const extra = { links: { self: '/x' }, meta: { a: 1 }, lid: 'local-1', foo: { bar: 1 } }
    const created = await app.post('/persons', {
      data: { type: 'person', attributes: { name: 'Ada' }, ...extra },
    })
    assertStatus(created, 201)
    const { id } = created.one
    assertStatus(await app.patch(`/persons/${id}`, { data: { type: 'person', id, ...extra } }), 200)
  })

  it('in identifiers: attributes, lid, method and meta', async () => {
    const { ada, orphan } = await enter(app)
    const member = {
      ...identifier(orphan),
      attributes: { serial: 'changed', quux: 1 },
      lid: 'x',
      method: 'update',
      meta: { a: 1 },
      relationships: 5,
    }
    const relationships = { computers: { data: [member] } }
    const response = await app.patch(
      `/persons/${ada.id}`,
      { data: { ...identifier(ada), relationships } },
      { include: 'computers' },
    )
    assertStatus(response, 200)
    assert.deepEqual(linkedIds(response.one, 'computers'), [orphan.id])
    assert.equal(response.body.included?.[0]?.attributes?.serial, 'Orphan')
    const link = await app.post(`/persons/${ada.id}/relationships/computers`, { data: [member] })
    assertStatus(link, 200)
  })

  it('relationships: {}, and a relationship with links or meta only', async () => {
    const { ada, eniac, zuse } = await enter(app)
    const created = await app.post('/persons', {
      data: { type: 'person', attributes: { name: 'Eve' }, relationships: {} },
    })
    assertStatus(created, 201)
    for (const computers of [
      { links: { self: '/x', related: '/y' } },
      { links: {}, meta: { a: 1 } },
    ]) {
      const body = { data: { ...identifier(ada), relationships: { computers } } }
      const response = await app.patch(`/persons/${ada.id}`, body, { include: 'computers' })
      assertStatus(response, 200)
      assert.deepEqual(linkedIds(response.one, 'computers'), [eniac.id, zuse.id])
    }
    const linksOnly = { owner: { links: { related: '/x' } } }
    const machine = { type: 'computer', attributes: { serial: 'x' }, relationships: linksOnly }
    assertStatus(await app.post('/computers', { data: machine }), 201)
    assertStatus(await app.post(`/persons/${ada.id}/computers`, { data: machine }), 201)
  })

  for (const id of [null, '0b9a2c1e-6f57-4d0e-9a53-2d1f4e6b7c88', 7, 'tmp', ''])
    it(`id: ${JSON.stringify(id)} as the id of a create`, async () => {
      const data = { type: 'computer', id, attributes: { serial: 'x' } }
      const response = await app.post('/computers', { data })
      assertStatus(response, 201)
      assert.match(response.one.id, /^[1-6]$/)
    })
})

describeService('Resources that clients send back', (app) => {
  for (const [path, include] of [
    ['/persons/1', 'computers'],
    ['/persons/4', 'computers'],
    ['/computers/1', 'owner'],
    ['/computers/4', 'owner'],
  ] as const)
    it(`are accepted by PATCH as they were read, with output-only attributes and nulls: ${path}`, async () => {
      await enter(app)
      for (const query of [{}, { include }]) {
        const { body } = await app.get(path, query)
        const response = await app.patch(path, body, query)
        assertStatus(response, 200)
        assert.deepEqual(response.one, body.data)
      }
    })

  it('are accepted by POST, which creates another one', async () => {
    const { ada } = await enter(app)
    const again = await app.post('/persons', { data: ada })
    assertStatus(again, 201)
    assert.notEqual(again.one.id, ada.id)
    const { display_name, ...returned } = again.one.attributes ?? {}
    const { display_name: hers, ...before } = ada.attributes ?? {}
    assert.deepEqual(returned, before)
    assert.deepEqual([display_name, hers], ['ADA LOVELACE', 'ADA LOVELACE <ada@example.org>'])
  })

  it('are accepted with an id among the attributes', async () => {
    const ada: Resource = await app.person()
    const attributes = { ...ada.attributes, id: ada.id }
    const response = await app.patch(`/persons/${ada.id}`, {
      data: { ...identifier(ada), attributes },
    })
    assertStatus(response, 200)
  })
})

describeService('Errors as clients read them', (app) => {
  it('given an invalid value, then the status is the string "422" and the last token of the pointer is the name of the field', async () => {
    const attributes = { name: 5, email: 'x', birth_date: 'y', quux: 1 }
    const response = await app.post('/persons', { data: { type: 'person', attributes } })
    assertStatus(response, 422)
    const returned = (response.body.errors ?? []).map(({ status, source }) => [
      status,
      source?.pointer?.split('/').at(-1),
    ])
    const expected = Object.keys(attributes).map((name) => ['422', name])
    assert.deepEqual(returned.sort(), expected.sort())
  })

  it('given a missing field, then the last token of the pointer is its name', async () => {
    const response = await app.post('/computers', { data: { type: 'computer', attributes: {} } })
    assertStatus(response, 422)
    assert.ok(response.error.detail.includes('serial'))
  })
})
