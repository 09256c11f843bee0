import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Store, sql } from 'lapidary'
import type { Rows } from '../../src/plan/read-result.ts'
import type { ReadHooks } from '../../src/sql/store.ts'
import type { ContractDatabase } from './contract-databases.ts'
import { planList, planOne, read, summarize } from './library-client.ts'
import type { WorkerTask } from './library-worker.ts'
import { moveBooks } from './move-books.ts'
import { openLibrary } from './open-library.ts'

/** So many books beside the four of the library that a full list is streamed. */
const books = 1200
const count = books + 4

/** More streams than any store keeps open at the same time. */
const manyStreams = 40

const everything = planList('book', 'page[size]=0&include=author')

type StreamedRows = Extract<Rows, { is: 'stream' }>

/** Reads all books, which a store has to stream. */
async function stream(store: Store, hooks?: ReadHooks): Promise<StreamedRows> {
  const rows = await store.read(everything.plan, undefined, { hooks })
  assert.equal(rows.is, 'stream')
  assert.ok(rows.is === 'stream')
  return rows
}

/** Reads the first batch of a stream. */
async function readBatch({ primary }: StreamedRows): Promise<number> {
  const { value } = await primary[Symbol.asyncIterator]().next()
  return value?.length ?? 0
}

/** Deletes every book. */
async function deleteBooks(store: Store): Promise<void> {
  await store.transaction(({ query }) => query(sql`delete from book`))
}

/** Asserts that the rows of both lists are of one snapshot: one author owns all books, and has their number. */
async function assertOneSnapshot(store: Store): Promise<void> {
  const authors = await read(store, planList('author', 'include=books&fields[book]='))
  const owned = list(authors.data).flatMap((author) => /books=(\S+)/.exec(author)?.[1] ?? [])
  assert.equal(owned.length, 1, JSON.stringify(authors))
  const linked = owned[0]?.split(',').map((id) => `book ${id}`)
  assert.deepEqual(authors.included, linked?.toSorted())
  const all = `&fields[book]=author&fields[author]=email`
  for (const search of ['page[size]=0', 'page[size]=3', 'page[size]=50']) {
    const page = await read(store, planList('book', `${search}&include=author${all}`))
    const owner = `author ${list(page.data)[0]?.split('=')[1]}`
    assert.deepEqual(page.included, [`${owner} ${page.count}`], search)
  }
}

function list(data: Awaited<ReturnType<typeof read>>['data']): readonly string[] {
  return data === null || typeof data === 'string' ? [] : data
}

/** Repeats work while another connection moves all books from author to author. */
async function repeatWhileMoving(
  test: TestContext,
  contract: ContractDatabase,
  { url, store }: Readonly<{ url: string; store: Store }>,
  work: () => Promise<void>,
): Promise<void> {
  let rounds = 0
  const repeat = async () => {
    for (let time = 0; time < 25 || rounds < 10; time += 1) {
      await work()
      await setImmediate()
    }
  }
  if (contract.isShared) {
    const workerData: WorkerTask = { database: contract.name, url, task: 'move books' }
    const worker = new Worker(new URL('./library-worker.ts', import.meta.url), { workerData })
    test.after(() => worker.terminate())
    worker.on('message', () => {
      rounds += 1
    })
    const exit = once(worker, 'exit')
    await once(worker, 'message')
    await repeat().finally(() => worker.postMessage('stop'))
    await exit
  } else {
    const repeated = repeat()
    for (; rounds < 10; rounds += 1) await moveBooks(store, rounds)
    await repeated
  }
}

