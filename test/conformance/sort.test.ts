import assert from 'node:assert/strict'
import type { Answer, Query, Resource, World } from '../world.ts'
import { chapter, ids, rule } from '../world.ts'
import { assertError, createSamples } from './samples.ts'

/** Persons whose names and dates repeat, and that come in no order. */
const crowd = [
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

async function gather(world: World): Promise<Resource[]> {
  const persons: Resource[] = []
  for (const attributes of crowd) persons.push(await world.person(attributes))
  return persons
}

type Order = (one: Resource, other: Resource) => number

/** Ids are stored as numbers and compare as such: 9 before 10. */
const byId: Order = (one, other) => Number(one.id) - Number(other.id)

/** By an attribute, texts by code point, null as the largest value. */
function by(attribute: string): Order {
  return (one, other) => {
    const [left, right] = [one.attributes?.[attribute], other.attributes?.[attribute]]
    if (typeof left !== 'string' || typeof right !== 'string') {
      return Number(left === null) - Number(right === null)
    }
    // UTF-8 keeps the order of code points; UTF-16, in which JavaScript compares, does not.
    return Buffer.compare(Buffer.from(left), Buffer.from(right))
  }
}

function descending(order: Order): Order {
  return (one, other) => -order(one, other)
}

/** The ids in the order of the first of these that tells two resources apart, and by id at the end. */
function sorted(resources: readonly Resource[], ...orders: Order[]): string[] {
  const first = (one: Resource, other: Resource) =>
    [...orders, byId].map((order) => order(one, other)).find((sign) => sign !== 0) ?? 0
  return resources.toSorted(first).map(({ id }) => id)
}

/** Every page of a collection, from the first to the last. */
async function pages(world: World, path: string, query: Query): Promise<Answer[]> {
  const found = [await world.get(path, query)]
  for (let next = found[0]?.body.links?.next; next !== undefined; ) {
    const answer = await world.get(next)
    found.push(answer)
    assert.ok(found.length < 100, 'the pages never end')
    next = answer.body.links?.next
  }
  return found
}

chapter('SRT Sorting', (world: World) => {
  // SRT-1 A server may support sorting by one or more fields.
  rule(
    'SRT-1',
    'a collection sorts by any stored field, the id and a field of the owner',
    async () => {
      await createSamples(world)
      for (const [path, sort] of [
        ['/persons', 'name'],
        ['/persons', 'birth_date'],
        ['/persons', 'gender'],
        ['/persons', 'id'],
        ['/computers', 'serial'],
        ['/computers', 'owner.name'],
        ['/computers', 'owner.name,-serial,id'],
      ] as const) {
        assert.equal((await world.get(path, { sort })).status, 200, `${path}?sort=${sort}`)
      }
    },
  )

  rule('SRT-1', 'sorting by the name of the owner puts the ownerless last', async () => {
    const { engine, compiler, orphan } = await createSamples(world)
    const path = '/computers'
    const up = await world.get(path, { sort: 'owner.name' })
    assert.deepEqual(ids(up), [engine.id, compiler.id, orphan.id])
    const down = await world.get(path, { sort: '-owner.name' })
    assert.deepEqual(ids(down), [orphan.id, compiler.id, engine.id])
  })

  // SRT-2 An endpoint may support `sort` on primary data.
  rule('SRT-2', 'every collection sorts, nested ones too', async () => {
    const { ada, engine } = await createSamples(world)
    const abacus = await world.computer({ serial: 'abacus' }, ada)
    const path = `/persons/${ada.id}/computers`
    assert.deepEqual(ids(await world.get(path, { sort: 'serial' })), [abacus.id, engine.id])
    assert.deepEqual(ids(await world.get(path, { sort: '-serial' })), [engine.id, abacus.id])
  })

  rule(
    'SRT-2',
    'on one resource a valid sort changes nothing and a wrong one is refused',
    async () => {
      const { ada, engine } = await createSamples(world)
      const person = `/persons/${ada.id}`
      assert.deepEqual((await world.get(person, { sort: '-name' })).one, ada)
      const owner = `/computers/${engine.id}/owner`
      assert.deepEqual((await world.get(owner, { sort: '-name' })).one, ada)
      assertError(await world.get(person, { sort: 'nope' }), 400, { parameter: 'sort' })
      assertError(await world.get(owner, { sort: 'serial' }), 400, { parameter: 'sort' })
    },
  )

  // SRT-3 The value represents sort fields.
  rule('SRT-3', 'the value names the field to sort by', async () => {
    const persons = await gather(world)
    assert.deepEqual(
      ids(await world.get('/persons', { sort: 'name' })),
      sorted(persons, by('name')),
    )
  })

  // SRT-4 Several fields, comma-separated.
  rule('SRT-4', 'several fields are separated by commas', async () => {
    const persons = await gather(world)
    const answer = await world.get('/persons', { sort: 'name,-birth_date' })
    assert.equal(answer.status, 200)
    const expected = sorted(persons, by('name'), descending(by('birth_date')))
    assert.deepEqual(ids(answer), expected)
  })

  // SRT-5 Fields apply in the order given.
  rule('SRT-5', 'what the first field ties, the second decides', async () => {
    const persons = await gather(world)
    const byName = await world.get('/persons', { sort: 'name,birth_date' })
    assert.deepEqual(ids(byName), sorted(persons, by('name'), by('birth_date')))
    const byDate = await world.get('/persons', { sort: 'birth_date,name' })
    assert.deepEqual(ids(byDate), sorted(persons, by('birth_date'), by('name')))
    assert.notDeepEqual(ids(byName), ids(byDate))
  })

  // SRT-6 Ascending by default, descending with `-`.
  rule('SRT-6', 'ascending, and descending after a minus', async () => {
    const { engine, compiler, orphan } = await createSamples(world)
    const up = await world.get('/computers', { sort: 'serial' })
    assert.deepEqual(ids(up), [compiler.id, engine.id, orphan.id])
    const down = await world.get('/computers', { sort: '-serial' })
    assert.deepEqual(ids(down), [orphan.id, engine.id, compiler.id])
  })

  rule('SRT-6', 'null counts as the largest value', async () => {
    const persons = await gather(world)
    const up = await world.get('/persons', { sort: 'birth_date' })
    assert.deepEqual(ids(up), sorted(persons, by('birth_date')))
    assert.equal(up.many.at(-1)?.attributes?.birth_date, null)
    const down = await world.get('/persons', { sort: '-birth_date' })
    assert.deepEqual(ids(down), sorted(persons, descending(by('birth_date'))))
    assert.equal(down.many[0]?.attributes?.birth_date, null)
  })

  // SRT-7 Sort that cannot be honoured as asked → 400.
  rule('SRT-7', 'a sort that cannot be honoured is refused', async () => {
    const { ada } = await createSamples(world)
    const unknown = ['nope', 'name,nope', 'owner.name', '-', '--name', 'name,', 'name.x']
    const barred = ['password', 'display_name', 'computers', 'computers.serial', 'person_id']
    for (const sort of [...unknown, ...barred, 'Name', ' name', '__proto__']) {
      assertError(await world.get('/persons', { sort }), 400, { parameter: 'sort' })
    }
    for (const sort of [
      'owner',
      'owner.computers',
      'owner.display_name',
      'owner.password',
      'name',
    ]) {
      assertError(await world.get('/computers', { sort }), 400, { parameter: 'sort' })
      assertError(await world.get(`/persons/${ada.id}/computers`, { sort }), 400, {
        parameter: 'sort',
      })
    }
  })

  // SRT-8 When supported and asked, top-level `data` is in that order.
  rule('SRT-8', 'the order holds over all pages', async () => {
    const persons = await gather(world)
    for (const [sort, ...orders] of [
      ['name', by('name')],
      ['-name', descending(by('name'))],
      ['-birth_date,name', descending(by('birth_date')), by('name')],
      ['gender', by('gender')],
      ['-id', descending(byId)],
    ] as const) {
      const whole = await world.get('/persons', { sort, 'page[size]': 0 })
      assert.deepEqual(ids(whole), sorted(persons, ...orders), sort)
      const parts = await pages(world, '/persons', { sort, 'page[size]': 3 })
      assert.equal(parts.length, 4, sort)
      assert.deepEqual(parts.flatMap(ids), ids(whole), sort)
    }
  })

  // SRT-9 Default order when `sort` is absent.
  rule('SRT-9', 'without a sort the order is that of the ids, as numbers', async () => {
    const persons = await gather(world)
    assert.ok(persons.some(({ id }) => id.length > 1))
    const parts = await pages(world, '/persons', { 'page[size]': 4 })
    assert.deepEqual(parts.flatMap(ids), sorted(persons))
  })
})
