import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import type { IncludePageShape, LocatedIncludeEdge } from '../../plan/include.ts'
import { compileCondition } from '../filter/filter.ts'
import { isInIdList, nameColumns, toKey } from '../keys/keys.ts'
import { isLinkedFrom, linkKeyAt } from '../keys/link-keys.ts'
import { listLinkTables } from '../keys/shards.ts'
import { compileStatement, rawParam, type Statement } from '../statement.ts'
import { rowsAt } from '../table-function.ts'
import { and, asId, columnsAt, inScope, type Target, tableAt } from '../tables.ts'
import { compileLinkedPairs } from './linkage-lookups.ts'
import { compileKeyValues, listBranches, pageName } from './page.ts'
import { isFoundByKey } from './related-rows.ts'
import { compileOrder, compileOrderBy, type OrderKey } from './sort.ts'

// The pages of include edges. One statement reads the first members of all resources from which an edge starts: pairs of the id of such a
// resource and the id of a member. With an index of the key, a subquery for each resource stops at the limit: if the index continues with
// the keys of the order, the work depends on the limit and not on the number of members. Otherwise one pass numbers the members of all.

/** Reads the members of the resources from which an include edge starts. */
export interface MembersRead {
  /** The index of the include edge. */
  readonly edge: number
  /**
   * Takes `ids` and `maxRows`, and the values of the plan. Returns the id of a resource, that of a member, and the values of the sort keys
   * if cursors need them; the members of a resource are in order.
   */
  readonly statement: Statement
}

/** Compiles the statements of the include edges with a page. */
export function compileMembersReads(
  includeEdges: readonly LocatedIncludeEdge[],
  target: Target,
): readonly MembersRead[] {
  return includeEdges.flatMap((edge, index) =>
    edge.page ? [{ edge: index, statement: compileMembers(edge, edge.page, target) }] : [],
  )
}

/** The members of a relationship as `t1`. */
interface Members {
  readonly owner: ResourceType
  readonly field: RelationshipField
  readonly page: IncludePageShape
  readonly target: Target
  /** The joins of the order. */
  readonly joins: Sql
  readonly keys: readonly OrderKey[]
  /** The conditions on a member beside its link: the scope of its type, and the filter. */
  readonly where: readonly Sql[]
  /** The ids of the resource, as `t0`, and of the member. */
  readonly ids: Readonly<{ owner: Sql; member: Sql }>
}

function compileMembers(
  edge: LocatedIncludeEdge,
  page: IncludePageShape,
  target: Target,
): Statement {
  const owner = getResourceType(target.model, edge.type)
  const field = getRelationship(owner, edge.relationship)
  const related = getResourceType(target.model, field.to)
  const { joins, keys } = compileOrder(page.order, related, target, 1)
  const filter = page.where
    ? [compileCondition(page.where, { resource: related, depth: 1 }, target)]
    : []
  const ids = {
    owner: asId(columnsAt(0, owner.id.columns), owner.id, target),
    member: asId(columnsAt(1, related.id.columns), related.id, target),
  }
  const where = [...inScope(1, related), ...filter]
  const members: Members = { owner, field, page, target, joins, keys, where, ids }
  const select = isLookup(members) ? compileLookups(members) : compileNumbered(members)
  return compileStatement(sql`${select} limit ${rawParam('maxRows')} + 0`, target.dialect)
}

/** Whether an index finds the members of each resource. The numbers of related resources are counted once for all members. */
function isLookup({ owner, field, page, target }: Members): boolean {
  const { facts, model } = target
  const { table, id } = getResourceType(model, field.to)
  const tables = listLinkTables(owner.table, field.link, table)
  return (
    isFoundByKey(field, target) &&
    facts.isIndexed(table, id.columns) &&
    tables.every((each) => facts.shardingOf(each) === undefined) &&
    !page.order.some(({ isCount }) => isCount)
  )
}

