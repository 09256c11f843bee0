import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import {
  attribute,
  declare,
  type ResourceChange,
  type StoredResource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const { resource, defineModel, auth } = declare<{ auth: string }>()

/** The arguments of the hooks, in order. */
const calls: (readonly [hook: string, ...values: unknown[]])[] = []
const record =
  (hook: string) => (stored: StoredResource, change?: ResourceChange | StoredResource) =>
    void calls.push([hook, stored.id, stored.attributes.text, change?.attributes])

/** Notes belong to tenants, are deleted softly, and have hooks that receive the stored note. Drafts are not readable. */
const notes = {
  model: defineModel(
    [
      resource('team', {
        ...{ path: '/teams', table: 'team' },
        fields: { name: attribute(text), notes: toMany('note', { column: 'team_id' }) },
        hooks: {
          beforeUpdate: async (_stored, _change, { members }) =>
            void calls.push(['members', ...(await members('notes'))]),
        },
      }),
      resource('note', {
        ...{ path: '/notes', table: 'note', softDelete: 'deleted_at' },
        access: {
          ...{ create: true, update: true, delete: true },
          read: { filter: [{ name: 'text', op: 'ne', val: 'draft' }] },
        },
        fields: { text: attribute(text), team: toOne('team', { column: 'team_id' }) },
        hooks: {
          beforeUpdate: (stored, change) => record('beforeUpdate')(stored, change),
          afterUpdate: (stored, before) => record('afterUpdate')(stored, before),
          beforeDelete: (stored) => record('beforeDelete')(stored),
        },
      }),
    ],
    { tenant: { column: 'org', value: auth((user) => user) } },
  ),
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
      String(headers['x-user']),
  },
  tables: ({ newId, id, datetime }: ColumnTypes) => `
    create table team (id ${newId}, name text, org text);
    create table note (id ${newId}, text text, team_id ${id} references team (id), org text, deleted_at ${datetime});
    create index note_team on note (team_id);
    insert into team (name, org) values ('A', 'a'), ('B', 'b');
    insert into note (text, team_id, org) values ('of a', 1, 'a'), ('of b', 2, 'b'), ('draft', 1, 'a')`,
}

engine('Hooks of a model with tenants', notes, (app) => {
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { body, headers: { 'x-user': 'a' } })
  const note = (id: string | undefined, value: string) => ({
    data: { type: 'note', ...(id !== undefined && { id }), attributes: { text: value } },
  })
  afterEach(() => void calls.splice(0))

  it('receive the stored row of an update, before and after it', async () => {
    const updated = await call('PATCH', '/notes/1', note('1', 'new'))
    assert.equal(updated.status, 200, updated.text)
    assert.deepEqual(calls, [
      ['beforeUpdate', '1', 'of a', { text: 'new' }],
      ['afterUpdate', '1', 'new', { text: 'of a' }],
    ])
  })

  it('receive the row of a deletion, which is then deleted softly', async () => {
    assert.equal((await call('DELETE', '/notes/1')).status, 200)
    assert.deepEqual(calls[0]?.slice(0, 3), ['beforeDelete', '1', 'of a'])
    assert.deepEqual(ids(await call('GET', '/notes')), [])
  })

  it('receive the members that a write to the other side changes', async () => {
    const linkage = { data: [{ type: 'note', id: '1' }] }
    const removed = await call('DELETE', '/teams/1/relationships/notes', linkage)
    assert.equal(removed.status, 200, removed.text)
    assert.deepEqual(
      calls.map(([hook, id]) => [hook, id]),
      [
        ['members', '1'],
        ['beforeUpdate', '1'],
        ['afterUpdate', '1'],
      ],
    )
  })

  it('are not called for a row of another tenant', async () => {
    assert.equal((await call('PATCH', '/notes/2', note('2', 'new'))).status, 404)
    assert.equal((await call('DELETE', '/notes/2')).status, 404)
    assert.deepEqual(calls, [])
  })

  it('do not change that a new row which is not readable is answered with its identifier', async () => {
    const created = await call('POST', '/notes', note(undefined, 'draft'))
    assert.equal(created.status, 201, created.text)
    assert.equal(created.one.attributes, undefined)
    const updated = await call('PATCH', '/notes/1', note('1', 'draft'))
    assert.equal(updated.status, 200, updated.text)
    assert.equal(updated.one.attributes, undefined)
    assert.deepEqual(ids(await call('GET', '/notes')), [])
  })
})
