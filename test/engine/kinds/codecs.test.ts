import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { decimal, enumeration, type Json, json } from 'lapidary'
import type { CodecName } from '../../../src/model/kinds/codec-names.ts'
import { getCodec } from '../../../src/model/kinds/codecs.ts'
import { type Affinity, getAffinity } from '../../../src/sqlite/catalog/affinities.ts'
import { databases } from '../../../src/tools/databases.ts'

/** Column types and the affinity that SQLite gives them. */
// biome-ignore format: a table, one affinity a row
const types: Readonly<Record<Affinity, readonly string[]>> = {
  integer: ['INTEGER', 'int', 'BIGINT', 'UNSIGNED BIG INT', 'int8', 'POINT', 'CHARINT'],
  text:    ['TEXT', 'varchar(255)', 'NCHAR(5)', 'CLOB', 'character varying', 'TINYTEXT', 'REALTEXT'],
  blob:    ['BLOB', 'blob', 'LONGBLOB', 'REALBLOB'],
  real:    ['REAL', 'double precision', 'FLOAT', 'double'],
  numeric: ['NUMERIC', 'DECIMAL(10,5)', 'BOOLEAN', 'DATE', 'datetime', 'TIMESTAMP', 'TIME', 'UUID', 'JSON', 'STRING', 'VARBINARY(20)'],
}

/** The affinities that each codec accepts; every codec accepts a column without a type. */
// biome-ignore format: a table, one codec a row
const accepted: Readonly<Record<Exclude<CodecName, `${string}[]`>, readonly Affinity[]>> = {
  id:        ['integer', 'numeric'],
  text:      ['text', 'blob'],
  enumeration: ['text', 'blob'],
  enumerationId: ['text', 'blob'],
  integer:   ['integer', 'numeric'],
  integer64: ['integer', 'numeric'],
  number:    ['real', 'numeric', 'integer'],
  decimal:   ['text'],
  decimal15: ['text', 'numeric', 'real', 'integer'],
  boolean:   ['integer', 'numeric'],
  booleanId: ['integer', 'numeric'],
  date:      ['text', 'blob', 'numeric'],
  datetime:  ['text', 'blob', 'numeric'],
  time:      ['text', 'blob', 'numeric'],
  uuid:      ['text', 'blob', 'numeric'],
  uuidId:    ['text', 'blob', 'numeric'],
  json:      ['text', 'blob', 'numeric'],
  databaseText: ['text', 'blob', 'numeric'],
  databaseTextId: ['integer', 'numeric', 'text'],
  databaseJson: ['text', 'blob', 'numeric'],
  bytes:     ['blob', 'numeric'],
  'YYYY-MM-DD HH:MM:SS':         ['text', 'blob', 'numeric'],
  'YYYY-MM-DD HH:MM:SS.SSS':     ['text', 'blob', 'numeric'],
  'YYYY-MM-DD HH:MM:SS.SSSSSS':  ['text', 'blob', 'numeric'],
  'YYYY-MM-DDTHH:MM:SSZ':        ['text', 'blob', 'numeric'],
  'YYYY-MM-DDTHH:MM:SS.SSSZ':    ['text', 'blob', 'numeric'],
  'YYYY-MM-DDTHH:MM:SS.SSSSSSZ': ['text', 'blob', 'numeric'],
  'YYYY-MM-DDTHH:MM:SS':        ['text', 'blob', 'numeric'],
  'YYYY-MM-DDTHH:MM:SS.SSS':        ['text', 'blob', 'numeric'],
  'YYYY-MM-DDTHH:MM:SS.SSSSSS':        ['text', 'blob', 'numeric'],
  'YYYY-MM-DD HH:MM:SS+00:00':        ['text', 'blob', 'numeric'],
  'YYYY-MM-DD HH:MM:SS.SSS+00:00':        ['text', 'blob', 'numeric'],
  'YYYY-MM-DD HH:MM:SS.SSSSSS+00:00':        ['text', 'blob', 'numeric'],
  'YYYY-MM-DDTHH:MM:SS+00:00':        ['text', 'blob', 'numeric'],
  'YYYY-MM-DDTHH:MM:SS.SSS+00:00':        ['text', 'blob', 'numeric'],
  'YYYY-MM-DDTHH:MM:SS.SSSSSS+00:00':        ['text', 'blob', 'numeric'],
  'epoch-seconds':      ['integer', 'numeric'],
  'epoch-milliseconds': ['integer', 'numeric'],
  't/f':        ['text', 'blob', 'numeric'],
  'T/F':        ['text', 'blob', 'numeric'],
  'y/n':        ['text', 'blob', 'numeric'],
  'Y/N':        ['text', 'blob', 'numeric'],
  'yes/no':     ['text', 'blob', 'numeric'],
  'YES/NO':     ['text', 'blob', 'numeric'],
  'true/false': ['text', 'blob', 'numeric'],
  'TRUE/FALSE': ['text', 'blob', 'numeric'],
  '1/0':        ['integer', 'numeric'],
}

/** The types that a codec accepts although their affinity is another one: `int` is a part of another word in them. */
const acceptedByName: Readonly<Record<string, readonly string[]>> = {
  databaseText: ['POINT', 'CHARINT'],
  bytes: ['POINT', 'CHARINT'],
}

const all = Object.entries(types)

