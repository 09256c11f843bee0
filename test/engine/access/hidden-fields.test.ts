import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  computed,
  DeclarationError,
  declare,
  expression,
  type FieldRule,
  integer,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { describeApi } from 'lapidary/openapi'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

/** The identity of a request: the header field `x-user` is the role. */
interface User {
  readonly role: string
}

const { resource, defineModel, auth } = declare<{ auth: User | undefined }>()
const isLead = auth((user) => user?.role === 'lead')

const through = { table: 'member', from: 'person_id', to: 'team_id' } as const

const person = resource('person', {
  path: '/people',
  table: 'person',
  fields: {
    name: attribute(text),
    // Who may not read these may not write them.
    salary: attribute(integer, { readable: isLead }),
    pin: attribute(text, { readable: isLead, access: 'immutable' }),
    stars: attribute(integer, { readable: isLead, access: 'read-only' }),
    vault: attribute(text, { writable: isLead, access: 'write-only' }),
    founder: attribute(text, {
      ...{ readable: isLead, writable: true, access: 'immutable' },
      set: auth((user) => user?.role),
    }),
    // Everybody writes it.
    wish: attribute(text, { readable: isLead, writable: true }),
    // What shows the same values as a hidden field.
    twice: expression(integer, (column) => sql`${column('salary')} * 2`),
    label: computed(text, { salary: integer }, ({ salary }) => `${salary}`),
    chief: attribute(integer, { column: 'boss_id', access: 'read-only' }),
    halved: expression(integer, (column) => sql`${column('boss_id')} / 2`),
    word: computed(text, { boss_id: integer }, ({ boss_id }) => `${boss_id}`),
    boss: toOne('person', { column: 'boss_id' }),
    staff: toMany('person', { column: 'boss_id', readable: isLead, count: true }),
    juniors: toMany('person', { column: 'boss_id', access: 'read-only', count: true }),
    squads: toMany('team', { through, readable: isLead }),
    crews: toMany('team', { through, access: 'read-only', count: true }),
    // The key has the values of a hidden attribute.
    town: toOne('team', { column: 'town_code', references: 'code', access: 'read-only' }),
    postcode: attribute(text, { column: 'town_code', access: 'read-only' }),
  },
})
const team = resource('team', {
  path: '/teams',
  table: 'team',
  access: { read: true, create: false, update: false, delete: false },
  fields: {
    name: attribute(text),
    // Nobody writes a team, so that `writable` gives nobody a right.
    points: attribute(text, { readable: isLead, writable: true }),
    grade: attribute(text, { column: 'code', readable: isLead }),
    mates: toMany('person', { through: { ...through, from: 'team_id', to: 'person_id' } }),
  },
})
const model = defineModel([person, team])

const served = {
  model,
  tables: ({ newId }: ColumnTypes) => `
    create table person (id ${newId}, name text, salary integer, pin text, stars integer, vault text, founder text, wish text,
      boss_id integer references person (id), town_code text);
    create table team (id ${newId}, name text, points text, code text unique);
    create table member (person_id integer not null, team_id integer not null, primary key (person_id, team_id));
    insert into person (id, name, salary, pin, boss_id) values (1, 'Ada', 7, 'RIGHT', null), (2, 'Ben', 9, 'p', 1);
    insert into team (id, name, points, code) values (1, 'x', '3', 'c');
    insert into member (person_id, team_id) values (1, 1)`,
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) => ({
      role: String(headers['x-user'] ?? 'user'),
    }),
  },
  isLongOnOthers: true,
}

/** The fields that do not exist for a user, by type. */
const hidden = {
  person: [
    ...['salary', 'pin', 'stars', 'vault', 'founder', 'twice', 'label', 'chief', 'halved', 'word'],
    ...['boss', 'staff', 'juniors', 'squads', 'crews', 'postcode'],
  ],
  team: ['points', 'grade', 'mates'],
}
/** A name that no field has, and that is not like one. */
const unknown = 'zzzzzzzzzzzz'

type Request = readonly [method: string, path: string, body?: unknown]

/** The places of a request in which clients name fields. */
const places: Readonly<Record<string, (name: string, type: string) => Request>> = {
  fields: (name, type) => ['GET', `?fields[${type}]=${name}`],
  'filter by name': (name) => ['GET', `?filter[${name}]=1`],
  'filter by operator': (name) => ['GET', filterBy({ name, op: 'gt', val: 1 })],
  'filter by null': (name) => ['GET', filterBy({ name, op: 'is_null' })],
  'filter by another field': (name) => ['GET', filterBy({ name: 'name', op: 'eq', field: name })],
  'filter by a related resource': (name) => ['GET', filterBy({ name, op: 'any', val: [] })],
  'filter by a related id': (name) => ['GET', `?filter[${name}__id]=1`],
  'filter by a related field': (name) => ['GET', `?filter[${name}__name]=1`],
  'filter by a count': (name) => ['GET', filterBy({ name, op: 'count_eq', val: 1 })],
  sort: (name) => ['GET', `?sort=-${name}`],
  'sort by a count': (name) => ['GET', `?sort=${name}.count`],
  'sort by a related field': (name) => ['GET', `?sort=${name}.name`],
  include: (name) => ['GET', `?include=${name}`],
  withCount: (name) => ['GET', `?withCount=${name}`],
  'the path of a related resource': (name) => ['GET', `/1/${name}`],
  'the path of a related resource, with POST': (name, type) => [
    ...(['POST', `/1/${name}`] as const),
    { data: { type } },
  ],
  'the path of a linkage': (name) => ['GET', `/1/relationships/${name}`],
  'the path of a linkage, with POST': (name) => ['POST', `/1/relationships/${name}`, { data: [] }],
  'the path of a linkage, with PATCH': (name) => ['PATCH', `/1/relationships/${name}`, none],
  'the path of a linkage, with DELETE': (name) => [
    ...(['DELETE', `/1/relationships/${name}`] as const),
    { data: [] },
  ],
  'attributes of a create': (name, type) => [
    ...(['POST', ''] as const),
    { data: { type, attributes: { [name]: 'RIGHT' } } },
  ],
  'relationships of a create': (name, type) => [
    ...(['POST', ''] as const),
    { data: { type, relationships: { [name]: none } } },
  ],
  'attributes of an update': (name, type) => [
    ...(['PATCH', '/1'] as const),
    { data: { type, id: '1', attributes: { [name]: 'RIGHT' } } },
  ],
  'relationships of an update': (name, type) => [
    ...(['PATCH', '/1'] as const),
    { data: { type, id: '1', relationships: { [name]: none } } },
  ],
}

