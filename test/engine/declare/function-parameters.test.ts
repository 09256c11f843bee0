import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  array,
  attribute,
  createApi,
  date,
  defineModel,
  idQuery,
  integer,
  json,
  nullable,
  resource,
  sql,
  tableFunction,
  text,
  withDefault,
} from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import type { Query } from '../../client.ts'
import { assertErrors } from '../../service/assert-errors.ts'
import { ids } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

/** Parameters of every form, in a table function and in a query. */
function declare(dialect: DialectName) {
  const isPostgres = dialect === 'postgres'
  const pick = resource('pick', {
    path: '/picks',
    table: tableFunction(
      {
        keys: array(integer),
        options: nullable(json),
        label: withDefault(text, 'none'),
        day: withDefault(date, sql`'2024-02-29'`),
        note: nullable(text),
      },
      ({ keys, options, label, day, note }) => {
        const columns = sql`${label} as label, ${day} as day, ${note} as note`
        return isPostgres
          ? sql`select n as number, ${columns}, ${options} ->> 'color' as color from unnest(${keys}) as n`
          : sql`select n.value as number, ${columns}, ${options} ->> '$.color' as color from json_each(${keys}) as n`
      },
    ),
    id: 'number',
    access: 'read-only',
    fields: {
      its_label: attribute(text, { column: 'label' }),
      its_day: attribute(date, { column: 'day' }),
      its_note: attribute(text, { column: 'note' }),
      color: attribute(text),
    },
  })
  const small = resource('small', {
    path: '/smalls',
    table: tableFunction({ value: integer }, ({ value }) =>
      isPostgres ? sql`select ${value}::smallint as number` : sql`select ${value} as number`,
    ),
    id: 'number',
    access: 'read-only',
    fields: {},
  })
  const item = resource('item', {
    path: '/items',
    table: 'item',
    queries: {
      chosen: idQuery(
        { keys: array(integer), name: nullable(json), lowest: withDefault(integer, sql`1 + 1`) },
        ({ keys, name, lowest }) => {
          const named = isPostgres ? sql`${name} ->> 'is'` : sql`${name} ->> '$.is'`
          const from = isPostgres ? sql`unnest(${keys}) as k (value)` : sql`json_each(${keys}) as k`
          return sql`select i.id from item as i join ${from} on k.value = i.id
            where i.id >= ${lowest} and coalesce(${named}, i.name) = i.name`
        },
      ),
      small: idQuery({ value: integer }, ({ value }) =>
        isPostgres ? sql`select ${value}::smallint::bigint` : sql`select ${value}`,
      ),
    },
    fields: { name: attribute(text) },
  })
  return defineModel([pick, small, item])
}

