import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { attribute, date, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import { z } from 'zod'
import type { ColumnTypes } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'

/** An asynchronous validator without a library. */
const noShouting: StandardSchemaV1<string, string> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: async (value) => {
      await setTimeout(1)
      if (typeof value !== 'string') return { issues: [{ message: 'is not a text' }] }
      if (value.endsWith('!')) return { issues: [{ message: 'must not shout', path: [] }] }
      return { value: value.trim() }
    },
  },
}

/** A validator whose issues have paths of every form. */
const withPaths: StandardSchemaV1<string, string> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      value === 'bad'
        ? {
            issues: [
              { message: 'one', path: [0, { key: 'a/b' }] },
              { message: 'two', path: ['~'] },
            ],
          }
        : { value: 'good' },
  },
}

const wrongType: StandardSchemaV1<string, string> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    // Returns a number, against its type.
    validate: (value) => ({ value: (value === 'five' ? 5 : value) as string }),
  },
}

const event = resource('event', {
  path: '/events',
  table: 'event',
  validate: z
    .object({
      title: z.string().nullable(),
      starts: z.string().nullable(),
      ends: z.string().nullable(),
      seats: z.number().nullable(),
    })
    .refine(({ starts, ends }) => starts === null || ends === null || starts <= ends, {
      message: 'must not be before it starts',
      path: ['ends'],
    })
    .refine(({ title, seats }) => title !== 'ghost' || seats === 0, {
      message: 'ghosts sit nowhere',
    })
    .refine(({ title }) => title !== 'alone', { message: 'is lonely', path: ['title', 'deep', 1] }),
  fields: {
    title: attribute(text, { required: true, validate: noShouting }),
    starts: attribute(date),
    ends: attribute(date),
    seats: attribute(integer, { validate: z.number().int().min(0).max(100) }),
    code: attribute(text, {
      validate: z
        .string()
        .toLowerCase()
        .regex(/^[a-z]+$/, 'must be of letters'),
    }),
    tag: attribute(text, { validate: withPaths }),
    odd: attribute(text, { validate: wrongType }),
    pin: attribute(text, { access: 'immutable', validate: z.string().length(2) }),
    host: toOne('event', { column: 'host_id' }),
    hosted: toMany('event', { column: 'host_id' }),
  },
})

const served = {
  model: defineModel([event]),
  tables: ({ newId, date }: ColumnTypes) => `
    create table event (id ${newId}, title text not null, starts ${date}, ends ${date}, seats integer,
    code text, tag text, odd text, pin text, host_id integer references event (id));
    insert into event (id, title, starts, ends, seats) values (1, 'first', '2024-01-02', '2024-01-05', 3),
      (2, 'broken', '2024-01-02', '2024-01-01', 3)`,
}

