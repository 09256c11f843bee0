import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  action,
  attribute,
  computed,
  defineModel,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import { statementsOf } from '../service/statements.ts'
import type { TestResponse } from '../test-response.ts'
import { engine } from './engine.ts'

const person = resource('person', {
  path: '/persons',
  table: 'person',
  fields: {
    name: attribute(text, { required: true }),
    password: attribute(text, { access: 'write-only' }),
    initial: computed(text, { name: text }, ({ name }) => String(name).slice(0, 1)),
    computers: toMany('computer', { column: 'person_id' }),
    groups: toMany('team', { through: { table: 'membership', from: 'person_id', to: 'team_id' } }),
  },
  actions: {
    rename: action({
      on: 'resource',
      run: async ({ id, tx }) => {
        await tx.update('person', id, { name: 'Renamed' })
      },
    }),
  },
})
const computer = resource('computer', {
  path: '/computers',
  table: 'computer',
  fields: {
    serial: attribute(text, { required: true }),
    owner: toOne('person', { column: 'person_id' }),
  },
})
const team = resource('team', { path: '/teams', table: 'team', fields: {} })
/** Its version is a column. */
const order = resource('order', {
  path: '/orders',
  table: 'purchase',
  version: 'row_version',
  conditions: 'required',
  versions: 'always',
  cache: { maxAge: 60, staleWhileRevalidate: 30 },
  fields: {
    status: attribute(text),
    customer: toOne('person', { column: 'person_id' }),
  },
})
const ticket = resource('ticket', {
  path: '/tickets',
  table: 'ticket',
  id: { kind: uuid, client: 'optional' },
  fields: { title: attribute(text) },
})

const served = {
  model: defineModel([person, computer, team, order, ticket]),
  tables: ({ newId, id, uuid }: ColumnTypes) => `
    create table person (id ${newId}, name text not null, password text);
    create table computer (id ${newId}, serial text not null, person_id ${id} references person (id));
    create table team (id ${newId});
    create table membership (person_id ${id} not null references person (id), team_id ${id} not null references team (id));
    create table purchase (id ${newId}, status text, person_id ${id}, row_version integer not null default 1);
    create table ticket (id ${uuid} primary key, title text);
    insert into person (name, password) values ('Ada', 'a'), ('Bob', 'b');
    insert into computer (serial, person_id) values ('a', 1), ('b', 1), ('c', null);
    insert into team (id) values (1), (2);
    insert into membership values (1, 1);
    insert into purchase (status, person_id) values ('open', 1)`,
}

const rename = (name: string) => ({ data: { type: 'person', id: '1', attributes: { name } } })
const identify = (type: string, ...ids: string[]) => ({ data: ids.map((id) => ({ type, id })) })
const tagOf = ({ headers }: TestResponse): string => String(headers.etag ?? '')
const versionOf = (response: TestResponse): string => tagOf(response).slice(1).split('.')[0] ?? ''
const codesOf = ({ body }: TestResponse) => body.errors?.map(({ code }) => code)

