import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from '../service-suite.ts'
import { identifier } from './people.ts'
import { statementsOf } from './statements.ts'

/** Paths with an include of depth 0, 1, 2 and 3. */
// biome-ignore format: a table, one path a row
const reads: readonly (readonly [path: string, ...includes: string[]])[] = [
  ['/persons',   '', 'computers', 'computers.owner', 'computers.owner.computers'],
  ['/computers', '', 'owner',     'owner.computers', 'owner.computers.owner'],
]

describeService('The number of statements', (app) => {
  it('depends on the include paths, not on the rows', async () => {
    const counts = new Map<string, number[]>()
    let rows = 0
    for (const target of [1, 10, 60]) {
      for (; rows < target; rows++) await app.computer({}, await app.person())
      for (const [path, ...includes] of reads) {
        for (const include of includes) {
          const query = { include, 'page[size]': '1000' }
          const run = await statementsOf(() => app.get(path, query))
          assert.ok(run.length > 0, 'the store publishes its statements')
          counts.set(`${path} ${include}`, [
            ...(counts.get(`${path} ${include}`) ?? []),
            run.length,
          ])
        }
      }
    }
    for (const [request, [one, ten, more]] of counts) {
      assert.deepEqual([ten, more], [one, one], request)
    }
  })

  it('depends on the linkage that fields select and on filters through relationships, not on the rows', async () => {
    const count = async () => {
      const requests = [
        { 'fields[person]': 'computers', 'page[size]': '1000' },
        { 'filter[computers__serial]': 'x', sort: 'name' },
        { filter: [{ name: 'computers', op: 'any' }], include: 'computers', 'page[size]': '1000' },
      ]
      const numbers: number[] = []
      for (const query of requests) {
        numbers.push((await statementsOf(() => app.get('/persons', query))).length)
      }
      return numbers
    }
    await app.computer({}, await app.person())
    const few = await count()
    for (let each = 0; each < 40; each++) await app.computer({}, await app.person())
    assert.deepEqual(await count(), few)
  })

  it('given a first page that is not full, then no statement counts', async () => {
    for (let each = 0; each < 5; each++) await app.person()
    // PostgreSQL reads the page and the count by one statement.
    const without = app.dialect === 'postgres' ? 1 : 0
    for (const [size, number, counted] of [
      [6, 1, without],
      [5, 1, 1],
      [2, 1, without],
      [2, 3, without],
      [2, 9, without],
    ] as const) {
      const query = { 'page[size]': String(size), 'page[number]': String(number) }
      const run = await statementsOf(async () => {
        const response = await app.get('/persons', query)
        assert.deepEqual(response.body.meta, { count: 5 })
      })
      const what = `page ${number} of ${size}`
      assert.equal(run.filter((sql) => sql.includes('count(*)')).length, counted, what)
    }
  })

  it('given a write of a hundred members, then it is that of two members', async () => {
    const machines = []
    for (let each = 0; each < 100; each++) machines.push(identifier(await app.computer()))
    const { id } = await app.person()
    const path = `/persons/${id}/relationships/computers`
    for (const method of ['POST', 'DELETE', 'PATCH']) {
      const write = (members: unknown[]) =>
        statementsOf(() => app.call(method, path, { body: { data: members } }))
      assert.equal(
        (await write(machines)).length,
        (await write(machines.slice(0, 2))).length,
        method,
      )
    }
  })
})

describeService('The values of requests', (app) => {
  it('given a filter, then its values are bound, and a list is one value', async () => {
    await app.person({ name: 'Bobby' })
    const sqlOf = async (val: unknown, op = 'in_') => {
      const query = { filter: [{ name: 'name', op, val }] }
      return (await statementsOf(() => app.get('/persons', query))).join('\n')
    }
    const two = await sqlOf(['Bobby', 'zqxjk'])
    assert.doesNotMatch(two, /Bobby|zqxjk/)
    assert.equal(await sqlOf(Array.from({ length: 500 }, (_, at) => `name ${at}`)), two)
    assert.doesNotMatch(await sqlOf('%zqxjk%', 'ilike'), /zqxjk/)
    assert.doesNotMatch(await sqlOf("'; drop table person; --", 'eq'), /drop/)
  })

  it('given a page, a body or a path, then its values are bound', async () => {
    const run = await statementsOf(async () => {
      const { id } = await app.person({ name: 'zqxjk', gender: 'wvut' })
      await app.get(`/persons/${id}`)
      await app.get('/persons', { 'page[size]': '7654321', 'page[number]': '2' })
      await app.get('/persons/1234567')
    })
    assert.doesNotMatch(run.join('\n'), /zqxjk|wvut|7654321|1234567/)
  })
})
