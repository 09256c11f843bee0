import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'

const identify = (type: string, id: string) => ({ type, id })
const statusAndErrors = ({ status, body }: TestResponse) => [
  status,
  body.errors?.map(({ code, source }) => [code, source?.pointer ?? source?.parameter]),
]

/** A hook's view of a write: the type, the operation and what it was given. */
const seen: unknown[][] = []

const hooked = {
  model: defineModel([
    resource('box', {
      path: '/boxes',
      table: 'box',
      id: { column: ['room', 'label'], kind: [integer, text] },
      fields: {
        room: attribute(integer, { required: true }),
        label: attribute(text, { required: true }),
        note: attribute(text),
        things: toMany('thing', { column: ['box_room', 'box_label'] }),
      },
      hooks: {
        beforeCreate: (change) => {
          seen.push(['create', change.attributes])
          return { note: 'made' }
        },
        afterCreate: ({ id }) => void seen.push(['created', id]),
        beforeUpdate: ({ id }, change) => {
          seen.push(['update', id, change.attributes])
          return change.attributes.note === 'move' ? { room: 99 } : undefined
        },
        beforeDelete: ({ id }) => void seen.push(['delete', id]),
        afterCommit: ({ operation }) => void seen.push(['commit', operation]),
      },
    }),
    resource('thing', {
      path: '/things',
      table: 'thing',
      fields: {
        name: attribute(text),
        box: toOne('box', { column: ['box_room', 'box_label'] }),
      },
      hooks: {
        beforeUpdate: ({ id, relationships }, change) =>
          void seen.push(['thing', id, relationships.box, change.relationships.box]),
      },
    }),
  ]),
  tables: ({ newId, id }: ColumnTypes) => `
    create table box (room ${id} not null, label text not null, note text, primary key (room, label));
    create table thing (id ${newId}, name text, box_room ${id}, box_label text,
      foreign key (box_room, box_label) references box (room, label));
    insert into box values (1, 'a,b', null), (1, 'c', null);
    insert into thing (name, box_room, box_label) values ('x', 1, 'a,b'), ('y', null, null)`,
}

engine('Hooks of composite ids', hooked, (app) => {
  it('sees the fields of the id, the id of a new resource, and changes of members', async () => {
    seen.length = 0
    const created = await app.post('/boxes', {
      data: {
        type: 'box',
        attributes: { room: 2, label: '~' },
        relationships: { things: { data: [identify('thing', '1')] } },
      },
    })
    assert.deepEqual([created.status, created.one.id], [201, '2,~0'])
    assert.equal(created.one.attributes?.note, 'made')
    assert.deepEqual(seen, [
      ['create', { room: 2, label: '~' }],
      ['thing', '1', '1,a~1b', '2,~0'],
      ['created', '2,~0'],
      ['commit', 'create'],
    ])
  })

  it('sees the id in updates and deletions, and cannot change it', async () => {
    seen.length = 0
    const path = '/boxes/1,c'
    const update = (attributes: object) =>
      app.patch(path, { data: { type: 'box', id: '1,c', attributes } })
    assert.equal((await update({ room: 1, note: 'n' })).one.attributes?.note, 'n')
    assert.deepEqual(statusAndErrors(await update({ room: 3 })), [
      422,
      [['invalid_value', '/data/attributes/room']],
    ])
    assert.equal((await update({ note: 'move' })).status, 500)
    assert.equal((await app.get(path)).one.attributes?.note, 'n')
    assert.equal((await app.delete(path)).status, 200)
    assert.deepEqual(seen, [
      ['update', '1,c', { room: 1, note: 'n' }],
      ['commit', 'update'],
      ['update', '1,c', { note: 'move' }],
      ['delete', '1,c'],
      ['commit', 'delete'],
    ])
  })

  it('runs the hooks of members whose foreign key changes', async () => {
    seen.length = 0
    const things = '/boxes/1,a~1b/relationships/things'
    const { status } = await app.patch(things, { data: [identify('thing', '2')] })
    assert.equal(status, 200)
    assert.deepEqual(seen.filter(([is]) => is === 'thing').sort(), [
      ['thing', '1', '1,a~1b', null],
      ['thing', '2', null, '1,a~1b'],
    ])
  })
})
