import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  defineModel,
  enumeration,
  integer,
  type Model,
  type NewResourceOf,
  type ResourceOf,
  type ResourceUpdateOf,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { describeApi } from 'lapidary/openapi'
import { isObject } from '../../../src/model/kinds/json.ts'
import type { ColumnTypes } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

const track = resource('track', {
  path: '/tracks',
  table: 'track',
  fields: {
    title: attribute(text, { required: true }),
    mood: attribute(enumeration(['calm', 'loud']), { nullable: false }),
    plays: attribute(integer, { nullable: false }),
    // Other programs may have stored null.
    label: attribute(text, { required: true, nullable: true }),
    note: attribute(text),
  },
})
const tracks = {
  model: defineModel([track]),
  tables: ({ newId }: ColumnTypes) => `
    create table track (id ${newId}, title text not null, mood text not null default 'calm' check (mood in ('calm', 'loud')),
      plays integer not null default 0, label text, note text);
    insert into track (title) values ('a')`,
}

const p = resource('p', {
  path: '/ps',
  table: 'p',
  fields: {
    n: attribute(text),
    rs: toMany('r', { column: 'p_id' }),
    badge: toOne('badge', { column: 'p_id', foreignKey: 'other' }),
  },
})
const q = resource('q', { path: '/qs', table: 'q', fields: { n: attribute(text) } })
const r = resource('r', {
  path: '/rs',
  table: 'r',
  fields: {
    title: attribute(text, { required: true }),
    mail: attribute(text, { required: true }),
    p: toOne('p', { column: 'p_id', required: true }),
    q: toOne('q', { column: 'q_id', required: true }),
    last: toOne('q', { column: 'last_id', nullable: false }),
  },
})
const badge = resource('badge', {
  path: '/badges',
  table: 'badge',
  fields: { p: toOne('p', { column: 'p_id', required: true }) },
})
const required = {
  model: defineModel([p, q, r, badge]),
  tables: ({ newId }: ColumnTypes) => `
    create table p (id ${newId}, n text);
    create table q (id ${newId}, n text);
    create table r (id ${newId}, title text not null, mail text not null, p_id integer not null references p (id),
      q_id integer not null references q (id), last_id integer not null default 1 references q (id));
    create table badge (id ${newId}, p_id integer not null unique references p (id));
    create index r_p on r (p_id);
    create index r_q on r (q_id);
    create index r_last on r (last_id);
    insert into p (n) values ('p'), ('o');
    insert into q (n) values ('q');
    insert into r (title, mail, p_id, q_id) values ('t', 'm', 1, 1), ('u', 'n', 2, 1);
    insert into badge (p_id) values (1), (2)`,
}

/** The pointer and the detail of each error. */
const listErrors = ({ body }: TestResponse) =>
  body.errors?.map(({ source, detail }) => [source?.pointer, detail])

/** A schema of a description. */
function getSchema(model: Model, name: string, ...path: readonly string[]): unknown {
  let found: unknown = describeApi(model).components.schemas[name]
  for (const member of path) {
    assert.ok(isObject(found), `${name} has ${member}`)
    found = found[member]
  }
  return found
}

engine('Attributes that are never null but have a default', tracks, (app) => {
  const body = (attributes: object, id?: string) => ({ data: { type: 'track', id, attributes } })

  it('a create need not send them, and gets the defaults of the columns', async () => {
    const created = await app.post('/tracks', body({ title: 'b', label: 'l' }))
    assert.equal(created.status, 201)
    const { mood, plays, note } = created.one.attributes ?? {}
    assert.deepEqual([mood, plays, note], ['calm', 0, null])
  })

  it('null for each of them is an error of its own, in a create and in an update', async () => {
    const sent = { title: 'c', label: 'l', mood: null, plays: null, note: null }
    for (const response of [
      await app.post('/tracks', body(sent)),
      await app.patch('/tracks/1', body(sent, '1')),
    ]) {
      assert.equal(response.status, 422)
      assert.deepEqual(listErrors(response), [
        ['/data/attributes/mood', 'mood must be one of "calm", "loud"; it is null.'],
        [
          '/data/attributes/plays',
          'plays must be a whole number between -9007199254740991 and 9007199254740991; it is null.',
        ],
      ])
    }
  })

  it('the description says what may be sent and what is returned', () => {
    const types = (name: string) =>
      ['mood', 'plays', 'label', 'note'].map((field) => {
        const path = name === 'track' ? ['properties', 'attributes'] : []
        const schema = getSchema(tracks.model, name, ...path, 'properties', field)
        return isObject(schema) ? schema.type : undefined
      })
    const orNull = ['string', 'null']
    assert.deepEqual(types('track'), ['string', 'integer', orNull, orNull])
    assert.deepEqual(types('track.attributes'), ['string', 'integer', 'string', orNull])
    const required = getSchema(tracks.model, 'track.new', 'properties', 'attributes', 'required')
    assert.deepEqual(required, ['title', 'label'])
  })

  it('the description is the same where values that nobody expects are null', () => {
    const model = defineModel([track], { invalidValues: 'lenient' })
    const path = ['properties', 'attributes', 'properties', 'mood', 'type'] as const
    assert.equal(getSchema(model, 'track', ...path), 'string')
  })

  it('the start rejects nullable: false of a column that may be null', async () => {
    const fields = {
      title: attribute(text, { required: true }),
      note: attribute(text, { nullable: false }),
    }
    const model = defineModel([resource('track', { path: '/tracks', table: 'track', fields })])
    const store = await openStore(model, app.databaseUrl)
    try {
      await assert.rejects(store.verify(), {
        errors: ['track.fields.note.nullable: the column "note" of the table "track" is nullable'],
      })
    } finally {
      await store.close()
    }
  })
})

