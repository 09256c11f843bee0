import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  boolean,
  date,
  datetime,
  decimal,
  defineModel,
  enumeration,
  integer,
  resource,
  storedAs,
  text,
  time,
  toMany,
  toOne,
} from 'lapidary'
import { databases } from '../../databases.ts'
import { filled } from '../../filled.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

const channel = enumeration(['mail', 'a,b~', 'push'])
const columns = ['channel', 'is_on', 'person_id'] as const

const person = resource('person', {
  path: '/persons',
  table: 'person',
  fields: {
    name: attribute(text),
    settings: toMany('setting', { column: 'person_id', access: 'read-only' }),
  },
})
/** A key that begins with an enumeration, which is an enum type on PostgreSQL. */
const setting = resource('setting', {
  path: '/settings',
  table: 'setting',
  id: { column: columns, kind: [channel, boolean, integer] },
  fields: {
    channel: attribute(channel, { required: true }),
    is_on: attribute(boolean, { required: true }),
    level: attribute(integer),
    person: toOne('person', { column: 'person_id' }),
    notes: toMany('note', { column: columns }),
  },
})
const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { text: attribute(text), setting: toOne('setting', { column: columns }) },
})
const mood = resource('mood', {
  path: '/moods',
  table: 'mood',
  id: { column: 'name', kind: channel, client: 'required' },
  fields: { rank: attribute(integer), people: toMany('fan', { column: 'mood' }) },
})
const fan = resource('fan', {
  path: '/fans',
  table: 'fan',
  fields: { mood: toOne('mood', { column: 'mood' }) },
})
/** A table with one row. */
const options = resource('options', {
  path: '/options',
  table: 'options',
  id: { column: 'is_only', kind: boolean },
  fields: { title: attribute(text) },
})
const epoch = storedAs(datetime, 'epoch-seconds')
const event = resource('event', {
  path: '/events',
  table: 'event',
  id: { column: 'at', kind: epoch, client: 'required' },
  fields: { title: attribute(text) },
})

const served = {
  model: defineModel([person, setting, note, mood, fan, options, event]),
  tables: ({ newId, id, boolean: bool }: Record<string, string>, dialect: string) => {
    const isPostgres = dialect === 'postgres'
    const type = isPostgres ? 'channel' : 'text'
    return `
    ${isPostgres ? "create type channel as enum ('mail', 'a,b~', 'push');" : ''}
    create table person (id ${newId}, name text);
    create table setting (channel ${type} not null, is_on ${bool} not null, person_id ${id} not null references person (id),
      level integer, primary key (channel, is_on, person_id));
    create index setting_person on setting (person_id);
    create table note (id ${newId}, text text, channel ${type}, is_on ${bool}, person_id ${id},
      foreign key (channel, is_on, person_id) references setting (channel, is_on, person_id));
    create index note_setting on note (channel, is_on, person_id);
    create table mood (name ${type} not null primary key, rank integer);
    create table fan (id ${newId}, mood ${type} references mood (name));
    create index fan_mood on fan (mood);
    create table options (is_only ${bool} not null primary key default ${isPostgres ? 'true' : '1'}, title text);
    create table event (at ${id} not null primary key, title text);
    insert into person (name) values ('Ada'), ('Bob');
    insert into setting values ('mail', ${isPostgres ? 'true' : '1'}, 1, 5), ('a,b~', ${isPostgres ? 'false' : '0'}, 2, 6);
    insert into note (text, channel, is_on, person_id) values ('n', 'a,b~', ${isPostgres ? 'false' : '0'}, 2);
    insert into mood values ('push', 1), ('a,b~', 2);
    insert into fan (mood) values ('push'), ('a,b~'), (null);
    insert into event values (0, 'epoch'), (1700000000, 'later')`
  },
}

const ids = ({ many }: TestResponse) => many.map(({ id }) => id)
const identify = (type: string, id: string) => ({ type, id })

