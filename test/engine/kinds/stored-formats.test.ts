import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import {
  attribute,
  type BooleanFormat,
  boolean,
  computed,
  type DatetimeFormat,
  datetime,
  defineModel,
  type Kind,
  resource,
  storedAs,
  text,
} from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { partOnOthers } from '../../long-tests.ts'
import { statementsOf } from '../../service/statements.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { attributeText, attributeTexts, create } from '../things.ts'

/** A format with its column types, and what is stored for values in ascending order. */
interface Format {
  readonly kind: Kind<unknown>
  readonly types: readonly [sqlite: string, postgres: string]
  /** The values as JSON, and as SQL, in ascending order. */
  readonly stored: readonly (readonly [json: string, sql: string])[]
  /** Stored values that are not of the format, as SQL. Only columns of SQLite accept the last ones. */
  readonly invalid: readonly string[]
  readonly onlySqlite?: readonly string[]
  /** JSON values that the format cannot store. */
  readonly rejected?: readonly string[]
}

const texts = ['text', 'varchar(40)'] as const
const finer = { seconds: '"2024-02-29T12:34:56.5Z"', milliseconds: '"2024-02-29T12:34:56.0005Z"' }

function datetimeFormat(
  format: DatetimeFormat,
  [first, second, third]: readonly [string, string, string],
  others: Omit<Format, 'kind' | 'stored'> & Readonly<{ fraction?: string }>,
): Format {
  const { fraction = '' } = others
  return {
    ...others,
    kind: storedAs(datetime, format),
    stored: [
      ['"0001-01-01T00:00:00Z"', first],
      [`"2024-02-29T12:34:56${fraction}Z"`, second],
      ['"9999-12-31T23:59:59Z"', third],
    ],
  }
}

function booleanFormat(
  format: BooleanFormat,
  yes: string,
  no: string,
  type: Format['types'] = texts,
): Format {
  return {
    kind: storedAs(boolean, format),
    types: type,
    stored: [
      ['false', no],
      ['true', yes],
    ],
    invalid: format !== '1/0' ? ["'x'", "''"] : ['2', '-1'],
  }
}

const badDates = ["'0000-00-00 00:00:00'", "''", "'2024-02-29'", "'2023-02-29 12:34:56'"]
const badInstants = ["'2024-02-29 12:34:56'", "'2023-02-29T12:34:56Z'", "'2024-02-29T24:00:00Z'"]

