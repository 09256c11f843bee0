import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import {
  attribute,
  createApi,
  createHandler,
  DeclarationError,
  defineModel,
  expression,
  integer,
  resource,
  type Store,
  sql,
  text,
} from 'lapidary'
import { silentLogger } from '../../src/endpoints/handler.ts'
import { HttpError } from '../../src/errors/errors.ts'
import { findTable } from '../../src/model/catalog.ts'
import { until } from '../service/processes.ts'
import type { ContractDatabase } from './contract-databases.ts'
import { planList, planNew, planOne, read, write } from './library-client.ts'
import type { WorkerTask } from './library-worker.ts'
import { openLibrary } from './open-library.ts'

/** Two columns that do not exist. */
const wrongColumns = defineModel([
  resource('author', {
    path: '/authors',
    table: 'author',
    fields: { name: attribute(text, { column: 'nmae' }) },
  }),
  resource('book', { path: '/books', table: 'bok', fields: { title: attribute(text) } }),
])

/** An expression that no database accepts. */
const wrongSql = defineModel([
  resource('author', {
    path: '/authors',
    table: 'author',
    access: 'read-only',
    fields: { size: expression(integer, (column) => sql`no_function(${column('name')})`) },
  }),
])

/** So many books that the filter below takes longer than any deadline of these tests. */
const manyBooks = 20_000
const alternatives = Array.from({ length: 150 }, (_, index) => {
  return { name: 'title', op: 'match', val: `w${index} x` }
})
const expensive = planList(
  'book',
  `filter=${encodeURIComponent(JSON.stringify([{ or: alternatives }]))}`,
)

const tableNames = (store: Store) =>
  store.catalog().then(({ tables }) => tables.map(({ name }) => name))

/** Declares the cases of the schema: migrations, verification and the catalog. */
export function describeSchema(contract: ContractDatabase): void {
  const make = [
    { version: 1, sql: 'create table made (id integer)' },
    { version: 2, sql: 'insert into made (id) values (1)' },
  ]
  const [oldest] = make

  it('given concurrent callers, then each migration runs once', async (test) => {
    const library = await openLibrary(test, contract, { isEmpty: true })
    const stores = [library.store, await library.another(), await library.another()]
    await Promise.all(Array.from({ length: 12 }, (_, index) => stores[index % 3]?.migrate(make)))
    const rows = await library.store.transaction(({ query }) => query(sql`select id from made`))
    assert.equal(rows.length, 1)
  })

  it('rejects a schema of a newer version', async (test) => {
    const { store } = await openLibrary(test, contract, { isEmpty: true })
    await store.migrate(make)
    for (const mode of ['run', 'compare'] as const)
      await assert.rejects(store.migrate(oldest ? [oldest] : [], mode), /^Error: .+ version 2.+$/)
  })

  it('is ready when its migrations have run', async (test) => {
    const library = await openLibrary(test, contract, { isEmpty: true })
    const { store } = library
    await store.checkReady()
    await store.migrate(oldest ? [oldest] : [])
    await store.checkReady()
    // Another program migrates the database to a newer version.
    await (await library.another()).migrate(make)
    if (contract.isShared) await assert.rejects(store.checkReady(), /version 2/)
    else await store.checkReady()
  })

  it('compares the schema without changing it', async (test) => {
    const { store } = await openLibrary(test, contract, { isEmpty: true })
    for (let time = 0; time < 2; time += 1)
      await assert.rejects(store.migrate(make, 'compare'), /^Error: .+ version 0.+$/)
    assert.deepEqual(await tableNames(store), [])
    await store.migrate(make)
    await store.migrate(make, 'compare')
  })

  it('given several migrations, when one fails, then none has an effect', async (test) => {
    const { store } = await openLibrary(test, contract, { isEmpty: true })
    await assert.rejects(store.migrate([...make, { version: 3, sql: 'no such statement' }]))
    assert.deepEqual(await tableNames(store), [])
    await store.migrate(make)
  })

  it('lists the tables and their columns', async (test) => {
    const { store } = await openLibrary(test, contract)
    const catalog = await store.catalog()
    assert.equal(catalog.dialect, store.dialect)
    const book = findTable(catalog, { schema: undefined, name: 'book' })
    assert.deepEqual([...(book?.columns.keys() ?? [])], ['id', 'title', 'pages', 'author_id'])
    assert.deepEqual(book?.primaryKey, ['id'])
    assert.deepEqual(
      book?.foreignKeys.map(({ columns, to }) => [columns, to.name]),
      [[['author_id'], 'author']],
    )
    assert.deepEqual(book?.indexes?.toSorted(), [['author_id'], ['id']])
    for (const name of ['author', 'biography', 'book_tag', 'note', 'tag'])
      assert.ok(findTable(catalog, { schema: undefined, name }), name)
  })

  it('warns of relationships that no index serves', async (test) => {
    const { store } = await openLibrary(test, contract)
    const { warnings } = await store.verify()
    const unindexed = warnings.filter((line) => line.includes('no index begins'))
    assert.equal(unindexed.length, 2, unindexed.join('\n'))
    assert.match(unindexed[0] ?? '', /author\.fields\.notes.+"author_id" of "note"/)
    assert.match(unindexed[1] ?? '', /tag\.fields\.books.+"tag_id" of "book_tag"/)
  })

  it('throws a DeclarationError with a line for each wrong declaration', async (test) => {
    const { openModel } = await openLibrary(test, contract)
    const expected = [
      [wrongColumns, [/^author\.fields\.name\.column: .+nmae/, /^book\.table: .+bok/]],
      [wrongSql, [/^author\.fields\.size: .+no_function/]],
    ] as const
    for (const [model, lines] of expected) {
      const store = await openModel(model)
      await assert.rejects(store.verify(), (error) => {
        assert.ok(error instanceof DeclarationError, String(error))
        assert.equal(error.errors.length, lines.length, error.message)
        for (const [index, line] of lines.entries()) assert.match(error.errors[index] ?? '', line)
        return true
      })
    }
  })
}

