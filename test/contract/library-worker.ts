import assert from 'node:assert/strict'
import { parentPort, workerData } from 'node:worker_threads'
import type { Store } from 'lapidary'
import { contractDatabases } from './contract-databases.ts'
import { planList, planNew, read, write } from './library-client.ts'
import { library, listLibraryMigrations } from './library-model.ts'
import { moveBooks } from './move-books.ts'

// A thread with a store of its own. It ends by itself only if closing the store releases everything.

/** The task of the thread: it moves all books from author to author until it gets a message, or uses every operation once. */
export interface WorkerTask {
  readonly database: string
  readonly url: string
  readonly task: 'move books' | 'use everything'
}

/** Reads, streams and writes; some reads end early and one fails. */
async function useEverything(store: Store): Promise<void> {
  await store.verify()
  await read(store, planList('author', 'include=books'))
  // No index serves the search, and the table is large.
  await read(store, planList('book', 'filter=[{"name":"title","op":"ilike","val":"zzz"}]'))
  const stream = await store.read(planList('book', 'page[size]=0').plan)
  assert.equal(stream.is, 'stream')
  if (stream.is === 'stream') {
    for await (const batch of stream.primary) if (batch.length > 0) break
    stream.end()
  }
  const hooks = {
    before: async () => {
      throw new Error('thrown by a hook')
    },
    after: async () => {},
  }
  await assert.rejects(read(store, planList('book'), undefined, { hooks }), /thrown by a hook/)
  await write(store, planNew('author', { attributes: { name: 'Eve' } }))
}

const { database: name, url, task }: Partial<WorkerTask> = workerData ?? {}
const contract = contractDatabases.find((database) => database.name === name)
if (contract && url !== undefined) {
  const store = await contract.open(library, url)
  if (task === 'move books') {
    let isStopped = false
    parentPort?.once('message', () => {
      isStopped = true
    })
    for (let round = 0; !isStopped; round += 1) {
      await moveBooks(store, round)
      parentPort?.postMessage(round)
    }
  } else {
    await store.migrate(listLibraryMigrations(contract.columnTypes, 10_000))
    await useEverything(store)
  }
  await store.close()
}
