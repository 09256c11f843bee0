import {
  type ErrorCollector,
  type ErrorList,
  emptyCollector,
  noErrors,
  report,
  reportAll,
} from '../errors/collector.ts'
import type { ApiError } from '../errors/errors.ts'
import type { Awaitable } from '../model/hooks.ts'
import { AccessDenied, createForbidden } from '../plan/access/access-denied.ts'
import { createRelatedNotFound, type ExistenceCheck } from '../plan/linkage.ts'
import type { WritePlan } from '../plan/write.ts'
import { runAccessChecks } from './access/run-checks.ts'
import type { AccessChecks } from './access/write-checks.ts'
import { notFoundError } from './not-found.ts'
import type { Statements } from './statements.ts'
import { thenMaybe } from './then-maybe.ts'
import type { WriteConnection } from './write-connection.ts'

/**
 * Checks what a plan takes for granted, as `Transaction.checkPreconditions`: one statement for the resource in the path, one for
 * each type of related resources and one for each access rule, without awaiting in between. Most writes have only the first.
 */
export function checkPreconditions(
  connection: WriteConnection,
  plan: WritePlan,
  statements: Statements,
): Awaitable<ErrorList> {
  const { precondition, existenceChecks } = plan
  const locking = precondition && lockResource(connection, precondition, statements)
  const invalid = connection.checkValues?.(plan) ?? []
  const access = statements.checks?.(plan)
  if (!access && existenceChecks.length + invalid.length === 0) return locking ?? noErrors
  return checkAll(connection, plan, statements, { locking, access, invalid })
}

/** What `checkPreconditions` has begun. */
interface BegunChecks {
  readonly locking: Awaitable<ErrorList> | undefined
  readonly access: AccessChecks | undefined
  /** Errors about values that their columns reject. */
  readonly invalid: readonly ApiError[]
}

/** Checks the access rules and the related resources too. @throws ApiError `forbidden` (403) */
async function checkAll(
  connection: WriteConnection,
  plan: WritePlan,
  statements: Statements,
  { locking, access, invalid }: BegunChecks,
): Promise<ErrorList> {
  if (access?.isRefused) {
    // A transaction must not end while it waits for the lock.
    await locking
    throw createForbidden(new AccessDenied('create', { type: plan.shape.type }))
  }
  const errors = emptyCollector()
  reportAll(errors, { errors: invalid, more: 0 })
  await Promise.all([
    locking,
    access && runAccessChecks(connection, access.before, plan, plan),
    findMissing(connection, plan.existenceChecks, statements, errors),
  ])
  return errors
}

/** Reports the related resources that do not exist. */
async function findMissing(
  connection: WriteConnection,
  existenceChecks: readonly ExistenceCheck[],
  { ofType }: Statements,
  errors: ErrorCollector,
): Promise<void> {
  const checksByType = [...Map.groupBy(existenceChecks, ({ type }) => type)]
  const found = await Promise.all(
    checksByType.map(([type, checks]) => {
      const ids = [...new Set(checks.map(({ id }) => id))]
      return connection.all(ofType(type).lookup, { planValues: [], ids })
    }),
  )
  for (const [index, [, checks]] of checksByType.entries()) {
    const existing = new Set(found[index]?.map(([id]) => String(id)))
    for (const check of checks)
      if (!existing.has(check.id)) report(errors, () => createRelatedNotFound(check))
  }
}

/** Locks the resource in the path. @returns no errors @throws NotFoundError when it does not exist */
function lockResource(
  connection: WriteConnection,
  { notFound, id }: NonNullable<WritePlan['precondition']>,
  statements: Statements,
): Awaitable<ErrorList> {
  const { lock } = statements.ofType(notFound.type)
  return thenMaybe(connection.all(lock, { planValues: [], id }), (rows) => {
    if (rows.length === 0) throw notFoundError(notFound, id)
    return noErrors
  })
}
