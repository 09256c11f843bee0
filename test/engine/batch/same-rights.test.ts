import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { it } from 'node:test'
import { attribute, auth, defineModel, resource, text, toMany, toOne } from 'lapidary'
import { type BatchSuite, describeBatches } from './send-batch.ts'

const me = auth((context) => Reflect.get(Object(context), 'id'))
const isMine = { filter: [{ name: 'author__id', op: 'eq', val: me }] } as const
const isShared = { filter: [{ name: 'shared', op: 'eq', val: 'yes' }] } as const
const isMe = { filter: [{ name: 'id', op: 'eq', val: me }] } as const

const note = resource('note', {
  path: '/notes',
  table: 'note',
  access: {
    read: { any: [isMine, isShared] },
    create: true,
    update: isMine,
    delete: isMine,
  },
  fields: {
    words: attribute(text, { required: true }),
    shared: attribute(text),
    author: toOne('user', { column: 'user_id' }),
  },
})
const user = resource('user', {
  path: '/users',
  table: 'member',
  access: { read: true, update: isMe },
  fields: { name: attribute(text), notes: toMany('note', { column: 'user_id' }) },
})

const suite: BatchSuite = {
  model: defineModel([note, user], { atomic: true, access: 'deny by default' }),
  tables: ({ newId, id }) => `
    create table member (id ${newId}, name text);
    create table note (id ${newId}, words text not null unique, shared text, user_id ${id} references member (id))`,
  fill: `
    insert into member (name) values ('Ada');
    insert into member (name) values ('Bob');
    insert into note (words, user_id) values ('a', 1);
    insert into note (words, user_id) values ('b', 2);
    insert into note (words, shared, user_id) values ('c', 'yes', 2)`,
  options: {
    authenticate: ({ headers }: Request) => ({
      id: headers.get('x-user') ?? '',
      role: 'member',
    }),
  } as BatchSuite['options'] & object,
}

/** An operation, and the request of its own that does the same. */
interface Pair {
  readonly operation: object
  readonly method: string
  readonly path: string
  readonly body?: object
}

const identify = (type: string, id: string) => ({ type, id })

function listPairs(): Pair[] {
  const pairs: Pair[] = []
  for (const words of ['a', 'new', 5])
    for (const author of ['1', '2', '9']) {
      // A batch with an invalid value does not run, so it does not look for related resources.
      if (words === 5 && author === '9') continue
      const data = {
        type: 'note',
        attributes: { words },
        relationships: { author: { data: identify('user', author) } },
      }
      pairs.push({ operation: { op: 'add', data }, method: 'POST', path: '/notes', body: { data } })
    }
  for (const id of ['1', '2', '3', '9', 'x']) {
    const ref = identify('note', id)
    const path = `/notes/${id}`
    for (const attributes of [{ words: 'new' }, { words: 'b' }, { shared: 'no' }]) {
      const data = { ...ref, attributes }
      pairs.push({ operation: { op: 'update', ref, data }, method: 'PATCH', path, body: { data } })
    }
    pairs.push({ operation: { op: 'remove', href: path }, method: 'DELETE', path })
    for (const author of ['1', '2']) {
      const data = identify('user', author)
      const operation = { op: 'update', ref: { ...ref, relationship: 'author' }, data }
      pairs.push({
        operation,
        method: 'PATCH',
        path: `${path}/relationships/author`,
        body: { data },
      })
    }
  }
  for (const id of ['1', '2', '9'])
    for (const [op, method] of [
      ['add', 'POST'],
      ['update', 'PATCH'],
      ['remove', 'DELETE'],
    ] as const)
      for (const member of ['1', '2', '3', '9']) {
        const data = [identify('note', member)]
        const operation = { op, ref: { ...identify('user', id), relationship: 'notes' }, data }
        pairs.push({ operation, method, path: `/users/${id}/relationships/notes`, body: { data } })
      }
  return pairs
}

describeBatches('The rights of an operation', suite, (app) => {
  const events: string[] = []
  const record = (event: unknown) => {
    const { operation, type, id, rule } = Object(event)
    events.push(JSON.stringify({ operation, type, id, rule }))
  }
  const run = async (send: () => ReturnType<typeof app.send>) => {
    events.length = 0
    subscribe('lapidary:access-denied', record)
    const { status, errors } = await send()
    unsubscribe('lapidary:access-denied', record)
    const rows = await app.rows('select words, shared, user_id from note order by words')
    return {
      status: status < 300 ? 200 : status,
      errors: errors.map(({ code, detail }) => `${code} ${detail.replace(/^\S*\/data/, '/data')}`),
      rows,
      events: [...events],
    }
  }
  for (const identity of ['1', '2', '77'])
    for (const { operation, method, path, body } of listPairs())
      it(`of user ${identity} are those of a request of its own: ${JSON.stringify(operation)}`, async () => {
        const headers = { 'x-user': identity }
        const batch = await run(() => app.batch([operation as never], headers))
        await app.reset()
        const single = await run(() => app.send(method, path, body, headers))
        assert.deepEqual(batch, single)
      })
})
