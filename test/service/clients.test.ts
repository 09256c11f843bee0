import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Resource } from '../world.ts'
import { chapter } from '../world.ts'
import { enter, found, identifier, labels, linkedIds } from './people.ts'
import { assertRefused, assertStatus } from './told.ts'

const contentType = { 'Content-Type': 'application/vnd.api+json' }

chapter('what real clients send: headers', (world) => {
  it('Content-Type on GET', async () => {
    const { ada } = await enter(world)
    assert.deepEqual((await world.get(`/persons/${ada.id}`, {}, contentType)).one, ada)
    assertStatus(await world.get('/persons', {}, contentType), 200)
  })

  it('Content-Type on DELETE without a body', async () => {
    const { ada, eniac } = await enter(world)
    assertStatus(await world.call('DELETE', `/persons/${ada.id}`, { headers: contentType }), 200)
    const empty = { ...contentType, 'Content-Length': '0' }
    assertStatus(await world.call('DELETE', `/computers/${eniac.id}`, { headers: empty }), 200)
  })

  it('a body on the DELETE of a resource, which is ignored', async () => {
    const { ada, alan, grace, eniac } = await enter(world)
    assertStatus(await world.delete(`/persons/${ada.id}`, { data: identifier(ada) }), 200)
    assertStatus(
      await world.delete(`/persons/${alan.id}`, { data: { type: 'computer', id: '0' } }),
      200,
    )
    assertStatus(await world.call('DELETE', `/persons/${grace.id}`, { raw: 'not JSON' }), 200)
    assertStatus(await world.delete(`/computers/${eniac.id}`, {}), 200)
  })

  it('Accept: application/json, text/plain, */*', async () => {
    await enter(world)
    const answer = await world.get('/persons', {}, { Accept: 'application/json, text/plain, */*' })
    assertStatus(answer, 200)
    assert.equal(answer.headers['content-type'], 'application/vnd.api+json')
  })
})

chapter('what real clients send: queries', (world) => {
  it('brackets raw or encoded', async () => {
    await enter(world)
    for (const query of [
      'page[size]=1&fields[person]=name&filter[gender]=male',
      'page%5Bsize%5D=1&fields%5Bperson%5D=name&filter%5Bgender%5D=male',
      'page%5bsize%5d=1&fields[person%5D=name&filter%5Bgender]=male',
    ]) {
      const answer = await world.call('GET', '/persons', { query })
      assertStatus(answer, 200)
      assert.deepEqual(
        answer.many.map(({ attributes }) => attributes),
        [{ name: 'Alan Turing' }],
      )
      assert.ok(answer.body.links?.self?.includes('page%5Bsize%5D=1'), answer.text)
    }
  })

  it('raw braces, brackets and quotes in filter', async () => {
    await enter(world)
    const raw = 'filter=[{"name":"gender","op":"eq","val":"male"}]'
    assert.deepEqual(await found(world, '/persons', raw), ['Alan'])
    const mixed = 'filter=[{"or":[{"name":"gender","op":"eq","val":"male"}]}]&page[size]=5'
    assert.deepEqual(await found(world, '/persons', mixed), ['Alan'])
  })

  it('+ or %20 for a space, %2B for a plus', async () => {
    await world.person({ name: 'a b' })
    await world.person({ name: 'a+b' })
    for (const [text, name] of [
      ['a+b', 'a b'],
      ['a%20b', 'a b'],
      ['a%2Bb', 'a+b'],
    ] as const) {
      const plain = await world.call('GET', '/persons', { query: `filter[name]=${text}` })
      assert.equal(plain.many[0]?.attributes?.name, name)
      const json = `filter=[{"name":"name","op":"eq","val":"${text}"}]`
      const answer = await world.call('GET', '/persons', { query: json })
      assert.deepEqual(
        answer.many.map(({ attributes }) => attributes?.name),
        [name],
      )
      assert.deepEqual((await world.get(answer.body.links?.self ?? '')).body, answer.body)
    }
  })

  it('parameters in any order', async () => {
    await enter(world)
    const parts = [
      'sort=-name',
      'page[size]=2',
      'include=computers',
      'fields[person]=name,computers',
      'filter[gender]=female',
    ]
    const first = await world.call('GET', '/persons', { query: parts.join('&') })
    const other = await world.call('GET', '/persons', { query: parts.toReversed().join('&') })
    assertStatus(first, 200)
    assert.deepEqual(labels(first), ['Grace', 'Ada'])
    assert.deepEqual([other.body.data, other.body.included], [first.body.data, first.body.included])
  })

  it('include[]= and fields=name: 400s that name the parameter', async () => {
    for (const [query, at] of [
      ['include[]=computers', 'include[]'],
      ['include%5B%5D=computers', 'include[]'],
      ['fields=name', 'fields'],
    ] as const) {
      const answer = await world.call('GET', '/persons', { query })
      assertRefused(answer, 400, { status: 400, at, says: at })
    }
  })

  it('filter[owner__id]=5', async () => {
    const { ada } = await enter(world)
    const query = `filter[owner__id]=${ada.id}`
    assert.deepEqual(await found(world, '/computers', query), ['ENIAC', 'Zuse_Z3'])
    assert.deepEqual(await found(world, '/computers', 'filter[owner__id]=999999'), [])
  })

  it('a path with an empty query', async () => {
    await enter(world)
    for (const query of ['', '&', 'include=&', '&sort=name&&']) {
      assertStatus(await world.call('GET', '/persons', { query }), 200)
    }
  })
})