engine('Relationships that must not be null', required, (app) => {
  const [one, other] = ['1', '2'].map((id) => ({ data: { type: 'p', id } }))
  const toQ = { data: { type: 'q', id: '1' } }
  const body = (attributes: object, relationships: object, id?: string) => ({
    data: { type: 'r', id, attributes, relationships },
  })
  const missing = (name: string) => [
    `/data/relationships/${name}`,
    `A new resource of type r must have the relationship "${name}".`,
  ]
  const isNull = (name: string, to: string, pointer = `/data/relationships/${name}`) => [
    pointer,
    `${name} must be a resource identifier of type ${to}; it is null.`,
  ]

  it('a create without them has all errors at once, with those of the attributes', async () => {
    const response = await app.post('/rs', body({}, {}))
    assert.equal(response.status, 422)
    assert.deepEqual(listErrors(response), [
      ['/data/attributes/title', 'A new resource of type r must have the attribute "title".'],
      ['/data/attributes/mail', 'A new resource of type r must have the attribute "mail".'],
      missing('p'),
      missing('q'),
    ])
    assert.deepEqual(
      response.body.errors?.map(({ code }) => code),
      Array(4).fill('missing_value'),
    )
  })

  it('a relationship without data is missing', async () => {
    const p = { links: { self: '/x' } }
    const response = await app.post('/rs', body({ title: 't', mail: 'm' }, { p, q: toQ }))
    assert.deepEqual(listErrors(response), [missing('p')])
  })

  it('null is an error of each, in a create and in an update', async () => {
    const sent = body(
      { title: 't', mail: 'm' },
      { p: { data: null }, q: toQ, last: { data: null } },
      '1',
    )
    for (const response of [await app.post('/rs', sent), await app.patch('/rs/1', sent)]) {
      assert.equal(response.status, 422)
      assert.deepEqual(listErrors(response), [isNull('p', 'p'), isNull('last', 'q')])
    }
  })

  it('null at the address of the relationship is an error', async () => {
    const response = await app.patch('/rs/1/relationships/p', { data: null })
    assert.equal(response.status, 422)
    assert.deepEqual(listErrors(response), [isNull('p', 'p', '/data')])
  })

  it('a create with them, and one at the address that links it, are accepted', async () => {
    const attributes = { title: 't', mail: 'm' }
    const created = await app.post('/rs', body(attributes, { p: one, q: toQ }))
    assert.equal(created.status, 201)
    const last = await app.get(`/rs/${created.one.id}/relationships/last`)
    assert.deepEqual(last.body.data, { type: 'q', id: '1' })
    const linked = await app.post('/ps/2/rs', body(attributes, { q: toQ }))
    assert.equal(linked.status, 201)
    const owner = await app.get(`/rs/${linked.one.id}/relationships/p`)
    assert.deepEqual(owner.body.data, other?.data)
    const refused = await app.post('/ps/2/rs', body(attributes, {}))
    assert.deepEqual(listErrors(refused), [missing('q')])
  })

  /** The error of a member that would be without the resource to which it must belong. */
  const stays = (name: string, type: string, pointer: string) => [
    pointer,
    `A resource of type ${type} cannot be removed from "${name}", because it must belong to one of type p; move it to another one, or delete it.`,
  ]
  const [r1, r2] = ['1', '2'].map((id) => ({ type: 'r', id }))
  const [badge1, badge2] = ['1', '2'].map((id) => ({ type: 'badge', id }))

  for (const [what, method, path, data, error] of [
    ['a member', 'DELETE', '/ps/1/relationships/rs', [r1], stays('rs', 'r', '/data')],
    ['all members', 'PATCH', '/ps/1/relationships/rs', [], stays('rs', 'r', '/data')],
    ['a member by another one', 'PATCH', '/ps/1/relationships/rs', [r2], stays('rs', 'r', '/data')],
    ['the only one', 'PATCH', '/ps/1/relationships/badge', null, stays('badge', 'badge', '/data')],
    [
      'the only one by another',
      'PATCH',
      '/ps/1/relationships/badge',
      badge2,
      stays('badge', 'badge', '/data'),
    ],
    [
      'the present owner',
      'DELETE',
      '/rs/1/relationships/p',
      one?.data,
      [
        '/data',
        '"p" must not be null, because every resource of type r has one; replace it instead.',
      ],
    ],
  ] as const)
    it(`${what} cannot be removed by ${method} ${path}`, async () => {
      const response = await app.call(method, path, { body: { data } })
      assert.equal(response.status, 422)
      assert.deepEqual(listErrors(response), [error])
      assert.deepEqual((await app.get('/ps/1/relationships/rs')).body.data, [r1])
      assert.deepEqual((await app.get('/ps/1/relationships/badge')).body.data, badge1)
    })

  it('several relationships that would remove members are errors of one response', async () => {
    const relationships = { rs: { data: [] }, badge: { data: null } }
    const response = await app.patch('/ps/1', { data: { type: 'p', id: '1', relationships } })
    assert.deepEqual(listErrors(response), [
      stays('rs', 'r', '/data/relationships/rs'),
      stays('badge', 'badge', '/data/relationships/badge'),
    ])
  })

  for (const [what, method, path, data, members] of [
    ['a resource that is no member is removed', 'DELETE', '/ps/1/relationships/rs', [r2], [r1]],
    [
      'the members are replaced by themselves and another',
      'PATCH',
      '/ps/1/relationships/rs',
      [r1, r2],
      [r1, r2],
    ],
    [
      'another owner than the present one is removed',
      'DELETE',
      '/rs/1/relationships/p',
      other?.data,
      [r1],
    ],
  ] as const)
    it(`${what} without an error`, async () => {
      const response = await app.call(method, path, { body: { data } })
      assert.equal(response.status, 200)
      assert.deepEqual((await app.get('/ps/1/relationships/rs')).body.data, members)
    })

  it('a create of the other side takes members over', async () => {
    const rs = { data: [{ type: 'r', id: '1' }] }
    const created = await app.post('/ps', { data: { type: 'p', relationships: { rs } } })
    assert.equal(created.status, 201)
    const members = await app.get(`/ps/${created.one.id}/relationships/rs`)
    assert.deepEqual(members.body.data, rs.data)
  })

  it('the description requires them in a create, and has no null', () => {
    const relationships = ['properties', 'relationships']
    const { model } = required
    assert.deepEqual(getSchema(model, 'r.new', 'required'), ['type', 'attributes', 'relationships'])
    assert.deepEqual(getSchema(model, 'r.new', ...relationships, 'required'), ['p', 'q'])
    assert.deepEqual(getSchema(model, 'p.rs.linked.new', ...relationships, 'required'), ['q'])
    for (const [name, path] of [
      ['r', [...relationships, 'properties', 'p', '$ref']],
      ['r.relationships', ['properties', 'last', '$ref']],
    ] as const)
      assert.match(String(getSchema(model, name, ...path)), /\/[pq]\.requiredToOne(Input)?$/)
  })

  it('the start is without warnings', async () => {
    const store = await openStore(required.model, app.databaseUrl)
    try {
      assert.deepEqual((await store.verify()).warnings, [])
    } finally {
      await store.close()
    }
  })
})

