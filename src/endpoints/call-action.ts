import { ParameterError } from '../errors/errors.ts'
import type { ActionCall, ActionResultValues } from '../lifecycle/action.ts'
import { readInTransaction } from '../lifecycle/read.ts'
import { readResponse } from '../lifecycle/write.ts'
import { actionMessage } from '../model/declare/action.ts'
import type { ResourceType } from '../model/model.ts'
import { getResourceType } from '../model/model.ts'
import { parseActionParameters } from '../parse/body.ts'
import { type ParsedQuery, parseQuery } from '../parse/query.ts'
import { type NamedAction, planParameters } from '../plan/action.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { checkNoParameters, planCollection, planResponse, type ReadPlan } from '../plan/read.ts'
import type { CompleteRows } from '../plan/read-result.ts'
import { checkListCondition, getRowVersion, planCondition } from '../plan/version-condition.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest } from './handler.ts'
import { checkIdempotencyKey } from './idempotency-keys.ts'
import { formatActionPath } from './paths.ts'
import type { RequestPlan, RequestPlanner } from './request-plan.ts'

/** Responds to an action with its result. Created before the action runs, so that it has checked the query of the request. */
type Respond = <Body>(
  call: ActionCall,
  request: ApiRequest,
  context: AppContext<Body>,
) => Extract<RequestPlan<Body>, { is: 'action' }>['respond']

/** `POST /issues/1/actions/close`, and `POST /issues/actions/import` for an action of the collection. */
export function callAction(
  planner: Planner,
  resource: ResourceType,
  named: NamedAction,
): RequestPlanner {
  const prepare = cachePlans((search) => createRespond(planner, named, parseQuery(search)))
  return (request, context) => {
    const isOfResource = named.action.on === 'resource'
    const id = isOfResource
      ? request.inserted
        ? request.id
        : parsePathId(resource, request.id)
      : undefined
    const { idempotency } = named.action
    const isRequired = idempotency ? idempotency === 'required' : resource.requiresIdempotencyKey
    if (isRequired) checkIdempotencyKey(request, context.open)
    const respond = prepare(request.search)
    const parameters = planParameters(named, parseActionParameters(request.body))
    const { conditions } = request
    if (id === undefined && conditions !== undefined) checkListCondition(conditions)
    const condition =
      id !== undefined && conditions !== undefined
        ? planCondition(planner, { resource, id, mayBeRequired: false }, conditions)
        : undefined
    const call = { ...named, resource, id, parameters, condition }
    return { is: 'action', call, respond: respond(call, request, context) }
  }
}

/** @throws ApiError | ManyErrors (400) with the errors of the query */
function createRespond(planner: Planner, { action }: NamedAction, query: ParsedQuery): Respond {
  const { returns } = action
  if (returns !== undefined && 'resource' in returns)
    return respondWithResource(planner, getResourceType(planner.model, returns.resource), query)
  if (returns !== undefined && 'resources' in returns)
    return respondWithResources(planner, getResourceType(planner.model, returns.resources), query)
  checkNoParameters(query)
  return (_call, _request, { serializer }) =>
    async (result) => ({
      status: 200,
      body:
        returns && result.is === 'meta'
          ? serializer.serializeMeta(result.values, returns.meta)
          : serializer.serializeMessage(actionMessage),
    })
}

function respondWithResource(
  planner: Planner,
  resource: ResourceType,
  query: ParsedQuery,
): Respond {
  const plan = planResponse(planner, query, resource)
  return (call, request, context) => {
    const path = formatActionPath(context.prefix, call)
    return (result, unit) => {
      const [id = ''] = listIds(result)
      const serialize = (read: ReadPlan, rows: CompleteRows) => ({
        status: 200,
        body: context.serializer.serializeResource(read, rows, path),
        version: getRowVersion(planner, read, rows),
      })
      const readHooks = context.bindReadHooks?.(plan, request)
      return readResponse({ plan, serialize, isReturned: true }, id, unit, { resource, readHooks })
    }
  }
}

/** Those of the returned resources that the request may read, in one list without pages. */
function respondWithResources(
  planner: Planner,
  resource: ResourceType,
  query: ParsedQuery,
): Respond {
  if (Object.keys(query.page).length > 0)
    throw new ParameterError('invalid_page', 'page', 'The result of an action has no pages.')
  const unbounded = { ...planner, model: { ...planner.model, maxPageSize: undefined } }
  const listed = { ...resource, pages: { ...resource.pages, by: 'number' as const } }
  const planFor = (ids: readonly string[]) => {
    const filter = [
      ...(query.filter ?? []),
      {
        is: 'predicate',
        location: { parameter: 'filter', path: '' },
        name: 'id',
        operator: 'in_',
        operand: { is: 'value', value: ids },
      } as const,
    ]
    return planCollection(unbounded, { ...query, filter, page: { size: 0 } }, { resource: listed })
  }
  planFor([])
  return (call, request, context) => {
    const linkBase = { origin: request.origin, path: formatActionPath(context.prefix, call) }
    return async (result, unit) => {
      const plan = planFor(listIds(result))
      const hooks = context.bindReadHooks?.(plan, request)
      const rows = await readInTransaction(unit.transaction, plan, undefined, hooks)
      return { status: 200, body: context.serializer.serializeCollection(plan, rows, linkBase) }
    }
  }
}

function listIds(result: ActionResultValues): readonly string[] {
  return result.is === 'resources' ? result.ids : []
}
