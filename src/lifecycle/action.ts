import { HttpError, VersionConflictError } from '../errors/errors.ts'
import { type ActionCalls, type ActionContext, isCallable } from '../model/declare/action.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import { joinId } from '../model/kinds/composite-ids.ts'
import { getResourceType, type ResourceType } from '../model/model.ts'
import { AccessDenied, createForbidden } from '../plan/access/access-denied.ts'
import { findRowCondition, type Identity } from '../plan/access/identity.ts'
import type { NamedAction } from '../plan/action.ts'
import { normalizeId } from '../plan/path-id.ts'
import type { VersionCondition } from '../plan/version-condition.ts'
import { planCallTarget } from '../plan/write.ts'
import { actionConstraintError, reportConstraintErrors } from '../sql/write/constraints.ts'
import type { LifecycleContext } from './context.ts'
import { createHookContext } from './hook-context.ts'
import { executeInTransaction } from './transaction.ts'
import type { OpenTransaction, UnitOfWork } from './unit-of-work.ts'

/** The calls of an API in a transaction that is open. `close` accepts no more calls, and waits for those that were made. */
interface OpenedCalls {
  readonly tx: ActionCalls
  readonly close: () => Promise<void>
}

/** Opens the calls of an API in a transaction. */
export type OpenCalls = (open: OpenTransaction, request: RequestContext) => OpenedCalls

/** The call of an action. */
export interface ActionCall extends NamedAction {
  readonly resource: ResourceType
  /** Absent for an action of a collection. */
  readonly id: string | undefined
  readonly parameters: Readonly<Record<string, unknown>>
  /** What the request demands of the version of the resource; absent if it demands nothing. */
  readonly condition?: VersionCondition | undefined
}

/** The result of an action: ids of the resources that it returns, or members of `meta`. */
export type ActionResultValues =
  | Readonly<{ is: 'resources'; ids: readonly string[] }>
  | Readonly<{ is: 'meta'; values: Readonly<Record<string, unknown>> }>
  | Readonly<{ is: 'nothing' }>

/** The dependencies of actions. */
export interface ActionDependencies extends LifecycleContext {
  readonly openCalls?: OpenCalls
}

/**
 * Executes an action in one transaction: checks the resource in the path and the access rules, runs the action, and serializes the
 * response.
 *
 * @param respond - runs in the transaction: when it throws, the transaction is rolled back
 * @throws NotFoundError for the resource in the path; ApiError `forbidden` (403); what the action throws
 */
export function executeAction<Result>(
  call: ActionCall,
  respond: (result: ActionResultValues, unit: UnitOfWork) => Promise<Result>,
  context: ActionDependencies,
  request: RequestContext,
): Promise<Result> {
  return executeInTransaction(context, request, async (unit) => {
    await checkCall(call, unit)
    const returned = await reportConstraintErrors(
      () => runAction(call, unit, context),
      (error) => actionConstraintError(error, call.resource),
    )
    return respond(readReturned(call, returned, unit), unit)
  })
}

/** @throws NotFoundError, ApiError `forbidden` (403) */
async function checkCall(call: ActionCall, unit: UnitOfWork): Promise<void> {
  const { resource, id } = call
  const { planner, transaction, request } = unit
  const checkRules = () => checkCallRules(call, transaction.identity, request.auth)
  if (id !== undefined) {
    const { condition } = call
    const target = planCallTarget(planner, resource, id)
    try {
      await transaction.checkPreconditions({ ...target, ...(condition && { condition }) })
    } catch (error) {
      // Who may not call the action learns nothing of the version.
      if (error instanceof VersionConflictError) checkRules()
      throw error
    }
  }
  checkRules()
}

/** Checks the rules of a call that no row decides. @throws ApiError `forbidden` (403) */
export function checkCallRules(
  { resource: { type }, action, name, id }: ActionCall,
  identity: Identity | undefined,
  auth: unknown,
): void {
  if (id === undefined && findRowCondition(identity?.rules, type, 'call') !== true)
    throw createForbidden(new AccessDenied('call', { type }))
  if (isCallable(action, auth)) return
  const rule = `${type}.actions.${name}.callable`
  throw createForbidden(new AccessDenied('call', { type, id, rule }))
}

/** @returns what `run` returned, or the rows of the SQL */
async function runAction(
  { resource, action, id, parameters }: ActionCall,
  unit: UnitOfWork,
  { openCalls }: ActionDependencies,
): Promise<unknown> {
  const { transaction, request } = unit
  const rows = await transaction.callAction(action, resource, { id, parameters })
  if (rows !== undefined)
    return rows.map((row) => toId(Object.values(row), resource.id.parts.length))
  if (openCalls === undefined) throw new Error('The context of an action has no calls.')
  const { tx, close } = openCalls(unit, request)
  try {
    const context = createHookContext(request, transaction.query, resource)
    // The declaration names the types of the parameters and of the auth context.
    const call = Object.assign(context, { id, parameters, tx }) as unknown as ActionContext
    return await unit.planner.model.transactionScope.run(() => action.run?.(call))
  } finally {
    await close()
  }
}

/** The id in the first columns of a row. */
function toId(values: readonly unknown[], columns: number): string {
  return joinId(values.slice(0, columns).map(String))
}

/** Checks what an action returned. @throws Error if it is not what the declaration says */
function readReturned(
  { resource, name, action: { returns, sql } }: ActionCall,
  returned: unknown,
  { planner }: UnitOfWork,
): ActionResultValues {
  if (returns === undefined) return { is: 'nothing' }
  const fail = (expected: string) =>
    new Error(`The action ${resource.type}.actions.${name} must return ${expected}.`)
  if ('meta' in returns) {
    if (typeof returned !== 'object' || returned === null) throw fail('the members of meta')
    return { is: 'meta', values: readMeta(returns.meta, { ...returned }, fail) }
  }
  const isOne = 'resource' in returns
  const target = getResourceType(planner.model, isOne ? returns.resource : returns.resources)
  const list: unknown = isOne && !sql ? [returned] : returned
  const ids = Array.isArray(list)
    ? list.map((id) => (typeof id === 'string' ? normalizeId(target, id) : undefined))
    : [undefined]
  if (isOne && ids.length === 0)
    throw new HttpError(
      'not_stored',
      `The action ${name} returned no resource of type ${target.type}.`,
    )
  if (ids.every((id) => id !== undefined)) return { is: 'resources', ids }
  throw fail(
    isOne ? `the id of a resource of type ${target.type}` : `an array of ids of ${target.type}`,
  )
}

type MetaKinds = Extract<NonNullable<NamedAction['action']['returns']>, { meta: unknown }>['meta']

function readMeta(
  kinds: MetaKinds,
  returned: Readonly<Record<string, unknown>>,
  fail: (expected: string) => Error,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(kinds).map(([name, kind]) => {
    const value = returned[name] ?? null
    if (value === null) return [name, null] as const
    const read = kind.readBody(value)
    if ('value' in read) return [name, read.value] as const
    throw fail(`${name} as ${read.expected}`)
  })
  return Object.fromEntries(entries)
}