for (const dialect of ['sqlite', 'postgres'] as const)
  engine(
    'Parameters of functions',
    {
      only: dialect,
      model: declare(dialect),
      tables: ({ newId }) => `
        create table item (id ${newId}, name text);
        insert into item (name) values ('a'), ('b'), ('c');`,
    },
    (app) => {
      const rows = async (query: Query) => {
        const { status, body } = await app.get('/picks', query)
        assert.equal(status, 200, JSON.stringify(body))
        const data = body.data as readonly Readonly<{ id: string; attributes: object }>[]
        return data.map(({ id, attributes }) => [id, attributes])
      }
      const omitted = { its_label: 'none', its_day: '2024-02-29', its_note: null, color: null }

      it('may be omitted: they are null, or have the default', async () => {
        assert.deepEqual(await rows({ 'filter[keys]': '[1,2]' }), [
          ['[1~12],,none,,,1', omitted],
          ['[1~12],,none,,,2', omitted],
        ])
        assert.deepEqual(await rows({ 'filter[keys]': '[]' }), [])
        // As a form sends them that works without a script.
        const empty = { 'filter[day]': '', 'filter[options]': '' }
        assert.deepEqual(
          await rows({ 'filter[keys]': '[1,2]', ...empty }),
          await rows({ 'filter[keys]': '[1,2]' }),
        )
      })

      for (const [path, filter, parameter] of [
        ['/smalls', { 'filter[value]': '32768' }, 'filter'],
        ['/smalls/32768,32768', {}, 'id'],
        ['/items', { 'filter[small]': '32768' }, 'filter'],
      ] as const)
        it(`given ${path} ${JSON.stringify(filter)}, a value beyond the type in the database, then PostgreSQL rejects it`, async () => {
          const says = 'out of the range that the function of the database accepts'
          const response = await app.get(path, filter)
          if (dialect === 'sqlite') assert.equal(response.status, 200, path)
          else assertErrors(response, 400, { status: 400, at: parameter, says })
        })

      it('may have the greatest value of their type in the database', async () => {
        assert.deepEqual(ids(await app.get('/smalls', { 'filter[value]': '32767' })), [
          '32767,32767',
        ])
      })

      it('are arrays and JSON in texts and in filter objects', async () => {
        const expected = [
          [
            '[7],{"color":"a~1b"},x,2024-01-01,"",7',
            { its_label: 'x', its_day: '2024-01-01', its_note: '', color: 'a,b' },
          ],
        ]
        const sent = {
          keys: [7],
          options: { color: 'a,b' },
          label: 'x',
          day: '2024-01-01',
          note: '',
        }
        const texts = Object.entries(sent).map(([name, value]) => [
          `filter[${name}]`,
          typeof value === 'string' ? value : JSON.stringify(value),
        ])
        assert.deepEqual(await rows(Object.fromEntries(texts)), expected)
        const filter = Object.entries(sent).map(([name, val]) => ({ name, op: 'eq', val }))
        assert.deepEqual(await rows({ filter }), expected)
      })

      const keys = { 'filter[keys]': '[1]' }

      for (const query of [
        keys,
        { ...keys, 'filter[note]': '' },
        { ...keys, 'filter[note]': '"' },
        { ...keys, 'filter[note]': '"x"' },
        { ...keys, 'filter[note]': 'null' },
        { ...keys, 'filter[note]': '~,1', 'filter[label]': '' },
        { ...keys, 'filter[options]': '{"color":"~\\"/"}' },
        { ...keys, 'filter[options]': '[1,[],null]', 'filter[day]': '2024-01-01' },
      ])
        it(`are parts of ids by which each resource is found again: ${JSON.stringify(query)}`, async () => {
          const [[id, attributes] = []] = await rows(query)
          const { status, body } = await app.get(`/picks/${encodeURIComponent(String(id))}`)
          assert.equal(status, 200, String(id))
          const data = body.data as Readonly<{ id: string; attributes: object }>
          assert.deepEqual([data.id, data.attributes], [id, attributes])
          assert.deepEqual(ids(await app.get('/picks', { ...query, 'filter[id]': String(id) })), [
            id,
          ])
        })

      it('have one spelling in ids', async () => {
        const [one, other] = [await rows(keys), await rows({ ...keys, 'filter[label]': 'none' })]
        assert.deepEqual(one, other, 'the default and the same value are one call')
        for (const id of [
          '[1],,,,1',
          '1,,none,,,1',
          '[1],x,none,,,1',
          ',,none,,,1',
          '[1],,none,x,,1',
        ])
          assert.equal((await app.get(`/picks/${encodeURIComponent(id)}`)).status, 404, id)
      })

      it('are rejected if they are missing or have no value of their kinds', async () => {
        const bad = async (query: Query, says: string, at: string) =>
          assertErrors(await app.get('/picks', query), 400, { status: 400, at, says })
        await bad({}, 'pick needs the parameter "keys"', 'filter[keys]')
        await bad({ 'filter[keys]': '' }, 'must be an array', 'filter[keys]')
        await bad({ 'filter[keys]': '1' }, 'must be an array', 'filter[keys]')
        await bad({ 'filter[keys]': '["a"]' }, 'each element is a whole number', 'filter[keys]')
        const keys = { name: 'keys', op: 'eq', val: [1] }
        await bad({ filter: [{ ...keys, val: null }] }, 'must be an array', 'filter')
        const wrong = async (name: string, val: unknown, says: string) =>
          bad({ filter: [keys, { name, op: 'eq', val }] }, says, 'filter')
        await wrong('options', 3, 'must be a JSON object or array')
        await wrong('options', { '-': 1 }, 'member names that JSON:API allows')
        await wrong('label', null, 'must be a string')
        await wrong('day', null, 'must be a calendar date')
        const note = { name: 'note', op: 'eq', val: null }
        assert.equal((await rows({ filter: [keys, note] })).length, 1)
        await bad({ filter: [keys, note, note] }, 'is sent twice', 'filter')
      })

      it('of queries may be omitted, too', async () => {
        const chosen = async (val: object) =>
          ids(await app.get('/items', { filter: [{ name: 'chosen', op: 'call', val }] as never }))
        assert.deepEqual(await chosen({ keys: [1, 2, 3] }), ['2', '3'])
        assert.deepEqual(await chosen({ keys: [1, 2, 3], lowest: 1, name: { is: 'a' } }), ['1'])
        assert.deepEqual(await chosen({ keys: [1, 2, 3], name: null }), ['2', '3'])
        assert.deepEqual(await chosen({ keys: null }), [])
        assert.deepEqual(ids(await app.get('/items', { 'filter[chosen]': '[3,1]' })), ['3'])
        const bad = async (val: object, says: string) =>
          assertErrors(
            await app.get('/items', { filter: [{ name: 'chosen', op: 'call', val }] as never }),
            400,
            { status: 400, at: 'filter', says },
          )
        await bad({}, 'chosen needs the parameter "keys"')
        await bad({ keys: [1], lowest: null }, 'lowest must be a value, or absent')
        await bad({ keys: [1], name: 'a' }, 'name must be a JSON object or array')
      })

      it('are typed in process', async () => {
        const model = declare(dialect)
        const store = await openStore(model, app.databaseUrl)
        try {
          const client = createApi({ model, store }).with({})
          const list = async (filter: Parameters<typeof client.list<'pick'>>[1]) =>
            (await client.list('pick', filter)).data
          const [first] = await list({ filter: { keys: [1], note: null } })
          assert.equal(first?.its_label, 'none')
          const [second] = await list({
            filter: { keys: [1], options: { eq: { color: 'red' } }, day: '2024-01-01' },
          })
          assert.deepEqual([second?.color, second?.its_day], ['red', '2024-01-01'])
          // @ts-expect-error the parameter keys is required
          await assert.rejects(list({ filter: { label: 'x' } }), /needs the parameter "keys"/)
          // @ts-expect-error the parameter keys is required
          await assert.rejects(client.list('pick'), /needs the parameter "keys"/)
          // @ts-expect-error the parameter keys is required
          await assert.rejects(client.documents.list('pick', {}), /needs the parameter "keys"/)
          // @ts-expect-error the parameter keys is required
          await assert.rejects(client.each('pick').next(), /needs the parameter "keys"/)
          assert.equal((await client.list('item')).meta.count, 3)
          // @ts-expect-error null is not a value of a parameter with a default
          await assert.rejects(list({ filter: { keys: [1], label: null } }), /must be a string/)
        } finally {
          await store.close()
        }
      })
    },
  )

describe('Parameters at the start', () => {
  const define = (parameters: object) => () =>
    defineModel([
      resource('pick', {
        path: '/picks',
        // Declarations in plain JavaScript.
        table: tableFunction(parameters as never, () => sql`select 1 as id`),
        access: 'read-only',
        fields: {},
      }),
    ])

  it('are rejected if a default is not a value of their kind', () => {
    assert.throws(
      define({ a: withDefault(integer, 'x' as never) }),
      /pick\.table\.parameters\.a\.default: must be a whole number.*; it is "x"/,
    )
    assert.throws(
      define({ a: withDefault(text, null as never) }),
      /pick\.table\.parameters\.a\.default: must be a string; it is null/,
    )
    assert.throws(
      define({ a: nullable('text' as never) }),
      /pick\.table\.parameters\.a\.kind: must be an attribute kind/,
    )
    define({ a: withDefault(integer, 1), b: withDefault(date, sql`current_date`) })()
  })
})
