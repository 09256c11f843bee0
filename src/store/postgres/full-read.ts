import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType } from '../../model/model.ts'
import { type LocatedIncludeEdge, startsAtLinkage } from '../../plan/projection.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import { isUnbounded } from '../buffering.ts'
import { earlierRowSets, isLinkageFromIncluded, withoutDerivedLinkage } from '../linkage.ts'
import { pathExists, primaryConditions } from '../read.ts'
import { compileSelection, isFoundByKey, isInHashed, type Selection } from '../select.ts'
import { compileOrder, reverseOrder } from '../sort.ts'
import { compileStatement, rawParam, type Statement } from '../statement.ts'
import {
  and,
  asText,
  columnAt,
  getAttribute,
  inScope,
  isLinkedFrom,
  isLinkedFromAny,
  joinAt,
  joinColumnAt,
  sortKey,
  type Target,
  tableAt,
} from '../tables.ts'
import { compileAggregatedRows, jsonArray } from './aggregated-includes.ts'
import { cacheValidator, isSnapshotCurrent } from './counts.ts'

/** A whole read, and how its arrays are read. */
export interface FullReadStatement extends Statement {
  readonly parseRows: ReturnType<typeof compileAggregatedRows>
}

/** How a list is read. */
export interface FullReadOptions {
  /** How many rows are read of each set, the primary one only where it is not paged; all of them when absent. */
  readonly maxRows?: number
  /** Whether the count may be one that is remembered. */
  readonly cachesCount?: boolean
  /**
   * Whether a page is read from the end, its last row first. Where it stands follows from the count that is remembered: unless
   * it still holds there is nothing to read, and what stands for the count is whether it does.
   */
  readonly isReversed?: boolean
  /** How many rows are walked past and read at most, where the statement says so that its plan fits. */
  readonly rowBound?: number | undefined
}

/**
 * Writes all of a read as one statement, so that it takes one round trip and sees one snapshot. Its one row holds
 * how many there are over all pages (null where the rows say it; with the moment of the count, or null, where it may be
 * remembered), whether the resource in the path is there, the primary rows, and the rows that each step of the inclusion
 * adds, each as a JSON array of rows, or null for none. Where the path names the one primary row and it is not there, there
 * is no row.
 *
 * The primary rows are `p`, the rows reached by step n are `r<n>`, all of them bare columns: JSON is made of those that are
 * told alone, once they are found, sorted and cut. Rows are gathered in the order in which they come: that of a subquery
 * stays as long as nothing is joined to it (PostgreSQL 18, 9.21).
 */
export function compileFullRead(
  shape: ReadShape,
  target: Target,
  reading: FullReadOptions = {},
): FullReadStatement {
  const isOne = shape.scope.is === 'one'
  const { columns, joins } = primarySelection(shape, target)
  const row = jsonArray(columns)
  const ordered = joins.length > 0 ? sql` order by "t0".${rowNumber}` : sql``
  const select = sql`select ${sql.join([
    totalOf(shape, target, reading),
    isOne ? sql`true` : (pathExists(shape, target) ?? sql`true`),
    isOne ? sql`json_build_array(${row})` : sql`json_agg(${row}${ordered})`,
    ...shape.includeEdges.map((_, index) => addition(shape, index, target)),
    ...overflow(shape, target, reading),
  ])}`
  const primary = primaryRows(shape, target, reading)
  const whole = (expression: Sql): FullReadStatement => ({
    ...compileStatement(expression, target.dialect),
    parseRows: compileAggregatedRows(shape, target),
    isPointRead: isOne && shape.includeEdges.length === 0 && isOfColumns(shape.primary),
  })
  const hasSets = shape.includeEdges.length > 0 || joins.length > 0
  if (!hasSets) return whole(sql`${select} from (${primary}) as "t0"`)
  const sets = [
    sql`p as materialized (${primary})`,
    ...shape.includeEdges.map((step, index) => {
      const { maxRows } = reading
      const isAll = maxRows === undefined || !mayGrow(shape, index, target)
      const limit = isAll ? sql`` : sql` limit ${sql.lit(maxRows)}`
      return sql`${setOf(index)} as (${reached(shape, step, index, target)}${limit})`
    }),
  ]
  // Where something is joined to them, the rows would lose their order.
  const from =
    joins.length > 0
      ? sql`(select *, row_number() over () as ${rowNumber} from p) as "t0"${sql.join([...joins], sql``)}`
      : sql`p as "t0"`
  return whole(sql`with ${sql.join(sets, sql.raw(', '))} ${select} from ${from}`)
}

const rowNumber = sql.id('lapidary_row')

