import type { FindPath } from '../endpoints/paths.ts'
import { createOperationsPlanner } from '../endpoints/plan-operations.ts'
import type { RequestPlanner } from '../endpoints/request-plan.ts'
import { HttpError } from '../errors/errors.ts'
import type { DryRun } from '../model/declare/restricted-writes.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import type { Model } from '../model/model.ts'
import { type BatchType, recordBatch } from '../parse/format-operations.ts'
import { formatQuery } from '../parse/format-query.ts'
import type { Planner } from '../plan/planner.ts'
import { checkArguments } from './check-arguments.ts'
import type { EndpointFinder } from './endpoints.ts'
import {
  type CallRequest,
  formatKey,
  type RepeatableQuery,
  restrict,
  toInputType,
} from './operations.ts'

/** The options of a batch, without the types that follow from the declarations. */
type UntypedOptions = Pick<RepeatableQuery, 'fields' | 'idempotencyKey' | 'dryRun' | 'maxAffected'>

/** Runs the operations that a function adds, in one transaction. */
type Atomic = (work: unknown, options?: UntypedOptions) => Promise<unknown>

/** What a batch calls. */
interface AtomicTargets {
  readonly find: EndpointFinder
  readonly planner: Planner
}

const findEndpoint = memoizeByIdentity(createOperationsPlanner)

/** Creates the call of several operations, which formats the request of `POST /operations` and calls its handler. */
export function createBatchCall(
  targets: () => AtomicTargets,
  call: (plan: RequestPlanner, request: CallRequest) => Promise<unknown>,
): Atomic {
  return async (work, options) => {
    checkArguments('atomic', { work, options })
    const { find, planner } = targets()
    if (planner.model.atomic === undefined)
      throw new HttpError(
        'route_not_found',
        'This model has no atomic operations; declare it with atomic: true.',
      )
    const { operations, pick } = recordBatch(work)
    const pickResults = (results: unknown) => pick(Array.isArray(results) ? results : [])
    const formatted = operations.map(({ type, format }) => format(toBatchType(find, type)))
    const { idempotencyKey, fields } = options ?? {}
    const search = formatQuery(fields === undefined ? {} : { fields })
    const body = { 'atomic:operations': formatted }
    const repeat = formatKey(idempotencyKey, ['atomic', search, body])
    const more = { writer: 'program', ...repeat, ...restrict(options) } as const
    const returned = await call(findEndpoint(planner), { id: '', search, body, ...more })
    if (!options?.dryRun) return pickResults(returned)
    const tried = returned as DryRun<unknown>
    return { ...tried, result: pickResults(tried.result) }
  }
}

function toBatchType(find: EndpointFinder, type: string): BatchType {
  const { resource } = find(type)
  return { ...toInputType(resource, 'program'), path: resource.path.slice(1) }
}

/** Creates the function that finds the path of an action, the only one that the operations of a program name by its address. */
export function createActionFinder({ types }: Model, prefix: string): FindPath {
  const paths = new Set([...types.values()].map(({ path }) => path))
  return (target) => {
    const [, base = '', action = ''] = /^(.*)\/actions\/([^/]+)$/.exec(target) ?? []
    const below = base.slice(prefix.length)
    const name = decodeURIComponent(action)
    if (paths.has(below)) return { path: `${below}/actions/${name}`, id: '' }
    const end = below.lastIndexOf('/')
    const path = `${below.slice(0, end)}/:id/actions/${name}`
    return { path, id: decodeURIComponent(below.slice(end + 1)) }
  }
}
