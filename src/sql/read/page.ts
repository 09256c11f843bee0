import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { getResourceType } from '../../model/model.ts'
import type { CursorShape, KeyShape, PositionShape } from '../../plan/page.ts'
import type { ReadShape } from '../../plan/read.ts'
import { type Placeholder, rawParam } from '../statement.ts'
import { rowsAt } from '../table-function.ts'
import { and, columnAt, columnsAt, keyAt, type Target } from '../tables.ts'
import { countRelatedNulls, mergeNullRows, type NullRows } from './null-rows.ts'
import { compilePage, compilePrimaryWhere, primaryConditions } from './primary-rows.ts'
import { compileOrder, compileOrderBy, type OrderKey, reverseOrder } from './sort.ts'

// Pages between cursors. The rows behind a position are a disjoint union of branches, which are in order one after the other: equal in
// all keys but the last and behind it in the last; equal in all but the last two and behind it in the last but one; and so on. Each
// branch seeks in the index of the sort order. One condition for all of them, `a > ? or (a = ? and id > ?)`, or a comparison of rows,
// which SQLite and nulls rule out, reads the index from its beginning.
//
// Null sorts as the largest value. So behind a value of an ascending key are larger values, then nulls; behind a null is nothing; behind
// a value of a descending key are smaller values; behind a null of it is everything that is not null.
//
// Both databases run the parts of a `union all` in turn, and stop at its limit: a full branch saves the others. The result does not
// depend on it: each branch is sorted and has the limit of the page, and the page is sorted by branch and keys.

/** The name of the rows of a page, for the expressions around it. */
export const pageName: Sql = sql.id('lapidary_page')

/** Compiles the name of a key of a page. */
export function pageKey(index: number): Sql {
  return sql.id(`lapidary_key${index}`)
}

/** The rows of a page. */
interface PageRows {
  /** The query, in no order: one row more than the page, with the columns, the branch and the keys. */
  readonly rows: Sql
  /** The order in which the page is read. */
  readonly readOrder: Sql
  /** The order of the document. */
  readonly order: Sql
  /** The keys, as columns of the rows. */
  readonly keys: readonly Sql[]
}

/**
 * Compiles the rows of a page between cursors.
 * @param columns - what is selected from `t0`, with names
 * @param alias - the name of the rows where the orders and the keys are used
 */
export function compilePageRows(
  shape: ReadShape,
  { direction, after, before }: CursorShape,
  target: Target,
  { columns, alias }: Readonly<{ columns: Sql; alias: Sql }>,
): PageRows {
  const isBackward = direction === 'backward'
  const readTerms = isBackward ? reverseOrder(shape.order) : shape.order
  const resource = getResourceType(target.model, shape.type)
  const { keys, joins, nullRows } = compileOrder(readTerms, resource, target)
  const from = isBackward ? before : after
  const starts = from ? listBranches(keys, from, target) : listFirstBranches(keys)
  const bound = isBackward ? undefined : before
  const branches = bound ? starts.map((branch) => addBound(branch, keys, bound, target)) : starts
  const names = keys.map((_, index) => pageKey(index))
  const selectKeys = keys.map(({ expression }, index) => sql`${expression} as ${names[index]}`)
  const select = sql.join([columns, ...selectKeys])
  const mergeOrder = compileOrderBy(keys.map((key, at) => ({ ...key, expression: pageKey(at) })))
  const rows = compileBranches(branches, { select, joins, shape, nullRows, mergeOrder }, target)
  const named = keys.map((key, index) => ({ ...key, expression: sql`${alias}.${names[index]}` }))
  const branch = { expression: sql`${alias}.lapidary_branch`, descending: false, nullable: false }
  const readOrder = [branch, ...named]
  const reversed = readOrder.map((key) => ({ ...key, descending: !key.descending }))
  return {
    rows,
    readOrder: compileOrderBy(readOrder),
    order: compileOrderBy(isBackward ? reversed : readOrder),
    keys: named.map(({ expression }) => expression),
  }
}

/** What the queries of branches have in common. */
interface BranchContext {
  readonly select: Sql
  readonly joins: Sql
  readonly shape: ReadShape
  readonly nullRows: NullRows | undefined
  /** The order of the rows of a branch, by the names of the keys. */
  readonly mergeOrder: Sql
}

const pageLimit = sql`${rawParam('limit')} + 0`

