import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import {
  array,
  attribute,
  boolean,
  type Client,
  createApi,
  decimal,
  defineModel,
  type Filter,
  integer,
  json,
  number,
  resource,
  type Store,
  text,
} from 'lapidary'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import type { OpenDatabase } from '../open-database.ts'
import { scale, seed } from './seed.ts'

const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    texts: attribute(array(text, { nullElements: true })),
    integers: attribute(array(integer)),
    decimals: attribute(array(decimal())),
    booleans: attribute(array(boolean)),
    meta: attribute(json, {
      paths: { 'address.city': text, size: integer, weight: number, open: boolean },
    }),
  },
})
const model = defineModel([thing])

/** The elements of each array: few, so that arrays share some, and some in several spellings. */
const elements = {
  texts: [null, '', 'a', 'b', 'NULL', 'a,b', '"', '\\', '{}', 'ä'],
  integers: [0, 1, -1, 9007199254740991],
  decimals: ['0', '1.5', '1.50', '-2', '12345678901234567890.5'],
  booleans: [true, false],
} as const
type ArrayName = keyof typeof elements
const arrayNames = Object.keys(elements) as ArrayName[]

/** The values of each path in filters, and whether JSON is such a value. */
const paths = {
  'address.city': {
    values: ['', '5', 'Oslo', 'oslo', 'É'],
    is: (json: unknown) => typeof json === 'string',
  },
  size: { values: [0, 5, -1], is: (json: unknown) => Number.isInteger(json) },
  weight: { values: [0, 5, -1, 1.5], is: (json: unknown) => typeof json === 'number' },
  open: { values: [true, false], is: (json: unknown) => typeof json === 'boolean' },
} as const
type PathName = keyof typeof paths
const pathNames = Object.keys(paths) as PathName[]

type Scalar = string | number | boolean
type Row = Readonly<Record<ArrayName, readonly (Scalar | null)[] | null> & { meta: object | null }>

