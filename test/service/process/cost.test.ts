import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it, mock } from 'node:test'
import { DefaultQueryCompiler } from 'kysely'
import pg from 'pg'
import { describeService, type TestService } from '../../service-suite.ts'
import { identifier } from '../people.ts'
import { statementsOf } from '../statements.ts'

/** The compiled objects of a query shape. */
interface Compiled {
  /** The number of statements that were written, and that of statements that the database prepared. */
  readonly written: number
  readonly prepared: number
  /** Generated functions that serialize rows. */
  readonly serializers: number
}

const nothing: Compiled = { written: 0, prepared: 0, serializers: 0 }

/** Counts with spies what is compiled while a function runs. */
async function compiledBy(work: () => Promise<unknown>): Promise<Compiled> {
  const written = mock.method(DefaultQueryCompiler.prototype, 'compileQuery')
  const prepared = [
    mock.method(DatabaseSync.prototype, 'prepare'),
    mock.method(pg.Connection.prototype, 'parse'),
  ]
  const serializers = mock.method(globalThis, 'Function')
  const spies = [written, ...prepared, serializers]
  try {
    await work()
    return {
      written: written.mock.callCount(),
      prepared: prepared.reduce((sum, { mock }) => sum + mock.callCount(), 0),
      serializers: serializers.mock.callCount(),
    }
  } finally {
    for (const spy of spies) spy.mock.restore()
  }
}

/** The number of times that a text is parsed as JSON while a function runs. */
async function readingsOf(json: string, work: () => Promise<unknown>): Promise<number> {
  const parse = mock.method(JSON, 'parse')
  try {
    await work()
    return parse.mock.calls.filter((call) => call.arguments[0] === json).length
  } finally {
    parse.mock.restore()
  }
}

/** Creates persons with five computers each. */
async function fill(app: TestService, persons: number): Promise<void> {
  for (let each = 0; each < persons; each++) {
    const computers = await Promise.all(Array.from({ length: 5 }, () => app.computer()))
    await app.person({}, computers.map(identifier))
  }
}

/**
 * A query with every part of a read: columns, a computed field, linkage, a filter through a relationship, and included
 * resources.
 */
const query = (name: string) => ({
  filter: [{ name: 'name', op: 'ne', val: name }],
  'filter[computers__serial]': name,
  include: 'computers.owner',
  sort: '-name',
})

const person = (name: string) => ({ data: { type: 'person', id: '1', attributes: { name } } })

describeService(
  'The cost of a request',
  (app) => {
    it('given the hundredth request of a query shape with any values, then nothing is compiled', async () => {
      await fill(app, 1)
      const requests: readonly (readonly [times: number, (text: string) => Promise<unknown>])[] = [
        [100, (text) => app.get('/persons', query(text))],
        [20, (text) => app.get('/persons', { 'page[size]': '0', 'filter[name]': text })],
        [20, (text) => app.get('/persons/1/computers', { 'filter[serial]': text })],
        [20, (text) => app.patch('/persons/1', person(text))],
      ]
      for (const [times, request] of requests) {
        for (let each = 1; each < times; each++) await request(`n${each}`)
        assert.deepEqual(await compiledBy(() => request('last')), nothing, String(request))
      }
    })

    it('given a new query shape, then each statement and each serializer of a new layout is compiled once', async () => {
      await fill(app, 1)
      const sparse = { 'fields[person]': 'birth_date,gender', sort: 'gender,-birth_date' }
      const first = await compiledBy(() => app.get('/persons', sparse))
      assert.ok(
        first.written > 0 && first.prepared > 0 && first.serializers > 0,
        JSON.stringify(first),
      )
      // On PostgreSQL each session prepares a statement, when it runs there for the second time.
      for (let each = 0; each < 20; each++) await app.get('/persons', sparse)
      assert.deepEqual(await compiledBy(() => app.get('/persons', sparse)), nothing)
      const sorted = await compiledBy(() => app.get('/persons', { ...sparse, sort: 'birth_date' }))
      assert.ok(sorted.written > 0 && sorted.prepared > 0)
      assert.equal(sorted.serializers, 0)
    })

    it('given a query string for the second time, then it is not parsed', async () => {
      const filter = [{ name: 'name', op: 'startswith', val: 'qzj' }]
      const ask = () => app.get('/persons', { filter })
      for (const readings of [1, 0, 0])
        assert.equal(await readingsOf(JSON.stringify(filter), ask), readings)
    })
  },
  { isDescribed: false },
)

describeService(
  'Compiled statements',
  (app) => {
    it('are evicted beyond the bytes of the setting STATEMENT_CACHE', async () => {
      if (app.database === 'SQLite in memory') return
      await fill(app, 1)
      const sparse = () =>
        app.get('/persons', { 'fields[person]': 'name', sort: 'birth_date,name' })
      // Statements of some 100 KB for each number of terms.
      const long = (terms: number) =>
        app.get('/persons', {
          filter: [{ or: Array(terms).fill({ name: 'name', op: 'ilike', val: 'x' }) }],
        })
      const isCompiledAgain = async () => {
        for (let each = 0; each < 3; each += 1) await sparse()
        assert.equal((await compiledBy(sparse)).written, 0)
        for (let terms = 181; terms <= 200; terms += 1)
          assert.equal((await long(terms)).status, 200)
        return (await compiledBy(sparse)).written > 0
      }
      await app.restart({ statementCache: 2 ** 20 })
      assert.equal(await isCompiledAgain(), true)
      await app.restart()
      assert.equal(await isCompiledAgain(), false)
    })
  },
  { isDescribed: false, isLongOnOthers: true },
)

describeService(
  'The cache of counts',
  (app) => {
    it('given a cached count, when a thousand others are cached, then it is evicted', async () => {
      if (app.dialect === 'postgres') return
      await fill(app, 2)
      const counting = async (number: number) => {
        const query = { 'page[size]': '1', filter: [{ name: 'name', op: 'ne', val: `n${number}` }] }
        const run = await statementsOf(() => app.get('/persons', query))
        return run.filter((sql) => sql.includes('count(*)')).length
      }
      assert.deepEqual([await counting(0), await counting(0)], [1, 0])
      for (let number = 1; number <= 1000; number++) await counting(number)
      assert.deepEqual([await counting(0), await counting(1000)], [1, 0])
    })
  },
  { isDescribed: false },
)