/** Compiles the rows of branches, one after the other, up to the limit. */
function compileBranches(branches: readonly Branch[], context: BranchContext, target: Target): Sql {
  const { joins, shape, nullRows } = context
  const from = sql`${rowsAt(0, getResourceType(target.model, shape.type), target)}${joins}`
  const queries = branches.map((branch, index) =>
    compileBranch(branch, { ...context, from, index }, target),
  )
  const hasNulls = branches.some(({ isFirstNull }) => isFirstNull)
  const counted = nullRows && hasNulls ? countRelatedNulls(nullRows, from, target) : sql``
  const [first] = queries
  if (first && queries.length === 1) return sql`${counted}${first}`
  const parts = queries.map(
    (query, index) => sql`select * from (${query}) as ${sql.id(`b${index}`)}`,
  )
  return sql`${counted}${sql.join(parts, sql.raw(' union all '))} limit ${pageLimit}`
}

function compileBranch(
  { conditions: all, order, isFirstNull }: Branch,
  {
    select,
    from,
    shape,
    nullRows,
    mergeOrder,
    index,
  }: BranchContext & { from: Sql; index: number },
  target: Target,
): Sql {
  const compileRows = (conditions: readonly Sql[], limit: Sql) => {
    const where = and([...primaryConditions(shape, 0, target), ...conditions])
    return sql`select ${select}, ${sql.lit(index)} as lapidary_branch from ${from} where ${where} order by ${order} limit ${limit}`
  }
  if (!isFirstNull || nullRows === undefined) return compileRows(all, pageLimit)
  const compilePart = (condition: Sql, limit: Sql) =>
    compileRows([condition, ...all.slice(1)], limit)
  return mergeNullRows(nullRows, compilePart, { limit: pageLimit, orderBy: mergeOrder }, target)
}

/** Compiles the values of the keys of a page, as the last values of its rows. */
export function compileKeyValues(
  keys: readonly Sql[],
  { hasFullKeys = false }: Pick<CursorShape, 'hasFullKeys'>,
  { dialect }: Target,
): Sql[] {
  return keys.map((key) => dialect.selectKeyValue(key, hasFullKeys))
}

/** Compiles the ids of a page as columns, and its rows. */
export function compilePageIds(
  shape: ReadShape,
  cursors: CursorShape,
  target: Target,
): PageRows & Readonly<{ ids: readonly Sql[] }> {
  const { id } = getResourceType(target.model, shape.type)
  const names = id.columns.map((_, index) => sql.id(`lapidary_id${index}`))
  const columns = sql.join(
    id.columns.map((column, index) => sql`${columnAt(0, column)} as ${names[index]}`),
  )
  const page = compilePageRows(shape, cursors, target, { columns, alias: pageName })
  return { ...page, ids: names.map((name) => sql`${pageName}.${name}`) }
}

/** Compiles whether a row of `t<depth>` is one of the primary rows: on the page, if the list is paged. */
export function isPrimary(shape: ReadShape, depth: number, target: Target): Sql[] {
  if (!shape.isPaged) return primaryConditions(shape, depth, target)
  const resource = getResourceType(target.model, shape.type)
  if (shape.cursors) {
    const { ids, rows } = compilePageIds(shape, shape.cursors, target)
    return [
      sql`${keyAt(depth, resource.id.columns)} in (select ${sql.join(ids)} from (${rows}) as ${pageName})`,
    ]
  }
  const { joins, orderBy } = compileOrder(shape.order, resource, target)
  const from = sql`${rowsAt(0, resource, target)}${joins}${compilePrimaryWhere(shape, target)}`
  const id = columnsAt(0, resource.id.columns)
  const pageIds = sql`select ${sql.join(id)} from ${from} order by ${orderBy}${compilePage(shape)}`
  return [sql`${keyAt(depth, resource.id.columns)} in (${pageIds})`]
}

/** A part of the rows behind a position. */
interface Branch {
  readonly conditions: readonly Sql[]
  readonly order: Sql
  /** Whether the first key differs from that of the position, and is not null. */
  readonly isBehindFirst?: boolean
  /** Whether its first condition is that the first key is null. */
  readonly isFirstNull?: boolean
}

