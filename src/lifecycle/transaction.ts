import type { CommittedChange } from '../model/hooks.ts'
import type { ResourceType } from '../model/model.ts'
import type { RequestContext } from '../model/request-context.ts'
import type { Planner } from '../plan/planner.ts'
import type { Transaction } from '../store/store.ts'
import type { LifecycleContext } from './context.ts'
import { createBeginContext, createCommitContext } from './hook-context.ts'

/** A change of a resource, for the hook `afterCommit` of its type. */
interface RecordedChange {
  readonly resource: ResourceType
  readonly change: CommittedChange
}

/** A transaction that writes for a request. */
export interface WriteScope {
  readonly planner: Planner
  readonly request: RequestContext
  readonly transaction: Transaction
  /** The changes whose `afterCommit` runs once the transaction is durable, in order. */
  readonly changes: RecordedChange[]
}

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

/** Records a change if its type has the hook `afterCommit`. */
export function recordChange(
  { changes }: WriteScope,
  resource: ResourceType,
  change: CommittedChange,
): void {
  if (resource.hooks.afterCommit) changes.push({ resource, change })
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
