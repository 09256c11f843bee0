import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import {
  attribute,
  defineModel,
  integer,
  RequestError,
  resource,
  type StoredResource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { statementsOf } from '../../service/statements.ts'
import { engine } from '../engine.ts'

// A relationship may be written from the side that does not hold the foreign key. The hooks of the resources whose foreign key
// changes run then, too.

/** The hooks that ran. */
let seen: unknown[] = []
/** The values that `beforeUpdate` of a comment returns, by its text. */
let returned: Readonly<Record<string, object>> = {}

const own = (comment: Pick<StoredResource, 'relationships'>) => comment.relationships.author ?? null

const comment = resource('comment', {
  path: '/comments',
  table: 'comment',
  fields: {
    body: attribute(text),
    edits: attribute(integer, { access: 'read-only', default: 0 }),
    author: toOne('user', { column: 'author_id' }),
    reviewer: toOne('user', { column: 'reviewer_id' }),
    replies: toMany('comment', { column: 'parent_id' }),
  },
  hooks: {
    beforeUpdate(current, { relationships }, { auth }) {
      seen.push(['before', current.id, relationships])
      const others = [own(current), relationships.author].filter((id) => id && id !== auth)
      if (others.length > 0 && auth !== undefined)
        throw new RequestError({ code: 'not_yours', detail: 'Only the author may do this.' })
      return returned[`${current.attributes.body}`]
    },
    afterUpdate(updated, before) {
      seen.push(['after', updated.id, own(before), own(updated)])
    },
  },
})
const user = resource('user', {
  path: '/users',
  table: 'app_user',
  fields: {
    name: attribute(text),
    comments: toMany('comment', { column: 'author_id' }),
    reviews: toMany('comment', { column: 'reviewer_id' }),
    badge: toOne('badge', { column: 'user_id', foreignKey: 'other' }),
    notes: toMany('note', { column: 'user_id' }),
  },
})
const badge = resource('badge', {
  path: '/badges',
  table: 'badge',
  fields: { code: attribute(text), holder: toOne('user', { column: 'user_id' }) },
  hooks: {
    beforeUpdate: ({ id }, change) => void seen.push(['badge', id, change.relationships]),
  },
})
const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { user: toOne('user', { column: 'user_id' }) },
})

const served = {
  model: defineModel([comment, user, badge, note]),
  tables: ({ newId }: ColumnTypes) => `
    create table app_user (id ${newId}, name text);
    create table comment (id ${newId}, body text unique, edits integer,
      author_id bigint references app_user (id), reviewer_id bigint references app_user (id),
      parent_id bigint references comment (id) on delete set null);
    create table badge (id ${newId}, code text, user_id bigint unique references app_user (id));
    create table note (id ${newId}, user_id bigint references app_user (id));
    insert into app_user values (1, 'Ada'), (2, 'Bob');
    insert into comment (id, body, edits, author_id) values
      (1, 'one', 0, 1), (2, 'two', 0, 2), (3, 'three', 0, null), (4, 'four', 0, 1);
    insert into badge values (1, 'b1', 1), (2, 'b2', null);
    insert into note (id) values (1), (2)`,
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
      headers['x-user'],
  },
}

/** A common table expression with that many rows. */
const numbers = (count: number) =>
  `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`

const comments = (...ids: string[]) => ids.map((id) => ({ type: 'comment', id }))

