import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  action,
  attribute,
  createApi,
  createHandler,
  defineModel,
  resource,
  type Store,
  text,
  toMany,
  toOne,
  VersionConflictError,
  versionOf,
} from 'lapidary'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import {
  assertNoLostUpdate,
  findLostUpdates,
  type HistoryTarget,
  type Operation,
  type Outcome,
  recordHistory,
} from './histories.ts'

const board = resource('board', {
  path: '/boards',
  table: 'board',
  fields: { title: attribute(text), cards: toMany('card', { column: 'board_id' }) },
  actions: {
    rename: action({
      on: 'resource',
      parameters: { title: text },
      run: async ({ id, parameters, tx }) => {
        await tx.update('board', id, { title: parameters.title })
      },
    }),
  },
})
const card = resource('card', {
  path: '/cards',
  table: 'card',
  fields: { name: attribute(text), board: toOne('board', { column: 'board_id' }) },
})
const model = defineModel([board, card], { atomic: true })

const kinds = ['update', 'replace', 'call', 'batch'] as const

/** The values of the next random number: the same history for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const mediaType = 'application/vnd.api+json'
const statuses: Readonly<Record<number, Outcome>> = {
  200: 'applied',
  404: 'missing',
  412: 'conflict',
}

/** Requests over HTTP. `ignores` leaves a condition out, as a server that ignores it would. */
function overHttp(
  store: Store,
  id: string,
  ignores: readonly Operation['is'][] = [],
): HistoryTarget {
  const handle = createHandler({ model, store })
  const send = (method: string, path: string, body?: unknown, ifMatch?: string) =>
    handle(
      new Request(`http://localhost/boards/${id}${path}`, {
        method,
        headers: { 'content-type': mediaType, ...(ifMatch && { 'if-match': ifMatch }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
  /** The condition of an operation is the version alone. */
  const sendBatch = (title: string, ifMatch: string | undefined) => {
    const meta = ifMatch === undefined ? {} : { meta: { ifMatch: ifMatch.slice(1, -1) } }
    const data = { type: 'board', id, attributes: { title } }
    return handle(
      new Request('http://localhost/operations', {
        method: 'POST',
        headers: { 'content-type': `${mediaType};ext="https://jsonapi.org/ext/atomic"` },
        body: JSON.stringify({ 'atomic:operations': [{ op: 'update', ...meta, data }] }),
      }),
    )
  }
  return {
    read: async (kind) => {
      const path = kind === 'replace' ? '/relationships/cards' : ''
      const response = await send('GET', path)
      if (response.status !== 200) return undefined
      const { data } = (await response.json()) as {
        data: { id: string; attributes: { title: string } } | { id: string }[]
      }
      const value = Array.isArray(data) ? data.map((each) => each.id).join() : data.attributes.title
      return { value, version: response.headers.get('etag') ?? '' }
    },
    execute: async ({ is, mark, isConditional }, { version }) => {
      const ifMatch = isConditional && !ignores.includes(is) ? version : undefined
      const update = { data: { type: 'board', id, attributes: { title: mark } } }
      const linkage = { data: [{ type: 'card', id: mark }] }
      const response =
        is === 'replace'
          ? await send('PATCH', '/relationships/cards', linkage, ifMatch)
          : is === 'call'
            ? await send('POST', '/actions/rename', { meta: { title: mark } }, ifMatch)
            : is === 'batch'
              ? await sendBatch(mark, ifMatch)
              : await send('PATCH', '', update, ifMatch)
      return statuses[response.status] ?? assert.fail(`${is}: ${response.status}`)
    },
  }
}

/** Calls in process: updates and actions, whose versions the objects have. */
function inProcess(store: Store, id: string): HistoryTarget {
  const client = createApi({ model, store }).with({})
  return {
    read: async () => {
      const found = await client.get('board', id, { withVersions: true })
      return { value: found.title ?? '', version: versionOf(found) ?? '' }
    },
    execute: async ({ is, mark, isConditional }, { version }) => {
      const condition = isConditional ? { ifMatch: version } : {}
      try {
        if (is === 'call')
          await client.call('board', 'rename', { id, parameters: { title: mark }, ...condition })
        else if (is === 'batch')
          await client.atomic((batch) => batch.update('board', id, { title: mark }, condition))
        else await client.update('board', id, { title: mark }, condition)
        return 'applied'
      } catch (error) {
        if (error instanceof VersionConflictError) return 'conflict'
        throw error
      }
    },
  }
}

for (const database of databases)
  describe(`Concurrent writers · ${database.name}`, () => {
    let store: Store
    let remove: () => Promise<void>
    let next = 0
    before(async () => {
      const created = await database.create()
      remove = created.remove
      store = await openStore(model, created.url)
      const { newId, id } = database.columnTypes
      const cards = Array.from({ length: 400 }, () => "('c')").join()
      await store.migrate([
        {
          version: 1,
          sql: `create table board (id ${newId}, title text);
            create table card (id ${newId}, name text, board_id ${id} references board (id));
            insert into card (name) values ${cards}`,
        },
      ])
    })
    after(async () => {
      await store.close()
      await remove()
    })

    /** Runs a history on a new board. @returns the lost updates of each kind of value */
    const run = async (
      open: (id: string) => HistoryTarget,
      {
        writers,
        seed,
        isAlways = false,
        chosen = kinds,
      }: Readonly<{
        writers: number
        seed: number
        isAlways?: boolean
        chosen?: readonly Operation['is'][]
      }>,
    ) => {
      const { id } = await createApi({ model, store }).with({}).create('board', { title: 'new' })
      const random = createRandom(seed)
      const target = open(id)
      next = 0
      const choose = (): Operation => {
        const is = chosen[Math.floor(random() * chosen.length)] ?? 'update'
        next += 1
        return {
          is,
          isConditional: isAlways || random() < 0.7,
          mark: is === 'replace' ? String(1 + (next % 400)) : `m${next}.`,
        }
      }
      const events = await recordHistory(target, { writers, steps: 3 }, choose)
      const values = events.filter(({ operation }) => operation.is !== 'replace')
      const sets = events.filter(({ operation }) => operation.is === 'replace')
      return [
        [values, await target.read('update'), 'new'],
        [sets, await target.read('replace'), ''],
      ] as const
    }

    for (const [name, open] of [
      ['HTTP', (id: string) => overHttp(store, id)],
      ['in process', (id: string) => inProcess(store, id)],
    ] as const)
      it(`no update is lost in 40 histories, ${name}`, async () => {
        for (let seed = 1; seed <= 40; seed += 1) {
          const chosen = name === 'HTTP' ? kinds : (['update', 'call', 'batch'] as const)
          const [values, sets] = await run(open, { writers: 8, seed, chosen })
          assertNoLostUpdate(...values)
          if (name === 'HTTP') assertNoLostUpdate(...sets)
        }
      })

    it('no update is lost with 32 writers', async () => {
      const [values, sets] = await run((id) => overHttp(store, id), { writers: 32, seed: 7 })
      assertNoLostUpdate(...values)
      assertNoLostUpdate(...sets)
      assert.ok(values[0].some(({ outcome }) => outcome === 'conflict'))
    })

    for (const [index, ignored] of [
      [0, 'update'],
      [1, 'replace'],
      [0, 'call'],
      [0, 'batch'],
    ] as const)
      it(`finds a server that ignores the condition of: ${ignored}`, async () => {
        const found: string[] = []
        for (let seed = 1; seed <= 20 && found.length === 0; seed += 1) {
          const target = (id: string) => overHttp(store, id, [ignored])
          const parts = await run(target, { writers: 12, seed, isAlways: true })
          const [events, last, initial] = parts[index]
          found.push(...findLostUpdates(events, last, initial))
        }
        assert.ok(found.length > 0)
      })
  })
