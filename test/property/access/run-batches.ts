import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isDeepStrictEqual } from 'node:util'
import { type Created, drawFieldsets, drawOwnWrite, type Pair, toOperation } from './batches.ts'
import type { Random } from './random.ts'
import { type Reference, summarize } from './reference.ts'
import type { TestRequest } from './requests.ts'
import type { Type } from './schema.ts'
import type { Data } from './things.ts'
import type { Send } from './transports.ts'

// Batches must be answered alike by databases that differ only in what the identity may not see. And each operation has the rights of a
// request of its own: what it returns, its errors, its events and the rows afterwards are the same.

/** What sends random batches. */
interface BatchContext {
  readonly seed: number
  readonly random: Random
  readonly reference: Reference
  /** The two databases. */
  readonly accesses: readonly [Access, Access]
  readonly snapshots: readonly (() => Promise<Data>)[]
  /** Makes the rows of the two databases those of the beginning. */
  readonly refill: () => Promise<void>
  /** Deletes all rows of the two databases. */
  readonly empty: () => Promise<void>
}

type Access = Readonly<{ http: Send }>

/** How many batches a scenario has. */
const count = 4
/** How many writes are drawn for a batch, and how many it has, at most. */
const [maxAttempts, maxOperations] = [16, 6]

/** An error of a document. */
interface ErrorObject {
  readonly code: string
  readonly detail: string
  readonly source?: Readonly<{ pointer?: string }>
}

/** A document of a response. */
interface Document {
  readonly data?: unknown
  readonly errors?: readonly ErrorObject[]
  readonly 'atomic:results'?: readonly Document[]
}

/** What a request did. */
interface Outcome {
  readonly response: string
  readonly status: number
  readonly document: Document
  /** The operations that access rules denied. */
  readonly events: readonly string[]
}

/** Sends batches. @returns their statuses, with the number of their operations */
export async function runBatches(context: BatchContext): Promise<readonly string[]> {
  const statuses: string[] = []
  for (let index = 0; index < count; index += 1) {
    const batch = await drawBatch(context)
    if (batch.pairs.length === 0) continue
    const singles = await sendSingly(context, batch)
    const sent = await sendTogether(context, batch)
    const isOfDocument = await findsInDocument(context, batch, sent.outcome)
    const hint = `seed ${context.seed}: ${JSON.stringify(batch)}`
    assert.deepEqual(sent.after, sent.outcome.status < 300 ? singles.after : singles.before, hint)
    const last = singles.outcomes.at(-1)
    if (isOfDocument && last) compareOfDocument(sent.outcome, last, hint)
    else compare(sent.outcome, singles.outcomes, hint)
    const { length } = batch.pairs
    const { status } = sent.outcome
    statuses.push(`batch ${status}`, ...(length > 1 ? [`batch of several ${status}`] : []))
  }
  return statuses
}

/** The writes of a batch. */
interface Batch {
  readonly pairs: readonly Pair[]
  readonly fieldsets: string
}

/** Draws writes. All but the last one succeed, and none but the last shows what the identity could not read before. */
async function drawBatch({ refill, ...context }: BatchContext): Promise<Batch> {
  const { random, accesses, snapshots, reference } = context
  await refill()
  const fieldsets = drawFieldsets(random)
  const pairs: Pair[] = []
  const created: Created[] = []
  const isAlike = async () => {
    const [one, other] = await Promise.all(snapshots.map((read) => read()))
    return one && other && summarize(reference, one) === summarize(reference, other)
  }
  const restart = async () => {
    await refill()
    for (const { request } of pairs) await sendAlike(request, context)
  }
  let last: TestRequest | undefined
  for (let attempt = 0; attempt < maxAttempts && pairs.length < maxOperations; attempt += 1) {
    const repeated = last?.method === 'POST' && random.chance(0.4) ? last : undefined
    const drawn = repeated ?? drawOwnWrite(fieldsets, created, random)
    const request = repeated ?? (await addCondition(drawn, accesses[0].http, random))
    const { status, document } = await sendAlike(request, context)
    // A to-one relationship has no members to add, for which the error of an operation is another one.
    if (status === 405 || (status >= 300 && random.chance(0.8))) {
      // A rejected insert has used a number of the generated ids.
      if (request.method === 'POST') await restart()
      continue
    }
    const lid = `l${pairs.length}`
    const operation = toOperation(request, lid, created, random)
    pairs.push({ request, operation, alone: toOperation(request, lid, [], random) })
    if (status >= 300) break
    last = request
    if (status === 201) created.push({ ...readCreated(document), lid })
    if (!(await isAlike())) break
  }
  return { pairs, fieldsets }
}

function readCreated({ data }: Document): Readonly<{ type: Type; id: string }> {
  const { type, id } = data as { type: Type; id: string }
  return { type, id }
}

/** Makes some writes of a resource or of a relationship conditional. */
async function addCondition(
  request: TestRequest,
  send: Send,
  random: Random,
): Promise<TestRequest> {
  const [path = ''] = request.path.split('?')
  const [, , id, name] = path.split('/')
  const isVersioned = id !== undefined && (name === undefined || name === 'relationships')
  if (!isVersioned || random.chance(0.6)) return request
  const [, tag] = /\["etag",("(?:[^"\\]|\\.)*")\]/.exec(await send({ method: 'GET', path })) ?? []
  const read: string = tag === undefined ? '"none"' : JSON.parse(tag)
  return { ...request, ifMatch: random.pick([read, read, '*', '"forged"']) }
}

