import type { Sql } from '../../model/dialect.ts'
import { getResourceType } from '../../model/model.ts'
import type { RuleKey } from '../../plan/access/rule-key.ts'
import type { WriteOperation, WriteShape } from '../../plan/write.ts'
import { isRowInScope, matchesRequestedId, type Target } from '../tables.ts'
import { type AccessCheck, type CheckedWrite, compileCheck, findRules } from './access-check.ts'
import { compileLinkChecks, needsUpdateRule } from './link-checks.ts'
import { type AccessLock, compileAccessLocks } from './write-locks.ts'

/** The rules that a write must meet. */
export interface AccessChecks {
  /** Whether the operation is refused for every row. */
  readonly isDenied: boolean
  /** The operation whose rule the written resource must match; `undefined` if only its links change, which have rules of their own. */
  readonly own: RuleKey | undefined
  /** The locks of the rows whose rules count; they precede the checks. */
  readonly locks: readonly AccessLock[]
  /** Before the write: they concern rows that the request may read. */
  readonly before: readonly AccessCheck[]
  /** After the write: the written row. */
  readonly after: readonly AccessCheck[]
}

/** Compiles the checks of a write. None for a target without rules. */
export function compileAccessChecks(
  shape: WriteShape,
  operation: WriteOperation,
  target: Target,
): AccessChecks {
  const resource = getResourceType(target.model, shape.type)
  const context: CheckedWrite = { target, resource, operation }
  const key = findOwnKey(shape, context)
  const own = key ? findRules(shape.type, [key], target) : []
  const isNew = shape.row !== 'existing'
  const ofRow = (scope: readonly Sql[]) => {
    const where = [matchesRequestedId(resource, 0, target), ...scope]
    return own.flatMap((rule) => compileCheck(rule, { resource, where }, target))
  }
  const links = compileLinkChecks(shape, context)
  return {
    own: key,
    locks: compileAccessLocks(shape, operation, target),
    isDenied: own.some(({ condition }) => condition === false) && isNew,
    before: [...(isNew ? [] : ofRow(isRowInScope(resource))), ...links.before],
    after: operation === 'delete' ? [] : [...ofRow([]), ...links.after],
  }
}

function findOwnKey(shape: WriteShape, context: CheckedWrite): RuleKey | undefined {
  const { operation } = context
  if (operation !== 'update' && operation !== 'relate') return operation
  const isOfLinks = shape.columns.every(({ is }) => is !== 'attribute')
  const changesLinks = isOfLinks && shape.columns.length + shape.links.length > 0
  return changesLinks && !needsUpdateRule(shape, context) ? undefined : 'update'
}
