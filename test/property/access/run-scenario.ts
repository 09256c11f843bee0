import assert from 'node:assert/strict'
import { type Client, createApi, type Store, sql } from 'lapidary'
import { describeApi } from 'lapidary/openapi'
import type { PostgresOptions } from 'lapidary/postgres'
import { silentLogger } from '../../../src/endpoints/handler.ts'
import { readBudget } from '../../../src/sql/read/document-budget.ts'
import { openStore } from '../../engine/engine.ts'
import { isPostgres } from '../../filled.ts'
import type { OpenDatabase } from '../../open-database.ts'
import { checkChanges } from './check-changes.ts'
import { assertForeignIds, assertRights } from './check-rights.ts'
import { assertDescribed, assertExamples, assertSeen } from './check-seen.ts'
import {
  applyChange,
  drawChange,
  OtherWriter,
  sendDuring,
  undoChange,
} from './concurrent-change.ts'
import { addCondition, addVersions, repeatRead } from './conditions.ts'
import { addFiller, changeUnseen, randomData, writeInserts } from './data.ts'
import { declareModel } from './declare-model.ts'
import { writeOutOfScope } from './out-of-scope.ts'
import { PagedRequests } from './paged-requests.ts'
import { withoutReadRules, writePoliced } from './policies.ts'
import { Random } from './random.ts'
import { randomRules, varyFields } from './random-rules.ts'
import { Reference, summarize } from './reference.ts'
import { randomLongList, randomRead, randomWrite, type TestRequest } from './requests.ts'
import { runBatches } from './run-batches.ts'
import {
  type Identity,
  idColumns,
  nextColumns,
  otherTenant,
  ownTenant,
  type Type,
  types,
  words,
} from './schema.ts'
import type { Data, Thing } from './things.ts'
import { createCaller, createHandlerOf, createSender, isCall, type Send } from './transports.ts'

/** Two databases with the tables of the scenarios. */
export type Pair = readonly [OpenDatabase, OpenDatabase]

/** The size of a scenario. */
export interface ScenarioSize {
  readonly reads: number
  readonly writes: number
  /**
   * Further rows of red things, which are the same in both databases. With more than 500, lists are streamed and counts are cached, and
   * reads ask for long lists, some with filters for which SQLite needs a reader process. Default: none.
   */
  readonly filler?: number
  /** Returns how PostgreSQL is opened. */
  readonly toOptions?: (url: string) => PostgresOptions
}

/** The result of a scenario. */
interface ScenarioResult {
  readonly requests: number
  /** The differences between the two databases. */
  readonly changes: number
  /** The statuses of the responses, with the method: `GET 200`. */
  readonly statuses: ReadonlySet<string>
  /** The responses with more resources than a read holds in memory: they were streamed. */
  readonly streams: number
  /** The writes that have waited for the lock of another connection. */
  readonly waits: number
}

/** The requests of one identity to one database. */
interface Access {
  readonly http: Send
  readonly documents: Send
  readonly objects: Send
}

/**
 * Runs a scenario: random rules, a random identity, and two databases that differ only in what it may not see. Every response, with
 * its status and header fields, must be the same text on both; so must pages, descriptions, and the results of calls in process.
 * Before, the lists and the descriptions are compared with the reference.
 */
