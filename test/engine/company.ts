import {
  attribute,
  boolean,
  defineModel,
  integer,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'

/** Present employees. The table has former ones and customers too. */
const employee = resource('employee', {
  path: '/employees',
  table: 'person',
  scope: (column) => sql`${column('role')} = 'employee' and ${column('left_at')} is null`,
  insertDefaults: { role: 'employee' },
  fields: {
    name: attribute(text),
    left_at: attribute(text),
    boss: toOne('employee', { column: 'boss_id' }),
    staff: toMany('employee', { column: 'boss_id' }),
    badge: toOne('badge', { column: 'person_id', foreignKey: 'other' }),
    seats: toMany('seat', { column: 'person_id' }),
    desks: toMany('desk', { column: 'person_id' }),
    teams: toMany('team', { through: { table: 'member', from: 'person_id', to: 'team_id' } }),
  },
})
/** All persons of the same table. */
const person = resource('person', {
  path: '/persons',
  table: 'person',
  access: 'read-only',
  scope: (column) => sql`${column('public')} <> 0`,
  fields: { name: attribute(text), role: attribute(text) },
})
const badge = resource('badge', {
  path: '/badges',
  table: 'badge',
  scope: (column) => sql`${column('valid')} = ${true}`,
  insertDefaults: { valid: true },
  fields: { code: attribute(text), holder: toOne('employee', { column: 'person_id' }) },
})
const desk = resource('desk', {
  path: '/desks',
  table: 'desk',
  // A condition over another table, whose columns have the same names.
  scope: (column) =>
    sql`exists (select 1 from floor where floor.floor_id = ${column('floor_id')} and floor.open = 1)`,
  insertDefaults: { floor_id: 1 },
  fields: {
    name: attribute(text),
    user: toOne('employee', { column: 'person_id' }),
    shown: attribute(boolean, { column: 'id2', access: 'read-only' }),
  },
})
/** Desks with an owner, by a condition on the foreign key. */
const seat = resource('seat', {
  path: '/seats',
  table: 'desk',
  scope: (column) => sql`${column('person_id')} is not null`,
  access: 'read-only',
  fields: { name: attribute(text) },
})
const team = resource('team', {
  path: '/teams',
  table: 'team',
  scope: (column) => sql`${column('size')} > ${0}`,
  fields: {
    name: attribute(text),
    size: attribute(integer, { default: 1 }),
    members: toMany('employee', { through: { table: 'member', from: 'team_id', to: 'person_id' } }),
  },
})

/** Every row of the tables, as it is stored, with those outside of the scopes of other types. */
const rows = [
  resource('person-row', {
    ...{ path: '/person-rows', table: 'person', access: 'read-only' },
    fields: {
      ...{ name: attribute(text), role: attribute(text), left_at: attribute(text) },
      boss_id: attribute(integer),
    },
  }),
  resource('badge-row', {
    ...{ path: '/badge-rows', table: 'badge', access: 'read-only' },
    fields: { code: attribute(text), valid: attribute(boolean), person_id: attribute(integer) },
  }),
  resource('desk-row', {
    ...{ path: '/desk-rows', table: 'desk', access: 'read-only' },
    fields: { name: attribute(text), floor_id: attribute(integer), person_id: attribute(integer) },
  }),
  resource('member-row', {
    ...{ path: '/member-rows', table: 'member_row', access: 'read-only' },
    fields: { person_id: attribute(integer), team_id: attribute(integer) },
  }),
]

/** Types with scopes. Outside of them are the persons 3 (left) and 4 (a customer), badge 3, desk 3 and team 3. */
export const company = {
  model: defineModel([employee, person, badge, desk, seat, team, ...rows], { maxPageSize: null }),
  tables: ({ newId, boolean }: ColumnTypes) => `
    create table person (id ${newId}, name text, role text not null, left_at text,
      public integer not null default 0, boss_id integer references person (id));
    create table badge (id ${newId}, code text, valid ${boolean} not null,
      person_id integer unique references person (id));
    create table floor (floor_id ${newId}, person_id integer, name text, open integer not null);
    create table desk (id ${newId}, id2 ${boolean}, name text, floor_id integer not null references floor (floor_id),
      person_id integer references person (id));
    create table team (id ${newId}, name text, size integer);
    create table member (person_id integer not null references person (id),
      team_id integer not null references team (id));
    create view member_row as
      select row_number() over (order by person_id, team_id) as id, person_id, team_id from member;
    insert into person values (1, 'Ada', 'employee', null, 1, 3), (2, 'Bob', 'employee', null, 0, 1),
      (3, 'Cyd', 'employee', '2001', 1, null), (4, 'Dan', 'customer', null, 0, 1), (5, 'Eve', 'employee', null, 1, 1);
    insert into floor values (1, 1, 'low', 1), (2, null, 'high', 0);
    insert into badge values (1, 'b1', true, 1), (2, 'b2', true, 3), (3, 'b3', false, 2), (4, 'b4', true, null);
    insert into desk (id, name, floor_id, person_id) values (1, 'd1', 1, 1), (2, 'd2', 1, 3), (3, 'd3', 2, 1), (4, 'd4', 1, 2);
    insert into team values (1, 't1', 3), (2, 't2', 1), (3, 't3', 0), (4, 't4', null);
    insert into member values (1, 1), (2, 1), (3, 1), (4, 1), (1, 3), (2, 3), (2, 2), (1, 4)`,
}
