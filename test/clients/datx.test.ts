import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Attribute, PureCollection, PureModel } from '@datx/core'
import { config, jsonapiCollection, jsonapiModel, saveRelationship } from '@datx/jsonapi'
import { pluck, serve, startsWithG } from './serve.ts'

class Person extends jsonapiModel(PureModel) {
  static override type = 'person'
  static endpoint = 'persons'
  declare name: string
  declare birth_date: string | null
  declare computers: Computer[]
}
Attribute()(Person.prototype, 'name')
Attribute()(Person.prototype, 'birth_date')
Attribute({ toMany: 'computer' })(Person.prototype, 'computers')

class Computer extends jsonapiModel(PureModel) {
  static override type = 'computer'
  static endpoint = 'computers'
  declare serial: string
  declare owner: Person | null
}
Attribute()(Computer.prototype, 'serial')
Attribute({ toOne: 'person' })(Computer.prototype, 'owner')

/** A relationship that a response does not include is empty for datx, and the next `save` clears it on the server. */
const withOwner = { queryParams: { include: 'owner' } }

class AppData extends jsonapiCollection(PureCollection) {
  static override types = [Person, Computer]
}

describe('@datx/jsonapi, served with singular types', () => {
  const served = serve('singular')

  /** Outside a browser, links that are paths need an origin: `transformRequest` adds it. */
  const connect = () => {
    config.baseUrl = `${served.url}/`
    config.transformRequest = (options) => ({
      ...options,
      url: new URL(options.url, served.url).href,
    })
    return new AppData()
  }

  it('reads a list with included resources', async () => {
    const { data, meta } = await connect().getMany(Person, {
      queryParams: { include: 'computers' },
    })
    const persons = [data ?? []].flat()
    assert.deepEqual(pluck(persons, 'name'), ['Ada', 'Grace', 'Annie'])
    assert.deepEqual(pluck(persons, 'birth_date'), ['1815-12-10', '1906-12-09', null])
    assert.deepEqual(pluck(persons[0]?.computers ?? [], 'serial'), ['A-1', 'A-2'])
    assert.equal(Reflect.get(meta ?? {}, 'count'), 3)
  })

  it('filters, sorts, and follows the links of a page', async () => {
    const size = { key: 'page[size]', value: '1' }
    const filter = { owner__name: 'Ada' }
    const response = await connect().getMany(Computer, {
      queryParams: { filter, sort: '-serial', custom: [size] },
    })
    assert.deepEqual(pluck([response.data ?? []].flat(), 'serial'), ['A-2'])
    const next = await response.next?.()
    assert.deepEqual(pluck([next?.data ?? []].flat(), 'serial'), ['A-1'])
    assert.deepEqual(served.requests, [
      'GET /computers?filter[owner__name]=Ada&sort=-serial&page[size]=1',
      'GET /computers?filter[owner__name]=Ada&sort=-serial&page[size]=1&page[number]=2',
    ])
  })

  it('filters by an operator', async () => {
    const custom = [{ key: 'filter', value: startsWithG }]
    const { data } = await connect().getMany(Computer, { queryParams: { custom } })
    assert.deepEqual(pluck([data ?? []].flat(), 'serial'), ['G-1'])
  })

  it('creates, updates and deletes', async () => {
    const store = connect()
    await store.getMany(Person)
    const owner = store.findOne(Person, '3')
    const computer = store.add({ serial: 'N-1', owner }, Computer)
    await computer.save(withOwner)
    computer.serial = 'N-2'
    await computer.save(withOwner)
    const { data } = await connect().getOne(Computer, '4', withOwner)
    const found = [data ?? []].flat()[0]
    assert.equal(found?.serial, 'N-2')
    assert.equal(found?.owner?.name, 'Annie')
    await computer.destroy()
    assert.deepEqual(served.requests.slice(1), [
      'POST /computers?include=owner',
      'PATCH /computers/4?include=owner',
      'GET /computers/4?include=owner',
      'DELETE /computers/4',
    ])
  })

  it('changes relationships', async () => {
    const store = connect()
    await store.getMany(Person, { queryParams: { include: 'computers' } })
    const [first, third] = [store.findOne(Computer, '1'), store.findOne(Computer, '3')]
    const [ada, annie] = [store.findOne(Person, '1'), store.findOne(Person, '3')]
    assert.ok(first && third && annie && ada)
    third.owner = ada
    await third.save(withOwner)
    annie.computers = [first]
    await annie.save({ queryParams: { include: 'computers' } })
    const { data } = await connect().getMany(Computer, withOwner)
    const owners = pluck([data ?? []].flat(), 'owner') as object[]
    assert.deepEqual(pluck(owners, 'name'), ['Annie', 'Ada', 'Ada'])
  })

  it('clears a relationship that was not included, when it saves', async () => {
    const store = connect()
    await store.getMany(Computer)
    const computer = store.findOne(Computer, '1')
    assert.ok(computer)
    computer.serial = 'N-1'
    await computer.save()
    const { data } = await connect().getOne(Computer, '1', withOwner)
    assert.deepEqual(pluck([data ?? []].flat(), 'owner'), [null])
  })

  it('writes by "saveRelationship", which then fails because the response has no data', async () => {
    const store = connect()
    await store.getMany(Person, { queryParams: { include: 'computers' } })
    const computer = store.findOne(Computer, '3')
    assert.ok(computer)
    computer.owner = store.findOne(Person, '1')
    await assert.rejects(saveRelationship(computer, 'owner'), TypeError)
    const { data } = await connect().getOne(Computer, '3', withOwner)
    assert.equal([data ?? []].flat()[0]?.owner?.name, 'Ada')
  })

  it('throws a response whose "error" has the errors of the document', async () => {
    const computer = connect().add({}, Computer)
    await assert.rejects(computer.save(), (thrown: object) => {
      const [error] = Reflect.get(thrown, 'error')
      assert.deepEqual(error.source, { pointer: '/data/attributes/serial' })
      return true
    })
  })
})

describe('@datx/jsonapi, served with plural types', () => {
  const served = serve('plural')

  it('reads and writes without an endpoint', async () => {
    class Machine extends jsonapiModel(PureModel) {
      static override type = 'computers'
      declare serial: string
    }
    Attribute()(Machine.prototype, 'serial')
    class Machines extends jsonapiCollection(PureCollection) {
      static override types = [Machine]
    }
    config.baseUrl = `${served.url}/`
    const store = new Machines()
    await store.add({ serial: 'N-1' }, Machine).save()
    const { data } = await store.getMany(Machine)
    assert.deepEqual(pluck([data ?? []].flat(), 'serial'), ['A-1', 'A-2', 'G-1', 'N-1'])
    assert.deepEqual(served.requests, ['POST /computers', 'GET /computers'])
  })
})
