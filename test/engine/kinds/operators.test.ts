import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
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
  number,
  resource,
  text,
  time,
  toMany,
  toOne,
  url,
  uuid,
} from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import { kinds } from '../../../src/model/kinds/kinds.ts'
import { operators } from '../../../src/model/kinds/operators.ts'
import { parametricKinds } from '../../../src/model/kinds/parametric-kinds.ts'
import type { ColumnTypes } from '../../databases.ts'
import { long, partOf } from '../../long-tests.ts'
import { ids } from '../../test-response.ts'
import type { Engine } from '../engine.ts'
import { engine } from '../engine.ts'
import { allIds, cases, columns, idsWithValues, withItself } from '../operator-cases.ts'

/** An attribute of each kind, named after the kind. */
const row = resource('row', {
  path: '/rows',
  table: 'line',
  fields: {
    text: attribute(text),
    email: attribute(email),
    url: attribute(url),
    integer: attribute(integer),
    integer64: attribute(integer64({ largeValuesAs: 'string' })),
    number: attribute(number),
    decimal: attribute(decimal()),
    boolean: attribute(boolean),
    date: attribute(date),
    datetime: attribute(datetime),
    time: attribute(time),
    uuid: attribute(uuid),
    enumeration: attribute(enumeration(['open', 'closed', 'void'])),
    json: attribute(json),
    bytes: attribute(bytes),
    above: toOne('row', { column: 'above_id' }),
    below: toMany('row', { column: 'above_id' }),
  },
})

const digits = { sqlite: (hex: string) => `x'${hex}'`, postgres: (hex: string) => `'\\x${hex}'` }

const served = {
  model: defineModel([row]),
  tables: (columnTypes: ColumnTypes, dialect: DialectName) => {
    const types: Readonly<Record<string, string>> = columnTypes
    const declared = Object.keys(columns).map((name) => `"${name}" ${types[name]}`)
    const names = Object.keys(columns).map((name) => `"${name}"`)
    const rows = [1, 2, 3, 4, 5, 6].map((id) => {
      const values = Object.entries(columns).map(([name, all]) => {
        const value = all[id - 1] ?? 'null'
        return name === 'bytes' ? digits[dialect](value) : value
      })
      return `(${[id, ...values].join(', ')})`
    })
    return `
      create table line (id ${columnTypes.newId}, ${declared.join(', ')},
        above_id integer references line (id));
      insert into line (id, ${names.join(', ')}) values ${rows.join(', ')};
      insert into line (id) values (7);
      update line set above_id = 1 where id in (2, 3)`
  },
}

const operatorNames = Object.keys(operators)
const kindNames = [...Object.keys(kinds), ...Object.keys(parametricKinds)]
/** Kinds that can only be compared with null. */
const opaque = ['json', 'bytes']
const expectations = new Map(
  Object.entries(cases).map(([name, byKind]) => [name, new Map(Object.entries(byKind))]),
)

/** The operators that apply to a kind, by the table of expectations. */
const operatorsFor = (kind: string) =>
  operatorNames.filter((name) => expectations.get(name)?.has(kind))

async function matchingIds(app: Engine, ...filter: object[]): Promise<string> {
  const response = await app.get('/rows', { filter })
  assert.equal(response.status, 200, response.text)
  return ids(response).join(' ')
}

/** Asserts that a filter is 400 with a detail that starts with a text and lists names. */
async function assertRejected(
  app: Engine,
  filter: object,
  { says, names }: { says: string; names: readonly string[] },
): Promise<void> {
  const { status, error, text: body } = await app.get('/rows', { filter: [filter] })
  assert.equal(status, 400, body)
  assert.deepEqual([error.source, error.code], [{ parameter: 'filter' }, 'invalid_filter'])
  assert.ok(error.detail.startsWith(says), `${error.detail}\ndoes not start with\n${says}`)
  for (const name of names) {
    assert.ok(error.detail.includes(`"${name}"`), `${error.detail}\ndoes not name "${name}"`)
  }
}

it('the table of expectations has every operator and every kind', () => {
  assert.deepEqual(Object.keys(cases).sort(), operatorNames.toSorted())
  for (const kind of kindNames) assert.notEqual(operatorsFor(kind).length, 0, kind)
  for (const [name, byKind] of expectations) {
    for (const [kind, expected] of byKind) assert.notEqual(expected.length, 0, `${name} ${kind}`)
  }
})

