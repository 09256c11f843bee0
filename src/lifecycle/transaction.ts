import type { RequestContext } from '../model/request-context.ts'
import type { LifecycleContext } from './context.ts'
import { createBeginContext, createCommitContext } from './hook-context.ts'
import type { OpenTransaction, RecordedChange, UnitOfWork } from './unit-of-work.ts'

/**
 * Runs the work of a request in a transaction: of its own, or in the one that is open. In an open one, work that throws is rolled
 * back alone.
 * @throws what the work throws, and the errors of `beginTransaction`
 */
export function executeInTransaction<Result>(
  context: LifecycleContext,
  request: RequestContext,
  work: (unit: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  const { planner, open } = context
  if (open === undefined)
    return beginTransaction(context, request, (begun) => work({ ...begun, planner, request }))
  const { transaction } = open
  return transaction.savepoint(async () => {
    const changes: RecordedChange[] = []
    const result = await work({ planner, request, transaction, changes })
    open.changes.push(...changes)
    return result
  })
}

/**
 * Runs work in a transaction: first the model's `begin`, then the work; `afterCommit` of the recorded changes once it is durable.
 * `begin` and the work, with all hooks and validators, may run more than once (`Store.transaction`); `afterCommit` runs for the
 * committed run only.
 * @throws what the work throws, and the errors of `Store.transaction`
 */
export async function beginTransaction<Result>(
  { planner, store }: LifecycleContext,
  request: RequestContext,
  work: (open: OpenTransaction) => Promise<Result>,
): Promise<Result> {
  const { begin } = planner.model
  let changes: RecordedChange[] = []
  const result = await store.transaction(async (transaction) => {
    changes = []
    if (begin) await begin(createBeginContext(request, transaction.query))
    return work({ transaction, changes })
  })
  for (const change of changes) await runAfterCommit(change, request)
  return result
}

/** Runs the hook of a committed change. Its error is logged, because the change cannot be undone. */
async function runAfterCommit(
  { resource, change }: RecordedChange,
  request: RequestContext,
): Promise<void> {
  try {
    await resource.hooks.afterCommit?.(change, createCommitContext(request, resource))
  } catch (error) {
    request.log.error({ err: error, type: resource.type }, 'the hook afterCommit failed')
  }
}
