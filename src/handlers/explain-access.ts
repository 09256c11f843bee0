import { type ErrorList, getStatus, toErrorList } from '../errors/collector.ts'
import { checkCallRules } from '../lifecycle/action.ts'
import { computeAuthValue, type Operation } from '../model/access.ts'
import { getResourceType, type Model } from '../model/model.ts'
import { AccessDenied } from '../plan/access/access-denied.ts'
import type { Identity } from '../plan/access/identity.ts'
import { planCallTarget, type WritePlan } from '../plan/write.ts'
import { describeRule, type RuleDescription } from '../store/access/describe-rule.ts'
import type { AppliedRule, RuleEffect } from '../store/access/explain-access.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest } from './handler.ts'
import { describeTenant, type TypeAccess } from './list-access.ts'
import { listRequestParts, type RequestWork } from './request-parts.ts'
import type { RequestPlan } from './request-plan.ts'
import type { PlanRoute } from './route-table.ts'

/** A rule that applies to a request, and what it does. */
export interface ExplainedRule {
  /** The part of the request that it applies to, e.g. `path`, `include author` or `/data/relationships/project`. */
  readonly part: string
  readonly type: string
  readonly operation: Operation
  /** The path of the rule in the declarations. An operation may be open or closed without one. */
  readonly rule: string
  /** The rows that it allows for the identity. */
  readonly rows: RuleDescription
  /** The SQL of a condition on the row `t0`; absent if the rule allows all rows or none. */
  readonly sql?: string
  /** The values that the SQL binds, as JSON. */
  readonly parameters: readonly string[]
  readonly effect: RuleEffect
}

/** An error of a request, as its response would have it. */
export interface ExplainedError {
  readonly status: number
  readonly code: string
  readonly detail: string
  /** The path of the rule that denied a part of the request; absent for any other error. */
  readonly rule?: string
}

/** What the access rules do to a request. */
export interface AccessExplanation {
  /** The status of the response, if the rules or the names of the request decide it; otherwise `undefined`. */
  readonly status: number | undefined
  readonly errors: readonly ExplainedError[]
  readonly rules: readonly ExplainedRule[]
  /** The fields that do not exist for the identity, by type. */
  readonly hidden: Readonly<Record<string, readonly string[]>>
  /** The values that the server sets in the new resource, by field. */
  readonly set: Readonly<Record<string, unknown>>
  /** The tenant to whose rows the types of the request are restricted; absent without one. */
  readonly tenant?: TypeAccess['tenant']
}

/**
 * Explains what the access rules do to a request. The request is planned, and its checks run as statements that only read: hooks and
 * validators do not run, and nothing is written.
 *
 * @param isComplete - false if the body is only a placeholder, so that errors of its values say nothing
 */
export async function explainRequestAccess(
  planRoute: PlanRoute,
  request: ApiRequest,
  context: AppContext,
  isComplete: boolean,
): Promise<AccessExplanation> {
  const { work, thrown } = planWork(planRoute, request, context)
  const { model } = context.planner
  const failed = thrown ?? (isComplete ? work?.write?.errors : listDenied(work?.write))
  const errors = toExplainedErrors(failed)
  if (work === undefined) {
    const status = thrown && getStatus(thrown)
    const hidden = listHidden([...model.types.keys()], context, request.auth)
    return { status, errors, rules: [], hidden, set: {} }
  }
  const parts = listRequestParts(work, model)
  const { reads, writes } = await context.store.explainAccess(
    { identity: work.identity, reads: parts, write: work.write },
    { signal: request.signal },
  )
  const audience = { auth: request.auth, dialect: context.store.dialect }
  const explain = ({ condition, pointer, ...rule }: AppliedRule, part = pointer ?? 'path') => {
    return { part, ...rule, rows: describeRule(condition, audience) }
  }
  const rules = [
    ...reads.map((rule, index) => explain(rule, parts[index]?.part)),
    ...writes.map((rule) => explain(rule)),
  ]
  const types = [...new Set(rules.map(({ type }) => type))]
  return {
    status:
      findStatus(rules, work) ?? (failed && errors.length > 0 ? getStatus(failed) : undefined),
    errors,
    rules,
    hidden: listHidden(types, context, request.auth),
    set: listSetValues(work, model, request.auth),
    ...Object.assign({}, ...types.map((type) => describeTenant(model, type, request.auth))),
  }
}

/** Lists the errors of a write that do not depend on the values of its body. */
function listDenied(write: WritePlan | undefined): ErrorList {
  const errors = write?.errors.errors.filter(({ cause }) => cause instanceof AccessDenied) ?? []
  return { errors, more: 0 }
}

/** Plans a request, and returns its first operation on the database, or the errors that need no database. */
function planWork(
  planRoute: PlanRoute,
  request: ApiRequest,
  context: AppContext,
): Readonly<{ work?: RequestWork | undefined; thrown?: ErrorList }> {
  try {
    const { plan, identity } = planRoute(request, context)
    return { work: findWork(plan, identity, request, context) }
  } catch (error) {
    const thrown = toErrorList(error)
    if (thrown === undefined) throw error
    return { thrown }
  }
}

/**
 * @returns `undefined` for a request whose rules are decided without rows
 * @throws ApiError `forbidden` (403) for an action of a collection
 */
function findWork(
  plan: RequestPlan<unknown>,
  identity: Identity | undefined,
  { auth }: ApiRequest,
  { planner }: AppContext,
): RequestWork | undefined {
  switch (plan.is) {
    case 'read':
      return { identity, read: plan }
    case 'write':
    case 'link':
    case 'delete':
      return { identity, write: plan.write }
    case 'action': {
      const { call } = plan
      if (call.id !== undefined)
        return { identity, write: planCallTarget(planner, call.resource, call.id) }
      checkCallRules(call, identity, auth)
      return undefined
    }
    case 'document':
      return undefined
  }
}

/** The status that the rules decide: 404 for a resource that does not exist for the identity, then 403. */
function findStatus(rules: readonly ExplainedRule[], { read }: RequestWork): number | undefined {
  if (rules.some(({ effect, part }) => effect === 'not found' && part === 'path')) return 404
  // A read is restricted to no rows, and is not denied.
  const isDenied = read === undefined && rules.some(({ effect }) => effect === 'denied')
  if (isDenied) return 403
  return rules.some(({ effect }) => effect === 'not found') ? 404 : undefined
}

function listHidden(
  types: readonly string[],
  { findView }: AppContext,
  auth: unknown,
): AccessExplanation['hidden'] {
  const view = findView?.(auth)
  return Object.fromEntries(
    types.flatMap((type) => {
      const names = [...(view?.shape.rules.hiddenFields.get(type) ?? [])]
      return names.length === 0 ? [] : [[type, names]]
    }),
  )
}

function listSetValues(
  { write }: RequestWork,
  model: Model,
  auth: unknown,
): AccessExplanation['set'] {
  if (write?.operation !== 'create') return {}
  const { fields } = getResourceType(model, write.shape.type)
  return Object.fromEntries(
    [...fields.values()].flatMap((field) =>
      field.is !== 'computed' && field.set
        ? [[field.name, computeAuthValue(field.set, auth) ?? null]]
        : [],
    ),
  )
}

function toExplainedErrors(failed: ErrorList | undefined): ExplainedError[] {
  return (failed?.errors ?? []).map(({ status, code, message, cause }) => ({
    ...{ status, code, detail: message },
    ...(cause instanceof AccessDenied && { rule: cause.rule }),
  }))
}
