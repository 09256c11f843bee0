import type { Awaitable } from '../../model/declare/hooks.ts'
import { AccessDenied, createForbidden } from '../../plan/access/access-denied.ts'
import { toOperation, toRulePath } from '../../plan/access/rule-key.ts'
import type { WritePlan } from '../../plan/write.ts'
import { thenMaybe } from '../then-maybe.ts'
import type { WriteConnection } from '../write/write-connection.ts'
import type { AccessCheck } from './access-check.ts'
import type { AccessChecks } from './write-checks.ts'

/** The values with which a check runs. */
interface CheckValues {
  /** The id of the written resource. */
  readonly id: string | undefined
  /** The ids of the checked resources; absent: those of the plan. */
  readonly ids?: readonly string[]
}

/** Runs a check. @throws ApiError `forbidden` (403) when its rule refuses the write */
export function runAccessCheck(
  connection: WriteConnection,
  { statement, key, type, pointer, ids: idsOf }: AccessCheck,
  plan: WritePlan,
  { id, ids = idsOf(plan) }: CheckValues,
): Awaitable<void> {
  return thenMaybe(connection.all(statement, { planValues: [], id, ids }), (refused) => {
    if (refused.length === 0) return
    const target = pointer === undefined ? { type, id } : { type }
    const denied = new AccessDenied(toOperation(key), { ...target, rule: toRulePath(type, key) })
    throw createForbidden(denied, pointer)
  })
}

/**
 * Locks the rows whose rules count, and runs the checks before a write, without awaiting in between.
 * @throws ApiError `forbidden` (403), of the first check that fails
 */
export function lockAndCheck(
  connection: WriteConnection,
  { locks, before }: AccessChecks,
  plan: WritePlan,
): Awaitable<void> {
  const values = { planValues: [], id: plan.id }
  const locking = locks.map(({ statement, ids }) =>
    connection.all(statement, { ...values, ids: ids(plan) }),
  )
  const checking = runAccessChecks(connection, before, plan, plan)
  return locking.length === 0 ? checking : Promise.all([...locking, checking]).then(() => {})
}

/** Runs checks without awaiting in between. @throws ApiError `forbidden` (403), of the first check that fails */
export function runAccessChecks(
  connection: WriteConnection,
  checks: readonly AccessCheck[],
  plan: WritePlan,
  values: CheckValues,
): Awaitable<void> {
  const running = checks.map((check) => runAccessCheck(connection, check, plan, values))
  return running.some((each) => each instanceof Promise)
    ? Promise.all(running).then(() => {})
    : undefined
}
