import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  array,
  attribute,
  boolean,
  bytes,
  date,
  datetime,
  decimal,
  defineModel,
  email,
  enumeration,
  integer,
  integer64,
  json,
  type Kind,
  number,
  resource,
  storedAs,
  text,
  time,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { partOf } from '../../long-tests.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { attributeText, attributeTexts, create } from '../things.ts'

/** The elements of one kind. */
interface Elements {
  readonly kind: Kind<unknown>
  /** The element type on PostgreSQL. */
  readonly type: string
  /** Different values in JSON; the second has another spelling, if there is one. */
  readonly values: readonly [first: string, second: string, third: string]
  /** Another spelling of the first value, as a request may have it. */
  readonly alike?: string
  readonly invalid: string
  /** The description of a valid element in the detail of an error. */
  readonly expected: RegExp
}

const wholeNumber = /^a whole number between/
const someDate = '"2024-02-29T12:30:00Z"'

// biome-ignore format: a table, one kind a row
const elements: Readonly<Record<string, Elements>> = {
  texts:      { kind: text, type: 'text', values: ['"a"', '"a,b {\\"c\\\\} NULL"', '""'], invalid: '5', expected: /^a string$/ },
  addresses:  { kind: email, type: 'varchar(50)', values: ['"a@b.org"', '"A@b.org"', '"c@d.org"'], invalid: '"a"', expected: /^an e-mail address/ },
  integers:   { kind: integer, type: 'integer', values: ['1', '-2', '0'], alike: '1.0', invalid: '1.5', expected: wholeNumber },
  longs:      { kind: integer64(), type: 'bigint', values: ['9007199254740993', '-9223372036854775808', '0'], invalid: '"1"', expected: wholeNumber },
  numbers:    { kind: number, type: 'double precision', values: ['0.1', '1e+308', '-5e-324'], alike: '1e-1', invalid: '"1"', expected: /^a number$/ },
  reals:      { kind: number, type: 'real', values: ['21.35', '0', '-0.5'], invalid: 'true', expected: /^a number$/ },
  decimals:   { kind: decimal({ precision: 6, scale: 2 }), type: 'numeric(6,2)', values: ['"12.50"', '"-0.01"', '"0.00"'], alike: '"12.5"', invalid: '1.5', expected: /^a decimal number/ },
  booleans:   { kind: boolean, type: 'boolean', values: ['true', 'false', 'false'], invalid: '1', expected: /^true or false$/ },
  dates:      { kind: date, type: 'date', values: ['"2024-02-29"', '"0001-01-01"', '"9999-12-31"'], invalid: '"2023-02-29"', expected: /^a calendar date/ },
  datetimes:  { kind: datetime, type: 'timestamptz', values: [someDate, '"0001-01-01T00:00:00Z"', '"9999-12-31T23:59:59.999999Z"'], alike: '"2024-02-29T13:30:00+01:00"', invalid: '"2024-02-29"', expected: /^a date and time/ },
  locals:     { kind: datetime, type: 'timestamp', values: [someDate, '"0001-01-01T00:00:00Z"', '"9999-12-31T23:59:59.5Z"'], invalid: '5', expected: /^a date and time/ },
  times:      { kind: time, type: 'time', values: ['"09:30:00"', '"23:59:59.999999"', '"00:00:00"'], alike: '"09:30:00.0"', invalid: '"25:00:00"', expected: /^a time/ },
  uuids:      { kind: uuid, type: 'uuid', values: ['"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"', '"00000000-0000-0000-0000-000000000000"', '"ffffffff-ffff-ffff-ffff-ffffffffffff"'], alike: '"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"', invalid: '"x"', expected: /^a UUID/ },
  words:      { kind: enumeration(['open', 'closed', 'void']), type: 'mood', values: ['"open"', '"closed"', '"void"'], invalid: '"x"', expected: /^one of "open", "closed", "void"/ },
  epochs:     { kind: storedAs(datetime, 'epoch-seconds'), type: 'bigint', values: [someDate, '"1970-01-01T00:00:00Z"', '"1969-12-31T23:59:59Z"'], invalid: '"2024-02-29T12:30:00.5Z"', expected: /^a date and time without a fraction/ },
  answers:    { kind: storedAs(boolean, 'Y/N'), type: 'text', values: ['true', 'false', 'false'], invalid: '"Y"', expected: /^true or false$/ },
}

