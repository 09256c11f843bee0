import type { Awaitable } from '../model/declare/hooks.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import type { Sql } from '../model/dialect.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { CompleteRows, Rows } from '../plan/read-result.ts'
import { runAfterHooks } from '../sql/read/run-after-hooks.ts'
import type { ReadHooks, RunQuery, Transaction } from '../sql/store.ts'
import type { LifecycleContext } from './context.ts'
import { createBeginContext } from './hook-context.ts'
import { withBegin } from './read-hooks.ts'

/**
 * Executes a read with the model's `begin` and the read hooks of every resource type that affects the response.
 *
 * @param id - the id in the path; `undefined` for a path without an id
 * @throws NotFoundError when the resource in the path does not exist; the errors of hooks
 */
export function executeRead(
  plan: ReadPlan,
  id: string | undefined,
  context: LifecycleContext,
  request: RequestContext,
): Awaitable<Rows> {
  const hooks = bindHooks(plan, context, request)
  return context.store.read(plan, id, { hooks, signal: request.signal })
}

/** Binds `begin` and the read hooks of a plan to its request. In an open transaction `begin` has run. */
export function bindHooks(
  plan: ReadPlan,
  { planner, bindReadHooks, open }: LifecycleContext,
  request: RequestContext,
): ReadHooks | undefined {
  const readHooks = bindReadHooks?.(plan, request)
  return open ? readHooks : withBegin(readHooks, planner.model, request)
}

/** Executes a read with its hooks in an open transaction: it sees what the transaction has written. It throws as `executeRead` does. */
export async function readInTransaction(
  transaction: Transaction,
  plan: ReadPlan,
  id: string | undefined,
  hooks: ReadHooks | undefined,
): Promise<CompleteRows> {
  await hooks?.before(transaction.query)
  const rows = await transaction.read(plan, id)
  if (hooks) await runAfterHooks(hooks, rows, plan, transaction.query)
  return rows
}

/**
 * Runs SQL of the application that only reads, after the model's `begin`.
 * @returns the rows by the names of their columns
 * @throws the errors of `begin` and of `Store.snapshot`
 */
export function executeQuery(
  expression: Sql,
  { planner, store }: LifecycleContext,
  request: RequestContext,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { begin } = planner.model
  const work = async (query: RunQuery) => {
    if (begin) await begin(createBeginContext(request, query))
    return query(expression)
  }
  return store.snapshot(work, { signal: request.signal })
}