describe('Columns of SQLite', () => {
  it('have the affinity that SQLite gives them', () => {
    const database = new DatabaseSync(':memory:')
    for (const [affinity, names] of all) {
      for (const name of names) {
        database.exec(`create table tried (value ${name}); insert into tried values ('5.0'), (5)`)
        const found = database.prepare('select typeof(value) as is_ from tried order by rowid')
        const stored = found.all().map((row) => row.is_)
        const expected = {
          integer: ['integer', 'integer'],
          text: ['text', 'text'],
          blob: ['text', 'integer'],
          real: ['real', 'real'],
          numeric: ['integer', 'integer'],
        }
        assert.deepEqual(
          stored,
          Object.entries(expected).find(([name]) => name === affinity)?.[1],
          name,
        )
        assert.equal(getAffinity(name), affinity)
        database.exec('drop table tried')
      }
    }
    assert.equal(getAffinity(''), 'blob')
    database.close()
  })

  for (const [codec, affinities] of Object.entries(accepted)) {
    // A column without a type may store a number and the same text, which would be one id.
    const isForUntyped = codec !== 'databaseTextId'
    it(`${codec}: accepts columns of affinity ${affinities.join(', ')}${isForUntyped ? ' and columns without a type' : ''}`, () => {
      // The table has a row for each codec.
      const { acceptsColumnType } = getCodec(codec as CodecName, databases.sqlite)
      assert.equal(acceptsColumnType(''), isForUntyped)
      for (const [affinity, names] of all) {
        const isAccepted = affinities.some((each) => each === affinity)
        for (const name of names) {
          const expected = isAccepted || (acceptedByName[codec]?.includes(name) ?? false)
          assert.equal(acceptsColumnType(name), expected, name)
        }
      }
    })
  }

  it('arrays are texts, so columns that would convert a text to a number are not accepted', () => {
    for (const name of Object.keys(accepted)) {
      for (const suffix of ['[]', '?[]']) {
        const { acceptsColumnType } = getCodec(`${name}${suffix}` as CodecName, databases.sqlite)
        const found = all.flatMap(([affinity, [type = '']]) =>
          acceptsColumnType(type) ? [affinity] : [],
        )
        assert.deepEqual(found, ['text', 'blob', 'numeric'])
      }
    }
  })

  it('the table has every codec', () => {
    const arrays = Object.keys(accepted).flatMap((name) => [`${name}[]`, `${name}?[]`])
    assert.deepEqual(
      [...Object.keys(accepted), ...arrays],
      Object.keys(databases.sqlite.codecs.named),
    )
  })
})

describe('Stored values that a codec cannot read', () => {
  const cases: readonly (readonly [CodecName, unknown, string])[] = [
    ['integer', '1.5', 'A column contains "1.5", which is not a valid integer.'],
    [
      'integer64',
      '9223372036854775808',
      'A column contains "9223372036854775808", which is not a valid integer.',
    ],
    [
      'decimal',
      Number.POSITIVE_INFINITY,
      'A column contains "Infinity", which is not a valid decimal.',
    ],
    ['decimal15', 'x', 'A column contains "x", which is not a valid decimal.'],
    [
      'date',
      '2009-01-01 12:00:00',
      'A column contains "2009-01-01 12:00:00", which is not a valid date.',
    ],
    ['datetime', 1230768000, 'A column contains 1230768000, which is not a valid datetime.'],
    ['time', '9:00', 'A column contains "9:00", which is not a valid time.'],
    ['uuid', '', 'A column contains "", which is not a valid uuid.'],
    ['json', '{', 'A column contains "{", which is not a valid json.'],
    ['bytes', 'AA==', 'A column contains "AA==", which is not a valid bytes.'],
  ]
  for (const [codec, stored, message] of cases) {
    it(`${codec}: ${message}`, () => {
      assert.throws(() => getCodec(codec, databases.sqlite).load?.(stored), {
        name: 'Error',
        message,
      })
    })
  }
})

describe('JSON that other programs stored', () => {
  for (const stored of ['5', '"x"', 'null', '{"_id":1,"links":[]}', '["\\u0000"]'])
    it(`is serialized unchanged, even if clients may not send it: ${stored}`, () => {
      const value = getCodec('json', databases.sqlite).load?.(stored)
      // The kind serializes any value that the codec loads.
      assert.equal(json.serialize(value as Json), stored)
      if (value !== null) assert.ok('expected' in json.readBody(value))
    })
})

describe('Kinds with options', () => {
  const rule = 'decimal: the precision must be a whole number from 1 to 1000; it is'
  const cases: readonly (readonly [() => unknown, string])[] = [
    [() => decimal({ precision: 0 }), `${rule} 0`],
    [() => decimal({ precision: 1001 }), `${rule} 1001`],
    [() => decimal({ precision: 2.5 }), `${rule} 2.5`],
    [
      () => decimal({ precision: 2, scale: 3 }),
      'decimal: the scale must be a whole number from 0 to 2; it is 3',
    ],
    [
      () => decimal({ scale: -1 }),
      'decimal: the scale must be a whole number from 0 to 1000; it is -1',
    ],
    [() => enumeration([]), 'enumeration: at least one value is required'],
    [() => enumeration(['a', 'b', 'a']), 'enumeration: "a" is listed twice'],
    [
      () => enumeration(['\0']),
      'enumeration: "\\u0000" must be a string without the character U+0000',
    ],
  ]
  for (const [create, message] of cases)
    it(`given contradictory options, then the error is: ${message}`, () => {
      assert.throws(create, { name: 'RangeError', message })
    })

  it('store small decimals in numeric columns and larger ones as text', () => {
    assert.equal(decimal({ precision: 15 }).codec, 'decimal15')
    assert.equal(decimal({ precision: 16 }).codec, 'decimal')
    assert.equal(decimal({ scale: 2 }).codec, 'decimal')
  })
})
