import assert from 'node:assert/strict'
import { it } from 'node:test'
import { longOnOthers, partOnOthers } from '../../long-tests.ts'
import {
  describeService,
  type Identifier,
  ids,
  type Resource,
  type TestResponse,
  type TestService,
} from '../../service-suite.ts'
import { executeDirectly, insertMany, isShared } from '../direct-database.ts'
import { statementsOf } from '../statements.ts'

const key = ({ type, id }: Identifier) => `${type} ${id}`

describeService('Responses of more than 500 resources', (app) => {
  if (!isShared(app)) return

  it('are streamed, whichever way they were requested, and hold what smaller ones hold', async () => {
    await insertMany(app.databaseUrl, { persons: 1300, computers: 1 })
    const sort = '-name'
    const large = await app.get('/persons', { 'page[size]': '1200', sort, include: 'computers' })
    assert.equal(large.headers['transfer-encoding'], 'chunked')
    const pages = []
    for (const number of ['1', '2', '3', '4', '5', '6'])
      pages.push(
        await app.get('/persons', {
          ...{ 'page[size]': '200', 'page[number]': number },
          ...{ sort, include: 'computers' },
        }),
      )
    assert.deepEqual(
      large.many,
      pages.flatMap((page) => page.many),
    )
    assert.deepEqual(
      new Set(large.body.included?.map(key)),
      new Set(pages.flatMap((page) => page.body.included?.map(key) ?? [])),
    )
    assert.deepEqual(large.body.meta, { count: 1300 })
    assert.match(String(large.body.links?.next), /page%5Bnumber%5D=2$/)
    const second = await app.get('/persons', {
      ...{ 'page[size]': '700', 'page[number]': '2' },
      ...{ sort, include: 'computers' },
    })
    assert.equal(second.many.length, 600)
    assert.equal(second.body.included?.length, 600)
    assert.deepEqual(ids(second).slice(0, 500), ids(large).slice(700))
  })

  it('are streamed for one resource with more included, and for what a resource is related to', async () => {
    await insertMany(app.databaseUrl, { persons: 2, computers: 900 })
    const one = await app.get('/persons/1', { include: 'computers' })
    assert.equal(one.headers['transfer-encoding'], 'chunked')
    assert.equal(one.body.included?.length, 900)
    assert.equal(one.one.id, '1')
    const owner = await app.get('/computers/1/owner', { include: 'computers' })
    assert.equal(owner.one.id, '1')
    assert.equal(owner.body.included?.length, 900)
    const list = await app.get('/persons', { include: 'computers.owner.computers' })
    assert.equal(list.body.included?.length, 1800)
    const identifiers = await app.get('/persons/1/relationships/computers', {
      include: 'computers',
    })
    assert.equal(identifiers.body.included?.length, 900)
    const page = await app.get('/persons/2/computers', { 'page[size]': '800', include: 'owner' })
    assert.deepEqual([page.many.length, page.body.included?.length], [800, 1])
    const head = await app.call('HEAD', '/persons/1', { query: { include: 'computers' } })
    assert.equal(head.status, 200)
    const missing = await app.get('/persons/99/computers', { 'page[size]': '800' })
    assert.equal(missing.status, 404)
  })

  it('take a number of statements that does not depend on the number of resources', async () => {
    const count = async () => {
      const query = { 'page[size]': '5000', include: 'computers.owner' }
      return (await statementsOf(() => app.get('/persons', query))).length
    }
    await insertMany(app.databaseUrl, { persons: 600, computers: 1 })
    const few = await count()
    for (let each = 0; each < 40; each += 1) await app.computer({}, await app.person())
    assert.equal(await count(), few)
  })
})