engine('Operators on the kinds that they apply to', served, (app) => {
  for (const [index, [op, byKind]] of [...expectations].entries()) {
    for (const [name, expected] of byKind)
      for (const [val, matching] of expected)
        it(`${op}: on ${name}, with ${JSON.stringify(val)}`, partOf(index, 8), async () => {
          const filter = { name, op, val }
          assert.equal(await matchingIds(app, filter), matching, JSON.stringify(filter))
        })
  }

  for (const [op, byKind] of expectations)
    for (const [name, expected] of [...byKind].filter(([kind]) => !opaque.includes(kind)))
      it(
        `${op}: not finds the other rows by ${name}, except those with null, which match neither`,
        long,
        async () => {
          const plain = expected.find(([val]) => ![val].flat().includes(null))
          assert.ok(plain, `${op} ${name} has a case without nulls`)
          const [val, matching] = plain
          const others = await matchingIds(app, { not: { name, op, val } })
          const isTwoValued = op === 'is_' || op === 'isnot' || name === 'id'
          const both = `${matching} ${others}`
            .split(' ')
            .filter((id) => id !== '')
            .sort()
          assert.equal(both.join(' '), isTwoValued ? allIds : idsWithValues, `${op} ${name}`)
        },
      )
})

engine('Operators on other kinds', served, (app) => {
  for (const op of operatorNames) {
    const otherKinds = kindNames.filter((kind) => !expectations.get(op)?.has(kind))
    for (const name of otherKinds)
      it(`${op}: rejected on ${name} with the operators that apply`, async () => {
        const names = operatorsFor(name)
        const says = `filter[0].op: ${name} has no operator "${op}"`
        await assertRejected(app, { name, op, val: 'x' }, { says, names })
        await assertRejected(app, { name, op, val: null }, { says, names })
        await assertRejected(app, { name, op, field: name }, { says, names })
      })
  }

  for (const name of kindNames)
    it(`any and has, the operators on relationships, are rejected on ${name}`, async () => {
      for (const op of ['any', 'has']) {
        const says = `filter[0].op: ${name} has no operator "${op}"`
        await assertRejected(app, { name, op }, { says, names: operatorsFor(name) })
      }
    })

  for (const [name, op, meant] of [
    ['text', 'starts_with', 'startswith'],
    ['text', 'Like', 'like'],
    ['integer', 'gte', 'ge'],
    ['boolean', 'in', 'in_'],
  ] as const)
    it(`the misspelled operator ${op} is rejected with the nearest name`, async () => {
      const says = `filter[0].op: ${name} has no operator "${op}"; did you mean "${meant}"?`
      await assertRejected(app, { name, op, val: 1 }, { says, names: [] })
    })
})

engine('Operators with another field', served, (app) => {
  for (const [op, byKind] of expectations) {
    const expectation = Object.entries(withItself).find(([name]) => name === op)?.[1]
    for (const name of byKind.keys())
      it(`${op}: ${name} with itself: ${expectation ?? 'rejected'}`, async () => {
        const filter = { name, op, field: name }
        if (opaque.includes(name)) {
          const says = `filter[0].field: ${name} can only be compared with null`
          await assertRejected(app, filter, { says, names: [] })
        } else if (expectation === undefined) {
          const says = `filter[0].field: "${op}" takes a list of values`
          await assertRejected(app, filter, { says, names: [] })
        } else {
          const known = name === 'id' ? allIds : idsWithValues
          const expected = { every: allIds, known, none: '' }[expectation]
          assert.equal(await matchingIds(app, filter), expected, JSON.stringify(filter))
        }
      })
  }

  it('kinds with the same comparison can be compared in both directions', async () => {
    await app.execute(
      'update line set text = email where id = 3; update line set integer = id where id = 2',
    )
    const pairs = [
      ['text', 'email', '3'],
      ['id', 'integer', '2'],
      ['integer', 'number', ''],
      ['number', 'id', ''],
      ['integer', 'integer64', '1 3 4'],
      ['url', 'text', ''],
    ] as const
    for (const [name, field, matching] of pairs) {
      assert.equal(await matchingIds(app, { name, op: 'eq', field }), matching, `${name} ${field}`)
      assert.equal(await matchingIds(app, { name: field, op: 'eq', field: name }), matching)
    }
  })

  it('other kinds are rejected with their names', long, async () => {
    const alike = [
      ['text', 'email', 'url'],
      ['integer', 'integer64', 'number', 'id'],
    ]
    const alone = ['decimal', 'boolean', 'date', 'datetime', 'time', 'uuid', 'enumeration']
    const classes = [...alike, ...alone.map((name) => [name])]
    assert.deepEqual([...classes.flat(), ...opaque].sort(), kindNames.toSorted())
    for (const one of classes) {
      for (const other of classes.filter((each) => each !== one).flat()) {
        for (const name of one) {
          const says = `filter[0].field: ${name} (${name}) cannot be compared with ${other} (${other})`
          await assertRejected(app, { name, op: 'eq', field: other }, { says, names: [] })
        }
      }
    }
  })
})