/** What is read of the primary rows: the linkage of a single one is read with it, which takes one scan at most. */
function primarySelection(shape: ReadShape, target: Target): Selection {
  const layout = withoutDerivedLinkage(shape, target.model)
  if (shape.order.length > 0) return compileSelection(layout, target, sql`p`)
  const { aggregateIdsInGroups: _, ...dialect } = target.dialect
  return compileSelection(layout, { ...target, dialect })
}

/** Whether a step may reach more rows than it starts from: not where each of those leads to one by its id. */
function mayGrow({ includeEdges }: ReadShape, index: number, { model }: Target): boolean {
  const step = includeEdges[index]
  if (step === undefined || startsAtLinkage(step)) return false
  const { link } = getRelationship(getResourceType(model, step.type), step.relationship)
  return link.foreignKey !== 'own' || link.otherKey !== getResourceType(model, step.to).id.column
}

/** Whether a set was cut, where what is added does not show it. */
function overflow(shape: ReadShape, target: Target, { maxRows }: FullReadOptions): Sql[] {
  if (maxRows === undefined) return []
  const sets = shape.includeEdges.flatMap((_, index) => {
    const isShown =
      !mayGrow(shape, index, target) || isLinkageFromIncluded(shape, index, target.model)
    return isShown ? [] : [sql`(select count(*) from ${setOf(index)})`]
  })
  if (sets.length === 0) return []
  return [sql`greatest(${sql.join(sets)}) >= ${sql.lit(maxRows)}`]
}

/** Whether a row is told by its own columns alone, so that it is read as soon as it is found. */
function isOfColumns({ values, linkages }: RowLayout): boolean {
  return values.every((value) => 'column' in value) && !linkages.some(({ many }) => many)
}

/**
 * How many there are over all pages, unless the rows of one say it, as `countByRows` has it; where the count may be remembered
 * also unless it is, and with its moment.
 */
function totalOf(
  shape: ReadShape,
  target: Target,
  { cachesCount, isReversed }: FullReadOptions,
): Sql {
  if (!shape.isPaged) return sql`null`
  if (isReversed) return isSnapshotCurrent(target)
  const { table } = getResourceType(target.model, shape.type)
  const isLast = sql`count(*) < ${rawParam('limit')} and (count(*) > 0 or ${rawParam('offset')}::bigint = 0)`
  const count = sql`(select count(*) from ${tableAt(0, table)} where ${and(primaryConditions(shape, 0, target))})`
  if (!cachesCount) return sql`case when ${isLast} then null else ${count} end`
  const isKnown = sql`(${isLast}) or ${isSnapshotCurrent(target)}`
  return sql`case when ${isKnown} then null else json_build_array(${count}, ${cacheValidator}) end`
}

function primaryRows(
  shape: ReadShape,
  target: Target,
  { maxRows, isReversed, rowBound }: FullReadOptions,
): Sql {
  const resource = getResourceType(target.model, shape.type)
  const order = compileOrder(isReversed ? reverseOrder(shape.order) : shape.order, resource, target)
  const orderBy = shape.order.length > 0 ? sql` order by ${order.orderBy}` : sql``
  const isAll = maxRows === undefined || !isUnbounded(shape)
  const start = isAll ? sql`` : sql` limit ${sql.lit(maxRows)}`
  const limit = shape.isPaged
    ? sql` limit ${rawParam('limit')} offset ${rawParam('offset')}`
    : start
  const select = bareColumns(shape, -1, shape.primary, target)
  const known = isReversed ? [isSnapshotCurrent(target)] : []
  const where = and([...primaryConditions(shape, 0, target), ...known])
  const rows = sql`select ${select} from ${tableAt(0, resource.table)}${order.joins} where ${where}${orderBy}`
  if (rowBound === undefined) return sql`${rows}${limit}`
  return sql`select * from (${rows} limit ${sql.lit(rowBound)}) as "t0"${limit}`
}

/** The rows that a step reaches, those told already among them. */
function reached(shape: ReadShape, step: LocatedIncludeEdge, index: number, target: Target): Sql {
  const resource = getResourceType(target.model, step.to)
  const select = bareColumns(shape, index, findIncludedLayout(shape, step.to), target)
  const where = and([isReached(step, target), ...inScope(0, resource)])
  return sql`select ${select} from ${tableAt(0, resource.table)} where ${where}`
}

/**
 * Whether `t0` is reached by a step. Where an index finds the rows, the values to start from are gathered first: so it is
 * used however many rows PostgreSQL expects. Where none does, the values are hashed and the rows scanned once. Where neither
 * end is an id, they may be arrays, and those can't be gathered into one.
 */