engine('Hooks of resources on the other side of a relationship', served, (app) => {
  beforeEach(() => {
    seen = []
    returned = {}
  })
  const authorsOf = async () => {
    const { many } = await app.get('/comments', { 'fields[comment]': 'author', sort: 'id' })
    return many.map(({ relationships }) => {
      const data = relationships?.author?.data
      return data && !Array.isArray(data) ? data.id : null
    })
  }
  const before = () => (seen as unknown[][]).filter(([hook]) => hook !== 'after')

  const thefts = [
    ['POST', '/users/2/relationships/comments', { data: comments('1') }],
    ['PATCH', '/users/2/relationships/comments', { data: comments('2', '1') }],
    ['DELETE', '/users/1/relationships/comments', { data: comments('1') }],
    ['PATCH', '/users/1/relationships/comments', { data: [] }],
    [
      'PATCH',
      '/users/2',
      {
        data: { type: 'user', id: '2', relationships: { comments: { data: comments('1', '2') } } },
      },
    ],
    [
      'POST',
      '/users',
      { data: { type: 'user', relationships: { comments: { data: comments('1') } } } },
    ],
    ['PATCH', '/comments/1/relationships/author', { data: { type: 'user', id: '2' } }],
  ] as const
  for (const [method, path, body] of thefts) {
    it(`given a user who takes a comment of another user by ${method} ${path}, when the hook of the comment rejects it, then the answer is 403 and nothing changes`, async () => {
      const answer = await app.call(method, path, { body, headers: { 'x-user': '2' } })
      assert.deepEqual([answer.status, answer.error.code], [403, 'not_yours'], answer.text)
      assert.deepEqual(await authorsOf(), ['1', '2', null, '1'])
      assert.equal((await app.get('/users')).many.length, 2)
    })
  }

  it('given members that are added, removed or repeated, when the write runs, then only hooks of comments whose key changes run, with the change', async () => {
    const write = async (method: string, ...ids: string[]) => {
      seen = []
      const path = '/users/1/relationships/comments'
      const answer = await app.call(method, path, { body: { data: comments(...ids) } })
      assert.equal(answer.status, 200, answer.text)
      return seen
    }
    assert.deepEqual(await write('POST', '3', '1'), [
      ['before', '3', { author: '1' }],
      ['after', '3', null, '1'],
    ])
    assert.deepEqual(await write('DELETE', '2', '1', '9'), [
      ['before', '1', { author: null }],
      ['after', '1', '1', null],
    ])
    assert.deepEqual(await write('PATCH', '4', '2'), [
      ['before', '2', { author: '1' }],
      ['before', '3', { author: null }],
      ['after', '2', '2', '1'],
      ['after', '3', '1', null],
    ])
    assert.deepEqual(await write('PATCH', '4', '2'), [])
    assert.deepEqual(await authorsOf(), [null, '1', null, '1'])
  })

  it('given a create with members, when hooks run, then the change has the id of the new resource, and a member of two relationships has one change', async () => {
    const relationships = {
      comments: { data: comments('3', '2') },
      reviews: { data: comments('3') },
    }
    const { one } = await app
      .call('POST', '/users?include=comments', {
        body: { data: { type: 'user', relationships } },
      })
      .then((answer) => answer)
    assert.equal(one.id, '3')
    assert.deepEqual(before(), [
      ['before', '2', { author: '3' }],
      ['before', '3', { author: '3', reviewer: '3' }],
    ])
    assert.deepEqual(await authorsOf(), ['1', '3', '3', '1'])
  })

  it('given a new comment in a related collection, when it is created, then its own create hooks run and no update hook', async () => {
    const data = { type: 'comment', attributes: { body: 'five' } }
    assert.equal((await app.post('/users/2/comments', { data })).status, 201)
    assert.deepEqual(seen, [])
  })

  it('given a to-one relationship with the key in the other table, when it is replaced, then the hooks of both badges run', async () => {
    const data = { type: 'badge', id: '2' }
    const answer = await app.patch('/users/1/relationships/badge', { data })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(seen, [
      ['badge', '1', { holder: null }],
      ['badge', '2', { holder: '1' }],
    ])
  })

  it('given a relationship whose inverse is not declared, when it changes, then the hooks run without the change', async () => {
    assert.equal(
      (await app.post('/comments/1/relationships/replies', { data: comments('2') })).status,
      200,
    )
    assert.deepEqual(before(), [
      ['before', '1', { replies: { change: 'add', ids: ['2'] } }],
      ['before', '2', {}],
    ])
  })

  it('given a hook that returns values, when the member changes, then they are stored, win over the request, and are in the response', async () => {
    returned = { three: { edits: 1 }, two: { edits: 2, author: null }, one: { replies: ['4'] } }
    const relationships = { comments: { data: comments('1', '2', '3') } }
    const answer = await app.post('/users?include=comments&fields[comment]=edits', {
      data: { type: 'user', relationships },
    })
    assert.equal(answer.status, 201, answer.text)
    const included = answer.body.included?.map(({ id, attributes }) => [id, attributes?.edits])
    assert.deepEqual(included, [
      ['1', 0],
      ['3', 1],
    ])
    assert.deepEqual(await authorsOf(), ['3', null, '3', '1'])
    assert.deepEqual(
      (await app.get('/comments/1/replies')).many.map(({ id }) => id),
      ['4'],
    )
    assert.equal((await app.get('/comments/2')).one.attributes?.edits, 2)
  })

  it('given a hook that returns a value that a constraint rejects, when the member changes, then the answer is 409 and nothing changes', async () => {
    returned = { two: { body: 'one' } }
    const answer = await app.post('/users/1/relationships/comments', { data: comments('2') })
    assert.deepEqual([answer.status, answer.error.code], [409, 'constraint_conflict'])
    assert.deepEqual(await authorsOf(), ['1', '2', null, '1'])
  })

  it('given many members, when their hooks run, then the number of statements does not depend on the number of members', async () => {
    await app.execute(
      `insert into comment (id, body, edits) values ${Array.from({ length: 50 }, (_, at) => `(${at + 100}, 'c${at}', 0)`).join(', ')}`,
    )
    const write = (...ids: string[]) =>
      statementsOf(async () => {
        const body = { data: comments(...ids) }
        const { status } = await app.call('POST', '/users/2/relationships/comments', { body })
        assert.equal(status, 200)
      })
    const one = await write('100')
    const many = await write(...Array.from({ length: 49 }, (_, at) => `${at + 101}`))
    assert.equal(many.length, one.length, many.join('\n'))
    assert.equal(before().length, 50)
  })

  it('given more than 10,000 members with hooks, when they change, then the answer is 400 and no hook runs', async () => {
    await app.execute(
      `insert into comment (edits, author_id) ${numbers(10_001)} select 0, 2 from numbers`,
    )
    const answer = await app.patch('/users/2/relationships/comments', { data: [] })
    assert.deepEqual([answer.status, answer.error.code], [400, 'too_many_resources'])
    assert.deepEqual(seen, [])
    const { meta } = (await app.get('/users/2/comments')).body
    assert.equal(meta?.count, 10_002)
  })

  it('given members without hooks, when they change, then no statement is added', async () => {
    const write = (type: string, path: string, ids: readonly string[]) =>
      statementsOf(async () => {
        const data = ids.map((id) => ({ type, id }))
        assert.equal((await app.call('POST', path, { body: { data } })).status, 200)
      })
    const plain = await write('note', '/users/2/relationships/notes', ['1', '2'])
    assert.equal(plain.length, 3, plain.join('\n'))
  })
})
