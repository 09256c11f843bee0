import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, auth, DeclarationError, declare, integer, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'

interface User {
  readonly id: string
}
const { resource, defineModel } = declare<{ auth: User }>()
const me = auth(({ id }: User) => id)
const mine = { filter: [{ name: 'owner__id', op: 'eq', val: me }] }
const open = { filter: [{ name: 'state', op: 'eq', val: 'open' }] }

const users = resource('users', {
  path: '/users',
  table: 'usr',
  access: { read: true, update: false, anonymous: ['read'] },
  fields: {
    name: attribute(text),
    owned: toMany('notes', { column: 'owner_id' }),
    reviewed: toMany('notes', { column: 'reviewer_id' }),
    kept: toMany('notes', { column: 'keeper_id' }),
  },
})
const notes = resource('notes', {
  path: '/notes',
  table: 'note',
  access: { read: true, create: true, update: mine, anonymous: ['read'] },
  fields: {
    state: attribute(text),
    // Nobody gives a note away but its owner, by the rule for updates, and who takes one is in it afterwards.
    owner: toOne('users', { column: 'owner_id' }),
    // Everybody asks for a review of an open note, and nobody takes it back.
    reviewer: toOne('users', { column: 'reviewer_id', link: open, unlink: false }),
    // Everybody may keep a note, and only for themselves.
    keeper: toOne('users', {
      column: 'keeper_id',
      link: {
        any: [
          { filter: [{ name: 'keeper', op: 'eq', val: null }] },
          { filter: [{ name: 'keeper__id', op: 'eq', val: me }] },
        ],
      },
      unlink: { filter: [{ name: 'keeper__id', op: 'eq', val: me }] },
    }),
    tags: toMany('tags', {
      through: { table: 'note_tag', from: 'note_id', to: 'tag_id' },
      ...{ link: true, unlink: mine },
    }),
  },
})
const tags = resource('tags', {
  path: '/tags',
  table: 'tag',
  access: { read: true, update: false },
  fields: {
    name: attribute(text),
    notes: toMany('notes', {
      through: { table: 'note_tag', from: 'tag_id', to: 'note_id' },
      link: { filter: [{ name: 'name', op: 'ne', val: 'secret' }] },
      unlink: true,
    }),
  },
})

const createTables = ({ newId, id }: ColumnTypes) => `
    create table usr (id ${newId}, name text);
    create table tag (id ${newId}, name text);
    create table note (id ${newId}, state text, owner_id ${id} references usr (id),
      reviewer_id ${id} references usr (id), keeper_id ${id} references usr (id));
    create table note_tag (note_id ${id} not null references note (id), tag_id ${id} not null references tag (id),
      primary key (note_id, tag_id));
    create index note_owner on note (owner_id);
    create index note_reviewer on note (reviewer_id);
    create index note_keeper on note (keeper_id);
    create index note_tag_tag on note_tag (tag_id);
    insert into usr (name) values ('a'), ('b');
    insert into tag (name) values ('x'), ('y'), ('secret');
    insert into note (state, owner_id, reviewer_id, keeper_id) values
      ('open', 1, null, null), ('open', 2, 2, 2), ('closed', 2, null, 1);
    insert into note_tag values (1, 1), (2, 1)`

const served = {
  model: defineModel([users, notes, tags]),
  tables: createTables,
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
      headers['x-user'] === undefined ? undefined : { id: String(headers['x-user']) },
  },
} as never as Parameters<typeof engine>[1]

const user = (id: string | null) => ({ data: id === null ? null : { type: 'users', id } })
const list = (type: string, ...ids: readonly string[]) => ({
  data: ids.map((id) => ({ type, id })),
})
const codeOf = ({ status, body }: TestResponse) => (body.errors ? body.errors[0]?.code : status)