export async function runScenario(
  seed: number,
  pair: Pair,
  size: ScenarioSize,
): Promise<ScenarioResult> {
  const { filler = 0, toOptions = () => ({}) } = size
  const random = new Random(seed)
  const isOnPostgres = isPostgres(pair[0].url)
  const isPoliced = isOnPostgres && seed % 3 === 1
  // A sequence of its own, so that both databases have the same scenarios otherwise.
  const own = new Random(~seed)
  const drawn = randomRules(random)
  const rules = varyFields(isPoliced ? withoutReadRules(drawn, own) : drawn, own)
  const identity = randomIdentity(random)
  const reference = new Reference(rules, identity)
  const core = randomData(random)
  const unseen = changeUnseen(core, reference, random)
  const [data, other] = addFiller([core, unseen.other], filler, random)
  // A request without an identity has no tenant, and so no rows.
  const isScoped = identity !== undefined && seed % 3 === 2
  const model = declareModel(rules, { isScoped, isPoliced })
  // No read may fail because the machine is busy.
  const toStoreOptions = (url: string) => ({ timeout: 300_000, ...toOptions(url) })
  const stores = await Promise.all(
    pair.map(({ url }) => openStore(model, url, toStoreOptions(url))),
  )
  // With many rows the reference takes too long to find a change.
  const writers = isOnPostgres && filler === 0 ? pair.map(({ url }) => new OtherWriter(url)) : []
  try {
    const outOfScope = pair.map(() =>
      isScoped ? writeOutOfScope([data, other], identity, random, isOnPostgres) : '',
    )
    const policed = isPoliced ? writePoliced([data, other], own) : ''
    const refill = async () => {
      await Promise.all([
        fill(pair[0], [writeInserts(data, isOnPostgres), outOfScope[0], policed]),
        fill(pair[1], [writeInserts(other, isOnPostgres), outOfScope[1]]),
      ])
    }
    const empty = async () => {
      for (const { second } of pair) await second?.deleteRows()
    }
    await refill()
    const servers = stores.map(openServer)
    const accesses = servers.map((open) => open(identity)) as [Access, Access]
    const warmUps = servers.map((open) => open(outsider).http)
    const snapshots = stores.map((store) => createSnapshot(store, isScoped))
    // Another identity fills the caches.
    if (random.chance(0.5)) await assertAnswers(warmUps)
    await warmUps[0]?.({ method: 'GET', path: '/openapi.json' })
    await assertSeen(accesses[0].http, reference, data, `seed ${seed}`)
    await assertSeen(accesses[0].documents, reference, data, `seed ${seed}, in process`)
    await assertDescribed(accesses[0].http, reference, `seed ${seed}`)
    const made = describeApi(model, { auth: identity })
    await assertExamples(accesses[0].http, { reference, data, made }, `seed ${seed}`)
    // One type is enough for a scenario: the checks take many requests.
    const type = types[seed % types.length] ?? 'red'
    await assertRights(accesses[0].http, reference, data, { type, hint: `seed ${seed}` })
    if (isScoped) await assertForeignIds(accesses[0].http, `seed ${seed}`)
    const concurrent = { writers, random: own }
    // One more, which changes no request of the scenario.
    const replays = new Random(seed + 2 ** 31)
    const conditions = new Random(seed + 2 ** 29)
    const shared = { seed, random, reference, accesses, warmUps, snapshots }
    const paged = new PagedRequests(new Random(seed + 2 ** 30))
    const context = { ...shared, concurrent, replays, paged, conditions }
    const sent = await sendRequests(context, { ...size, filler })
    const batches = { ...context, random: new Random(seed + 2 ** 28), refill, empty }
    if (filler === 0) for (const status of await runBatches(batches)) sent.statuses.add(status)
    return { requests: 2 * (size.reads + size.writes), changes: unseen.changes, ...sent }
  } finally {
    await Promise.all(writers.map((writer) => writer.close()))
    await Promise.all(stores.map((store) => store.close()))
  }
}

/** Opens what serves a store. @returns a function that opens it for an identity; all identities share its caches */
function openServer(store: Store): (identity: Identity | undefined) => Access {
  const handle = createHandlerOf(store)
  const api = createApi({ model: store.model, store })
  return (identity) => {
    const client = api.with({ auth: identity, log: silentLogger }) as unknown as Client
    return {
      http: createSender(handle, identity),
      documents: createCaller(client, 'documents'),
      objects: createCaller(client, 'objects'),
    }
  }
}

/** Reads all lists as an identity. */
async function assertAnswers(sends: readonly Send[]): Promise<void> {
  for (const send of sends)
    for (const type of types)
      assert.match(await send({ method: 'GET', path: `/${type}?page[size]=0` }), /^200 /)
}

/** The context of the requests of a scenario. */
interface ScenarioContext {
  readonly seed: number
  readonly random: Random
  readonly reference: Reference
  readonly accesses: readonly [Access, Access]
  readonly warmUps: readonly Send[]
  readonly snapshots: readonly (() => Promise<Data>)[]
  /** Other connections to the databases, which change rows while writes run; none where no write waits for a row. */
  readonly concurrent: Readonly<{ writers: readonly OtherWriter[]; random: Random }>
  /** Draws which writes have a key, and are repeated. */
  readonly replays: Random
  /** Draws further reads: of pages between cursors and of included resources. */
  readonly paged: PagedRequests
  /** Draws conditions, versions and preferences. */
  readonly conditions: Random
}

/** Sends random requests to both databases. */
async function sendRequests(
  context: ScenarioContext,
  { reads, writes, filler = 0 }: ScenarioSize,
): Promise<Pick<ScenarioResult, 'streams' | 'waits'> & Readonly<{ statuses: Set<string> }>> {
  const { seed, random, warmUps, concurrent } = context
  const statuses = new Set<string>()
  let streams = 0
  for (let index = 0; index < reads + writes; index += 1) {
    const isRead = index < reads
    const drawn = isRead ? drawRead(random, filler) : randomWrite(random)
    const senders = toSenders(context)
    const request = isRead
      ? addVersions(drawn, context.conditions)
      : await addCondition(drawn, senders)
    const hint = `seed ${seed}: ${JSON.stringify(request)}`
    if (isRead && random.chance(0.3)) for (const warmUp of warmUps) await warmUp(request)
    const send = isRead ? sendToBoth : sendWrite
    const responses = await send({ request, hint }, context)
    if (responses === undefined) break
    const [response = '', otherResponse] = responses
    assert.equal(otherResponse, response, hint)
    const status = Number(response.slice(0, 3))
    if (isRead && filler === 0) await repeatRead(request, response, senders)
    assert.ok(status < 500, `${hint}: ${response}`)
    statuses.add(`${request.method} ${status}`)
    if (countResources(response) > readBudget.resources) streams += 1
    if (isRead) statuses.add(await sendPaged(context))
  }
  return { statuses, streams, waits: concurrent.writers.reduce((sum, { waits }) => sum + waits, 0) }
}

