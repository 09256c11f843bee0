import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  defineModel,
  type ResourceDeclaration,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import type { ColumnTypes } from '../../databases.ts'
import { partOf } from '../../long-tests.ts'
import { ids } from '../../test-response.ts'
import { type Engine, engine } from '../engine.ts'

/** The column definition of each kind of ids, and the type of foreign keys that reference them. */
interface Columns {
  readonly column: (columnTypes: ColumnTypes, dialect: DialectName) => string
  readonly key: (columnTypes: ColumnTypes) => string
}

const numbered: Columns = { column: ({ newId }) => newId, key: ({ id }) => id }
const uuidKeys: Columns = {
  column: ({ uuid }) => `${uuid} primary key not null`,
  key: ({ uuid }) => uuid,
}
const named: Columns = { column: () => 'text primary key not null', key: () => 'text' }

/** SQL for eight random digits. */
const anything: Readonly<Record<DialectName, string>> = {
  sqlite: 'lower(hex(randomblob(4)))',
  postgres: 'substr(md5(random()::text), 1, 8)',
}
const namedByItself: Columns = {
  column: (_, dialect) => `text primary key not null default (${anything[dialect]})`,
  key: () => 'text',
}

/** A type with one kind of ids, a to-one relationship to itself, and one over a join table. */
function things(id: ResourceDeclaration['id'], { column, key }: Columns) {
  const thing = resource('thing', {
    ...{ path: '/things', table: 'thing', ...(id && { id }) },
    fields: {
      name: attribute(text),
      whole: toOne('thing', { column: 'whole_id' }),
      parts: toMany('thing', { column: 'whole_id' }),
      knows: toMany('thing', { through: { table: 'knows', from: 'one', to: 'other' } }),
    },
  })
  return {
    model: defineModel([thing], { maxPageSize: null }),
    tables: (columnTypes: ColumnTypes, dialect: DialectName) => {
      const type = key(columnTypes)
      return `
        create table thing (id ${column(columnTypes, dialect)}, name text,
          whole_id ${type} references thing (id) on delete set null);
        create table knows (one ${type} references thing (id), other ${type} references thing (id))`
    },
  }
}

const create = (app: Engine, id?: unknown, more: object = {}) =>
  app.post('/things', { data: { type: 'thing', ...(id !== undefined && { id }), ...more } })

const integers = things(undefined, numbered)
const givenIntegers = things({ client: 'optional' }, numbered)
const uuids = things({ kind: uuid }, uuidKeys)
const givenUuids = things({ kind: uuid, client: 'optional' }, uuidKeys)
const mustGiveUuids = things({ kind: uuid, client: 'required' }, uuidKeys)
const texts = things({ kind: text, client: 'required' }, named)
const mayGiveTexts = things({ kind: text, client: 'optional' }, namedByItself)
const databaseTexts = things({ kind: text }, namedByItself)

const low = '0000000a-aaaa-4bbb-8ccc-00000000000d'
const other = '0000000e-aaaa-4bbb-8ccc-00000000000f'
const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Each kind of ids: the pattern of generated ids, an id in a create, and what the server does with it. */
// biome-ignore format: a table, one kind of ids a row
const kinds = [
  ['integers from the database',             integers,      /^\d+$/,        '77',    'ignored'],
  ['integers that a client can send',      givenIntegers, /^\d+$/,        '77',    'stored'],
  ['UUIDs from the server',                  uuids,         isUuid,         low,     'ignored'],
  ['UUIDs that a client can send',         givenUuids,    isUuid,         low,     'stored'],
  ['UUIDs that a client must send',        mustGiveUuids, undefined,      low,     'stored'],
  ['texts from the database',                databaseTexts, /^[0-9a-f]{8}$/, 'a b/c', 'ignored'],
  ['texts that a client can send',         mayGiveTexts,  /^[0-9a-f]{8}$/, 'a b/c', 'stored'],
  ['texts that a client must send',        texts,         undefined,      'a b/c', 'stored'],
] as const