/** Declares the cases of deadlines and signals. */
export function describeLimits(contract: ContractDatabase): void {
  it('stops a read at its deadline', async (test) => {
    const { store } = await openLibrary(test, contract, { books: manyBooks, timeout: 700 })
    await assert.rejects(read(store, expensive), (error) => {
      assert.ok(error instanceof HttpError, String(error))
      assert.deepEqual([error.code, error.status], ['query_timeout', 503])
      return true
    })
    // The next list is served. On a busy machine the start of its process may take longer than the deadline.
    const isServed = async () => {
      const list = await read(store, planList('author')).catch(() => undefined)
      return list?.count === 3
    }
    await until(isServed, 'no list is served')
  })

  it('serves other reads during a long one, and stops reads whose signals abort', async (test) => {
    const { store } = await openLibrary(test, contract, { books: manyBooks, timeout: 60_000 })
    const controller = new AbortController()
    let isOver = false
    const running = Array.from({ length: 2 }, () => Promise.withResolvers<void>())
    const stopped = running.map(({ resolve }) => {
      const signal = () => {
        resolve()
        return controller.signal
      }
      const rejected = assert.rejects(read(store, expensive, undefined, { signal }), HttpError)
      return rejected.finally(() => {
        isOver = true
      })
    })
    // A store checks the signal of a long read.
    await Promise.all(running.map(({ promise }) => promise))
    for (let time = 0; time < 5; time += 1)
      assert.equal((await read(store, planOne('author'), '3')).data, 'author 3 Cyd ')
    assert.equal(isOver, false)
    const begin = performance.now()
    controller.abort()
    await Promise.all(stopped)
    const search = planList('book', 'filter=[{"name":"title","op":"ilike","val":"zzz"}]')
    assert.equal((await read(store, search)).count, 0)
    assert.ok(performance.now() - begin < 30_000, 'the reads ran until their deadline')
  })
}

/** Declares the cases of the name and the end of a store. */
export function describeEnd(contract: ContractDatabase): void {
  it('has a description for messages', async (test) => {
    const { store } = await openLibrary(test, contract, { isEmpty: true })
    assert.equal(store.dialect, contract.dialect)
    assert.match(store.description, /^(SQLite|PostgreSQL) \S/)
  })

  it('releases the database when it is closed', async (test) => {
    const library = await openLibrary(test, contract)
    await read(library.store, planList('author', 'include=books'))
    await write(library.store, planNew('author', {}))
    await library.close()
    await library.database.second?.dropAll()
  })

  it('rejects requests and calls as unavailable when it is closed', async (test) => {
    const { store } = await openLibrary(test, contract)
    const handle = createHandler({ model: store.model, store, log: silentLogger })
    const client = createApi({ model: store.model, store }).with({})
    const requests = () => [
      handle(new Request('http://x/authors')),
      handle(new Request('http://x/authors/1')),
      handle(new Request('http://x/books/1', { method: 'DELETE' })),
    ]
    assert.deepEqual(
      (await Promise.all(requests())).map(({ status }) => status),
      [200, 200, 200],
    )
    await store.close()
    await store.close()
    for (const response of await Promise.all(requests())) {
      assert.equal(response.status, 503)
      const { errors } = await response.json()
      assert.deepEqual([errors[0].code, errors[0].detail], ['unavailable', 'The store is closed.'])
    }
    const calls = [
      () => client.list('author'),
      () => client.get('author', '1'),
      () => client.create('author', {}),
      () => client.sql(sql`select 1`),
      () => client.transaction((tx) => tx.remove('author', '2')),
      () => client.each('author').next(),
      () => store.prepare(),
      () => store.verify(),
      () => store.catalog(),
      () => store.checkReady(),
      () => store.migrate([{ version: 1, sql: 'select 1' }]),
    ]
    for (const call of calls)
      await assert.rejects(call, { code: 'unavailable', message: 'The store is closed.' })
  })

  it('ends a transaction that runs when it is closed, by a commit or as unavailable', async (test) => {
    const { store } = await openLibrary(test, contract)
    const client = createApi({ model: store.model, store }).with({})
    const started = Promise.withResolvers<void>()
    const isClosing = Promise.withResolvers<void>()
    const transaction = client.transaction(async (tx) => {
      await tx.list('author')
      started.resolve()
      await isClosing.promise
      await tx.create('author', {})
      return 'committed'
    })
    await started.promise
    const closed = store.close()
    isClosing.resolve()
    const result = await transaction.catch((error) => error.code)
    assert.equal(result, contract.dialect === 'postgres' ? 'committed' : 'unavailable')
    await closed
  })

  it('lets its thread end when it is closed', async (test) => {
    const { url } = (await openLibrary(test, contract, { isEmpty: true })).database
    const workerData: WorkerTask = { database: contract.name, url, task: 'use everything' }
    const worker = new Worker(new URL('./library-worker.ts', import.meta.url), { workerData })
    test.after(() => worker.terminate())
    // An error of the thread rejects.
    const signal = AbortSignal.timeout(60_000)
    assert.deepEqual(await once(worker, 'exit', { signal }), [0])
  })
}