const none = { data: null }

function filterBy(...filter: readonly object[]): string {
  return `?filter=${encodeURIComponent(JSON.stringify(filter))}`
}

engine('Fields that do not exist for an identity', served, (app) => {
  const call = ([method, path, body]: Request, user = 'user') =>
    app.call(method, path, { headers: { 'x-user': user }, body })

  for (const type of ['person', 'team'] as const)
    for (const [place, request] of Object.entries(places))
      it(`are unknown names of ${type} in ${place}`, async () => {
        const path = type === 'person' ? '/people' : '/teams'
        const ask = async (name: string) => {
          const [method, rest, body] = request(name, type)
          const { status, text: document } = await call([method, path + rest, body])
          return { status, document: document.replaceAll(name, '·') }
        }
        const expected = await ask(unknown)
        assert.ok(expected.status >= 400, `${expected.status}`)
        for (const name of hidden[type]) {
          assert.deepEqual(await ask(name), expected, name)
          assert.ok(!expected.document.includes(`"${name}"`), `${expected.document} names ${name}`)
        }
      })

  it('given an identity that may read them, then all of them exist', async () => {
    for (const [type, path] of [
      ['person', '/people'],
      ['team', '/teams'],
    ] as const) {
      const query = `?fields[${type}]=${hidden[type].join()}`
      assert.equal((await call(['GET', `${path}/1${query}`], 'lead')).status, 200)
    }
    const { attributes = {} } = (await call(['GET', '/people/2'], 'lead')).one
    assert.deepEqual([attributes.twice, attributes.label, attributes.chief], [18, '9', 1])
  })

  it('have no description for a user, and one for a lead', () => {
    const describe = (role: string) => JSON.stringify(describeApi(model, { auth: { role } }))
    const [user, lead] = [describe('user'), describe('lead')]
    for (const name of [...hidden.person, ...hidden.team]) {
      assert.doesNotMatch(user, new RegExp(`\\b${name}\\b`), name)
      assert.match(lead, new RegExp(`\\b${name}\\b`), name)
    }
  })

  it('given writable: true, then everybody writes what few read', async () => {
    const data = { type: 'person', id: '1', attributes: { wish: 'a boat' } }
    const { status, text: document } = await call(['PATCH', '/people/1', { data }])
    assert.equal(status, 200)
    assert.doesNotMatch(document, /boat/)
    assert.equal((await call(['GET', '/people/1'], 'lead')).one.attributes?.wish, 'a boat')
    assert.equal((await call(['GET', '/people?fields[person]=wish'])).status, 200)
    assert.equal((await call(['GET', '/people?sort=wish'])).status, 400)
  })
})

describe('A rule that would hide a column of an id', () => {
  const order = (lines: object) =>
    resource('order', {
      path: '/orders',
      table: 'orders',
      fields: { lines: toMany('line', { column: 'order_id', access: 'read-only', ...lines }) },
    })
  const line = (fields: object = {}) =>
    resource('line', {
      path: '/lines',
      table: 'line',
      id: { column: ['order_id', 'no'], kind: [integer, integer], client: 'required' },
      fields: { text: attribute(text), ...fields },
    })
  const profile = (readable: FieldRule) =>
    resource('profile', {
      path: '/profiles',
      table: 'profile',
      fields: { order: toOne('order', { column: 'id', access: 'read-only', readable }) },
    })
  const all = 'remove the rule, and restrict the rows by "access.read" of'
  const rejected: readonly (readonly [string, () => unknown, string])[] = [
    [
      'a relationship of the other side',
      () => defineModel([order({ readable: isLead }), line()]),
      `order.fields.lines.readable: cannot hide "order_id", which every id of line contains; ${all} line`,
    ],
    [
      'a relationship by the id',
      () => defineModel([order({}), line(), profile(false)]),
      `profile.fields.order.readable: cannot hide "id", which every id of profile contains; ${all} profile`,
    ],
    [
      'an attribute',
      () => defineModel([order({}), line({ no: attribute(integer, { readable: isLead }) })]),
      `line.fields.no.readable: cannot hide "no", which every id of line contains; ${all} line`,
    ],
  ]
  for (const [title, define, message] of rejected)
    it(`is an error of the declaration: ${title}`, () => {
      assert.throws(define, (error: unknown) => {
        assert.ok(error instanceof DeclarationError)
        assert.ok(error.message.includes(message), error.message)
        return true
      })
    })

  it('is none if it is true', () => {
    defineModel([order({ readable: true }), line(), profile(true)])
  })
})