/** Compiles a subquery for each resource, which stops at the limit. */
function compileLookups(members: Members): Sql {
  const { owner, field, target, keys, ids } = members
  const { id } = getResourceType(target.model, field.to)
  const owners = rowsAt(0, owner, target)
  const isListed = isInIdList(columnsAt(0, owner.id.columns), 'ids', owner.id, target.dialect)
  if (target.dialect.hasLateralJoins) {
    const { select, named } = nameMembers(members)
    const columns = sql.join([ids.owner, ...selectMember(named, members)])
    return sql`select ${columns} from ${owners} cross join lateral (${compileFirst(members, select)}) as ${pageName} where ${isListed} order by ${compileOrderBy(named.keys)}`
  }
  const memberKey = columnsAt(1, id.columns)
  const expressions = keys.map(({ expression }) => expression)
  const columns = sql.join([ids.owner, ids.member, ...selectKeys(expressions, members)])
  const isFirst = sql`${toKey(memberKey)} in (${compileFirst(members, sql.join(memberKey))})`
  return sql`select ${columns} from ${owners} cross join ${compileFrom(members)} where ${and([isListed, isFirst])} order by ${compileOrderBy(keys)}`
}

function compileFrom({ field, target, joins }: Members): Sql {
  return sql`${tableAt(1, getResourceType(target.model, field.to).table)}${joins}`
}

/** Compiles the first members of the resource `t0`: those behind the start by branches, as those of a list (`page.ts`). */
function compileFirst(members: Members, columns: Sql): Sql {
  const { field, page, target, keys, where } = members
  const isLinked = isLinkedFrom(1, field.link, toKey(linkKeyAt(field.link, 'ownKey', 0)))
  const limit = page.limit === undefined ? sql`` : sql` limit ${rawParam(page.limit)} + 0`
  const compileRows = (conditions: readonly Sql[], order: Sql) =>
    sql`select ${columns} from ${compileFrom(members)} where ${and([isLinked, ...where, ...conditions])} order by ${order}${limit}`
  const branches = page.after && listBranches(keys, page.after, target)
  if (branches === undefined) return compileRows([], compileOrderBy(keys))
  const parts = branches.map(
    ({ conditions, order }, index) =>
      sql`select * from (${compileRows(conditions, order)}) as ${sql.id(`b${index}`)}`,
  )
  return sql`${sql.join(parts, sql.raw(' union all '))}${limit}`
}

/** Compiles one pass over the members of all resources, which numbers those of each. Equal pairs of a join table have equal numbers. */
function compileNumbered(members: Members): Sql {
  const { owner, field, page, target, joins, keys } = members
  const where = [...members.where, ...isBehindStart(members)]
  const pairs = compileLinkedPairs(owner, field, target)
  const ownerId = asId(pairs.ownerId, owner.id, target)
  const { select, named } = nameMembers(members)
  const number = sql`dense_rank() over (partition by ${sql.join(pairs.ownerId)} order by ${compileOrderBy(keys)})`
  const isListed = isInIdList(pairs.ownerId, 'ids', owner.id, target.dialect)
  const numbered = sql`select ${ownerId} as lapidary_owner, ${select}, ${number} as lapidary_number from ${pairs.from}${joins} where ${and([isListed, ...where])}`
  const columns = sql.join([sql`${pageName}.lapidary_owner`, ...selectMember(named, members)])
  const isFirst =
    page.limit === undefined
      ? sql`true`
      : sql`${pageName}.lapidary_number <= ${rawParam(page.limit)}`
  return sql`select ${columns} from (${numbered}) as ${pageName} where ${isFirst} order by ${compileOrderBy(named.keys)}`
}

/** Compiles whether a member is behind the position at which the members start: in one of the branches. */
function isBehindStart({ keys, page, target }: Members): Sql[] {
  if (page.after === undefined) return []
  const branches = listBranches(keys, page.after, target).map(({ conditions }) => and(conditions))
  return [sql`(${sql.join(branches, sql.raw(' or '))})`]
}

/** The id and the keys of a member outside of a subquery. */
interface NamedMember {
  readonly id: Sql
  readonly keys: readonly OrderKey[]
}

/** Names the id and the keys of a member as columns of a subquery. */
function nameMembers({ ids, keys }: Members): Readonly<{ select: Sql; named: NamedMember }> {
  const expressions = [ids.member, ...keys.map(({ expression }) => expression)]
  const { names, select } = nameColumns('lapidary_key', expressions)
  const [id = sql`null`, ...others] = names.map((name) => sql`${pageName}.${name}`)
  const named = keys.map((key, at) => ({ ...key, expression: others[at] ?? key.expression }))
  return { select, named: { id, keys: named } }
}

function selectMember({ id, keys }: NamedMember, members: Members): Sql[] {
  const expressions = keys.map(({ expression }) => expression)
  return [id, ...selectKeys(expressions, members)]
}

function selectKeys(keys: readonly Sql[], { page, target }: Members): Sql[] {
  return page.hasKeys ? compileKeyValues(keys, {}, target) : []
}
