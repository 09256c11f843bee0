import { sql } from 'kysely'
import type { LinkOperation } from '../../model/declare/access.ts'
import type { Dialect, Sql } from '../../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import { findLinkRules, isDefault, type LinkRules } from '../../plan/access/link-rules.ts'
import type { WritePlan, WriteShape } from '../../plan/write.ts'
import type { LinkChange } from '../../plan/write-builder.ts'
import { toFieldPointer } from '../../plan/write-rights.ts'
import { isEqualKey, isInIdList, isKeyPresent, outerKey, toKey } from '../keys/keys.ts'
import { linkKeyAt } from '../keys/link-keys.ts'
import { crossesShards, shardBarrier } from '../keys/shards.ts'
import { compileStatement } from '../statement.ts'
import {
  and,
  columnAt,
  columnsAt,
  inScope,
  isRowInScope,
  matchesRequestedId,
  type Target,
  tableAt,
} from '../tables.ts'
import {
  type AccessCheck,
  type CheckedRows,
  type CheckedWrite,
  compileCheck,
  type EffectiveRule,
  findRules,
} from './access-check.ts'
import { compileRowCondition } from './restrict.ts'
import { isCurrentMember, isListed, isOwnerOfListed } from './written-rows.ts'

// Which rules the ends of a link must match follows from the relationship (`findLinkRules`). Here they become statements, for the rows
// that a write links or unlinks. A document that repeats the stored linkage links and unlinks nothing.

/** The links that a write may change over one relationship of the written resource. */
interface ChangedLinks {
  readonly field: RelationshipField
  /** A to-one relationship in the row is replaced. */
  readonly change: LinkChange['change']
  readonly ids: (plan: WritePlan) => readonly string[]
  /** Whether the server sets the link. */
  readonly isSet: boolean
  readonly link: LinkRules
  readonly unlink: LinkRules
}

/** The checks of the links of a write, and what they are compiled for. */
interface LinkContext extends CheckedWrite {
  readonly member: ResourceType
  readonly pointer: string
}

/** Compiles the checks of the links that a write changes. */
export function compileLinkChecks(
  shape: WriteShape,
  context: CheckedWrite,
): Readonly<Record<'before' | 'after', readonly AccessCheck[]>> {
  const { target, operation } = context
  const changed = listChangedLinks(shape, context).map((links) => {
    const member = getResourceType(target.model, links.field.to)
    return [links, { ...context, member, pointer: pointerTo(links.field, context) }] as const
  })
  return {
    before: [
      ...changed.flatMap(([links, of]) => [
        ...(operation === 'create'
          ? compileNewOwnChecks(links, of, true)
          : compileOwnChecks(links, of)),
        ...compileMemberChecks(links, of),
        ...compileOwnerChecks(links, of),
      ]),
      ...compileParentChecks(shape, context),
    ],
    after:
      operation === 'create'
        ? changed.flatMap(([links, of]) => compileNewOwnChecks(links, of, false))
        : [],
  }
}

/** Whether the written resource must match the rule for updates because of its links: they have no rules of their own. */
export function needsUpdateRule(shape: WriteShape, context: CheckedWrite): boolean {
  return listChangedLinks(shape, context).some(isUpdatedByLinks)
}

function isUpdatedByLinks({ link, unlink }: ChangedLinks): boolean {
  const keys = [...link.own, ...unlink.own]
  return keys.length > 0 && isDefault(link.own, unlink.own)
}

function listChangedLinks(
  { columns, links }: WriteShape,
  { target, resource, operation }: CheckedWrite,
): readonly ChangedLinks[] {
  const { model } = target.access?.unrestricted ?? target
  const { rules } = target.access ?? {}
  if (rules === undefined) return []
  const declared = getResourceType(model, resource.type)
  const describe = (
    name: string,
    change: LinkChange['change'],
    ids: ChangedLinks['ids'],
  ): ChangedLinks => {
    const field = getRelationship(declared, name)
    const find = (of: LinkOperation) =>
      findLinkRules(rules, field, { resource: declared, model }, of)
    const isSet = operation === 'create' && field.set !== undefined
    return { field, change, ids, isSet, link: find('link'), unlink: find('unlink') }
  }
  return [
    ...columns.flatMap((column, index) => {
      if (column.is !== 'key') return []
      const ids = ({ values }: WritePlan) => toIdList(values[index])
      return [describe(column.relationship, 'replace', ids)]
    }),
    ...links.map(({ relationship, change }, index) =>
      describe(relationship, change, ({ linkIds }) => linkIds[index] ?? []),
    ),
  ]
}

