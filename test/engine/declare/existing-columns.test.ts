import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  bytes,
  date,
  datetime,
  decimal,
  defineModel,
  integer64,
  json,
  resource,
  time,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { attributeText, attributeTexts, create } from '../things.ts'

/** Columns of SQLite as other programs declare them; those of PostgreSQL are in `postgres-columns.test.ts`. */
const old = resource('thing', {
  path: '/things',
  table: 'old',
  fields: {
    numeric: attribute(decimal({ precision: 15 })),
    real: attribute(decimal({ precision: 10, scale: 2 })),
    whole: attribute(decimal({ precision: 15, scale: 0 })),
    big: attribute(integer64()),
    day: attribute(date),
    at: attribute(datetime),
    clock: attribute(time),
    uuid: attribute(uuid),
    json: attribute(json),
    bytes: attribute(bytes),
  },
})
const served = {
  only: 'sqlite',
  model: defineModel([old]),
  tables: ({ newId }: ColumnTypes) => `
    create table old (id ${newId}, "numeric" numeric(15, 5), "real" double precision,
    whole bigint, big bigint, day date, at datetime, clock time, "uuid" uniqueidentifier, "json" json,
    "bytes" varbinary(20))`,
} as const

/** For each field what stands in the table, as SQL, in the order of the values, and what is returned for it. */
// biome-ignore format: a table, one stored value a row
const stored: Readonly<Record<string, readonly (readonly [sql: string, returned: string])[]>> = {
  numeric: [
    ['-1e20', '"-100000000000000000000"'], ['-7', '"-7"'], ['-0.5', '"-0.5"'], ['0.0', '"0"'], ['1.5e-10', '"0.00000000015"'],
    ['0.1', '"0.1"'], ["'12.50'", '"12.5"'], ["'1e3'", '"1000"'], ['123456789.012345', '"123456789.012345"'],
    ['24996989965577.1', '"24996989965577.1"'],
    ['9007199254740993', '"9007199254740993"'], ['1e300', `"1${'0'.repeat(300)}"`],
  ],
  real: [['-12.5', '"-12.50"'], ['0', '"0.00"'], ['0.1', '"0.10"'], ['12', '"12.00"'], ['12.345', '"12.345"']],
  whole: [['-9223372036854775808', '"-9223372036854775808"'], ['0', '"0"'], ['7.0', '"7"']],
  big: [['-9223372036854775808', '-9223372036854775808'], ['0', '0'], ['7.0', '7'], ['9007199254740993', '9007199254740993']],
  day: [
    ["'0001-01-01'", '"0001-01-01"'], ["'2009-01-01 00:00:00'", '"2009-01-01"'], ["'2009-01-02T00:00:00Z'", '"2009-01-02"'],
    ["'2009-01-03 00:00:00.000000'", '"2009-01-03"'], ["'2009-01-04 00:00'", '"2009-01-04"'], ["'2009-01-05 00:00:00+00:00'", '"2009-01-05"'],
  ],
  at: [
    ["'2008-12-31T23:59:59.9999999Z'", '"2008-12-31T23:59:59.9999999Z"'], ["'2009-01-01'", '"2009-01-01T00:00:00Z"'],
    ["'2009-01-01 00:00:00.5'", '"2009-01-01T00:00:00.5Z"'], ["'2009-01-01T00:01'", '"2009-01-01T00:01:00Z"'],
    ["'2009-01-01 02:02:00+02'", '"2009-01-01T00:02:00Z"'], ["'2009-01-01 02:03:00+0200'", '"2009-01-01T00:03:00Z"'],
    ["'2008-12-31 22:04:00.000 -02:00'", '"2009-01-01T00:04:00Z"'], ["'2009-01-01 00:05:00 UTC'", '"2009-01-01T00:05:00Z"'],
    ["'2009-01-01T00:06:00.250000Z'", '"2009-01-01T00:06:00.25Z"'],
  ],
  clock: [["'00:00'", '"00:00:00"'], ["'09:00:00.000000'", '"09:00:00"'], ["'09:00:00.0000001'", '"09:00:00.0000001"'], ["'09:01'", '"09:01:00"']],
  uuid: [
    ["'00000000-0000-0000-0000-000000000001'", '"00000000-0000-0000-0000-000000000001"'],
    ["'ABCDEF00-0000-0000-0000-000000000001'", '"abcdef00-0000-0000-0000-000000000001"'],
    ["'abcdef00-0000-0000-0000-000000000002'", '"abcdef00-0000-0000-0000-000000000002"'],
  ],
}

