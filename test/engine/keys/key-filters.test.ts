import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toOne } from 'lapidary'
import { statementsOf } from '../../service/statements.ts'
import { type Engine, engine } from '../engine.ts'

const fields = { name: attribute(text) }
const id = { client: 'required' } as const
const teams = resource('teams', { path: '/teams', table: 'team', id, fields })
const players = resource('players', {
  path: '/players',
  table: 'player',
  id,
  fields: { team: toOne('teams', { column: 'team_id' }) },
})

/** Types whose keys reference a team by an integer, by a text, and without a foreign key. */
const model = defineModel([
  teams,
  players,
  resource('clubs', { path: '/clubs', table: 'club', id: { kind: text, ...id }, fields }),
  resource('members', {
    path: '/members',
    table: 'member',
    id,
    fields: { team: toOne('clubs', { column: 'team_id' }) },
  }),
  resource('guests', {
    path: '/guests',
    table: 'guest',
    id,
    fields: { team: toOne('teams', { column: 'team_id' }) },
  }),
])

const tables = `
  create table team (id integer primary key, name text);
  create table club (id text primary key, name text);
  create table player (id integer primary key, team_id integer references team (id));
  create table member (id integer primary key, team_id text references club (id));
  create table guest (id integer primary key, team_id integer);
  insert into team values (1, 'one'), (2, 'two');
  insert into club values ('a', 'A'), ('b', 'B');
  insert into player values (1, 1), (2, 2), (3, null);
  insert into member values (1, 'a'), (2, 'b'), (3, null);
  insert into guest values (1, 1), (2, 9), (3, null);`

/** Finds the ids of a type by a filter, and whether the statement looks up the related resource. */
async function find(app: Engine, type: string, filter: object) {
  const ids: string[] = []
  const statements = await statementsOf(async () => {
    const { many } = await app.get(`/${type}`, { filter })
    ids.push(...many.map(({ id }) => id))
  })
  return [ids.join(), statements.some((each) => /from "(?:team|club)"/.test(each))]
}

const isTeam = (val: string) => ({ name: 'team__id', op: 'eq', val })

engine('A filter by the id of a related resource', { model, tables, keepsTables: true }, (app) => {
  const cases: readonly (readonly [
    type: string,
    filter: object,
    ids: string,
    isLookup: boolean,
  ])[] = [
    ['players', [isTeam('1')], '1', false],
    ['players', [isTeam('9')], '', false],
    ['players', [{ or: [isTeam('1'), isTeam('2')] }], '1,2', false],
    ['players', [{ not: isTeam('1') }], '2,3', true],
    ['members', [isTeam('a')], '1', true],
    ['guests', [isTeam('1')], '1', true],
    ['guests', [isTeam('9')], '', true],
  ]
  for (const [type, filter, ids, isLookup] of cases)
    it(`of ${type}, ${JSON.stringify(filter)}, ${isLookup ? 'looks it up' : 'is one of the key'}`, async () => {
      assert.deepEqual(await find(app, type, filter), [ids, isLookup])
    })
})

engine(
  'A key in a column of SQLite without a type',
  {
    model: defineModel([teams, players]),
    only: 'sqlite',
    tables: `create table team (id integer primary key, name text);
      create table player (id integer primary key, team_id references team (id));
      insert into team values (5, 'five'); insert into player values (1, '5'), (2, 5), (3, '05');`,
  },
  (app) => {
    it('equals an id as a number, as in linkage', async () => {
      assert.deepEqual(await find(app, 'players', [isTeam('5')]), ['1,2,3', false])
    })
  },
)