function toIdList(id: unknown): readonly string[] {
  return id === null || id === undefined ? [] : [String(id)]
}

function pointerTo({ name }: RelationshipField, { operation }: CheckedWrite): string {
  return operation === 'relate' ? '/data' : toFieldPointer({ is: 'relationship', name })
}

const isNot = (condition: Sql): Sql => sql`(${condition}) is not true`

/** Checks the members that a write links and unlinks. */
function compileMemberChecks(links: ChangedLinks, context: LinkContext): AccessCheck[] {
  const { field, ids } = links
  const { target, member, pointer } = context
  const linking = findRules(member.type, links.link.other, target)
  const unlinking = findRules(member.type, links.unlink.other, target)
  // A rule that both need is checked where members are linked.
  const taking = unlinking.filter(({ key }) => linking.every((rule) => rule.key !== key))
  const { linked, unlinked, taken } = findChangedMembers(links, context)
  return (
    [
      [linking, linked],
      [unlinking, unlinked],
      [taking, field.link.foreignKey === 'other' ? taken : undefined],
    ] as const
  ).flatMap(([rules, isChanged]) =>
    rules.flatMap((rule) => {
      if (isChanged === undefined) return []
      const where = [...isChanged, ...isRowInScope(member)]
      return compileCheck(rule, { resource: member, where, pointer, ids }, target)
    }),
  )
}

/** The conditions on the members that a write changes; `undefined` for none. `taken` are members that another resource has. */
function findChangedMembers(
  { field, change, link, unlink }: ChangedLinks,
  context: LinkContext,
): Readonly<Record<'linked' | 'unlinked' | 'taken', readonly Sql[] | undefined>> {
  const { target, member, operation } = context
  const listed = isListed(member, target)
  const current = isCurrentMember(field, context.resource, context.target)
  const isNew = operation === 'create'
  // Only rules of the relationship let a document repeat what it may not link.
  const isRepeatable = !isNew && !isDefault(link.other, unlink.other)
  const hasKey = isKeyPresent(linkKeyAt(field.link, 'otherKey', 0))
  const linked = [listed, ...(isRepeatable ? [isNot(current)] : [])]
  const unlinked = [current, change === 'remove' ? listed : sql`not (${listed})`]
  return {
    linked: change === 'remove' ? undefined : linked,
    unlinked: isNew || change === 'add' ? undefined : unlinked,
    taken: change === 'remove' ? undefined : [...linked, ...hasKey],
  }
}

/** Checks the row of a resource whose links have rules of their own, as it is before the write. */
function compileOwnChecks(links: ChangedLinks, context: LinkContext): AccessCheck[] {
  if (isDefault(links.link.own, links.unlink.own)) return []
  const { change, ids } = links
  const { target, resource, pointer } = context
  const own = [matchesRequestedId(resource, 0, target), ...isRowInScope(resource)]
  const compile = (rules: readonly EffectiveRule[], isChanged: readonly Sql[]) =>
    rules.flatMap((rule) => {
      const rows = { resource, where: [...own, ...isChanged], pointer, ids }
      return compileCheck(rule, rows, target)
    })
  const linking = change === 'remove' ? [] : findRules(resource.type, links.link.own, target)
  const unlinking = change === 'add' ? [] : findRules(resource.type, links.unlink.own, target)
  return [
    ...compile(linking, [addsLinks(links, context)]),
    ...linking.flatMap((rule) => compileWithNewKey(rule, links, context)),
    ...compile(unlinking, removesLinks(links, context)),
  ]
}

/** Compiles whether a write links a row that the written resource, `t0`, has no link to. */
function addsLinks({ field }: ChangedLinks, context: LinkContext): Sql {
  const { link } = field
  const barrier = memberBarrier(field, context)
  // One member is listed.
  if (barrier)
    return sql`${existsMember([], field, context)} and ${isNot(linksMember(field, context))}`
  const isLinked =
    link.foreignKey === 'own'
      ? isSameKeyAt(0, field, 1, context.target.dialect)
      : isCurrentMember(field, context.resource, context.target)
  return existsMember([isNot(isLinked)], field, context)
}

