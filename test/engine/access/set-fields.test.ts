import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, auth, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import { type ColumnTypes, databases } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine, findStartErrors } from '../engine.ts'

interface User {
  readonly id: string
}
const me = auth(({ id }: User) => id)

const users = resource('users', {
  path: '/users',
  table: 'usr',
  fields: {
    name: attribute(text),
    notes: toMany('notes', { column: 'author_id', access: 'read-only' }),
    given: toMany('notes', { column: 'owner_id' }),
  },
})
const notes = resource('notes', {
  path: '/notes',
  table: 'note',
  fields: {
    s: attribute(text),
    author: toOne('users', { column: 'author_id', set: me }),
    keeper: toOne('users', { column: 'keeper_id', set: me, access: 'read-only' }),
    owner: toOne('users', { column: 'owner_id', set: me, access: 'read-write' }),
    by: attribute(text, { set: me }),
    first: attribute(text, { set: me, access: 'read-only' }),
    last: attribute(text, { set: me, access: 'read-write' }),
  },
})

const served = {
  model: defineModel([users, notes]),
  // Nothing but "set" writes most of these columns, which are not nullable: the startup check knows it.
  tables: ({ newId }: ColumnTypes) => `
    create table usr (id ${newId}, name text);
    create table note (id ${newId}, s text, author_id integer not null references usr (id),
      keeper_id integer not null references usr (id), owner_id integer not null references usr (id),
      "by" text not null, first text not null, last text not null);
    create index note_author on note (author_id);
    create index note_owner on note (owner_id);
    insert into usr (name) values ('a'), ('b');
    insert into note (s, author_id, keeper_id, owner_id, "by", first, last) values ('x', 1, 1, 1, '1', '1', '1')`,
  server: { authenticate: () => ({ id: '1' }) },
}

const user = (id: string) => ({ data: { type: 'users', id } })
const change = (attributes: object, relationships: object = {}) => ({
  data: { type: 'notes', id: '1', attributes, relationships },
})
const errorOf = ({ status, body }: TestResponse) => {
  const [{ code, source } = { code: undefined, source: undefined }] = body.errors ?? []
  return { status, code, ...source }
}

engine('Fields that the server sets', served, (api) => {
  const authorOf = async () => {
    const { body } = await api.get('/notes/1', { include: 'author,keeper,owner' })
    const { data } = body as unknown as {
      data: { attributes: object; relationships: Record<string, { data: { id: string } }> }
    }
    const ids = ['author', 'keeper', 'owner'].map((name) => data.relationships[name]?.data.id)
    return { ids, ...data.attributes }
  }
  const unchanged = { ids: ['1', '1', '1'], s: 'x', by: '1', first: '1', last: '1' }

  for (const [name, status, code] of [
    ['by', 422, 'invalid_value'],
    ['first', 200, undefined],
  ] as const)
    it(`given an update with another value of ${name}, then it keeps the value`, async () => {
      const response = await api.patch('/notes/1', change({ [name]: '2' }))
      assert.equal(response.status, status)
      assert.equal(errorOf(response).code, code)
      assert.deepEqual(await authorOf(), unchanged)
    })

  for (const [name, status, code] of [
    ['author', 403, 'read_only'],
    ['keeper', 200, undefined],
  ] as const) {
    it(`given an update with another ${name}, then it keeps the value`, async () => {
      const response = await api.patch('/notes/1', change({}, { [name]: user('2') }))
      assert.equal(response.status, status)
      assert.equal(errorOf(response).code, code)
      assert.deepEqual(await authorOf(), unchanged)
    })

    it(`given a request to the relationship ${name}, then it is read-only`, async () => {
      const response = await api.patch(`/notes/1/relationships/${name}`, user('2'))
      assert.deepEqual(errorOf(response), { status: 403, code: 'read_only' })
      assert.deepEqual(await authorOf(), unchanged)
    })
  }

  it('given an update that repeats them, then it succeeds', async () => {
    const relationships = { author: user('1'), keeper: user('1'), owner: user('1') }
    const sent = change({ s: 'y', by: '1', first: '1', last: '1' }, relationships)
    assert.equal((await api.patch('/notes/1', sent)).status, 200)
    assert.deepEqual(await authorOf(), { ...unchanged, s: 'y' })
  })

  it('given the access "read-write" in the declaration, then updates change them from both sides', async () => {
    const sent = change({ last: '2' }, { owner: user('2') })
    assert.equal((await api.patch('/notes/1', sent)).status, 200)
    assert.deepEqual(await authorOf(), { ...unchanged, ids: ['1', '1', '2'], last: '2' })
    const members = { data: [{ type: 'notes', id: '1' }] }
    assert.equal((await api.post('/users/1/relationships/given', members)).status, 200)
    assert.deepEqual((await authorOf()).ids, ['1', '1', '1'])
  })

  it('given a create, then it stores all of them, and rejects those of the client', async () => {
    const created = await api.post('/notes', { data: { type: 'notes', attributes: { s: 'n' } } })
    assert.equal(created.status, 201)
    for (const name of ['by', 'first', 'last']) {
      const data = { type: 'notes', attributes: { [name]: '1' } }
      const pointer = `/data/attributes/${name}`
      const expected = { status: 403, code: 'forbidden', pointer }
      assert.deepEqual(errorOf(await api.post('/notes', { data })), expected)
    }
  })
})

const others = {
  relationship: { author: toOne('users', { column: 'author_id', set: me }) },
  'read-only relationship': {
    author: toOne('users', { column: 'author_id', set: me, access: 'read-only' }),
  },
  attribute: { author: attribute(integer, { column: 'author_id', set: me }) },
} as const
const givesNotes = resource('users', {
  path: '/users',
  table: 'usr',
  fields: { notes: toMany('notes', { column: 'author_id' }) },
})

for (const database of databases)
  describe(`A relationship to rows whose key the server sets · ${database.name}`, () => {
    for (const [title, fields] of Object.entries(others))
      it(`given a ${title} that is set, then the start rejects writes that would change it`, async () => {
        const note = resource('notes', {
          path: '/notes',
          table: 'note',
          insertDefaults: { keeper_id: 1, owner_id: 1, by: '', first: '', last: '' },
          fields,
        })
        const tables = served.tables(database.columnTypes)
        const errors = await findStartErrors(database, defineModel([givesNotes, note]), tables)
        assert.deepEqual(errors, [
          'users.fields.notes.access: writes would change notes.fields.author, which the server sets; set access: "read-only"',
        ])
      })
  })
