import { setTimeout } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { toErrorList } from '../errors/collector.ts'
import { ApiError, BodyError, HttpError } from '../errors/errors.ts'
import { checkCallRules } from '../lifecycle/action.ts'
import { executeInTransaction } from '../lifecycle/transaction.ts'
import type { UnitOfWork } from '../lifecycle/unit-of-work.ts'
import { getWriteOptions, readResponse } from '../lifecycle/write.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import { getResourceType } from '../model/model.ts'
import { writeReplayed } from '../observe/events.ts'
import type { IdempotencyKey } from '../parse/idempotency-key.ts'
import { AccessDenied, createForbidden } from '../plan/access/access-denied.ts'
import { findRowCondition } from '../plan/access/identity.ts'
import { computeViewDigest } from '../plan/access/view-digest.ts'
import { jsonapiMembers } from '../serialize/document.ts'
import {
  type ClaimedKey,
  type IdempotencyOperations,
  KeyTakenError,
  type StoredResponse,
} from '../sql/idempotency-operations.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest, ApiResponse } from './handler.ts'
import { observeId, type RequestPlan } from './request-plan.ts'

/** The largest body of a response that is stored, in bytes before compression. */
const maxStoredBody = 256 * 1024

/** A write with a key, and how it is planned and executed. */
interface RepeatableWrite<Body> {
  readonly plan: () => RequestPlan<Body>
  readonly execute: (
    plan: RequestPlan<Body>,
    context: AppContext<Body>,
  ) => Awaitable<ApiResponse<Body>>
}

/**
 * What is stored of a response besides its status: `body` in base64, absent if it was too large. It is the text of a document, or what a
 * call in process returned.
 */
type StoredRest = Pick<ApiResponse, 'headers' | 'version'> &
  Readonly<{ is: 'text' | 'value'; body?: string; id?: string }>

/** How long a request waits for another one with its key, in milliseconds between its tries: together one second. */
const pauses = [20, 30, 50, 100, 200, 300, 300]

/**
 * Executes a write that has a key, or returns the response that the first request with the key got. The key, the write and the response
 * are committed together. The replay comes before everything that the first request may have changed: a repeated deletion is not 404,
 * and a repeated conditional update not 412. What it waits for, it does without a connection of the database; in an open transaction,
 * which has one, it does not wait.
 *
 * A batch of operations is one write here: its plan and its execution are those of the whole batch, in the one transaction that this
 * function opens.
 * @throws HttpError `key_not_supported` (400), `request_in_progress` (409), `key_reused` (422); what the write throws
 */
export async function executeIdempotent<Body>(
  key: IdempotencyKey,
  write: RepeatableWrite<Body>,
  request: ApiRequest,
  context: AppContext<Body>,
): Promise<ApiResponse<Body>> {
  const { idempotencyKeys, open } = context
  const principal = idempotencyKeys.getPrincipal(request.auth)
  const planned = planOrFail(write.plan)
  await idempotencyKeys.checkTable()
  const repeatable = { ...key, principal, planned, write }
  const isAhead = open === undefined && isClaimedAhead(planned, context)
  const tries = open ? [0] : [...(isAhead ? [0] : []), ...pauses, 0]
  for (const [index, pause] of tries.entries())
    try {
      const claim = isAhead && index === 0 ? claimAhead : claimFirst
      const response = await executeOnce({ ...repeatable, claim }, request, context)
      idempotencyKeys.deleteExpired(request)
      return response
    } catch (error) {
      if (!(error instanceof KeyTakenError)) throw error
      if (pause > 0) await setTimeout(pause)
    }
  throw new HttpError(
    'request_in_progress',
    'A request with the same Idempotency-Key has not ended; repeat this one with the same key.',
    { 'retry-after': '1' },
  )
}

/** A write that has been planned, with its key. */
interface PlannedWrite<Body> extends IdempotencyKey {
  readonly principal: string
  readonly planned: Planned<Body>
  readonly write: RepeatableWrite<Body>
  readonly claim: ClaimKey
}

