import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Kitsu from 'kitsu'
import { pluck, serve, startsWithG } from './serve.ts'

describe('kitsu, served with plural types', () => {
  const served = serve('plural')
  const connect = () => new Kitsu({ baseURL: served.url, resourceCase: 'none' })

  it('reads a list with included resources', async () => {
    const { data, meta } = await connect().get('persons', { params: { include: 'computers' } })
    assert.deepEqual(pluck(data, 'name'), ['Ada', 'Grace', 'Annie'])
    assert.deepEqual(pluck(data, 'birth_date'), ['1815-12-10', '1906-12-09', null])
    assert.deepEqual(pluck(data[0].computers.data, 'serial'), ['A-1', 'A-2'])
    assert.equal(meta.count, 3)
  })

  it('filters, sorts and pages', async () => {
    const params = {
      filter: { owner__name: 'Ada' },
      page: { size: 1, number: 2 },
      sort: '-serial',
      fields: { computers: 'serial' },
    }
    const { data, links } = await connect().get('computers', { params })
    assert.deepEqual(pluck(data, 'serial'), ['A-1'])
    assert.match(links.prev, /page%5Bnumber%5D=1/)
    assert.deepEqual(served.requests, [
      'GET /computers?filter[owner__name]=Ada&page[size]=1&page[number]=2&sort=-serial&fields[computers]=serial',
    ])
  })

  it('filters by an operator', async () => {
    const { data } = await connect().get('computers', { params: { filter: startsWithG } })
    assert.deepEqual(pluck(data, 'serial'), ['G-1'])
  })

  it('creates, updates and deletes', async () => {
    const api = connect()
    const owner = { data: { id: '3', type: 'persons' } }
    const { data: made, status } = await api.create('computers', { serial: 'N-1', owner })
    assert.equal(status, 201)
    const { data: changed } = await api.update('computers', { id: made.id, serial: 'N-2' })
    assert.equal(changed.serial, 'N-2')
    const { data } = await api.get(`computers/${made.id}`, { params: { include: 'owner' } })
    assert.equal(data.owner.data.name, 'Annie')
    await api.remove('computers', made.id)
    await assert.rejects(api.get(`computers/${made.id}`), { status: 404 })
  })

  it('sends a resource back as it has read it', async () => {
    const api = connect()
    const { data } = await api.get('persons/1', { params: { include: 'computers' } })
    const { data: changed } = await api.update('persons', { ...data, name: 'Ada L.' })
    assert.equal(changed.name, 'Ada L.')
    assert.equal(changed.birth_date, '1815-12-10')
  })

  it('sends a relationship that was not included as an attribute, which is 422', async () => {
    const api = connect()
    const { data } = await api.get('computers/1')
    await assert.rejects(api.update('computers', data), (thrown: object) => {
      const [error] = Reflect.get(thrown, 'errors')
      assert.equal(error.code, 'unknown_field')
      assert.deepEqual(error.source, { pointer: '/data/attributes/owner' })
      return true
    })
  })

  it('changes relationships', async () => {
    const api = connect()
    await api.request({
      method: 'PATCH',
      url: 'computers/3/relationships/owner',
      type: 'persons',
      body: { id: '1' },
    })
    await api.request({
      method: 'POST',
      url: 'persons/3/relationships/computers',
      type: 'computers',
      body: [{ id: '1' }, { id: '2' }],
    })
    const { data } = await api.get('computers', { params: { include: 'owner' } })
    assert.deepEqual(pluck(pluck(pluck(data, 'owner') as object[], 'data') as object[], 'name'), [
      'Annie',
      'Annie',
      'Ada',
    ])
  })

  it('throws an error that has the errors of the document', async () => {
    await assert.rejects(connect().create('computers', {}), (thrown: object) => {
      const [error] = Reflect.get(thrown, 'errors')
      assert.equal(error.code, 'missing_value')
      assert.deepEqual(error.source, { pointer: '/data/attributes/serial' })
      return true
    })
  })
})

describe('kitsu, served with singular types', () => {
  const served = serve('singular')

  it('reads', async () => {
    const { data } = await new Kitsu({ baseURL: served.url }).get('computer/1')
    assert.equal(data.serial, 'A-1')
  })

  it('cannot create, because it sends the path segment as the type', async () => {
    const api = new Kitsu({ baseURL: served.url })
    await assert.rejects(api.create('computer', { serial: 'N-1' }), (thrown: object) => {
      const [error] = Reflect.get(thrown, 'errors')
      assert.equal(error.detail, '/data/type must be "computer" here; it is "computers".')
      return true
    })
  })

  it('creates by "request" with its own type, without pluralization', async () => {
    const api = new Kitsu({ baseURL: served.url, pluralize: false })
    const body = { serial: 'N-1' }
    const { data } = await api.request({ method: 'POST', url: 'computers', type: 'computer', body })
    assert.equal(data.serial, 'N-1')
  })
})