engine('Ids of further kinds', served, (app) => {
  it('have one text in documents, paths, filters and linkage', async () => {
    const all = ['a~1b~0,false,2', 'mail,true,1']
    assert.deepEqual(ids(await app.get('/settings')), all)
    for (const id of all) {
      assert.equal((await app.get(`/settings/${id}`)).one.id, id)
      assert.deepEqual(ids(await app.get('/settings', { 'filter[id]': id })), [id])
      assert.deepEqual(
        ids(await app.get('/settings', { filter: [{ name: 'id', op: 'in_', val: [id] }] })),
        [id],
      )
    }
    for (const id of ['mail,1,1', 'fax,true,1', 'mail,true', 'mail,TRUE,1'])
      assert.equal((await app.get(`/settings/${id}`)).status, 404, id)
    const { included = [] } = (await app.get('/persons', { include: 'settings.notes' })).body
    assert.deepEqual(included.map(({ type, id }) => `${type} ${id}`).toSorted(), [
      'note 1',
      'setting a~1b~0,false,2',
      'setting mail,true,1',
    ])
    const back = await app.get('/notes', { include: 'setting' })
    assert.deepEqual(back.many[0]?.relationships?.setting?.data, identify('setting', all[0] ?? ''))
    assert.deepEqual(ids(await app.get('/settings/a~1b~0,false,2/notes')), ['1'])
    assert.deepEqual(ids(await app.get('/settings', { sort: '-id' })), all.toReversed())
  })

  it('are written by their fields, by clients and through relationships', async () => {
    const attributes = { channel: 'push', is_on: true, level: 1 }
    const relationships = { person: { data: identify('person', '1') } }
    const created = await app.post('/settings', {
      data: {
        type: 'setting',
        attributes,
        relationships: { ...relationships, notes: { data: [identify('note', '1')] } },
      },
    })
    assert.equal(created.status, 201)
    assert.equal(created.one.id, 'push,true,1')
    assert.deepEqual(ids(await app.get('/settings/push,true,1/notes')), ['1'])
    const path = '/settings/push,true,1'
    const changed = await app.patch(path, {
      data: { type: 'setting', id: 'push,true,1', attributes: { level: 9 } },
    })
    assert.equal(changed.one.attributes?.level, 9)
    const other = await app.patch(path, {
      data: { type: 'setting', id: 'push,true,1', attributes: { is_on: false } },
    })
    assert.equal(other.status, 422)
    const link = { data: identify('setting', 'mail,true,1') }
    assert.equal((await app.patch('/notes/1/relationships/setting', link)).status, 200)
    assert.deepEqual(ids(await app.get('/settings/mail,true,1/notes')), ['1'])
    assert.equal((await app.delete(path)).status, 200)
    assert.equal((await app.get(path)).status, 404)
  })

  it('may be enumerations of one column', async () => {
    assert.deepEqual(ids(await app.get('/moods')), ['a,b~', 'push'])
    assert.equal((await app.get('/moods/a,b~')).one.attributes?.rank, 2)
    assert.equal((await app.get('/moods/fax')).status, 404)
    assert.deepEqual(
      ids(await app.get('/moods', { filter: [{ name: 'id', op: 'in_', val: ['push', 'mail'] }] })),
      ['push'],
    )
    assert.deepEqual(
      ids(await app.get('/fans', { filter: [{ name: 'mood__id', op: 'eq', val: 'push' }] })),
      ['1'],
    )
    assert.deepEqual(ids(await app.get('/moods/push/people')), ['1'])
    const { included } = (await app.get('/fans', { include: 'mood' })).body
    assert.deepEqual(
      included?.map(({ id }) => id),
      ['a,b~', 'push'],
    )
    const people = { data: [identify('fan', '1'), identify('fan', '3')] }
    const created = await app.post('/moods', {
      data: { type: 'mood', id: 'mail', attributes: { rank: 3 }, relationships: { people } },
    })
    assert.equal(created.status, 201)
    assert.deepEqual(ids(await app.get('/moods/mail/people')), ['1', '3'])
    const same = await app.post('/moods', { data: { type: 'mood', id: 'mail' } })
    assert.equal(same.status, 409)
  })

  it('may be booleans and stored datetimes of one column', async () => {
    const created = await app.post('/options', {
      data: { type: 'options', attributes: { title: 'x' } },
    })
    assert.equal(created.status, 201)
    assert.equal(created.one.id, 'true')
    assert.equal((await app.get('/options/true')).one.attributes?.title, 'x')
    assert.equal((await app.get('/options/false')).status, 404)
    assert.deepEqual(ids(await app.get('/options', { 'filter[id]': 'true' })), ['true'])
    assert.deepEqual(ids(await app.get('/events')), [
      '1970-01-01T00:00:00Z',
      '2023-11-14T22:13:20Z',
    ])
    assert.equal((await app.get('/events/2023-11-14T22:13:20Z')).one.attributes?.title, 'later')
    const event = { type: 'event', id: '2030-01-01T00:00:00Z' }
    assert.equal((await app.post('/events', { data: event })).one.id, event.id)
  })
})

