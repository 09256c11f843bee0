import { type ErrorList, emptyCollector, noErrors, report } from '../errors/collector.ts'
import type { Awaitable } from '../model/hooks.ts'
import { AccessDenied, createForbidden } from '../plan/access/access-denied.ts'
import type { Identity } from '../plan/access/identity.ts'
import { createRelatedNotFound } from '../plan/linkage.ts'
import type { WritePlan } from '../plan/write.ts'
import { runAccessCheck } from './access/run-checks.ts'
import { deletionConstraintError, reportConstraintErrors } from './constraints.ts'
import { checkMemberLimit, maxChangedMembers } from './members.ts'
import { notFoundError } from './not-found.ts'
import { addAuth } from './run-values.ts'
import type { Statements } from './statements.ts'
import type { Transaction } from './store.ts'
import { thenMaybe } from './then-maybe.ts'
import type { WriteConnection } from './write-connection.ts'
import { prepareWrite } from './write-steps.ts'

/**
 * Returns the operations of an open transaction, without access rules.
 * @param statementsOf - finds the statements of an identity
 * @param connect - creates the connection that reads by these statements
 */
export function openTransaction<S extends Statements>(
  statementsOf: (identity: Identity | undefined) => S,
  connect: (statements: S) => WriteConnection,
): Transaction {
  const as = (identity: Identity | undefined): Transaction => {
    if (identity === undefined) return unrestricted
    const statements = statementsOf(identity)
    return {
      ...transactionOn(addIdentity(connect(statements), identity), statements, as),
      identity,
    }
  }
  const statements = statementsOf(undefined)
  const unrestricted = transactionOn(connect(statements), statements, as)
  return unrestricted
}

/** Adds the auth context to the values of every statement, and the identity to every read. */
function addIdentity(connection: WriteConnection, identity: Identity): WriteConnection {
  const { readInserted } = connection
  return {
    ...connection,
    all: (statement, values) => connection.all(statement, addAuth(values, identity)),
    run: (statement, values) => connection.run(statement, addAuth(values, identity)),
    read: (plan, id) => connection.read({ ...plan, identity }, id),
    ...(readInserted && { readInserted: (plan) => readInserted({ ...plan, identity }) }),
  }
}

function transactionOn(
  connection: WriteConnection,
  statements: Statements,
  as: Transaction['as'],
): Transaction {
  return {
    as,
    identity: undefined,
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

/**
 * Runs one statement for the resource in the path, one for each type of related resources and one for each access rule, without
 * awaiting in between.
 */
async function checkPreconditions(
  connection: WriteConnection,
  plan: WritePlan,
  statements: Statements,
): Promise<ErrorList> {
  const { precondition, existenceChecks } = plan
  const locking = precondition && lockResource(connection, precondition, statements)
  if (statements.checks(plan)?.isRefused) {
    // A transaction must not end while it waits for the lock.
    await locking
    throw createForbidden(new AccessDenied('create', { type: plan.shape.type }))
  }
  const allowing = checkAccess(connection, plan, statements)
  if (existenceChecks.length === 0) {
    // A lock on SQLite is synchronous: waiting for it would cost as much as the lock.
    if (locking instanceof Promise || allowing instanceof Promise)
      await Promise.all([locking, allowing])
    return noErrors
  }
  const checksByType = [...Map.groupBy(existenceChecks, ({ type }) => type)]
  const [, , ...found] = await Promise.all([
    locking,
    allowing,
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

/** Checks the access rules that must hold before a write. @throws ApiError `forbidden` (403) */
function checkAccess(
  connection: WriteConnection,
  plan: WritePlan,
  statements: Statements,
): Awaitable<void> {
  const checks = statements.checks(plan)
  if (checks === undefined) return undefined
  const running = checks.before.map((check) => runAccessCheck(connection, check, plan, plan))
  if (running.some((each) => each instanceof Promise)) return Promise.all(running).then(() => {})
  return undefined
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
  // The rule is checked first, and its error is the one that is thrown.
  const allowing = checkAccess(connection, plan, statements)
  if (isReplaceable) await allowing
  if (isReplaceable && plan.precondition && !(await find()))
    throw notFoundError(plan.precondition.notFound, plan.id)
  const removing = reportConstraintErrors(
    () => connection.run(remove, values),
    (error) => deletionConstraintError(error, resource),
  )
  const [, removed] = await Promise.all([allowing, removing])
  if (isReplaceable) return (await find()) ? 'kept' : 'deleted'
  if (removed === 0 && plan.precondition) throw notFoundError(plan.precondition.notFound, plan.id)
  return 'deleted'
}
