import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { it } from 'node:test'
import { attribute, declare, text, toMany, toOne } from 'lapidary'
import pg from 'pg'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const { resource, defineModel, auth } = declare<{ auth: string }>()
const isMember = {
  filter: [{ name: 'team__members__id', op: 'eq', val: auth((user) => user) }],
}

/** Members of a team see and write its notes. */
const teams = {
  model: defineModel([
    resource('note', {
      ...{ path: '/notes', table: 'note' },
      access: { read: isMember, update: isMember, delete: isMember, create: isMember },
      fields: { text: attribute(text), team: toOne('team', { column: 'team_id' }) },
    }),
    resource('team', {
      ...{ path: '/teams', table: 'team' },
      fields: {
        name: attribute(text),
        notes: toMany('note', { column: 'team_id' }),
        members: toMany('user', { through: { table: 'member', from: 'team_id', to: 'user_id' } }),
      },
    }),
    resource('user', { path: '/users', table: 'users', fields: { name: attribute(text) } }),
  ]),
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
      String(headers['x-user']),
  },
  tables: ({ newId, id }: ColumnTypes) => `
    create table users (id ${newId}, name text);
    create table team (id ${newId}, name text);
    create table member (team_id ${id} not null references team (id), user_id ${id} not null references users (id), primary key (team_id, user_id));
    create table note (id ${newId}, text text, team_id ${id} references team (id));
    create index note_team on note (team_id);
    create index member_user on member (user_id);
    insert into users (name) values ('Ada'), ('Ben');
    insert into team (name) values ('a'), ('b');
    insert into member values (1, 1), (2, 2);
    insert into note (text, team_id) values ('of a', 1), ('of b', 2), ('of none', null)`,
}

const change = (id: string) => ({ data: { type: 'note', id, attributes: { text: 'new' } } })

engine('Access rules of rows that are looked up by their ids', teams, (app) => {
  const call = (user: string, method: string, path: string, body?: unknown) =>
    app.call(method, path, { body, headers: { 'x-user': user } })

  it('follow the keys from the row, and in lists collect the keys once', async () => {
    const statements: string[] = []
    const listen = (message: unknown) => statements.push((message as { sql: string }).sql)
    channel('lapidary:statement').subscribe(listen)
    assert.equal((await call('1', 'GET', '/notes/1')).status, 200)
    const byId = statements.splice(0).filter((sql) => sql.includes('"note"'))
    assert.deepEqual(ids(await call('1', 'GET', '/notes')), ['1'])
    channel('lapidary:statement').unsubscribe(listen)
    const listed = statements.filter((sql) => sql.includes('"note"'))
    assert.ok(byId.length > 0 && listed.length > 0)
    for (const sql of byId) {
      assert.match(sql, /exists \(select 1 from "team" as "t1" where "t1"."id" = "t0"."team_id"/)
      assert.doesNotMatch(sql, /"team_id" in \(select/)
    }
    for (const sql of listed) assert.match(sql, /"team_id" in \(select "t1"."id" from "team"/)
  })

  /** Collects the status of a request, and the statements that run during it. */
  async function listStatements(method: string, path: string, body?: unknown): Promise<string[]> {
    const statements: string[] = []
    const listen = (message: unknown) => statements.push((message as { sql: string }).sql)
    channel('lapidary:statement').subscribe(listen)
    const { status } = await call('1', method, path, body)
    channel('lapidary:statement').unsubscribe(listen)
    return [String(status), ...statements]
  }

  const toNote = (id: string) => ({ data: [{ type: 'note', id }] })
  const requests: readonly [string, (id: string) => string, ((id: string) => unknown)?][] = [
    ['GET', (id) => `/notes/${id}`],
    ['GET', (id) => `/notes/${id}?include=team`],
    ['GET', (id) => `/notes/${id}/team`],
    ['GET', (id) => `/notes/${id}/relationships/team`],
    ['PATCH', (id) => `/notes/${id}`, change],
    ['DELETE', (id) => `/notes/${id}`],
    ['PATCH', (id) => `/notes/${id}/relationships/team`, () => ({ data: null })],
    ['POST', () => '/teams/1/relationships/notes', toNote],
    ['DELETE', () => '/teams/1/relationships/notes', toNote],
    ['PATCH', () => '/teams/1/relationships/notes', toNote],
  ]
  for (const [method, path, body] of requests)
    it(`run the same statements for a hidden row as for an absent one: ${method} ${path('…')}`, async () => {
      // The first request of a kind may read what later ones have in memory.
      await listStatements(method, path('8'), body?.('8'))
      const hidden = await listStatements(method, path('2'), body?.('2'))
      const absent = await listStatements(method, path('9'), body?.('9'))
      assert.ok(hidden.length > 1)
      assert.deepEqual(hidden, absent, `${method} ${path('…')}`)
    })

  for (const [user, readable] of [
    ['1', ['1']],
    ['2', ['2']],
    ['3', []],
  ] as const)
    it(`of user ${user} are the same as in lists`, async () => {
      for (const id of ['1', '2', '3', '4']) {
        const status = readable.some((each) => each === id) ? 200 : 404
        const path = `/notes/${id}`
        assert.equal((await call(user, 'GET', path)).status, status, `${user} ${path}`)
        assert.equal((await call(user, 'PATCH', path, change(id))).status, status)
        const team = { data: null }
        const related = await call(user, 'PATCH', `${path}/relationships/team`, team)
        // The row must match the rule after the change too.
        assert.equal(related.status, status === 200 ? 403 : 404)
        if (status === 404) assert.equal((await call(user, 'DELETE', path)).status, 404)
      }
    })
})

engine('Access rules and locks', { ...teams, only: 'postgres' }, (app) => {
  const call = (user: string, method: string, path: string, body?: unknown) =>
    app.call(method, path, { body, headers: { 'x-user': user } })

  it('given a locked row that the request may not read, when it is changed, then the answer does not wait for the lock', async () => {
    const other = new pg.Client(app.databaseUrl)
    await other.connect()
    try {
      await other.query('begin')
      await other.query('select from note where id = 2 for update')
      const start = performance.now()
      const answers = Promise.all([
        call('1', 'PATCH', '/notes/2', change('2')),
        call('1', 'DELETE', '/notes/2'),
        call('1', 'PATCH', '/notes/2/relationships/team', { data: null }),
        call('1', 'POST', '/teams/1/relationships/notes', { data: [{ type: 'note', id: '2' }] }),
      ])
      const statuses = (await answers).map(({ status }) => status)
      assert.deepEqual(statuses, [404, 404, 404, 404])
      // A write that waits for the lock ends after the deadline of ten seconds.
      assert.ok(performance.now() - start < 8000)
    } finally {
      await other.end()
    }
  })
})