/** Arrays whose elements cannot be compared. */
const opaque: Readonly<
  Record<string, Readonly<{ kind: Kind<unknown>; type: string; values: string; invalid: string }>>
> = {
  blobs: { kind: bytes, type: 'bytea', values: '["AAEC","","/+8="]', invalid: '"A"' },
  documents: { kind: json, type: 'jsonb', values: '[{"a": 1}, [], [null, "x"]]', invalid: '5' },
}

const all = Object.entries(elements)
const columns: readonly (readonly [string, Kind<unknown>, string])[] = [
  ...all.map(([name, { kind, type }]) => [name, array(kind), type] as const),
  ...Object.entries(opaque).map(([name, { kind, type }]) => [name, array(kind), type] as const),
  ['gaps', array(text, { nullElements: true }), 'text'],
]

const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    ...Object.fromEntries(columns.map(([name, kind]) => [name, attribute(kind)])),
    seconds: attribute(array(storedAs(datetime, 'epoch-seconds'))),
    lenient: attribute(array(integer), { column: 'given', invalidValues: 'null' }),
    whole: toOne('thing', { column: 'whole_id' }),
    parts: toMany('thing', { column: 'whole_id' }),
  },
})

const served = {
  model: defineModel([thing]),
  tables: ({ newId }: ColumnTypes, dialect: string) => {
    const types = columns.map(([name, , type]) =>
      dialect === 'sqlite' ? `${name} text` : `${name} ${type}[]`,
    )
    const given =
      dialect === 'sqlite' ? 'given text, seconds text' : 'given integer[], seconds integer[]'
    return `${dialect === 'sqlite' ? '' : "create type mood as enum ('void', 'closed', 'open');"}
      create table thing (id ${newId}, ${types.join(', ')}, ${given},
        whole_id integer references thing (id))`
  },
}

const list = (...values: readonly string[]) => `[${values.join(',')}]`