/** Sends a read of a page to both databases. @returns its status, with its name */
async function sendPaged({ seed, accesses, paged }: ScenarioContext): Promise<string> {
  const request = paged.draw()
  const [response = '', other] = await Promise.all(accesses.map(({ http }) => http(request)))
  const hint = `seed ${seed}: ${JSON.stringify(request)}`
  assert.equal(other, response, hint)
  assert.ok(Number(response.slice(0, 3)) < 500, `${hint}: ${response}`)
  paged.note(request, response)
  const [, parameter] = /(page%5Bafter|page%5Bbefore|includePage)/.exec(request.path) ?? []
  return `${parameter} ${response.slice(0, 3)}`
}

function toSenders({ conditions, accesses, warmUps }: ScenarioContext) {
  const [first, second] = accesses
  return { random: conditions, sends: [first.http, second.http] as const, others: warmUps }
}

/** A request of a scenario, with the text for errors. */
interface HintedRequest {
  readonly request: TestRequest
  readonly hint: string
}

/** Sends a request to both databases. */
function sendToBoth(
  { request }: HintedRequest,
  context: ScenarioContext,
): Promise<readonly string[]> {
  return Promise.all(drawSends(request, context).map((send) => send()))
}

/** Draws how a request is sent to each of the databases. */
function drawSends(request: TestRequest, { random, accesses }: ScenarioContext) {
  const transports = isCall(request)
    ? (['http', 'http', 'documents', 'objects'] as const)
    : (['http'] as const)
  const transport = random.pick<keyof Access>(transports)
  const [first, second] = accesses
  return [() => first[transport](request), () => second[transport](request)] as const
}

/**
 * Sends a write to both databases, some while another connection changes a row, and checks what it has changed in the first one.
 * @returns `undefined` once a write that is allowed has shown what was hidden and differs: a rule may read what the identity does not
 */
async function sendWrite(
  { request, hint }: HintedRequest,
  context: ScenarioContext,
): Promise<readonly string[] | undefined> {
  const { reference, snapshots, concurrent } = context
  const [before, other] = await Promise.all(snapshots.map((read) => read()))
  const [snapshot] = snapshots
  const [writer, otherWriter] = concurrent.writers
  assert.ok(before && other && snapshot)
  if (summarize(reference, before) !== summarize(reference, other)) return undefined
  if (concurrent.random.chance(0.3)) {
    await assertDryRun({ request, hint }, context)
    assert.deepEqual(await Promise.all(snapshots.map((read) => read())), [before, other], hint)
  }
  const change =
    writer && concurrent.random.chance(0.4)
      ? drawChange([before, other], reference, request.path, concurrent.random)
      : undefined
  if (!writer || !otherWriter || change === undefined) {
    if (context.replays.chance(0.3)) return sendAgain({ request, hint }, context)
    const responses = await sendToBoth({ request, hint }, context)
    checkChanges(reference, before, await snapshot(), hint)
    return responses
  }
  const sends = drawSends(request, context)
  const { responses, hasWaited } = await sendDuring(change, [writer, otherWriter], sends)
  const at = `${hint}, ${hasWaited ? 'after' : 'before'} ${JSON.stringify(change)}`
  assert.equal(responses[1], responses[0], at)
  const after = await snapshot()
  if (hasWaited) checkChanges(reference, applyChange(change, before), after, at)
  else checkChanges(reference, before, undoChange(change, before, after), at)
  return responses
}

/**
 * Sends a write with a key to both databases, and once more. Half of them another identity sends first, which may see more: what it got
 * then, the repetition must not show.
 * @returns the responses of the first request of the identity; `undefined` if the other one has done something else in each database
 */
