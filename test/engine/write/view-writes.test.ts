import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import type { ColumnTypes } from '../../databases.ts'
import { assertErrors } from '../../service/assert-errors.ts'
import { ids, type Resource, type TestResponse } from '../../test-response.ts'
import { type Engine, engine } from '../engine.ts'

const model = defineModel([
  // A part of a table: PostgreSQL updates such a view by itself, SQLite by triggers.
  resource('member', {
    path: '/members',
    table: 'member',
    fields: {
      name: attribute(text, { required: true }),
      team: toOne('team', { column: 'team_id' }),
    },
  }),
  // A join, which both databases change by triggers.
  resource('team', {
    path: '/teams',
    table: 'team',
    id: { client: 'optional' },
    fields: {
      name: attribute(text),
      budget: attribute(integer),
      members: toMany('member', { column: 'team_id' }),
    },
  }),
])

const sqliteTriggers = `
  create trigger member_insert instead of insert on member
    begin insert into person (id, name, team_id, active) values (new.id, new.name, new.team_id, 1); end;
  create trigger member_update instead of update on member
    begin update person set name = new.name, team_id = new.team_id where id = old.id; end;
  create trigger member_delete instead of delete on member begin update person set active = 0 where id = old.id; end;
  create trigger team_insert instead of insert on team begin
    insert into crew (id, name) values (new.id, new.name);
    insert into account (crew_id, budget) values (new.id, new.budget); end;
  create trigger team_update instead of update on team begin
    update crew set name = new.name where id = old.id;
    update account set budget = new.budget where crew_id = old.id; end;
  create trigger team_delete instead of delete on team begin
    delete from account where crew_id = old.id; delete from crew where id = old.id; end`
const postgresTriggers = `
  create or replace function team_change() returns trigger language plpgsql as $$ begin
    if tg_op = 'INSERT' then
      insert into crew (id, name) values (coalesce(new.id, nextval('crew_id_seq')), new.name) returning id into new.id;
      insert into account (crew_id, budget) values (new.id, new.budget);
      return new;
    elsif tg_op = 'UPDATE' then
      update crew set name = new.name where id = old.id;
      update account set budget = new.budget where crew_id = old.id;
      return new;
    end if;
    delete from account where crew_id = old.id;
    delete from crew where id = old.id;
    return old; end $$;
  create trigger team_change instead of insert or update or delete on team
    for each row execute function team_change()`

const served = {
  model,
  tables: (types: ColumnTypes, dialect: DialectName) => `
    create table crew (id ${types.newId}, name text);
    create table account (crew_id ${types.id} primary key references crew (id), budget ${types.integer});
    create table person (id ${types.newId}, name text not null, team_id ${types.id}, active ${types.boolean} not null
      default ${dialect === 'sqlite' ? '1' : 'true'});
    create view member as select id, name, team_id from person where active;
    create view team as select crew.id, crew.name, account.budget from crew join account on account.crew_id = crew.id
      group by crew.id, crew.name, account.budget;
    insert into crew (name) values ('red');
    insert into account values (1, 10);
    insert into person (name, team_id) values ('Ann', 1), ('Bob', null);
    ${dialect === 'sqlite' ? sqliteTriggers : postgresTriggers}`,
}

/** The resource of a response. */
function getOne({ body: { data } }: TestResponse): Resource {
  assert.ok(data && !Array.isArray(data))
  return data
}