/** Compiles whether a write removes or replaces a link of the written resource, `t0`. */
function removesLinks({ field, change }: ChangedLinks, context: LinkContext): readonly Sql[] {
  const { link } = field
  const { member, target } = context
  if (link.foreignKey === 'own') {
    const kept = linksMember(field, context)
    if (change === 'remove') return [kept]
    const hasKey = isKeyPresent(linkKeyAt(link, 'ownKey', 0))
    if (member.scope === undefined && !target.facts.mayHide(member.table))
      return [...hasKey, sql`not (${kept})`]
    // Null leaves a link to a row alone that the request may not read.
    const isReplaced = existsMember([], field, context)
    const current = and([
      isCurrentMember(field, context.resource, context.target),
      ...inScope(0, member),
    ])
    const isVisible = sql`exists (select 1 from ${tableAt(0, member.table)} where ${current})`
    return [...hasKey, sql`not (${kept})`, sql`(${isReplaced} or ${isVisible})`]
  }
  const current = [isCurrentMember(field, context.resource, context.target), ...inScope(0, member)]
  if (change === 'remove') return [existsMember(current, field, context)]
  const where = and([...current, sql`not (${isListed(member, target)})`])
  return [sql`exists (select 1 from ${tableAt(0, member.table)} where ${where})`]
}

/** The end of a subquery over members that may be on other servers than the written resource, whose row has their key. */
function memberBarrier(field: RelationshipField, { resource, target }: LinkContext) {
  const isOwn = field.link.foreignKey === 'own'
  return shardBarrier(isOwn && crossesShards(resource, field, target), target)
}

/** Compiles whether the own key of `t0` references one of the listed members. */
function linksMember(field: RelationshipField, context: LinkContext): Sql {
  const { member, target } = context
  const { link } = field
  const barrier = memberBarrier(field, context)
  if (!barrier) return existsMember([isSameKeyAt(0, field, 1, target.dialect)], field, context)
  const listed = isInIdList(columnsAt(1, member.id.columns), 'ids', member.id, target.dialect)
  const where = and([listed, ...inScope(1, member)])
  const keys = sql`select ${sql.join(linkKeyAt(link, 'otherKey', 1))} from ${tableAt(1, member.table)} where ${where}${barrier}`
  return sql`(${toKey(linkKeyAt(link, 'ownKey', 0))} in (${keys})) is true`
}

/**
 * Compiles whether one of the listed members matches conditions: on `t1` for a key in the own row, else on `t0`. A member that the
 * identity may not read is reported as absent.
 */
function existsMember(
  conditions: readonly Sql[],
  field: RelationshipField,
  context: LinkContext,
): Sql {
  const { member, target } = context
  const depth = field.link.foreignKey === 'own' ? 1 : 0
  const end = memberBarrier(field, context) ?? sql``
  const columns = columnsAt(depth, member.id.columns)
  const listed = isInIdList(columns, 'ids', member.id, target.dialect)
  const where = and([listed, ...inScope(depth, member), ...conditions])
  return sql`exists (select 1 from ${tableAt(depth, member.table)} where ${where}${end})`
}

/** Compiles whether the key of a row references a member. */
function isSameKeyAt(
  own: number,
  { link }: RelationshipField,
  member: number,
  dialect: Dialect,
): Sql {
  const ownKey = outerKey(linkKeyAt(link, 'ownKey', own), dialect)
  return isEqualKey(linkKeyAt(link, 'otherKey', member), ownKey)
}

/** Compiles the listed members as `t2`, and the conditions on it. */
function selectListed(field: RelationshipField, context: LinkContext) {
  const { member, target } = context
  const columns = columnsAt(2, member.id.columns)
  const isMember = isInIdList(columns, 'ids', member.id, target.dialect)
  const listed = [isMember, ...inScope(2, member)]
  const table = tableAt(2, member.table)
  const barrier = memberBarrier(field, context)
  if (!barrier) return { from: table, listed }
  const rows = sql`(select * from ${table} where ${and(listed)}${barrier})`
  return { from: sql`${rows} as ${sql.id('t2')}`, listed: [] }
}

/** Checks the row with the new key, which references the listed member: a condition may depend on it. */
function compileWithNewKey(
  { key, condition }: EffectiveRule,
  { field, ids }: ChangedLinks,
  context: LinkContext,
): AccessCheck[] {
  const { target, resource, pointer } = context
  const { link } = field
  if (link.foreignKey !== 'own' || typeof condition === 'boolean') return []
  const used = new Set<string>()
  const column = (name: string) => {
    used.add(name)
    return columnAt(0, name)
  }
  const rule = compileRowCondition(condition, { resource, column }, target)
  if (used.size === 0) return []
  const values = [...used].map((name) => {
    const index = link.ownKey.indexOf(name)
    const value = index === -1 ? columnAt(1, name) : columnAt(2, link.otherKey[index] ?? '')
    return sql`${value} as ${sql.id(name)}`
  })
  const { from, listed } = selectListed(field, context)
  const isChanged = isNot(isSameKeyAt(1, field, 2, target.dialect))
  const where = and([matchesRequestedId(resource, 1, target), ...listed, isChanged])
  const row = sql`select ${sql.join(values)} from ${tableAt(1, resource.table)}, ${from} where ${where}`
  const select = sql`select 1 from (${row}) as ${sql.id('t0')} where (${rule}) is not true limit 1`
  const statement = compileStatement(select, target.dialect)
  return [{ statement, key, type: resource.type, pointer, ids }]
}