/** Claims a key, and executes a write unless there is a response to it. @throws KeyTakenError */
type ClaimKey = <Body>(
  keys: IdempotencyOperations,
  key: ClaimedKey,
  execute: () => Promise<ApiResponse<Body>>,
) => Promise<Readonly<{ executed: ApiResponse<Body> } | { stored: StoredResponse }>>

const claimFirst: ClaimKey = async (keys, key, execute) => {
  const stored = await keys.claim(key, Date.now())
  if (stored === 'taken') throw new KeyTakenError()
  return stored === 'new' ? { executed: await execute() } : { stored }
}

/** Claims a key that is new as a rule in one round trip with the first statements of the write. If it is not, nothing has been written. */
const claimAhead: ClaimKey = async (keys, key, execute) => {
  if (keys.claimAhead === undefined) return claimFirst(keys, key, execute)
  const [claimed, executed] = await Promise.allSettled([
    keys.claimAhead(key, Date.now()),
    execute(),
  ])
  if (claimed.status === 'rejected') throw claimed.reason
  if (executed.status === 'rejected') throw executed.reason
  return { executed: executed.value }
}

/** Whether a write runs no code of the application before its first statements have been executed, which must not run for a repetition. */
function isClaimedAhead<Body>({ plan }: Planned<Body>, context: AppContext<Body>): boolean {
  if (plan?.is === 'delete') return true
  const isRow = plan?.is === 'write' || plan?.is === 'link'
  return isRow && context.getWriteLifecycle(plan.write.shape).writesDirectly
}

/** Claims the key and executes the write, or replays the stored response, in one transaction. @throws KeyTakenError */
function executeOnce<Body>(
  { principal, key, fingerprint, planned, write, claim }: PlannedWrite<Body>,
  request: ApiRequest,
  context: AppContext<Body>,
): Promise<ApiResponse<Body>> {
  const work = async (unit: UnitOfWork) => {
    const { keys, identity } = unit.transaction
    const view = computeViewDigest(context.planner.model, identity, request.auth)
    const claimedKey: ClaimedKey = { principal, key, fingerprint, view }
    const written: { id?: string } = {}
    const claimed = await claim(keys, claimedKey, async () => {
      if (planned.plan === undefined) throw planned.error
      const plan = observeId(planned.plan, written)
      const within = { ...context, open: { ...unit, isOfRequest: true } }
      const response = await write.execute(plan, within)
      return { ...response, body: await response.body }
    })
    if ('stored' in claimed) {
      const { stored } = claimed
      if (stored.fingerprint !== fingerprint) throw reusedError()
      if (writeReplayed.hasSubscribers) writeReplayed.publish({})
      return replay(stored, { view, planned }, unit, context)
    }
    const { executed } = claimed
    const rest = serializeRest(executed, written)
    await keys.store(claimedKey, { status: executed.status, rest })
    return executed
  }
  const { plan } = planned
  const isWrite = plan?.is === 'write' || plan?.is === 'link'
  const options = isWrite ? getWriteOptions(plan.write) : undefined
  return executeInTransaction(context, request, work, options)
}

type Planned<Body> = Readonly<
  { plan: RequestPlan<Body>; error?: undefined } | { plan?: undefined; error: unknown }
>

/** Plans a write. What its body or its condition does not allow now may have been allowed when it was first sent. */
function planOrFail<Body>(plan: () => RequestPlan<Body>): Planned<Body> {
  try {
    return { plan: plan() }
  } catch (error) {
    const errors = toErrorList(error)?.errors ?? []
    const isLater = errors.every(
      (each) =>
        (each instanceof BodyError && each.status !== 403) || [412, 428].includes(each.status),
    )
    if (errors.length === 0 || !isLater) throw error
    return { error }
  }
}

