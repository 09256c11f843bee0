import { sql } from 'kysely'
import type { Operation } from '../../model/access.ts'
import type { Sql } from '../../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import { findRowCondition } from '../../plan/access/identity.ts'
import { findLinkOperation, isChangedBy } from '../../plan/access/rights.ts'
import type { RowCondition } from '../../plan/access/rules.ts'
import type { WritePlan, WriteShape } from '../../plan/write.ts'
import { type LinkChange, toFieldPointer } from '../../plan/write-builder.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { and, columnAt, isRowInScope, matchesRequestedId, type Target, tableAt } from '../tables.ts'
import { compileRowCondition } from './restrict.ts'
import { type AccessLock, compileAccessLocks } from './write-locks.ts'
import { isCurrentMember, isListed, isOwnerOfListed } from './written-rows.ts'

/** A statement that returns a row if a rule refuses a write. It takes the `id` of the written resource, and `ids`. */
export interface AccessCheck {
  readonly statement: Statement
  readonly operation: Operation
  /** The type whose rule it is. */
  readonly type: string
  /** The position of the relationship in the document; `undefined` if the rule concerns the written resource. */
  readonly pointer: string | undefined
  /** Returns the ids that it takes. */
  readonly ids: (plan: WritePlan) => readonly string[]
}

/** The rules that a write must meet. */
export interface AccessChecks {
  /** Whether the operation is refused for every row. */
  readonly isDenied: boolean
  /** The locks of the rows whose rules count; they precede the checks. */
  readonly locks: readonly AccessLock[]
  /** Before the write: they concern rows that the request may read. */
  readonly before: readonly AccessCheck[]
  /** After the write: the written row. */
  readonly after: readonly AccessCheck[]
}

/** The checks of a write, and the target that they are compiled for. */
interface CheckContext {
  readonly target: Target
  readonly resource: ResourceType
  readonly operation: NonNullable<WritePlan['operation']>
}

/** Compiles the checks of a write. None for a target without rules. */
export function compileAccessChecks(
  shape: WriteShape,
  operation: NonNullable<WritePlan['operation']>,
  target: Target,
): AccessChecks {
  const resource = getResourceType(target.model, shape.type)
  const context: CheckContext = { target, resource, operation }
  const own = listOwnRules(shape, context)
  const isNew = shape.row !== 'existing'
  const ofRow = (scope: readonly Sql[]) => {
    const where = [matchesRequestedId(resource, 0, target), ...scope]
    return own.flatMap((rule) => compileCheck(rule, { resource, where }, context))
  }
  return {
    locks: compileAccessLocks(shape, operation, target),
    isDenied: own.some(({ condition }) => condition === false) && isNew,
    before: [
      ...(isNew ? [] : ofRow(isRowInScope(resource))),
      ...shape.columns.flatMap((column, index) => {
        if (column.is === 'attribute') return []
        return compileKeyChecks(column, index, context)
      }),
      ...shape.links.flatMap((change, index) => compileLinkChecks(change, index, context)),
      ...compileParentChecks(shape, context),
    ],
    after: operation === 'delete' ? [] : ofRow([]),
  }
}

/** A rule that rows must match. */
interface AppliedRule {
  readonly operation: Operation
  readonly condition: RowCondition
}

/** Returns the rule of an operation, if it refuses any row. */
function findRule(
  type: string,
  operation: Operation,
  { target }: CheckContext,
): readonly AppliedRule[] {
  const condition = findRowCondition(target.access?.rules, type, operation)
  return condition === true ? [] : [{ operation, condition }]
}

/** Returns the rule for links of a type. @param isChanged - whether the rule for updates applies if there is none for links */
function findLinkRule(
  type: string,
  isChanged: boolean,
  context: CheckContext,
): readonly AppliedRule[] {
  const { rules } = context.target.access ?? {}
  const operation = rules && findLinkOperation(rules, type, isChanged)
  return operation === undefined ? [] : findRule(type, operation, context)
}

/** The rules for the written resource itself. */
function listOwnRules(shape: WriteShape, context: CheckContext): readonly AppliedRule[] {
  const { operation, resource, target } = context
  const { type } = shape
  const relationships = [
    ...shape.columns.flatMap((column) => (column.is === 'key' ? [column.relationship] : [])),
    ...shape.links.map(({ relationship }) => relationship),
  ].map((name) => getRelationship(resource, name))
  if (operation === 'relate') {
    const isChanged = relationships.some(({ link }) => link.foreignKey !== 'other')
    return findLinkRule(type, isChanged, context)
  }
  const hasLinkRule = target.access?.rules.types.get(type)?.relate !== undefined
  // The links of a new row are part of what the rule for creates decides.
  const isRelated = operation === 'update' && relationships.length > 0 && hasLinkRule
  const ofLinks = isRelated ? findRule(type, 'relate', context) : []
  return [...findRule(type, operation, context), ...ofLinks]
}

/** The rows that a check reads, and where its error points. */
interface CheckedRows extends Partial<Pick<AccessCheck, 'pointer' | 'ids'>> {
  readonly resource: ResourceType
  readonly where: readonly Sql[]
}