for (const [index, [name, served, generated, sent, effect]] of kinds.entries()) {
  engine(`Ids: ${name}`, { ...served, ...partOf(index, 2) }, (app) => {
    it('a create without an id gets a generated one, or is 422', async () => {
      for (const id of [undefined, null]) {
        const response = await create(app, id)
        if (generated === undefined) {
          assert.deepEqual([response.status, response.error.code], [422, 'missing_value'])
          assert.equal(response.error.source?.pointer, '/data/id')
          continue
        }
        assert.equal(response.status, 201, response.text)
        assert.match(response.one.id, generated)
        assert.equal((await app.get(response.headers.location ?? '')).one.id, response.one.id)
      }
    })

    it(`a create with an id: it is ${effect}`, async () => {
      const response = await create(app, sent)
      assert.equal(response.status, 201, response.text)
      assert.equal(response.one.id === sent, effect === 'stored')
      if (effect === 'ignored') return
      const again = await create(app, sent, { attributes: { name: 'another' } })
      assert.deepEqual([again.status, again.error.code], [409, 'id_taken'])
      assert.equal(again.error.source?.pointer, '/data/id')
      assert.equal((await app.get('/things')).body.meta?.count, 1)
      const { one } = await app.get(response.headers.location ?? '')
      assert.equal(one.attributes?.name, null)
    })

    it('the new resource is linked, found, updated and deleted by its id', async () => {
      const first = (await create(app, generated ? undefined : sent)).one.id
      const relationships = {
        whole: { data: { type: 'thing', id: first } },
        knows: { data: [{ type: 'thing', id: first }] },
      }
      const second = generated ? undefined : served === mustGiveUuids ? other : 'ü "q" 100%'
      const response = await create(app, second, { relationships })
      assert.equal(response.status, 201, response.text)
      const { id } = response.one
      const path = response.headers.location ?? ''
      assert.equal((await app.get(`${path}/whole`)).one.id, first)
      assert.deepEqual(ids(await app.get(`${path}/relationships/knows`)), [first])
      assert.deepEqual(ids(await app.get('/things', { 'filter[id]': id })), [id])
      assert.deepEqual(ids(await app.get('/things', { 'filter[parts__id]': id })), [first])
      const list = [{ name: 'whole__id', op: 'in_', val: [first, first] }]
      assert.deepEqual(ids(await app.get('/things', { filter: list })), [id])
      const attributes = { name: 'changed' }
      const changed = await app.patch(path, { data: { type: 'thing', id, attributes } })
      assert.equal(changed.one.attributes?.name, 'changed')
      await app.patch(`${path}/relationships/knows`, { data: [] })
      assert.equal((await app.delete(path)).status, 200)
      const gone = await app.get(path)
      assert.equal(gone.status, 404)
      assert.ok(gone.error.detail.includes(JSON.stringify(id)), gone.error.detail)
    })
  })
}

/** Texts that are not ids of a kind. */
const impossible = [
  [integers, ['abc', '0x1', '1.0', '01', '+1', '9223372036854775808', ' 1', '%00', low, 'null']],
  [uuids, ['1', 'abc', low.slice(1), `${low}0`, `{${low}}`, low.replaceAll('-', ''), '%00']],
  [texts, ['no such id', '%00', '..', '.']],
] as const

for (const [served, texts] of impossible) {
  engine('Ids that do not exist', served, (app) => {
    it('are 404 in paths and in linkage, and 422 as the id of a new resource', async () => {
      const { id } = (await create(app, low)).one
      for (const id of texts) {
        const path = `/things/${id.includes('%') ? id : encodeURIComponent(id)}`
        for (const [method, rest, body] of [
          ['GET', '', undefined],
          ['DELETE', '', undefined],
          ['PATCH', '', { data: { type: 'thing', id, attributes: {} } }],
          ['GET', '/parts', undefined],
          ['GET', '/whole', undefined],
          ['GET', '/relationships/knows', undefined],
          ['PATCH', '/relationships/knows', { data: [] }],
          ['POST', '/parts', { data: { type: 'thing', id: other } }],
        ] as const) {
          const response = await app.call(method, path + rest, { body })
          assert.deepEqual(
            [response.status, response.error.code],
            [404, 'not_found'],
            response.text,
          )
          assert.equal(response.error.source?.parameter, rest === '/whole' ? 'thing_id' : 'id')
        }
      }
      for (const absent of texts.filter((each) => !each.includes('%'))) {
        const data = [{ type: 'thing', id: absent }]
        const path = `/things/${id}/relationships/knows`
        const linked = await app.post(path, { data })
        assert.deepEqual([linked.status, linked.error.code], [404, 'related_not_found'])
        assert.equal((await app.delete(path, { data })).status, 200)
      }
    })
  })
}

engine('Invalid ids of new resources', texts, (app) => {
  for (const [id, status, code] of [
    ['', 422, 'invalid_value'],
    ['a\0b', 422, 'invalid_value'],
    ['.', 422, 'invalid_value'],
    ['..', 422, 'invalid_value'],
    [5, 400, 'invalid_document'],
    [{}, 400, 'invalid_document'],
    [true, 400, 'invalid_document'],
  ] as const)
    it(`${JSON.stringify(id)} is ${status} at /data/id`, async () => {
      const response = await create(app, id)
      assert.deepEqual([response.status, response.error.code], [status, code], response.text)
      assert.equal(response.error.source?.pointer, '/data/id')
      assert.equal((await app.get('/things')).body.meta?.count, 0)
    })
})

const odd = [
  ...[
    'a b',
    'a/b',
    '/',
    '//',
    '50%',
    '%2F',
    '%',
    '"',
    "'",
    '\\',
    '\\"',
    '<&>',
    '?x=1',
    '#x',
    'a;b=c',
  ],
  ...[
    'a,b',
    'a+b',
    '...',
    '.a',
    'a.',
    'relationships',
    'ü',
    'u\u0308',
    '𝔊',
    'İ',
    '\u2028',
    '\t',
    ' ',
    '~',
  ],
  ...['null', '1', '01', 'A', 'a', '[x]', '{"x":1}', '\ufeff', 'x'.repeat(300)],
]

