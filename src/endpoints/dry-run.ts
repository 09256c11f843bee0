import { HttpError } from '../errors/errors.ts'
import { type Affected, countAffected, executeCounted } from '../lifecycle/affected.ts'
import { executeInTransaction } from '../lifecycle/transaction.ts'
import type { UnitOfWork } from '../lifecycle/unit-of-work.ts'
import type { DryRun } from '../model/declare/restricted-writes.ts'
import { isObject, type JsonValue, parseExactJson, serializeJson } from '../model/kinds/json.ts'
import type { Preferences } from '../parse/prefer.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest, ApiResponse } from './handler.ts'
import { executePlan, observeId, type RequestPlan } from './request-plan.ts'

/** A write that is counted. It is rolled back if it is a dry run, or affects more rows than its client allows. */
type Restrictions = Pick<Preferences, 'isDryRun' | 'maxAffected'>

/**
 * Executes a write whose client restricts it, in one transaction: counts what it affects, and rolls it back if it is a dry run.
 * The operations of a batch add to the same numbers.
 * @throws HttpError `too_many_affected` (422); what the write throws
 */
export async function executeRestricted<Body>(
  plan: RequestPlan<Body>,
  request: ApiRequest,
  context: AppContext<Body>,
  restrictions: Restrictions,
): Promise<ApiResponse<Body>> {
  const { isDryRun } = restrictions
  // Outside of the transaction: the catalog needs a connection of its own.
  await context.catalog()
  // What a dry run of an action calls is part of it.
  const counted = { ...request, dryRun: isDryRun || request.dryRun === true }
  const affected: Affected = { rows: new Map(), members: new Map() }
  try {
    return await executeInTransaction(context, counted, async (unit) => {
      affected.rows.clear()
      affected.members.clear()
      const within = { ...context, open: { ...unit, isOfRequest: true } }
      const response = await executeCountedPlan(plan, counted, within, affected)
      return finish(plan, response, { unit, affected, restrictions })
    })
  } catch (error) {
    if (!(error instanceof DryRunEnd)) throw error
    // It was made of a response with this type of body.
    return error.response as ApiResponse<Body>
  }
}

/** Ends the transaction of a dry run. */
class DryRunEnd extends Error {
  readonly response: ApiResponse<unknown>
  constructor(response: ApiResponse<unknown>) {
    super('The dry run has ended.')
    this.response = response
  }
}

/** Executes one write of an open transaction, and adds what it affects. */
async function executeCountedPlan<Body>(
  plan: RequestPlan<Body>,
  request: ApiRequest,
  context: AppContext<Body> & Readonly<{ open: UnitOfWork }>,
  affected: Affected,
): Promise<ApiResponse<Body>> {
  if (plan.is === 'operations')
    return plan.execute(request, context, (each, within) =>
      executeCountedPlan(each, request, within, affected),
    )
  const written: { id?: string } = {}
  const execute = async () => {
    const response = await executePlan(observeId(plan, written), request, context)
    return { ...response, body: await response.body, ...written }
  }
  if (plan.is !== 'write' && plan.is !== 'link' && plan.is !== 'delete') return execute()
  const write = { plan: plan.write, isDeletion: plan.is === 'delete' }
  const catalog = await context.catalog()
  const { id: _, ...response } = await executeCounted(
    write,
    context.open,
    { catalog, affected },
    execute,
  )
  return response
}

/** Checks what was written, and throws the response of a dry run, which rolls it back. */
async function finish<Body>(
  plan: RequestPlan<Body>,
  response: ApiResponse<Body>,
  {
    unit,
    affected,
    restrictions: { isDryRun, maxAffected },
  }: Readonly<{ unit: UnitOfWork; affected: Affected; restrictions: Restrictions }>,
): Promise<ApiResponse<Body>> {
  const count = countAffected(affected)
  if (maxAffected !== undefined && count > maxAffected)
    throw new HttpError(
      'too_many_affected',
      `The request affects more rows (${count}) than max-affected allows (${maxAffected}); nothing was written. Send a larger number, or change fewer rows.`,
    )
  if (!isDryRun) return response
  await unit.transaction.checkDeferred()
  const { body, headers } = response
  const described =
    typeof body === 'string'
      ? serializeJson(describeDryRun(plan, parseDocument(body), affected))
      : returnDryRun(plan, body, affected)
  // Other header fields are those of a write, such as the address of the new resource.
  const kept = plan.is === 'operations' && headers ? { headers } : {}
  throw new DryRunEnd({ status: 200, ...kept, body: described })
}

function parseDocument(text: string): Readonly<Record<string, unknown>> {
  const document = parseExactJson(text)
  return isObject(document) ? document : {}
}

function isCreate<Body>(plan: RequestPlan<Body>): boolean {
  return plan.is === 'write' && plan.write.operation === 'create'
}