/** Sends the writes of a batch one by one, to the first database. @returns what they did, and the rows afterwards */
async function sendSingly(
  { refill, accesses: [{ http }], snapshots: [read] }: BatchContext,
  { pairs }: Batch,
): Promise<Readonly<{ outcomes: readonly Outcome[]; before: unknown; after: unknown }>> {
  await refill()
  const before = await read?.()
  const outcomes: Outcome[] = []
  for (const { request } of pairs) outcomes.push(await observe(http, request))
  return { outcomes, before, after: await read?.() }
}

/**
 * Sends a batch to both databases: some as a dry run first, and some with a key, twice.
 * @returns what it did in the first database, and the rows afterwards
 */
async function sendTogether(
  context: BatchContext,
  { pairs, fieldsets }: Batch,
): Promise<Readonly<{ outcome: Outcome; after: unknown }>> {
  const { random, refill, seed, snapshots } = context
  const body = { 'atomic:operations': pairs.map(({ operation }) => operation) }
  const request: TestRequest = { method: 'POST', path: `/operations${fieldsets}`, body }
  const read = async () => snapshots[0]?.()
  await refill()
  if (random.chance(0.3)) {
    const before = await read()
    await sendAlike({ ...request, prefer: 'dry-run' }, context)
    assert.deepEqual(await read(), before, `seed ${seed}: ${JSON.stringify(request)}, dry run`)
    // It has used numbers of generated ids.
    await refill()
  }
  const key = random.chance(0.3) ? `batch-${random.int(2 ** 30)}` : undefined
  const sent = { ...request, ...(key !== undefined && { key }) }
  const outcome = await sendAlike(sent, context)
  const after = await read()
  if (key !== undefined && outcome.status < 300) {
    const again = await sendAlike(sent, context)
    assert.deepEqual(await read(), after, `seed ${seed}: ${JSON.stringify(sent)}, again`)
    assert.deepEqual(again.document, outcome.document)
  }
  return { outcome, after }
}

/** Sends a request to both databases. @returns what it did in the first one */
async function sendAlike(
  request: TestRequest,
  { accesses: [one, other], seed }: Pick<BatchContext, 'accesses' | 'seed'>,
): Promise<Outcome> {
  const outcome = await observe(one.http, request)
  const hint = `seed ${seed}: ${JSON.stringify(request)}`
  assert.equal(await other.http(request), outcome.response, hint)
  assert.ok(outcome.status < 500, `${hint}: ${outcome.response}`)
  return outcome
}

async function observe(send: Send, request: TestRequest): Promise<Outcome> {
  const events: string[] = []
  const record = (event: unknown) => {
    const { auth, operation, type, id, rule } = Object(event)
    events.push(JSON.stringify({ auth, operation, type, id, rule }))
  }
  subscribe('lapidary:access-denied', record)
  const response = await send(request)
  unsubscribe('lapidary:access-denied', record)
  return {
    response,
    status: Number(response.slice(0, 3)),
    document: readDocument(response),
    events,
  }
}

function readDocument(response: string): Document {
  const text = response.slice(response.indexOf('] ') + 2)
  return text === '' ? {} : JSON.parse(text)
}

/**
 * Whether the last operation of a batch has errors that do not depend on rows: a batch reports them before it looks for any, a request of its
 * own after it has found that in the path.
 */
async function findsInDocument(
  { accesses: [{ http }], empty }: BatchContext,
  { pairs, fieldsets }: Batch,
  { status, document }: Outcome,
): Promise<boolean> {
  const last = pairs.at(-1)
  if (last === undefined || status < 300) return false
  await empty()
  const body = { 'atomic:operations': [last.alone] }
  const alone = await observe(http, { method: 'POST', path: `/operations${fieldsets}`, body })
  const [found, same] = [document, alone.document].map(({ errors }) => errors?.map(describe))
  return isDeepStrictEqual(found, same)
}

/** Compares a batch with the requests of its operations. */
function compare(
  { document, status, events, response }: Outcome,
  singles: readonly Outcome[],
  hint: string,
): void {
  const last = singles.at(-1)
  const at = [hint, response, ...singles.map((single) => single.response)].join('\n')
  const isDone = singles.every((each) => each.status < 300)
  assert.equal(status, isDone ? 200 : last?.status, at)
  const expected = singles.flatMap((single) => single.events)
  assert.deepEqual(events, expected, at)
  const data = (each: Document) => each.data ?? null
  const shown = isDone ? singles.map((single) => data(single.document)) : undefined
  assert.deepEqual(document['atomic:results']?.map(data), shown, at)
  for (const { source } of document.errors ?? [])
    assert.ok(source?.pointer?.startsWith(`/atomic:operations/${singles.length - 1}`), at)
  assert.deepEqual(document.errors?.map(describe), last?.document.errors?.map(describe), at)
}

/** Compares errors that do not depend on rows: a request of its own has them, too, unless it reports the row in its path first. */
function compareOfDocument({ document }: Outcome, single: Outcome, hint: string): void {
  if ([403, 404, 412].includes(single.status)) return
  const errors = single.document.errors?.map(describe) ?? []
  for (const error of document.errors?.map(describe) ?? [])
    assert.ok(
      errors.some((each) => isDeepStrictEqual(each, error)),
      `${hint}: ${single.response}`,
    )
}

/** An error without its place, which the detail of an unknown path names, too. */
function describe({ source: _, detail, ...error }: ErrorObject): object {
  if (error.code === 'route_not_found') return error
  return { ...error, detail: detail.replace(/^\S*\/data/, '/data') }
}