engine('Validators', served, (app) => {
  const create = (attributes: object, relationships: object = {}) =>
    app.post('/events', { data: { type: 'event', attributes, relationships } })
  const update = (attributes: object, id = '1', relationships: object = {}) =>
    app.patch(`/events/${id}`, { data: { type: 'event', id, attributes, relationships } })
  const listErrors = ({ body }: TestResponse) =>
    (body.errors ?? []).map(({ code, source }) => `${code} ${source?.pointer}`).sort()

  for (const [validator, attributes, ...errors] of [
    [
      'the validator of an attribute',
      { title: 'a', seats: -1 },
      'invalid_value /data/attributes/seats',
    ],
    ['an asynchronous validator', { title: 'a!' }, 'invalid_value /data/attributes/title'],
    [
      'a validator of the resource over two attributes',
      { title: 'a', starts: '2024-01-02', ends: '2024-01-01' },
      'invalid_value /data/attributes/ends',
    ],
    [
      'a validator of the resource without a path',
      { title: 'ghost', seats: 1 },
      'invalid_value /data',
    ],
    [
      'a validator of the resource with a path into an attribute',
      { title: 'alone' },
      'invalid_value /data/attributes/title/deep/1',
    ],
    [
      'a validator with several issues',
      { title: 'a', tag: 'bad' },
      'invalid_value /data/attributes/tag/0/a~1b',
      'invalid_value /data/attributes/tag/~0',
    ],
    [
      'several validators, invalid values, unknown and missing members',
      { seats: 101, starts: 'no day', code: '1', nobody: 5 },
      'invalid_value /data/attributes/code',
      'invalid_value /data/attributes/seats',
      'invalid_value /data/attributes/starts',
      'missing_value /data/attributes/title',
      'unknown_field /data/attributes/nobody',
    ],
  ] as const) {
    it(`given ${validator}, when a value is invalid, then the response is a 422 with a pointer and nothing is stored`, async () => {
      const created = await create(attributes)
      assert.equal(created.status, 422, created.text)
      assert.deepEqual(listErrors(created), errors)
      const updated = await update(attributes)
      assert.equal(updated.status, 422, updated.text)
      const expected = errors.filter((error) => !error.startsWith('missing_value'))
      assert.deepEqual(listErrors(updated), expected)
      assert.equal((await app.get('/events')).body.meta?.count, 2)
      assert.equal((await app.get('/events/1')).one.attributes?.title, 'first')
    })
  }

  it('given an invalid value and a missing related resource, when they are sent together, then both are reported with 400', async () => {
    const relationships = { host: { data: { type: 'event', id: '9' } } }
    const answer = await create({ title: 'a!' }, relationships)
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(listErrors(answer), [
      'invalid_value /data/attributes/title',
      'related_not_found /data/relationships/host/data',
    ])
  })

  it('given an invalid value, when it is reported, then the detail has the message of the validator and the value', async () => {
    const { error } = await create({ title: 'a!' })
    assert.equal(error.detail, 'title: must not shout; it is "a!".')
    assert.equal((await create({ title: 'ghost' })).error.detail, 'event: ghosts sit nowhere.')
  })

  it('given a validator that returns another value, when a resource is written, then that value is stored and shown', async () => {
    const { one } = await create({ title: '  room  ', code: 'ABC', tag: 'x' })
    assert.deepEqual(
      [one.attributes?.title, one.attributes?.code, one.attributes?.tag],
      ['room', 'abc', 'good'],
    )
    const { one: changed } = await update({ code: 'XyZ' }, one.id)
    assert.equal(changed.attributes?.code, 'xyz')
    const filtered = await app.get('/events', { 'filter[code]': 'xyz' })
    assert.equal(filtered.many.length, 1)
  })

  it('given a validator that returns a value of another kind, when a resource is written, then the response is a 500', async () => {
    const answer = await create({ title: 'a', odd: 'five' })
    assert.deepEqual([answer.status, answer.error.code], [500, 'internal_error'])
    assert.equal((await app.get('/events')).body.meta?.count, 2)
  })

  it('given null, when an attribute with a validator is written, then the validator does not run', async () => {
    assert.equal((await create({ title: 'a', seats: null, code: null })).status, 201)
    assert.equal((await update({ seats: null })).status, 200)
  })

  it('given an update, when the validator of the resource runs, then it sees the stored and the sent attributes', async () => {
    const answer = await update({ ends: '2024-01-01' })
    assert.deepEqual(listErrors(answer), ['invalid_value /data/attributes/ends'])
    assert.deepEqual(listErrors(await update({ starts: '2024-01-06' })), listErrors(answer))
    assert.equal((await update({ starts: '2024-01-04' })).status, 200)
    assert.equal((await update({ starts: '2024-02-01', ends: '2024-02-02' })).status, 200)
    assert.equal((await update({ ends: null })).status, 200)
    assert.deepEqual(listErrors(await update({ title: 'ghost' })), ['invalid_value /data'])
    assert.equal((await update({ title: 'ghost', seats: 0 })).status, 200)
  })

  it('given stored attributes that are invalid, when only relationships change, then the update succeeds', async () => {
    assert.deepEqual(listErrors(await update({ seats: 4 }, '2')), [
      'invalid_value /data/attributes/ends',
    ])
    const host = { host: { data: { type: 'event', id: '1' } } }
    assert.equal((await update({}, '2', host)).status, 200)
    const path = '/events/2/relationships'
    assert.equal((await app.patch(`${path}/host`, { data: null })).status, 200)
    const hosted = { data: [{ type: 'event', id: '1' }] }
    assert.equal((await app.post(`${path}/hosted`, hosted)).status, 200)
    assert.equal((await update({ ends: '2024-01-03' }, '2')).status, 200)
  })

  it('given an immutable attribute, when it is updated, then only the stored value is accepted', async () => {
    const { one } = await create({ title: 'a', pin: 'xy' })
    assert.equal((await update({ pin: 'xy' }, one.id)).status, 200)
    assert.equal((await update({ pin: 'xz' }, one.id)).status, 422)
    assert.deepEqual(listErrors(await create({ title: 'a', pin: 'x' })), [
      'invalid_value /data/attributes/pin',
    ])
  })

  it('given a related collection, when a resource is created in it, then the validators run', async () => {
    const data = { type: 'event', attributes: { title: 'a!' } }
    assert.deepEqual(listErrors(await app.post('/events/1/hosted', { data })), [
      'invalid_value /data/attributes/title',
    ])
  })
})