describeService('Documents of more than 1 MiB', (app) => {
  if (!isShared(app)) return
  const isStreamed = ({ headers }: TestResponse) => headers['transfer-encoding'] === 'chunked'

  for (const [index, [persons, nameLength]] of (
    [
      [300, 10_000],
      [20, 100_000],
    ] as const
  ).entries()) {
    it(
      `are streamed, and smaller ones are not: names of ${nameLength} characters`,
      partOnOthers(app.dialect, index, 2),
      async () => {
        await insertMany(app.databaseUrl, { persons, computers: 1, nameLength })
        const query = { include: 'owner', sort: '-id' }
        const large = await app.get('/computers', { ...query, 'page[size]': String(persons) })
        assert.equal(isStreamed(large), true)
        assert.equal(large.body.meta?.count, persons)
        const one = await app.get('/computers/2', { include: 'owner' })
        assert.equal(isStreamed(one), false)
        assert.equal(String(one.body.included?.[0]?.attributes?.name).length, nameLength)
        assert.deepEqual(
          large.body.included?.find(({ id }) => id === '2'),
          one.body.included?.[0],
        )
        const list = await app.get('/persons', { sort: 'name', 'page[size]': String(persons) })
        assert.equal(isStreamed(list), true)
        assert.deepEqual(
          list.many.map(({ attributes }) => String(attributes?.name).length),
          Array(persons).fill(nameLength),
        )
        const person = await app.get('/persons/2')
        assert.equal(isStreamed(person), false)
        assert.deepEqual(
          person.one,
          list.many.find(({ id }) => id === '2'),
        )
        const sparse = await app.get('/persons', { 'fields[person]': 'email', 'page[size]': '300' })
        assert.deepEqual([isStreamed(sparse), sparse.many.length], [false, persons])
      },
    )
  }

  it(
    'are rejected as the response to a write, and nothing is written',
    longOnOthers(app.dialect),
    async () => {
      const twelve = Array.from({ length: 12 }, (_, index) => index + 1)
      await insertMany(app.databaseUrl, { persons: 1, computers: 0 })
      await executeDirectly(
        app.databaseUrl,
        `insert into computer (serial, person_id) values ${twelve.map(() => `('', 1)`)}`,
        `update computer set serial = replace('${'.'.repeat(3000)}', '.', '${'x'.repeat(1000)}')`,
      )
      const data = { type: 'person', id: '1', attributes: { name: 'Renamed' } }
      const query = { include: 'computers' }
      const rejected = await app.patch('/persons/1', { data }, query)
      assert.deepEqual([rejected.status, rejected.error.code], [400, 'too_many_resources'])
      assert.deepEqual(rejected.error.source, { parameter: 'include' })
      assert.match(
        rejected.error.detail,
        /^include: the response to a write would hold more than 33554432 cha/,
      )
      const person = await app.get('/persons/1', { ...query, 'fields[computer]': 'owner' })
      assert.notEqual(person.one.attributes?.name, 'Renamed')
      assert.equal(person.body.included?.length, 12)
      assert.equal((await app.patch('/persons/1', { data })).status, 200)
    },
  )

  const createLongNames = ({ databaseUrl }: TestService) =>
    insertMany(databaseUrl, { persons: 20, computers: 0, nameLength: 100_000 })

  for (const [op, val] of [
    ['like', '%n 7.%'],
    ['ilike', 'PERSON 7.'],
    ['match', '7'],
    ['startswith', 'Person 7.'],
  ] as const)
    it(`are found by ${op}`, async () => {
      await app.fill(createLongNames)

      const found = await app.get('/persons', { filter: [{ name: 'name', op, val }] })
      assert.deepEqual([op, ids(found), found.body.meta?.count], [op, ['7'], 1])
    })

  it('are searched with the same errors as smaller ones', async () => {
    await app.fill(createLongNames)

    const none = await app.get('/persons', {
      filter: [{ name: 'name', op: 'endswith', val: 'x' }],
    })
    assert.deepEqual([none.many.length, none.body.meta?.count], [0, 0])
    const missing = await app.get('/persons/99/computers', {
      filter: [{ name: 'owner__name', op: 'like', val: '%..%' }],
    })
    assert.equal(missing.status, 404)
  })
})

