import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import {
  attribute,
  declare,
  explainAccess,
  listAccess,
  type Store,
  sql,
  text,
  toOne,
} from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { engine, openStore } from '../engine/engine.ts'
import { tenancy, type User } from '../engine/tenancy.ts'

const person = (id: string) => ({ type: 'users', id })
const project = (id: string) => ({ type: 'projects', id })
const task = (id: string, attributes: object, relationships?: object) => ({
  data: { type: 'tasks', id, attributes, relationships },
})
const to = (data: unknown) => ({ data })

/** Requests that read and write over every kind of path; `undefined`: without a body. */
const requests: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/tasks'],
  ['GET', '/tasks/1?include=project.members'],
  ['GET', '/tasks/3'],
  ['GET', '/tasks/99'],
  ['GET', '/projects/2/tasks?sort=project.name'],
  ['GET', '/projects/2/relationships/members'],
  ['GET', '/tasks/1/project'],
  ['GET', '/users?filter[salary]=100'],
  ['GET', '/users?sort=bonus'],
  ['GET', '/users?filter[projects__name]=Apollo'],
  ['PATCH', '/tasks/1', task('1', { title: 'x' })],
  ['PATCH', '/tasks/2', task('2', { title: 'x' })],
  ['PATCH', '/tasks/3', task('3', { title: 'x' })],
  ['PATCH', '/tasks/1', task('1', {}, { project: to(project('3')) })],
  ['PATCH', '/users/1', { data: { ...person('1'), attributes: { name: 'x' } } }],
  ['PATCH', '/users/1', { data: { ...person('1'), attributes: { salary: 5 } } }],
  ['PATCH', '/projects/2', { data: { ...project('2'), attributes: { name: 'x' } } }],
  ['PATCH', '/tasks/1/relationships/assignee', to(person('2'))],
  ['POST', '/projects/1/relationships/members', to([person('3')])],
  ['DELETE', '/projects/2/relationships/members', to([person('2')])],
  ['PATCH', '/users/1/relationships/mentor', to(person('2'))],
  ['PATCH', '/users/77/relationships/mentor', to(person('2'))],
  ['POST', '/users', { data: { type: 'users', attributes: { name: 'x' } } }],
  ['POST', '/projects', { data: { type: 'projects', attributes: { name: 'x' } } }],
  ['POST', '/projects', { data: { type: 'projects', relationships: { owner: to(person('2')) } } }],
  ['DELETE', '/tasks/1'],
  ['DELETE', '/projects/2'],
  ['DELETE', '/projects/3'],
]

const toAuth = (user: string): User | undefined => {
  const [id = '', role = ''] = user.split(':')
  return id === '' ? undefined : { id, role }
}