/** Changes of relationships of the notes by user 1: the linkage that they have then, and the answer. */
const changes: readonly (readonly [string, string, string, object, 200 | 'forbidden'])[] = [
  [
    'the owner of a note gives it away, and may not update it then',
    '1',
    'owner',
    user('2'),
    'forbidden',
  ],
  ['another user takes a note', '2', 'owner', user('1'), 'forbidden'],
  [
    'another user repeats the owner, without the right to update',
    '2',
    'owner',
    user('2'),
    'forbidden',
  ],
  ['a note without a reviewer gets one', '1', 'reviewer', user('2'), 200],
  ['the reviewer of the note of another user is repeated', '2', 'reviewer', user('2'), 200],
  ['a reviewer is replaced', '2', 'reviewer', user('1'), 'forbidden'],
  ['a reviewer is removed', '2', 'reviewer', user(null), 'forbidden'],
  ['nobody is removed', '1', 'reviewer', user(null), 200],
  ['a closed note gets a reviewer', '3', 'reviewer', user('2'), 'forbidden'],
  ['a user keeps a note', '1', 'keeper', user('1'), 200],
  ['a user gives a note to somebody else', '1', 'keeper', user('2'), 'forbidden'],
  ['a user takes a note that another one keeps', '2', 'keeper', user('1'), 'forbidden'],
  ['a user keeps a note no more', '3', 'keeper', user(null), 200],
  ['a tag is added to the note of another user', '2', 'tags', list('tags', '1', '2'), 200],
  ['a tag is removed from the note of another user', '2', 'tags', list('tags'), 'forbidden'],
  ['the tags of the note of another user are repeated', '2', 'tags', list('tags', '1'), 200],
  ['the tags of an own note are replaced', '1', 'tags', list('tags', '2'), 200],
  ['a tag is added whose own rule refuses it', '1', 'tags', list('tags', '1', '3'), 'forbidden'],
]

engine('Rules for links', served, (api) => {
  const headers = { 'x-user': '1' }
  const patch = (path: string, body: unknown) => api.call('PATCH', path, { headers, body })

  for (const [title, id, name, linkage, expected] of changes) {
    it(`given that ${title}, then an update answers ${expected}`, async () => {
      const data = { type: 'notes', id, relationships: { [name]: linkage } }
      assert.equal(codeOf(await patch(`/notes/${id}`, { data })), expected)
    })

    it(`given that ${title}, then the relationship answers ${expected}`, async () => {
      assert.equal(codeOf(await patch(`/notes/${id}/relationships/${name}`, linkage)), expected)
    })
  }

  for (const [title, method, path, members, expected] of [
    [
      'takes a note of another user',
      'POST',
      '/users/1/relationships/owned',
      list('notes', '2'),
      'forbidden',
    ],
    [
      'becomes the reviewer of an open note',
      'POST',
      '/users/1/relationships/reviewed',
      list('notes', '1'),
      200,
    ],
    [
      'becomes the reviewer of a note that has one',
      'POST',
      '/users/1/relationships/reviewed',
      list('notes', '2'),
      'forbidden',
    ],
    [
      'is no longer the reviewer',
      'DELETE',
      '/users/2/relationships/reviewed',
      list('notes', '2'),
      'forbidden',
    ],
    [
      'replaces what another user reviews',
      'PATCH',
      '/users/2/relationships/reviewed',
      list('notes'),
      'forbidden',
    ],
    [
      'repeats what another user reviews',
      'PATCH',
      '/users/2/relationships/reviewed',
      list('notes', '2'),
      200,
    ],
    ['keeps a note', 'POST', '/users/1/relationships/kept', list('notes', '1'), 200],
    [
      'lets another user keep a note',
      'POST',
      '/users/2/relationships/kept',
      list('notes', '1'),
      'forbidden',
    ],
    ['keeps a note no more', 'PATCH', '/users/1/relationships/kept', list('notes'), 200],
    ['adds a note to a tag', 'POST', '/tags/2/relationships/notes', list('notes', '2'), 200],
    [
      'takes the note of another user from a tag',
      'DELETE',
      '/tags/1/relationships/notes',
      list('notes', '2'),
      'forbidden',
    ],
    [
      'takes an own note from a tag',
      'DELETE',
      '/tags/1/relationships/notes',
      list('notes', '1'),
      200,
    ],
    [
      'adds a note to a tag that refuses it',
      'POST',
      '/tags/3/relationships/notes',
      list('notes', '1'),
      'forbidden',
    ],
  ] as const)
    it(`given that a user ${title} from the other side, then the answer is ${expected}`, async () => {
      assert.equal(codeOf(await api.call(method, path, { headers, body: members })), expected)
    })

  it('given an update of attributes too, then it needs the rule for updates', async () => {
    const relationships = { reviewer: user('2') }
    const data = { type: 'notes', id: '2', attributes: { state: 'x' }, relationships }
    assert.equal(codeOf(await patch('/notes/2', { data })), 'forbidden')
  })

  for (const [title, relationships, expected] of [
    ['a reviewer of an open note', { reviewer: user('2') }, 201],
    ['another keeper', { keeper: user('2') }, 'forbidden'],
    ['a tag whose rule refuses it', { tags: list('tags', '3') }, 'forbidden'],
    ['any other tag', { tags: list('tags', '1') }, 201],
  ] as const)
    it(`given a create with ${title}, then the answer is ${expected}`, async () => {
      const data = { type: 'notes', attributes: { state: 'open' }, relationships }
      const created = await api.call('POST', '/notes', { headers, body: { data } })
      assert.equal(codeOf(created), expected)
    })

  it('given a request without an identity, then it links nothing unless the type allows it', async () => {
    const body = user('2')
    const path = '/notes/1/relationships/reviewer'
    assert.equal(codeOf(await api.call('PATCH', path, { body })), 'forbidden')
  })

  it('names the rule of the relationship in the error', async () => {
    const { body } = await patch('/notes/2/relationships/reviewer', user('1'))
    const [error] = body.errors ?? []
    assert.equal(
      error?.detail,
      'The access rules do not allow you to unlink this resource of type notes.',
    )
  })
})

