import { ApiError, NotFoundError, VersionConflictError } from '../errors/errors.ts'
import { type ActionCall, type ActionResultValues, executeAction } from '../lifecycle/action.ts'
import type { LifecycleContext } from '../lifecycle/context.ts'
import { executeDelete } from '../lifecycle/delete.ts'
import { executeRead } from '../lifecycle/read.ts'
import type { UnitOfWork } from '../lifecycle/unit-of-work.ts'
import { executeRelationshipWrite, executeWrite, type WriteResponse } from '../lifecycle/write.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import { type KeyValue, readKeys } from '../plan/cursor.ts'
import { cursorExpired } from '../plan/page.ts'
import type { PendingCursors, ReadPlan } from '../plan/read.ts'
import type { CompleteRows, Rows } from '../plan/read-result.ts'
import type { VersionRead } from '../plan/version-condition.ts'
import type { WritePlan } from '../plan/write.ts'
import type { LinkChange } from '../plan/write-builder.ts'
import { thenMaybe } from '../sql/then-maybe.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest, ApiResponse } from './handler.ts'
import { revalidate } from './revalidate.ts'

/**
 * What a request reads or writes, and how its response is written, decided without a database. Executing it and explaining it start
 * from the same plan.
 */
export type RequestPlan<Body> =
  | Readonly<{
      is: 'read'
      read: ReadPlan
      /** The id in the path; `undefined` for a path without one. */
      id: string | undefined
      serialize: (read: ReadPlan, rows: Rows) => Body
      /** The version of what the document shows; absent for a document without one. */
      version?: (rows: CompleteRows) => string | undefined
    }>
  | Readonly<{
      is: 'write'
      write: WritePlan
      response: WriteResponse<ApiResponse<Body>>
      /** If the request demands that its id is not in use: what reads the version of the resource that has it. */
      taken?: VersionRead | undefined
      /** Whether the client has chosen the id of the new resource. */
      hasClientId?: boolean
    }>
  | Readonly<{ is: 'link'; write: WritePlan; change: LinkChange['change'] }>
  | Readonly<{ is: 'delete'; write: WritePlan }>
  | Readonly<{
      is: 'action'
      call: ActionCall
      respond: (result: ActionResultValues, unit: UnitOfWork) => Promise<ApiResponse<Body>>
    }>
  /** Several writes in one transaction. */
  | Readonly<{
      is: 'operations'
      /** The writes of the operations, in their order. */
      plans: readonly RequestPlan<Body>[]
      /** Checks each of them. @throws what the check of one throws, with a pointer to its operation */
      checkEach: (check: (plan: RequestPlan<Body>) => void) => void
      /** @param executeOne - executes the write of an operation; default: as a request of its own */
      execute(
        request: ApiRequest,
        context: AppContext<Body>,
        executeOne?: ExecutePlan<Body>,
      ): Promise<ApiResponse<Body>>
    }>
  /** A document that depends on the model and the identity alone. */
  | Readonly<{ is: 'document'; body: Body }>

/** Executes a request of a batch, in its transaction. */
export type ExecutePlan<Body> = (
  plan: RequestPlan<Body>,
  context: AppContext<Body> & Readonly<{ open: UnitOfWork }>,
) => Awaitable<ApiResponse<Body>>

/**
 * Plans the requests of one endpoint: parses them, looks up names, and checks what needs no database.
 * @throws ApiError, ManyErrors: the errors of the path, the query and the document
 */
export type RequestPlanner = <Body>(
  request: ApiRequest,
  context: AppContext<Body>,
) => RequestPlan<Body>

/** What the response to a change of a relationship says. */
const linkMessages = {
  add: 'Relationship successfully created',
  remove: 'Relationship successfully updated',
  replace: 'Relationship successfully updated',
} as const

/** What the response to a deletion says. A trigger of the database may turn it into an update (docs/declaring/databases.md). */
const deleteMessages = {
  deleted: 'Object successfully deleted',
  kept: 'The database kept the object: a trigger or a rule replaced its deletion',
} as const

/** Executes a request that has been planned. @throws the errors of the database, and of hooks */
export function executePlan<Body>(
  plan: RequestPlan<Body>,
  request: ApiRequest,
  context: AppContext<Body>,
): Awaitable<ApiResponse<Body>> {
  switch (plan.is) {
    case 'read': {
      const { revalidation } = request
      const read = () => executeReadPlan(plan, request, context)
      // The functions of profiles depend on more than the database.
      return revalidation && !context.serializer.profiles?.meta
        ? revalidate(revalidation, plan.read, request, context, read)
        : read()
    }
    case 'write':
      return plan.taken
        ? createNew(plan.write.id, plan.taken, () =>
            executeWrite(plan.write, plan.response, context, request),
          )
        : executeWrite(plan.write, plan.response, context, request)
    case 'link':
      return executeRelationshipWrite(plan.write, context, request).then(() =>
        sayMessage(linkMessages[plan.change], context),
      )
    case 'delete':
      return executeDelete(plan.write, context, request).then((result) =>
        sayMessage(deleteMessages[result], context),
      )
    case 'action':
      return executeAction(plan.call, plan.respond, context, request)
    case 'operations':
      return plan.execute(request, context)
    case 'document':
      return { status: 200, body: plan.body }
  }
}

