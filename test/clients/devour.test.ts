import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import JsonApi from 'devour-client'
import { pluck, serve, startsWithG } from './serve.ts'

describe('devour, served with singular types', () => {
  const served = serve('singular')
  const connect = () => {
    const api = new JsonApi({ apiUrl: served.url, logger: false })
    const computers = { jsonApi: 'hasMany', type: 'computer' }
    const owner = { jsonApi: 'hasOne', type: 'person' }
    const person = { name: '', birth_date: '', computers }
    api.define('person', person, { type: 'person', collectionPath: 'persons' })
    api.define('computer', { serial: '', owner }, { type: 'computer' })
    return api
  }

  it('reads a list with included resources', async () => {
    const { data, meta } = await connect().findAll('person', { include: 'computers' })
    assert.deepEqual(pluck(data, 'name'), ['Ada', 'Grace', 'Annie'])
    assert.deepEqual(pluck(data, 'birth_date'), ['1815-12-10', '1906-12-09', null])
    assert.deepEqual(pluck(data[0].computers, 'serial'), ['A-1', 'A-2'])
    assert.equal(meta.count, 3)
  })

  it('filters, sorts and pages', async () => {
    const params = { filter: { owner__name: 'Ada' }, page: { size: 1, number: 2 }, sort: '-serial' }
    const { data, links } = await connect().findAll('computer', params)
    assert.deepEqual(pluck(data, 'serial'), ['A-1'])
    assert.match(links.prev, /page%5Bnumber%5D=1/)
    assert.deepEqual(served.requests, [
      'GET /computers?filter[owner__name]=Ada&page[size]=1&page[number]=2&sort=-serial',
    ])
  })

  it('filters by an operator', async () => {
    const { data } = await connect().findAll('computer', { filter: startsWithG })
    assert.deepEqual(pluck(data, 'serial'), ['G-1'])
  })

  it('creates, updates and deletes', async () => {
    const api = connect()
    const { data: made } = await api.create('computer', { serial: 'N-1', owner: { id: '3' } })
    const { data: changed } = await api.update('computer', { id: made.id, serial: 'N-2' })
    assert.equal(changed.serial, 'N-2')
    const { data } = await api.find('computer', made.id, { include: 'owner' })
    assert.equal(data.owner.name, 'Annie')
    await api.destroy('computer', made.id)
    const { meta } = await api.findAll('computer')
    assert.equal(meta.count, 3)
  })

  it('sends a resource back as it has read it', async () => {
    const api = connect()
    const { data } = await api.find('person', 1, { include: 'computers' })
    const { data: changed } = await api.update('person', { ...data, name: 'Ada L.' })
    assert.equal(changed.name, 'Ada L.')
    assert.equal(changed.birth_date, '1815-12-10')
  })

  it('clears a relationship that was not included, when it sends the resource back', async () => {
    const api = connect()
    const { data } = await api.find('computer', 1)
    await api.update('computer', data)
    const { data: changed } = await api.find('computer', 1, { include: 'owner' })
    assert.equal(changed.owner, null)
  })

  it('changes relationships', async () => {
    const api = connect()
    await api.one('computer', 3).relationships('owner').patch({ id: '1' })
    await api
      .one('person', 3)
      .relationships('computers')
      .post([{ id: '1' }])
    const removed = [{ id: '2', type: 'computer' }]
    await api.one('person', 1).relationships('computers').destroy(removed)
    const { data } = await api.findAll('computer', { include: 'owner' })
    assert.equal(data[0].owner.name, 'Annie')
    assert.equal(data[1].owner, null)
    assert.equal(data[2].owner.name, 'Ada')
  })

  it('throws the errors by the last token of their pointer', async () => {
    await assert.rejects(connect().create('computer', {}), {
      serial: {
        title: 'A required value is missing',
        detail: 'A new resource of type computer must have the attribute "serial".',
      },
    })
  })
})

describe('devour, served with plural types', () => {
  const served = serve('plural')

  it('reads and writes if its models have the names of the types', async () => {
    const api = new JsonApi({ apiUrl: served.url, pluralize: false, logger: false })
    api.define('persons', { name: '', computers: { jsonApi: 'hasMany', type: 'computers' } })
    api.define('computers', { serial: '', owner: { jsonApi: 'hasOne', type: 'persons' } })
    const { data: made } = await api.create('computers', { serial: 'N-1', owner: { id: '3' } })
    await api.one('computers', made.id).relationships('owner').patch({ id: '2' })
    const { data } = await api.findAll('persons', { include: 'computers', filter: { id: 2 } })
    assert.deepEqual(pluck(data[0].computers, 'serial'), ['G-1', 'N-1'])
  })
})
