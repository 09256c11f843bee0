import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  isSameKey,
  type Link,
  listKeptColumns,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import type { LinkChange } from '../../plan/write-builder.ts'
import { isEqualKey, isInIdList, isKeyPresent, toKey } from '../keys/keys.ts'
import { type JoinLink, joinKeyAt, linkKeyAt } from '../keys/link-keys.ts'
import { joinCrossesShards, memberCrossesShards, shardBarrier } from '../keys/shards.ts'
import { hasSpellings } from '../read/linkage.ts'
import { compileStatement, type Statement } from '../statement.ts'
import {
  and,
  asIdText,
  columnAt,
  columnsAt,
  inScope,
  isRowReadable,
  matchesRequestedId,
  type Target,
  tableAt,
  tableName,
} from '../tables.ts'
import { compileLockClause, compileRowLock } from './row-locks.ts'
import {
  columnNames,
  compileChangedRows,
  compileIncrement,
  compileKey,
  zipColumns,
} from './written-columns.ts'

/** A link whose members are changed, and its two types. */
interface ChangedLink<L extends Link = Link> {
  readonly resource: ResourceType
  readonly other: ResourceType
  readonly link: L
}

/** Compiles the statements that change the members of a relationship. */
export function compileLink(
  resource: ResourceType,
  { relationship, change }: LinkChange,
  target: Target,
): Statement[] {
  const field: RelationshipField = getRelationship(resource, relationship)
  const changes = compileChanges(resource, field, target)
  return changes[change].map((expression, index) => {
    const unlinksOthers = change === 'replace' && index === 0
    const isPerId = !unlinksOthers && findsById(field.link, target)
    return { ...compileStatement(expression, target.dialect), isPerId }
  })
}

/**
 * Compiles the statements that lock the rows which link the members of a relationship: nobody removes one before the commit. None if the
 * row itself has the key, which is locked anyway.
 */
export function compileMemberLocks(
  resource: ResourceType,
  relationship: string,
  target: Target,
): readonly Statement[] {
  const { to, link } = getRelationship(resource, relationship)
  const self = toKey(compileKey(resource, link.ownKey, 'id', target))
  if (link.foreignKey === 'own') return []
  if (link.foreignKey !== 'join table') {
    const isMember = sql`${toKey(linkKeyAt(link, 'otherKey', 0))} = ${self}`
    return compileRowLock(getResourceType(target.model, to), [isMember], 'no key update', target)
  }
  const lock = compileLockClause(link.joinTable, { lock: 'no key update', key: link.from }, target)
  if (target.dialect.locks === undefined || !target.facts.mayLock(link.joinTable)) return []
  const isLinked = sql`${toKey(joinKeyAt(link, 'from', sql.id))} = ${self}`
  const rows = sql`select 1 from ${tableName(link.joinTable)} where ${isLinked}`
  return [compileStatement(sql`${rows}${lock}`, target.dialect)]
}

/** Whether the rows of a member are found without reading those of all members. */
function findsById(link: Link, { dialect, facts }: Target): boolean {
  // The planner may rather join the members with the whole table.
  if (dialect.hasAntiJoins) return false
  if (link.foreignKey !== 'join table') return link.foreignKey === 'other'
  return facts.isIndexed(link.joinTable, [...link.from, ...link.to])
}

function compileChanges(
  resource: ResourceType,
  { to, link }: RelationshipField,
  target: Target,
): Changes {
  const changed = { resource, other: getResourceType(target.model, to), link }
  if (link.foreignKey === 'join table') return compileJoinTableChanges({ ...changed, link }, target)
  return link.foreignKey === 'own'
    ? compileOwnKeyChanges(changed, target)
    : compileOtherKeyChanges(changed, target)
}

type Changes = Readonly<Record<LinkChange['change'], readonly Sql[]>>

