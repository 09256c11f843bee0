import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  auth,
  createApi,
  defineKind,
  defineModel,
  integer,
  type ReadResult,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { createClient } from 'lapidary/client'
import type { ColumnTypes, Database } from '../../databases.ts'
import { databases } from '../../databases.ts'
import { filled } from '../../filled.ts'
import { assertErrors } from '../../service/assert-errors.ts'
import { ids } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

/** A circle, the operand of an operator. */
interface Circle {
  readonly at: number
  readonly radius: number
}

const circle = defineKind({
  name: 'circle',
  schema: { type: 'object', required: ['at', 'radius'] },
  read: (json): ReadResult<Circle> => {
    const { at, radius } = Object(json)
    return Number.isInteger(at) && Number.isInteger(radius)
      ? { value: { at, radius } }
      : { expected: 'a circle, such as {"at":5,"radius":2}' }
  },
  stores: text,
  load: (stored): Circle => {
    const [at = 0, radius = 0] = stored.split(' ').map(Number)
    return { at, radius }
  },
  bind: ({ at, radius }) => `${at} ${radius}`,
})

/** A place on a line, stored as a number. */
const place = defineKind({
  name: 'place',
  schema: { type: 'integer' },
  read: (json) =>
    typeof json === 'number' && Number.isInteger(json) ? { value: json } : { expected: 'a place' },
  stores: integer,
  load: (stored) => stored,
  bind: (value) => value,
  customOperators: {
    near: {
      takes: circle,
      sql: {
        sqlite: (column, value) =>
          sql`abs(${column} - cast(${value} as integer)) <= cast(substr(${value}, instr(${value}, ' ') + 1) as integer)`,
        postgres: (column, value) =>
          sql`abs(${column} - split_part(${value}, ' ', 1)::int) <= split_part(${value}, ' ', 2)::int`,
      },
    },
    beyond: {
      takes: integer,
      sql: {
        sqlite: (column, value) => sql`${column} > ${value} or ${column} = -1`,
        postgres: (column, value) => sql`${column} > ${value} or ${column} = -1`,
      },
    },
  },
})

const shop = resource('shop', {
  path: '/shops',
  table: 'shop',
  access: {
    read: {
      any: [
        {
          filter: [
            { name: 'location', op: 'beyond', val: auth(({ from }: { from: number }) => from) },
          ],
        },
        { filter: [{ name: 'location', op: 'near', val: { at: 1, radius: 0 } }] },
      ],
    },
  },
  fields: { location: attribute(place), town: toOne('town', { column: 'town_id' }) },
})
const town = resource('town', {
  path: '/towns',
  table: 'town',
  fields: { name: attribute(text), shops: toMany('shop', { column: 'town_id' }) },
})
const model = defineModel([shop, town])

const tables = (types: ColumnTypes) => `
  create table town (id ${types.newId}, name text);
  create table shop (id ${types.newId}, location integer, town_id ${types.id} references town (id));
  insert into town (name) values ('A'), ('B');
  insert into shop (location, town_id) values (1, 1), (5, 1), (9, 2), (null, 2);`