describeService('Linkage of more than 10,000 computers', (app) => {
  if (!isShared(app)) return
  const isStreamed = ({ headers }: TestResponse) => headers['transfer-encoding'] === 'chunked'
  const numbersOfComputers = (persons: readonly Resource[] = []) =>
    persons.map(({ relationships }) => [relationships?.computers?.data].flat().length)

  it('is streamed, and smaller linkage is not', async () => {
    await insertMany(app.databaseUrl, { persons: 30, computers: 400 })
    const query = { 'fields[person]': 'computers', sort: 'id' }
    const small = await app.get('/persons', { ...query, 'page[size]': '25' })
    const large = await app.get('/persons', { ...query, 'page[size]': '26' })
    assert.deepEqual([isStreamed(small), isStreamed(large)], [false, true])
    assert.deepEqual(numbersOfComputers(large.many), Array(26).fill(400))
    assert.deepEqual(large.many.slice(0, 25), small.many)
  })

  it('is streamed if included resources have it', async () => {
    await insertMany(app.databaseUrl, { persons: 26, computers: 400 })
    const query = { include: 'owner', 'fields[person]': 'computers', sort: 'serial' }
    const firstOfEach = Array.from({ length: 26 }, (_, person) => person * 400 + 1)
    const computers = (val: readonly number[]) =>
      app.get('/computers', { ...query, filter: [{ name: 'id', op: 'in_', val }] })
    const large = await computers(firstOfEach)
    assert.equal(isStreamed(large), true)
    assert.deepEqual(numbersOfComputers(large.body.included), Array(26).fill(400))
    const small = await computers(firstOfEach.slice(0, 25))
    assert.equal(isStreamed(small), false)
    assert.deepEqual(large.body.included?.slice(0, 25), small.body.included)
  })

  it('is complete for one resource of many that has most of it', async () => {
    await insertMany(app.databaseUrl, { persons: 2, computers: 1200 })
    const { many } = await app.get('/persons', { 'fields[person]': 'computers', sort: 'id' })
    const { one } = await app.get('/persons/2', { 'fields[person]': 'computers' })
    assert.deepEqual(many[1], one)
    assert.deepEqual(numbersOfComputers([one]), [1200])
  })

  it(
    'of 100,000 computers is rejected in the response to a write, and nothing is written',
    longOnOthers(app.dialect),
    async () => {
      await insertMany(app.databaseUrl, { persons: 1, computers: 100_001 })
      const data = { type: 'person', id: '1', attributes: { name: 'Renamed' } }
      const rejected = await app.patch('/persons/1', { data }, { 'fields[person]': 'computers' })
      assert.deepEqual([rejected.status, rejected.error.code], [400, 'too_many_resources'])
      assert.match(rejected.error.detail, /the response to a write would hold more than 10000 res/)
      assert.notEqual((await app.get('/persons/1')).one.attributes?.name, 'Renamed')
    },
  )
})

describeService(
  'A maximum of resources in a response',
  (app) => {
    if (!isShared(app)) return

    it('is 400 with the path that exceeds it and what to do instead', async () => {
      await insertMany(app.databaseUrl, { persons: 700, computers: 2 })
      const rejected = async (path: string, query: Record<string, string>) => {
        const answer = await app.get(path, query)
        assert.deepEqual([answer.status, answer.error.code], [400, 'too_many_resources'], path)
        return [answer.error.source?.parameter, answer.error.detail]
      }
      assert.equal((await app.get('/persons', { 'page[size]': '600' })).many.length, 600)
      const [parameter, detail] = await rejected('/persons', { 'page[size]': '0' })
      assert.equal(parameter, 'page[size]')
      assert.match(String(detail), /more than 600 resources; ask for pages/)
      for (const [size, edge] of [
        ['400', 'computers'],
        ['250', 'computers'],
      ] as const) {
        const [where, what] = await rejected('/persons', {
          'page[size]': size,
          include: 'computers.owner',
        })
        assert.equal(where, 'include')
        assert.match(
          String(what),
          new RegExp(`with "${edge}" the response would hold more than 600`),
        )
      }
      const fits = await app.get('/persons', { 'page[size]': '200', include: 'computers.owner' })
      assert.equal(fits.body.included?.length, 400)
    })
  },
  { settings: { maxResources: 600 } },
)

describeService(
  'A maximum of resources below 500',
  (app) => {
    it('holds for responses that are not streamed as well', async () => {
      for (let each = 0; each < 3; each += 1) await app.computer({}, await app.person())
      assert.equal((await app.get('/persons')).many.length, 3)
      const answer = await app.get('/persons', { include: 'computers' })
      assert.deepEqual([answer.status, answer.error.code], [400, 'too_many_resources'])
      assert.equal(answer.error.source?.parameter, 'include')
    })
  },
  { settings: { maxResources: 4 } },
)
