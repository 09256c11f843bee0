import { sql } from 'kysely'
import { HttpError } from '../../errors/errors.ts'
import type { Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType } from '../../model/model.ts'
import type { MembersShape } from '../../plan/members.ts'
import type { Row } from '../../plan/row-layout.ts'
import { isInIdList, toKey } from '../keys/keys.ts'
import { linkKeyAt } from '../keys/link-keys.ts'
import { compileLoad, compileSelection } from '../read/select.ts'
import { compileStatement, rawParam, type Statement } from '../statement.ts'
import { and, columnsAt, idOrder, inScope, type Target, tableAt } from '../tables.ts'
import { compileKey } from './written-columns.ts'

/** The maximum number of resources whose hooks a change of a relationship runs: they are in memory until the commit. */
export const maxChangedMembers = 10_000

/**
 * Compiles the read of several stored resources. It takes the `ids` and, for the members of a change, the `id` of the resource whose
 * relationship changes. `maxRows` limits the rows.
 */
export function compileMembers({ layout, changedBy }: MembersShape, target: Target): Statement {
  const { dialect } = target
  const resource = getResourceType(target.model, layout.type)
  const { columns, joins } = compileSelection(layout, target)
  const { id } = resource
  const isListed = isInIdList(columnsAt(0, id.columns), 'ids', id, dialect)
  const where = changedBy ? compileIsChanged(changedBy, resource, isListed, target) : isListed
  const from = sql`${tableAt(0, resource.table)}${sql.join(joins, sql``)}`
  const order = idOrder(0, id, target)
  const canLock = changedBy && !target.facts.triggersOf(resource.table)?.cannotLock
  // Other joined rows are not locked.
  const lock =
    canLock && dialect.locks ? sql`${dialect.locks['no key update']} of ${sql.id('t0')}` : sql``
  const expression = sql`select ${sql.join(columns)} from ${from} where ${where} order by ${order} limit ${rawParam('maxRows')} + 0${lock}`
  return { ...compileStatement(expression, dialect), load: compileLoad(layout, target) }
}

/** Compiles whether a change of a relationship changes the foreign key of `t0`, as the statements of the write do. */
function compileIsChanged(
  { type, relationship, change }: NonNullable<MembersShape['changedBy']>,
  member: ResourceType,
  isListed: Sql,
  target: Target,
): Sql {
  const owner = getResourceType(target.model, type)
  const { link } = getRelationship(owner, relationship)
  const key = toKey(linkKeyAt(link, 'otherKey', 0))
  const self = toKey(compileKey(owner, link.ownKey, 'id', target))
  const isAdded = sql`${isListed} and not (${target.dialect.nullSafeEquals(key, self)})`
  const isUnlinked = (condition: Sql) =>
    and([sql`${key} = ${self}`, condition, ...inScope(0, member)])
  switch (change) {
    case 'add':
      return isAdded
    case 'remove':
      return isUnlinked(isListed)
    case 'replace':
      return sql`((${isUnlinked(sql`not (${isListed})`)}) or (${isAdded}))`
  }
}

/** @throws HttpError `too_many_resources` (400) when a change is about more resources than may be in memory */
export function checkMemberLimit(rows: readonly Row[], { layout }: MembersShape): void {
  if (rows.length <= maxChangedMembers) return
  const detail = `The request changes the foreign key of more than ${maxChangedMembers} resources of the type ${layout.type}, whose hooks would run; send several requests.`
  throw new HttpError('too_many_resources', detail)
}