// biome-ignore format: a table, one format a row
const formats: Readonly<Record<string, Format>> = {
  seconds: datetimeFormat('epoch-seconds', ['-62135596800', '1709210096', '253402300799'],
    { types: ['integer', 'bigint'], invalid: ['253402300800', '-62135596801'], onlySqlite: ["'abc'", '1.5', "''"], rejected: [finer.seconds] }),
  millis: datetimeFormat('epoch-milliseconds', ['-62135596800000', '1709210096250', '253402300799000'],
    { types: ['datetime', 'numeric(20)'], fraction: '.25', invalid: ['253402300800000'], onlySqlite: ["'2024-02-29'"], rejected: [finer.milliseconds] }),
  spaced: datetimeFormat('YYYY-MM-DD HH:MM:SS', ["'0001-01-01 00:00:00'", "'2024-02-29 12:34:56'", "'9999-12-31 23:59:59'"],
    { types: texts, invalid: [...badDates, "'2024-02-29T12:34:56'", "'2024-02-29 12:34:56Z'"], rejected: [finer.seconds] }),
  spaced3: datetimeFormat('YYYY-MM-DD HH:MM:SS.SSS', ["'0001-01-01 00:00:00.000'", "'2024-02-29 12:34:56.250'", "'9999-12-31 23:59:59.000'"],
    { types: texts, fraction: '.25', invalid: [...badDates, "'2024-02-29 12:34:56'"], rejected: [finer.milliseconds] }),
  spaced6: datetimeFormat('YYYY-MM-DD HH:MM:SS.SSSSSS', ["'0001-01-01 00:00:00.000000'", "'2024-02-29 12:34:56.000001'", "'9999-12-31 23:59:59.000000'"],
    { types: texts, fraction: '.000001', invalid: badDates }),
  iso: datetimeFormat('YYYY-MM-DDTHH:MM:SSZ', ["'0001-01-01T00:00:00Z'", "'2024-02-29T12:34:56Z'", "'9999-12-31T23:59:59Z'"],
    { types: texts, invalid: [...badInstants, "'2024-02-29T12:34:56+00:00'"], rejected: [finer.seconds] }),
  iso3: datetimeFormat('YYYY-MM-DDTHH:MM:SS.SSSZ', ["'0001-01-01T00:00:00.000Z'", "'2024-02-29T12:34:56.250Z'", "'9999-12-31T23:59:59.000Z'"],
    { types: texts, fraction: '.25', invalid: badInstants, rejected: [finer.milliseconds] }),
  iso6: datetimeFormat('YYYY-MM-DDTHH:MM:SS.SSSSSSZ', ["'0001-01-01T00:00:00.000000Z'", "'2024-02-29T12:34:56.250000Z'", "'9999-12-31T23:59:59.000000Z'"],
    { types: texts, fraction: '.25', invalid: badInstants }),
  local: datetimeFormat('YYYY-MM-DDTHH:MM:SS', ["'0001-01-01T00:00:00'", "'2024-02-29T12:34:56'", "'9999-12-31T23:59:59'"],
    { types: texts, invalid: [...badInstants, "'2024-02-29T12:34:56Z'"], rejected: [finer.seconds] }),
  offset: datetimeFormat('YYYY-MM-DD HH:MM:SS+00:00', ["'0001-01-01 00:00:00+00:00'", "'2024-02-29 12:34:56+00:00'", "'9999-12-31 23:59:59+00:00'"],
    { types: texts, invalid: [...badDates, "'2024-02-29 12:34:56+01:00'"], rejected: [finer.seconds] }),
  offset6: datetimeFormat('YYYY-MM-DDTHH:MM:SS.SSSSSS+00:00', ["'0001-01-01T00:00:00.000000+00:00'", "'2024-02-29T12:34:56.250000+00:00'", "'9999-12-31T23:59:59.000000+00:00'"],
    { types: texts, fraction: '.25', invalid: badInstants }),
  tf: booleanFormat('t/f', "'t'", "'f'"),
  TF_upper: booleanFormat('T/F', "'T'", "'F'", ['text', 'char(1)']),
  yn: booleanFormat('y/n', "'y'", "'n'"),
  YN_upper: booleanFormat('Y/N', "'Y'", "'N'"),
  yes: booleanFormat('yes/no', "'yes'", "'no'"),
  YES_upper: booleanFormat('YES/NO', "'YES'", "'NO'"),
  words: booleanFormat('true/false', "'true'", "'false'"),
  WORDS_upper: booleanFormat('TRUE/FALSE', "'TRUE'", "'FALSE'"),
  bit: booleanFormat('1/0', '1', '0', ['integer', 'smallint']),
}

const entries = Object.entries(formats)
const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    ...Object.fromEntries(entries.map(([name, { kind }]) => [name, attribute(kind)])),
    seen: computed(text, { iso: storedAs(datetime, 'YYYY-MM-DDTHH:MM:SSZ') }, ({ iso }) => iso),
  },
})
const lenient = resource('lenient', {
  path: '/lenient',
  table: 'thing',
  fields: Object.fromEntries(
    entries.map(([name, { kind }]) => [name, attribute(kind, { invalidValues: 'null' })]),
  ),
})
const tables = (_: unknown, dialect: 'sqlite' | 'postgres') => `
  create table thing (
    id ${dialect === 'sqlite' ? 'integer' : 'bigint generated by default as identity'} primary key,
    ${entries.map(([name, { types }]) => `"${name}" ${types[dialect === 'sqlite' ? 0 : 1]}`).join(', ')})`