/** Checks the rules that no row decides, as they are now. @throws ApiError `forbidden` (403) */
function checkTypeRules<Body>(plan: RequestPlan<Body>, unit: UnitOfWork): void {
  const { transaction, request } = unit
  const { identity } = transaction
  if (plan.is === 'operations') plan.checkEach((each) => checkTypeRules(each, unit))
  if (plan.is === 'action') checkCallRules(plan.call, identity, request.auth)
  if (plan.is !== 'write' && plan.is !== 'delete') return
  const { operation, shape } = plan.write
  if (operation === undefined || operation === 'relate') return
  if (findRowCondition(identity?.rules, shape.type, operation) === false)
    throw createForbidden(new AccessDenied(operation, { type: shape.type }))
}

function serializeRest<Body>(
  { headers, version, body }: ApiResponse<Body>,
  { id }: Readonly<{ id?: string }>,
): string {
  const rest: StoredRest = {
    ...(headers && { headers }),
    ...(version !== undefined && { version }),
    ...encodeBody(body),
    ...(id !== undefined && { id }),
  }
  return JSON.stringify(rest)
}

/** Encodes what a write returned. */
function encodeBody(body: unknown): Pick<StoredRest, 'is' | 'body'> {
  const is = typeof body === 'string' ? 'text' : 'value'
  const bytes = typeof body === 'string' ? Buffer.from(body) : serialize(body)
  if (bytes.byteLength > maxStoredBody) return { is }
  return { is, body: deflateRawSync(bytes).toString('base64') }
}

function decodeBody(is: StoredRest['is'], body: string): unknown {
  const bytes = inflateRawSync(Buffer.from(body, 'base64'))
  return is === 'text' ? bytes.toString() : deserialize(bytes)
}

/** The header field of a response that an earlier request got. */
const replayed = { 'idempotency-replayed': 'true' }

/** What the document says that cannot show the response to the first request. */
const replayedMeta = '"meta":{"message":"The request has been processed before","replayed":true}'

/**
 * Returns a stored response. Without its body if that was too large, or shows what the identity may not read any more: then the
 * document says so, and shows a resource that was too large as it is now.
 */
async function replay<Body>(
  { status, rest, view }: StoredResponse,
  current: Readonly<{ view: string; planned: Planned<Body> }>,
  unit: UnitOfWork,
  context: AppContext<Body>,
): Promise<ApiResponse<Body>> {
  const { plan } = current.planned
  if (plan) checkTypeRules(plan, unit)
  // It was written by `serializeRest`.
  const { is, headers, version, body, id } = JSON.parse(rest) as StoredRest
  const shown = { status, headers: { ...headers, ...replayed } }
  const isShown = view === current.view
  if (isShown && body !== undefined) {
    const decoded = decodeBody(is, body) as Body
    return { ...shown, ...(version !== undefined && { version }), body: decoded }
  }
  // A program gets the resource as it may see it now.
  const isRead = plan && id !== undefined && (isShown || is === 'value')
  const read = isRead ? await readAgain(plan, id, unit, context) : undefined
  const document = plan?.is === 'operations' ? 'atomic' : context.planner.model.jsonapi
  const told = is === 'text' ? `{${replayedMeta},${jsonapiMembers[document]}}` : undefined
  return { ...shown, body: (read ?? told) as Body }
}

/** Reads the resource that a write returned. @returns `undefined` if it does not exist any more */
async function readAgain<Body>(
  plan: RequestPlan<Body>,
  id: string,
  unit: UnitOfWork,
  context: AppContext<Body>,
): Promise<unknown> {
  if (plan.is !== 'write') return undefined
  const resource = getResourceType(unit.planner.model, plan.write.shape.type)
  const readHooks = context.bindReadHooks?.(plan.response.plan, unit.request)
  try {
    const { body } = await readResponse(plan.response, id, unit, { resource, readHooks })
    return typeof body === 'string' ? `${body.slice(0, -1)},${replayedMeta}}` : body
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_stored') return undefined
    throw error
  }
}

function reusedError(): HttpError {
  return new HttpError(
    'key_reused',
    'The Idempotency-Key belongs to another request, with another method, path, query, media type or body; send a new key, and the same key only to repeat the same request.',
  )
}