engine('Conditional requests', served, (app) => {
  const send = (method: string, path: string, ifMatch: string, body?: unknown) =>
    app.call(method, path, {
      headers: { 'if-match': ifMatch },
      ...(body !== undefined && { body }),
    })

  it('an update with an outdated version is rejected, and says the present one', async () => {
    const seen = tagOf(await app.get('/persons/1'))
    const updated = await send('PATCH', '/persons/1', seen, rename('Ada L.'))
    assert.equal(updated.status, 200)
    const late = await send('PATCH', '/persons/1', seen, rename('Lost'))
    assert.deepEqual([late.status, codesOf(late)], [412, ['version_conflict']])
    assert.equal(late.body.errors?.[0]?.meta?.version, versionOf(updated))
    assert.equal(tagOf(await app.get('/persons/1')), tagOf(updated))
  })

  it('the tag of every representation has the version: fieldsets, includes, writes', async () => {
    const versions = new Set<string>()
    for (const query of [
      {},
      { 'fields[person]': 'name' },
      { include: 'computers' },
      { withVersions: 'true' },
    ])
      versions.add(versionOf(await app.get('/persons/1', query)))
    versions.add(versionOf(await app.patch('/persons/1', rename('Ada'))))
    assert.equal(versions.size, 1)
  })

  it('the version changes with each stored value of the row, and with nothing else', async () => {
    const read = async (path: string) => versionOf(await app.get(path))
    const before = await read('/persons/1')
    await app.execute("update computer set serial = 'x' where id = 1")
    assert.equal(await read('/persons/1'), before)
    await app.execute("update person set password = 'c' where id = 1")
    const after = await read('/persons/1')
    assert.notEqual(after, before)
    const computerBefore = await read('/computers/1')
    await app.execute('update computer set person_id = 2 where id = 1')
    assert.notEqual(await read('/computers/1'), computerBefore)
    assert.notEqual(await read('/persons/2'), after)
  })

  for (const [tags, status] of [
    ['*', 200],
    ['"other", "<version>"', 200],
    ['"<version>.of-another"', 200],
    [',, "<version>" ,', 200],
    ['"<version>x"', 412],
    ['W/"<version>"', 412],
    ['""', 412],
    ['<version>', 400],
    ['*, "<version>"', 400],
    ['"<version>', 400],
    ['', 400],
    [',', 400],
  ] as const)
    it(`If-Match: ${tags} is ${status}`, async () => {
      const version = versionOf(await app.get('/persons/1'))
      const ifMatch = tags.replace('<version>', version)
      const response = await send('PATCH', '/persons/1', ifMatch, rename('Eve'))
      assert.equal(response.status, status, response.text)
    })

  it('a deletion, an action and a write with a column as version are conditional', async () => {
    const seen = tagOf(await app.get('/persons/2'))
    await app.execute("update person set name = 'Bert' where id = 2")
    assert.equal((await send('DELETE', '/persons/2', seen)).status, 412)
    assert.equal((await send('POST', '/persons/2/actions/rename', seen, { meta: {} })).status, 412)
    const now = tagOf(await app.get('/persons/2'))
    assert.equal((await send('POST', '/persons/2/actions/rename', now, { meta: {} })).status, 200)
    assert.equal((await send('DELETE', '/persons/2', now)).status, 412)
    assert.equal((await send('DELETE', '/persons/2', '*')).status, 200)
    assert.equal((await send('DELETE', '/persons/2', '*')).status, 404)
  })

  it('a type that requires conditions: 428, versions in every document, increments', async () => {
    const body = { data: { type: 'order', id: '1', attributes: { status: 'sent' } } }
    const first = await app.get('/orders')
    const version = String(first.many[0]?.meta?.version)
    for (const method of ['PATCH', 'DELETE']) {
      const refused = await app.call(method, '/orders/1', method === 'PATCH' ? { body } : {})
      assert.deepEqual([refused.status, codesOf(refused)], [428, ['condition_required']])
    }
    assert.equal((await app.call('DELETE', '/orders/7')).status, 404)
    const updated = await send('PATCH', '/orders/1', `"${version}"`, body)
    assert.equal(updated.status, 200)
    // The same values again are another version.
    const again = await send('PATCH', '/orders/1', tagOf(updated), body)
    assert.notEqual(versionOf(again), versionOf(updated))
    const clear = await send('PATCH', '/orders/1/relationships/customer', '*', { data: null })
    assert.equal(clear.status, 200, clear.text)
    assert.notEqual(versionOf(await app.get('/orders/1')), versionOf(again))
    assert.equal(first.headers['cache-control'], 'max-age=60, stale-while-revalidate=30')
  })

  for (const [name, type] of [
    ['computers', 'computer'],
    ['groups', 'team'],
  ] as const)
    it(`who has seen a part of ${name} cannot replace the whole`, async () => {
      const path = `/persons/1/relationships/${name}`
      const whole = tagOf(await app.get(path))
      const part = tagOf(await app.get(path, { 'page[size]': '1' }))
      assert.equal((await send('PATCH', path, part, identify(type, '2'))).status, 412)
      assert.equal(
        (await app.post(path, identify(type, '2', ...(type === 'computer' ? ['3'] : [])))).status,
        200,
      )
      const late = await send('PATCH', path, whole, identify(type))
      assert.deepEqual([late.status, codesOf(late)], [412, ['version_conflict']])
      const now = tagOf(await app.get(path))
      assert.ok(now.startsWith(`"${late.body.errors?.[0]?.meta?.version}.`))
      assert.equal((await send('PATCH', path, now, identify(type))).status, 200)
      assert.equal((await send('DELETE', path, now, identify(type, '1'))).status, 412)
    })

  it('If-None-Match: * creates only what does not exist', async () => {
    const id = '5d1ad4d3-3d8c-4a7a-9f35-0a4f3b2b3f10'
    const body = { data: { type: 'ticket', id, attributes: { title: 'a' } } }
    const create = () => app.call('POST', '/tickets', { body, headers: { 'if-none-match': '*' } })
    const created = await create()
    assert.equal(created.status, 201)
    assert.equal(tagOf(await app.get(`/tickets/${id}`)), tagOf(created))
    const again = await create()
    assert.deepEqual([again.status, codesOf(again)], [412, ['already_exists']])
    assert.equal(again.body.errors?.[0]?.meta?.version, versionOf(created))
    const late = await app.call('POST', '/tickets', {
      body,
      headers: { 'if-none-match': '*', prefer: 'max-affected=5' },
    })
    assert.equal(late.body.errors?.[0]?.meta?.version, versionOf(created))
    const update = await app.call('PATCH', `/tickets/${id}`, {
      body,
      headers: { 'if-none-match': '*' },
    })
    assert.deepEqual([update.status, codesOf(update)], [412, ['already_exists']])
    assert.equal((await send('POST', '/tickets', '"a"', body)).status, 412)
  })

  for (const path of ['/', '/persons', '/persons/1', '/persons/1/computers', '/computers/1/owner'])
    it(`GET ${path} with its tag is 304, without a body`, async () => {
      const first = await app.get(path)
      for (const tag of [tagOf(first), `W/${tagOf(first)}`, `"a", ${tagOf(first)}`, '*'])
        for (const method of ['GET', 'HEAD']) {
          const response = await app.call(method, path, { headers: { 'if-none-match': tag } })
          assert.deepEqual([response.status, response.text], [304, ''], tag)
          assert.equal(tagOf(response), tagOf(first))
          assert.equal(response.headers.vary, first.headers.vary)
          assert.equal(response.headers['cache-control'], 'no-cache')
        }
      for (const tag of ['"a"', 'a', '"', ''])
        assert.equal(
          (await app.call('GET', path, { headers: { 'if-none-match': tag } })).status,
          200,
        )
    })

  it('the order of checks: 404, then 412, then the errors of the document', async () => {
    const invalid = { data: { type: 'person', id: '1', attributes: { name: 1, nothing: 2 } } }
    assert.equal((await send('PATCH', '/persons/9', '"a"', rename('Eve'))).status, 404)
    assert.equal((await send('PATCH', '/persons/1', '"a"', invalid)).status, 412)
    assert.equal((await send('PATCH', '/persons/1', '*', invalid)).status, 422)
    const path = '/persons/1/relationships/computers'
    assert.equal((await send('PATCH', path, '"a"', identify('computer', '99'))).status, 412)
    assert.equal((await send('PATCH', path, '*', identify('computer', '99'))).status, 404)
  })

  it('a condition adds a lock and the read of the version, in the batch of the write', async () => {
    const seen = tagOf(await app.get('/persons/1'))
    const plain = await statementsOf(() => app.patch('/persons/1', rename('A')))
    const now = tagOf(await app.get('/persons/1'))
    const conditional = await statementsOf(() => send('PATCH', '/persons/1', now, rename('B')))
    assert.equal(conditional.length, plain.length + 1)
    assert.notEqual(seen, now)
  })
})

