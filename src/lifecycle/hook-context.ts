import type {
  BeginContext,
  CommitContext,
  HookContext,
  RequestDetails,
  ResourceHookContext,
} from '../model/declare/hooks.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import type { ResourceType } from '../model/model.ts'
import { planRelatedIds } from '../plan/stored-columns.ts'
import type { RunQuery } from '../sql/store.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** Returns the request as hooks receive it. A logger and a signal are created only if a hook uses them. */
function createRequestDetails(request: RequestContext): RequestDetails {
  let signal: AbortSignal | undefined
  return {
    auth: request.auth,
    requestId: request.requestId,
    ip: request.ip,
    dryRun: request.dryRun ?? false,
    get log() {
      return request.log
    },
    get signal() {
      signal ??= request.signal()
      return signal
    },
  }
}

/** Creates the context of `begin`. */
export function createBeginContext(request: RequestContext, query: RunQuery): BeginContext {
  return Object.assign(createRequestDetails(request), { query })
}

/** Creates the context of a hook that is not about one stored resource. */
export function createHookContext(
  request: RequestContext,
  query: RunQuery,
  { type }: ResourceType,
): HookContext {
  return Object.assign(createRequestDetails(request), { query, type })
}

/** Creates the context of a hook that is about one stored resource. */
export function createResourceContext(
  { planner, request, transaction }: UnitOfWork,
  resource: ResourceType,
  id: string,
): ResourceHookContext {
  const members = async (name: string): Promise<readonly string[]> => {
    const field = resource.fields.get(name)
    if (field?.is !== 'relationship' || !field.many)
      throw new Error(`${resource.type} has no to-many relationship "${name}".`)
    const { primary } = await transaction
      .as(undefined)
      .read(planRelatedIds(planner, resource, field), id)
    const [[, ids] = []] = primary
    // The linkage of a to-many relationship is a list of ids.
    return ids as readonly string[]
  }
  return Object.assign(createHookContext(request, transaction.query, resource), { members })
}

/** Creates the context of `afterCommit`. */
export function createCommitContext(
  request: RequestContext,
  { type }: ResourceType,
): CommitContext {
  return Object.assign(createRequestDetails(request), { type })
}
