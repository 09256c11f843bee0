import {
  attempt,
  type ErrorCollector,
  type ErrorList,
  emptyCollector,
  hasErrors,
  noErrors,
  report,
  reportAll,
  throwErrors,
} from '../errors/collector.ts'
import { BodyError, ParameterError, pointerToken } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { formatIfMatch } from '../model/declare/if-match.ts'
import { isObject } from '../model/kinds/json.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { findRelationship, operationsPath } from '../model/model.ts'
import type { FindLocalId } from '../parse/local-ids.ts'
import {
  type OperationsDocument,
  type ParsedOperation,
  parseLocalId,
  parseOperation,
  parseOperationsDocument,
} from '../parse/operations.ts'
import { parseQuery } from '../parse/query.ts'
import { AccessDenied, createForbidden } from '../plan/access/access-denied.ts'
import { findRowCondition, type Identity } from '../plan/access/identity.ts'
import { planFields } from '../plan/fields.ts'
import type { Planner } from '../plan/planner.ts'
import { bindIdentity, toIdentity } from './access-views.ts'
import type { AppContext } from './app-context.ts'
import {
  executeOperations,
  type PlannedOperation,
  type PlanStep,
  toResultContext,
} from './execute-operations.ts'
import { handleRequest } from './handle-request.ts'
import type { ApiRequest } from './handler.ts'
import { LocalIdTable, type LookUp, splitOwnReferences } from './local-id-table.ts'
import { locateError, locateErrors, type OperationLocation } from './operation-errors.ts'
import {
  type EndpointIndex,
  findOperationTarget,
  indexEndpoints,
  type OperationTarget,
  type TargetContext,
} from './operation-targets.ts'
import { reportDeniedAccess } from './report-denied-access.ts'
import type { RequestPlan, RequestPlanner } from './request-plan.ts'
import { listEndpoints, type Route } from './route-table.ts'

/** An operation whose target has been found. */
interface TargetedOperation {
  readonly operation: ParsedOperation
  readonly target: OperationTarget
  readonly location: OperationLocation
  /** The local id of the resource that it creates. */
  readonly lid: string | undefined
}

/** What the plans of the operations of a request share. */
interface Planning<Body> {
  readonly request: ApiRequest
  readonly context: AppContext<Body>
  readonly targets: TargetContext
  readonly table: LocalIdTable
  /** The rules of the request; absent in a model without access rules. */
  readonly identity: Identity | undefined
}

/**
 * `POST /operations`: several writes in one transaction. Each is planned and executed by the endpoint of a request of its own.
 * @see https://jsonapi.org/ext/atomic
 */
export function createOperationsPlanner(planner: Planner): RequestPlanner {
  const { atomic } = planner.model
  if (atomic === undefined) throw new Error('The model has no atomic operations.')
  let endpoints: EndpointIndex | undefined
  return (request, context) => {
    endpoints ??= indexEndpoints(listEndpoints(planner))
    checkFieldsOnly(request.search, planner)
    const parsed = parseOperationsDocument(request.body, atomic.maxOperations)
    const targets: TargetContext = {
      ...{ endpoints, model: planner.model, allowsActions: atomic.actions },
      ...{ origin: request.origin, prefix: context.prefix, findPath: context.findPath },
    }
    const found: FoundErrors = new Map()
    const targeted = findTargets(parsed, targets, found)
    const planned = planOperations(targeted, { request, context, targets }, found)
    throwFound(found, parsed.operations.length)
    return {
      is: 'operations',
      plans: planned.flatMap(({ steps: [first] }) => (first ? [first.planned] : [])),
      checkEach: (check) => checkOperations(planned, check),
      execute: (sent, within, executeOne) =>
        executeOperations(planned, { request: sent, executeOne }, within),
    }
  }
}

function checkOperations<Body>(
  operations: readonly PlannedOperation<Body>[],
  check: (plan: RequestPlan<Body>) => void,
): void {
  for (const { steps, location } of operations)
    try {
      for (const { planned } of steps) check(planned)
    } catch (error) {
      throw locateError(error, location)
    }
}

/** The errors of operations, by their index. */
type FoundErrors = Map<number, ErrorList>

/** Throws the errors of all operations, in their order. @throws ApiError | ManyErrors */
function throwFound(found: FoundErrors, count: number): void {
  const errors = emptyCollector()
  for (let index = 0; index < count; index += 1) reportAll(errors, found.get(index) ?? noErrors)
  throwErrors(errors)
}

