import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids, type TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'

/** Two relationships between the same two types, over two columns. */
const user = resource('user', {
  path: '/users',
  table: 'user',
  fields: {
    name: attribute(text),
    sent: toMany('message', { column: 'sender_id' }),
    received: toMany('message', { column: 'recipient_id' }),
  },
})
const message = resource('message', {
  path: '/messages',
  table: 'message',
  fields: {
    body: attribute(text),
    sender: toOne('user', { column: 'sender_id' }),
    recipient: toOne('user', { column: 'recipient_id' }),
  },
})

/** The sender and the recipient of each message. The last one was sent by its recipient, and one before it has no sender. */
const messages = [
  [1, 2],
  [2, 1],
  [1, 3],
  [3, 3],
  [null, 2],
] as const

const served = {
  model: defineModel([user, message]),
  tables: ({ newId }: ColumnTypes) => `
    create table "user" (id ${newId}, name text);
    create table message (id ${newId}, body text, sender_id integer references "user" (id),
      recipient_id integer references "user" (id));
    insert into "user" values (1, 'Ada'), (2, 'Bob'), (3, 'Cyd');
    insert into message (sender_id, recipient_id) values ${messages.map(([from, to]) => `(${from}, ${to})`).join(', ')}`,
}

const named = ({ body }: TestResponse) =>
  (body.included ?? []).map(({ type, id }) => `${type} ${id}`)
const identifier = (type: string, id: string) => ({ type, id })

engine('Two relationships between two types', served, (app) => {
  const linkage = async (id: string, name: string) =>
    ids(await app.get(`/users/${id}/relationships/${name}`))

  it('each relationship has its own linkage and its own related collection', async () => {
    assert.deepEqual(await linkage('1', 'sent'), ['1', '3'])
    assert.deepEqual(await linkage('1', 'received'), ['2'])
    assert.deepEqual(ids(await app.get('/users/3/received')), ['3', '4'])
    const { one } = await app.get('/users/3', { 'fields[user]': 'sent,received' })
    assert.deepEqual(
      [one.relationships?.sent?.data, one.relationships?.received?.data],
      [[identifier('message', '4')], [identifier('message', '3'), identifier('message', '4')]],
    )
    assert.equal((await app.get('/messages/5/sender')).body.data, null)
    assert.equal((await app.get('/messages/5/recipient')).one.id, '2')
  })

  it('a resource that both relationships reach is included once', async () => {
    const both = { include: 'sender,recipient' }
    assert.deepEqual(named(await app.get('/messages/4', both)), ['user 3'])
    assert.deepEqual(named(await app.get('/messages', both)).sort(), ['user 1', 'user 2', 'user 3'])
    const round = await app.get('/users/2', {
      include: 'sent.recipient.received.sender,received',
    })
    assert.deepEqual(named(round).sort(), ['message 1', 'message 2', 'message 5', 'user 1'])
    const own = await app.get('/users/3', { include: 'sent,received,sent.sender.received' })
    assert.deepEqual(named(own).sort(), ['message 3', 'message 4'])
  })

  it('a filter or a sort through one relationship does not see the members of the other', async () => {
    const found = async (query: Record<string, unknown>) =>
      ids(await app.get('/messages', query)).join(' ')
    assert.equal(await found({ 'filter[sender__name]': 'Ada' }), '1 3')
    assert.equal(await found({ 'filter[recipient__name]': 'Ada' }), '2')
    assert.equal(
      await found({ 'filter[sender__name]': 'Ada', 'filter[recipient__name]': 'Cyd' }),
      '3',
    )
    assert.equal(await found({ 'filter[sender__received__sender__name]': 'Bob' }), '1 3')
    assert.equal(await found({ sort: '-sender.name,recipient.name' }), '5 4 2 1 3')
    assert.equal(await found({ sort: 'recipient.name,-sender.id' }), '2 5 1 4 3')
    const both = [
      { name: 'sent', op: 'any', val: { name: 'recipient__name', op: 'eq', val: 'Cyd' } },
      { not: { name: 'received', op: 'any', val: { name: 'sender', op: 'eq', val: null } } },
    ]
    assert.deepEqual(ids(await app.get('/users', { filter: both })), ['1', '3'])
  })

  it('a resource created at the path of one relationship is linked by it; the body sets the other', async () => {
    const make = (path: string, relationships: object) =>
      app.post(path, { data: { type: 'message', relationships } })
    const to = (id: string) => ({ data: identifier('user', id) })
    assert.equal((await make('/users/1/sent', { recipient: to('2') })).status, 201)
    assert.equal(
      (await make('/users/1/received', { sender: to('1'), recipient: to('1') })).status,
      201,
    )
    assert.deepEqual(
      [await linkage('1', 'sent'), await linkage('1', 'received')],
      [
        ['1', '3', '6', '7'],
        ['2', '7'],
      ],
    )
    for (const [path, name, other] of [
      ['/users/1/sent', 'sender', 'recipient'],
      ['/users/1/received', 'recipient', 'sender'],
    ] as const) {
      const rejected = await make(path, { [name]: to('2'), [other]: to('3') })
      assert.equal(rejected.status, 409, rejected.text)
      assert.deepEqual(rejected.error.source, { pointer: `/data/relationships/${name}` })
      assert.equal(rejected.body.errors?.length, 1)
    }
    assert.equal((await app.get('/messages')).body.meta?.count, 7)
  })

  it('one PATCH replaces the members of both relationships independently', async () => {
    const of = (...numbers: string[]) => ({ data: numbers.map((id) => identifier('message', id)) })
    const changed = await app.patch('/users/3', {
      data: {
        type: 'user',
        id: '3',
        relationships: { sent: of('1', '5'), received: of('5', '1', '5') },
      },
    })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(
      [await linkage('3', 'sent'), await linkage('3', 'received')],
      [
        ['1', '5'],
        ['1', '5'],
      ],
    )
    const four = await app.get('/messages/4', { 'fields[message]': 'sender,recipient' })
    assert.deepEqual(
      [four.one.relationships?.sender?.data, four.one.relationships?.recipient?.data],
      [null, null],
    )
    assert.deepEqual(await linkage('2', 'received'), [])
  })
})
