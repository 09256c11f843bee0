import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { attribute, createHandler, defineModel, integer, resource, toMany, toOne } from 'lapidary'
import { Client } from 'pg'
import { getResourceType } from '../../../src/model/model.ts'
import { parseQuery } from '../../../src/parse/query.ts'
import { sealCursor } from '../../../src/plan/cursor.ts'
import { createPlanner } from '../../../src/plan/planner.ts'
import { planCollection, planResource, type ReadPlan } from '../../../src/plan/read.ts'
import { postgresDialect } from '../../../src/postgres/dialect.ts'
import { compileReadSequence } from '../../../src/sql/read/read-sequence.ts'
import { bound } from '../../../src/sql/statement-values.ts'
import { sqliteDialect } from '../../../src/sqlite/dialect.ts'
import { orderOf } from '../../cursor-order.ts'
import { type Database, databases } from '../../databases.ts'
import { filled } from '../../filled.ts'
import { statementsOf } from '../../service/statements.ts'
import { emptyTarget } from '../empty-facts.ts'
import { openStore } from '../engine.ts'

/** The members of the first resource, and of the second. */
const [few, many] = [10, 10_000]

const author = resource('author', {
  path: '/authors',
  table: 'author',
  fields: { books: toMany('book', { column: 'author_id' }) },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  fields: {
    year: attribute(integer),
    author: toOne('author', { column: 'author_id' }),
    pages: toMany('page', { column: 'book_id' }),
  },
})
const page = resource('page', {
  path: '/pages',
  table: 'page',
  fields: { number: attribute(integer), book: toOne('book', { column: 'book_id' }) },
})
const model = defineModel([author, book, page], { secret: 'the secret of the tests' })

function tables({ dialect }: Database): string {
  const id = dialect === 'sqlite' ? 'integer primary key' : 'bigint primary key'
  const series =
    dialect === 'sqlite'
      ? `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${few + many}) select n from s)`
      : `generate_series(1, ${few + many}) as s (n)`
  return `
    create table author (id ${id});
    create table book (id ${id}, year bigint, author_id bigint references author);
    create table page (id ${id}, number bigint, book_id bigint references book);
    insert into author values (1), (2);
    insert into book (id, year, author_id)
      select n, case when n % 7 > 0 then n % 100 end, case when n <= ${few} then 1 else 2 end from ${series};
    insert into page (id, number, book_id) select n, n, n from ${series};
    create index book_year on book (author_id, year desc, id);
    create index page_number on page (book_id, number, id);
    analyze;
  `
}

const query = 'include=books&includePage[books][size]=5&includeSort[books]=-year'

function planBooks(): ReadPlan {
  return planCollection(createPlanner(model), parseQuery(query), {
    resource: getResourceType(model, 'author'),
  })
}

/** Plans the books behind the first one. Those without a year come before. */
function planNextBooks(): ReadPlan {
  const order = orderOf(model, 'book', '-year')
  const cursor = sealCursor({ place: 'on', keys: ['i99', 'i1'] }, order)
  return planResource(
    createPlanner(model),
    parseQuery(`${query}&includePage[books][after]=${cursor}`),
    { resource: getResourceType(model, 'author') },
  )
}

/** Measures what the page of an author visits: steps of the virtual machine of SQLite, buffers of PostgreSQL. */
type Measure = (author: string) => Promise<number>

async function measureOn(
  test: TestContext,
  database: Database,
  url: string,
  plan: ReadPlan,
): Promise<Measure> {
  const { shape, values: planValues } = plan
  const dialect = database.dialect === 'sqlite' ? sqliteDialect : postgresDialect('und-x-icu')
  const target = emptyTarget(model, dialect)
  const [read] = compileReadSequence(shape, target, 'scan').members
  assert.ok(read)
  const { statement } = read
  const bind = (id: string) => bound(statement, { planValues, ids: [id], maxRows: 100 })
  if (database.dialect === 'sqlite') {
    const connection = new DatabaseSync(url.slice('sqlite:'.length))
    test.after(() => connection.close())
    return async (id) => {
      const prepared = connection.prepare(statement.sql)
      // The engine binds nothing else.
      assert.equal(prepared.all(...(bind(id) as never[])).length, 6)
      const stat: unknown = Reflect.get(prepared, 'stat')
      return Number(Reflect.apply(stat as () => number, prepared, ['vmStep']))
    }
  }
  const client = new Client({ connectionString: url })
  await client.connect()
  test.after(() => client.end())
  await client.query('vacuum analyze')
  return async (id) => {
    const explain = `explain (analyze, buffers, timing off, format json) ${statement.sql}`
    const { rows } = await client.query(explain, [...bind(id)])
    const { Plan: root } = rows[0]['QUERY PLAN'][0]
    assert.equal(root['Actual Rows'], 6)
    return root['Shared Hit Blocks'] + root['Shared Read Blocks']
  }
}

for (const database of databases)
  describe(`The work of a page of members · ${database.name}`, () => {
    for (const [place, plan] of [
      ['at the start', planBooks],
      ['behind a cursor', planNextBooks],
    ] as const)
      it(`given ${few} and ${many} members, then it is the same ${place}`, async (test) => {
        const url = await filled(test, database, tables(database))
        const measure = await measureOn(test, database, url, plan())
        const [small, large] = [await measure('1'), await measure('2')]
        // The index of the larger resource may be deeper.
        const deeper = database.dialect === 'sqlite' ? 0 : 12
        assert.ok(large <= small * 1.2 + deeper, `${large} instead of ${small}`)
        assert.ok(large < 1000, String(large))
      })

    it('given more resources and members, then the number of statements is that of the paths', async (test) => {
      const url = await filled(test, database, tables(database))
      const store = await openStore(model, url)
      test.after(() => store.close())
      const handle = createHandler({ model, store })
      const count = async (sizes: string): Promise<number> => {
        const path = `/authors?include=books.pages&${sizes}`
        const request = new Request(`http://localhost${path}`)
        const statements = await statementsOf(async () => {
          const response = await handle(request)
          assert.equal(response.status, 200, await response.clone().text())
          await response.text()
        })
        return statements.length
      }
      const pages = (books: number, each: number) =>
        `includePage[books][size]=${books}&includePage[books.pages][size]=${each}`
      await count(pages(1, 1))
      assert.equal(await count(pages(200, 3)), await count(pages(1, 2)))
    })
  })
