import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, sql, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { assertErrors } from '../../service/assert-errors.ts'
import { statementsOf } from '../../service/statements.ts'
import { ids, type Resource, type TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'

const person = resource('person', {
  path: '/persons',
  table: 'person',
  fields: {
    name: attribute(text),
    // An index finds the computers of a person.
    computers: toMany('computer', { column: 'person_id', count: true }),
    // No index does.
    notes: toMany('note', {
      column: 'author',
      references: 'name',
      count: true,
      access: 'read-only',
    }),
    groups: toMany('group', {
      through: { table: 'membership', from: 'person_id', to: 'group_id' },
      count: true,
    }),
    friends: toMany('person', { column: 'friend_id' }),
  },
})
/** A computer that is not scrapped. */
const computer = resource('computer', {
  path: '/computers',
  table: 'computer',
  scope: (column) => sql`${column('scrapped')} = 0`,
  insertDefaults: { scrapped: 0 },
  fields: { serial: attribute(text), owner: toOne('person', { column: 'person_id' }) },
})
const note = resource('note', { path: '/notes', table: 'note', access: 'read-only', fields: {} })
const group = resource('group', {
  path: '/groups',
  table: 'team',
  fields: {
    members: toMany('person', {
      through: { table: 'membership', from: 'group_id', to: 'person_id' },
      count: true,
    }),
  },
})

const served = {
  model: defineModel([person, computer, note, group], { maxPageSize: null }),
  tables: ({ newId, id }: ColumnTypes) => `
    create table person (id ${newId}, name text unique, friend_id ${id});
    create table computer (id ${newId}, serial text, scrapped integer not null, person_id ${id} references person (id));
    create index computer_person on computer (person_id);
    create table note (id ${newId}, author text);
    create table team (id ${newId});
    create table membership (person_id ${id} not null, group_id ${id} not null);
    insert into person (name, friend_id) values ('Ada', null), ('Bob', 1), ('Cid', 1), (null, 2);
    insert into computer (serial, scrapped, person_id) values ('a', 0, 1), ('b', 0, 1), ('c', 1, 1), ('d', 0, 2), ('e', 0, null);
    insert into note (author) values ('Ada'), ('Cid'), ('Cid'), ('Cid'), (null), ('Nobody');
    insert into team (id) values (1), (2);
    insert into membership values (1, 1), (1, 1), (1, 2), (3, 2), (9, 2), (3, 8)`,
}

/** The numbers of related resources of persons 1 to 4. */
const numbers = { computers: [2, 1, 0, 0], notes: [1, 0, 3, 0], groups: [2, 0, 1, 0] }
type Name = keyof typeof numbers
const names = Object.keys(numbers) as Name[]

function countsOf({ body: { data } }: TestResponse, name: string): unknown[] {
  const resources: readonly Resource[] =
    data === null || data === undefined ? [] : ([data].flat() as Resource[])
  return resources.map(({ relationships }) => relationships?.[name]?.meta?.count)
}

const comparisons = {
  count_eq: (number: number, val: number) => number === val,
  count_ne: (number: number, val: number) => number !== val,
  count_gt: (number: number, val: number) => number > val,
  count_ge: (number: number, val: number) => number >= val,
  count_lt: (number: number, val: number) => number < val,
  count_le: (number: number, val: number) => number <= val,
}

engine('Numbers of related resources', served, (app) => {
  for (const size of ['0', '3'])
    it(`withCount gives each relationship object its number, page[size]=${size}`, async () => {
      const query = { withCount: names.join(), 'page[size]': size, include: 'friends' }
      const response = await app.get('/persons', query)
      for (const name of names)
        assert.deepEqual(countsOf(response, name), numbers[name].slice(0, Number(size) || 4), name)
      assert.deepEqual(
        countsOf(response, 'friends'),
        response.body.data &&
          [undefined, undefined, undefined, undefined].slice(0, Number(size) || 4),
      )
    })

  it('counts for one resource, a related list, with fieldsets and in responses to writes', async () => {
    const query = { withCount: 'computers,groups', 'fields[person]': 'name,groups' }
    const one = await app.get('/persons/1', query)
    // A relationship that the fieldset omits has no object.
    assert.deepEqual([countsOf(one, 'groups'), countsOf(one, 'computers')], [[2], [undefined]])
    assert.deepEqual(
      countsOf(await app.get('/groups/2/members', { withCount: 'notes' }), 'notes'),
      [1, 3],
    )
    const data = {
      type: 'computer',
      attributes: { serial: 'f' },
      relationships: { owner: { data: { type: 'person', id: '3' } } },
    }
    assert.equal((await app.post('/computers', { data })).status, 201)
    const update = { data: { type: 'person', id: '3', attributes: {} } }
    const updated = await app.call('PATCH', '/persons/3', {
      query: { withCount: 'computers' },
      body: update,
    })
    assert.deepEqual(countsOf(updated, 'computers'), [1])
    const created = await app.call('POST', '/persons', {
      query: { withCount: 'computers,notes' },
      body: {
        data: {
          type: 'person',
          attributes: { name: 'Nobody' },
          relationships: { computers: { data: [{ type: 'computer', id: '5' }] } },
        },
      },
    })
    assert.deepEqual([countsOf(created, 'computers'), countsOf(created, 'notes')], [[1], [1]])
  })

  it('filters compare the number, also in combinations and on related resources', async () => {
    for (const name of names)
      for (const [op, matches] of Object.entries(comparisons))
        for (const val of [-1, 0, 1, 2, 3]) {
          const expected = ['1', '2', '3', '4'].filter((_, at) =>
            matches(numbers[name][at] ?? 0, val),
          )
          const clause = { name, op, val }
          const found = async (filter: unknown) =>
            ids(await app.get('/persons', { filter: [filter] }))
          assert.deepEqual(await found(clause), expected, JSON.stringify(clause))
          const others = ['1', '2', '3', '4'].filter((id) => !expected.includes(id))
          assert.deepEqual(await found({ not: clause }), others, `not ${JSON.stringify(clause)}`)
        }
    const filter = [{ name: 'owner', op: 'has', val: { name: 'notes', op: 'count_ge', val: 1 } }]
    assert.deepEqual(ids(await app.get('/computers', { filter })), ['1', '2'])
    const path = [{ name: 'owner__computers', op: 'count_eq', val: 1 }]
    assert.deepEqual(ids(await app.get('/computers', { filter: path })), ['4'])
    const { body } = await app.get('/persons', {
      filter: [{ name: 'computers', op: 'count_ge', val: 1 }],
      'page[size]': '1',
    })
    assert.equal(body.meta?.count, 2)
  })

  it('sorts by the number, ties by the next key', async () => {
    const order = async (sort: string, path = '/persons') =>
      ids(await app.get(path, { sort })).join('')
    assert.equal(await order('-computers.count'), '1234')
    assert.equal(await order('computers.count,-id'), '4321')
    assert.equal(await order('-notes.count,-groups.count,-id'), '3142')
    assert.equal(await order('-owner.groups.count,id', '/computers'), '5124')
    assert.equal(await order('owner.computers.count', '/computers'), '4125')
    const pages = await Promise.all(
      ['1', '2', '3', '4'].map((number) =>
        app.get('/persons', { sort: '-notes.count', 'page[size]': '1', 'page[number]': number }),
      ),
    )
    assert.deepEqual(pages.flatMap(ids), ['3', '1', '2', '4'])
  })

  it('rejects names that are not counted, and values that are not whole numbers', async () => {
    const bad = async (
      query: Record<string, unknown>,
      at: string,
      says: string,
      path = '/persons',
    ) => assertErrors(await app.get(path, query as never), 400, { status: 400, at, says })
    await bad({ withCount: 'friends' }, 'withCount', 'person has no counted relationship "friends"')
    await bad({ withCount: 'computers,' }, 'withCount', 'empty name')
    await bad(
      { withCount: 'serial' },
      'withCount',
      'computer has no counted relationship',
      '/computers',
    )
    await bad(
      { withCount: 'computers' },
      'withCount',
      'returns resource linkage',
      '/persons/1/relationships/computers',
    )
    await bad({ sort: 'friends.count' }, 'sort', 'to-many relationship')
    await bad({ sort: 'computers.serial' }, 'sort', 'to-many relationship')
    await bad({ filter: [{ name: 'friends', op: 'count_ge', val: 1 }] }, 'filter', '"any"')
    await bad(
      { filter: [{ name: 'computers', op: 'count_about', val: 1 }] },
      'filter',
      '"count_ge"',
    )
    for (const val of [1.5, '1', null, [1]])
      await bad(
        { filter: [{ name: 'computers', op: 'count_ge', val }] },
        'filter',
        'takes a whole number',
      )
  })

  it('reads the numbers of a page in a fixed number of statements', async () => {
    const count = async (query: Record<string, string>) =>
      (await statementsOf(() => app.get('/persons', { 'page[size]': '9', ...query }))).length
    const plain = await count({})
    assert.equal(await count({ withCount: names.join(), sort: '-notes.count' }), plain)
  })
})
