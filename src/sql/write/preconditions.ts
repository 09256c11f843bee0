import {
  type ErrorCollector,
  type ErrorList,
  emptyCollector,
  noErrors,
  report,
  reportAll,
} from '../../errors/collector.ts'
import { BodyError, NotFoundError } from '../../errors/errors.ts'
import type { Awaitable } from '../../model/declare/hooks.ts'
import { getRelationship, type RelationshipField } from '../../model/model.ts'
import { AccessDenied, createForbidden } from '../../plan/access/access-denied.ts'
import { createRelatedNotFound, type ExistenceCheck } from '../../plan/linkage.ts'
import type { CompleteRows } from '../../plan/read-result.ts'
import type { Row } from '../../plan/row-layout.ts'
import type { WritePlan } from '../../plan/write.ts'
import { toFieldPointer } from '../../plan/write-rights.ts'
import { lockAndCheck } from '../access/run-checks.ts'
import { notFoundError } from '../errors.ts'
import { repeatedIdError } from '../read/repeated-ids.ts'
import type { Statements } from '../statements.ts'
import { hasRowRules } from '../tables.ts'
import { thenMaybe } from '../then-maybe.ts'
import type { UnlinkCheck } from './unlink-checks.ts'
import type { WriteConnection } from './write-connection.ts'
import type { PlannedWrite } from './write-state.ts'

/**
 * Checks what a plan takes for granted, as `Transaction.checkPreconditions`: one statement for the resource in the path, one for
 * each type of related resources and one for each access rule, without awaiting in between. A transaction must not end while it
 * waits for the lock, so all of them are awaited.
 */
export async function checkPreconditions(write: PlannedWrite): Promise<ErrorList> {
  const [locked, allowed, matched, checked] = await Promise.allSettled([
    lockResource(write),
    checkRules(write),
    checkCondition(write),
    checkRelated(write),
  ])
  for (const each of [locked, allowed, matched]) if (each.status === 'rejected') throw each.reason
  if (checked.status === 'rejected') throw checked.reason
  return checked.value
}

/**
 * Checks what the request demands of the version of the resource. The row is locked, so nobody changes it before the commit. The members
 * of a relationship are locked, too; the lock of the resource keeps others from adding some.
 * @throws VersionConflictError (412); HttpError `condition_required` (428)
 */
export async function checkCondition(write: PlannedWrite): Promise<void> {
  const { connection, plan, statements } = write
  const { condition, id } = plan
  if (condition === undefined) return
  const { read, relationship } = condition
  const locks =
    relationship === undefined ? [] : statements.memberLocks(plan.shape.type, relationship)
  // Sent in this order, without awaiting in between.
  const locking = locks.map(async (lock) => connection.all(lock, { planValues: [], id }))
  const reading = read && readVisible(async () => connection.read(read, id))
  const [rows] = await Promise.all([reading, ...locking])
  condition.check(rows?.primary[0])
}

/** @returns `undefined` for a resource that the identity may not read */
async function readVisible(read: () => Promise<CompleteRows>): Promise<CompleteRows | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/**
 * Locks the resource in the path, if the plan has one. A rule may read other rows, which a statement that waits for the lock sees as
 * they were before: so the next one reads the resource again.
 * @throws NotFoundError when it does not exist; Error when several rows have its id
 */
export function lockResource({ connection, plan, statements }: PlannedWrite): Awaitable<void> {
  if (plan.precondition === undefined) return undefined
  const { notFound, id } = plan.precondition
  const { lock, exists, resource } = statements.ofType(notFound.type)
  const values = { planValues: [], id }
  const locking = connection.all(lock(findLock(plan, statements)), values)
  const check = (rows: readonly Row[], again = rows) => {
    if (rows.length === 0 || again.length === 0) throw notFoundError(notFound, id)
    if (rows.length > 1 || again.length > 1) throw repeatedIdError(resource, id)
  }
  const readsAgain = hasRowRules(resource) && statements.target.dialect.locks
  if (!readsAgain) return thenMaybe(locking, check)
  const both = Promise.all([locking, connection.all(exists, values)])
  return both.then(([rows, again]) => check(rows, again))
}

/**
 * Returns how the resource in the path is locked. While the members of a relationship are replaced, no other transaction may add one:
 * it would be unlinked without a check of its rules.
 */
function findLock(
  { shape, condition }: PlannedWrite['plan'],
  { target, ofType }: Statements,
): 'update' | 'no key update' {
  // The foreign keys of new members lock the resource, too, but not against another lock than this one.
  if (condition?.relationship !== undefined) return 'update'
  if (target.access === undefined || shape.row !== 'existing') return 'no key update'
  const { resource } = ofType(shape.type)
  const replaces = shape.links.some(
    ({ relationship, change }) =>
      change === 'replace' && getRelationship(resource, relationship).link.foreignKey !== 'own',
  )
  return replaces ? 'update' : 'no key update'
}

/**
 * Checks the access rules, the related resources, and the values that their columns may reject.
 * @returns the errors, unless it throws
 * @throws ApiError `forbidden` (403)
 */
export async function checkRulesAndRelated(write: PlannedWrite): Promise<ErrorList> {
  const [, errors] = await Promise.all([checkRules(write), checkRelated(write)])
  return errors
}

/** Checks the access rules. @throws ApiError `forbidden` (403) */
export async function checkRules({ connection, plan, statements }: PlannedWrite): Promise<void> {
  const access = statements.checks?.(plan)
  if (access?.isDenied) throw createForbidden(new AccessDenied('create', { type: plan.shape.type }))
  if (access) await lockAndCheck(connection, access, plan)
}

/** Checks the related resources, and the values that their columns may reject. @returns the errors */
export async function checkRelated(write: PlannedWrite): Promise<ErrorList> {
  const { connection, plan, statements } = write
  const { existenceChecks } = plan
  const invalid = connection.checkValues?.(plan) ?? []
  const unlinks = statements.unlinkChecks(plan.shape)
  if (existenceChecks.length + invalid.length + unlinks.length === 0) return noErrors
  const errors = emptyCollector()
  reportAll(errors, { errors: invalid, more: 0 })
  await Promise.all([
    findMissing(connection, existenceChecks, statements, errors),
    findUnlinked(write, unlinks, errors),
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

/** Reports the relationships whose change would leave a row without a foreign key that must not be null. */
async function findUnlinked(
  { connection, plan }: PlannedWrite,
  checks: readonly UnlinkCheck[],
  errors: ErrorCollector,
): Promise<void> {
  const { id, linkIds, values } = plan
  const run = checks.filter(({ column }) => column === undefined || values[column] === null)
  const found = await Promise.all(
    run.map(({ link, statement }) => {
      const ids = link === undefined ? undefined : linkIds[link]
      return connection.all(statement, { planValues: [], id, ...(ids && { ids }) })
    }),
  )
  for (const [index, { field }] of run.entries())
    if (found[index]?.length) report(errors, () => createUnlinkError(field, plan))
}

function createUnlinkError(field: RelationshipField, { shape, document }: WritePlan): BodyError {
  const { name, to, link } = field
  const pointer = document === 'resource' ? toFieldPointer(field) : '/data'
  const detail =
    link.foreignKey === 'own'
      ? `"${name}" must not be null, because every resource of type ${shape.type} has one; replace it instead.`
      : `A resource of type ${to} cannot be removed from "${name}", because it must belong to one of type ${shape.type}; move it to another one, or delete it.`
  return new BodyError('invalid_value', pointer, detail)
}
