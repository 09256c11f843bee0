import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  defineModel,
  idempotencyTable,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import { parsePreferences } from '../../src/parse/prefer.ts'
import type { ColumnTypes } from '../databases.ts'
import type { TestResponse } from '../test-response.ts'
import { engine } from './engine.ts'

const person = resource('person', {
  path: '/persons',
  table: 'person',
  fields: { name: attribute(text), tickets: toMany('ticket', { column: 'person_id' }) },
})
const ticket = resource('ticket', {
  path: '/tickets',
  table: 'ticket',
  id: { kind: uuid, client: 'optional' },
  fields: { title: attribute(text), person: toOne('person', { column: 'person_id' }) },
})
const served = {
  model: defineModel([person, ticket], { principal: () => 'everybody' }),
  tables: ({ newId, id, uuid }: ColumnTypes) => `
    create table person (id ${newId}, name text);
    create table ticket (id ${uuid} primary key, title text, person_id ${id} references person (id));
    ${idempotencyTable}
    insert into person (name) values ('Ada')`,
}
const named = { data: { type: 'person', id: '1', attributes: { name: 'Ada L.' } } }
const codesOf = ({ body }: TestResponse) => body.errors?.map(({ code }) => code)

engine('Preferences', served, (app) => {
  const send = (method: string, path: string, prefer: string, body?: unknown, more = {}) =>
    app.call(method, path, { headers: { prefer, ...more }, ...(body !== undefined && { body }) })

  it('return=minimal: an update has no document, and the version', async () => {
    const response = await send('PATCH', '/persons/1', 'return=minimal', named)
    assert.deepEqual([response.status, response.text], [204, ''])
    assert.equal(response.headers['preference-applied'], 'return=minimal')
    const ifMatch = String(response.headers.etag)
    const next = await app.call('PATCH', '/persons/1', {
      headers: { 'if-match': ifMatch },
      body: named,
    })
    assert.equal(next.status, 200)
  })

  it('return=minimal: a replaced relationship has no document', async () => {
    const path = '/persons/1/relationships/tickets'
    assert.equal((await send('PATCH', path, 'return=minimal', { data: [] })).status, 204)
  })

  it('return=minimal: a create has no document if the client has chosen the id', async () => {
    const id = '6f1a3c1e-7b3e-4c5e-9d0a-0123456789ab'
    const own = { data: { type: 'ticket', id, attributes: { title: 'a' } } }
    const chosen = await send('POST', '/tickets', 'return=minimal', own)
    assert.deepEqual([chosen.status, chosen.headers.location], [204, `/tickets/${id}`])
    const generated = { data: { type: 'ticket', attributes: { title: 'b' } } }
    const created = await send('POST', '/tickets', 'return=minimal', generated)
    assert.deepEqual([created.status, created.headers['preference-applied']], [201, undefined])
  })

  it('return=representation is acknowledged', async () => {
    const response = await send('PATCH', '/persons/1', 'return=representation', named)
    assert.deepEqual(
      [response.status, response.headers['preference-applied']],
      [200, 'return=representation'],
    )
  })

  it('unknown preferences are ignored, unless the client is strict', async () => {
    assert.equal((await send('PATCH', '/persons/1', 'shape=round', named)).status, 200)
    const strict = await send('PATCH', '/persons/1', 'handling=strict, shape=round', named)
    assert.deepEqual([strict.status, codesOf(strict)], [400, ['invalid_preference']])
    const read = await send('GET', '/persons/1', 'handling=strict, return=minimal')
    assert.deepEqual([read.status, codesOf(read)], [400, ['invalid_preference']])
  })

  it('the replay of a minimal response is minimal', async () => {
    const key = { 'idempotency-key': '"k"' }
    const first = await send('PATCH', '/persons/1', 'return=minimal', named, key)
    const second = await send('PATCH', '/persons/1', 'return=minimal', named, key)
    assert.deepEqual([first.status, second.status, second.text], [204, 204, ''])
    assert.equal(second.headers['idempotency-replayed'], 'true')
    assert.equal(second.headers.etag, first.headers.etag)
  })
})

describe('The syntax of Prefer', () => {
  const none = {
    ...{ isStrict: false, returns: undefined, isDryRun: false, maxAffected: undefined },
    ...{ invalid: [], unknown: [] },
  }
  const minimal = { ...none, returns: 'minimal' }
  const cases: readonly (readonly [string, object])[] = [
    ['return=minimal', minimal],
    ['Return=minimal', minimal],
    ['return="minimal"', minimal],
    ['return = minimal; foo="a,b"', minimal],
    ['return=minimal, return=representation', minimal],
    [', return=minimal,,', minimal],
    ['handling=strict, a, b=c', { ...none, isStrict: true, unknown: ['a', 'b=c'] }],
    ['return=other', { ...none, unknown: ['return=other'] }],
    ['return=minimal, "', none],
    ['', none],
    ['Dry-Run', { ...none, isDryRun: true }],
    ['dry-run=true, max-affected="12"', { ...none, isDryRun: true, maxAffected: 12 }],
    ['dry-run=1', { ...none, invalid: ['dry-run=1'] }],
    ['max-affected=1e3', { ...none, invalid: ['max-affected=1e3'] }],
    ['max-affected=1, "', { ...none, invalid: ['max-affected=max-affected=1, "'] }],
  ]
  for (const [field, expected] of cases)
    it(`reads ${JSON.stringify(field)}`, () => assert.deepEqual(parsePreferences(field), expected))
})