/** Compiles the changes of the row's own key. Setting it is part of the update of the row. */
function compileOwnKeyChanges({ resource, other, link }: ChangedLink, target: Target): Changes {
  const isMember = compileIsMember(link, other, target)
  const conditions = [matchesRequestedId(resource, 0, target), isMember]
  const { table, where } = compileChangedRows(resource, conditions, target)
  const kept = [...resource.id.columns, resource.tenantColumn]
  const columns = link.ownKey.filter((name) => !kept.includes(name))
  const clear = sql`update ${table} set ${assignNull(columns)}${compileIncrement(resource, target)} where ${where}`
  return { add: [], remove: columns.length === 0 ? [] : [clear], replace: [] }
}

function assignNull(columns: readonly string[]): Sql {
  return sql.join(columns.map((column) => sql`${sql.id(column)} = null`))
}

/**
 * Compiles the changes of the other rows' key. Rows outside of their type's scope are not changed. If the type has a scope, the
 * statements return the ids of the changed rows, which may no longer match it.
 */
function compileOtherKeyChanges({ resource, other, link }: ChangedLink, target: Target): Changes {
  const { dialect } = target
  const selfColumns = compileKey(resource, link.ownKey, 'id', target)
  const [key, self] = [toKey(linkKeyAt(link, 'otherKey', 0)), toKey(selfColumns)]
  const { written, agrees } = compileAssignments({ resource, other, link }, selfColumns)
  const isMember = isInIdList(columnsAt(0, other.id.columns), 'ids', other.id, dialect)
  const id = asIdText(columnNames(other.id.columns), other.id, target)
  const returning = other.scope || target.access ? sql` returning ${id}` : returnsChanges(resource)
  const update = (assignments: Sql, conditions: readonly Sql[]) => {
    const { table, where } = compileChangedRows(other, conditions, target)
    return sql`update ${table} set ${assignments}${compileIncrement(other, target)} where ${where}${returning}`
  }
  const set = sql.join(written.map(([name, value]) => sql`${sql.id(name)} = ${value}`))
  const isOther = sql`not (${dialect.nullSafeEquals(key, self)})`
  const add = update(set, [isMember, ...agrees, isOther, ...isRowReadable(other)])
  const cleared = assignNull(written.map(([name]) => name))
  const unlink = (condition: Sql) =>
    update(cleared, [sql`${key} = ${self}`, condition, ...inScope(0, other)])
  return {
    add: [add],
    remove: [unlink(isMember)],
    replace: [unlink(sql`not (${isMember})`), add],
  }
}

/** Returns a null for each changed row, if hooks after an update have to know whether links changed. */
function returnsChanges({ hooks: { afterUpdate, afterCommit } }: ResourceType): Sql {
  return afterUpdate || afterCommit ? sql` returning null` : sql``
}

/**
 * Splits the other rows' key into the columns that are written, with their values, and conditions for those of a composite id or a
 * tenant: they keep their values, which have to agree.
 */
function compileAssignments({ resource, other, link }: ChangedLink, selfColumns: readonly Sql[]) {
  const kept = link.otherKey.length > 1 ? listKeptColumns(other) : []
  const pairs = zipColumns(link.otherKey, selfColumns)
  const written = pairs.filter(([name]) => !kept.includes(name))
  // Only a hook can get here: such a relationship is read-only.
  if (written.length === 0)
    throw new Error(`A member of ${resource.type} cannot change: the id of ${other.type} would.`)
  const agrees = pairs.flatMap(([name, value]) =>
    kept.includes(name) ? [sql`${columnAt(0, name)} = ${value}`] : [],
  )
  return { written, agrees }
}

/**
 * Compiles the changes of the join table: one row for each member, without duplicates. Other columns are not changed. A column of both
 * keys, such as a tenant, is written once, for members that have the same value.
 */
