import { type ErrorList, emptyCollector, noErrors, report } from '../errors/collector.ts'
import type { Awaitable } from '../model/hooks.ts'
import { createRelatedNotFound } from '../plan/linkage.ts'
import type { WritePlan } from '../plan/write.ts'
import { deletionConstraintError, reportConstraintErrors } from './constraints.ts'
import { checkMemberLimit, maxChangedMembers } from './members.ts'
import { notFoundError } from './not-found.ts'
import type { Statements } from './statements.ts'
import type { Transaction } from './store.ts'
import { thenMaybe } from './then-maybe.ts'
import type { WriteConnection } from './write-connection.ts'
import { prepareWrite } from './write-steps.ts'

/** Returns the operations of a transaction on a connection. */
export function transactionOn(connection: WriteConnection, statements: Statements): Transaction {
  return {
    query: connection.query,
    run: connection.runSteps,
    savepoint: (work) => connection.savepoint(work),
    read: async (plan, id) => connection.read(plan, id),
    checkPreconditions: (plan) => checkPreconditions(connection, plan, statements),
    prepareWrite: (plan, options) => prepareWrite(connection, { plan, ...options }, statements),
    readMembers: async (shape, { id, ids }) => {
      const values = { planValues: [], id, ids, maxRows: maxChangedMembers + 1 }
      const rows = await connection.all(statements.members(shape), values)
      checkMemberLimit(rows, shape)
      return rows
    },
    remove: (plan) => remove(connection, plan, statements),
  }
}

/** Runs one statement for the resource in the path and one for each type of related resources, without awaiting in between. */
async function checkPreconditions(
  connection: WriteConnection,
  { precondition, existenceChecks }: WritePlan,
  statements: Statements,
): Promise<ErrorList> {
  const locking = precondition && lockResource(connection, precondition, statements)
  if (existenceChecks.length === 0) {
    // A lock on SQLite is synchronous: waiting for it would cost as much as the lock.
    if (locking instanceof Promise) await locking
    return noErrors
  }
  const checksByType = [...Map.groupBy(existenceChecks, ({ type }) => type)]
  const [, ...found] = await Promise.all([
    locking,
    ...checksByType.map(([type, checks]) => {
      const ids = [...new Set(checks.map(({ id }) => id))]
      return connection.all(statements.ofType(type).lookup, { planValues: [], ids })
    }),
  ])
  const missing = emptyCollector()
  for (const [index, [, checks]] of checksByType.entries()) {
    const existing = new Set(found[index]?.map(([id]) => String(id)))
    for (const check of checks)
      if (!existing.has(check.id)) report(missing, () => createRelatedNotFound(check))
  }
  return missing
}

/** Locks the resource in the path. @throws NotFoundError when it does not exist */
function lockResource(
  connection: WriteConnection,
  { notFound, id }: NonNullable<WritePlan['precondition']>,
  statements: Statements,
): Awaitable<void> {
  const { lock } = statements.ofType(notFound.type)
  return thenMaybe(connection.all(lock, { planValues: [], id }), (rows) => {
    if (rows.length === 0) throw notFoundError(notFound, id)
  })
}

/** Deletes a resource. A trigger or a rule may replace the deletion: then the database does not say how many rows it deleted. */
async function remove(
  connection: WriteConnection,
  plan: WritePlan,
  statements: Statements,
): Promise<'deleted' | 'kept'> {
  const { resource, exists, remove } = statements.ofType(plan.shape.type)
  const change = resource.softDelete === undefined ? 'delete' : 'update'
  const isReplaceable = statements.target.triggersOf?.(resource.table)?.changes.has(change) ?? false
  const values = { planValues: [], id: plan.id }
  const find = async () => (await connection.all(exists, values)).length > 0
  if (isReplaceable && plan.precondition && !(await find()))
    throw notFoundError(plan.precondition.notFound, plan.id)
  const removed = await reportConstraintErrors(
    () => connection.run(remove, values),
    (error) => deletionConstraintError(error, resource),
  )
  if (isReplaceable) return (await find()) ? 'kept' : 'deleted'
  if (removed === 0 && plan.precondition) throw notFoundError(plan.precondition.notFound, plan.id)
  return 'deleted'
}
