import type { CommittedChange } from '../model/declare/hooks.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import type { ResourceType } from '../model/model.ts'
import type { Planner } from '../plan/planner.ts'
import type { Transaction } from '../sql/store.ts'

/** A change of a resource, for the hook `afterCommit` of its type. */
export interface RecordedChange {
  readonly resource: ResourceType
  readonly change: CommittedChange
}

/** A transaction that has begun. */
export interface OpenTransaction {
  readonly transaction: Transaction
  /** The changes whose `afterCommit` runs once the transaction is durable, in order. */
  readonly changes: RecordedChange[]
  /** Whether it belongs to one request alone, whose error rolls all of it back. Default: a failed work in it is rolled back alone. */
  readonly isOfRequest?: boolean
}

/** A transaction that writes for a request. */
export interface UnitOfWork extends OpenTransaction {
  readonly planner: Planner
  readonly request: RequestContext
  /** Whether the transaction has nothing but this work, so that it may end with the last statement of the work. Default false. */
  readonly mayCommit?: boolean
}

/** Returns the same transaction without access rules: what hooks write is the decision of the application. */
export function withoutRules(unit: UnitOfWork): UnitOfWork {
  return { ...unit, transaction: unit.transaction.as(undefined) }
}

/** Records a change if its type has the hook `afterCommit`. */
export function recordChange(
  { changes }: UnitOfWork,
  resource: ResourceType,
  change: CommittedChange,
): void {
  if (resource.hooks.afterCommit) changes.push({ resource, change })
}
