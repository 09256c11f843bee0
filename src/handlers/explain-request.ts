import type { ReadPlan } from '../plan/read.ts'
import type { ReadExplanation } from '../store/explain.ts'
import type { Store } from '../store/store.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest, RouteHandler } from './handler.ts'

/** Ends a handler at its read. */
class ReadCaptured extends Error {}

/**
 * Explains a GET request: runs its statements, and returns them with their plans. The handler plans the read, with the checks and
 * rules of the request; hooks of reads do not run, and neither does `begin`.
 *
 * @param handle - the handler of the route
 * @returns `undefined` for a request that reads nothing
 * @throws the errors of the request
 */
export async function explainRequest(
  handle: RouteHandler,
  request: ApiRequest,
  context: AppContext,
): Promise<ReadExplanation | undefined> {
  let captured: Readonly<{ plan: ReadPlan; id: string | undefined }> | undefined
  const store: Store = {
    ...context.store,
    read: (plan, id) => {
      captured = { plan, id }
      throw new ReadCaptured()
    },
  }
  try {
    await handle(request, { ...context, store })
  } catch (error) {
    if (!(error instanceof ReadCaptured)) throw error
  }
  return captured && context.store.explain(captured.plan, captured.id)
}
