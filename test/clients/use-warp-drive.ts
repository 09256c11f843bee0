import assert from 'node:assert/strict'
import { useRecommendedStore } from '@warp-drive/core'
import { setupSignals } from '@warp-drive/core/configure'
import { checkout, withDefaults } from '@warp-drive/core/reactive'
import { JSONAPICache } from '@warp-drive/json-api'
import {
  createRecord,
  deleteRecord,
  findRecord,
  query,
  serializePatch,
  serializeResources,
  setBuildURLConfig,
  updateRecord,
} from '@warp-drive/utilities/json-api'
import { pluck, startsWithG } from './serve.ts'

/**
 * Calls a server of persons and computers with @warp-drive/json-api. It is a program of its own because the packages run
 * outside Ember only with the condition `unpkg`, which selects their builds without `@ember/debug`.
 */
const [, , host = '', personType = '', computerType = ''] = process.argv

setBuildURLConfig({ host, namespace: '' })

// The documentation of `SignalHooks` allows signals that do nothing.
setupSignals(() => ({
  createSignal: () => ({}),
  consumeSignal() {},
  notifySignal() {},
  createMemo: (_object, _key, compute) => compute,
  willSyncFlushWatchers: () => false,
}))

const options = { async: false, linksMode: true } as const
const AppStore = useRecommendedStore({
  cache: JSONAPICache,
  schemas: [
    withDefaults({
      type: personType,
      fields: [
        { kind: 'field', name: 'name' },
        { kind: 'field', name: 'birth_date' },
        {
          kind: 'hasMany',
          name: 'computers',
          type: computerType,
          options: { ...options, inverse: 'owner' },
        },
      ],
    }),
    withDefaults({
      type: computerType,
      fields: [
        { kind: 'field', name: 'serial' },
        {
          kind: 'belongsTo',
          name: 'owner',
          type: personType,
          options: { ...options, inverse: 'computers' },
        },
      ],
    }),
  ],
})
const store = new AppStore()
const ofPersons = { resourcePath: 'persons' }

type Attributes = Record<string, unknown>
type RequestOf = ReturnType<typeof createRecord> | ReturnType<typeof updateRecord>

/** Sends a write. The builders of the library leave the body and its media type to the application. */
async function send(request: RequestOf, body: object): Promise<unknown> {
  request.headers.set('Content-Type', 'application/vnd.api+json')
  const { content } = await store.request({ ...request, body: JSON.stringify(body) })
  return Reflect.get(content as object, 'data')
}

async function list(...request: Parameters<typeof query>): Promise<Attributes[]> {
  const { content } = await store.request(query(...request))
  const data: Iterable<Attributes> = Reflect.get(content as object, 'data')
  return Array.from(data)
}

// Reads a list with included resources. The attributes keep their names.
const [ada, grace, annie] = await list(personType, { include: 'computers' }, ofPersons)
assert.deepEqual(pluck([ada, grace, annie] as object[], 'name'), ['Ada', 'Grace', 'Annie'])
assert.equal(ada?.birth_date, '1815-12-10')
assert.deepEqual(pluck(ada.computers as object[], 'serial'), ['A-1', 'A-2'])

// Filters, sorts and pages. The names of parameters are written in full: an object would become "[object Object]".
const parameters = { 'filter[owner__name]': 'Ada', 'page[size]': 1, sort: '-serial' }
const { content: page } = await store.request(query(computerType, parameters))
assert.deepEqual(pluck(page.data as object[], 'serial'), ['A-2'])
const next = await page.next()
assert.deepEqual(pluck(next?.data as object[], 'serial'), ['A-1'])
const startingWithG = await list(computerType, { filter: startsWithG })
assert.deepEqual(pluck(startingWithG, 'serial'), ['G-1'])

// Creates a resource with a relationship.
const creation = createRecord(store.createRecord(computerType, { serial: 'N-1', owner: annie }))
const made = await send(creation, serializeResources(store.cache, creation.data.record))
assert.equal(Reflect.get(Object(made), 'id'), '4')

// Updates an attribute.
const editable = await checkout<Attributes>(made)
Object.assign(editable, { serial: 'N-2' })
const update = updateRecord(editable, { patch: true })
await send(update, serializePatch(store.cache, update.data.record))

// Changes a relationship with a request of its own.
await store.request({
  url: `${host}/computers/4/relationships/owner`,
  method: 'PATCH',
  headers: new Headers({ 'Content-Type': 'application/vnd.api+json' }),
  body: JSON.stringify({ data: { type: personType, id: '2' } }),
})
const [changed] = await list(computerType, { 'filter[id]': 4, include: 'owner' })
assert.equal(changed?.serial, 'N-2')
assert.equal(Reflect.get(changed.owner as object, 'name'), 'Grace')

// Deletes.
store.deleteRecord(made)
await store.request(deleteRecord(made))

// Throws an error whose `content` is the error document.
await assert.rejects(
  store.request(findRecord(computerType, '4', { reload: true })),
  hasError('not_found'),
)
const invalid = createRecord(store.createRecord(computerType, {}))
const body = serializeResources(store.cache, invalid.data.record)
await assert.rejects(send(invalid, body), hasError('missing_value'))

function hasError(code: string) {
  return (thrown: object) => {
    assert.deepEqual(pluck(Reflect.get(thrown, 'content').errors, 'code'), [code])
    return true
  }
}
