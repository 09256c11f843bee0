import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  auth,
  boolean,
  defineModel,
  expression,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { engine } from '../engine.ts'

const me = auth((user: { readonly name: string }) => user.name)

const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  fields: { name: attribute(text), notes: toMany('note', { column: 'shelf_id' }) },
})
const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: {
    author: attribute(text),
    mine: expression(boolean, (column) => sql`${column('author')} = ${me}`),
    greeting: expression(text, (column) => sql`${column('author')} || ${me}`),
    shelf: toOne('shelf', { column: 'shelf_id' }),
  },
})
const rows = 600

const served = {
  model: defineModel([shelf, note]),
  tables: ({ newId, id }: { newId: string; id: string }) => `
    create table shelf (id ${newId}, name text);
    create table note (id ${newId}, author text, shelf_id ${id} references shelf (id));
    create index note_shelf on note (shelf_id);
    insert into shelf (name) values ('top');
    insert into note (author, shelf_id) values ('ada', 1), ('ben', 1);
    insert into note (author) with recursive n (i) as (select 3 union all select i + 1 from n where i < ${rows})
      select case when i % 3 = 0 then 'ada' else 'ben' end from n`,
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
      headers['x-user'] === undefined ? undefined : { name: String(headers['x-user']) },
  },
}

engine('An expression with a value of the auth context', served, (fixture) => {
  const call = (user: string | undefined, method: string, path: string, body?: unknown) =>
    fixture.call(method, path, { body, headers: { 'x-user': user } })
  const read = (user: string | undefined, path: string) => call(user, 'GET', path)

  it('given requests of several users at the same time, when they read a resource, then each gets its own value', async () => {
    const users = ['ada', 'ben', undefined, 'ada', 'ben', undefined, 'ada', 'ben']
    const responses = await Promise.all(users.map((user) => read(user, '/notes/1')))
    const greeting: unknown[] = responses.map(({ one }) => [
      one.attributes?.mine,
      one.attributes?.greeting,
    ])
    const expected = { ada: [true, 'adaada'], ben: [false, 'adaben'], none: [null, null] }
    assert.deepEqual(
      greeting,
      users.map((user) => expected[(user ?? 'none') as keyof typeof expected]),
    )
  })

  it('given a filter and a sort by it, when several users read the list, then rows, order and count are their own', async () => {
    const counts = { ada: 1 + rows / 3, ben: rows - 1 - rows / 3 }
    for (const user of ['ada', 'ben', 'ada', 'ben'] as const) {
      const filtered = await read(user, '/notes?filter[mine]=true&page[size]=2')
      assert.equal(filtered.body.meta?.count, counts[user])
      assert.deepEqual(
        filtered.many.map(({ attributes }) => attributes?.author),
        [user, user],
      )
      const sorted = await read(user, '/notes?sort=-mine&page[size]=1')
      assert.equal(sorted.many[0]?.attributes?.author, user)
    }
    assert.equal((await read(undefined, '/notes?filter[mine]=true')).body.meta?.count, 0)
  })

  for (const [user, mine] of [
    ['ada', [true, false]],
    ['ben', [false, true]],
  ] as const)
    it(`given included and related resources, when ${user} reads them, then they have the values of ${user}`, async () => {
      const { body } = await read(user, '/shelves/1?include=notes')
      assert.deepEqual(
        body.included?.map(({ attributes }) => attributes?.mine),
        mine,
      )
      const related = await read(user, '/shelves/1/notes')
      assert.deepEqual(
        related.many.map(({ attributes }) => attributes?.mine),
        mine,
      )
    })

  it('given a stream, when several users read it, then they have the values of the user', async () => {
    for (const user of ['ada', 'ben']) {
      const { many } = await read(user, '/notes?page[size]=1000')
      assert.equal(many.length, rows)
      assert.ok(many.every(({ attributes }) => attributes?.mine === (attributes?.author === user)))
    }
  })

  it('given a create and an update, when they respond, then the values are those of the user', async () => {
    const data = (attributes: object, id?: string) => ({
      data: { type: 'note', ...(id && { id }), attributes },
    })
    const created = await call('ada', 'POST', '/notes', data({ author: 'ada' }))
    assert.equal(created.one.attributes?.mine, true)
    const { id } = created.one
    const updated = await call('ben', 'PATCH', `/notes/${id}`, data({ author: 'ada' }, id))
    assert.equal(updated.one.attributes?.greeting, 'adaben')
  })
})
