import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  defineModel,
  expression,
  integer,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const room = resource('room', {
  path: '/rooms',
  table: 'room',
  scope: (column) => sql`${column('is_open')} = 1`,
  insertDefaults: { is_open: 1 },
  fields: {
    name: attribute(text),
    label: expression(text, (column) => sql`coalesce(${column('name')}, 'a')`),
    chairs_count: expression(
      integer,
      (column) => sql`(select count(*) from chair where chair.room_id = ${column('id')})`,
    ),
    chairs: toMany('chair', { column: 'room_id' }),
  },
})
const chair = resource('chair', {
  path: '/chairs',
  table: 'chair',
  fields: { room: toOne('room', { column: 'room_id' }) },
})

const served = {
  model: defineModel([room, chair]),
  tables: ({ newId }: ColumnTypes) => `
    create table room (id ${newId}, name text, is_open integer not null);
    create table chair (id ${newId}, room_id integer references room (id));
    insert into room values (1, 'z', 1), (2, null, 1), (3, 'b', 0);
    insert into chair values (1, 1), (2, null), (3, 2), (4, 3), (5, 1)`,
}

engine('A sort by an expression, through a relationship', served, (app) => {
  for (const [sort, expected] of [
    ['room.label', '3 1 5 2 4'],
    ['-room.label', '2 4 1 5 3'],
    ['room.chairs_count', '3 1 5 2 4'],
    ['-room.chairs_count', '2 4 1 5 3'],
  ] as const) {
    it(`given ${sort}, then rows whose related resource is missing or hidden are sorted as null`, async () => {
      assert.equal(ids(await app.get('/chairs', { sort })).join(' '), expected)
    })
  }
})