engine('Views that can be written', served, (app) => {
  const post = (type: string, more: object) => app.post(`/${type}s`, { data: { type, ...more } })
  const linkage = async (engine: Engine, path: string) => ids(await engine.get(path))

  it('creates, updates and deletes the rows of a part of a table', async () => {
    const team = { data: { type: 'team', id: '1' } }
    const created = await post('member', { attributes: { name: 'Cid' }, relationships: { team } })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(getOne(created).id, '3')
    assert.deepEqual(await linkage(app, '/teams/1/relationships/members'), ['1', '3'])
    const data = {
      type: 'member',
      id: '3',
      attributes: { name: 'Cyd' },
      relationships: { team: { data: null } },
    }
    const updated = await app.patch('/members/3', { data })
    assert.equal(updated.status, 200, updated.text)
    assert.deepEqual(getOne(updated).attributes, { name: 'Cyd' })
    assert.equal((await app.delete('/members/3')).status, 200)
    assert.equal((await app.delete('/members/3')).status, 404)
    assert.equal((await app.patch('/members/3', { data })).status, 404)
    assert.deepEqual(ids(await app.get('/members')), ['1', '2'])
  })

  it('creates, updates and deletes the rows of a join, with their members', async () => {
    const members = { data: [{ type: 'member', id: '2' }] }
    const created = await post('team', {
      attributes: { name: 'blue', budget: 5 },
      relationships: { members },
    })
    assert.equal(created.status, 201, created.text)
    assert.equal(getOne(created).id, '2')
    assert.deepEqual(await linkage(app, '/teams/2/relationships/members'), ['2'])
    const chosen = await post('team', { id: '77', attributes: { name: 'green', budget: 7 } })
    assert.equal(chosen.status, 201, chosen.text)
    assert.equal(getOne(chosen).id, '77')
    const data = { type: 'team', id: '77', attributes: { budget: 8 } }
    const updated = await app.patch('/teams/77', { data })
    assert.deepEqual(getOne(updated).attributes, { name: 'green', budget: 8 })
    const moved = await app.post('/teams/77/relationships/members', members)
    assert.ok([200, 204].includes(moved.status), moved.text)
    assert.deepEqual(await linkage(app, '/teams/77/relationships/members'), ['2'])
    assert.equal((await app.delete('/teams/2')).status, 200)
    assert.equal((await app.delete('/teams/2')).status, 404)
    assert.deepEqual(ids(await app.get('/teams')), ['1', '77'])
  })
})

const silent = {
  only: 'postgres' as const,
  model: defineModel([
    resource('entry', {
      path: '/entries',
      table: 'entry',
      id: { client: 'optional' },
      fields: { name: attribute(text) },
    }),
    resource('line', { path: '/lines', table: 'line', fields: { name: attribute(text) } }),
  ]),
  tables: `
    create table entry_2026 (id bigint primary key, name text);
    create table entry (id bigint generated by default as identity primary key, name text);
    create rule entry_insert as on insert to entry where new.name = 'elsewhere'
      do instead insert into entry_2026 values (new.id, new.name);
    create table line_base (id bigint generated by default as identity primary key, name text);
    create view line as select id, name from line_base where name is not null group by id, name;
    create rule line_insert as on insert to line do instead
      insert into line_base (name) values (new.name) returning id, name;
    create rule line_update as on update to line do instead
      update line_base set name = new.name where id = old.id;
    create rule line_delete as on delete to line do instead delete from line_base where id = old.id`,
}

engine('Rules of PostgreSQL', silent, (app) => {
  const post = (path: string, type: string, more: object) =>
    app.post(path, { data: { type, ...more } })

  it('inserts by a rule that returns the row', async () => {
    const created = await post('/lines', 'line', { attributes: { name: 'a' } })
    assert.equal(created.status, 201, created.text)
    assert.equal(getOne(created).id, '1')
    const data = { type: 'line', id: '1', attributes: { name: 'b' } }
    assert.deepEqual(getOne(await app.patch('/lines/1', { data })).attributes, { name: 'b' })
    assert.equal((await app.delete('/lines/1')).status, 200)
    assert.equal((await app.delete('/lines/1')).status, 404)
  })

  it('inserts by a rule that returns nothing, if the id is known', async () => {
    const created = await post('/entries', 'entry', { id: '5', attributes: { name: 'here' } })
    assert.equal(created.status, 201, created.text)
    assert.equal(getOne(created).id, '5')
    for (const more of [
      { id: '6', attributes: { name: 'elsewhere' } },
      { attributes: { name: 'here' } },
    ])
      assertErrors(await post('/entries', 'entry', more), 409, { status: 409, at: '/data' })
    assert.deepEqual(ids(await app.get('/entries')), ['5'])
  })
})
