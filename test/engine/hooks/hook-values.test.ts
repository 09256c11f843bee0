import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import {
  attribute,
  defineModel,
  type FieldValues,
  integer,
  resource,
  type StoredResource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

/** The values that the hooks before a write of a task return. */
let returned: FieldValues | undefined
/** The arguments of the hooks. */
let seen: unknown[] = []

const task = resource('task', {
  path: '/tasks',
  table: 'task',
  insertDefaults: { kind: 'plain' },
  scope: (column) => sql`${column('gone')} is null`,
  fields: {
    title: attribute(text, { required: true }),
    state: attribute(text, { default: 'new' }),
    kind: attribute(text, { access: 'read-only' }),
    gone: attribute(text, { access: 'read-only' }),
    headline: attribute(text, { column: 'title', access: 'read-only' }),
    owner_id: attribute(integer, { access: 'read-only' }),
    owner: toOne('user', { column: 'owner_id' }),
    labels: toMany('label', { through: { table: 'tagging', from: 'task_id', to: 'label_id' } }),
    parent: toOne('task', { column: 'parent_id' }),
    parts: toMany('task', { column: 'parent_id' }),
    ticket: toOne('ticket', { column: 'task_id', foreignKey: 'other' }),
  },
  hooks: {
    beforeCreate: () => returned,
    async beforeUpdate(current, change, { members }) {
      seen.push(['update', current.relationships, change.relationships, await members('labels')])
      return change.attributes.title === undefined ? undefined : returned
    },
    afterUpdate: async ({ id }, _, { members }) => {
      seen.push(['after', id, await members('labels'), await members('parts')])
    },
    async beforeDelete(current, { members }) {
      seen.push(['delete', current.relationships, await members('parts')])
      return returned
    },
    afterDelete: ({ id }: StoredResource) => void seen.push(['deleted', id]),
  },
})
const user = resource('user', {
  path: '/users',
  table: 'app_user',
  fields: { name: attribute(text), tasks: toMany('task', { column: 'owner_id' }) },
})
const label = resource('label', {
  path: '/labels',
  table: 'label',
  fields: { name: attribute(text) },
})
const ticket = resource('ticket', {
  path: '/tickets',
  table: 'ticket',
  fields: { task: toOne('task', { column: 'task_id' }) },
  hooks: { beforeUpdate: ({ id }, change) => void seen.push(['ticket', id, change.relationships]) },
})

const served = {
  model: defineModel([task, user, label, ticket]),
  tables: ({ newId }: ColumnTypes) => `
    create table app_user (id ${newId}, name text);
    create table label (id ${newId}, name text);
    create table task (id ${newId}, title text not null, state text, kind text, gone text,
      owner_id bigint references app_user (id), parent_id bigint references task (id));
    create table tagging (task_id bigint references task (id), label_id bigint references label (id));
    create table ticket (id ${newId}, task_id bigint unique references task (id));
    insert into app_user values (1, 'Ada'), (2, 'Bob');
    insert into label values (1, 'a'), (2, 'b'), (3, 'c');
    insert into task (id, title, owner_id, parent_id) values (1, 'one', 1, null), (2, 'two', null, 1);
    insert into tagging values (1, 2), (1, 1);
    insert into ticket values (1, 1), (2, null)`,
}

const identifier = (type: string, id: string) => ({ data: { type, id } })

engine('Values that hooks return', served, (app) => {
  beforeEach(() => {
    returned = undefined
    seen = []
  })
  const create = (relationships: object = {}, attributes: object = {}) =>
    app.post('/tasks?fields[task]=title,state,kind,owner_id,owner', {
      data: { type: 'task', attributes: { title: 'sent', ...attributes }, relationships },
    })
  const update = (relationships: object = {}, attributes: object = { title: 'sent' }) =>
    app.patch('/tasks/1?fields[task]=title,state,kind,owner_id,owner', {
      data: { type: 'task', id: '1', attributes, relationships },
    })
  const linkage = async (path: string) => {
    const { data } = (await app.get(path)).body
    return Array.isArray(data) ? data.map(({ id }) => id) : (data?.id ?? null)
  }

  // biome-ignore format: a table, one value a row
  const wins: readonly (readonly [what: string, FieldValues, string, unknown])[] = [
    ['an attribute over the sent attribute', { title: 'hook' }, 'title', 'hook'],
    ['another attribute of the same column over the sent one', { headline: 'hook' }, 'title', 'hook'],
    ['an attribute over the default', { state: 'hook' }, 'state', 'hook'],
    ['an attribute over the insert default', { kind: 'hook' }, 'kind', 'hook'],
    ['an attribute over the key of the sent relationship', { owner_id: 2 }, 'owner_id', 2],
    ['a relationship over the sent one', { owner: '2' }, 'owner_id', 2],
    ['a relationship without a related resource over the sent one', { owner: null }, 'owner_id', null],
    ['what the client sent over undefined', { title: undefined }, 'title', 'sent'],
  ]
  for (const [what, values, name, value] of wins) {
    it(`given ${what}, when a create and an update run, then the value of the hook is stored`, async () => {
      returned = values
      const owner = { owner: identifier('user', '1') }
      const created = await create(owner, { state: 'sent' })
      assert.equal(created.status, 201, created.text)
      assert.deepEqual(created.one.attributes?.[name], value)
      const updated = await update(owner)
      assert.equal(updated.status, 200, updated.text)
      assert.deepEqual(updated.one.attributes?.[name], value)
    })
  }

  it('given a create in a related collection, when the hook sets the relationship to the parent, then the hook wins', async () => {
    returned = { owner: '2' }
    const data = { type: 'task', attributes: { title: 'sent' } }
    const { one } = await app.post('/users/1/tasks', { data })
    assert.equal(one.attributes?.owner_id, 2)
  })

  it('given members that a hook returns, when a create and an update run, then they are all members, and the hooks of those with the key run', async () => {
    returned = { labels: ['3', '1'], parts: ['2'], ticket: '2' }
    const labels = { data: [{ type: 'label', id: '2' }] }
    const { one } = await create({ labels })
    assert.deepEqual(await linkage(`/tasks/${one.id}/relationships/labels`), ['1', '3'])
    assert.deepEqual(await linkage(`/tasks/${one.id}/relationships/parts`), ['2'])
    assert.deepEqual(await linkage(`/tasks/${one.id}/relationships/ticket`), '2')
    assert.deepEqual(seen, [
      ['update', { owner: null, parent: '1', ticket: null }, { parent: one.id }, []],
      ['ticket', '2', { task: one.id }],
      ['after', '2', [], []],
    ])
    returned = { labels: [], parts: ['2'], ticket: null }
    seen = []
    await update()
    assert.deepEqual(await linkage('/tasks/1/relationships/labels'), [])
    assert.deepEqual(await linkage('/tasks/1/relationships/parts'), ['2'])
    assert.deepEqual(await linkage('/tasks/1/relationships/ticket'), null)
    assert.deepEqual(seen, [
      ['update', { owner: '1', parent: null, ticket: '1' }, {}, ['1', '2']],
      ['update', { owner: null, parent: one.id, ticket: null }, { parent: '1' }, []],
      ['ticket', '1', { task: null }],
      ['after', '2', [], []],
      ['after', '1', [], ['2']],
    ])
  })

  it('given a hook that returns values for a deletion, when it runs, then they are stored instead, even outside of the scope', async () => {
    returned = { gone: 'yes', owner: null, parts: [] }
    assert.equal((await app.delete('/tasks/1')).status, 200)
    assert.deepEqual(seen.at(0), ['delete', { owner: '1', parent: null, ticket: '1' }, ['2']])
    assert.deepEqual(seen.at(-1), ['deleted', '1'])
    assert.equal((await app.get('/tasks/1')).status, 404)
    assert.equal((await app.delete('/tasks/1')).status, 404)
    assert.equal((await app.get('/tasks/2')).status, 200)
    assert.deepEqual(await linkage('/tasks/2/relationships/parent'), null)
    await app.execute('update task set gone = null')
    const { one } = await app.get('/tasks/1?fields[task]=title,owner_id')
    assert.deepEqual(one.attributes, { title: 'one', owner_id: null })
    returned = {}
    assert.equal((await app.delete('/tasks/1')).status, 200)
    assert.equal((await app.get('/tasks/1')).status, 200)
    returned = undefined
    await app.execute('delete from tagging; delete from ticket')
    assert.equal((await app.delete('/tasks/1')).status, 200)
    await app.execute('update task set gone = null')
    assert.equal((await app.get('/tasks/1')).status, 404)
  })

  // biome-ignore format: a table, one value a row
  const invalidValues: readonly (readonly [what: string, FieldValues])[] = [
    ['true, as if it were a permission', JSON.parse('true')],
    ['a name that the type does not have', { nobody: 1 }],
    ['two values of one column', { owner_id: 1, owner: '1' }],
    ['an attribute that is not of its kind', { title: 5 }],
    ['an id that is not a text', { owner: 5 }],
    ['an id that no resource of the type can have', { owner: 'five' }],
    ['a list for a to-one relationship', { owner: ['1'] }],
    ['a single id for a to-many relationship', { labels: '1' }],
  ]
  for (const [what, values] of invalidValues) {
    it(`given a hook that returns ${what}, when a write runs, then the response is 500 and nothing is stored`, async () => {
      returned = values
      assert.equal((await create()).status, 500)
      assert.equal((await update()).status, 500)
      assert.equal((await app.delete('/tasks/1')).status, 500)
      const { many } = await app.get('/tasks?fields[task]=title')
      assert.deepEqual(
        many.map(({ attributes }) => attributes?.title),
        ['one', 'two'],
      )
    })
  }
})
