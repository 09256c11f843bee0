import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { it } from 'node:test'
import { attribute, declare, integer, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { as, tenancy } from '../tenancy.ts'

engine('Access rules of rows, in writes', tenancy, (fixture) => {
  const ada = as(fixture, '1:member')
  const ben = as(fixture, '2:member')
  const root = as(fixture, '9:admin')
  const nobody = as(fixture, '')
  const task = (attributes: object, relationships: object = {}, id?: string) => ({
    data: { type: 'tasks', ...(id && { id }), attributes, relationships },
  })
  const to = (type: string, id: string | null) => ({ data: id === null ? null : { type, id } })
  const assertForbidden = (response: TestResponse, detail?: string) => {
    assert.equal(response.status, 403)
    assert.equal(response.error.code, 'forbidden')
    if (detail) assert.equal(response.error.detail, detail)
  }

  it('reject an update of a readable row with 403, and of a hidden one with 404', async () => {
    const rejected = await ada.patch('/tasks/2', task({ title: 'mine' }, {}, '2'))
    assertForbidden(
      rejected,
      'The access rules do not allow you to update this resource of type tasks.',
    )
    assert.equal((await ada.patch('/tasks/3', task({ title: 'x' }, {}, '3'))).status, 404)
    assert.equal((await ada.patch('/tasks/1', task({ title: 'x' }, {}, '1'))).status, 200)
    assert.equal((await root.get('/tasks/2')).one.attributes?.title, 'b')
    assert.equal((await nobody.patch('/tasks/1', task({ title: 'y' }, {}, '1'))).status, 404)
  })

  it('require that a row matches the rule after an update too', async () => {
    const away = await ada.patch('/tasks/1', task({}, { assignee: to('users', '2') }, '1'))
    assertForbidden(away)
    const { one } = await root.get('/tasks/1?fields[tasks]=assignee')
    assert.deepEqual(one.relationships?.assignee?.data, { type: 'users', id: '1' })
  })

  it('require that a new row matches the rule', async () => {
    const own = await ada.post('/tasks', task({ title: 'n' }, { project: to('projects', '1') }))
    assert.equal(own.status, 201)
    assertForbidden(await ada.post('/tasks', task({ title: 'n' })))
    // A hidden project does not exist.
    const hidden = await ada.post('/tasks', task({}, { project: to('projects', '3') }))
    const absent = await ada.post('/tasks', task({}, { project: to('projects', '77') }))
    assert.equal(hidden.status, 404)
    assert.equal(hidden.text, absent.text.replaceAll('77', '3'))
    assert.equal((await root.get('/tasks')).body.meta?.count, 6)
    assertForbidden(await ada.post('/users', { data: { type: 'users', attributes: {} } }))
    const nested = await ada.post('/projects/3/tasks', task({ title: 'n' }))
    assert.equal(nested.status, 404)
  })

  it('reject every create of a type, after the resource in the path is found', async () => {
    const user = { data: { type: 'users', attributes: {} } }
    for (const _ of [1, 2, 3]) {
      assertForbidden(await ada.post('/projects/1/members', user))
      assert.equal((await ada.post('/projects/3/members', user)).status, 404)
    }
    // No transaction is left open.
    assert.equal((await ada.patch('/tasks/1', task({ title: 'x' }, {}, '1'))).status, 200)
  })

  it('reject deletions', async () => {
    assertForbidden(await ada.delete('/tasks/1'))
    assert.equal((await ada.delete('/tasks/3')).status, 404)
    assertForbidden(await ben.delete('/projects/1'))
    assert.equal((await ben.delete('/projects/3')).status, 404)
    assert.equal((await ben.delete('/projects/2')).status, 200)
    assert.equal((await root.get('/projects')).body.meta?.count, 2)
  })

  it('apply to a relationship from either side', async () => {
    const member = (id: string) => ({ data: [{ type: 'tasks', id }] })
    // Task 2 is assigned to Ben: Ada cannot move it from either side.
    assertForbidden(await ada.patch('/tasks/2/relationships/project', to('projects', null)))
    assertForbidden(await ada.delete('/projects/1/relationships/tasks', member('2')))
    assertForbidden(await ada.patch('/projects/1/relationships/tasks', { data: [] }))
    assertForbidden(await ada.post('/users/1/relationships/tasks', member('2')))
    assert.equal((await ada.post('/users/1/relationships/tasks', member('4'))).status, 404)
    assert.equal((await ada.delete('/projects/1/relationships/tasks', member('1'))).status, 200)
    const { one } = await root.get('/projects/1?fields[projects]=tasks')
    assert.deepEqual(one.relationships?.tasks?.data, [{ type: 'tasks', id: '2' }])
    // Members are a join table: both the project and the user must match their rules for updates.
    const user = (id: string) => ({ data: [{ type: 'users', id }] })
    assertForbidden(await ben.post('/projects/1/relationships/members', user('3')))
    assertForbidden(await ada.post('/projects/1/relationships/members', user('3')))
    const project = { data: [{ type: 'projects', id: '1' }] }
    assertForbidden(await ben.post('/users/2/relationships/projects', project))
    assert.equal((await root.post('/projects/1/relationships/members', user('3'))).status, 200)
  })

  it('of a relationship reject a write to its URL, after the resource in the path is found', async () => {
    const mentor = to('users', '2')
    assertForbidden(
      await ada.patch('/users/1/relationships/mentor', mentor),
      'The access rules do not allow you to link this resource of type users.',
    )
    assert.equal((await ada.patch('/users/77/relationships/mentor', mentor)).status, 404)
    assert.equal((await root.patch('/users/1/relationships/mentor', mentor)).status, 200)
  })

  it('leave links to hidden rows alone', async () => {
    // The home of Ada is a project that she may not read: she sees null, and sends it back.
    const echo = { data: { type: 'users', id: '1', relationships: { home: to('projects', null) } } }
    assert.equal((await ada.patch('/users/1', echo)).status, 200)
    const { body } = await root.get('/users/1/relationships/home')
    assert.deepEqual(body.data, { type: 'projects', id: '3' })
    // Task 4 is assigned to Ada in a project that she may not read.
    await fixture.execute('update tasks set assignee_id = 9 where id = 4')
    const cleared = await root.patch('/users/9/relationships/tasks', { data: [] })
    assert.equal(cleared.status, 200)
    assert.deepEqual((await root.get('/users/9/tasks')).body.meta?.count, 0)
  })

  it('answer with the identifier only, when the row is no longer readable', async () => {
    const admin = await root.patch('/tasks/1', task({}, { project: to('projects', '3') }, '1'))
    assert.equal(admin.status, 200)
    const moved = await ada.get('/tasks/1')
    assert.equal(moved.status, 404)
    await fixture.execute('update tasks set project_id = 1, assignee_id = 1 where id = 1')
    const lost = await ada.patch(
      '/tasks/1',
      task({ title: 'z' }, { project: to('projects', null) }, '1'),
    )
    assert.equal(lost.status, 200)
    assert.deepEqual(lost.one, { type: 'tasks', id: '1', links: { self: '/tasks/1' } })
    assert.equal((await ada.get('/tasks/1')).status, 404)
  })

  it('reject values of fields, and set values from the auth context', async () => {
    const user = (attributes: object) => ({ data: { type: 'users', id: '1', attributes } })
    const hidden = await ada.patch('/users/1', user({ salary: 1 }))
    const absent = await ada.patch('/users/1', user({ sxxxxx: 1 }))
    assert.equal(hidden.status, 422)
    assert.equal(hidden.text, absent.text.replaceAll('sxxxxx', 'salary'))
    assert.equal((await root.patch('/users/1', user({ salary: 7 }))).status, 200)
    const project = (relationships: object) => ({
      data: { type: 'projects', attributes: { name: 'New' }, relationships },
    })
    const created = await root.post('/projects?include=owner', project({}))
    assert.equal(created.status, 201)
    assert.deepEqual(created.one.relationships?.owner?.data, { type: 'users', id: '9' })
    const forged = await ada.post('/projects', project({ owner: to('users', '2') }))
    assertForbidden(forged, 'The server sets "owner"; remove it.')
    assert.equal(forged.error.source?.pointer, '/data/relationships/owner')
    // Nobody is a member of a new project.
    const unseen = await ada.post('/projects', project({}))
    assert.equal(unseen.status, 201)
    assert.deepEqual(unseen.one, {
      ...{ type: 'projects', id: unseen.one.id },
      links: { self: `/projects/${unseen.one.id}` },
    })
  })
})

const { auth, defineModel, resource } = declare<{ auth: number }>()
const isMe = { filter: [{ name: 'id', op: 'eq', val: auth((id) => id) }] } as const

/** Users change and delete themselves only. Vaults, which nobody reads, reference some of them. */
const guarded = {
  model: defineModel([
    resource('users', {
      ...{ path: '/users', table: 'usr' },
      access: { read: true, update: isMe, delete: isMe },
      fields: {
        email: attribute(text),
        age: attribute(integer),
        team: toOne('teams', { column: 'team_id' }),
      },
    }),
    resource('teams', {
      ...{ path: '/teams', table: 'team', access: { read: true } },
      fields: { users: toMany('users', { column: 'team_id' }) },
    }),
    resource('vaults', {
      ...{ path: '/vaults', table: 'vault', access: { read: false, delete: false } },
      fields: { user: toOne('users', { column: 'usr_id' }) },
    }),
  ]),
  tables: ({ newId }: ColumnTypes) => `
    create table team (id ${newId});
    create table usr (id ${newId}, email varchar(20) unique, age integer check (age < 100),
      team_id integer unique references team (id));
    create table vault (id ${newId}, usr_id integer references usr (id));
    create index vault_user on vault (usr_id);
    insert into team (id) values (1), (2);
    insert into usr (id, email, team_id) values (5, 'five', null), (6, 'six', 1), (7, 'seven', null);
    insert into vault (id, usr_id) values (1, 6)`,
  server: { authenticate: () => 7 },
}

engine('Writes that a rule denies and a constraint rejects', guarded, (app) => {
  const user = (attributes: object) => ({ data: { type: 'users', id: '6', attributes } })
  const team = (id: string) => ({ data: { type: 'teams', id } })
  const users = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'users', id })) })

  /** The denied write, the same without a violated constraint, and the reported operation. */
  const cases = [
    ['a foreign key of a hidden row', ['DELETE', '/users/6'], ['DELETE', '/users/5'], 'delete 6'],
    [
      'a unique value',
      ['PATCH', '/users/6', user({ email: 'five' })],
      ['PATCH', '/users/6', user({ email: 'free' })],
      'update 6',
    ],
    [
      'a check',
      ['PATCH', '/users/6', user({ age: 100 })],
      ['PATCH', '/users/6', user({ age: 1 })],
      'update 6',
    ],
    [
      'a unique key',
      ['PATCH', '/users/5/relationships/team', team('1')],
      ['PATCH', '/users/5/relationships/team', team('2')],
      'update 5',
    ],
    [
      'a unique key of a member',
      ['POST', '/teams/1/relationships/users', users('5')],
      ['POST', '/teams/2/relationships/users', users('5')],
      'update undefined',
    ],
  ] as const
  for (const [what, [method, path, body], [, freePath, freeBody], operation] of cases)
    it(`given ${what}, when ${method} ${path} is denied, then the response and the event are those without it`, async () => {
      const events: string[] = []
      const listen = (message: unknown) => {
        const { operation, id } = message as { operation: string; id?: string }
        events.push(`${operation} ${id}`)
      }
      channel('lapidary:access-denied').subscribe(listen)
      const denied = await app.call(method, path, { body })
      channel('lapidary:access-denied').unsubscribe(listen)
      assert.deepEqual([denied.status, denied.error.code], [403, 'forbidden'], denied.text)
      assert.equal(denied.text, (await app.call(method, freePath, { body: freeBody })).text)
      assert.deepEqual(events, [operation])
    })

  it('given the right and a foreign key of a hidden row, when a resource is deleted, then the response is 409', async () => {
    await app.execute('insert into vault (id, usr_id) values (2, 7)')
    const { status, error } = await app.delete('/users/7')
    assert.deepEqual([status, error.code], [409, 'constraint_conflict'])
  })
})