engine('Arrays', served, (app) => {
  const find = async (name: string, op: string, val: string, negated = false) => {
    const term = `{"name":"${name}","op":"${op}","val":${val}}`
    const filter = negated ? `[{"not":${term}}]` : `[${term}]`
    const response = await app.get('/things', { filter })
    assert.equal(response.status, 200, response.text)
    return ids(response).join(' ')
  }

  for (const [index, [name, { values, alike, invalid, expected }]] of all.entries()) {
    const [first, second, third] = values

    for (const sent of [list(...values), '[]', list(first, first), list(third), 'null'])
      it(`of ${name} are returned as they were sent: ${sent}`, partOf(index, 5), async () => {
        const made = await create(app, { [name]: sent })
        assert.equal(made.status, 201, made.text)
        assert.equal(attributeText(made, name), sent)
        const read = await app.get(`/things/${made.one.id}`)
        assert.equal(attributeText(read, name), sent)
      })

    it(
      `of ${name} are found by eq, contains and overlaps, and by null`,
      partOf(index, 5),
      async () => {
        const stored = [list(first, second), list(second, first), list(first), '[]', 'null']
        for (const [at, json] of stored.entries())
          assert.equal((await create(app, { [name]: json })).one.id, String(at + 1))
        for (const one of [first, alike ?? first]) {
          assert.equal(await find(name, 'eq', list(one, second)), '1')
          assert.equal(await find(name, 'eq', list(one)), '3')
          assert.equal(await find(name, 'ne', list(one)), '1 2 4')
          assert.equal(await find(name, 'eq', list(one), true), '1 2 4')
          assert.equal(await find(name, 'is_', list(one)), '3')
          assert.equal(await find(name, 'isnot', list(one)), '1 2 4 5')
          assert.equal(await find(name, 'contains', list(one)), '1 2 3')
          assert.equal(await find(name, 'contains', list(one, second, one)), '1 2')
          assert.equal(await find(name, 'contains', list(one, second), true), '3 4')
          assert.equal(await find(name, 'overlaps', list(second, one)), '1 2 3')
          assert.equal(await find(name, 'overlaps', list(second)), '1 2')
          assert.equal(await find(name, 'overlaps', list(second), true), '3 4')
        }
        assert.equal(await find(name, 'eq', '[]'), '4')
        assert.equal(await find(name, 'contains', '[]'), '1 2 3 4')
        assert.equal(await find(name, 'overlaps', '[]'), '')
        assert.equal(await find(name, 'eq', 'null'), '5')
        assert.equal(await find(name, 'isnot', 'null'), '1 2 3 4')
        assert.equal(await find(name, 'contains', 'null'), '')
        const byText = await app.get('/things', { [`filter[${name}]`]: list(first, second) })
        assert.deepEqual(ids(byText), ['1'])
      },
    )

    it(
      `of ${name}: each invalid element is an error with its position`,
      partOf(index, 5),
      async () => {
        const rejected = await create(app, { [name]: list(first, invalid, 'null') })
        assert.equal(rejected.status, 422, rejected.text)
        assert.deepEqual(
          rejected.body.errors?.map(({ source }) => source?.pointer),
          [`/data/attributes/${name}/1`, `/data/attributes/${name}/2`],
        )
        const { detail } = rejected.error
        assert.ok(detail.startsWith(`${name}[1] must be `), detail)
        assert.match(detail.slice(`${name}[1] must be `.length).replace(/; it is .*/, ''), expected)
        // A filter can search for a part of an address.
        if (name === 'addresses') return
        const filtered = await app.get('/things', {
          filter: `[{"name":"${name}","op":"contains","val":${list(invalid)}}]`,
        })
        assert.equal(filtered.status, 400, filtered.text)
        assert.match(
          filtered.error.detail,
          /must be compared with an array in which each element is .*; element 0 is /,
        )
      },
    )
  }

  for (const [name, { values, invalid }] of Object.entries(opaque)) {
    it(`of ${name} can be stored, and compared with null`, async () => {
      const made = await create(app, { [name]: values })
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(made.one.attributes?.[name], JSON.parse(values))
      const read = await app.get('/things/1')
      assert.deepEqual(read.one.attributes?.[name], JSON.parse(values))
      await create(app, {})
      assert.equal(await find(name, 'eq', 'null'), '2')
      const rejected = await create(app, { [name]: list(invalid) })
      assert.deepEqual(rejected.error.source, { pointer: `/data/attributes/${name}/0` })
      const compared = await app.get('/things', {
        filter: `[{"name":"${name}","op":"contains","val":[]}]`,
      })
      assert.equal(compared.error.source?.parameter, 'filter')
      assert.match(compared.error.detail, /has no operator "contains"/)
    })
  }

  it('with null elements keep them, and find no null', async () => {
    await create(app, { gaps: '["a",null]' })
    await create(app, { gaps: '[null]' })
    const { text } = await app.get('/things')
    assert.match(text, /"gaps":\["a",null\].*"gaps":\[null\]/)
    assert.equal(await find('gaps', 'eq', '["a",null]'), '1')
    assert.equal(await find('gaps', 'eq', '[null]'), '2')
    assert.equal(await find('gaps', 'contains', '["a"]'), '1')
    assert.equal(await find('gaps', 'contains', '[null]'), '')
    assert.equal(await find('gaps', 'overlaps', '[null,"a"]'), '1')
  })

  if (app.dialect === 'postgres') {
    for (const [name, value] of [
      ['texts', '["a","b"]'],
      ['gaps', '["a",null]'],
      ['numbers', '[1]'],
    ] as const)
      it(`of ${name} with other subscripts than from 1 on are found by their elements`, async () => {
        await app.execute(
          `insert into thing (texts, gaps, numbers) values ('{a,b}', '{a,NULL}', '{1}'), ('[0:1]={a,b}', '[5:6]={a,NULL}', '[0:0]={1}')`,
        )
        assert.deepEqual(attributeTexts(await app.get('/things'), name), [value, value])
        for (const op of ['eq', 'is_', 'overlaps'])
          assert.equal(await find(name, op, value), '1 2', `${name} ${op}`)
        for (const op of ['ne', 'isnot'])
          assert.equal(await find(name, op, value), '', `${name} ${op}`)
        assert.equal(await find(name, 'eq', value, true), '')
      })

    it('of texts with other subscripts than from 1 on are found by one element, and in their order', async () => {
      await app.execute(
        `insert into thing (texts, gaps, numbers) values ('{a,b}', '{a,NULL}', '{1}'), ('[0:1]={a,b}', '[5:6]={a,NULL}', '[0:0]={1}')`,
      )
      assert.equal(await find('texts', 'contains', '["b"]'), '1 2')
      assert.equal(await find('texts', 'eq', '["b","a"]'), '')
    })
  }

  it('cannot be sorted by, or compared with another field', async () => {
    const sorted = await app.get('/things', { sort: 'texts' })
    assert.equal(sorted.status, 400)
    assert.equal(sorted.error.detail, 'thing.texts has no order and cannot be sorted by.')
    const compared = await app.get('/things', {
      filter: '[{"name":"texts","op":"eq","field":"texts"}]',
    })
    assert.match(compared.error.detail, /texts can only be compared with values, not with another/)
  })

  it('are written by an update, and through a relationship', async () => {
    await create(app, { texts: '["a"]' })
    await app.patch('/things/1', {
      data: { type: 'thing', id: '1', attributes: { texts: ['b', 'c'], integers: [3] } },
    })
    await app.post('/things/1/parts', { data: { type: 'thing', attributes: { texts: ['d'] } } })
    const found = await app.get('/things', {
      filter: '[{"name":"whole__texts","op":"contains","val":["c"]}]',
    })
    assert.deepEqual(attributeTexts(found, 'texts'), ['["d"]'])
  })

  const long = JSON.stringify(`${'a'.repeat(60)}@b.org`)

  for (const [name, sent, pointers] of app.dialect === 'sqlite'
    ? []
    : ([
        ['integers', '[1,99999999999,2,-2147483649]', ['integers/1', 'integers/3']],
        ['reals', '[1e39,0,3.4028234e38,1e-46,-1e300]', ['reals/0', 'reals/3', 'reals/4']],
        ['addresses', `["a@b.org",${long}]`, ['addresses/1']],
        ['seconds', '["1970-01-01T00:00:00Z","2038-01-19T03:14:08Z"]', ['seconds/1']],
      ] as const))
    it(`of ${name} with elements that the column cannot store are 422 at each of them`, async () => {
      await create(app, {})

      const attributes = { [name]: JSON.parse(sent) }
      const expected = pointers.map((pointer) => `/data/attributes/${pointer}`)
      const updated = app.patch('/things/1', { data: { type: 'thing', id: '1', attributes } })
      for (const rejected of [await create(app, { [name]: sent }), await updated]) {
        assert.equal(rejected.status, 422, rejected.text)
        assert.deepEqual(
          rejected.body.errors?.map(({ source }) => source?.pointer),
          expected,
        )
        assert.match(rejected.error.detail, new RegExp(`^${name}\\[\\d\\] must be `))
      }
      // No row has such an element, which is not an error.
      assert.equal(await find(name, 'contains', sent), '')
    })

  it('with elements that the column rounds are stored', async () => {
    await create(app, {})

    assert.equal((await create(app, { reals: '[3.4028234e38,1.4e-45,0]' })).status, 201)
  })

  it('that do not belong to the kind are null with invalidValues: null', async () => {
    const stored =
      app.dialect === 'sqlite'
        ? ["'[1]'", "'[1,null]'", "'[[1]]'", '\'["1"]\'', '\'{"a":1}\'', "'x'", 'null']
        : ["'{1}'", "'{1,NULL}'", "'{{1}}'", 'null']
    await app.execute(
      `insert into thing (given) values ${stored.map((value) => `(${value})`).join(', ')}`,
    )
    const response = await app.get('/things')
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(attributeTexts(response, 'lenient'), [
      '[1]',
      ...stored.slice(1).map(() => 'null'),
    ])
    assert.equal(await find('lenient', 'contains', '[1]'), '1')
    assert.equal(await find('lenient', 'isnot', 'null'), '1')
    assert.equal(await find('lenient', 'contains', '[2]', true), '1')
  })
})

describe('The declaration of an array', () => {
  it('rejects arrays of arrays and unknown options', () => {
    assert.throws(
      () => array(array(text)),
      /^RangeError: array: the elements cannot be of the kind/,
    )
    assert.throws(
      () => array(text, { nullElement: true } as object),
      /^RangeError: array: there is no option "nullElement"; did you mean "nullElements"\?$/,
    )
  })

  it('rejects sort: true', () => {
    const declared = resource('a', {
      path: '/a',
      table: 'a',
      fields: { tags: attribute(array(text), { sort: true }) },
    })
    assert.throws(
      () => defineModel([declared]),
      /a\.fields\.tags\.sort: values of the kind array of text cannot be sorted/,
    )
  })
})
