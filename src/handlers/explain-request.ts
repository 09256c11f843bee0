import type { ReadPlan } from '../plan/read.ts'
import type { ReadExplanation } from '../store/explain.ts'
import type { ReadOptions, Store } from '../store/store.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest, RouteHandler } from './handler.ts'

/** What a handler passes to the store. */
interface CapturedRead {
  readonly plan: ReadPlan
  readonly id: string | undefined
  readonly options: ReadOptions
}

/** Ends a handler at its read. */
class ReadCaptured extends Error {}

/**
 * Explains a GET request: runs its statements, and returns them with their plans. The handler plans the read, with the checks and
 * rules of the request.
 *
 * @param handle - the handler of the route
 * @param options - `runsHooks`: true to run `begin` and the hooks before the read, as the request does
 * @returns `undefined` for a request that reads nothing
 * @throws the errors of the request
 */
export async function explainRequest(
  handle: RouteHandler,
  request: ApiRequest,
  context: AppContext,
  { runsHooks }: Readonly<{ runsHooks: boolean }>,
): Promise<ReadExplanation | undefined> {
  let captured: CapturedRead | undefined
  const store: Store = {
    ...context.store,
    read: (plan, id, options = {}) => {
      captured = { plan, id, options }
      throw new ReadCaptured()
    },
  }
  try {
    await handle(request, { ...context, store })
  } catch (error) {
    if (!(error instanceof ReadCaptured)) throw error
  }
  if (captured === undefined) return undefined
  const { plan, id, options } = captured
  return context.store.explain(plan, id, runsHooks ? options : { ...options, hooks: undefined })
}