const visit = resource('visit', {
  path: '/visits',
  table: 'visit',
  version: 'xmin',
  fields: { note: attribute(text), person: toOne('visitor', { column: 'person_id' }) },
})
const visitor = resource('visitor', {
  path: '/visitors',
  table: 'visitor',
  version: 'xmin',
  fields: { name: attribute(text), visits: toMany('visit', { column: 'person_id' }) },
})

engine(
  'Versions that PostgreSQL counts',
  {
    only: 'postgres',
    model: defineModel([visit, visitor]),
    tables: `
      create table visitor (id bigint generated always as identity primary key, name text, seen text);
      create table visit (id bigint generated always as identity primary key, note text, person_id bigint references visitor (id));
      insert into visitor (name) values ('Ada');
      insert into visit (note, person_id) values ('first', 1);`,
  },
  (app) => {
    const versionOf = async (query?: Record<string, string>) => {
      const { headers } = await app.get('/visitors/1', query)
      const [, version = ''] = /^"([\w-]{22})\./.exec(headers.etag ?? '') ?? []
      assert.notEqual(version, '')
      return version
    }
    const rename = (version: string) =>
      app.call('PATCH', '/visitors/1', {
        headers: { 'If-Match': `"${version}"` },
        body: { data: { type: 'visitor', id: '1', attributes: { name: 'Ada Allen' } } },
      })

    it('are the same in every document of a row, and change with a column without a field', async () => {
      const version = await versionOf()
      assert.equal(await versionOf({ include: 'visits', 'fields[visitor]': 'visits' }), version)
      await app.execute(`update visitor set seen = 'today'`)
      const refused = await rename(version)
      assert.deepEqual([refused.status, refused.error.code], [412, 'version_conflict'])
      const current = await versionOf()
      assert.notEqual(current, version)
      assert.equal((await rename(current)).status, 200)
      assert.notEqual(await versionOf(), current)
    })
  },
)