const undeclared = {
  model: defineModel([
    q,
    resource('r', {
      path: '/rs',
      table: 'r',
      fields: {
        title: attribute(text, { required: true }),
        word: attribute(text),
        q: toOne('q', { column: 'q_id' }),
        last: toOne('q', { column: 'last_id' }),
        next: toOne('q', { column: 'next_id', required: true }),
      },
    }),
  ]),
  tables: ({ newId }: ColumnTypes) => `
    create table q (id ${newId}, n text);
    create table r (id ${newId}, title text not null, word text not null default '', q_id integer not null references q (id),
      last_id integer not null default 1 references q (id), next_id integer);
    create index r_q on r (q_id);
    create index r_last on r (last_id);
    create index r_next on r (next_id)`,
}

engine('Declarations that do not say what the columns do', undeclared, (app) => {
  it('are warnings of the start', async () => {
    const store = await openStore(undeclared.model, app.databaseUrl)
    try {
      const column = (name: string) => `the column "${name}" of the table "r" must not be null`
      assert.deepEqual((await store.verify()).warnings, [
        `r.fields.word: ${column('word')}, and clients may send null; to fix it: set nullable: false`,
        `r.fields.q: ${column('q_id')}, and clients may omit the relationship; to fix it: set required: true`,
        `r.fields.last: ${column('last_id')}, and clients may send null; to fix it: set nullable: false`,
        'r.fields.next: responses may have null, because no foreign key of the database ensures that the resource exists; to fix it: set nullable: true',
      ])
    } finally {
      await store.close()
    }
  })
})

