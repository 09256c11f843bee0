import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { typeNamed } from '../../src/model/model.ts'
import { readQuery } from '../../src/parse/query.ts'
import { planCollection, type ReadPlan } from '../../src/plan/read.ts'
import { intern, perShape } from '../../src/plan/shape.ts'
import { compileRead } from '../../src/store/read.ts'
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts'
import { seed } from '../property/seed.ts'
import { library } from './library.ts'

const resource = typeNamed(library, 'book')

function planned(query: Readonly<Record<string, unknown>>): ReadPlan {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)]
  })
  return planCollection(library, readQuery(new URLSearchParams(pairs).toString()), { resource })
}

/** Every text that a database may be given for a plan. */
function texts({ shape }: ReadPlan): string[] {
  const { rows, start, rowsBackwards, count, byIds, additions } = compileRead(shape, {
    model: library,
    dialect: sqliteDialect,
  })
  const statements = [rows, start, rowsBackwards, count, ...byIds.values(), ...additions]
  return statements.map((each) => each.sql)
}

/** A filter made twice over: of the same form, with other values. */
interface Twins {
  readonly one: unknown
  readonly other: unknown
  /** The values of both, as they would look in a text. */
  readonly values: readonly string[]
}

/** Values no statement holds by chance. */
const kinds = {
  text: fc.string({ unit: 'binary', maxLength: 20 }).map((end) => {
    return `qzj${end.toWellFormed().replaceAll('\0', '')}`
  }),
  integer: fc.integer({ min: 1_000_000 }),
  number: fc.double({ min: 1_000_000, noNaN: true, noDefaultInfinity: true }),
  date: fc
    .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
}

// biome-ignore format: a table, one field a row
const fields = [
  ['title', 'text'], ['author__name', 'text'], ['author__mail', 'text'], ['author__books__title', 'text'],
  ['pages', 'integer'], ['id', 'integer'], ['author__id', 'integer'], ['price', 'number'], ['author__born', 'date'],
] as const
const single = ['eq', 'ne', 'is_', 'isnot', 'gt', 'ge', 'lt', 'le']
const textual = ['like', 'notlike', 'ilike', 'notilike', 'startswith', 'endswith', 'match']

/** Two comparisons of one form. Lists are one value: they may differ in length. */
const comparison = fc.constantFrom(...fields).chain(([name, kind]) => {
  const value: fc.Arbitrary<string | number> = kinds[kind]
  const isText = kind === 'text'
  const alone = fc.record({
    op: fc.constantFrom(...single, ...(isText ? textual : [])),
    vals: fc.tuple(value, value),
  })
  const pair = fc.tuple(value, value)
  const ranges = fc.record({ op: fc.constant('between'), vals: fc.tuple(pair, pair) })
  const list = fc.array(value, { maxLength: 5 })
  const lists = fc.record({ op: fc.constantFrom('in_', 'notin_'), vals: fc.tuple(list, list) })
  return fc.oneof(alone, ranges, lists).map(({ op, vals: [val, otherVal] }): Twins => {
    const values = [val, otherVal].flat().map(String)
    return { one: { name, op, val }, other: { name, op, val: otherVal }, values }
  })
})

const { filter: twins } = fc.letrec<{ filter: Twins }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    comparison,
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 1, maxLength: 12 }))
      .map(([word, all]) => ({
        one: { [word]: all.map(({ one }) => one) },
        other: { [word]: all.map(({ other }) => other) },
        values: all.flatMap(({ values }) => values),
      })),
    tie('filter').map(({ one, other, values }) => ({
      ...{ one: { not: one }, other: { not: other }, values },
    })),
    tie('filter').map(({ one, other, values }) => {
      const around = (val: unknown) => ({
        ...{ name: 'author', op: 'has', val: { name: 'books', op: 'any', val } },
      })
      return { one: around(one), other: around(other), values }
    }),
  ),
}))

