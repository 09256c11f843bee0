import type { Awaitable } from '../model/declare/hooks.ts'
import { findRequest, measurePart, type ObservedRequest, partMeasured } from '../observe/events.ts'
import type { Preferences } from '../parse/prefer.ts'
import { thenMaybe } from '../sql/then-maybe.ts'
import type { AppContext } from './app-context.ts'
import { commitWithin, executeWithin, readWithin } from './deadline.ts'
import { executeRestricted } from './dry-run.ts'
import type { ApiRequest, ApiResponse } from './handler.ts'
import { executeIdempotent } from './idempotent-write.ts'
import { applyPreferences, checkPreferences } from './preferences.ts'
import {
  executePlan,
  isWritePlan,
  nameTakenVersion,
  type RequestPlan,
  type RequestPlanner,
} from './request-plan.ts'

/**
 * Plans and executes a request.
 * @param namesVersion - whether the caller completes the error of an id that is in use
 * @throws the errors of `RequestPlanner`, of the database, and of hooks
 */
export function handleRequest<Body>(
  planRequest: RequestPlanner,
  request: ApiRequest,
  context: AppContext<Body>,
  namesVersion = false,
): Awaitable<ApiResponse<Body>> {
  const { idempotency, preferences, deadline, conditions } = request
  if (conditions?.ifNoneMatch !== undefined && !namesVersion)
    return nameTakenVersion(
      () => handleRequest(planRequest, request, context, true),
      context,
      request,
    )
  if (preferences?.wait !== undefined && deadline === undefined)
    return executeWithin(preferences.wait, request, (limited) =>
      handleRequest(planRequest, limited, context, true),
    )
  const plan = partMeasured.hasSubscribers ? observePlan(planRequest) : planRequest
  if (idempotency === undefined && preferences === undefined)
    return executePlan(plan(request, context), request, context)
  // A dry run can be repeated.
  if (idempotency === undefined || preferences?.isDryRun)
    return executePreferred(plan(request, context), request, context)
  const write = {
    plan: () => plan(request, context),
    execute: (planned: RequestPlan<Body>, within: AppContext<Body>) =>
      executePreferred(planned, request, within),
  }
  return executeIdempotent(idempotency, write, request, context)
}

/** Executes a request with what its client prefers. */
function executePreferred<Body>(
  plan: RequestPlan<Body>,
  request: ApiRequest,
  context: AppContext<Body>,
): Awaitable<ApiResponse<Body>> {
  const { preferences } = request
  if (preferences === undefined) return executePlan(plan, request, context)
  checkPreferences(plan, preferences)
  const executed = executeInTime(plan, { ...request, preferences }, context)
  return thenMaybe(executed, (response) => applyPreferences(response, plan, preferences))
}

/** Executes a request as its client restricts it, before its deadline. */
function executeInTime<Body>(
  plan: RequestPlan<Body>,
  request: ApiRequest & Readonly<{ preferences: Preferences }>,
  context: AppContext<Body>,
): Awaitable<ApiResponse<Body>> {
  const { preferences, deadline } = request
  const { isDryRun, maxAffected } = preferences
  const isWrite = isWritePlan(plan)
  const isRestricted = isWrite && (isDryRun || maxAffected !== undefined)
  const execute = (within: AppContext<Body>) =>
    isRestricted
      ? executeRestricted(plan, request, within, preferences)
      : executePlan(plan, request, within)
  if (deadline === undefined) return execute(context)
  // A dry run commits nothing, and ends its own transaction.
  return isWrite && !isDryRun
    ? commitWithin(deadline, plan, request, context, execute)
    : readWithin(deadline, () => execute(context))
}

/** Makes the plans of requests measure themselves and their serialization, and keep what finds the indexes that a read lacks. */
function observePlan(planRequest: RequestPlanner): RequestPlanner {
  return (request, context) => {
    const observed = findRequest()
    if (observed === undefined) return planRequest(request, context)
    const plan = measurePart(observed, 'plan', () => planRequest(request, context))
    if (plan.is === 'read') {
      const { read, id } = plan
      observed.findIndexes = async () => {
        const { warnings } = await context.store.explain(read, id)
        return warnings.flatMap(({ fix }) => fix ?? [])
      }
    }
    return measureSerialization(plan, observed)
  }
}

function measureSerialization<Body>(
  plan: RequestPlan<Body>,
  observed: ObservedRequest,
): RequestPlan<Body> {
  const measure =
    <Values extends unknown[], Result>(serialize: (...values: Values) => Result) =>
    (...values: Values) =>
      measurePart(observed, 'serialize', () => serialize(...values))
  if (plan.is === 'read') return { ...plan, serialize: measure(plan.serialize) }
  if (plan.is !== 'write') return plan
  const { response } = plan
  return { ...plan, response: { ...response, serialize: measure(response.serialize) } }
}