engine(
  'Operators of a kind of a program',
  { model, tables, server: { authenticate: () => ({ from: 0 }) } },
  (app) => {
    const near = (at: number, radius: number) => ({
      name: 'location',
      op: 'near',
      val: { at, radius },
    })
    const found = async (filter: unknown, path = '/shops') =>
      ids(await app.get(path, { filter: filter as never }))

    it('filter, with others and through relationships', async () => {
      assert.deepEqual(await found([near(5, 4)]), ['1', '2', '3'])
      assert.deepEqual(await found([near(5, 0)]), ['2'])
      assert.deepEqual(await found([{ not: near(5, 0) }]), ['1', '3'])
      assert.deepEqual(await found([{ or: [near(9, 0), near(1, 0)] }]), ['1', '3'])
      assert.deepEqual(await found([{ name: 'location', op: 'beyond', val: 1 }, near(5, 1)]), ['2'])
      const through = { ...near(9, 1), name: 'shops__location' }
      assert.deepEqual(await found([through], '/towns'), ['2'])
      const any = { name: 'shops', op: 'any', val: near(1, 0) }
      assert.deepEqual(await found([any], '/towns'), ['1'])
      assert.equal(
        (await app.get('/shops', { filter: [near(5, 4)] as never, 'page[size]': '1' })).body.meta
          ?.count,
        3,
      )
    })

    it('reject wrong operands, and unknown operators with the names of those that exist', async () => {
      const bad = async (term: object, says: string) =>
        assertErrors(await app.get('/shops', { filter: [term] as never }), 400, {
          status: 400,
          at: 'filter',
          says,
        })
      await bad(
        { ...near(1, 1), val: 5 },
        'location must be compared with a circle, such as {"at":5,"radius":2}; this is 5',
      )
      await bad({ ...near(1, 1), val: null }, '"near" takes a value of the kind circle')
      await bad(
        { name: 'location', op: 'near', field: 'location' },
        '"near" takes a value of the kind circle',
      )
      await bad({ ...near(1, 1), op: 'nearr' }, 'did you mean "near"?')
      await bad({ name: 'id', op: 'near', val: 1 }, 'id has no operator "near"')
    })

    it('are typed in process and in the client', async () => {
      const store = await openStore(model, app.databaseUrl)
      try {
        const api = createApi({ model, store }).with({ auth: { from: 1 } })
        const conditions = { location: { near: { at: 5, radius: 4 }, ne: 9 } } as const
        const { data } = await api.list('shop', { filter: conditions })
        assert.deepEqual(
          data.map(({ location }) => location),
          [1, 5],
        )
        const listed = await api.list('shop', {
          filter: [{ name: 'location', op: 'beyond', val: 5 }],
        })
        assert.equal(listed.meta.count, 1)
        const client = createClient<typeof model>({ url: 'http://127.0.0.1:1' })
        const mistakes = () => [
          client.shop.list({ filter: conditions }),
          // @ts-expect-error the operand is a circle
          client.shop.list({ filter: { location: { near: 5 } } }),
          // @ts-expect-error no such operator
          client.shop.list({ filter: { location: { far: 5 } } }),
          // @ts-expect-error no such operator
          api.list('shop', { filter: [{ name: 'location', op: 'far', val: 5 }] }),
        ]
        assert.equal(typeof mistakes, 'function')
      } finally {
        await store.close()
      }
    })
  },
)

describe('Operators of a kind of a program at the start', () => {
  const define = (customOperators: unknown) =>
    defineKind({
      name: 'place',
      schema: { type: 'integer' },
      read: (json: unknown) => ({ value: json }),
      stores: integer,
      load: (stored: unknown) => stored,
      bind: (value: unknown) => value,
      customOperators,
    } as never)
  const write = () => sql`true`

  it('are rejected with the name of the wrong member', () => {
    const rejected = (operators: unknown, message: RegExp) =>
      assert.throws(() => define(operators), message)
    rejected('near', /customOperators must be an object/)
    for (const name of ['eq', 'any', 'call', 'count_ge'])
      rejected({ [name]: {} }, new RegExp(`customOperators\\.${name}: there is an operator`))
    rejected({ 'a b': {} }, /customOperators\.a b: must be a name/)
    rejected({ near: { sql: { sqlite: write } } }, /near\.takes must be an attribute kind/)
    rejected({ near: { takes: integer } }, /near\.sql must have a function for sqlite or postgres/)
    rejected({ near: { takes: integer, sql: { mysql: write } } }, /near\.sql\.mysql must be a/)
  })

  for (const database of databases)
    it(`must have SQL that the database accepts · ${database.name}`, async (test) => {
      const reject = (writers: object, message: RegExp) =>
        assert.rejects(verify(test, database, writers), message)
      const { dialect } = database
      await reject(
        { [dialect === 'sqlite' ? 'postgres' : 'sqlite']: write },
        new RegExp(
          `thing\\.fields\\.place: the operator near of the kind place has no SQL for ${dialect}`,
        ),
      )
      await reject(
        { [dialect]: () => sql`no_such_function(1)` },
        /thing\.fields\.place: the operator near: the database rejects its SQL: .*no_such_function/,
      )
    })

  async function verify(
    test: Parameters<typeof filled>[0],
    database: Database,
    writers: object,
  ): Promise<unknown> {
    const kind = define({ near: { takes: integer, sql: writers } })
    const thing = resource('thing', {
      path: '/things',
      table: 'thing',
      access: 'read-only',
      fields: { place: attribute(kind) },
    })
    const url = await filled(
      test,
      database,
      'create table thing (id bigint primary key, place bigint)',
    )
    const store = await openStore(defineModel([thing]), url)
    test.after(() => store.close())
    return store.verify()
  }
})
