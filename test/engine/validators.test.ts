import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { attribute, date, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import { z } from 'zod'
import type { Answer } from '../answer.ts'
import type { ColumnTypes } from '../databases.ts'
import { engine } from './engine.ts'

/** A validator by hand, which takes its time. */
const noShouting: StandardSchemaV1<string, string> = {
  '~standard': {
    version: 1,
    vendor: 'by hand',
    validate: async (value) => {
      await setTimeout(1)
      if (typeof value !== 'string') return { issues: [{ message: 'is no text' }] }
      if (value.endsWith('!')) return { issues: [{ message: 'must not shout', path: [] }] }
      return { value: value.trim() }
    },
  },
}

/** One with paths of every form. */
const pathed: StandardSchemaV1<string, string> = {
  '~standard': {
    version: 1,
    vendor: 'by hand',
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

const wrong: StandardSchemaV1<string, string> = {
  '~standard': {
    version: 1,
    vendor: 'by hand',
    // It promises a text, and breaks its promise.
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
    tag: attribute(text, { validate: pathed }),
    odd: attribute(text, { validate: wrong }),
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

engine('Validators', served, (world) => {
  const create = (attributes: object, relationships: object = {}) =>
    world.post('/events', { data: { type: 'event', attributes, relationships } })
  const update = (attributes: object, id = '1', relationships: object = {}) =>
    world.patch(`/events/${id}`, { data: { type: 'event', id, attributes, relationships } })
  const told = ({ body }: Answer) =>
    (body.errors ?? []).map(({ code, source }) => `${code} ${source?.pointer}`).sort()

  for (const [sentence, attributes, ...faults] of [
    ['one of a field', { title: 'a', seats: -1 }, 'invalid_value /data/attributes/seats'],
    ['one by hand, asynchronous', { title: 'a!' }, 'invalid_value /data/attributes/title'],
    [
      'one of the resource, over two fields',
      { title: 'a', starts: '2024-01-02', ends: '2024-01-01' },
      'invalid_value /data/attributes/ends',
    ],
    [
      'one of the resource, about nothing in particular',
      { title: 'ghost', seats: 1 },
      'invalid_value /data',
    ],
    [
      'one of the resource, deep in a field',
      { title: 'alone' },
      'invalid_value /data/attributes/title/deep/1',
    ],
    [
      'several issues of one validator',
      { title: 'a', tag: 'bad' },
      'invalid_value /data/attributes/tag/0/a~1b',
      'invalid_value /data/attributes/tag/~0',
    ],
    [
      'all at once, with those of kinds, names, members and required values',
      { seats: 101, starts: 'no day', code: '1', nobody: 5 },
      'invalid_value /data/attributes/code',
      'invalid_value /data/attributes/seats',
      'invalid_value /data/attributes/starts',
      'missing_value /data/attributes/title',
      'unknown_field /data/attributes/nobody',
    ],
  ] as const) {
    it(`refuse with 422 and a pointer: ${sentence}`, async () => {
      const created = await create(attributes)
      assert.equal(created.status, 422, created.text)
      assert.deepEqual(told(created), faults)
      const updated = await update(attributes)
      assert.equal(updated.status, 422, updated.text)
      const missing = faults.filter((fault) => !fault.startsWith('missing_value'))
      assert.deepEqual(told(updated), missing)
      assert.equal((await world.get('/events')).body.meta?.count, 2)
      assert.equal((await world.get('/events/1')).one.attributes?.title, 'first')
    })
  }

  it('what is missing of the members named is told with them: 400 stands for 404 and 422 together', async () => {
    const relationships = { host: { data: { type: 'event', id: '9' } } }
    const answer = await create({ title: 'a!' }, relationships)
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(told(answer), [
      'invalid_value /data/attributes/title',
      'related_not_found /data/relationships/host/data',
    ])
  })

  it('the words of the validator and the value are told, names of columns are not', async () => {
    const { fault } = await create({ title: 'a!' })
    assert.equal(fault.detail, 'title: must not shout; it is "a!".')
    assert.equal((await create({ title: 'ghost' })).fault.detail, 'event: ghosts sit nowhere.')
  })

  it('what they make of a value is stored and told', async () => {
    const { one } = await create({ title: '  room  ', code: 'ABC', tag: 'x' })
    assert.deepEqual(
      [one.attributes?.title, one.attributes?.code, one.attributes?.tag],
      ['room', 'abc', 'good'],
    )
    const { one: changed } = await update({ code: 'XyZ' }, one.id)
    assert.equal(changed.attributes?.code, 'xyz')
    const filtered = await world.get('/events', { 'filter[code]': 'xyz' })
    assert.equal(filtered.many.length, 1)
  })

  it('what they make of a value must be one of its kind; otherwise it is a fault of ours', async () => {
    const answer = await create({ title: 'a', odd: 'five' })
    assert.deepEqual([answer.status, answer.fault.code], [500, 'internal_error'])
    assert.equal((await world.get('/events')).body.meta?.count, 2)
  })

  it('null is no value for the validator of a field', async () => {
    assert.equal((await create({ title: 'a', seats: null, code: null })).status, 201)
    assert.equal((await update({ seats: null })).status, 200)
  })

  it('an update is seen together with what is stored', async () => {
    const answer = await update({ ends: '2024-01-01' })
    assert.deepEqual(told(answer), ['invalid_value /data/attributes/ends'])
    assert.deepEqual(told(await update({ starts: '2024-01-06' })), told(answer))
    assert.equal((await update({ starts: '2024-01-04' })).status, 200)
    assert.equal((await update({ starts: '2024-02-01', ends: '2024-02-02' })).status, 200)
    assert.equal((await update({ ends: null })).status, 200)
    assert.deepEqual(told(await update({ title: 'ghost' })), ['invalid_value /data'])
    assert.equal((await update({ title: 'ghost', seats: 0 })).status, 200)
  })

  it('what is stored and breaks the rules already stands in the way of no change but one of attributes', async () => {
    assert.deepEqual(told(await update({ seats: 4 }, '2')), ['invalid_value /data/attributes/ends'])
    const host = { host: { data: { type: 'event', id: '1' } } }
    assert.equal((await update({}, '2', host)).status, 200)
    const path = '/events/2/relationships'
    assert.equal((await world.patch(`${path}/host`, { data: null })).status, 200)
    const hosted = { data: [{ type: 'event', id: '1' }] }
    assert.equal((await world.post(`${path}/hosted`, hosted)).status, 200)
    assert.equal((await update({ ends: '2024-01-03' }, '2')).status, 200)
  })

  it('what is written once is held against its validator, and against what is stored', async () => {
    const { one } = await create({ title: 'a', pin: 'xy' })
    assert.equal((await update({ pin: 'xy' }, one.id)).status, 200)
    assert.equal((await update({ pin: 'xz' }, one.id)).status, 422)
    assert.deepEqual(told(await create({ title: 'a', pin: 'x' })), [
      'invalid_value /data/attributes/pin',
    ])
  })

  it('what is created under its parent is held against them too', async () => {
    const data = { type: 'event', attributes: { title: 'a!' } }
    assert.deepEqual(told(await world.post('/events/1/hosted', { data })), [
      'invalid_value /data/attributes/title',
    ])
  })
})