const postgresTypes = {
  decimal: [
    'numeric(38,0)',
    decimal({ precision: 38, scale: 0 }),
    ['7', '12345678901234567890123456789'],
  ],
  number: ['numeric', decimal(), ['-0.5', '7', 'Infinity', 'NaN']],
  time: ['time', time, ['09:30:00', '24:00:00']],
  datetime: ['timestamptz', datetime, ['2024-02-29T12:30:00.5Z', 'infinity']],
  day: ['date', date, ['0044-03-15 BC', '2024-02-29']],
} as const

engine(
  'Ids of kinds that only PostgreSQL stores in one spelling',
  {
    only: 'postgres',
    hasForeignValues: true,
    model: defineModel(
      Object.entries(postgresTypes).flatMap(([name, [, kind]]) => [
        resource(name, {
          path: `/${name}s`,
          table: `${name}_key`,
          id: { column: 'key', kind, client: 'required' },
          fields: {
            value: attribute(integer),
            linked: toMany(`${name}-link`, { column: 'other' }),
          },
        }),
        resource(`${name}-link`, {
          path: `/${name}-links`,
          table: `${name}_link`,
          fields: { other: toOne(name, { column: 'other' }) },
        }),
        resource(`${name}-pair`, {
          path: `/${name}-pairs`,
          table: `${name}_pair`,
          id: { column: ['key', 'n'], kind: [kind, integer], client: 'required' },
          fields: { value: attribute(integer) },
        }),
      ]),
    ),
    tables: Object.entries(postgresTypes)
      .map(
        ([name, [type, , values]]) => `
      create table ${name}_key (key ${type} primary key, value integer);
      create table ${name}_link (id bigint generated by default as identity primary key, other ${type} references ${name}_key (key));
      create index on ${name}_link (other);
      create table ${name}_pair (key ${type} not null, n integer not null, value integer, primary key (key, n));
      insert into ${name}_key (key) values ${values.map((value) => `('${value}')`).join()};
      insert into ${name}_pair (key, n) select key, 1 from ${name}_key;
      insert into ${name}_link (other) select key from ${name}_key order by key`,
      )
      .join(';'),
  },
  (app) => {
    for (const [name, [, , values]] of Object.entries(postgresTypes))
      it(`have one text each: ${name}`, async () => {
        assert.deepEqual(ids(await app.get(`/${name}s`)).toSorted(), [...values].toSorted())
        assert.deepEqual(
          ids(await app.get(`/${name}-pairs`)).toSorted(),
          values.map((value) => `${value},1`).toSorted(),
        )
        for (const value of values) {
          const path = `/${name}s/${encodeURIComponent(value)}`
          assert.equal((await app.get(path)).one.id, value)
          assert.deepEqual(ids(await app.get(`/${name}s`, { 'filter[id]': value })), [value])
          const pair = `${value},1`
          assert.equal((await app.get(`/${name}-pairs/${encodeURIComponent(pair)}`)).one.id, pair)
          assert.equal((await app.get(`${path}/linked`)).many.length, 1)
          const patched = await app.patch(path, {
            data: { type: name, id: value, attributes: { value: 3 } },
          })
          assert.equal(patched.one.attributes?.value, 3)
        }
        const links = await app.get(`/${name}-links`, { include: 'other' })
        assert.deepEqual(
          links.many.map(({ relationships }) => relationships?.other?.data),
          values.map((value) => identify(name, value)),
        )
        assert.equal((await app.get(`/${name}s/x`)).status, 404)
      })
  },
)

describe('Kinds that cannot be ids', () => {
  for (const database of databases)
    it(`are reported at the start: ${database.name}`, async (test) => {
      const isPostgres = database.dialect === 'postgres'
      const url = await filled(
        test,
        database,
        isPostgres
          ? `create type size as enum ('S', 'L'); create table a (id size primary key)`
          : 'create table a (id time primary key not null)',
      )
      const kind = isPostgres ? enumeration(['S', 'M']) : time
      const model = defineModel([
        resource('a', { path: '/a', table: 'a', id: { kind, client: 'required' }, fields: {} }),
      ])
      const store = await openStore(model, url)
      test.after(() => store.close())
      await assert.rejects(
        store.verify(),
        isPostgres
          ? /a\.id: the enumeration must have the values of the type of "id"; only one of them has "L", "M"/
          : /a\.id: time cannot be part of an id on this database/,
      )
    })
})