/** Lists the branches of the rows behind a position, in order. */
export function listBranches(
  keys: readonly OrderKey[],
  { keys: values, isIncluded }: PositionShape,
  target: Target,
): Branch[] {
  const [first = null] = values
  const branches = keys.map((key, index): Branch[] => {
    const earlier = keys.slice(0, index)
    const equal = earlier.map((each, at) => isEqual(each, values[at] ?? null, target))
    const isBehindFirst = index === 0
    const isFirstNull = !isBehindFirst && first === null
    const rest = keys.slice(index + 1)
    const isLast = rest.length === 0
    const [behind, isNull] = listBehind(key, values[index] ?? null, isLast && isIncluded, target)
    if (behind === undefined) return []
    const order = compileOrderBy([{ ...key, nullable: false }, ...rest])
    const present = { conditions: [...equal, behind], order, isBehindFirst, isFirstNull }
    if (isNull === undefined) return [present]
    const conditions = [...equal, isNull]
    const isAbsent = isFirstNull || isBehindFirst
    return [present, { conditions, order: orderOf(rest, key), isFirstNull: isAbsent }]
  })
  return branches.toReversed().flat()
}

/** The order of rows that are equal in a key. */
function orderOf(rest: readonly OrderKey[], key: OrderKey): Sql {
  return compileOrderBy(rest.length > 0 ? rest : [key])
}

function isEqual({ expression }: OrderKey, parameter: KeyShape, target: Target): Sql {
  return parameter === null
    ? sql`${expression} is null`
    : sql`${expression} = ${keyValueParam(parameter, target)}`
}

/** The conditions that a key is behind a value: that it is not null and behind it, and that it is null; none if nothing is behind it. */
function listBehind(
  { expression, descending, nullable }: OrderKey,
  parameter: KeyShape,
  isIncluded: boolean,
  target: Target,
): Sql[] {
  if (parameter === null) return descending ? [sql`${expression} is not null`] : []
  const operator = sql.raw(`${descending ? '<' : '>'}${isIncluded ? '=' : ''}`)
  const isBehind = sql`${expression} ${operator} ${keyValueParam(parameter, target)}`
  return nullable && !descending ? [isBehind, sql`${expression} is null`] : [isBehind]
}

/**
 * The branches of all rows: one, or those with and without a value of the first key if it belongs to another table. An outer join starts
 * at the table of the list; with the condition that there is a value it may start at the index of the other table.
 */
export function listFirstBranches(keys: readonly OrderKey[]): Branch[] {
  const [first, ...rest] = keys
  if (first === undefined || !first.isJoined)
    return [{ conditions: [], order: compileOrderBy(keys) }]
  const present: Branch = {
    conditions: [sql`${first.expression} is not null`],
    order: compileOrderBy([{ ...first, nullable: false }, ...rest]),
    isBehindFirst: true,
  }
  const absent: Branch = {
    conditions: [sql`${first.expression} is null`],
    order: orderOf(rest, first),
    isFirstNull: true,
  }
  return first.descending ? [absent, present] : [present, absent]
}

/** Adds the end of a range: the rows of a branch that are in front of a position. */
function addBound(
  branch: Branch,
  keys: readonly OrderKey[],
  bound: PositionShape,
  target: Target,
): Branch {
  const reversed = keys.map((key) => ({ ...key, descending: !key.descending }))
  const inFront = listBranches(reversed, bound, target).map(({ conditions }) => and(conditions))
  const [first] = keys
  const [value = null] = bound.keys
  // The same again for the first key alone, so that the index ends the range.
  const ends =
    branch.isBehindFirst && first && value !== null
      ? [
          sql`${first.expression} ${sql.raw(first.descending ? '>=' : '<=')} ${keyValueParam(value, target)}`,
        ]
      : []
  const isInFront = inFront.length === 0 ? sql`1 = 0` : sql`(${sql.join(inFront, sql.raw(' or '))})`
  return { ...branch, conditions: [...branch.conditions, ...ends, isInFront] }
}

/**
 * Compiles a parameter for the value of a key. It has no type, so that the database infers that of the key; nor has the text of bytes,
 * because of its plus.
 */
function keyValueParam(key: NonNullable<KeyShape>, { dialect }: Target): Sql {
  const isBytes = typeof key !== 'number'
  const placeholder: Placeholder = {
    source: isBytes ? key.bytes : key,
    // The plan has read it from a cursor.
    bind: (value) => dialect.bindKeyValue(value as string | number),
    isCursorKey: true,
  }
  return isBytes ? sql`+cast(${placeholder} as text)` : sql`${placeholder}`
}