/** Declares the cases of snapshots, streams and read hooks. */
export function describeSnapshots(contract: ContractDatabase): void {
  it('reads one snapshot while another connection writes', async (test) => {
    const { store, database } = await openLibrary(test, contract)
    await moveBooks(store, 0)
    await repeatWhileMoving(test, contract, { url: database.url, store }, () =>
      assertOneSnapshot(store),
    )
  })

  it('streams a list of more than 500 rows, each of them once and in order', async (test) => {
    const { store } = await openLibrary(test, contract, { books })
    const rows = await stream(store)
    assert.equal(rows.count, undefined)
    const { data, included } = await summarize(everything.serialize(rows))
    const ids = list(data).map((book) => Number(book.split(' ')[1]))
    assert.deepEqual(
      ids,
      Array.from({ length: count }, (_, index) => index + 1),
    )
    assert.equal(included?.length, 2)
  })

  it('streams a page of more than 500 rows with the count of all pages', async (test) => {
    const { store } = await openLibrary(test, contract, { books })
    const planned = planList('book', 'page[size]=700&page[number]=2&include=author')
    const rows = await store.read(planned.plan)
    assert.ok(rows.is === 'stream')
    assert.equal(rows.count, count)
    const page = await summarize(planned.serialize(rows))
    assert.equal(list(page.data).length, count - 700)
    assert.deepEqual([page.included, page.count], [[], count])
  })

  it('reads the rows of a stream when they are needed', async (test) => {
    const { store } = await openLibrary(test, contract, { books })
    let rowsRead = 0
    const rows = await stream(store, {
      before: async () => {},
      after: async (batch) => {
        rowsRead += batch.length
      },
    })
    const first = await readBatch(rows)
    assert.ok(first > 0 && first < count / 2, `${first} rows`)
    // Other reads give the store the time to read ahead.
    for (let round = 0; round < 5; round += 1) await read(store, planOne('book'), '1')
    assert.ok(rowsRead <= count / 2, `${rowsRead} rows were read for ${first}`)
    let rest = 0
    for await (const batch of rows.primary) rest += batch.length
    assert.deepEqual([first + rest, rowsRead], [count, count])
    rows.end()
  })

  it('releases everything when a stream ends early', async (test) => {
    const { store } = await openLibrary(test, contract, { books })
    for (let round = 0; round < manyStreams; round += 1) {
      const rows = await stream(store)
      if (round % 2 === 0) assert.ok((await readBatch(rows)) > 0)
      rows.end()
      rows.end()
    }
    for (let round = 0; round < manyStreams; round += 1)
      for await (const _ of everything.serialize(await stream(store))) break
    await deleteBooks(store)
    assert.equal((await read(store, everything)).count, 0)
  })

  it('streams one snapshot while other transactions write', async (test) => {
    const { store, another } = await openLibrary(test, contract, { books })
    const writer = await another()
    const before = await summarize(everything.serialize(await stream(store)))
    const rows = await stream(store)
    const chunks = everything.serialize(rows)
    assert.ok(typeof chunks !== 'string')
    const after = (async function* () {
      let isFirst = true
      for await (const chunk of chunks) {
        if (isFirst) {
          await deleteBooks(writer)
          await writer.transaction(({ query }) => query(sql`update author set name = 'New'`))
        }
        isFirst = false
        yield chunk
      }
    })()
    assert.deepEqual(await summarize(after), before)
    assert.equal((await read(store, everything)).count, 0)
  })

  it('runs read hooks in the snapshot of the read', async (test) => {
    const { store, another } = await openLibrary(test, contract)
    const writer = await another()
    const seen: unknown[] = []
    const hooks: ReadHooks = {
      before: async (query) => {
        await query(sql`select count(*) from author`)
        await writer.transaction((transaction) =>
          transaction.query(sql`update author set name = 'New'`),
        )
      },
      after: async (rows, layout, query) => {
        const [row] = await query(sql`select min(name) as name from author`)
        seen.push([layout.type, rows.map(([id]) => String(id)), row?.name])
      },
    }
    const planned = planList('author', 'include=books&fields[author]=name,books&fields[book]=')
    const { data } = await read(store, planned, undefined, { hooks })
    assert.deepEqual(data, [
      'author 1 Ada books=1',
      'author 2 Bob books=2,3',
      'author 3 Cyd books=',
    ])
    assert.deepEqual(seen, [
      ['author', ['1', '2', '3'], 'Ada'],
      ['book', ['1', '2', '3'], 'Ada'],
    ])
    assert.deepEqual((await read(store, planOne('author'), '1')).data, 'author 1 New ada@x.org')
  })

  it('rejects with the error that a read hook throws, and releases everything', async (test) => {
    const { store } = await openLibrary(test, contract, { books })
    const error = new Error('thrown by a hook')
    const fail = async () => {
      throw error
    }
    const pass = async () => {}
    const isError = (thrown: unknown) => thrown === error
    const failing = [
      { before: fail, after: pass },
      { before: pass, after: fail },
    ]
    for (let round = 0; round < manyStreams; round += 1)
      for (const hooks of failing) {
        await assert.rejects(read(store, planOne('book'), '1', { hooks }), isError)
        await assert.rejects(read(store, everything, undefined, { hooks }), isError)
      }
    await deleteBooks(store)
    assert.equal((await read(store, everything)).count, 0)
  })
}
