import type { AsyncLocalStorage } from 'node:async_hooks'
import { type AccessView, bindIdentity } from '../endpoints/access-views.ts'
import type { AppContext } from '../endpoints/app-context.ts'
import { handleRequest } from '../endpoints/handle-request.ts'
import type { ApiRequest, ApiResponse } from '../endpoints/handler.ts'
import { reportDeniedAccess } from '../endpoints/report-denied-access.ts'
import type { RequestPlanner } from '../endpoints/request-plan.ts'
import { executeQuery } from '../lifecycle/read.ts'
import { executeInTransaction } from '../lifecycle/transaction.ts'
import type { OpenTransaction } from '../lifecycle/unit-of-work.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import type { Sql } from '../model/dialect.ts'
import { parseExactJson } from '../model/kinds/json.ts'
import type { Declarations } from '../model/model.ts'
import { formatQuery, type QueryInput } from '../parse/format-query.ts'
import type { Planner } from '../plan/planner.ts'
import type { DocumentText } from '../serialize/document.ts'
import { createBatchCall } from './atomic.ts'
import { checkArguments } from './check-arguments.ts'
import type { Client, TransactionClient } from './client.ts'
import type { EndpointFinder } from './endpoints.ts'
import {
  type CallRequest,
  createOperations,
  type ProgramWriter,
  type UntypedOperations,
} from './operations.ts'
import { bindToTransaction, TransactionCalls } from './transaction.ts'

/** What all clients of an API share. */
export interface ApiContext {
  readonly find: EndpointFinder
  /** The planner of the model; of a view, that of what exists in it. */
  readonly planner: Planner
  /** Returns the operations on the types and fields that exist in a view. */
  readonly findVisible: (view: AccessView) => EndpointFinder
  /** Executes calls whose results are plain objects. */
  readonly objects: AppContext<Awaitable<unknown>>
  /** Executes calls whose results are documents. */
  readonly documents: AppContext
  /** Scheme and host of absolute links; may be empty. */
  readonly origin: string
  /** The transaction in which the code runs that makes a call. */
  readonly current: AsyncLocalStorage<TransactionCalls>
}

/** What the calls of a client use: in a model with access rules, what the rules leave of it. */
type CallTargets = Pick<ApiContext, 'find' | 'planner' | 'objects' | 'documents'>

/** What all calls of a client share. */
interface ClientContext extends Omit<ApiContext, keyof CallTargets> {
  readonly request: RequestContext
  /** Returns what a call uses. @throws what a function of a rule throws */
  readonly targets: () => CallTargets
  /** Runs a call when it may run. */
  readonly run: <Result>(call: () => Promise<Result>) => Promise<Result>
}

/**
 * Creates a client whose calls each run in a transaction of their own.
 * @param signal - rejects calls that begin after it has aborted
 */
export function createApiClient<Types extends Declarations>(
  context: ApiContext,
  request: RequestContext,
  signal: AbortSignal | undefined,
): Client<Types> {
  const run = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    signal?.throwIfAborted()
    checkNotInTransaction(context)
    return call()
  }
  const clientContext: ClientContext = {
    ...context,
    request,
    run,
    targets: bindTargets(context, request),
  }
  const client = {
    ...createCalls(clientContext),
    each: (type: string, query?: QueryInput) => readEach(clientContext, type, query),
    atomic: createBatchCall(clientContext.targets, createObjectReader(clientContext)),
    sql: (expression: Sql) =>
      run(() => executeQuery(expression, clientContext.targets().objects, request)),
    transaction: <Result>(work: (tx: TransactionClient<Types>) => Promise<Result>) =>
      run(async () => {
        checkArguments('transaction', { work })
        return runTransaction(clientContext, work)
      }),
  }
  // The declarations give the types of the results. The compiler cannot infer them from names that are passed at run time.
  return client as unknown as Client<Types>
}

/** Binds the handlers and the store to the auth context of a client, when a call first uses them. */
function bindTargets(context: ApiContext, { auth }: RequestContext): () => CallTargets {
  const { findView } = context.documents
  if (findView === undefined) return () => context
  let bound: CallTargets | undefined
  return () => {
    if (bound !== undefined) return bound
    const view = findView(auth)
    bound = {
      find: context.findVisible(view),
      planner: view.planner,
      objects: bindIdentity(context.objects, view, auth),
      documents: bindIdentity(context.documents, view, auth),
    }
    return bound
  }
}