/** @throws ApiError | ManyErrors (400) for every parameter but `fields` */
function checkFieldsOnly(search: string, { model }: Planner): void {
  const { pairs, fields, errors } = parseQuery(search)
  const others = pairs.filter(([name]) => !/^fields\[/.test(name))
  const collected = emptyCollector()
  for (const [name] of others)
    report(collected, () => {
      const detail = `The parameter ${quote(name)} is not allowed here; only fields[<type>] is.`
      return new ParameterError('unknown_parameter', name, detail)
    })
  if (others.length === 0) reportAll(collected, errors)
  throwErrors(collected)
  planFields(fields, model)
}

/** Parses the operations and finds what they are about. An operation with an error is missing. */
function findTargets(
  { document, operations }: OperationsDocument,
  targets: TargetContext,
  errors: FoundErrors,
): readonly TargetedOperation[] {
  const targeted: TargetedOperation[] = []
  for (const [index, json] of operations.entries()) {
    const found = emptyCollector()
    const operation = parseOperation(json, found)
    const addressed = operation && attempt(() => findTarget(operation, targets), found)
    const location: OperationLocation = {
      index,
      document,
      target: `/${operation?.target.is ?? ''}`,
      body: addressed?.target.target.is === 'action' ? '/data' : '',
      hasCondition: operation?.ifMatch !== undefined,
    }
    addErrors(found, location, errors)
    if (addressed) targeted.push({ ...addressed, location })
  }
  return targeted
}

/** Adds what was found in an operation to the errors of all. */
function addErrors(found: ErrorList, location: OperationLocation, errors: FoundErrors): void {
  if (hasErrors(found)) errors.set(location.index, locateErrors(found, location))
}

/** @throws ApiError whose pointer is one from the operation */
function findTarget(
  operation: ParsedOperation,
  targets: TargetContext,
): Omit<TargetedOperation, 'location'> {
  const target = findOperationTarget(operation, targets)
  const { is } = target.target
  const { op, hasData, data } = operation
  const isRemoval = op === 'remove' && is === 'resource'
  if (isRemoval && hasData) {
    const detail = 'A remove of a resource has no data; remove the member "data".'
    throw new BodyError('invalid_operation', '/data', detail)
  }
  if (!isRemoval && !hasData && is !== 'action')
    throw new BodyError('invalid_operation', '', 'The operation must have the member "data".')
  const isCreate = is === 'collection' || is === 'related'
  const sent = isCreate && isObject(data) ? data.lid : undefined
  const lid = sent === undefined ? undefined : parseLocalId(sent, '/data/lid')
  return { operation, target, lid }
}

/** Plans all operations, and collects all errors of their documents. */
function planOperations<Body>(
  targeted: readonly TargetedOperation[],
  { request, context, targets }: Pick<Planning<Body>, 'request' | 'context' | 'targets'>,
  errors: FoundErrors,
): readonly PlannedOperation<Body>[] {
  const { findView } = context
  const table = new LocalIdTable()
  const planning: Planning<Body> = {
    ...{ request, targets, table },
    context: toResultContext(context),
    identity: findView && toIdentity(findView(request.auth), request.auth),
  }
  const repeated = targeted.map((each) => introduce(each, table))
  return targeted.map((each, index) => {
    const { location } = each
    const found = emptyCollector()
    reportAll(found, repeated[index] ?? noErrors)
    const steps = attempt(() => planSteps(each, planning, found), found) ?? []
    addErrors(found, location, errors)
    return { location, steps }
  })
}

/** Adds the local id of a new resource to those that later operations may use. @returns the error of one that is there already */
function introduce(
  { lid, operation: { data }, location: { index } }: TargetedOperation,
  table: LocalIdTable,
): ErrorList {
  const repeated =
    lid !== undefined && isObject(data)
      ? table.add({ index, type: String(data.type), lid })
      : undefined
  return repeated ? { errors: [repeated], more: 0 } : noErrors
}

/** Plans the writes of an operation. @throws ApiError | ManyErrors */
function planSteps<Body>(
  targeted: TargetedOperation,
  planning: Planning<Body>,
  errors: ErrorCollector,
): readonly PlanStep<Body>[] {
  const { operation, lid } = targeted
  const { data } = operation
  const type = isObject(data) ? String(data.type) : ''
  const split = lid !== undefined && isObject(data) && splitOwnReferences(data, { type, lid })
  if (!split || split.own === undefined) return [planStep(targeted, planning, errors)]
  checkOwnReferences(Object.keys(split.own), type, planning)
  const first = { ...targeted, operation: { ...operation, data: split.data } }
  const ref = { type, lid, id: undefined, relationship: undefined }
  const update: ParsedOperation = {
    ...{ op: 'update', target: { is: 'ref', ref }, hasData: true, ifMatch: undefined },
    data: { type, lid, relationships: split.own },
  }
  const target = findOperationTarget(update, planning.targets)
  const second = { ...targeted, operation: update, target }
  // The condition of the request is about the create.
  const { conditions: _, ...request } = planning.request
  const completing = { ...planning, request: { ...request, isPart: true } }
  return [planStep(first, planning, errors), planStep(second, completing, errors)]
}

/** Checks the relationships in which a new resource names itself: they are null until its row is there. @throws BodyError (422) */
function checkOwnReferences<Body>(
  names: readonly string[],
  type: string,
  { targets: { model } }: Planning<Body>,
): void {
  const resource = model.types.get(type)
  for (const name of names) {
    const field = resource && findRelationship(resource, name)
    if (field === undefined || field.many || (field.acceptsNull && !field.required)) continue
    const detail = `"${name}" must not be null, so a new resource cannot reference itself; create it with another one, and replace that by a later operation.`
    throw new BodyError('invalid_value', `/data/relationships${pointerToken(name)}/data`, detail)
  }
}

/** Plans one write. It is planned again with the ids that it names, when they are known. @throws ApiError | ManyErrors */
function planStep<Body>(
  targeted: TargetedOperation,
  planning: Planning<Body>,
  errors: ErrorCollector,
): PlanStep<Body> {
  const { operation, lid, location } = targeted
  const lookUp: LookUp = {
    at: location.index,
    mayNameOwn: lid !== undefined && operation.op === 'update',
    known: undefined,
    named: -1,
  }
  const planned = planWith(lookUp, targeted, planning)
  reportAll(errors, findPlanErrors(planned, planning.identity))
  const { named } = lookUp
  return named < 0 ? { planned, named } : planLater({ planned, lookUp }, targeted, planning)
}

/** Apart from `planStep`, which runs for every operation: most name no new resource, and need no function that plans again. */
function planLater<Body>(
  { planned, lookUp }: Readonly<{ planned: RequestPlan<Body>; lookUp: LookUp }>,
  targeted: TargetedOperation,
  planning: Planning<Body>,
): PlanStep<Body> {
  const { named } = lookUp
  return { planned, named, plan: (known) => planWith({ ...lookUp, known }, targeted, planning) }
}

function planWith<Body>(
  lookUp: LookUp,
  targeted: TargetedOperation,
  { request, context, table }: Planning<Body>,
): RequestPlan<Body> {
  const { target } = targeted
  return target.plan(formatRequest(targeted, request, table.createFinder(lookUp)), context)
}

/** Formats an operation as the request to its endpoint. @throws BodyError `unknown_lid` (400) */
function formatRequest(
  { operation, target: { target, id, local } }: Pick<TargetedOperation, 'operation' | 'target'>,
  request: ApiRequest,
  findLocalId: FindLocalId,
): ApiRequest {
  const { op, data, links, meta, hasData, ifMatch } = operation
  const showsResource = target.is !== 'relationship' && op !== 'remove'
  const isAction = target.is === 'action'
  const returns = isAction ? target.action.action.returns : undefined
  const showsFields = isAction ? returns !== undefined && !('meta' in returns) : showsResource
  // What is no document is an error of the parser of the action.
  const call = hasData ? (data as ApiRequest['body']) : noBody
  // Without a copy for each part, as for each operation of a large batch this would be a part of its cost.
  const formatted: ApiRequest = {
    ...request,
    id,
    search: showsFields ? request.search : '',
    body: isAction ? call : hasData ? { data, links, meta, findLocalId } : noBody,
  }
  if (local === undefined && ifMatch === undefined) return formatted
  return {
    ...formatted,
    ...(local && findLocal(local, findLocalId)),
    ...(ifMatch !== undefined && { conditions: { ifMatch: formatIfMatch(ifMatch) } }),
  }
}

/** Finds the resource that an operation names by its local id. @throws BodyError `unknown_lid` (400) */
function findLocal(
  local: NonNullable<OperationTarget['local']>,
  findLocalId: FindLocalId,
): Pick<ApiRequest, 'id' | 'inserted' | 'lid'> {
  const errors = emptyCollector()
  const found = findLocalId(local, errors)
  throwErrors(errors)
  return { id: '', ...found, lid: local.lid }
}

const noBody = new Uint8Array()

/** The errors of a plan. Who may write no row of a type learns that first, as by a request of its own. */
function findPlanErrors<Body>(plan: RequestPlan<Body>, identity: Identity | undefined): ErrorList {
  if (plan.is !== 'write' && plan.is !== 'link') return noErrors
  const { errors, operation, shape } = plan.write
  if (!hasErrors(errors) || operation === undefined || operation === 'relate') return errors
  const { type } = shape
  if (findRowCondition(identity?.rules, type, operation) !== false) return errors
  return { errors: [createForbidden(new AccessDenied(operation, { type }))], more: 0 }
}

/** Returns the route of several writes in one transaction; none for a model without it. */
export function listOperationsRoutes({ planner }: AppContext): readonly Route[] {
  if (planner.model.atomic === undefined) return []
  const getEndpoint = memoizeByIdentity(createOperationsPlanner)
  const route: Route = {
    path: operationsPath,
    readOnlyMethods: [],
    isAtomic: true,
    methods: {
      POST: (request, context) => {
        const { auth } = request
        const view = context.findView?.(auth)
        const bound = view ? bindIdentity(context, view, auth) : context
        const endpoint = getEndpoint(view?.planner ?? context.planner)
        return reportDeniedAccess(request, () => handleRequest(endpoint, request, bound))
      },
    },
  }
  return [route]
}
