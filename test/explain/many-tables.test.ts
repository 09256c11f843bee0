import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  attribute,
  defineModel,
  explainRead,
  type ReadExplanation,
  resource,
  text,
  toOne,
} from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'

const columns = Array.from({ length: 32 }, (_, at) => `c${at}`)
const thing = resource('thing', {
  path: '/things',
  table: 'thing0',
  fields: { c1: attribute(text), c2: attribute(text) },
})
const model = defineModel([thing])

/** Explains a read in a database of so many tables, several times. @returns the least CPU time in milliseconds, and an explanation */
async function measure(
  test: TestContext,
  tables: number,
): Promise<{ time: number; explanation: ReadExplanation }> {
  const store = openSqlite(model, ':memory:')
  test.after(() => store.close())
  const definitions = Array.from(
    { length: tables },
    (_, at) =>
      `create table thing${at} (id integer primary key, ${columns.map((name) => `${name} text`).join(', ')}, up_id integer references thing${Math.max(0, at - 1)} (id));`,
  )
  await store.migrate([{ version: 1, sql: definitions.join('\n') }])
  const explain = () => explainRead({ model, store }, '/things?filter[c1]=x')
  let explanation = await explain()
  let time = Number.POSITIVE_INFINITY
  for (let count = 0; count < 5; count += 1) {
    const start = process.cpuUsage()
    explanation = await explain()
    const { user, system } = process.cpuUsage(start)
    time = Math.min(time, (user + system) / 1000)
  }
  return { time, explanation }
}

describe('An explanation in a database of 300 tables', () => {
  it('given a read of one of them, when it is explained again, then it takes about as long as with 3 tables, and says the same', async (test) => {
    const few = await measure(test, 3)
    const many = await measure(test, 300)
    assert.ok(many.time < 4 * few.time + 20, `${many.time} ms instead of ${few.time} ms`)
    const [statement] = many.explanation.statements
    assert.match(statement?.indexedPlan?.join('\n') ?? '', /USING INDEX/)
    const withoutTimes = ({ statements, warnings }: ReadExplanation) => [
      statements.map((each) => ({ ...each, milliseconds: 0 })),
      warnings,
    ]
    assert.deepEqual(withoutTimes(many.explanation), withoutTimes(few.explanation))
  })

  it('given an index that is created after an explanation, when the read is explained again, then nothing is missing', async (test) => {
    const store = openSqlite(model, ':memory:')
    test.after(() => store.close())
    const table = 'create table thing0 (id integer primary key, c1 text, c2 text)'
    const first = { version: 1, sql: table }
    await store.migrate([first])
    const explain = () => explainRead({ model, store }, '/things?filter[c1]=x')
    const [warning] = (await explain()).warnings
    assert.ok(warning?.fix)
    await store.migrate([first, { version: 2, sql: warning.fix }])
    assert.deepEqual((await explain()).warnings, [])
  })
})

/** Explains a read of a model of so many types, several times. @returns the least CPU time in milliseconds */
async function measureTypes(test: TestContext, types: number): Promise<number> {
  const resources = Array.from({ length: types }, (_, at) =>
    resource(`thing${at}`, {
      path: `/thing${at}s`,
      table: 'thing',
      fields: Object.fromEntries(
        columns.map((name) => [name, toOne(`thing${at}`, { column: name })] as const),
      ),
    }),
  )
  const wide = defineModel(resources)
  const store = openSqlite(wide, ':memory:')
  test.after(() => store.close())
  const sql = `create table thing (id integer primary key, ${columns.join(' integer, ')} integer)`
  await store.migrate([{ version: 1, sql }])
  let time = Number.POSITIVE_INFINITY
  for (let count = 0; count < 5; count += 1) {
    const start = process.cpuUsage()
    await explainRead({ model: wide, store }, '/thing0s?fields[thing0]=')
    const { user, system } = process.cpuUsage(start)
    time = Math.min(time, (user + system) / 1000)
  }
  return time
}

describe('An explanation of a read of one of 100 types with 6,600 routes', () => {
  it('given the same read of a model of one type, when both are explained, then they take about as long', async (test) => {
    const few = await measureTypes(test, 1)
    const many = await measureTypes(test, 100)
    assert.ok(many < 4 * few + 60, `${many} ms instead of ${few} ms`)
  })

  it('given a path that is percent-encoded or has a prefix, when it is explained, then its route is found', async (test) => {
    const store = openSqlite(model, ':memory:')
    test.after(() => store.close())
    await store.migrate([
      { version: 1, sql: 'create table thing0 (id integer primary key, c1 text, c2 text)' },
    ])
    for (const [prefix, url] of [
      ['', '/th%69ngs?sort=c1'],
      ['/api', '/api/things?sort=c1'],
    ] as const) {
      const { statements } = await explainRead({ model, store, prefix }, url)
      assert.match(statements[0]?.sql ?? '', /thing0/)
    }
    await assert.rejects(explainRead({ model, store }, '/nothings'), { code: 'route_not_found' })
  })
})
