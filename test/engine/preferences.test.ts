import assert from 'node:assert/strict'
import { once } from 'node:events'
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

let isSlow = false
/** What a hook does: it waits until nobody needs it any more. */
const work = async ({ signal }: { readonly signal: AbortSignal }) => {
  if (isSlow && !signal.aborted) await once(signal, 'abort')
}

const ticketId = '6f1a3c1e-7b3e-4c5e-9d0a-0123456789ac'
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
  hooks: { beforeRead: work, afterUpdate: (_before, _after, context) => work(context) },
})
const served = {
  model: defineModel([person, ticket], { principal: () => 'everybody' }),
  tables: ({ newId, id, uuid }: ColumnTypes) => `
    create table person (id ${newId}, name text);
    create table ticket (id ${uuid} primary key, title text, person_id ${id} references person (id));
    ${idempotencyTable}
    insert into person (name) values ('Ada');
    insert into ticket (id, title) values ('${ticketId}', 'first')`,
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
    const all = 'handling=strict, shape=round, max-affected=few, color=red'
    const { body } = await send('PATCH', '/persons/1', all, named)
    const details = body.errors?.map(({ detail }) => detail.split('"')[1])
    assert.deepEqual(details, ['max-affected=few', 'shape=round', 'color=red'])
    const read = await send('GET', '/persons/1', 'handling=strict, return=minimal')
    assert.deepEqual([read.status, codesOf(read)], [400, ['invalid_preference']])
  })

  it('a key, conditions and preferences that cannot be read are reported together', async () => {
    const fields = { 'idempotency-key': '""', 'if-match': 'a b', 'if-none-match': '"' }
    const refused = await send('PATCH', '/persons/1', 'max-affected=few', named, fields)
    assert.equal(refused.status, 400)
    assert.deepEqual(codesOf(refused), [
      ...['invalid_key', 'invalid_request', 'invalid_request', 'invalid_preference'],
    ])
    const { 'if-match': ifMatch } = fields
    const other = await send('DELETE', '/persons/1', 'dry-run=9', undefined, {
      'if-match': ifMatch,
    })
    assert.deepEqual(codesOf(other), ['invalid_request', 'invalid_preference'])
    const key = await app.call('PATCH', '/persons/1', { headers: fields, body: named })
    assert.deepEqual(codesOf(key), ['invalid_key', 'invalid_request', 'invalid_request'])
  })

  const path = `/tickets/${ticketId}`
  const titled = (title: string) => ({
    data: { type: 'ticket', id: ticketId, attributes: { title } },
  })
  const slowly = async (method: string, prefer: string, body?: unknown, more = {}) => {
    isSlow = true
    try {
      return await send(method, path, prefer, body, more)
    } finally {
      isSlow = false
    }
  }

  it('wait is acknowledged', async () => {
    const updated = await send('PATCH', path, 'wait=60', titled('second'))
    assert.deepEqual([updated.status, updated.headers['preference-applied']], [200, 'wait=60'])
    const read = await send('GET', path, 'handling=strict, wait=60')
    assert.deepEqual(
      [read.status, read.headers['preference-applied']],
      [200, 'handling=strict, wait=60'],
    )
    const strict = await send('GET', path, 'handling=strict, wait=0')
    assert.deepEqual([strict.status, codesOf(strict)], [400, ['invalid_preference']])
  })

  for (const prefer of ['wait=1', 'wait=1, max-affected=5', 'wait=1, dry-run'])
    it(`${prefer}: a late write is rolled back`, async () => {
      const key = { 'idempotency-key': '"late"' }
      const late = await slowly('PATCH', prefer, titled('late'), key)
      assert.deepEqual([late.status, codesOf(late)], [503, ['query_timeout']])
      assert.match(String(late.body.errors?.[0]?.detail), /wait=1 allows, and was stopped/)
      const { body } = await app.get(path)
      assert.equal(!Array.isArray(body.data) && body.data?.attributes?.title, 'first')
      const again = await send('PATCH', path, 'return=representation', titled('first'), key)
      assert.deepEqual([again.status, again.headers['idempotency-replayed']], [200, undefined])
    })

  it('wait: a late read is an error', async () => {
    const late = await slowly('GET', 'wait=1')
    assert.deepEqual([late.status, codesOf(late)], [503, ['query_timeout']])
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
    ...{ wait: undefined, invalid: [], unknown: [] },
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
    ['wait=10, wait=5', { ...none, wait: 10 }],
    ['wait=0', { ...none, unknown: ['wait=0'] }],
    ['wait=soon', { ...none, unknown: ['wait=soon'] }],
    ['max-affected=1, "', { ...none, invalid: ['max-affected=max-affected=1, "'] }],
  ]
  for (const [field, expected] of cases)
    it(`reads ${JSON.stringify(field)}`, () => assert.deepEqual(parsePreferences(field), expected))
})