const arrayOf = (name: ArrayName) => fc.array(fc.constantFrom(...elements[name]), { maxLength: 4 })
const anyJson = fc.constantFrom(
  null,
  true,
  false,
  0,
  5,
  -1,
  1.5,
  '',
  '5',
  'Oslo',
  'oslo',
  'É',
  [],
  {},
  ['Oslo'],
)
const anyRow: fc.Arbitrary<Row> = fc.record({
  texts: fc.option(arrayOf('texts')),
  integers: fc.option(arrayOf('integers')),
  decimals: fc.option(arrayOf('decimals')),
  booleans: fc.option(arrayOf('booleans')),
  meta: fc.option(
    fc.record(
      {
        address: fc.oneof(fc.record({ city: anyJson }, { noNullPrototype: true }), anyJson),
        size: anyJson,
        weight: anyJson,
        open: anyJson,
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  ),
})

interface Term {
  readonly name: string
  readonly op: string
  readonly val: unknown
}
type Condition = Term | { readonly not: Condition } | { readonly or: readonly Condition[] }

const arrayTerm: fc.Arbitrary<Term> = fc.constantFrom(...arrayNames).chain((name) =>
  fc.record({
    name: fc.constant(name),
    op: fc.constantFrom('eq', 'ne', 'contains', 'overlaps', 'is_', 'isnot'),
    val: arrayOf(name),
  }),
)
const pathTerm: fc.Arbitrary<Term> = fc.constantFrom(...pathNames).chain((path) => {
  const name = fc.constant(`meta__${path.replace('.', '__')}`)
  const value = fc.constantFrom<Scalar>(...paths[path].values)
  const equality = fc.record({
    name,
    op: fc.constantFrom('eq', 'ne', 'is_'),
    val: fc.option(value),
  })
  const list = fc.record({ name, op: fc.constant('in_'), val: fc.array(value, { maxLength: 3 }) })
  const order = fc.record({ name, op: fc.constantFrom('gt', 'le'), val: value })
  return path === 'open' ? fc.oneof(equality, list) : fc.oneof(equality, list, order)
})
const nullTerm = fc.record({
  name: fc.constantFrom(...arrayNames),
  op: fc.constantFrom('eq', 'isnot'),
  val: fc.constant(null),
})
const anyTerm = fc.oneof(arrayTerm, pathTerm, nullTerm)
const anyCondition: fc.Arbitrary<Condition> = fc.oneof(
  anyTerm,
  fc.record({ not: anyTerm }),
  fc.record({ or: fc.array(anyTerm, { minLength: 1, maxLength: 3 }) }),
)

/** A value as it is compared: numbers of any spelling are equal. */
const keyOf = (name: string, value: unknown) =>
  name === 'decimals' && value !== null ? canonical(String(value)) : value
const canonical = (digits: string) => (digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits)

/** The value of a path: null if it is none of the kind. */
function valueAt({ meta }: Row, path: PathName): Scalar | null {
  let json: unknown = meta
  for (const member of path.split('.'))
    json =
      typeof json === 'object' &&
      json !== null &&
      !Array.isArray(json) &&
      Object.hasOwn(json, member)
        ? Reflect.get(json, member)
        : undefined
  return paths[path].is(json) ? (json as Scalar) : null
}

const compare = (one: Scalar, other: Scalar): number => (one < other ? -1 : one > other ? 1 : 0)

/** Whether a row matches, in three-valued logic. */
function matches(row: Row, condition: Condition): boolean | null {
  if ('not' in condition) {
    const inner = matches(row, condition.not)
    return inner === null ? null : !inner
  }
  if ('or' in condition) {
    const all = condition.or.map((each) => matches(row, each))
    return all.includes(true) ? true : all.includes(null) ? null : false
  }
  const path = pathNames.find((each) => `meta__${each.replace('.', '__')}` === condition.name)
  return path ? matchesPath(valueAt(row, path), condition) : matchesArray(row, condition)
}

function matchesPath(value: Scalar | null, { op, val }: Term): boolean | null {
  if (op === 'is_') return value === val
  if (val === null) return (value === null) === (op === 'eq')
  if (value === null) return op === 'in_' && Array.isArray(val) && val.length === 0 ? false : null
  if (Array.isArray(val)) return val.includes(value)
  const order = compare(value, val as Scalar)
  return { eq: order === 0, ne: order !== 0, gt: order > 0, le: order <= 0 }[op] ?? null
}

function matchesArray(row: Row, { name, op, val }: Term): boolean | null {
  const stored = row[name as ArrayName]
  if (val === null) return (stored === null) === (op === 'eq')
  const wanted = (val as readonly unknown[]).map((each) => keyOf(name, each))
  if (stored === null) return op === 'isnot' ? true : op === 'is_' ? false : null
  const own = stored.map((each) => keyOf(name, each))
  const isEqual = JSON.stringify(own) === JSON.stringify(wanted)
  const has = (each: unknown) => each !== null && own.includes(each as never)
  const results = {
    eq: isEqual,
    is_: isEqual,
    ne: !isEqual,
    isnot: !isEqual,
    contains: wanted.every(has),
    overlaps: wanted.some(has),
  }
  return results[op as keyof typeof results]
}

const rows = fc.sample(anyRow, { numRuns: 40, seed })

for (const database of databases) {
  describe(`Arrays and values inside JSON, compared with JavaScript · ${database.name}`, () => {
    let opened: OpenDatabase
    let store: Store
    let client: Client<typeof model.declarations>

    before(async () => {
      opened = await database.create()
      store = await openStore(model, opened.url)
      const types =
        database.dialect === 'sqlite'
          ? 'texts text, integers text, decimals text, booleans text, meta text'
          : 'texts text[], integers bigint[], decimals numeric[], booleans boolean[], meta jsonb'
      await store.migrate([
        { version: 1, sql: `create table thing (id ${database.columnTypes.newId}, ${types})` },
      ])
      client = createApi({ model, store }).with()
      for (const row of rows) await client.create('thing', row as never)
    })
    after(async () => {
      await store?.close()
      await opened?.remove()
    })

    it('are returned as they were written', async () => {
      const { data } = await client.list('thing', { page: { size: 100 } })
      for (const [at, { texts, integers, decimals, booleans, meta }] of data.entries()) {
        const row = rows[at]
        assert.deepEqual(
          { texts, integers, booleans, meta },
          { texts: row?.texts, integers: row?.integers, booleans: row?.booleans, meta: row?.meta },
        )
        assert.deepEqual(decimals, row?.decimals?.map((each) => canonical(String(each))) ?? null)
      }
      assert.equal(data.length, rows.length)
    })

    it('are found by the same filters and sorted in the same order', async () => {
      const order = fc.record({ path: fc.constantFrom(...pathNames), descending: fc.boolean() })
      await fc.assert(
        fc.asyncProperty(anyCondition, order, async (condition, { path, descending }) => {
          const { data } = await client.list('thing', {
            filter: [condition as Filter<'meta'>],
            sort: [`${descending ? '-' : ''}meta.${path}`],
            page: { size: 100 },
          })
          const expected = rows
            .map((row, at) => ({ row, id: at + 1, key: valueAt(row, path) }))
            .filter(({ row }) => matches(row, condition) === true)
            .sort((one, other) => {
              const nulls = Number(one.key === null) - Number(other.key === null)
              const keys =
                one.key === null || other.key === null ? nulls : compare(one.key, other.key)
              return (descending ? -keys : keys) || one.id - other.id
            })
          assert.deepEqual(
            data.map(({ id }) => id),
            expected.map(({ id }) => String(id)),
          )
        }),
        { numRuns: 150 * scale, seed },
      )
    })
  })
}
