import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { attribute, defineModel, idempotencyTable, resource, type Store, text } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { atomicMediaType, mediaType } from '../../src/model/media-types.ts'
import { openSocket } from '../raw-socket.ts'
import { hosts, type RunningHost } from './hosts.ts'

// Bytes that no client library sends, to every host: each answers, in the same way, and stores nothing of what it refuses.

const note = resource('note', { path: '/notes', table: 'note', fields: { text: attribute(text) } })
const model = defineModel([note], { principal: () => 'everybody', atomic: true })

const request = (method: string, path: string, body: string, fields: readonly string[]) =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    `Content-Type: ${path === '/operations' ? atomicMediaType : mediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...fields,
    '',
    body,
  ].join('\r\n')
const data = { type: 'note', attributes: { text: 'b' } }
const update = (...fields: readonly string[]) =>
  request('PATCH', '/notes/1', JSON.stringify({ data: { ...data, id: '1' } }), fields)
const create = (...fields: readonly string[]) =>
  request('POST', '/notes', JSON.stringify({ data }), fields)
const batch = (operations: string, ...fields: readonly string[]) =>
  request('POST', '/operations', `{"atomic:operations":${operations}}`, fields)
const many = (count: number, separator: string, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator)
const adds = (count: number) => `[${many(count, ',', () => JSON.stringify({ op: 'add', data }))}]`

/** What is sent, and the status and the code of each response. */
const rows: readonly (readonly [title: string, bytes: string, expected: string])[] = [
  ['8,000 tags', update(`If-Match: ${many(8000, ',', (at) => `"${at}"`)}`), '412 version_conflict'],
  ['a forged tag', update('If-Match: "forged"'), '412 version_conflict'],
  ['a weak tag', update('If-Match: W/"a"'), '412 version_conflict'],
  ['a tag without quotation marks', update('If-Match: a'), '400 invalid_request'],
  ['two tags without a comma', update('If-Match: "a" "b"'), '400 invalid_request'],
  ['If-Match without a tag', update('If-Match: ,'), '400 invalid_request'],
  ['If-Match twice', update('If-Match: "a"', 'If-Match: *'), '400 invalid_request'],
  ['both conditions', update('If-Match: *', 'If-None-Match: *'), '412 already_exists'],
  [
    'a key of 60,000 characters',
    create(`Idempotency-Key: ${'k'.repeat(60_000)}`),
    '400 invalid_key',
  ],
  ['a key in UTF-8', create('Idempotency-Key: "\xc3\xa9"'), '400 invalid_key'],
  ['a key with an unknown escape', create('Idempotency-Key: "a\\x"'), '400 invalid_key'],
  ['a key with parameters', create('Idempotency-Key: "a";b=1'), '400 invalid_key'],
  ['two keys', create('Idempotency-Key: "a"', 'Idempotency-Key: "a"'), '400 invalid_key'],
  ['wait=1e999', update('Prefer: wait=1e999, handling=strict'), '400 invalid_preference'],
  ['a negative limit', update('Prefer: max-affected=-1'), '400 invalid_preference'],
  ['a limit of 0', update('Prefer: max-affected=0'), '422 too_many_affected'],
  [
    'preferences named as members of objects',
    update('Prefer: __proto__=1, handling=strict'),
    '400 invalid_preference',
  ],
  [
    '900 fields Prefer, and a limit',
    update(...Array.from({ length: 900 }, (_, at) => `Prefer: p${at}`), 'Prefer: max-affected=0'),
    '422 too_many_affected',
  ],
  [
    'an open string',
    update(`Prefer: a="${'\\"'.repeat(20_000)}`, 'If-Match: "a"'),
    '412 version_conflict',
  ],
  ['101 operations', batch(adds(101)), '400 too_many_operations'],
  ['no operation', batch('[]'), '400 invalid_document'],
  ['50,000 levels', batch(`${'['.repeat(50_000)}${']'.repeat(50_000)}`), '400 invalid_json'],
  ['a batch of 2 MB', batch(`[{"op":"${'x'.repeat(2_000_000)}"}]`), '413 body_too_large'],
  [
    'operations named as members of objects',
    batch('[{"op":"__proto__","ref":{"type":"__proto__","id":"1"}}]'),
    '400 invalid_operation',
  ],
  [
    'a version that ends its quotation',
    batch('[{"op":"remove","ref":{"type":"note","id":"1"},"meta":{"ifMatch":"a\\", *"}}]'),
    '400 invalid_operation',
  ],
  [
    'a version of 100,000 characters',
    batch(
      `[{"op":"remove","ref":{"type":"note","id":"1"},"meta":{"ifMatch":"${'x'.repeat(100_000)}"}}]`,
    ),
    '412 version_conflict',
  ],
  [
    'an address of another host',
    batch('[{"op":"remove","href":"http://other.example/notes/1"}]'),
    '404 route_not_found',
  ],
  ['a condition on all of a batch', batch(adds(2), 'If-Match: "a"'), '412 version_conflict'],
]

describe('Hostile writes', () => {
  let store: Store
  let running: readonly RunningHost[]
  before(async () => {
    store = openSqlite(model, ':memory:')
    const tables = `create table note (id integer primary key, text text); insert into note (text) values ('a');`
    await store.migrate([{ version: 1, sql: tables + idempotencyTable }])
    running = await Promise.all(hosts.map((host) => host.start({ model, store, prefix: '' })))
  })
  after(async () => {
    for (const host of running) await host.close()
    await store.close()
  })
  const send = async ({ origin }: RunningHost, bytes: string) => {
    const socket = await openSocket(origin)
    socket.send(Buffer.from(bytes, 'latin1'))
    return socket.closed()
  }

  for (const [title, bytes, expected] of rows)
    it(`${title}: every host answers ${expected}, and stores nothing`, async () => {
      const responses = await Promise.all(running.map((host) => send(host, bytes)))
      const answers = responses.map((response) => {
        const [, code] = /"code":"([^"]*)"/.exec(response) ?? []
        return `${response.slice(9, 12)} ${code}`
      })
      const alike = hosts.map(() => expected)
      assert.deepEqual(answers, alike)
      const [first] = running
      assert.ok(first)
      const stored = await send(first, request('GET', '/notes', '', []))
      assert.match(stored, /"text":"a"/)
      assert.match(stored, /"count":1/)
    })
})