/**
 * Checks the row of a new resource that has links with rules of their own: those that refuse every row before the insert, so that no
 * constraint reveals a value, and the others on the stored row.
 */
function compileNewOwnChecks(
  { link, ids, isSet }: ChangedLinks,
  { target, resource, member, pointer }: LinkContext,
  isBefore: boolean,
): AccessCheck[] {
  if (isSet || isDefault(link.own, [])) return []
  const listed = [isListed(member, target), ...isRowInScope(member)]
  return findRules(resource.type, link.own, target).flatMap((rule) => {
    if (isBefore !== (rule.condition === false)) return []
    if (!isBefore) {
      const exists = sql`exists (select 1 from ${tableAt(0, member.table)} where ${and(listed)})`
      const where = [matchesRequestedId(resource, 0, target), exists]
      return compileCheck(rule, { resource, where, pointer, ids }, target)
    }
    const checks = compileCheck(rule, { resource: member, where: listed, pointer, ids }, target)
    return checks.map((check) => ({ ...check, type: resource.type }))
  })
}

/** Checks the other resources of the written type whose members a change takes away. */
function compileOwnerChecks(
  { field, change, ids, unlink }: ChangedLinks,
  context: LinkContext,
): AccessCheck[] {
  const { target, resource, operation, pointer } = context
  const { link } = field
  if (link.foreignKey !== 'other' || change === 'remove') return []
  const isOther =
    operation === 'create' ? [] : [sql`not (${matchesRequestedId(resource, 0, target)})`]
  const where = [isOwnerOfListed(resource, field, target), ...isOther, ...isRowInScope(resource)]
  const rows: CheckedRows = { resource, where, pointer, ids }
  return findRules(resource.type, unlink.own, target).flatMap((rule) =>
    compileCheck(rule, rows, target),
  )
}

/** Checks the resource in the path to which a new row is linked, if only its type declares the relationship. */
function compileParentChecks(
  { parent, columns }: WriteShape,
  { target }: CheckedWrite,
): AccessCheck[] {
  const column = columns.find(({ is }) => is === 'parent')
  const of = parent ?? (column?.is === 'parent' ? column : undefined)
  const { rules, unrestricted } = target.access ?? {}
  if (of === undefined || rules === undefined || unrestricted === undefined) return []
  const { model } = unrestricted
  const declared = getResourceType(model, of.type)
  const field = getRelationship(declared, of.relationship)
  const { own } = findLinkRules(rules, field, { resource: declared, model }, 'link')
  const resource = getResourceType(target.model, of.type)
  const rows: CheckedRows = {
    resource,
    where: [isListed(resource, target), ...isRowInScope(resource)],
    pointer: '/data',
    ids: ({ precondition }) => (precondition ? [precondition.id] : []),
  }
  return findRules(of.type, own, target).flatMap((rule) => compileCheck(rule, rows, target))
}

/**
 * Compiles the checks of members after a write changed their foreign key: those that it has linked, and without rules for links those
 * that it has unlinked too. They take the `ids` of the members.
 */
export function compileChangedMemberChecks(
  shape: WriteShape,
  index: number,
  target: Target,
): readonly AccessCheck[] {
  const resource = getResourceType(target.model, shape.type)
  const context: CheckedWrite = { target, resource, operation: 'update' }
  const changed = listChangedLinks({ ...shape, columns: [] }, context)[index]
  if (changed?.field.link.foreignKey !== 'other') return []
  const { field, link, unlink } = changed
  const member = getResourceType(target.model, field.to)
  const isLinked =
    shape.row !== 'existing' || isDefault(link.other, unlink.other)
      ? []
      : [isCurrentMember(field, context.resource, context.target)]
  const where = [isListed(member, target), ...isLinked]
  return findRules(field.to, link.other, target).flatMap((rule) =>
    compileCheck(rule, { resource: member, where }, target),
  )
}
