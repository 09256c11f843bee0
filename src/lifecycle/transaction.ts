import { toError } from '../errors/collector.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import type { Model } from '../model/model.ts'
import type { WriteTransactionOptions } from '../sql/store.ts'
import type { LifecycleContext } from './context.ts'
import { createBeginContext, createCommitContext } from './hook-context.ts'
import type { OpenTransaction, RecordedChange, UnitOfWork } from './unit-of-work.ts'

/**
 * Runs the work of a request in a transaction of its own, or in the one that is open. In its own, the model's `begin` runs before
 * the work, and `afterCommit` of the recorded changes once it is durable. `begin` and the work, with all hooks and validators, may
 * run more than once (`Store.transaction`); `afterCommit` runs for the committed run only.
 * @param options - of the transaction, if it is one of its own
 * @throws what the work throws, and the errors of `Store.transaction`; Error in code of the application that runs in a
 *   transaction of the model
 */
export async function executeInTransaction<Result>(
  { planner, store, open }: LifecycleContext,
  request: RequestContext,
  work: (unit: UnitOfWork) => Awaitable<Result>,
  options?: WriteTransactionOptions,
): Promise<Result> {
  if (open?.isOfRequest) {
    // The work is a part of the request, so it does not end the transaction; what it calls in its transaction is no request.
    const { transaction, changes } = open
    return work({ transaction, changes, planner, request })
  }
  if (open) return executeInSavepoint(open, (unit) => work({ ...unit, planner, request }))
  const { begin, transactionScope } = planner.model
  const run = transactionScope.runs.getStore()
  if (run?.isRunning) throw new Error(run.message)
  let changes: RecordedChange[] = []
  const result = await store.transaction((transaction) => {
    changes = []
    const unit: UnitOfWork = {
      planner,
      request,
      transaction,
      changes,
      mayCommit: begin === undefined,
    }
    return begin ? runAfterBegin(begin, unit, work) : work(unit)
  }, options)
  for (const change of changes) await runAfterCommit(change, request)
  return result
}

/** Runs work in an open transaction. If the work throws, it is rolled back alone. */
function executeInSavepoint<Result>(
  { transaction, changes }: OpenTransaction,
  work: (open: OpenTransaction) => Awaitable<Result>,
): Promise<Result> {
  return transaction.savepoint(async () => {
    const open: OpenTransaction = { transaction, changes: [] }
    const result = await work(open)
    changes.push(...open.changes)
    return result
  })
}

async function runAfterBegin<Result>(
  begin: NonNullable<Model['begin']>,
  unit: UnitOfWork,
  work: (unit: UnitOfWork) => Awaitable<Result>,
): Promise<Result> {
  await begin(createBeginContext(unit.request, unit.transaction.query))
  return work(unit)
}

/** Runs the hook of a committed change. Its error is logged, because the change cannot be undone. */
async function runAfterCommit(
  { resource, change }: RecordedChange,
  request: RequestContext,
): Promise<void> {
  try {
    await resource.hooks.afterCommit?.(change, createCommitContext(request, resource))
  } catch (error) {
    request.log.error({ err: toError(error), type: resource.type }, 'the hook afterCommit failed')
  }
}