function compileCheck(
  { operation, condition }: AppliedRule,
  { resource, where, pointer, ids = () => [] }: CheckedRows,
  { target }: CheckContext,
): AccessCheck[] {
  const column = (name: string) => columnAt(0, name)
  const rule = compileRowCondition(condition, { resource, column, isOfRow: true }, target)
  const refused = and([...where, sql`(${rule}) is not true`])
  const select = sql`select 1 from ${tableAt(0, resource.table)} where ${refused} limit 1`
  const statement = compileStatement(select, target.dialect)
  return [{ statement, operation, type: resource.type, pointer, ids }]
}

/** Checks the rows that a foreign key of the written row references, before the write and after it. */
function compileKeyChecks(
  column: Exclude<WriteShape['columns'][number], { is: 'attribute' }>,
  index: number,
  context: CheckContext,
): AccessCheck[] {
  const { target, resource } = context
  const isParent = column.is === 'parent'
  const type = isParent ? column.type : getRelationship(resource, column.relationship).to
  const other = getResourceType(target.model, type)
  const ids = ({ values }: WritePlan) => {
    const id = values[index]
    return id === null || id === undefined ? [] : [String(id)]
  }
  return findLinkRule(type, false, context).flatMap((rule) => {
    const scope = isRowInScope(other)
    const pointer = isParent ? '/data' : pointerTo(column.relationship, context)
    const compile = (isChecked: Sql) =>
      compileCheck(rule, { resource: other, where: [isChecked, ...scope], pointer, ids }, context)
    const linked = compile(isListed(other, target))
    if (isParent || context.operation === 'create') return linked
    const field = getRelationship(resource, column.relationship)
    return [...linked, ...compile(isCurrentMember(field, resource, target))]
  })
}

function pointerTo(name: string, { operation }: CheckContext): string {
  return operation === 'relate' ? '/data' : toFieldPointer({ is: 'relationship', name })
}

/** Checks the members that a change of a relationship links and unlinks, and the resources that they are taken from. */
function compileLinkChecks(
  { relationship, change }: LinkChange,
  index: number,
  context: CheckContext,
): AccessCheck[] {
  const { target, resource, operation } = context
  const field = getRelationship(resource, relationship)
  const member = getResourceType(target.model, field.to)
  const ids = ({ linkIds }: WritePlan) => linkIds[index] ?? []
  const pointer = pointerTo(relationship, context)
  const listed = isListed(member, target)
  const isCurrent = isCurrentMember(field, resource, target)
  const added = change === 'remove' ? [] : [[listed]]
  const removed = {
    add: [],
    remove: [[isCurrent, listed]],
    replace: [[isCurrent, sql`not (${listed})`]],
  }[change]
  const changed = operation === 'create' ? added : [...added, ...removed]
  const { unrestricted = target } = target.access ?? {}
  const isChanged = isChangedBy(field, resource, unrestricted.model)
  const ofMembers = findLinkRule(field.to, isChanged, context).flatMap((rule) =>
    changed.flatMap((isMember) => {
      const where = [...isMember, ...isRowInScope(member)]
      return compileCheck(rule, { resource: member, where, pointer, ids }, context)
    }),
  )
  if (field.link.foreignKey !== 'other' || change === 'remove') return ofMembers
  return [...ofMembers, ...compileOwnerChecks(field, index, context)]
}

/** Checks the other resources of the written type whose members a change takes away. */
function compileOwnerChecks(
  field: RelationshipField,
  index: number,
  context: CheckContext,
): AccessCheck[] {
  const { target, resource } = context
  const rows: CheckedRows = {
    resource,
    where: [isOwnerOfListed(field, target), ...isRowInScope(resource)],
    pointer: pointerTo(field.name, context),
    ids: ({ linkIds }) => linkIds[index] ?? [],
  }
  return findLinkRule(resource.type, false, context).flatMap((rule) =>
    compileCheck(rule, rows, context),
  )
}

/** Checks the resource in the path to which a new row is linked over a join table. */
function compileParentChecks({ parent }: WriteShape, context: CheckContext): AccessCheck[] {
  if (parent === undefined) return []
  const { target } = context
  const resource = getResourceType(target.model, parent.type)
  const rows: CheckedRows = {
    resource,
    where: [isListed(resource, target), ...isRowInScope(resource)],
    pointer: '/data',
    ids: ({ precondition }) => (precondition ? [precondition.id] : []),
  }
  return findLinkRule(parent.type, true, context).flatMap((rule) =>
    compileCheck(rule, rows, context),
  )
}

/** Compiles the check of members after a write changed their foreign key; it takes their `ids`. */
export function compileMemberCheck(
  shape: WriteShape,
  index: number,
  target: Target,
): AccessCheck | undefined {
  const resource = getResourceType(target.model, shape.type)
  const change = shape.links[index]
  if (change === undefined) return undefined
  const field = getRelationship(resource, change.relationship)
  if (field.link.foreignKey !== 'other') return undefined
  const member = getResourceType(target.model, field.to)
  const context: CheckContext = { target, resource, operation: 'update' }
  const [check] = findLinkRule(field.to, true, context).flatMap((rule) =>
    compileCheck(rule, { resource: member, where: [isListed(member, target)] }, context),
  )
  return check
}