const rest = fc.record(
  {
    sort: fc.constantFrom('title', '-pages,author.name'),
    include: fc.constantFrom('author', 'author.books.author'),
    'fields[book]': fc.constantFrom('title,author', 'author'),
  },
  { requiredKeys: [] },
)
const page = fc.integer({ min: 1_000_000, max: 9_000_000 })

describe('Shapes', () => {
  it('filters of one form share one shape and one text, whatever their values; none stands in it', () => {
    // Larger filters are refused.
    const served = twins.filter(({ one }) => JSON.stringify(one).split('"op"').length <= 100)
    const property = fc.property(served, rest, page, page, (filters, more, size, number) => {
      const one = planned({ filter: [filters.one], ...more })
      const other = planned({
        ...{ filter: [filters.other], ...more },
        ...{ 'page[size]': String(size), 'page[number]': String(number) },
      })
      assert.equal(one.shape, other.shape)
      const written = texts(one)
      assert.deepEqual(written, texts(other))
      for (const value of [...filters.values, String(size), String(number)]) {
        assert.ok(!written.some((sql) => sql.includes(value)), `${value} in\n${written.join('\n')}`)
        assert.ok(!JSON.stringify(one.shape).includes(value))
      }
    })
    fc.assert(property, { numRuns: 1000, seed })
  })

  it('whatever else differs makes another shape', () => {
    const shapes = [
      {},
      { 'page[size]': '0' },
      { sort: 'title' },
      { sort: '-title' },
      { include: 'author' },
      { 'fields[book]': 'title' },
      { filter: [{ name: 'title', op: 'eq', val: 'x' }] },
      { filter: [{ name: 'title', op: 'eq', val: null }] },
      { filter: [{ name: 'title', op: 'ne', val: 'x' }] },
      { filter: [{ name: 'pages', op: 'eq', field: 'id' }] },
      { filter: [{ not: { name: 'title', op: 'eq', val: 'x' } }] },
    ].map((query) => planned(query).shape)
    assert.equal(new Set(shapes).size, shapes.length)
  })

  it('what is made from a shape is made once, for each maker', () => {
    let made = 0
    const make = perShape(() => ({ number: ++made }))
    const another = perShape(() => ({ number: ++made }))
    const first = make(planned({ sort: 'title' }).shape)
    assert.equal(make(planned({ sort: 'title' }).shape), first)
    assert.notEqual(make(planned({ sort: '-title' }).shape), first)
    assert.notEqual(another(planned({ sort: 'title' }).shape), first)
    assert.equal(made, 3)
  })

  it('ten thousand shapes leave the cache bounded: the longest unused are forgotten', () => {
    const operators = [...single, 'in_', 'notin_']
    const digits = [0, 1, 2, 3]
    const shapeOf = (number: number) => {
      const or = digits.map((digit) => {
        const op = operators[Math.floor(number / 10 ** digit) % 10]
        return { name: 'pages', op, val: op?.endsWith('in_') ? [1] : 1 }
      })
      return planned({ filter: [{ or }] }).shape
    }
    const early = [0, 1, 2, 3, 4].map(shapeOf)
    for (let number = 0; number < 10_000; number++) shapeOf(number)
    assert.deepEqual(
      early.map((shape, number) => shape === shapeOf(number)),
      early.map(() => false),
    )
    const late = shapeOf(9_999)
    assert.equal(shapeOf(9_999), late)
  })

  it('long shapes are forgotten sooner, and one too long is never kept', () => {
    const long = (number: number, length: number) => ({ number, text: 'x'.repeat(length) })
    const first = intern(long(0, 100_000))
    assert.equal(intern(long(0, 100_000)), first)
    for (let number = 1; number < 200; number++) intern(long(number, 100_000))
    assert.notEqual(intern(long(0, 100_000)), first)
    const giant = intern(long(0, 20_000_000))
    assert.deepEqual(intern(long(0, 20_000_000)), giant)
  })
})