const hidden = {
  model: defineModel([
    resource('team', {
      path: '/teams',
      table: 'team',
      softDelete: 'deleted_at',
      fields: { tasks: toMany('task', { column: 'team_id' }) },
    }),
    resource('task', {
      path: '/tasks',
      table: 'task',
      fields: {
        name: attribute(text),
        // The rule of the program is stricter than the column.
        team: toOne('team', { column: 'team_id', required: true, nullable: true }),
      },
    }),
  ]),
  tables: ({ newId, datetime }: ColumnTypes) => `
    create table team (id ${newId}, deleted_at ${datetime});
    create table task (id ${newId}, name text, team_id integer references team (id));
    create index task_team on task (team_id);
    insert into team (deleted_at) values (null), ('2024-02-29T12:00:00Z');
    insert into task (name, team_id) values ('a', 1), ('b', 2)`,
}

engine('A required relationship to a resource that may be hidden', hidden, (app) => {
  const withoutTeam = (id: string) => ({
    data: { type: 'task', id, attributes: { name: 'c' }, relationships: { team: { data: null } } },
  })

  it('null may be sent back for a hidden resource, and changes nothing', async () => {
    assert.equal((await app.patch('/tasks/2', withoutTeam('2'))).status, 200)
    await app.execute('update team set deleted_at = null')
    const { body } = await app.get('/tasks/2/relationships/team')
    assert.deepEqual(body.data, { type: 'team', id: '2' })
  })

  it('null is an error for one that is not hidden, in an update and in a create', async () => {
    const update = await app.patch('/tasks/1', withoutTeam('1'))
    assert.deepEqual(
      [update.status, update.error.source?.pointer],
      [422, '/data/relationships/team'],
    )
    assert.equal((await app.post('/tasks', withoutTeam('3'))).status, 422)
  })

  it('a member cannot be removed, although the column may be null', async () => {
    const body = { data: [{ type: 'task', id: '1' }] }
    assert.equal((await app.delete('/teams/1/relationships/tasks', body)).status, 422)
    assert.equal((await app.patch('/teams/1/relationships/tasks', { data: [] })).status, 422)
  })

  it('the description allows null in responses and in updates', () => {
    const responses = getSchema(
      hidden.model,
      'task',
      'properties',
      'relationships',
      'properties',
      'team',
    )
    assert.match(JSON.stringify(responses), /team\.toOne"/)
    assert.deepEqual(getSchema(hidden.model, 'task.new', 'required'), ['type', 'relationships'])
  })
})

type R = typeof required.model
type Track = typeof tracks.model

/** What the types of the client and of calls in process say; those of hooks are in `hook-types.test.ts`. */
function checkTypes(
  track: ResourceOf<Track, 'track'>,
  withP: ResourceOf<R, 'r', 'p'>,
  withTeam: ResourceOf<typeof hidden.model, 'task', 'team'>,
): readonly unknown[] {
  const mood: 'calm' | 'loud' = track.mood
  const plays: number = track.plays
  const note: string | null = track.note
  // @ts-expect-error responses may have null
  track.label.length
  const id: string = withP.p.id
  // @ts-expect-error the resource may be hidden
  withTeam.team.id
  const created: NewResourceOf<R, 'r'> = { title: 't', mail: 'm', p: '1', q: '1' }
  // @ts-expect-error p and q are missing
  const incomplete: NewResourceOf<R, 'r'> = { title: 't', mail: 'm' }
  // @ts-expect-error p is never null
  const withNull: NewResourceOf<R, 'r'> = { title: 't', mail: 'm', p: null, q: '1' }
  const partial: ResourceUpdateOf<R, 'r'> = { title: 'u' }
  // @ts-expect-error last is never null
  const cleared: ResourceUpdateOf<R, 'r'> = { last: null }
  const omitted: NewResourceOf<Track, 'track'> = { title: 't', label: 'l', note: null }
  // @ts-expect-error mood is never null
  const moodless: NewResourceOf<Track, 'track'> = { title: 't', label: 'l', mood: null }
  return [
    ...[mood, plays, note, id, created, incomplete, withNull, partial],
    ...[cleared, omitted, moodless],
  ]
}

it('The types of the client and of calls in process compile, with errors where expected', () => {
  assert.equal(typeof checkTypes, 'function')
})
