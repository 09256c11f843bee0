import { type AppContext, type AppOptions, createAppContext } from '../endpoints/app-context.ts'
import type { ApiRequest } from '../endpoints/handler.ts'
import { HiddenRouteError, listRoutes } from '../endpoints/protected-routes.ts'
import type { RequestPlan } from '../endpoints/request-plan.ts'
import type { ModelRoute, RoutePlanner } from '../endpoints/route-table.ts'
import { type ErrorList, getStatus, toErrorList } from '../errors/collector.ts'
import { createRouteNotFound } from '../http/headers.ts'
import { createMethodError, findMethod } from '../http/methods.ts'
import { createRouter } from '../http/router.ts'
import { checkCallRules } from '../lifecycle/action.ts'
import { computeAuthValue, type Operation } from '../model/declare/access.ts'
import { getRelationship, getResourceType, type Model } from '../model/model.ts'
import { AccessDenied } from '../plan/access/access-denied.ts'
import type { Identity } from '../plan/access/identity.ts'
import { collectConditions } from '../plan/affected-types.ts'
import { formatEdgePath } from '../plan/include.ts'
import type { ReadPlan, ReadShape } from '../plan/read.ts'
import { planCallTarget, type WritePlan } from '../plan/write.ts'
import { databases } from './databases.ts'
import { describeRule, type RuleDescription } from './describe-rule.ts'
import { type ExplainedRequest, toExplainedRequest } from './explain-read.ts'
import {
  type AppliedRule,
  explainRules,
  type ReadSubject,
  type RuleEffect,
} from './explain-rules.ts'
import { describeTenant, type TypeAccess } from './list-access.ts'

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

/** The request whose access rules are explained. */
export interface ExplainedAccessRequest extends ExplainedRequest {
  /** The document of a write. Default: one without attributes and members, whose missing values are not errors. */
  readonly body?: unknown
}

/**
 * Explains what the access rules do to a request, e.g. `PATCH /issues/1`: which rule allows or denies it, which rules restrict the rows
 * of its response, their conditions and SQL for the identity, and the fields that do not exist for it. It reads the rows that the
 * request names, and writes nothing. Hooks and validators do not run.
 *
 * @param options - the model, the store, and the prefix of the paths
 * @param line - the method and the URL or path; a URL alone is a GET
 * @throws ApiError `route_not_found` (404) and `method_not_allowed` (405); what a function of a rule throws
 */
export async function explainAccess(
  options: AppOptions,
  line: string,
  { auth, body, signal }: ExplainedAccessRequest = {},
): Promise<AccessExplanation> {
  const context = createAppContext(options)
  const [, method = 'GET', url = ''] = /^(?:([A-Z]+) +)?(.*)$/s.exec(line) ?? []
  const explained = toExplainedRequest(url, { auth, signal })
  const { route, id } = createRouter(listRoutes(context), options.prefix ?? '')(explained.target)
  const name = findMethod(route, method)
  const plan = name && route.planners[name]
  if (plan === undefined) throw createMethodError(route, method)
  const document = body ?? createPlaceholder(route, name, id)
  const request = {
    ...explained.request,
    id,
    body: new TextEncoder().encode(JSON.stringify(document)),
  }
  try {
    return await explainRequestAccess(plan, request, context, body !== undefined)
  } catch (error) {
    // The path leads over a relationship that does not exist for the identity.
    if (error instanceof HiddenRouteError) throw createRouteNotFound(explained.target)
    throw error
  }
}

/** Creates a document that is valid as far as no field is required. */
function createPlaceholder({ target }: ModelRoute, method: string | undefined, id: string): object {
  if (target.is === 'relationship') return { data: target.relationship.many ? [] : null }
  if (target.is === 'root') return {}
  const type = target.is === 'related' ? target.relationship.to : target.resource.type
  return { data: { type, ...(method === 'PATCH' && { id }) } }
}

/**
 * Explains what the access rules do to a request. The request is planned, and its checks run as statements that only read: hooks and
 * validators do not run, and nothing is written.
 *
 * @param isComplete - false if the body is only a placeholder, so that errors of its values say nothing
 */
async function explainRequestAccess(
  planRoute: RoutePlanner,
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
  const { identity, write } = work
  const { reads, writes } = await context.store.inspect(
    identity,
    (statements, run) => explainRules({ identity, reads: parts, write }, statements, run),
    { signal: request.signal },
  )
  const audience = { auth: request.auth, database: databases[context.store.dialect] }
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
  planRoute: RoutePlanner,
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
function findWork<Body>(
  plan: RequestPlan<Body>,
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
    case 'operations':
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

/** The first operation of a request on the database. */
interface RequestWork {
  readonly identity: Identity | undefined
  readonly read?: Readonly<{ read: ReadPlan; id: string | undefined }>
  readonly write?: WritePlan
}

/** A part of a request, and the type whose rows it reads. */
type RequestPart = ReadSubject & Readonly<{ part: string }>

/** Lists the parts of a request, in the order in which its rules are explained. */
function listRequestParts({ read, write }: RequestWork, model: Model): RequestPart[] {
  const parts = read ? listReadParts(read.read, read.id, model) : []
  if (write) parts.push(...listWriteParts(write))
  // A type may be reached several times over the same path.
  const known = new Map(parts.map((each) => [JSON.stringify(each), each]))
  return [...known.values()]
}

function listWriteParts({ precondition, existenceChecks }: WritePlan): RequestPart[] {
  return [
    ...(precondition
      ? [{ part: 'path', type: precondition.notFound.type, id: precondition.id }]
      : []),
    ...existenceChecks.map(({ type, id, pointer }) => ({ part: pointer, type, id })),
  ]
}

function listReadParts(
  { shape, notFound }: ReadPlan,
  id: string | undefined,
  model: Model,
): RequestPart[] {
  return [
    ...(id === undefined ? [] : [{ part: 'path', type: notFound.type, id }]),
    ...(shape.addressed.is === 'one' ? [] : [{ part: 'data', type: shape.type }]),
    ...shape.includeEdges.map(({ to }, at) => ({
      part: `include ${formatEdgePath(shape.includeEdges, at)}`,
      type: to,
    })),
    ...listLinkageParts(shape, model),
    ...listFilterParts(shape, model),
    ...listSortParts(shape, model),
  ]
}

function listLinkageParts({ primary, included }: ReadShape, model: Model): RequestPart[] {
  return [primary, ...included].flatMap(({ type, linkages }) =>
    linkages.map(({ relationship }) => ({
      part: `linkage ${type}.${relationship}`,
      type: getRelationship(getResourceType(model, type), relationship).to,
    })),
  )
}

function listFilterParts({ type, where }: ReadShape, model: Model): RequestPart[] {
  const conditions = collectConditions(where, getResourceType(model, type), model)
  return conditions.flatMap(([from, condition]) => {
    if (!('relationship' in condition)) return []
    const { relationship } = condition
    const part = `filter ${from.type}.${relationship}`
    return [{ part, type: getRelationship(from, relationship).to }]
  })
}

function listSortParts({ type, order }: ReadShape, model: Model): RequestPart[] {
  return order.flatMap(({ path, field, isCount }) => {
    let from = getResourceType(model, type)
    return (isCount ? [...path, field] : path).map((name) => {
      const part = `sort ${from.type}.${name}`
      from = getResourceType(model, getRelationship(from, name).to)
      return { part, type: from.type }
    })
  })
}
