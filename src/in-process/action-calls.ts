import type { AccessView } from '../endpoints/access-views.ts'
import type { AppContext } from '../endpoints/app-context.ts'
import { handleRequest } from '../endpoints/handle-request.ts'
import { reportDeniedAccess } from '../endpoints/report-denied-access.ts'
import type { RequestPlanner } from '../endpoints/request-plan.ts'
import type { OpenCalls } from '../lifecycle/action.ts'
import type { ActionCalls } from '../model/declare/action.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { createObjectSerializer } from '../serialize/objects.ts'
import { createEndpointFinder } from './endpoints.ts'
import { type CallRequest, createOperations, type ProgramWriter } from './operations.ts'
import { bindToTransaction, TransactionCalls } from './transaction.ts'

/** Adds the calls that actions make to the dependencies of the handlers. A model without actions needs none. */
export function withActionCalls<Body>(context: AppContext<Body>): AppContext<Body> {
  const types = [...context.planner.model.types.values()]
  if (types.every(({ actions }) => actions.size === 0)) return context
  const find = createEndpointFinder(context.planner)
  const findVisible = memoizeByIdentity(({ planner }: AccessView) => createEndpointFinder(planner))
  const serializer = createObjectSerializer(context.planner.model)
  const openCalls: OpenCalls = (open, request) => {
    const view = context.findView?.(request.auth)
    const bound = bindToTransaction({ ...context, openCalls, serializer }, open)
    const calls = new TransactionCalls()
    const details = copyRequest(request)
    const run = (plan: RequestPlanner, call: CallRequest) =>
      calls.run(async () => {
        const { body } = await reportDeniedAccess(request, () =>
          handleRequest(plan, { ...details, ...call, origin: '', isPart: true }, bound),
        )
        return body
      })
    const writeAs = (writer: ProgramWriter) =>
      createOperations(view ? findVisible(view) : find, run, writer)
    const tx = { ...writeAs('program'), asServer: () => writeAs('server') }
    // The results are those of the object serializer.
    return { tx: tx as ActionCalls, close: () => calls.close() }
  }
  return { ...context, openCalls }
}

/** Copies the context of a request. A spread would lose the getters that the contexts of HTTP libraries have. */
function copyRequest(request: RequestContext): RequestContext {
  const { auth, requestId, ip, log, dryRun = false } = request
  return { auth, requestId, ip, log, dryRun, signal: () => request.signal() }
}