/** Makes what a dry run in process returns of what the write would have returned. */
function returnDryRun<Body>(
  plan: RequestPlan<Body>,
  returned: unknown,
  { rows, members }: Affected,
): DryRun<unknown> {
  return {
    dryRun: true,
    affected: plan.is === 'action' ? {} : Object.fromEntries(rows),
    members: listMembers(members),
    result: returnTried(plan, returned),
  }
}

/** What a write returns that was rolled back: what it would create has no id. */
function returnTried<Body>(plan: RequestPlan<Body>, returned: unknown): unknown {
  if (plan.is === 'operations' && Array.isArray(returned)) {
    const isNew = findNew(plan.plans, returned)
    const omitNew = (each: unknown) => (isNew(each) ? omitId(each) : each)
    // An action may have returned a list.
    return returned.map((each) =>
      isObject(each) && each.type === undefined && Array.isArray(each.data)
        ? { ...each, data: each.data.map(omitNew) }
        : omitNew(each),
    )
  }
  return isCreate(plan) && isObject(returned) ? omitId(returned) : returned
}

function omitId({ id: _, ...rest }: Readonly<Record<string, unknown>>): object {
  return rest
}

type IsNew = (data: unknown) => data is Readonly<Record<string, unknown>>

/**
 * Returns whether data are a resource that the batch itself creates, also after a later operation has changed it.
 * @param data - those of the results of the operations
 */
function findNew<Body>(plans: readonly RequestPlan<Body>[], data: readonly unknown[]): IsNew {
  const nameOf = (each: Readonly<Record<string, unknown>>) => JSON.stringify([each.type, each.id])
  const created = new Set(
    data.flatMap((each, index) => {
      const plan = plans[index]
      return plan && isCreate(plan) && isObject(each) ? [nameOf(each)] : []
    }),
  )
  return (each): each is Readonly<Record<string, unknown>> =>
    isObject(each) && created.has(nameOf(each))
}

/** Makes the document of a dry run of that of the write. The id of a new resource is not final. */
function describeDryRun<Body>(
  plan: RequestPlan<Body>,
  { data, meta, 'atomic:results': results, ...document }: Readonly<Record<string, unknown>>,
  { rows, members }: Affected,
): JsonValue {
  const isNew = isCreate(plan)
  const isShown = (plan.is === 'write' && !isNew) || plan.is === 'action'
  const counted = {
    ...(plan.is !== 'action' && { affected: Object.fromEntries(rows) }),
    ...(members.size > 0 && { members: listMembers(members) }),
  }
  const described = {
    ...(isShown && { ...document, ...(data !== undefined && { data }) }),
    ...(plan.is === 'operations' && { 'atomic:results': describeResults(plan.plans, results) }),
    meta: {
      ...(plan.is === 'action' && isObject(meta) && meta),
      ...(plan.is !== 'action' && { message: 'Nothing was written: this was a dry run' }),
      dryRun: true,
      ...counted,
      ...(isNew && { wouldCreate: withoutId(data) }),
    },
    jsonapi: document.jsonapi,
  }
  // It was parsed from JSON.
  return described as unknown as JsonValue
}

/** The results of operations that were rolled back: what they would create has no id, also where a later operation changes it. */
function describeResults<Body>(
  plans: readonly RequestPlan<Body>[],
  results: unknown,
): readonly unknown[] {
  const all: readonly unknown[] = Array.isArray(results) ? results : []
  const isNew = findNew(
    plans,
    all.map((result) => (isObject(result) ? result.data : undefined)),
  )
  return all.map((result, index) => {
    const plan = plans[index]
    if (!isObject(result)) return result
    const { data } = result
    if (Array.isArray(data))
      return { ...result, data: data.map((each) => (isNew(each) ? withoutId(each) : each)) }
    return isNew(data) || (plan && isCreate(plan))
      ? { meta: { wouldCreate: withoutId(data) } }
      : result
  })
}

/** The changed members by type and relationship. */
function listMembers(members: Affected['members']): DryRun<unknown>['members'] {
  const byType = Map.groupBy(members.values(), ({ type }) => type)
  return Object.fromEntries(
    [...byType].map(([type, all]) => [
      type,
      Object.fromEntries(
        all.map(({ relationship, added, removed }) => [relationship, { added, removed }]),
      ),
    ]),
  )
}

/** A resource object without its id, and without the links, which contain it. */
function withoutId(data: unknown): unknown {
  if (!isObject(data)) return null
  const { id: _, links: __, relationships, ...rest } = data
  if (!isObject(relationships)) return rest
  const withoutLinks = Object.entries(relationships).map(([name, value]) => {
    const { links: ___, ...relationship } = isObject(value) ? value : {}
    return [name, relationship]
  })
  return { ...rest, relationships: Object.fromEntries(withoutLinks) }
}