engine(
  'Declared formats of stored values',
  { model: defineModel([thing, lenient]), tables },
  (app) => {
    for (const [name, format] of entries) {
      const { kind, stored, invalid, onlySqlite = [], rejected = [] } = format
      it(`${name}: values that are stored in the format are returned, filtered and sorted by their value`, async () => {
        const rows = stored.map(([, value]) => `(${value})`).toReversed()
        await app.execute(`insert into thing ("${name}") values ${rows.join(', ')}, (null)`)
        const expected = stored.map(([json]) => json)
        assert.deepEqual(attributeTexts(await app.get('/things', { sort: name }), name), [
          ...expected,
          'null',
        ])
        assert.deepEqual(attributeTexts(await app.get('/things', { sort: `-${name}` }), name), [
          'null',
          ...expected.toReversed(),
        ])
        const found = async (op: string, val: unknown) =>
          attributeTexts(
            await app.get('/things', { filter: [{ name, op, val }], sort: name }),
            name,
          )
        for (const [at, json] of expected.entries()) {
          const val: unknown = JSON.parse(json)
          assert.deepEqual(await found('eq', val), [json])
          assert.deepEqual(await found('in_', [val]), [json])
          assert.deepEqual(
            await found('ne', val),
            expected.filter((each) => each !== json),
          )
          if (kind.operators === 'plain') continue
          assert.deepEqual(await found('gt', val), expected.slice(at + 1))
          assert.deepEqual(await found('le', val), expected.slice(0, at + 1))
          const read = await app.get('/things', { [`filter[${name}]`]: String(val) })
          assert.deepEqual(attributeTexts(read, name), [json])
        }
      })

      for (const [json, value] of stored)
        it(`${name}: ${json} is stored in the format`, async () => {
          const made = await create(app, { [name]: json })
          assert.equal(made.status, 201, made.text)
          assert.equal(attributeText(made, name), json)
          await app.execute(`delete from thing where "${name}" <> ${value}`)
          assert.equal((await app.get(`/things/${made.one.id}`)).status, 200, 'the format is exact')
        })

      it(`${name}: a value that is not of the format is an error, or null`, async () => {
        const others = app.dialect === 'sqlite' ? onlySqlite : []
        for (const value of [...invalid, ...others]) {
          await app.execute(
            `delete from thing; insert into thing (id, "${name}") values (1, ${value}), (2, ${stored[0]?.[1]})`,
          )
          assert.equal((await app.get('/things')).status, 500, value)
          const list = await app.get('/lenient')
          assert.deepEqual(attributeTexts(list, name), ['null', stored[0]?.[0]], value)
          const filter = [{ name, op: 'eq', val: null }]
          assert.deepEqual(ids(await app.get('/lenient', { filter })), ['1'], value)
          assert.deepEqual(ids(await app.get('/lenient', { sort: name })), ['2', '1'], value)
        }
      })

      for (const [index, json] of rejected.entries()) {
        it(
          `${name}: ${json}, which the format cannot store, is rejected in a body and in a filter`,
          partOnOthers(app.dialect, index, 8),
          async () => {
            const { status, error } = await create(app, { [name]: json })
            assert.equal(status, 422)
            assert.match(
              error.detail,
              /must be a date and time (without a fraction|with at most 3 digits) of a second/,
            )
            const filter = [{ name, op: 'gt', val: JSON.parse(json) }]
            assert.equal((await app.get('/things', { filter })).status, 400)
          },
        )
      }
    }

    it('a computed attribute reads the value', async () => {
      await app.execute("insert into thing (iso) values ('2024-02-29T12:34:56Z')")
      assert.equal(attributeText(await app.get('/things/1'), 'seen'), '"2024-02-29T12:34:56Z"')
    })

    it('fields of two formats cannot be compared with each other', async () => {
      const filter = [{ name: 'seconds', op: 'lt', field: 'millis' }]
      const { status, error } = await app.get('/things', { filter })
      assert.equal(status, 400)
      assert.match(
        error.detail,
        /seconds \(datetime as epoch-seconds\) cannot be compared with millis \(datetime as epoch-milliseconds\)/,
      )
    })

    it('a value that the type of the column cannot store is rejected', async () => {
      if (app.dialect === 'sqlite') return
      await app.execute('alter table thing alter column seconds type integer using null')
      const made = await create(app, { seconds: '"2039-01-01T00:00:00Z"' })
      assert.notEqual(made.status, 201)
      assert.ok(made.status < 500, made.text)
    })
  },
)