function executeReadPlan<Body>(
  plan: Extract<RequestPlan<Body>, { is: 'read' }>,
  request: ApiRequest,
  context: AppContext<Body>,
): Awaitable<ApiResponse<Body>> {
  if (plan.read.pending)
    return completeCursors(plan.read.pending, context, request).then((read) =>
      executeReadPlan({ ...plan, read }, request, context),
    )
  const { profiles } = context.serializer
  return thenMaybe(executeRead(plan.read, plan.id, context, request), (rows) => ({
    status: 200,
    body: plan.serialize(plan.read, rows),
    mediaType: (plan.read.page?.cursors ? profiles?.cursors : profiles?.other)?.mediaType,
    cacheControl: context.getCacheControl(plan.read.shape),
    version: rows.is === 'complete' ? plan.version?.(rows) : undefined,
  }))
}

/** Whether a request may change something. */
export function isWritePlan<Body>({ is }: RequestPlan<Body>): boolean {
  return is !== 'read' && is !== 'document'
}

/** Returns the plan of a write that also notes the id of the written resource. */
export function observeId<Body>(
  plan: RequestPlan<Body>,
  written: { id?: string },
): RequestPlan<Body> {
  if (plan.is !== 'write') return plan
  const { serialize } = plan.response
  const response: typeof plan.response = {
    ...plan.response,
    serialize: (read, rows, id) => {
      written.id = id
      return serialize(read, rows, id)
    },
  }
  return { ...plan, response }
}

/** Executes a create with `If-None-Match: *`. @throws TakenError (412) instead of `id_taken` (409) */
async function createNew<Result>(
  id: string | undefined,
  taken: VersionRead,
  create: () => Promise<Result>,
): Promise<Result> {
  try {
    return await create()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'id_taken') throw error
    throw new TakenError(error.message, id, taken)
  }
}

/** The id that a create demands is in use. Its version is not known before the transaction has ended: on PostgreSQL it reads nothing more. */
class TakenError extends VersionConflictError {
  readonly id: string | undefined
  readonly taken: VersionRead
  constructor(detail: string, id: string | undefined, taken: VersionRead) {
    super('already_exists', detail, undefined)
    this.name = 'VersionConflictError'
    this.id = id
    this.taken = taken
  }
}

/** Executes a request with `If-None-Match`. @throws what it throws, an `already_exists` with the version that the identity may read */
export async function nameTakenVersion<Result>(
  execute: () => Awaitable<Result>,
  context: LifecycleContext,
  request: ApiRequest,
): Promise<Result> {
  try {
    return await execute()
  } catch (error) {
    if (!(error instanceof TakenError) || error.id === undefined) throw error
    const version = await readVersion(error.id, error.taken, context, request)
    throw new VersionConflictError('already_exists', error.message, version)
  }
}

/** @returns `undefined` for a resource that the identity may not read, or that is gone */
async function readVersion(
  id: string,
  { read, getVersion }: VersionRead,
  context: LifecycleContext,
  request: ApiRequest,
): Promise<string | undefined> {
  try {
    const rows = await executeRead(read, id, context, request)
    const [row] = rows.is === 'complete' ? rows.primary : []
    return row && getVersion(row)
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/**
 * Reads the keys of cursors that are too long to be part of them.
 * @throws ParameterError `cursor_expired` (400) if a row is gone
 */
async function completeCursors<Body>(
  { reads, complete }: PendingCursors,
  context: AppContext<Body>,
  request: ApiRequest,
): Promise<ReadPlan> {
  const known = new Map<string, readonly KeyValue[]>()
  for (const [parameter, read] of reads) {
    const rows = await executeRead(read, undefined, context, request)
    const [row] = rows.is === 'complete' ? rows.primary : []
    if (row === undefined) throw cursorExpired(parameter)
    known.set(parameter, readKeys(row, { start: 1, count: read.shape.cursors?.keyCount ?? 0 }))
  }
  return complete(known)
}

function sayMessage<Body>(message: string, { serializer }: AppContext<Body>): ApiResponse<Body> {
  return { status: 200, body: serializer.serializeMessage(message) }
}
