import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { JSONAPISerializers, JSONAPISource } from '@orbit/jsonapi'
import { type InitializedRecord, RecordKeyMap, RecordSchema } from '@orbit/records'
import { buildSerializerSettingsFor } from '@orbit/serializers'
import { pluck, serve, startsWithG } from './serve.ts'

const schema = new RecordSchema({
  models: {
    person: {
      keys: { remoteId: {} },
      attributes: { name: { type: 'string' }, birth_date: { type: 'string' } },
      relationships: { computers: { kind: 'hasMany', type: 'computer', inverse: 'owner' } },
    },
    computer: {
      keys: { remoteId: {} },
      attributes: { serial: { type: 'string' } },
      relationships: { owner: { kind: 'hasOne', type: 'person', inverse: 'computers' } },
    },
  },
})

describe('@orbit/jsonapi, served with singular types', () => {
  const served = serve('singular')

  /** A source, and the identity that Orbit gives to a resource of the server. */
  const connect = () => {
    const keyMap = new RecordKeyMap()
    const source = new JSONAPISource({ name: 'remote', host: served.url, schema, keyMap })
    const identity = (type: string, remoteId: string) => {
      const known = keyMap.idFromKeys(type, { remoteId })
      if (known !== undefined) return { type, id: known }
      const record = { type, id: schema.generateId(type), keys: { remoteId } }
      keyMap.pushRecord(record)
      return { type, id: record.id }
    }
    return { source, identity }
  }
  const attributes = (records: InitializedRecord[], name: string) =>
    pluck(pluck(records, 'attributes') as object[], name)

  it('reads a list with included resources', async () => {
    const { source, identity } = connect()
    const persons = await source.query<InitializedRecord[]>((q) => q.findRecords('person'), {
      include: ['computers'],
    })
    assert.deepEqual(attributes(persons, 'name'), ['Ada', 'Grace', 'Annie'])
    assert.deepEqual(attributes(persons, 'birth_date'), ['1815-12-10', '1906-12-09', null])
    assert.deepEqual(persons[0]?.relationships?.computers?.data, [
      identity('computer', '1'),
      identity('computer', '2'),
    ])
  })

  it('filters, sorts and pages', async () => {
    const found = await connect().source.query<InitializedRecord[]>(
      (q) =>
        q
          .findRecords('computer')
          .filter({ attribute: 'owner__name', value: 'Ada' })
          .sort('-serial'),
      { page: { number: 2, size: 1 } },
    )
    assert.deepEqual(attributes(found, 'serial'), ['A-1'])
    assert.deepEqual(served.requests, [
      'GET /computers?filter[owner__name]=Ada&sort=-serial&page[number]=2&page[size]=1',
    ])
  })

  it('filters by an operator', async () => {
    const found = await connect().source.query<InitializedRecord[]>(
      (q) => q.findRecords('computer'),
      { settings: { params: { filter: startsWithG } } },
    )
    assert.deepEqual(attributes(found, 'serial'), ['G-1'])
  })

  it('creates, updates and deletes', async () => {
    const { source, identity } = connect()
    const owner = { data: identity('person', '3') }
    const made = await source.update<InitializedRecord>((t) =>
      t.addRecord({ type: 'computer', attributes: { serial: 'N-1' }, relationships: { owner } }),
    )
    assert.deepEqual(made.keys, { remoteId: '4' })
    const attributesOfMade = { serial: 'N-2' }
    await source.update((t) => t.updateRecord({ ...made, attributes: attributesOfMade }))
    const found = await source.query<InitializedRecord>((q) => q.findRecord(made), {
      include: ['owner'],
    })
    assert.equal(found.attributes?.serial, 'N-2')
    assert.deepEqual(found.relationships?.owner?.data, owner.data)
    await source.update((t) => t.removeRecord(made))
    assert.equal(await source.query((q) => q.findRecord(made)), undefined)
  })

  it('changes relationships', async () => {
    const { source, identity } = connect()
    const annie = identity('person', '3')
    const first = identity('computer', '1')
    const third = identity('computer', '3')
    await source.update((t) => t.replaceRelatedRecord(third, 'owner', annie))
    await source.update((t) => t.addToRelatedRecords(annie, 'computers', first))
    await source.update((t) => t.removeFromRelatedRecords(annie, 'computers', third))
    await source.update((t) =>
      t.replaceRelatedRecords(identity('person', '2'), 'computers', [third]),
    )
    const found = await source.query<InitializedRecord[]>((q) =>
      q.findRelatedRecords(annie, 'computers'),
    )
    assert.deepEqual(attributes(found, 'serial'), ['A-1'])
    assert.deepEqual(served.requests, [
      'PATCH /computers/3',
      'POST /persons/3/relationships/computers',
      'DELETE /persons/3/relationships/computers',
      'PATCH /persons/2',
      'GET /persons/3/computers',
    ])
  })

  it('throws the error document as "data", and waits until the request is skipped', async () => {
    const { source } = connect()
    const adding = source.update((t) => t.addRecord({ type: 'computer', attributes: {} }))
    await assert.rejects(adding, (thrown: object) => {
      const [error] = Reflect.get(thrown, 'data').errors
      assert.deepEqual(error.source, { pointer: '/data/attributes/serial' })
      return true
    })
    await source.requestQueue.skip()
    const all = await source.query<InitializedRecord[]>((q) => q.findRecords('computer'))
    assert.equal(all.length, 3)
  })

  it('pages by number only: the "offsetLimit" of Orbit is another strategy', async () => {
    const paging = connect().source.query((q) =>
      q.findRecords('computer').page({ offset: 1, limit: 1 }),
    )
    await assert.rejects(paging, (thrown: object) => {
      const { errors } = Reflect.get(thrown, 'data')
      assert.deepEqual(pluck(errors, 'code'), ['unknown_parameter', 'unknown_parameter'])
      return true
    })
  })
})

describe('@orbit/jsonapi, served with plural types', () => {
  const served = serve('plural')

  it('reads and writes if it does not inflect the types in paths', async () => {
    const schema = new RecordSchema({
      models: {
        computers: { keys: { remoteId: {} }, attributes: { serial: { type: 'string' } } },
      },
    })
    const serializerSettingsFor = buildSerializerSettingsFor({
      settingsByType: {
        [JSONAPISerializers.ResourceTypePath]: { serializationOptions: { inflectors: [] } },
      },
    })
    const keyMap = new RecordKeyMap()
    const settings = { name: 'remote', host: served.url, schema, keyMap, serializerSettingsFor }
    const source = new JSONAPISource(settings)
    await source.update((t) => t.addRecord({ type: 'computers', attributes: { serial: 'N-1' } }))
    const all = await source.query<InitializedRecord[]>((q) => q.findRecords('computers'))
    assert.equal(all.length, 4)
    assert.deepEqual(served.requests, ['POST /computers', 'GET /computers'])
  })
})