function isReached(step: LocatedIncludeEdge, target: Target): Sql {
  const from = getResourceType(target.model, step.type)
  const to = getResourceType(target.model, step.to)
  const heres = sql`select ${sql.id(startOf(step, target))} from ${setOf(step.parent)}`
  const gathered = sql`any(array(${heres}))`
  if (startsAtLinkage(step)) {
    const { id, table } = to
    const key = columnAt(0, id.column)
    const isFound = target.isIndexed?.(table, id.column) ?? true
    return isFound ? sql`${key} = ${gathered}` : isInHashed(key, heres)
  }
  const field = getRelationship(from, step.relationship)
  const { link } = field
  if (!isFoundByKey(field, target)) {
    if (link.foreignKey !== 'join table') return isInHashed(columnAt(0, link.otherKey), heres)
    const [start, end] = [joinColumnAt(0, link.from), joinColumnAt(0, link.to)]
    const ends = sql`select ${end} from ${joinAt(0, link.joinTable)} where ${isInHashed(start, heres)}`
    return sql`${columnAt(0, link.otherKey)} in (${ends})`
  }
  const isToId = link.foreignKey !== 'join table' && link.otherKey === to.id.column
  const isById = isToId || link.ownKey === from.id.column
  return isById ? isLinkedFrom(0, link, gathered) : isLinkedFromAny(0, link, heres)
}

/** The column of earlier rows from which a step starts. */
function startOf(step: LocatedIncludeEdge, { model }: Target): string {
  if (startsAtLinkage(step)) return getResourceType(model, step.to).id.column
  return getRelationship(getResourceType(model, step.type), step.relationship).link.ownKey
}

/** What is read of the rows of a set, −1 being the primary one: all that makes up their layout, and where steps start. */
function bareColumns(shape: ReadShape, set: number, layout: RowLayout, target: Target): Sql {
  const resource = getResourceType(target.model, layout.type)
  const columns = new Set([resource.id.column])
  const noted = (column: string): Sql => {
    columns.add(column)
    return columnAt(0, column)
  }
  for (const value of layout.values) {
    if ('column' in value) columns.add(value.column)
    else getAttribute(resource, value.expression).expression(noted)
  }
  for (const { relationship } of layout.linkages)
    columns.add(getRelationship(resource, relationship).link.ownKey)
  for (const step of shape.includeEdges) if (step.parent === set) columns.add(startOf(step, target))
  const step = shape.includeEdges[set]
  if (step && isLinkageFromIncluded(shape, set, target.model))
    columns.add(
      getRelationship(getResourceType(target.model, step.type), step.relationship).link.otherKey,
    )
  return sql.join(
    [...columns].map((column) => columnAt(0, column)),
    sql.raw(', '),
  )
}

/** What a step adds to the rows that are told before it, in the order of their ids. */
function addition(shape: ReadShape, index: number, target: Target): Sql {
  const step = stepAt(shape, index)
  const { id } = getResourceType(target.model, step.to)
  const key = columnAt(0, id.column)
  const order = sortKey(key, id.kind.codec, target)
  const set = setOf(index)
  const { columns, joins } = compileSelection(findIncludedLayout(shape, step.to), target, set)
  const row = jsonArray(columns)
  const joined = sql.join([...joins], sql``)
  if (isLinkageFromIncluded(shape, index, target.model)) {
    const from = getResourceType(target.model, shape.type)
    const { link } = getRelationship(from, step.relationship)
    const it = sql`p.${sql.id(link.ownKey)}`
    const pair = sql`json_build_array(${row}, ${asText(it, from.id.kind.codec, target)})`
    return sql`(select json_agg(${pair} order by ${order}) from ${set} as "t0" join p on ${it} = ${columnAt(0, link.otherKey)}${joined})`
  }
  const isNew = and(
    earlierRowSets(shape, index).map((at) => {
      const isSame = sql`"told".${sql.id(id.column)} = ${key}`
      return sql`not exists (select 1 from ${setOf(at)} as "told" where ${isSame})`
    }),
  )
  if (joins.length > 0)
    return sql`(select json_agg(${row} order by ${order}) from ${set} as "t0"${joined} where ${isNew})`
  const rows = sql`select "t0".* from ${set} as "t0" where ${isNew} order by ${order}`
  return sql`(select json_agg(${row}) from (${rows}) as "t0")`
}

function stepAt(shape: ReadShape, index: number): LocatedIncludeEdge {
  const step = shape.includeEdges[index]
  if (step === undefined) throw new Error(`The plan has no step ${index}.`)
  return step
}

function setOf(step: number): Sql {
  return step === -1 ? sql`p` : sql.id(`r${step}`)
}