async function sendAgain(
  { request, hint }: HintedRequest,
  context: ScenarioContext,
): Promise<readonly string[] | undefined> {
  const { seed, reference, snapshots, warmUps, replays } = context
  const keyed = { ...request, key: `${seed}-${replays.int(2 ** 30)}` }
  const isRepetition = replays.chance(0.5)
  if (isRepetition) {
    const [stored = '', other = ''] = await Promise.all(warmUps.map((send) => send(keyed)))
    if (findStored(stored) !== findStored(other)) return undefined
  }
  const [before, other] = await Promise.all(snapshots.map((read) => read()))
  assert.ok(before && other)
  if (summarize(reference, before) !== summarize(reference, other)) return undefined
  const { accesses } = context
  const sendBoth = isRepetition
    ? () => Promise.all(accesses.map(({ http }) => http(keyed)))
    : sendBothBy(drawSends(keyed, context))
  const responses = await sendBoth()
  const after = await snapshots[0]?.()
  assert.ok(after)
  checkChanges(reference, before, after, hint)
  const [again = '', otherAgain] = await sendBoth()
  const at = `${hint}, ${isRepetition ? 'after another identity' : 'again'}`
  const [response = '', otherResponse] = responses
  assert.equal(otherResponse, response, at)
  assert.equal(otherAgain, again, at)
  if (findStored(response) === undefined) return responses
  assert.equal(again.slice(0, 3), response.slice(0, 3), at)
  assert.deepEqual(await snapshots[0]?.(), after, at)
  return responses
}

function sendBothBy(sends: ReturnType<typeof drawSends>): () => Promise<readonly string[]> {
  return () => Promise.all(sends.map((send) => send()))
}

/** Returns what another identity may know of a write that was stored; `undefined` of one that failed. */
function findStored(response: string): string | undefined {
  if (!response.startsWith('2')) return undefined
  const location = /"location","[^"]*"/.exec(response)
  return `${response.slice(0, 3)} ${location}`
}

/** Asserts that a dry run of a write says the same of both databases. */
async function assertDryRun(
  { request, hint }: HintedRequest,
  { accesses }: ScenarioContext,
): Promise<void> {
  const dryRun: TestRequest = { ...request, prefer: 'dry-run' }
  const [response, otherResponse] = await Promise.all(accesses.map(({ http }) => http(dryRun)))
  assert.equal(otherResponse, response, `${hint}, as a dry run`)
}

function countResources(response: string): number {
  return response.split('"links":{"self":"/red/').length - 1
}

/** Draws a read: one in ten is of a page for browsers, and most are of long lists if there are any. */
function drawRead(random: Random, filler: number): TestRequest {
  if (filler > 0 && random.chance(0.7)) return randomLongList(random)
  const request = randomRead(random)
  return random.chance(0.1) ? { ...request, accept: 'text/html' } : request
}

function randomIdentity(random: Random): Identity | undefined {
  if (random.chance(0.1)) return undefined
  const ids = ['1', '2', '3', '4', '5', '6', '7', '20']
  return {
    id: random.pick(ids),
    level: random.int(4),
    word: random.pick(words),
    friends: random.some(ids, 0.5),
    org: ownTenant,
  }
}

async function fill(
  database: OpenDatabase,
  inserts: readonly (string | undefined)[],
): Promise<void> {
  await database.second?.deleteRows()
  for (const sql of inserts) if (sql) await database.second?.execute(sql)
}

/** An identity that may see more than most. */
const outsider: Identity = {
  ...{ id: '1', level: 5, word: 'ash', friends: ['1', '2', '3', '4'] },
  org: otherTenant,
}

/** Creates a function that reads all rows, or those of the tenant, past the rules. */
function createSnapshot(store: Store, isScoped: boolean): () => Promise<Data> {
  const api = createApi({ model: store.model, store }).with()
  return () =>
    api.transaction(async (tx) => {
      const things: [string, Map<string, Thing>][] = []
      for (const type of types) {
        const rows = await tx.sql(
          sql`select * from ${sql.id(type)} where ${isScoped ? sql`org = ${ownTenant} and ` : sql``}gone is null`,
        )
        const found = rows.map((row) => toThing(type, row))
        things.push([type, new Map(found.map((thing) => [thing.id, thing]))])
      }
      const pairs = await tx.sql(sql`select red_id, green_id from fan`)
      const fans = new Set(pairs.map((pair) => `${pair.red_id} ${pair.green_id}`))
      return { things: Object.fromEntries(things) as unknown as Data['things'], fans }
    })
}

function toThing(type: Type, row: Readonly<Record<string, unknown>>): Thing {
  const join = (columns: readonly string[]) => columns.map((name) => row[name]).join(',')
  // SQLite stores JSON and arrays as text.
  const parse = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value)
  const { name, note, secret } = row as unknown as Pick<Thing, 'name' | 'note' | 'secret'>
  return {
    id: join(idColumns(type)),
    ...{ name, note, secret },
    rank: row.rank === null ? null : Number(row.rank),
    ...{ place: parse(row.place), marks: parse(row.marks) },
    ...{ tags: parse(row.tags), info: parse(row.info) },
    next: row.next_id === null ? null : join(nextColumns(type)),
  }
}
