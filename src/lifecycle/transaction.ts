import type { RequestContext } from '../model/request-context.ts'
import type { LifecycleContext } from './context.ts'
import { createBeginContext, createCommitContext } from './hook-context.ts'
import type { RecordedChange, WriteScope } from './write-scope.ts'

/**
 * Runs work in a transaction: first the model's `begin`, then the work; `afterCommit` of the recorded changes once it is durable.
 * The work may run again after a conflict with another transaction; `afterCommit` then runs for the committed run only.
 * @throws what the work throws, and the errors of `Store.transaction`
 */
export async function executeInTransaction<Result>(
  { planner, store }: LifecycleContext,
  request: RequestContext,
  work: (scope: WriteScope) => Promise<Result>,
): Promise<Result> {
  const { begin } = planner.model
  let changes: RecordedChange[] = []
  const result = await store.transaction(async (transaction) => {
    changes = []
    if (begin) await begin(createBeginContext(request, transaction.query))
    return work({ planner, request, transaction, changes })
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