engine('Unusual texts as ids', texts, (app) => {
  it('are returned unchanged, work in every link, and are distinct', async () => {
    for (const id of odd) {
      const made = await create(app, id, { attributes: { name: `name of ${id}` } })
      assert.equal(made.status, 201, made.text)
      assert.equal(made.one.id, id)
      assert.equal(made.headers.location, `/things/${encodeURIComponent(id)}`)
    }
    const sorted = odd.toSorted((one, other) =>
      Buffer.compare(Buffer.from(one), Buffer.from(other)),
    )
    assert.deepEqual(ids(await app.get('/things', { 'page[size]': '0' })), sorted)
    for (const id of odd) {
      const { one } = await app.get(`/things/${encodeURIComponent(id)}`)
      assert.deepEqual([one.id, one.attributes?.name], [id, `name of ${id}`])
      for (const link of Object.values(one.relationships?.knows?.links ?? {}))
        assert.deepEqual((await app.get(link)).many, [])
      assert.deepEqual(ids(await app.get('/things', { 'filter[id]': id })), [id])
      const list = [{ name: 'id', op: 'in_', val: [id] }]
      assert.deepEqual(ids(await app.get('/things', { filter: list })), [id])
    }
  })

  it('work in linkage, in included resources and in writes', async () => {
    const data = odd.map((id) => ({ type: 'thing', id }))
    for (const id of odd) await create(app, id)
    const hub = (await create(app, 'hub', { relationships: { parts: { data } } })).one.links?.self
    await app.patch(`${hub}/relationships/knows`, { data })
    const response = await app.get(`${hub}`, { include: 'knows,parts.whole' })
    const returned = response.one.relationships
    const byText = (all: unknown) =>
      [all]
        .flat()
        .map((each) => JSON.stringify(each))
        .sort()
    assert.deepEqual(byText(returned?.knows?.data), byText(data))
    assert.deepEqual(byText(returned?.parts?.data), byText(data))
    assert.deepEqual(response.body.included?.map(({ id }) => id).sort(), odd.toSorted())
    for (const each of data) await app.delete(`${hub}/relationships/knows`, { data: [each] })
    assert.deepEqual((await app.get(`${hub}/knows`)).many, [])
    const missing = await app.post(`${hub}/relationships/knows`, {
      data: [{ type: 'thing', id: 'a" or "b' }],
    })
    assert.equal(missing.status, 404)
  })
})

engine('UUIDs in upper case', givenUuids, (app) => {
  it('identify the same resource as in lower case: in paths, linkage, filters and bodies', async () => {
    const [upper, otherUpper] = [low.toUpperCase(), other.toUpperCase()]
    const made = await create(app, upper)
    assert.equal(made.one.id, low)
    assert.equal((await create(app, low)).error.code, 'id_taken')
    assert.equal((await create(app, otherUpper)).one.id, other)
    // Links are in lower case: the checker, which wants those of the request itself, is not used.
    const { self } = (await app.get('/things')).body.links ?? {}
    const response = await fetch(`${self}/${upper}`)
    assert.equal(response.status, 200)
    assert.match(await response.text(), new RegExp(`"self":"/things/${low}"`))
    const identifier = { type: 'thing', id: otherUpper }
    const path = `/things/${low}/relationships`
    for (const [method, name, data] of [
      ['POST', 'knows', [identifier, { type: 'thing', id: other }]],
      ['PATCH', 'parts', [identifier]],
    ] as const) {
      const response = await app.call(method, `${path}/${name}`, { body: { data } })
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(ids(await app.get(`${path}/${name}`)), [other])
    }
    const complete = { data: { type: 'thing', id: upper } }
    const part = { type: 'thing', id: otherUpper, relationships: { whole: complete } }
    assert.equal((await app.patch(`/things/${other}`, { data: part })).status, 200)
    assert.deepEqual(ids(await app.get('/things', { 'filter[id]': upper })), [low])
    assert.deepEqual(ids(await app.get('/things', { 'filter[whole__id]': upper })), [other])
    const third = { type: 'thing', relationships: { whole: complete } }
    assert.equal((await app.post(`/things/${low}/parts`, { data: third })).status, 201)
    await app.delete(`${path}/knows`, { data: [identifier] })
    assert.deepEqual(ids(await app.get(`${path}/knows`)), [])
  })
})

const conflicts = {
  ...givenUuids,
  model: defineModel(
    [
      resource('thing', {
        ...{ path: '/things', table: 'thing', id: { kind: uuid, client: 'optional' } },
        fields: { name: attribute(text) },
      }),
    ],
    { idMismatch: 'conflict' },
  ),
}

engine('UUIDs with idMismatch: conflict', conflicts, (app) => {
  it('the same id in upper case is not a conflict', async () => {
    await create(app, low)
    const body = (id: string) => ({ data: { type: 'thing', id } })
    assert.equal((await app.patch(`/things/${low}`, body(low.toUpperCase()))).status, 200)
    assert.equal((await app.patch(`/things/${low}`, body(other))).error.code, 'id_conflict')
  })
})
