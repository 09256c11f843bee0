import assert from 'node:assert/strict'
import type { Query, Resource, TestResponse, TestService } from '../service-suite.ts'
import { describeService, ids, rule } from '../service-suite.ts'
import { assertError, createSamples } from './samples.ts'

/** Persons in no order, with repeated names and dates. */
const unsortedPersons = [
  { name: 'Grace', birth_date: '1906-12-09' },
  { name: 'ada', birth_date: '1815-12-10' },
  { name: 'Ada', birth_date: '1990-01-01' },
  { name: 'Émilie', birth_date: '1706-12-17' },
  { name: 'Ada' },
  { name: '\u{1F600}', birth_date: '1970-01-01' },
  { name: '\uFF5E', birth_date: '1970-01-01' },
  { name: 'Ada', birth_date: '1815-12-10' },
  { name: '', birth_date: '1990-01-01' },
  { name: 'Ada', birth_date: '1990-01-01' },
  { name: 'Zuse' },
]

async function createPersons(app: TestService): Promise<Resource[]> {
  const persons: Resource[] = []
  for (const attributes of unsortedPersons) persons.push(await app.person(attributes))
  return persons
}

type Order = (one: Resource, other: Resource) => number

/** Compares ids as numbers: 9 before 10. */
const byId: Order = (one, other) => Number(one.id) - Number(other.id)

/** Compares an attribute: text by code point, with null as the greatest value. */
function by(attribute: string): Order {
  return (one, other) => {
    const [left, right] = [one.attributes?.[attribute], other.attributes?.[attribute]]
    if (typeof left !== 'string' || typeof right !== 'string') {
      return Number(left === null) - Number(right === null)
    }
    // Bytes of UTF-8 have the order of code points. UTF-16 code units, which JavaScript compares, do not.
    return Buffer.compare(Buffer.from(left), Buffer.from(right))
  }
}

function descending(order: Order): Order {
  return (one, other) => -order(one, other)
}

/** Sorts resources by several orders, and then by id. Returns their ids. */
function sorted(resources: readonly Resource[], ...orders: Order[]): string[] {
  const compare = (one: Resource, other: Resource) =>
    [...orders, byId].map((order) => order(one, other)).find((sign) => sign !== 0) ?? 0
  return resources.toSorted(compare).map(({ id }) => id)
}

/** Fetches every page of a collection, from the first to the last. */
async function fetchPages(app: TestService, path: string, query: Query): Promise<TestResponse[]> {
  const pages = [await app.get(path, query)]
  for (let next = pages[0]?.body.links?.next; next !== undefined; ) {
    const response = await app.get(next)
    pages.push(response)
    assert.ok(pages.length < 100, 'the pages never end')
    next = response.body.links?.next
  }
  return pages
}

