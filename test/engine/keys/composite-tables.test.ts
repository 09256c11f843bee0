import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  createApi,
  date,
  datetime,
  defineModel,
  integer,
  number,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { databases } from '../../databases.ts'
import { execute, filled } from '../../filled.ts'
import { openStore } from '../engine.ts'

/** Two types with composite ids, and a relationship between them. */
const pairOf = (
  relationship: object,
  id: unknown = ['a', 'b'],
  fields: Readonly<Record<string, unknown>> = {},
): readonly unknown[] => [
  { type: 'one', path: '/ones', table: 'one', id, fields: { other: relationship, ...fields } },
  { type: 'two', path: '/twos', table: 'two', id: ['x', 'y'], fields: {} },
]

const toTwo = (options: object) => ({ is: 'toOne', to: 'two', ...options })
const manyTwos = (options: object) => ({ is: 'toMany', to: 'two', ...options })
const other = toTwo({ column: ['c', 'd'] })

// biome-ignore format: a table, one wrong declaration a row
const wrongDeclarations: readonly (readonly [title: string, resources: readonly unknown[], error: string])[] = [
  ['no column', pairOf(other, []), 'one.id: must have at least one column; it is empty'],
  ['a column twice', pairOf(other, ['a', 'a']), 'one.id: must not have a column twice; it is ["a","a"]'],
  ['a column that is not a name', pairOf(other, ['a', 1]), 'one.id[1]: must be a name; it is 1'],
  ['a kind too few', pairOf(other, { column: ['a', 'b'], kind: [text] }), 'one.id.kind: must have a kind for each of the 2 columns; it has 1'],
  ['a kind that ids cannot have', pairOf(other, { column: ['a', 'b'], kind: [text, number] }), 'one.id.kind: must be uuid, text, enumeration, boolean, decimal, date, time, datetime, storedAs(datetime, …), databaseText or, by default, a 64-bit integer; it is number of "b"'],
  ['a foreign key with too few columns', pairOf(toTwo({ column: 'c' })), 'one.fields.other.column: must have as many columns as the id of two, 2 ("x", "y"); it has 1'],
  ['references with too many columns', pairOf(toTwo({ column: ['c', 'd'], references: ['x', 'y', 'z'] })), 'one.fields.other.references: must have as many columns as "column", 2; it has 3'],
  ['a join table with too few columns', pairOf(manyTwos({ through: { table: 'j', from: ['a', 'b'], to: 'x' } })), 'one.fields.other.through.to: must have as many columns as the id of two, 2 ("x", "y"); it has 1'],
  ['a writable relationship over the id of the other type', pairOf(manyTwos({ column: ['x', 'y'] })), 'one.fields.other.column: "x" is a column of the id of two, which cannot change: to add or remove a member would change its id; set access: "read-only", and create and delete two instead'],
  ['a writable relationship that shares columns with the id of the other type, to another column', pairOf(manyTwos({ column: ['x', 'z'], references: ['a', 'c'] })), 'one.fields.other.references: "x" is a column of the id of two, so the relationship must reference the id of one; set access: "read-only"'],
  ['a writable relationship over the own id to another column', pairOf(toTwo({ column: ['a', 'd'], references: ['x', 'z'] })), 'one.fields.other.references: "a" is a column of the id, so the relationship must reference the id of two; set access: "read-only"'],
  ['two fields that write a column outside of the id', pairOf(other, ['a', 'b'], { c: { is: 'attribute', kind: text, column: 'c' } }), 'one.fields.other.column: "c" is written by "other" and "c"; set access: "read-only" on all but one of them'],
]

describe('Declarations of composite keys', () => {
  for (const [title, resources, error] of wrongDeclarations)
    it(`are rejected with ${title}`, () => {
      // Declarations in plain JavaScript are not checked by a compiler.
      assert.throws(
        () => Reflect.apply(defineModel, undefined, [resources]),
        ({ message }: Error) => message.includes(error) || assert.fail(message),
      )
    })
})