const shown = { filter: [{ name: 'name', op: 'ne', val: 'hidden' }] }
const hiding = {
  ...served,
  model: defineModel([
    resource('users', {
      ...{ path: '/users', table: 'usr', access: { read: shown } },
      fields: { name: attribute(text) },
    }),
    resource('tags', {
      ...{ path: '/tags', table: 'tag', access: { read: shown } },
      fields: { name: attribute(text) },
    }),
    resource('notes', {
      ...{ path: '/notes', table: 'note' },
      fields: {
        state: attribute(text),
        owner: toOne('users', { column: 'owner_id', link: mine }),
        reviewer: toOne('users', { column: 'reviewer_id', link: false }),
        keeper: toOne('users', { column: 'keeper_id', unlink: false }),
        tags: toMany('tags', {
          through: { table: 'note_tag', from: 'note_id', to: 'tag_id' },
          link: false,
        }),
      },
    }),
  ]),
  tables: (types: ColumnTypes) => `${createTables(types)};
    insert into usr (id, name) values (8, 'hidden');
    insert into tag (id, name) values (8, 'hidden')`,
} as never as Parameters<typeof engine>[1]

engine('Rules for links to hidden resources', hiding, (api) => {
  const write = (method: string, path: string, body: object) =>
    api.call(method, path, { body, headers: { 'x-user': '1' } })
  const [replace, add] = ['PATCH', 'POST']
  const create = (name: string, linkage: object) => ({
    data: { type: 'notes', relationships: { [name]: linkage } },
  })
  const writes: readonly (readonly [string, string, string, (id: string) => object])[] = [
    ['a key whose rule refuses every row', replace, '/notes/1/relationships/reviewer', user],
    ['a key whose rule is about it', replace, '/notes/1/relationships/owner', user],
    ['a key that cannot be unlinked', replace, '/notes/2/relationships/keeper', user],
    ['a join table', add, '/notes/1/relationships/tags', (id) => list('tags', id)],
    ['all of a join table', replace, '/notes/2/relationships/tags', (id) => list('tags', id)],
    ['a key of a new row', add, '/notes', (id) => create('reviewer', user(id))],
    ['a join table of a new row', add, '/notes', (id) => create('tags', list('tags', id))],
  ]
  for (const [title, method, path, toBody] of writes)
    it(`given ${title}, when a write names a hidden resource, then it is answered like an absent one`, async () => {
      const [hidden, absent] = [
        await write(method, path, toBody('8')),
        await write(method, path, toBody('9')),
      ]
      const isUnlinked = title === 'a key that cannot be unlinked'
      assert.equal(codeOf(absent), isUnlinked ? 'forbidden' : 'related_not_found')
      assert.equal(JSON.stringify(hidden.body).replaceAll('8', '9'), JSON.stringify(absent.body))
    })
})