describeService('Sorting', (app: TestService) => {
  for (const [path, sort] of [
    ['/persons', 'name'],
    ['/persons', 'birth_date'],
    ['/persons', 'gender'],
    ['/persons', 'id'],
    ['/computers', 'serial'],
    ['/computers', 'owner.name'],
    ['/computers', 'owner.name,-serial,id'],
  ] as const)
    rule('SRT-1', `${path} can be sorted by ${sort}`, async () => {
      await createSamples(app)
      assert.equal((await app.get(path, { sort })).status, 200)
    })

  rule('SRT-1', 'given a sort by the owner, computers without an owner are last', async () => {
    const { engine, compiler, orphan } = await createSamples(app)
    const path = '/computers'
    const ascending = await app.get(path, { sort: 'owner.name' })
    assert.deepEqual(ids(ascending), [engine.id, compiler.id, orphan.id])
    const reversed = await app.get(path, { sort: '-owner.name' })
    assert.deepEqual(ids(reversed), [orphan.id, compiler.id, engine.id])
  })

  rule('SRT-2', 'related resources can be sorted', async () => {
    const { ada, engine } = await createSamples(app)
    const abacus = await app.computer({ serial: 'abacus' }, ada)
    const path = `/persons/${ada.id}/computers`
    assert.deepEqual(ids(await app.get(path, { sort: 'serial' })), [abacus.id, engine.id])
    assert.deepEqual(ids(await app.get(path, { sort: '-serial' })), [engine.id, abacus.id])
  })

  rule('SRT-2', 'given one resource, a sort changes nothing', async () => {
    const { ada, engine } = await createSamples(app)
    assert.deepEqual((await app.get(`/persons/${ada.id}`, { sort: '-name' })).one, ada)
    assert.deepEqual((await app.get(`/computers/${engine.id}/owner`, { sort: '-name' })).one, ada)
  })

  rule('SRT-2', 'given one resource, an invalid sort gets 400', async () => {
    const { ada, engine } = await createSamples(app)
    const parameter = 'sort'
    assertError(await app.get(`/persons/${ada.id}`, { sort: 'nope' }), 400, { parameter })
    const owner = `/computers/${engine.id}/owner`
    assertError(await app.get(owner, { sort: 'serial' }), 400, { parameter })
  })

  rule('SRT-3', 'given a field, the resources are in its order', async () => {
    const persons = await createPersons(app)
    assert.deepEqual(ids(await app.get('/persons', { sort: 'name' })), sorted(persons, by('name')))
  })

  rule('SRT-4', 'given several fields, the resources are in the order of all', async () => {
    const persons = await createPersons(app)
    const response = await app.get('/persons', { sort: 'name,-birth_date' })
    assert.equal(response.status, 200)
    const expected = sorted(persons, by('name'), descending(by('birth_date')))
    assert.deepEqual(ids(response), expected)
  })

  rule('SRT-5', 'given equal values of the first field, the second decides', async () => {
    const persons = await createPersons(app)
    const byName = await app.get('/persons', { sort: 'name,birth_date' })
    assert.deepEqual(ids(byName), sorted(persons, by('name'), by('birth_date')))
    const byDate = await app.get('/persons', { sort: 'birth_date,name' })
    assert.deepEqual(ids(byDate), sorted(persons, by('birth_date'), by('name')))
    assert.notDeepEqual(ids(byName), ids(byDate))
  })

  rule('SRT-6', 'the order is ascending, and descending with a minus', async () => {
    const { engine, compiler, orphan } = await createSamples(app)
    const ascending = await app.get('/computers', { sort: 'serial' })
    assert.deepEqual(ids(ascending), [compiler.id, engine.id, orphan.id])
    const reversed = await app.get('/computers', { sort: '-serial' })
    assert.deepEqual(ids(reversed), [orphan.id, engine.id, compiler.id])
  })

  rule('SRT-6', 'null is the greatest value', async () => {
    const persons = await createPersons(app)
    const ascending = await app.get('/persons', { sort: 'birth_date' })
    assert.deepEqual(ids(ascending), sorted(persons, by('birth_date')))
    assert.equal(ascending.many.at(-1)?.attributes?.birth_date, null)
    const reversed = await app.get('/persons', { sort: '-birth_date' })
    assert.deepEqual(ids(reversed), sorted(persons, descending(by('birth_date'))))
    assert.equal(reversed.many[0]?.attributes?.birth_date, null)
  })

  for (const sort of [
    ...['nope', 'name,nope', 'owner.name', '-', '--name', 'name,', 'name.x'],
    ...['password', 'display_name', 'computers', 'computers.serial', 'person_id'],
    ...['Name', ' name', '__proto__'],
  ])
    rule('SRT-7', `given sort=${sort}, persons get 400`, async () => {
      assertError(await app.get('/persons', { sort }), 400, { parameter: 'sort' })
    })

  for (const sort of ['owner', 'owner.computers', 'owner.display_name', 'owner.password', 'name'])
    rule('SRT-7', `given sort=${sort}, computers get 400`, async () => {
      const { id } = await app.person()
      for (const path of ['/computers', `/persons/${id}/computers`])
        assertError(await app.get(path, { sort }), 400, { parameter: 'sort' })
    })

  for (const [sort, ...orders] of [
    ['name', by('name')],
    ['-name', descending(by('name'))],
    ['-birth_date,name', descending(by('birth_date')), by('name')],
    ['gender', by('gender')],
    ['-id', descending(byId)],
  ] as const)
    rule('SRT-8', `given sort=${sort}, all pages have this order`, async () => {
      const persons = await createPersons(app)
      const complete = await app.get('/persons', { sort, 'page[size]': 0 })
      assert.deepEqual(ids(complete), sorted(persons, ...orders))
      const pages = await fetchPages(app, '/persons', { sort, 'page[size]': 3 })
      assert.equal(pages.length, 4)
      assert.deepEqual(pages.flatMap(ids), ids(complete))
    })

  rule('SRT-9', 'without sort, the order is that of the ids as numbers', async () => {
    const persons = await createPersons(app)
    assert.ok(persons.some(({ id }) => id.length > 1))
    const pages = await fetchPages(app, '/persons', { 'page[size]': 4 })
    assert.deepEqual(pages.flatMap(ids), sorted(persons))
  })
})
