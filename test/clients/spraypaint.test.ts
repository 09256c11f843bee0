import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attr, belongsTo, hasMany, SpraypaintBase } from 'spraypaint'
import { pluck, serve, startsWithG, type TypeNames } from './serve.ts'

// The static `endpoint` is needed only where it is not the type.
for (const [types, person, computer] of [
  ['singular', 'person', 'computer'],
  ['plural', 'persons', 'computers'],
] as const satisfies [TypeNames, string, string][]) {
  describe(`spraypaint, served with ${types} types`, () => {
    const served = serve(types)
    const connect = () => {
      const Base = SpraypaintBase.extend({ static: { baseUrl: served.url, apiNamespace: '' } })
      const Person = Base.extend({
        static: { jsonapiType: person, ...(types === 'singular' && { endpoint: '/persons' }) },
        attrs: { name: attr(), birthDate: attr(), computers: hasMany(computer) },
      })
      const Computer = Base.extend({
        static: { jsonapiType: computer, ...(types === 'singular' && { endpoint: '/computers' }) },
        attrs: { serial: attr(), owner: belongsTo(person) },
      })
      return { Person, Computer }
    }

    it('reads a list with included resources, attributes in camelCase', async () => {
      const { data, meta } = await connect().Person.includes('computers').all()
      assert.deepEqual(pluck(data, 'name'), ['Ada', 'Grace', 'Annie'])
      assert.deepEqual(pluck(data, 'birthDate'), ['1815-12-10', '1906-12-09', null])
      assert.deepEqual(pluck(data[0]?.computers ?? [], 'serial'), ['A-1', 'A-2'])
      assert.equal(meta.count, 3)
    })

    it('filters, sorts and pages', async () => {
      const ofAda = connect().Computer.where({ owner__name: 'Ada' })
      const { data } = await ofAda.order({ serial: 'desc' }).per(1).page(2).all()
      assert.deepEqual(pluck(data, 'serial'), ['A-1'])
      assert.deepEqual(served.requests, [
        'GET /computers?page[size]=1&page[number]=2&filter[owner__name]=Ada&sort=-serial',
      ])
    })

    it('filters by an operator', async () => {
      const { data } = await connect().Computer.extraParams({ filter: startsWithG }).all()
      assert.deepEqual(pluck(data, 'serial'), ['G-1'])
    })

    it('creates, updates and deletes', async () => {
      const { Person, Computer } = connect()
      const { data: owner } = await Person.find(3)
      const made = new Computer({ serial: 'N-1', owner })
      assert.equal(await made.save({ with: 'owner.id' }), true)
      made.serial = 'N-2'
      assert.equal(await made.save(), true)
      const { data } = await Computer.includes('owner').find(made.id ?? '')
      assert.equal(data.serial, 'N-2')
      assert.deepEqual(pluck([data.owner ?? {}], 'name'), ['Annie'])
      assert.equal(await made.destroy(), true)
      await assert.rejects(Computer.find(data.id ?? ''), { message: 'record not found' })
    })

    it('changes relationships', async () => {
      const { Person, Computer } = connect()
      const { data: computer } = await Computer.includes('owner').find(3)
      const { data: ada } = await Person.find(1)
      computer.assignAttributes({ owner: ada })
      assert.equal(await computer.save({ with: 'owner.id' }), true)
      const { data: annie } = await Person.includes('computers').find(3)
      const { data: first } = await Computer.find(1)
      annie.assignAttributes({ computers: [first] })
      assert.equal(await annie.save({ with: 'computers.id' }), true)
      const { data } = await Computer.includes('owner').all()
      assert.deepEqual(pluck(pluck(data, 'owner') as object[], 'name'), ['Annie', 'Ada', 'Ada'])
    })

    it('cannot create a related resource in the same request', async () => {
      const { Person, Computer } = connect()
      const { data: annie } = await Person.find(3)
      annie.assignAttributes({ computers: [new Computer({ serial: 'N-1' })] })
      await assert.rejects(annie.save({ with: 'computers' }), (thrown: object) => {
        assert.equal(Reflect.get(thrown, 'response').status, 400)
        return true
      })
    })

    it('cannot update a related resource in the same request: the server ignores "included"', async () => {
      const { Person, Computer } = connect()
      const { data: computer } = await Computer.includes('owner').find(1)
      Object.assign(computer.owner ?? {}, { name: 'Ada L.' })
      assert.equal(await computer.save({ with: 'owner' }), true)
      const { data: ada } = await Person.find(1)
      assert.equal(ada.name, 'Ada')
    })

    it('throws the response; it finds no message without the "meta" of Graphiti', async () => {
      const { Computer } = connect()
      await assert.rejects(new Computer().save(), (thrown: object) => {
        assert.equal(Reflect.get(thrown, 'message'), 'validation failed')
        const [error] = Reflect.get(thrown, 'response').jsonPayload.errors
        assert.deepEqual(error.source, { pointer: '/data/attributes/serial' })
        return true
      })
      await assert.rejects(Computer.where({ color: 'red' }).all(), (thrown: object) => {
        assert.equal(Reflect.get(thrown, 'response').status, 400)
        return true
      })
    })
  })
}
