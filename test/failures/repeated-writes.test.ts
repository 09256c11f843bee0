import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  createHandler,
  defineModel,
  idempotencyTable,
  resource,
  type Store,
  text,
} from 'lapidary'
import type { IdempotencyOperations } from '../../src/sql/idempotency-operations.ts'
import type { Transaction } from '../../src/sql/store.ts'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { findRepeatedWrites, type Repetition } from './histories.ts'

const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { text: attribute(text) },
})
const model = defineModel([note], { principal: () => 'everybody' })
const mediaType = 'application/vnd.api+json'

type Send = (method: string, path: string, key: string, body?: unknown) => Promise<Response>

/** How a server is wrong. */
interface Mutant {
  readonly keys?: (keys: IdempotencyOperations) => IdempotencyOperations
  /** Answers before the server does. */
  readonly before?: (method: string, path: string) => Promise<Response | undefined>
}

/** A server that looks a key up before the write and inserts it after that. */
const createInsertedAfterWrite = (): Mutant => {
  const known = new Set<string>()
  return {
    keys: ({ claimAhead: _, ...keys }) => ({
      ...keys,
      claim: async ({ key }) => (known.has(key) ? keys.claim({ ...blank, key }, 0) : 'new'),
      store: async (key, response) => {
        await keys.claim(key, Date.now())
        await keys.store(key, response)
        // SQLite commits the transactions that wait together: the next one does not see the key yet.
        setImmediate(() => known.add(key.key))
      },
    }),
  }
}
const blank = { principal: 'everybody', fingerprint: '', view: '' }

function mutate(store: Store, { keys }: Mutant): Store {
  if (keys === undefined) return store
  return {
    ...store,
    transaction: (work, options) =>
      store.transaction((transaction: Transaction) => {
        const mutated: Transaction = { ...transaction, keys: keys(transaction.keys) }
        return work(mutated)
      }, options),
  }
}

for (const database of databases)
  describe(`Repeated writes · ${database.name}`, () => {
    let store: Store
    let remove: () => Promise<void>
    before(async () => {
      const created = await database.create()
      remove = created.remove
      store = await openStore(model, created.url)
      const tables = `create table note (id ${database.columnTypes.newId}, text text);`
      await store.migrate([{ version: 1, sql: tables + idempotencyTable }])
    })
    after(async () => {
      await store.close()
      await remove()
    })

    const createSend = (mutant: Mutant): Send => {
      const handle = createHandler({ model, store: mutate(store, mutant) })
      return async (method, path, key, body) =>
        (await mutant.before?.(method, path)) ??
        handle(
          new Request(`http://localhost${path}`, {
            method,
            headers: { 'content-type': mediaType, 'idempotency-key': key },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          }),
        )
    }

    let next = 0
    /** Writers create and delete notes; each repeats every request twice, at the same time and later. */
    const run = async (mutant: Mutant = {}) => {
      const send = createSend(mutant)
      const repetitions: Repetition[] = []
      const repeat = async (mark: string, method: string, path: string, body?: unknown) => {
        next += 1
        const key = `k${next}`
        const once = async () => {
          const response = await send(method, path, key, body)
          const { status, headers } = response
          const document = await response.text()
          const rest = [document, headers.get('location'), headers.get('etag')]
          repetitions.push({ key, mark, status, response: JSON.stringify(rest) })
          return { status, location: headers.get('location') ?? '' }
        }
        const overlapping = await Promise.all([once(), once(), once()])
        await once()
        return overlapping.find(({ status }) => status < 300)?.location ?? ''
      }
      await Promise.all(
        Array.from({ length: 8 }, async (_, writer) => {
          const kept = `kept ${next} ${writer}`
          const attributes = { text: kept }
          await repeat(kept, 'POST', '/notes', { data: { type: 'note', attributes } })
          const gone = { data: { type: 'note', attributes: { text: 'gone' } } }
          const path = await repeat('', 'POST', '/notes', gone)
          await repeat('', 'DELETE', path)
        }),
      )
      const handle = createHandler({ model, store })
      const marks = repetitions.map(({ mark }) => mark)
      const counts = new Map<string, number>()
      for (const mark of new Set(marks)) {
        const filter = encodeURIComponent(JSON.stringify([{ name: 'text', op: 'eq', val: mark }]))
        const response = await handle(new Request(`http://localhost/notes?filter=${filter}`))
        const { meta } = (await response.json()) as { meta: { count: number } }
        counts.set(mark, meta.count)
      }
      return findRepeatedWrites(repetitions, counts)
    }

    it('every write with a key is executed once, and its repetitions get one response', async () => {
      for (let round = 0; round < 20; round += 1) assert.deepEqual(await run(), [])
    })

    it('finds a server that inserts the key after the write', async () => {
      assert.notDeepEqual(await run(createInsertedAfterWrite()), [])
    })

    it('finds a server that replays after it has checked that the resource exists', async () => {
      const handle = createHandler({ model, store })
      const before: Mutant['before'] = async (method, path) => {
        if (method !== 'DELETE') return undefined
        const found = await handle(new Request(`http://localhost${path}`))
        return found.status === 404 ? found : undefined
      }
      assert.notDeepEqual(await run({ before }), [])
    })
  })
