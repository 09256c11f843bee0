import { countCascade, hasCascades } from '../lifecycle/cascade.ts'
import type { ResourceType } from '../model/model.ts'
import { parsePathId } from '../plan/path-id.ts'
import { toIdentity } from './access-views.ts'
import type { AppContext } from './app-context.ts'

/** A resource, and who reads it. */
interface DeletedAddress {
  readonly context: AppContext
  readonly resource: ResourceType
  /** The id in the path. */
  readonly id: string
  readonly auth: unknown
}

/** The rows that a deletion deletes and changes by foreign keys. */
export type DeletedRows = readonly Readonly<{
  type: string
  operation: 'deleted' | 'updated'
  count: number
}>[]

/**
 * Counts the rows that the database would delete and change together with a resource, as far as the identity may read them. It reads
 * only: no hooks run, and nothing is locked. Without such foreign keys nothing is read.
 * @returns `many` if there are more than `maxRows`; `undefined` if it takes nothing with it, or the time is over
 */
export async function readDeletion(
  { context, resource, id, auth }: DeletedAddress,
  { maxRows, timeout }: Readonly<{ maxRows: number; timeout: number }>,
): Promise<DeletedRows | 'many' | undefined> {
  const { planner, store } = context
  const view = context.findView?.(auth)
  const identity = view && toIdentity(view, auth)
  const signal = AbortSignal.timeout(timeout)
  const read: Parameters<typeof countCascade>[2]['read'] = (shape, ids, max) => {
    signal.throwIfAborted()
    return store.findReferencing({ identity, shape, ids, maxRows: max }, { signal: () => signal })
  }
  try {
    const catalog = await context.catalog()
    if (!hasCascades(resource, { catalog, planner })) return undefined
    const reader = { catalog, planner, identity, read, maxRows }
    const counts = await countCascade(resource, parsePathId(resource, id), reader)
    if (counts === undefined) return 'many'
    const others = counts.map((each) => ({
      ...each,
      count: each.count - Number(each.type === resource.type && each.operation === 'deleted'),
    }))
    const found = others.filter(({ count }) => count > 0)
    return found.length === 0 ? undefined : found
  } catch {
    // The page is complete without these numbers, and the deletion reports what is wrong.
    return undefined
  }
}