const loose = defineModel([
  resource('users', { path: '/users', table: 'usr', fields: { name: attribute(text) } }),
  resource('members', {
    path: '/members',
    table: 'usr',
    access: {
      read: { filter: [{ name: 'name', op: 'ne', val: 'hidden' }] },
      anonymous: ['read'],
    },
    fields: { name: attribute(text) },
  }),
  resource('notes', {
    path: '/notes',
    table: 'note',
    fields: {
      owner: toOne('users', { column: 'owner_id', unlink: false }),
      keeper: toOne('members', { column: 'keeper_id', unlink: false }),
    },
  }),
  resource('keys', {
    path: '/keys',
    table: 'note',
    fields: {
      owner_id: attribute(integer, { access: 'read-only' }),
      keeper_id: attribute(integer, { access: 'read-only' }),
    },
  }),
])
const looseTables = ({ newId, id }: ColumnTypes) => `
  create table usr (id ${newId}, name text);
  create table note (id ${newId}, owner_id ${id}, keeper_id ${id});
  insert into usr (name) values ('hidden'), ('shown');
  insert into note (owner_id, keeper_id) values (9, 9), (null, 1), (null, 2)`

engine('A link that no one may remove', { model: loose, tables: looseTables }, (app) => {
  const clear = (note: string, name: string) =>
    app.call('PATCH', `/notes/${note}/relationships/${name}`, { body: { data: null } })
  const stored = async (note: string) => (await app.call('GET', `/keys/${note}`)).one.attributes

  it('stays if it references no row', async () => {
    assert.equal(codeOf(await clear('1', 'owner')), 'forbidden')
    assert.deepEqual(await stored('1'), { owner_id: 9, keeper_id: 9 })
  })

  it('is not told apart from none if it references a hidden row, or no row where rows may be hidden', async () => {
    assert.equal(codeOf(await clear('3', 'keeper')), 'forbidden')
    assert.equal(codeOf(await clear('1', 'keeper')), 200)
    assert.equal(codeOf(await clear('2', 'keeper')), 200)
    assert.deepEqual(await stored('1'), { owner_id: 9, keeper_id: 9 })
    assert.deepEqual(await stored('2'), { owner_id: null, keeper_id: 1 })
  })
})

it('rejects an attribute that writes the key of a relationship with rules', () => {
  const note = resource('notes', {
    path: '/notes',
    table: 'note',
    fields: { owner_id: attribute(integer) },
  })
  const ruled = resource('users', {
    path: '/users',
    table: 'usr',
    fields: { owned: toMany('notes', { column: 'owner_id', access: 'read-only', link: false }) },
  })
  assert.throws(
    () => defineModel([ruled, note]),
    (error) => {
      assert.ok(error instanceof DeclarationError)
      assert.deepEqual(error.errors, [
        'notes.fields.owner_id.access: must be "read-only", because the rules of users.fields.owned say who may write its column',
      ])
      return true
    },
  )
})
