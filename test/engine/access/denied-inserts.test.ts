import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, declare, integer, sql, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

const { auth, defineModel, resource } = declare<{ auth: string }>()
const me = auth((name) => name)

const team = resource('team', {
  path: '/teams',
  table: 'team',
  fields: { owner: attribute(text), badges: toMany('badge', { column: 'team_id' }) },
})
/** Who owns the team creates its badges; their codes are unique. */
const badge = resource('badge', {
  path: '/badges',
  table: 'badge',
  access: { create: { filter: [{ name: 'team__owner', op: 'eq', val: me }] } },
  fields: {
    code: attribute(text, { required: true }),
    size: attribute(integer),
    team: toOne('team', { column: 'team_id' }),
  },
})
/** The database sets the state, so the rule cannot be evaluated before. */
const card = resource('card', {
  path: '/cards',
  table: 'card',
  access: {
    create: { sql: (column) => sql`${column('holder')} = ${me} and ${column('state')} = 'new'` },
  },
  fields: {
    code: attribute(text, { required: true }),
    holder: attribute(text),
    state: attribute(text),
  },
})

const served = {
  model: defineModel([team, badge, card]),
  tables: ({ newId }: ColumnTypes) => `
    create table team (id ${newId}, owner text);
    create table badge (id ${newId}, code varchar(20) not null unique, size smallint check (size < 100),
      team_id integer references team (id));
    create table card (id ${newId}, code text not null unique, holder text, state varchar(3) default 'new');
    insert into team (id, owner) values (1, 'ada'), (2, 'bob');
    insert into badge (code, team_id) values ('taken', 2);
    insert into card (code, holder) values ('taken', 'bob')`,
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
      String(headers['x-user']),
  },
} as const

engine('Creates that a conditional rule denies', served, (app) => {
  const create = (user: string, type: string, attributes: object, teamId?: string) => {
    const relationships = teamId && { team: { data: { type: 'team', id: teamId } } }
    const body = { data: { type, attributes, ...(relationships && { relationships }) } }
    return app.call('POST', `/${type}s`, { body, headers: { 'x-user': user } })
  }

  it('given values that the rule denies, when they violate a constraint too, then the response is the same as without', async () => {
    const denied = await create('ada', 'badge', { code: 'free' }, '2')
    assert.deepEqual([denied.status, denied.error.code], [403, 'forbidden'])
    for (const attributes of [{ code: 'taken' }, { code: 'free', size: 100 }])
      assert.equal((await create('ada', 'badge', attributes, '2')).text, denied.text)
    // Without a team the rule does not hold either.
    assert.equal((await create('ada', 'badge', { code: 'taken' })).status, 403)
  })

  it('given values that the rule allows, when they violate a constraint, then the response names it', async () => {
    const taken = await create('bob', 'badge', { code: 'taken' }, '2')
    assert.deepEqual([taken.status, taken.error.code], [409, 'constraint_conflict'])
    assert.equal((await create('bob', 'badge', { code: 'a', size: 100 }, '2')).status, 422)
    const created = await create('bob', 'badge', { code: 'free', size: 7 }, '2')
    assert.deepEqual([created.status, created.one.attributes?.size], [201, 7], created.text)
    assert.equal((await create('ada', 'badge', { code: 'of ada' }, '1')).status, 201)
  })

  it('given a rule on values that the database sets, when a constraint is violated, then its error is reported first', async () => {
    assert.equal((await create('ada', 'card', { code: 'free', holder: 'bob' })).status, 403)
    const taken = await create('ada', 'card', { code: 'taken', holder: 'bob' })
    assert.deepEqual([taken.status, taken.error.code], [409, 'constraint_conflict'])
    // With the state, the values decide.
    const state = { state: 'new' }
    const denied = await create('ada', 'card', { code: 'taken', holder: 'bob', ...state })
    assert.equal(denied.status, 403)
    const allowed = await create('bob', 'card', { code: 'free', holder: 'bob', ...state })
    assert.equal(allowed.status, 201)
  })
})