/** Stored values that are not of the kind of the field, as SQL. */
const mismatches: Readonly<Record<string, readonly string[]>> = {
  numeric: ["'twelve'", "''", '9e999', "'1,5'", "x'00'", "'1e99999'"],
  big: ['1.5', '1e300', "'x'"],
  day: [
    "'2009-01-01 12:00:00'",
    "'2009-02-30'",
    "'2009'",
    '20090101',
    "'2009-01-01T00:00:00+01:00'",
  ],
  at: ["'yesterday'", '1230768000', "'2009-02-30 00:00:00'", "'2009-01-01 24:00:00'", "''"],
  clock: ["'9:00'", "'24:00'", '900', "'1.09:00:00'"],
  uuid: ["'x'", "x'00112233445566778899aabbccddeeff'", "'00000000000000000000000000000001'"],
  json: ["'x'", "''", "x'00'"],
  bytes: ["'text'", '5'],
}

engine('Columns of SQLite that other programs have made and filled', served, (app) => {
  for (const [name, values] of Object.entries(stored)) {
    it(`${name}: stored values are returned, sorted and filtered by value`, async () => {
      const backwards = values.map(([sql]) => `(${sql})`).toReversed()
      await app.execute(`insert into old ("${name}") values ${backwards.join(', ')}, (null)`)
      const expected = values.map(([, serialized]) => serialized)
      // Days compare as the texts that are stored.
      for (const [sort, order] of [
        [name, [...expected, 'null']],
        [`-${name}`, ['null', ...expected.toReversed()]],
      ] as const) {
        assert.deepEqual(attributeTexts(await app.get('/things', { sort }), name), order)
      }
      for (const [at, [, val]] of values.entries()) {
        if (name === 'day') break
        // A query takes no more digits of a second than a body does.
        if (/\.\d{7}/.test(val)) continue
        const filter = `[{"name":"${name}","op":"eq","val":${val}}]`
        assert.deepEqual(ids(await app.get('/things', { filter })), [String(values.length - at)])
        const among = `[{"name":"${name}","op":"in_","val":[${val},null]}]`
        const { many } = await app.get('/things', { filter: among })
        assert.equal(many.length, 1, among)
      }
    })
  }

  it('a written value is returned as it was sent', async () => {
    const sent = {
      numeric: '"-99999.0000000001"',
      real: '"0.10"',
      whole: '"-999999999999999"',
      big: '9223372036854775807',
      day: '"2009-01-01"',
      at: '"2009-01-01T00:00:00.5Z"',
      clock: '"09:00:00"',
      uuid: '"00000000-0000-0000-0000-000000000001"',
      json: '[9007199254740993,{}]',
      bytes: '"AAEC"',
    }
    const made = await create(app, sent)
    assert.equal(made.status, 201, made.text)
    for (const [name, json] of Object.entries(sent)) assert.equal(attributeText(made, name), json)
  })

  it('a stored midnight does not match a filter for its day, which compares the stored text', async () => {
    await app.execute("insert into old (day) values ('2009-01-01 00:00:00'), ('2009-01-01')")
    const found = await app.get('/things', { 'filter[day]': '2009-01-01' })
    assert.deepEqual(ids(found), ['2'])
  })

  it('the JSON text null is returned as null', async () => {
    await app.execute(`insert into old (json) values ('null'), (' [ 1 , 12345678901234567890 ] ')`)
    assert.deepEqual(attributeTexts(await app.get('/things'), 'json'), [
      'null',
      '[1,12345678901234567890]',
    ])
  })

  it('sorts by JSON and bytes are rejected', async () => {
    for (const name of ['json', 'bytes']) {
      const { status, error } = await app.get('/things', { sort: name })
      assert.equal(status, 400)
      assert.equal(error.detail, `thing.${name} has no order and cannot be sorted by.`)
    }
  })

  for (const [name, values] of Object.entries(mismatches)) {
    it(`${name}: reading or comparing a stored value that does not belong to the kind is a 500`, async () => {
      const isKeyed = ['numeric', 'at', 'clock'].includes(name)
      for (const value of values) {
        await app.execute(`delete from old; insert into old ("${name}") values (${value})`)
        assert.equal((await app.get('/things')).status, 500, value)
        assert.equal((await app.get('/things', { 'fields[thing]': '' })).status, 200)
        if (isKeyed)
          assert.equal((await app.get('/things', { sort: name })).status, 500, `${value} sorted`)
      }
    })
  }
})
