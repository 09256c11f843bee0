import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiClient, type IResult } from 'jsonapi-react'
import { pluck, serve, startsWithG } from './serve.ts'

/** The records of a result, as a list. */
const records = ({ data = [] }: IResult) => [data].flat()

// The hooks of the library, such as `useQuery`, call this client.
describe('jsonapi-react, served with plural types', () => {
  const served = serve('plural')
  const schema = {
    persons: { type: 'persons', relationships: { computers: { type: 'computers' } } },
    computers: { type: 'computers', relationships: { owner: { type: 'persons' } } },
  }
  const connect = () => new ApiClient({ url: served.url, schema })

  it('reads a list with included resources', async () => {
    const result = await connect().fetch(['persons', { include: 'computers' }])
    const persons = records(result)
    assert.deepEqual(pluck(persons, 'name'), ['Ada', 'Grace', 'Annie'])
    assert.deepEqual(pluck(persons, 'birth_date'), ['1815-12-10', '1906-12-09', null])
    assert.deepEqual(pluck(persons[0]?.computers, 'serial'), ['A-1', 'A-2'])
    assert.equal(result.meta?.count, 3)
  })

  it('filters, sorts and pages', async () => {
    const page = { size: 1, number: 2 }
    const params = { filter: { owner__name: 'Ada' }, page, sort: '-serial' }
    const result = await connect().fetch(['computers', params])
    assert.deepEqual(pluck(records(result), 'serial'), ['A-1'])
    assert.match(result.links?.prev, /page%5Bnumber%5D=1/)
    assert.deepEqual(served.requests, [
      'GET /computers?filter[owner__name]=Ada&page[number]=2&page[size]=1&sort=-serial',
    ])
  })

  it('filters by an operator', async () => {
    const result = await connect().fetch(['computers', { filter: startsWithG }])
    assert.deepEqual(pluck(records(result), 'serial'), ['G-1'])
  })

  it('creates, updates with a relationship, and deletes', async () => {
    const api = connect()
    const [made] = records(await api.mutate('computers', { serial: 'N-1', owner: { id: 3 } }))
    const path = ['computers', made?.id] as [string, string]
    await api.mutate(path, { serial: 'N-2', owner: { id: 2 } })
    const [changed] = records(await api.fetch([...path, { include: 'owner' }]))
    assert.equal(changed?.serial, 'N-2')
    assert.equal(changed?.owner.name, 'Grace')
    await api.delete(path)
    assert.equal((await api.fetch(path)).error?.code, 'not_found')
  })

  it('replaces a to-many relationship whose name is a type', async () => {
    const api = connect()
    const path: [string, ...unknown[]] = ['persons', 3, 'relationships', 'computers']
    await api.mutate(path, [{ id: 1 }], { method: 'PATCH' } as object)
    const [annie] = records(await api.fetch(['persons', 3, { include: 'computers' }]))
    assert.deepEqual(pluck(annie?.computers, 'serial'), ['A-1'])
  })

  it('sends the type of the path to a relationship with another name, which is a conflict', async () => {
    const path: [string, ...unknown[]] = ['computers', 3, 'relationships', 'owner']
    const { error } = await connect().mutate(path, { id: 1 }, { method: 'PATCH' } as object)
    assert.equal(error?.code, 'type_conflict')
  })

  it('returns 422 as "errors", and every other status as "error"', async () => {
    const { errors } = await connect().mutate('computers', {})
    assert.deepEqual(errors?.[0]?.source, { pointer: '/data/attributes/serial' })
    const { error } = await connect().fetch(['computers', { filter: { color: 'red' } }])
    assert.equal(error?.code, 'invalid_filter')
  })
})

describe('jsonapi-react, served with singular types', () => {
  const served = serve('singular')

  it('reads and writes if its schema has both the path segment and the type', async () => {
    const person = { type: 'person', relationships: { computers: { type: 'computer' } } }
    const computer = { type: 'computer', relationships: { owner: { type: 'person' } } }
    const schema = { persons: person, person, computers: computer, computer }
    const api = new ApiClient({ url: served.url, schema })
    await api.mutate(['computers', 3], { serial: 'N-1', owner: { id: 3 } })
    const [changed] = records(await api.fetch(['computers', 3, { include: 'owner' }]))
    assert.equal(changed?.serial, 'N-1')
    assert.equal(changed?.owner.name, 'Annie')
  })
})