describe('storedAs', () => {
  it('rejects kinds and formats that it does not have', () => {
    assert.throws(() => storedAs(text, 'epoch-seconds'), {
      name: 'RangeError',
      message: 'storedAs: the kind must be boolean or datetime; it is text',
    })
    assert.throws(() => storedAs(datetime, 'epoch' as DatetimeFormat), /has no format "epoch"/)
    assert.throws(
      () => storedAs(boolean, 'epoch-seconds' as BooleanFormat),
      /boolean has no format/,
    )
  })
})

describe('Datetimes of SQLite with an index', () => {
  const at = (kind: typeof datetime) =>
    defineModel([
      resource('thing', { path: '/things', table: 'thing', fields: { at: attribute(kind) } }),
    ])
  const open = (kind: typeof datetime) => openSqlite(at(kind), ':memory:')
  const sql =
    'create table thing (id integer primary key, at datetime); create index thing_at on thing (at)'

  it('without a format, the startup warns that the index is not used', async () => {
    const store = open(datetime)
    await store.migrate([{ version: 1, sql }])
    assert.deepEqual((await store.verify()).warnings, [
      "thing.fields.at: filters and sorts convert the text of every row, and do not use the index; to fix it: declare the format of the texts, e.g. storedAs(datetime, 'YYYY-MM-DD HH:MM:SS')",
    ])
    await store.close()
  })

  it('with a format, the startup does not warn', async () => {
    const store = open(storedAs(datetime, 'epoch-milliseconds'))
    await store.migrate([{ version: 1, sql }])
    assert.deepEqual((await store.verify()).warnings, [])
    await store.close()
  })
})

const indexed = {
  only: 'sqlite',
  model: defineModel([
    resource('thing', {
      path: '/things',
      table: 'thing',
      fields: {
        at: attribute(storedAs(datetime, 'YYYY-MM-DD HH:MM:SS')),
        millis: attribute(storedAs(datetime, 'epoch-milliseconds')),
      },
    }),
  ]),
  tables: `
    create table thing (id integer primary key, at datetime, millis integer);
    create index thing_at on thing (at);
    create index thing_millis on thing (millis)`,
} as const

engine('Queries of SQLite for formats with an index', indexed, (app) => {
  for (const name of ['at', 'millis']) {
    it(`${name}: equality, ranges and sorts use the index`, async () => {
      const val = '2024-02-29T12:34:56Z'
      for (const query of [
        { filter: [{ name, op: 'eq', val }] },
        { filter: [{ name, op: 'in_', val: [val] }] },
        { filter: [{ name, op: 'ge', val }], sort: name },
        { filter: [{ name, op: 'between', val: [val, val] }], sort: name },
        { sort: name },
        { sort: `-${name}` },
      ]) {
        const statements = await statementsOf(() => app.get('/things', query))
        const database = new DatabaseSync(app.databaseUrl.replace('sqlite:', ''))
        const plans = statements
          .filter((statement) => /from "thing"/.test(statement) && !/count\(\*\)/.test(statement))
          .map((statement) => {
            const rows = database.prepare(`explain query plan ${statement}`).all()
            return rows.map(({ detail }) => detail).join('; ')
          })
        database.close()
        assert.ok(plans.length > 0, statements.join('\n'))
        for (const plan of plans) {
          assert.match(plan, new RegExp(`INDEX thing_${name}`), JSON.stringify(query))
          if ('sort' in query)
            assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER BY/, JSON.stringify(query))
        }
      }
    })
  }
})