/**
 * A call outside of the transaction would not see its writes, and a write would wait for its end on SQLite, which has one
 * writer: forever, as the transaction waits for the call.
 */
function checkNotInTransaction({ current }: ApiContext): void {
  if (current.getStore()?.isOpen)
    throw new Error(
      'This call is made inside a transaction, but not through it: use the argument of its function, `tx`. Transactions cannot be nested.',
    )
}

/** The operations of one writer, with plain objects and with documents as results. */
type WriterCalls = UntypedOperations & Readonly<{ documents: UntypedOperations }>

/** The operations of a client. */
type Calls = WriterCalls & Readonly<{ asServer: () => WriterCalls }>

/** Plans and executes a request, and returns the body of its response. */
type ReadBody = (plan: RequestPlanner, call: CallRequest) => Promise<unknown>

/** Plans and executes the request of a call. */
function handle<Body>(
  plan: RequestPlanner,
  call: CallRequest,
  context: AppContext<Body>,
  { request, origin }: ClientContext,
): Awaitable<ApiResponse<Body>> {
  const details: ApiRequest = { ...request, ...call, origin }
  return reportDeniedAccess(request, () => handleRequest(plan, details, context))
}

function createObjectReader(client: ClientContext): ReadBody {
  return (plan, call) =>
    client.run(async () => {
      const { body } = await handle(plan, call, client.targets().objects, client)
      return body
    })
}

function createCalls(client: ClientContext): Calls {
  const { targets, run } = client
  const find: EndpointFinder = (type) => targets().find(type)
  const readObject = createObjectReader(client)
  const readDocument: ReadBody = (plan, call) =>
    run(async () => {
      const { body } = await handle(plan, call, targets().documents, client)
      return parseExactJson(await readText(body))
    })
  const writeAs = (writer: ProgramWriter): WriterCalls => ({
    ...createOperations(find, readObject, writer),
    documents: createOperations(find, readDocument, writer),
  })
  return { ...writeAs('program'), asServer: () => writeAs('server') }
}

async function readText(body: DocumentText): Promise<string> {
  if (typeof body === 'string') return body
  let text = ''
  for await (const chunk of body) text += chunk
  return text
}

async function* readEach(
  { targets, origin, request, run }: ClientContext,
  type: string,
  query: QueryInput | undefined,
): AsyncGenerator<unknown, void, undefined> {
  checkArguments('each', { type, query })
  const call = { id: '', search: formatQuery(query), body: new Uint8Array() }
  const { readEach } = await run(async () => targets().find(type))
  yield* readEach({ ...request, ...call, origin }, targets().objects)
}

async function runTransaction<Types extends Declarations, Result>(
  clientContext: ClientContext,
  work: (tx: TransactionClient<Types>) => Promise<Result>,
): Promise<Result> {
  const { objects } = clientContext.targets()
  const { transactionScope } = objects.planner.model
  return executeInTransaction(objects, clientContext.request, async (open) => {
    const calls = new TransactionCalls()
    const tx = createTransactionClient<Types>(clientContext, open, calls)
    try {
      return await transactionScope.run(() => clientContext.current.run(calls, () => work(tx)))
    } finally {
      await calls.close()
    }
  })
}

/** Creates a client whose calls all run in one transaction. */
function createTransactionClient<Types extends Declarations>(
  clientContext: ClientContext,
  open: OpenTransaction,
  calls: TransactionCalls,
): TransactionClient<Types> {
  const { find, planner, objects, documents } = clientContext.targets()
  const targets: CallTargets = {
    ...{ find, planner },
    objects: bindToTransaction(objects, open),
    documents: bindToTransaction(documents, open),
  }
  const bound = createCalls({
    ...clientContext,
    targets: () => targets,
    run: (call) => calls.run(call),
  })
  const client = {
    ...bound,
    sql: (expression: Sql) => calls.run(() => open.transaction.query(expression)),
  }
  // As in `createApiClient`.
  return client as unknown as TransactionClient<Types>
}