/** SQL of tables, and the error of the startup check, if there is one. */
const unfit: readonly (readonly [title: string, sql: (id: string) => string, error?: RegExp])[] = [
  [
    'columns that are not unique together',
    (id) => `create table note (id ${id} primary key not null, box_room ${id}, box_label text);
      create table box (room ${id} not null, label text not null, size integer)`,
    /box\.id: the columns "room", "label" of the table "box" are not unique together; there are no unique keys/,
  ],
  [
    'an id that is unique together with another column',
    (
      id,
    ) => `create table note (id ${id} not null, box_room ${id} not null, box_label text, primary key (id, box_room));
      create table box (room ${id} not null, label text not null, primary key (room, label))`,
    /note\.id: the column "id" of the table "note" is not unique; declare id: \{ column: \["id","box_room"\] \}; the unique keys are "id, box_room"\./,
  ],
  [
    'a column that may be null',
    (id) => `create table note (id ${id} primary key not null, box_room ${id}, box_label text);
      create table box (room ${id}, label text not null, unique (room, label))`,
    /box\.id: the column "room" of the table "box" is nullable/,
  ],
  [
    'a column that does not store its kind',
    (id) => `create table note (id ${id} primary key not null, box_room ${id}, box_label ${id});
      create table box (room ${id} not null, label text not null, primary key (room, label))`,
    /note\.fields\.box\.column: the column "box_label" of the table "note" has the type/,
  ],
  [
    'tables that fit',
    (id) => `create table note (id ${id} primary key not null, box_room ${id}, box_label text);
      create table box (label text not null, room ${id} not null, primary key (label, room))`,
  ],
]

const box = resource('box', {
  path: '/boxes',
  table: 'box',
  id: { column: ['room', 'label'], kind: [integer, text], client: 'required' },
  fields: { notes: toMany('note', { column: ['box_room', 'box_label'] }) },
})
const boxNote = resource('note', {
  path: '/notes',
  table: 'note',
  id: { client: 'required' },
  fields: { box: toOne('box', { column: ['box_room', 'box_label'] }) },
})

for (const database of databases)
  describe(`Tables for composite keys · ${database.name}`, () => {
    for (const [title, sql, error] of unfit)
      it(`are compared with the declarations: ${title}`, async (test) => {
        const url = await filled(test, database, sql(database.columnTypes.id))
        const store = await openStore(defineModel([box, boxNote]), url)
        test.after(() => store.close())
        if (error) return assert.rejects(store.verify(), error)
        const { warnings } = await store.verify()
        const [index] = warnings.filter((warning) => warning.includes('no index begins'))
        assert.match(
          index ?? '',
          /box\.fields\.notes.*: no index begins with the columns "box_room", "box_label" of "note".*create index .*on "note" \("box_room", "box_label"\)$/,
        )
        await execute(url, 'create index note_box on note (box_label, box_room)')
        const after = await store.verify()
        assert.deepEqual(
          after.warnings.filter((warning) => warning.includes('no index begins')),
          [],
        )
      })

    it('may have a date in the id, and on PostgreSQL a datetime', async (test) => {
      const isPostgres = database.dialect === 'postgres'
      const { id, date: day } = database.columnTypes
      const url = await filled(
        test,
        database,
        isPostgres
          ? `create table payment (paid timestamptz not null, no ${id} generated by default as identity, day date not null,
               amount integer, primary key (paid, no, day)) partition by range (paid);
             create table payment_new partition of payment for values from ('2020-01-01') to ('2030-01-01');
             create table payment_old partition of payment default;
             insert into payment values ('2007-01-24 22:40:19.99658+01', 7, '2007-01-24', 5)`
          : `create table payment (paid text not null, no ${id} not null, day ${day} not null, amount integer,
               primary key (paid, no, day)); insert into payment values ('2007-01-24T21:40:19.996580Z', 7, '2007-01-24', 5)`,
      )
      const declared = defineModel([
        resource('payment', {
          path: '/payments',
          table: 'payment',
          id: {
            column: ['paid', 'no', 'day'],
            kind: [datetime, integer, date],
            client: 'required',
          },
          fields: { amount: attribute(integer) },
        }),
      ])
      const store = await openStore(declared, url)
      test.after(() => store.close())
      if (!isPostgres) {
        await assert.rejects(
          store.verify(),
          /payment\.id: datetime cannot be part of an id on this database/,
        )
        return
      }
      await store.verify()
      const client = createApi({ model: store.model, store }).with()
      const first = '2007-01-24T21:40:19.99658Z,7,2007-01-24'
      assert.deepEqual(
        (await client.list('payment')).data.map(({ id }) => id),
        [first],
      )
      assert.equal(
        (await client.get('payment', first.replace('21:40:19.99658Z', '22:40:19.996580+01:00'))).id,
        first,
      )
      const { id: second } = await client.create('payment', {
        id: '2025-02-03T04:05:06Z,8,2025-02-03',
        amount: 1,
      })
      assert.equal(second, '2025-02-03T04:05:06Z,8,2025-02-03')
      const later = await client.list('payment', { filter: [{ name: 'id', op: 'gt', val: first }] })
      assert.deepEqual(
        later.data.map(({ id }) => id),
        [second],
      )
      await client.remove('payment', first)
      assert.equal((await client.list('payment')).meta.count, 1)
    })
  })