function compileJoinTableChanges(
  { resource, other, link }: ChangedLink<JoinLink>,
  target: Target,
): Changes {
  const table = tableName(link.joinTable)
  const [from, to] = [joinKeyAt(link, 'from', sql.id), joinKeyAt(link, 'to', sql.id)]
  const self = compileKey(resource, link.ownKey, 'id', target)
  const otherKey = linkKeyAt(link, 'otherKey', 0)
  const isMember = isInIdList(columnsAt(0, other.id.columns), 'ids', other.id, target.dialect)
  const otherKeys = (conditions: readonly Sql[]) =>
    sql`select ${sql.join(otherKey)} from ${tableAt(0, other.table)} where ${and(conditions)}`
  const isFromSelf = isEqualKey(from, self)
  const { facts } = target
  const barrier = shardBarrier(memberCrossesShards(link, other.table, facts), target)
  const isNew = compileIsNew(link, { isFromSelf, to, otherKey, barrier }, target)
  const end = shardBarrier(joinCrossesShards(link, other.table, facts), target) ?? sql``
  const { names, values, agrees } = compileJoinRow(link, { self, otherKey })
  const returning = returnsChanges(resource)
  const add = sql`insert into ${table} (${names}) select ${values} from ${tableAt(0, other.table)} where ${and([isMember, ...agrees, isNew])}${returning}`
  const unlink = (conditions: readonly Sql[]) =>
    sql`delete from ${table} where ${isFromSelf} and ${toKey(to)} in (${otherKeys(conditions)}${end})${returning}`
  const ofType = inScope(0, other)
  return {
    add: [add],
    remove: [unlink([isMember, ...ofType])],
    replace: [unlink([sql`not (${isMember})`, ...ofType]), add],
  }
}

/** Compiles the columns and the values of a new row of a join table, and conditions on the values of columns of both keys. */
function compileJoinRow(
  link: JoinLink,
  { self, otherKey }: Readonly<Record<'self' | 'otherKey', readonly Sql[]>>,
) {
  const own = new Map(zipColumns(link.from, self))
  const other = zipColumns(link.to, otherKey)
  const written = [...own, ...other.filter(([name]) => !own.has(name))]
  const agrees = other.flatMap(([name, value]) => {
    const ownValue = own.get(name)
    return ownValue === undefined ? [] : [sql`${value} = ${ownValue}`]
  })
  return {
    names: sql.join(written.map(([name]) => sql.id(name))),
    values: sql.join(written.map(([, value]) => value)),
    agrees,
  }
}

/** The keys of the rows of a join table, and of the members. */
interface JoinKeys {
  /** Whether a row belongs to the resource whose members change. */
  readonly isFromSelf: Sql
  readonly to: readonly Sql[]
  readonly otherKey: readonly Sql[]
  /** Ends a subquery over the join table if its rows may be on other servers than the members. */
  readonly barrier: Sql | undefined
}

/** Compiles that the join table has no row for a member yet. */
function compileIsNew(
  link: JoinLink,
  { isFromSelf, to, otherKey, barrier }: JoinKeys,
  { dialect, facts }: Target,
): Sql {
  const table = tableName(link.joinTable)
  const isFound =
    dialect.hasAntiJoins || facts.isIndexed(link.joinTable, [...link.from, ...link.to])
  if (isFound && barrier === undefined)
    return sql`not exists (select 1 from ${table} where ${isFromSelf} and ${isEqualKey(to, otherKey)})`
  // SQLite would scan the table for each member. It evaluates this subquery once, as Citus does; it must return no null.
  const linked = sql`select ${sql.join(to)} from ${table} where ${and([isFromSelf, ...isKeyPresent(to)])}`
  return sql`${toKey(otherKey)} not in (${linked}${barrier ?? sql``})`
}

/** Compiles whether the own key of `t0` references a row of a type with one of `ids`. */
export function compileIsMember(link: Link, other: ResourceType, target: Target): Sql {
  const { id } = other
  const { dialect } = target
  const key = linkKeyAt(link, 'ownKey', 0)
  const isId = isSameKey(link.otherKey, id.columns) && !hasSpellings(other, target)
  const isKnown = other.scope === undefined && !target.facts.mayHide(other.table)
  if (isId && isKnown) return isInIdList(key, 'ids', id, dialect)
  const isListed = isInIdList(columnsAt(1, id.columns), 'ids', id, dialect)
  const where = and([isListed, ...inScope(1, other)])
  return sql`${toKey(key)} in (select ${sql.join(linkKeyAt(link, 'otherKey', 1))} from ${tableAt(1, other.table)} where ${where})`
}