engine('Values of operators', served, (app) => {
  const wrong = [
    [{ name: 'text', op: 'in_', val: 'Ada' }, 'filter[0].val: must be an array of values'],
    [{ name: 'text', op: 'notin_', val: null }, 'filter[0].val: must be an array of values'],
    [{ name: 'text', op: 'between', val: ['a'] }, 'filter[0].val: must be an array of two values'],
    [
      { name: 'text', op: 'between', val: ['a', 'b', 'c'] },
      'filter[0].val: must be an array of two',
    ],
    [{ name: 'text', op: 'between', val: 'a' }, 'filter[0].val: must be an array of two values'],
    [{ name: 'text', op: 'between', val: null }, 'filter[0].val: must be an array of two values'],
    [
      { name: 'text', op: 'eq', val: ['Ada'] },
      'filter[0].val: text must be compared with a string',
    ],
    [{ name: 'text', op: 'like', val: 5 }, 'filter[0].val: text must be compared with a string'],
    [
      { name: 'integer', op: 'gt', val: [1] },
      'filter[0].val: integer must be compared with a whole',
    ],
    [{ name: 'id', op: 'eq', val: 'x' }, 'filter[0].val: id must be compared with an id'],
    [{ name: 'id', op: 'in_', val: ['1', '01'] }, 'filter[0].val: id must be compared with an id'],
  ] as const
  for (const [filter, says] of wrong)
    it(`given ${JSON.stringify(filter)}, then the error says which values the operator takes`, async () => {
      await assertRejected(app, filter, { says, names: [] })
    })
})

engine('Operators on relationships', served, (app) => {
  for (const [name, follow, some, none] of [
    ['above', 'has', '2 3', '1 4 5 6 7'],
    ['below', 'any', '1', '2 3 4 5 6 7'],
  ] as const)
    it(`has, any, and the comparisons of ${name} with null: has some, has none`, async () => {
      assert.equal(await matchingIds(app, { name, op: follow }), some)
      assert.equal(await matchingIds(app, { name, op: follow, val: null }), some)
      for (const op of ['ne', 'isnot'])
        assert.equal(await matchingIds(app, { name, op, val: null }), some)
      for (const op of ['eq', 'is_'])
        assert.equal(await matchingIds(app, { name, op, val: null }), none)
      assert.equal(await matchingIds(app, { not: { name, op: follow } }), none)
    })

  for (const [name, own, other] of [
    ['above', 'has', 'any'],
    ['below', 'any', 'has'],
  ] as const)
    it(`every other operator on ${name} is rejected with those that apply`, async () => {
      const common = ['eq', 'ne', 'is_', 'isnot']

      for (const op of [...operatorNames, other].filter((each) => !common.includes(each))) {
        const says = `filter[0].op: ${name} has no operator "${op}"`
        const filter = op === other ? { name, op } : { name, op, val: null }
        await assertRejected(app, filter, { says, names: [own, ...common] })
      }
      for (const op of common) {
        const says = `filter[0]: ${name} is a relationship and can only be compared with null`
        await assertRejected(app, { name, op, val: '1' }, { says, names: [own] })
        await assertRejected(app, { name, op, field: 'id' }, { says, names: [own] })
      }
    })

  for (const [op, byKind] of expectations)
    for (const [name, expected] of byKind)
      for (const [val, matching] of expected)
        it(
          `${op}: on ${name} with ${JSON.stringify(val)} through a relationship it finds the same as on the field itself`,
          long,
          async () => {
            const isBoss = matching.split(' ').includes('1')
            const filter = { name: `above__${name}`, op, val }
            assert.equal(
              await matchingIds(app, filter),
              isBoss ? '2 3' : '',
              JSON.stringify(filter),
            )
          },
        )
})