engine('The explanation of access rules', { ...tenancy, isLongOnOthers: true }, (app) => {
  let store: Store
  // The database exists only while a test runs.
  beforeEach(async () => {
    store ??= await openStore(tenancy.model, app.databaseUrl)
  })
  after(() => store?.close())
  const explain = (line: string, user: string, body?: unknown) =>
    explainAccess({ model: tenancy.model, store }, line, { auth: toAuth(user), body })

  for (const user of ['1:member', '9:admin', ''])
    it(`says what a request of ${user || 'nobody'} will answer, and writes nothing`, async () => {
      const call = (method: string, path: string, body?: object) =>
        app.call(method, path, { body, headers: { 'x-user': user || undefined } })
      let denied = 0
      for (const [method, path, body] of requests) {
        const explained = await explain(`${method} ${path}`, user, body)
        const { status } = await call(method, path, body)
        const isConditional = explained.rules.some(
          ({ effect }) => effect === 'checked after the write',
        )
        if (explained.status === undefined)
          assert.ok(status < 400 || (isConditional && status === 403), `${path}: ${status}`)
        else {
          assert.equal(explained.status, status, `${method} ${path}`)
          denied += 1
        }
      }
      assert.ok(denied >= 2)
    })

  it('names the rule, its condition for the identity and its SQL for each part of a read', async () => {
    const { status, rules, hidden } = await explain(
      'GET /tasks/1?include=assignee&fields[tasks]=assignee',
      '1:member',
    )
    assert.equal(status, undefined)
    const filter = [{ name: 'project__members__id', op: 'eq', val: '1' }]
    const [own, included] = rules
    assert.deepEqual(
      {
        ...own,
        sql: undefined,
        parameters: own?.parameters.map((each) => Number(JSON.parse(each))),
      },
      {
        ...{ part: 'path', type: 'tasks', operation: 'read', rule: 'tasks.access.read' },
        ...{ rows: { filter }, sql: undefined, parameters: [1], effect: 'allowed' },
      },
    )
    assert.match(
      own?.sql ?? '',
      /^\("t0"\."project_id" is not null and "t0"\."project_id" in \(select/,
    )
    assert.deepEqual(included, {
      ...{ part: 'include assignee', type: 'users', operation: 'read', rule: 'users.access.read' },
      ...{ rows: true, parameters: [], effect: 'allowed' },
    })
    assert.deepEqual(hidden, { users: ['salary', 'bonus', 'label'] })
  })

  it('names the types of filters, sorts, linkage and paths', async () => {
    const { rules } = await explain(
      'GET /projects/1/tasks?sort=assignee.name&filter[project__owner__name]=Ada&fields[tasks]=project',
      '1:member',
    )
    assert.deepEqual(
      rules.map(({ part, type, effect }) => `${part}: ${type} ${effect}`),
      [
        'path: projects allowed',
        'data: tasks restricts',
        'linkage tasks.project: projects restricts',
        'filter tasks.project: projects restricts',
        'filter projects.owner: users allowed',
        'sort tasks.assignee: users allowed',
      ],
    )
  })

  it('explains both sides of a relationship, values that the server sets, and rules that the new row has to match', async () => {
    const members = await explain(
      'POST /projects/1/relationships/members',
      '1:member',
      to([person('3')]),
    )
    assert.deepEqual(
      members.rules.map(({ part, rule, effect }) => `${part}: ${rule} ${effect}`),
      [
        'path: projects.access.read allowed',
        '/data/0: users.access.read allowed',
        'path: projects.access.update allowed',
        '/data: users.access.update denied',
        'path: projects.access.update checked after the write',
      ],
    )
    const created = await explain('POST /projects', '1:member')
    assert.deepEqual([created.status, created.set], [undefined, { owner: '1' }])
    const conditional = await explain('POST /tasks', '1:member')
    assert.deepEqual(
      conditional.rules.map(({ rule, effect }) => `${rule} ${effect}`),
      ['tasks.access.create checked after the write'],
    )
  })

  for (const [title, body] of [
    ['without a body', undefined],
    ['with one', to(person('2'))],
  ] as const)
    it(`names the rule of a relationship that denies a write to its URL, ${title}`, async () => {
      const line = 'PATCH /users/1/relationships/mentor'
      const { status, errors } = await explain(line, '1:member', body)
      assert.equal(status, 403)
      assert.deepEqual(
        errors.map(({ rule }) => rule),
        ['users.fields.mentor.writable'],
      )
    })

  it('reports the errors of hidden names, and those of paths and methods', async () => {
    const { status, errors, hidden } = await explain('/users?filter[salary]=1', '1:member')
    assert.equal(status, 400)
    assert.match(errors[0]?.detail ?? '', /^filter\[salary\]: users has no field "salary"/)
    assert.deepEqual(hidden, { users: ['salary', 'bonus', 'label'] })
    const [field] = (await explain('PATCH /users/1', '9:admin', task('1', {}))).errors
    assert.equal(field?.code, 'type_conflict')
    await assert.rejects(explain('GET /nothing', '1:member'), { code: 'route_not_found' })
    await assert.rejects(explain('PUT /tasks/1', '1:member'), { code: 'method_not_allowed' })
  })
})

describe('The list of access rules', () => {
  it('has the rows of each operation and the rights to each field of an identity', () => {
    const [users, projects] = listAccess(tenancy.model, { id: '1', role: 'member' }, 'sqlite')
    assert.deepEqual(users?.operations, {
      read: true,
      create: false,
      update: { filter: [{ name: 'id', op: 'eq', val: '1' }] },
      delete: false,
    })
    assert.deepEqual(users.hidden, ['salary', 'bonus', 'label'])
    assert.deepEqual(users.fields[0], {
      ...{ name: 'name', read: true, write: true, filter: true, sort: true },
    })
    assert.deepEqual(projects?.operations.delete, { sql: '"owner_id" = ?', parameters: ['"1"'] })
    const owner = projects.fields.find(({ name }) => name === 'owner')
    assert.equal(owner?.set, '1')
    const [ofAdmin] = listAccess(tenancy.model, { id: '9', role: 'admin' })
    assert.deepEqual(ofAdmin?.hidden, [])
    const [anonymous] = listAccess(tenancy.model, undefined)
    assert.deepEqual(anonymous?.operations, {
      read: true,
      ...{ create: false, update: false, delete: false },
    })
  })

  it('has the tenant, combined rules, and types without rules', async () => {
    const { auth, resource, defineModel } = declare<{ auth: { id: string; org: string } }>()
    const me = auth(({ id }) => id)
    const own = { filter: [{ name: 'name', op: 'in_', val: [me, 'all'] }] }
    const doc = resource('doc', {
      path: '/docs',
      table: 'doc',
      access: {
        read: {
          any: [own, { sql: (column) => sql`${column('name')} = ${auth(({ org }) => org)}` }],
        },
        update: { all: [own, true, ({ id }) => id === 'a'] },
      },
      fields: {
        name: attribute(text, { writable: ({ id }: { id: string }) => id === 'b' }),
        shelf: toOne('shelf', {
          column: 'shelf_id',
          link: ({ id }: { id: string }) => id === 'a',
          unlink: false,
        }),
      },
    })
    const shelf = resource('shelf', {
      path: '/shelves',
      table: 'shelf',
      tenant: false,
      access: 'read-only',
      fields: { name: attribute(text) },
    })
    const tenant = { column: 'org', value: auth(({ org }) => org) }
    const model = defineModel([doc, shelf], { tenant, access: 'deny by default' })
    const [ofDoc, ofShelf] = listAccess(model, { id: 'a', org: 'x' })
    const filter = [{ name: 'name', op: 'in_', val: ['a', 'all'] }]
    assert.deepEqual(ofDoc, {
      type: 'doc',
      operations: {
        read: { any: [{ filter }, { sql: '"name" = $1', parameters: ['"x"'] }] },
        create: false,
        update: { filter },
        delete: false,
      },
      fields: [
        { name: 'name', read: true, write: false, filter: true, sort: true },
        {
          name: 'shelf',
          read: true,
          write: true,
          filter: true,
          sort: false,
          link: true,
          unlink: false,
        },
      ],
      hidden: [],
      tenant: { column: 'org', value: 'x' },
    })
    assert.deepEqual(ofShelf?.operations, {
      ...{ read: false, create: false, update: false, delete: false },
    })
    assert.equal(ofShelf.tenant, undefined)
    const store = openSqlite(model, ':memory:')
    await store.migrate([
      {
        version: 1,
        sql: "create table doc (id integer primary key, name, org, shelf_id); create table shelf (id integer primary key, name); insert into doc values (1, 'a', 'x', null), (2, 'a', 'y', null)",
      },
    ])
    const explain = (path: string) =>
      explainAccess({ model, store }, path, { auth: { id: 'a', org: 'x' } })
    assert.equal((await explain('/docs/1')).status, undefined)
    const other = await explain('/docs/2')
    assert.deepEqual([other.status, other.tenant], [404, { column: 'org', value: 'x' }])
    assert.equal((await explain('PATCH /docs/1')).status, undefined)
    await store.close()
  })
})
