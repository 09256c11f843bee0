import assert from 'node:assert/strict'
import { createApi, createHandler, type Store, sql } from 'lapidary'
import type { OpenDatabase } from '../../databases.ts'
import { openStore } from '../../engine/engine.ts'
import { checkChanges } from './check-changes.ts'
import { changeUnseen, randomData, writeInserts } from './data.ts'
import { Random } from './random.ts'
import { type Data, Reference, see, type Thing } from './reference.ts'
import { randomRead, randomWrite, type TestRequest } from './requests.ts'
import {
  declareModel,
  type Identity,
  randomRules,
  relationshipsOf,
  types,
  words,
} from './schema.ts'

/** Two databases with the tables of the scenarios. */
export type Pair = readonly [OpenDatabase, OpenDatabase]

/** How many requests a scenario sends. */
export interface ScenarioSize {
  readonly reads: number
  readonly writes: number
}

/** What a scenario did. */
export interface ScenarioResult {
  readonly requests: number
  /** The differences between the two databases. */
  readonly changes: number
  /** The statuses of the responses. */
  readonly statuses: ReadonlySet<number>
}

type Send = (request: TestRequest) => Promise<string>

/**
 * Runs a scenario: random rules, a random identity, and two databases that differ only in what it may not see. Every response, with
 * its status and header fields, must be the same text on both. Before, the lists are compared with the reference.
 */
export async function runScenario(
  seed: number,
  pair: Pair,
  { reads, writes }: ScenarioSize,
): Promise<ScenarioResult> {
  const random = new Random(seed)
  const rules = randomRules(random)
  const identity = randomIdentity(random)
  const reference = new Reference(rules, identity)
  const data = randomData(random)
  const { other, changes } = changeUnseen(data, reference, random)
  const model = declareModel(rules)
  const stores = await Promise.all(pair.map(({ url }) => openStore(model, url)))
  const statuses = new Set<number>()
  try {
    await Promise.all([fill(pair[0], data), fill(pair[1], other)])
    const handlers = stores.map(createHandlerOf) as [Handle, Handle]
    const [send, sendOther] = handlers.map((handle) => createSender(handle, identity)) as [
      Send,
      Send,
    ]
    const warmUps = handlers.map((handle) => createSender(handle, stranger)) as [Send, Send]
    const [snapshot] = stores.map(createSnapshot)
    assert.ok(snapshot)
    await assertSeen(send, reference, data, `seed ${seed}`)
    for (let index = 0; index < reads + writes; index += 1) {
      const request = index < reads ? randomRead(random) : randomWrite(random)
      // Another identity fills the caches.
      if (index < reads && random.chance(0.3)) for (const warmUp of warmUps) await warmUp(request)
      const before = index < reads ? undefined : await snapshot()
      const [response, otherResponse] = await Promise.all([send(request), sendOther(request)])
      assert.equal(otherResponse, response, `seed ${seed}: ${JSON.stringify(request)}`)
      const status = Number(response.slice(0, 3))
      assert.ok(status < 500, `seed ${seed}: ${JSON.stringify(request)}: ${response}`)
      if (before)
        checkChanges(
          reference,
          before,
          await snapshot(),
          `seed ${seed}: ${JSON.stringify(request)}`,
        )
      statuses.add(status)
    }
  } finally {
    await Promise.all(stores.map((store) => store.close()))
  }
  return { requests: 2 * (reads + writes), changes, statuses }
}

function randomIdentity(random: Random): Identity | undefined {
  if (random.chance(0.1)) return undefined
  const ids = ['1', '2', '3', '4', '5', '6', '7', '20']
  return {
    id: random.pick(ids),
    level: random.int(4),
    word: random.pick(words),
    friends: random.some(ids, 0.5),
  }
}

async function fill(database: OpenDatabase, data: Data): Promise<void> {
  await database.second?.deleteRows()
  await database.second?.execute(writeInserts(data))
}

/** An identity that may see more than most. */
const stranger: Identity = { id: '1', level: 5, word: 'ash', friends: ['1', '2', '3', '4'] }

type Handle = ReturnType<typeof createHandler>

function createHandlerOf(store: Store): Handle {
  return createHandler({ model: store.model, store })
}

/** Creates a function that reads all rows, past the rules. */
function createSnapshot(store: Store): () => Promise<Data> {
  const api = createApi({ model: store.model, store }).with()
  return () =>
    api.transaction(async (tx) => {
      const things: [string, Map<string, Thing>][] = []
      for (const type of types) {
        const rows = await tx.sql(sql`select * from ${sql.id(type)}`)
        things.push([type, new Map(rows.map((row) => [String(row.id), toThing(row)]))])
      }
      const pairs = await tx.sql(sql`select red_id, green_id from fan`)
      const fans = new Set(pairs.map((pair) => `${pair.red_id} ${pair.green_id}`))
      return { things: Object.fromEntries(things) as unknown as Data['things'], fans }
    })
}

function toThing({
  id,
  name,
  rank,
  note,
  secret,
  next_id: next,
}: Readonly<Record<string, unknown>>): Thing {
  return {
    ...({ name, note, secret } as Pick<Thing, 'name' | 'note' | 'secret'>),
    id: String(id),
    rank: rank === null ? null : Number(rank),
    next: next === null ? null : String(next),
  }
}

/** Creates a function that sends requests in process. @returns the status, the header fields and the body as one text */
function createSender(handle: Handle, identity: Identity | undefined): Send {
  return async ({ method, path, body }) => {
    const response = await handle(
      new Request(`http://localhost${path}`, {
        method,
        headers: body === undefined ? {} : { 'content-type': 'application/vnd.api+json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      { auth: identity },
    )
    const headers = JSON.stringify([...response.headers])
    return `${response.status} ${headers} ${await response.text()}`
  }
}

/** Compares complete lists with the reference. */
async function assertSeen(
  send: Send,
  reference: Reference,
  data: Data,
  hint: string,
): Promise<void> {
  const expected = see(reference, data)
  for (const type of types) {
    const visible = Object.keys(relationshipsOf(type)).filter((name) =>
      reference.isVisible(type, name),
    )
    const names = ['name', 'rank', 'note', 'secret', 'mixed', 'loud']
    const fields = [...names.filter((name) => reference.isVisible(type, name)), ...visible]
    const response = await send({
      method: 'GET',
      path: `/${type}?page[size]=100&fields[${type}]=${fields.join(',')}`,
    })
    const body = JSON.parse(response.slice(response.indexOf('] {') + 2))
    const found = body.data.map(({ id, attributes = {}, relationships = {} }: FoundResource) => ({
      id,
      attributes,
      linkage: Object.fromEntries(visible.map((name) => [name, toIds(relationships[name]?.data)])),
    }))
    assert.deepEqual(found, expected[type], `${hint}: ${type}`)
    assert.equal(body.meta.count, expected[type].length, `${hint}: the count of ${type}`)
  }
}

/** A resource of a document. */
interface FoundResource {
  readonly id: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, { readonly data?: unknown }>>
}

function toIds(data: unknown): string[] {
  const list = (Array.isArray(data) ? data : data === null ? [] : [data]) as { id: string }[]
  return list.map(({ id }) => id)
}
