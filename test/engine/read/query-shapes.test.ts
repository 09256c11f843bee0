import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { memoizeByIdentity } from '../../../src/model/memoize-by-identity.ts'
import { getResourceType } from '../../../src/model/model.ts'
import { parseQuery } from '../../../src/parse/query.ts'
import { createQueryShapeCache } from '../../../src/plan/cache/query-shapes.ts'
import { createPlanner } from '../../../src/plan/planner.ts'
import { planCollection, type ReadPlan } from '../../../src/plan/read.ts'
import { compileRead } from '../../../src/sql/read/compile-read.ts'
import { sqliteDialect } from '../../../src/sqlite/dialect.ts'
import { anyCharacters } from '../../property/random/random-texts.ts'
import { scale, seed } from '../../property/seed.ts'
import { emptyTarget } from '../empty-facts.ts'
import { library } from '../library.ts'

const resource = getResourceType(library, 'book')
const planner = createPlanner(library)

function planQuery(query: Readonly<Record<string, unknown>>): ReadPlan {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)]
  })
  return planCollection(planner, parseQuery(new URLSearchParams(pairs).toString()), { resource })
}

/** The SQL of every statement of a plan. */
function compileAll({ shape }: ReadPlan): string[] {
  const { rows, boundedRows, reversedRows, count, byIds, includedRows } = compileRead(
    shape,
    emptyTarget(library, sqliteDialect),
  )
  const statements = [
    rows,
    boundedRows,
    reversedRows(),
    count,
    ...byIds.values(),
    ...includedRows(),
  ]
  return statements.map(({ sql }) => sql)
}

/** Two filters that differ only in values. */
interface FilterPair {
  readonly one: unknown
  readonly other: unknown
  /** The values of both, as they would appear in SQL. */
  readonly values: readonly string[]
}

/** Values that no statement contains by chance. */
const kinds = {
  text: anyCharacters(20).map((end) => `qzj${end}`),
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

/** Two comparisons that differ only in values. A list is one value, so two lists may differ in length. */
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
  return fc.oneof(alone, ranges, lists).map(({ op, vals: [val, otherVal] }): FilterPair => {
    const values = [val, otherVal].flat().map(String)
    return { one: { name, op, val }, other: { name, op, val: otherVal }, values }
  })
})

const { filter: filterPairs } = fc.letrec<{ filter: FilterPair }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    comparison,
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 1, maxLength: 12 }))
      .map(([operator, all]) => ({
        one: { [operator]: all.map(({ one }) => one) },
        other: { [operator]: all.map(({ other }) => other) },
        values: all.flatMap(({ values }) => values),
      })),
    tie('filter').map(({ one, other, values }) => ({
      ...{ one: { not: one }, other: { not: other }, values },
    })),
    tie('filter').map(({ one, other, values }) => {
      const wrap = (val: unknown) => ({
        ...{ name: 'author', op: 'has', val: { name: 'books', op: 'any', val } },
      })
      return { one: wrap(one), other: wrap(other), values }
    }),
  ),
}))

const otherParameters = fc.record(
  {
    sort: fc.constantFrom('title', '-pages,author.name'),
    include: fc.constantFrom('author', 'author.books.author'),
    'fields[book]': fc.constantFrom('title,author', 'author'),
  },
  { requiredKeys: [] },
)
const page = fc.integer({ min: 1_000_000, max: 9_000_000 })

describe('Query shapes', () => {
  it('given filters that differ only in values, when planned, then they share one shape and one SQL without the values', () => {
    // The limit on terms rejects larger filters.
    const accepted = filterPairs.filter(
      ({ one }) => JSON.stringify(one).split('"op"').length <= 100,
    )
    const property = fc.property(
      accepted,
      otherParameters,
      page,
      page,
      (filters, others, size, number) => {
        const one = planQuery({ filter: [filters.one], ...others })
        const other = planQuery({
          ...{ filter: [filters.other], ...others },
          ...{ 'page[size]': String(size), 'page[number]': String(number) },
        })
        assert.equal(one.shape, other.shape)
        const statements = compileAll(one)
        assert.deepEqual(statements, compileAll(other))
        for (const value of [...filters.values, String(size), String(number)]) {
          const isInSql = statements.some((sql) => sql.includes(value))
          assert.ok(!isInSql, `${value} in\n${statements.join('\n')}`)
          assert.ok(!JSON.stringify(one.shape).includes(value))
        }
      },
    )
    fc.assert(property, { numRuns: 50 * scale, seed })
  })

  it('given queries that differ in more than values, when planned, then each has a shape of its own', () => {
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
    ].map((query) => planQuery(query).shape)
    assert.equal(new Set(shapes).size, shapes.length)
  })

  it('given 10,000 shapes, when the cache is full, then the least recently used are evicted', () => {
    const operators = [...single, 'in_', 'notin_']
    const digits = [0, 1, 2, 3]
    const shapeOf = (number: number) => {
      const or = digits.map((digit) => {
        const op = operators[Math.floor(number / 10 ** digit) % 10]
        return { name: 'pages', op, val: op?.endsWith('in_') ? [1] : 1 }
      })
      return planQuery({ filter: [{ or }] }).shape
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

  it('given long shapes, when they are interned, then they are evicted sooner, and one longer than the cache is not stored', () => {
    const { intern } = createQueryShapeCache()
    const long = (number: number, length: number) => ({ number, text: 'x'.repeat(length) })
    const first = intern(long(0, 100_000))
    assert.equal(intern(long(0, 100_000)), first)
    for (let number = 1; number < 200; number++) intern(long(number, 100_000))
    assert.notEqual(intern(long(0, 100_000)), first)
    const giant = intern(long(0, 20_000_000))
    assert.deepEqual(intern(long(0, 20_000_000)), giant)
  })

  it('given two applications with one model, when they plan a query, then each has its own cache', () => {
    const plan = (own: typeof planner) =>
      planCollection(own, parseQuery('sort=title'), { resource })
    assert.notEqual(plan(planner).shape, plan(createPlanner(library)).shape)
    assert.equal(plan(planner).shape, plan(planner).shape)
  })
})

describe('Memoizing by identity', () => {
  it('given one object, when it comes again, then each function computes its result once', () => {
    let computed = 0
    const compute = memoizeByIdentity(() => ({ number: ++computed }))
    const computeOther = memoizeByIdentity(() => ({ number: ++computed }))
    const first = compute(planQuery({ sort: 'title' }).shape)
    assert.equal(compute(planQuery({ sort: 'title' }).shape), first)
    assert.notEqual(compute(planQuery({ sort: '-title' }).shape), first)
    assert.notEqual(computeOther(planQuery({ sort: 'title' }).shape), first)
    assert.equal(computed, 3)
  })
})
