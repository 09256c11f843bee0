import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  auth,
  computed,
  createHandler,
  defineModel,
  idempotencyTable,
  resource,
  sql,
  text,
} from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { silentLogger } from '../../../src/endpoints/handler.ts'

const profile = 'https://example.org/profiles/quota'
const reject = () => Promise.reject(new Error('a secret of the application'))
/** A promise of another library. */
const foreign = () => Object.fromEntries([['then', () => {}]])
/** A function for which the compiler would not accept a promise. */
const untyped = reject as never
const type = 'application/vnd.api+json'
const body = JSON.stringify({ data: { type: 'note', attributes: { words: 'new' } } })
const write = { method: 'POST', headers: { 'content-type': type, 'idempotency-key': 'a' }, body }
const declared = { path: '/notes', table: 'note' }
const words = attribute(text)

/** Declarations with one function each that returns a promise, and a request that calls it. */
const functions: Readonly<Record<string, readonly [object, object, object, RequestInit?]>> = {
  'a rule': [{ access: { read: untyped } }, {}, {}],
  'a value of a filter': [
    { access: { read: { filter: [{ name: 'words', op: 'eq', val: auth(reject) }] } } },
    {},
    {},
  ],
  'a value in SQL': [{ access: { read: { sql: () => sql`${auth(reject)} = 'a'` } } }, {}, {}],
  'the rule of a field': [{ fields: { words: attribute(text, { readable: untyped }) } }, {}, {}],
  'a value that is set': [
    { fields: { words, owner: attribute(text, { set: auth(reject) }) } },
    {},
    {},
    write,
  ],
  'a default': [{ fields: { words, owner: attribute(text, { default: untyped }) } }, {}, {}, write],
  'a computed attribute': [{ fields: { label: computed(text, { words: text }, untyped) } }, {}, {}],
  'the tenant': [{}, { tenant: { column: 'owner', value: auth(reject) } }, {}],
  'the principal': [{}, { principal: untyped }, {}, write],
  'a profile': [
    {},
    { jsonapi: '1.1', profiles: { [profile]: { member: 'quota', meta: reject } } },
    {},
    { headers: { accept: `${type};profile="${profile}"` } },
  ],
  'Server-Timing': [{}, {}, { serverTiming: untyped }],
  'another library': [{}, {}, { serverTiming: foreign }],
}

describe('A function of the application whose result is needed at once', () => {
  for (const [title, [resourceOptions, modelOptions, options, request]] of Object.entries(
    functions,
  ))
    it(`given a promise of ${title}, then the response is a bare 500, and the process goes on`, async (test) => {
      const note = resource('note', { ...declared, fields: { words }, ...resourceOptions } as never)
      const model = defineModel([note], modelOptions as never)
      const store = openSqlite(model, ':memory:')
      test.after(() => store.close())
      await store.migrate([
        { version: 1, sql: 'create table note (id integer primary key, words text, owner text)' },
        { version: 2, sql: `insert into note (words) values ('old')` },
        { version: 3, sql: idempotencyTable },
      ])
      const handle = createHandler({ model, store, log: silentLogger, ...options })
      const sent = new Request('http://localhost/notes', request)
      const response = await handle(sent, { auth: { sub: '1' } })
      const document = await response.text()
      assert.equal(response.status, 500, document)
      assert.doesNotMatch(document, /secret/)
      // The test fails if a rejection has no handler.
      await new Promise(setImmediate)
    })
})
