import type { RowLock, Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType } from '../../model/model.ts'
import { findRowCondition } from '../../plan/access/identity.ts'
import type { WritePlan, WriteShape } from '../../plan/write.ts'
import type { LinkChange, WriteColumn } from '../../plan/write-builder.ts'
import type { Statement } from '../statement.ts'
import { columnAt, isRowInScope, matchesRequestedId, type Target } from '../tables.ts'
import { compileRowLock } from '../write/row-locks.ts'
import { compileRowCondition } from './restrict.ts'
import { isCurrentMember, isListed, isOwnerOfListed } from './written-rows.ts'

// The rows whose rules a write must meet. They are locked before the rules are checked: another transaction that takes a right away
// has then either committed, or waits for the end of the write (docs/guides/authentication.md, Concurrent changes).

/** A statement that locks rows. It takes the `id` of the written resource, and `ids`. */
export interface AccessLock {
  readonly statement: Statement
  /** Returns the ids that it takes. */
  readonly ids: (plan: WritePlan) => readonly string[]
}

/** What the locks of a write are compiled for. */
interface LockContext {
  readonly target: Target
  readonly resource: ResourceType
  readonly isNew: boolean
}

/**
 * Compiles the locks of a write, besides that of the resource in the path: the row of a deletion, and the rows at the other ends of the
 * links that are added and removed. Rows of types without rules are not locked.
 */
export function compileAccessLocks(
  shape: WriteShape,
  operation: NonNullable<WritePlan['operation']>,
  target: Target,
): readonly AccessLock[] {
  const resource = getResourceType(target.model, shape.type)
  const context = { target, resource, isNew: shape.row !== 'existing' }
  if (operation === 'delete') {
    const lock = resource.softDelete === undefined ? 'update' : 'no key update'
    return lockRows(resource, isDeletable(resource, target), { lock }, context)
  }
  return [
    ...shape.columns.flatMap((column, index) => lockKey(column, index, context)),
    ...shape.links.flatMap((change, index) => lockMembers(change, index, context)),
  ]
}

/**
 * Compiles the conditions of a deletion on `t0`. The rules are some of them, so that a deletion that they deny neither waits for other
 * transactions nor violates a constraint.
 */
export function isDeletable(resource: ResourceType, target: Target): readonly Sql[] {
  const rule = findRowCondition(target.access?.rules, resource.type, 'delete')
  const column = (name: string) => columnAt(0, name)
  const isAllowed = compileRowCondition(rule, { resource, column, isOfRow: true }, target)
  return [
    matchesRequestedId(resource, 0, target),
    ...isRowInScope(resource),
    ...(rule === true ? [] : [isAllowed]),
  ]
}

/** How rows are locked, and the ids that the statement takes. */
interface LockOptions extends Partial<Pick<AccessLock, 'ids'>> {
  readonly lock: RowLock
}

/** @param where - about `t0` */
function lockRows(
  resource: ResourceType,
  where: readonly Sql[],
  { lock, ids = () => [] }: LockOptions,
  { target }: LockContext,
): AccessLock[] {
  if (!target.access?.rules.types.has(resource.type)) return []
  return compileRowLock(resource, where, lock, target).map((statement) => ({ statement, ids }))
}

/** Locks the row that a foreign key of the written row references, and the one that it references before. */
function lockKey(column: WriteColumn, index: number, context: LockContext): AccessLock[] {
  // The resource in the path is locked already.
  if (column.is !== 'key') return []
  const { target, resource, isNew } = context
  const field = getRelationship(resource, column.relationship)
  const other = getResourceType(target.model, field.to)
  const ids = ({ values }: WritePlan) => {
    const id = values[index]
    return id === null || id === undefined ? [] : [String(id)]
  }
  const changed = [isListed(other, target)]
  if (!isNew) changed.push(isCurrentMember(field, resource, target))
  const options = { lock: 'share', ids } as const
  return changed.flatMap((each) =>
    lockRows(other, [each, ...isRowInScope(other)], options, context),
  )
}

/** Locks the members that a change of a relationship links and unlinks, then the resources that they are taken from. */
function lockMembers(
  { relationship, change }: LinkChange,
  index: number,
  context: LockContext,
): AccessLock[] {
  const { target, resource, isNew } = context
  const field = getRelationship(resource, relationship)
  const member = getResourceType(target.model, field.to)
  const ids = ({ linkIds }: WritePlan) => linkIds[index] ?? []
  const changed = [isListed(member, target)]
  if (change === 'replace' && !isNew) changed.push(isCurrentMember(field, resource, target))
  const isWritten = field.link.foreignKey === 'other'
  const options = { lock: isWritten ? 'no key update' : 'share', ids } as const
  const members = changed.flatMap((each) =>
    lockRows(member, [each, ...isRowInScope(member)], options, context),
  )
  if (!isWritten || change === 'remove') return members
  const owners = [isOwnerOfListed(resource, field, target), ...isRowInScope(resource)]
  return [...members, ...lockRows(resource, owners, { lock: 'share', ids }, context)]
}
