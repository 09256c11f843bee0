import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as fc from 'fast-check'
import { type Answer, chapter, ids, type Resource, type World } from '../world.ts'
import { pathOf, queryOf } from './collection-request.ts'
import { filtersOver } from './random-filter.ts'
import { anyDraft, store } from './random-rows.ts'
import { answer, type CollectionRequest } from './reference.ts'
import { expectedResources, keyOf, linkageOf, type Selection } from './reference-document.ts'
import { type Row, relationships, rowsOf, type Tables, type TypeName } from './rows.ts'
import { seed } from './seed.ts'

const stages = 4
const requestsPerStage = 300

/** Query strings beyond this may meet the limit of URLs, which other tests are about. */
const longestQuery = 7000

interface Asked {
  readonly request: CollectionRequest
  readonly selection: Selection
}

chapter('§5 sort, page, include, fields, held against a reference', (world: World) => {
  for (let stage = 1; stage <= stages; stage += 1) {
    it(`tells the same page in the same order, over random rows ${stage} of ${stages}`, async () => {
      const [draft] = fc.sample(anyDraft, { seed: seed + stage, numRuns: 1 })
      assert.ok(draft)
      const tables = await store(world, draft)
      const property = fc.asyncProperty(anyAsked(tables), async (asked) => {
        const query = queryOf(asked.request, asked.selection)
        fc.pre(query.length <= longestQuery)
        const answered = await world.call('GET', pathOf(asked.request), { query })
        try {
          compare(tables, asked, answered)
        } catch (error) {
          const url = `${pathOf(asked.request)}?${decodeURIComponent(query)}`
          const message = `with PROPERTY_SEED=${seed}: GET ${url}\n${error}`
          throw new Error(`${message}\n${answered.text.slice(0, 4000)}`, { cause: error })
        }
      })
      await fc.assert(property, { seed: seed + stage, numRuns: requestsPerStage })
    })
  }
})

/** Fails unless the answer holds what the reference says: rows, order, count, links, fields and included. */
function compare(tables: Tables, { request, selection }: Asked, answered: Answer): void {
  const { rows, count } = answer(tables, request)
  assert.equal(answered.status, 200)
  assert.deepEqual(
    ids(answered),
    rows.map(({ id }) => String(id)),
    'the ids, in order',
  )
  assert.equal(answered.body.meta?.count, count, 'meta.count')
  comparePageLinks(request, count, answered)
  const expected = expectedResources(tables, rows, selection)
  const included = answered.body.included ?? []
  const primary = new Set(rows.map(keyOf))
  assert.deepEqual(
    new Set(included.map(({ type, id }) => `${type} ${id}`)),
    new Set(expected.keys()).difference(primary),
    'what is included',
  )
  assert.equal(
    answered.body.included !== undefined,
    selection.include.length > 0,
    'included is there when include was sent',
  )
  for (const resource of [...answered.many, ...included]) {
    compareResource(tables, resource, expected)
  }
}

/** `first` and `last` when there is more than one page; `prev` and `next` where they exist. */
function comparePageLinks({ page }: CollectionRequest, count: number, answered: Answer): void {
  const pages = page.size === 0 ? 1 : Math.ceil(count / page.size)
  if (page.number > Math.max(pages, 1)) return
  const expected = ['self']
  if (pages > 1) expected.push('first', 'last')
  if (page.number > 1) expected.push('prev')
  if (page.number < pages) expected.push('next')
  const links = Object.keys(answered.body.links ?? {})
  assert.deepEqual(links.toSorted(), expected.toSorted(), 'the links of the page')
}

function compareResource(
  tables: Tables,
  resource: Resource,
  expected: ReturnType<typeof expectedResources>,
): void {
  const key = `${resource.type} ${resource.id}`
  const wanted = expected.get(key)
  assert.ok(wanted, `${key} was not asked for`)
  assert.deepEqual(resource.attributes ?? {}, wanted.attributes, `the attributes of ${key}`)
  const told = resource.relationships ?? {}
  assert.deepEqual(Object.keys(told), wanted.relationships, `the relationships of ${key}`)
  for (const name of wanted.linked) assert.ok(told[name] && 'data' in told[name], `${key} ${name}`)
  for (const { data } of Object.values(told)) {
    if (data !== undefined) assert.deepEqual(data, linkageOf(tables, rowOf(tables, resource)), key)
  }
}

function rowOf(tables: Tables, { type, id }: Resource): Row {
  const row = rowsOf(tables, type === 'person' ? 'person' : 'computer').find(
    (each) => String(each.id) === id,
  )
  assert.ok(row, `${type} ${id} is no stored row`)
  return row
}

const sortable = {
  person: ['id', 'name', 'birth_date', 'gender'],
  computer: ['id', 'serial', 'owner.id', 'owner.name', 'owner.birth_date', 'owner.gender'],
} as const satisfies Record<TypeName, readonly string[]>

const selectable = {
  person: ['name', 'email', 'birth_date', 'gender', 'display_name', 'computers'],
  computer: ['serial', 'owner'],
} as const satisfies Record<TypeName, readonly string[]>

function anyAsked(tables: Tables): fc.Arbitrary<Asked> {
  const owners = fc.constantFrom(...tables.persons.map(({ id }) => id))
  const asked = (type: TypeName, of: fc.Arbitrary<bigint | undefined>) =>
    fc.record({ request: anyRequest(tables, type, of), selection: anySelection(type) })
  return fc.oneof(
    { weight: 3, arbitrary: asked('person', fc.constant(undefined)) },
    { weight: 3, arbitrary: asked('computer', fc.constant(undefined)) },
    { weight: 1, arbitrary: asked('computer', owners) },
  )
}

function anyRequest(
  tables: Tables,
  type: TypeName,
  of: fc.Arbitrary<bigint | undefined>,
): fc.Arbitrary<CollectionRequest> {
  const filters = filtersOver(tables)
  const descending = fc.boolean().map((down) => (down ? '-' : ''))
  const names = fc.subarray([...sortable[type]]).chain((some) => fc.shuffledSubarray(some))
  const sort = names.chain((some) =>
    fc.tuple(...some.map((name) => descending.map((sign) => sign + name))),
  )
  const size = fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(0, 30, 1000) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }) },
  )
  const number = fc.oneof(
    { weight: 2, arbitrary: fc.constant(1) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 9 }) },
  )
  return fc
    .record({
      filters: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(filters.tree(type), { maxLength: 1 }) },
      ),
      simple: fc.oneof(
        { weight: 5, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(filters.simple(type), { maxLength: 1 }) },
      ),
      sort,
      page: fc.record({ number, size }),
      of,
    })
    .map(({ of: owner, ...rest }) => ({ type, ...rest, ...(owner !== undefined && { of: owner }) }))
}

/** Sets of fields for none, one or both types, and paths of up to four steps. */
function anySelection(type: TypeName): fc.Arbitrary<Selection> {
  const some = (of: TypeName) => fc.shuffledSubarray([...selectable[of]])
  return fc.record({
    fields: fc.record({ person: some('person'), computer: some('computer') }, { requiredKeys: [] }),
    include: fc.uniqueArray(
      fc.integer({ min: 1, max: 4 }).map((steps) => pathFrom(type, steps)),
      { maxLength: 3 },
    ),
  })
}

function pathFrom(type: TypeName, steps: number): string {
  const { name, type: there } = relationships[type]
  return steps === 1 ? name : `${name}.${pathFrom(there, steps - 1)}`
}