chapter('what real clients send: members to ignore', (world) => {
  it('top-level meta, included, links and whatever else', async () => {
    const body = {
      meta: { sent: true },
      included: [{ type: 'computer', id: '1', attributes: { serial: 5 } }],
      links: { self: '/x' },
      jsonapi: { version: '1.1' },
      errors: [],
      foo: 1,
      data: { type: 'person', attributes: { name: 'Ada' } },
    }
    assertStatus(await world.post('/persons', body), 201)
    assertStatus(
      await world.post('/persons', { ...body, included: 'x', links: null, meta: 5 }),
      201,
    )
  })

  it('links, meta, lid and whatever else in resources', async () => {
    const extra = { links: { self: '/x' }, meta: { a: 1 }, lid: 'local-1', foo: { bar: 1 } }
    const created = await world.post('/persons', {
      data: { type: 'person', attributes: { name: 'Ada' }, ...extra },
    })
    assertStatus(created, 201)
    const { id } = created.one
    assertStatus(
      await world.patch(`/persons/${id}`, { data: { type: 'person', id, ...extra } }),
      200,
    )
  })

  it('attributes, lid, method, meta in identifiers', async () => {
    const { ada, orphan } = await enter(world)
    const member = {
      ...identifier(orphan),
      attributes: { serial: 'changed', quux: 1 },
      lid: 'x',
      method: 'update',
      meta: { a: 1 },
      relationships: 5,
    }
    const relationships = { computers: { data: [member] } }
    const answer = await world.patch(
      `/persons/${ada.id}`,
      { data: { ...identifier(ada), relationships } },
      { include: 'computers' },
    )
    assertStatus(answer, 200)
    assert.deepEqual(linkedIds(answer.one, 'computers'), [orphan.id])
    assert.equal(answer.body.included?.[0]?.attributes?.serial, 'Orphan')
    const link = await world.post(`/persons/${ada.id}/relationships/computers`, { data: [member] })
    assertStatus(link, 200)
  })

  it('relationships: {}, and a relationship with links or meta only', async () => {
    const { ada, eniac, zuse } = await enter(world)
    const created = await world.post('/persons', {
      data: { type: 'person', attributes: { name: 'Eve' }, relationships: {} },
    })
    assertStatus(created, 201)
    for (const computers of [
      { links: { self: '/x', related: '/y' } },
      { links: {}, meta: { a: 1 } },
    ]) {
      const body = { data: { ...identifier(ada), relationships: { computers } } }
      const answer = await world.patch(`/persons/${ada.id}`, body, { include: 'computers' })
      assertStatus(answer, 200)
      assert.deepEqual(linkedIds(answer.one, 'computers'), [eniac.id, zuse.id])
    }
    const linksOnly = { owner: { links: { related: '/x' } } }
    const machine = { type: 'computer', attributes: { serial: 'x' }, relationships: linksOnly }
    assertStatus(await world.post('/computers', { data: machine }), 201)
    assertStatus(await world.post(`/persons/${ada.id}/computers`, { data: machine }), 201)
  })

  it('id: null, a UUID or a number as the id of a create', async () => {
    for (const id of [null, '0b9a2c1e-6f57-4d0e-9a53-2d1f4e6b7c88', 7, 'tmp', '']) {
      const data = { type: 'computer', id, attributes: { serial: 'x' } }
      const answer = await world.post('/computers', { data })
      assertStatus(answer, 201)
      assert.match(answer.one.id, /^[1-6]$/)
    }
  })
})

chapter('what real clients send: whole resources', (world) => {
  it('sent back by PATCH as they were read, output-only attributes and nulls included', async () => {
    const { ada, odd, eniac, orphan } = await enter(world)
    for (const [path, include] of [
      [`/persons/${ada.id}`, 'computers'],
      [`/persons/${odd.id}`, 'computers'],
      [`/computers/${eniac.id}`, 'owner'],
      [`/computers/${orphan.id}`, 'owner'],
    ] as const) {
      for (const query of [{}, { include }]) {
        const { body } = await world.get(path, query)
        const answer = await world.patch(path, body, query)
        assertStatus(answer, 200)
        assert.deepEqual(answer.one, body.data)
      }
    }
  })

  it('sent again to create another like them', async () => {
    const { ada } = await enter(world)
    const again = await world.post('/persons', { data: ada })
    assertStatus(again, 201)
    assert.notEqual(again.one.id, ada.id)
    const { display_name, ...told } = again.one.attributes ?? {}
    const { display_name: hers, ...before } = ada.attributes ?? {}
    assert.deepEqual(told, before)
    assert.deepEqual([display_name, hers], ['ADA LOVELACE', 'ADA LOVELACE <ada@example.org>'])
  })

  it('with an id in its attributes', async () => {
    const ada: Resource = await world.person()
    const attributes = { ...ada.attributes, id: ada.id }
    const answer = await world.patch(`/persons/${ada.id}`, {
      data: { ...identifier(ada), attributes },
    })
    assertStatus(answer, 200)
  })
})

chapter('what real clients read: errors', (world) => {
  it('the status of an error is the string "422", the last segment of its pointer the field’s name', async () => {
    const attributes = { name: 5, email: 'x', birth_date: 'y', quux: 1 }
    const answer = await world.post('/persons', { data: { type: 'person', attributes } })
    assertStatus(answer, 422)
    const told = (answer.body.errors ?? []).map(({ status, source }) => [
      status,
      source?.pointer?.split('/').at(-1),
    ])
    const expected = Object.keys(attributes).map((name) => ['422', name])
    assert.deepEqual(told.sort(), expected.sort())
  })

  it('a field that is missing is told by its name too', async () => {
    const answer = await world.post('/computers', { data: { type: 'computer', attributes: {} } })
    assertStatus(answer, 422)
    assert.ok(answer.fault.detail.includes('serial'))
  })
})
