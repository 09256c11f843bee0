import { sql } from 'kysely'
import type { AggregatedIds, JoinedGroups, Sql } from '../../model/dialect.ts'
import { getCodec } from '../../model/kinds/codecs.ts'
import {
  getRelationship,
  getResourceType,
  type Link,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import { isKeyPresent, nameColumns, toKey } from '../keys/keys.ts'
import { isLinkedFrom, linkKeyAt } from '../keys/link-keys.ts'
import { crossesShards, shardBarrier } from '../keys/shards.ts'
import {
  and,
  asId,
  asIdText,
  asText,
  columnsAt,
  idColumn,
  idSortKeys,
  inScope,
  type LinkageLimit,
  storedValueAt,
  type Target,
  tableAt,
} from '../tables.ts'
import { compileInvalidValue, compileValueLoad } from './invalid-values.ts'
import { isOwnKey } from './linkage.ts'
import {
  compileCounts,
  compileIndexedCount,
  compileLinkedRows,
  isFoundByKey,
} from './related-rows.ts'

/** Which rows a selection is for. */
interface SelectedRows {
  /** The row set of `t0`, if it is a part of a table. */
  readonly rows?: Sql | undefined
  /** Whether `t0` is one row: then a subquery scans another table once, too, and nothing is joined. Default false. */
  readonly isOneRow?: boolean
}

/** The columns of a layout, and the joins that they need. */
export interface Selection {
  /** The id, the values and the linkages, in this order. */
  readonly columns: readonly Sql[]
  /** Joined to `t0`: the linkages that no index finds by the row's key; at most one row each. */
  readonly joins: readonly Sql[]
}

/** Compiles the columns of a layout from `t0`. */
export function compileSelection(
  layout: RowLayout,
  target: Target,
  { rows, isOneRow = false }: SelectedRows = {},
): Selection {
  const groups = isOneRow ? undefined : target.dialect.joinedGroups
  const resource = getResourceType(target.model, layout.type)
  const joins: Sql[] = []
  const values = layout.values.map((value) => {
    if (!('count' in value))
      return asText(storedValueAt(0, resource, value, target), value.codec, target)
    const field = getRelationship(resource, value.count)
    const join = { alias: `n${joins.length}`, rows, groups }
    const counted = compileRelatedCount({ resource, field }, target, join)
    if (counted.join) joins.push(counted.join)
    return asText(counted.number, value.codec, target)
  })
  const linkages = layout.linkages.map(({ relationship, isDerived, isUncheckedKey }) => {
    if (isDerived) return sql`null`
    const field = getRelationship(resource, relationship)
    if (isUncheckedKey) return compileKey(field, target)
    const joined = compileGroupedLinkage(field, target, { alias: `l${joins.length}`, rows, groups })
    if (joined === undefined) return compileLinkage(field, target)
    joins.push(joined.join)
    return joined.ids
  })
  return { columns: [idColumn(resource, target), ...values, ...linkages], joins }
}

/** How related rows that no index finds are joined to `t0`. */
interface Join {
  readonly alias: string
  readonly rows: Sql | undefined
  /** Absent: they are looked up in a subquery. */
  readonly groups: JoinedGroups | undefined
}

/**
 * Compiles the number of the related resources of `t0`. Without an index all numbers come from one scan, so that no request visits pairs of rows.
 */
function compileRelatedCount(
  { resource, field }: Readonly<{ resource: ResourceType; field: RelationshipField }>,
  target: Target,
  { alias, rows, groups }: Join,
): Readonly<{ number: Sql; join?: Sql }> {
  const { link } = field
  const crosses = crossesShards(resource, field, target)
  if (!crosses && isFoundByKey(field, target)) return { number: compileIndexedCount(field, target) }
  const { ownKey } = link
  const ownKeys = sql.join(ownKey.map((column) => sql.id(column)))
  const where = (key: Sql) => isInHashed(key, sql`select ${ownKeys} from ${rows}`)
  const counts = compileCounts(field, target, rows && { where })
  const name = sql.id(alias)
  const isSame = hasOwnKey(name, counts.names, field.link)
  // SQLite evaluates the inner query once, and builds an automatic index for the lookups in it.
  if (groups === undefined && !crosses)
    return {
      number: sql`coalesce((select ${name}.number from (${counts.select}) as ${name} where ${isSame}), 0)`,
    }
  return {
    number: sql`coalesce(${name}.number, 0)`,
    join: sql` left join (${counts.select}${shardBarrier(crosses, target) ?? sql``}) as ${name} on ${isSame}`,
  }
}

/**
 * Compiles the linkage of all rows as one grouped set that is joined to them: a subquery for each row would
 * scan the other table each time.
 * @returns `undefined` if an index finds the linkage of a row by its key, or rows are not joined with groups
 */
function compileGroupedLinkage(
  field: RelationshipField,
  target: Target,
  { alias, rows, groups }: Join,
): Readonly<{ join: Sql; ids: Sql }> | undefined {
  const { linkageLimit, model } = target
  const { link, many, to } = field
  if (groups === undefined) return undefined
  if (isOwnKey(field, target) || isFoundByKey(field, target)) return undefined
  const other = getResourceType(model, to)
  const { key, from } = compileLinkedRows(field, target)
  const ownKeys =
    rows && sql`select ${sql.join(link.ownKey.map((name) => sql.id(name)))} from ${rows}`
  const keys = ownKeys ? [isInHashed(toKey(key), ownKeys)] : []
  const where = and([...isKeyPresent(key), ...keys, ...inScope(1, other)])
  const id = columnsAt(1, other.id.columns)
  const grouped = { ...compileIds(other, target), from, where }
  const { names, select } = nameColumns('key', key)
  const grouping = many
    ? compileGroups({ ...grouped, key }, groups.aggregateIds, linkageLimit)
    : sql`(select ${select}, (array_agg(${asId(id, other.id, target)}))[1] as ids from ${from} where ${where} group by ${sql.join(key)})`
  const name = sql.id(alias)
  const isSame = hasOwnKey(name, names, link)
  const ids = sql`${name}.ids`
  return {
    join: sql` left join ${grouping} as ${name} on ${isSame}`,
    ids: many ? sql`coalesce(${ids}, '[]')` : ids,
  }
}

/** Compiles whether a joined row is that of the key of `t0`. */
function hasOwnKey(alias: Sql, names: readonly Sql[], link: Link): Sql {
  const columns = linkKeyAt(link, 'ownKey', 0)
  return and(columns.map((column, index) => sql`${alias}.${names[index]} = ${column}`))
}

/** Compiles the ids of a to-many relationship as one row for each key. */
function compileGroups(
  { id, order, key, from, where }: AggregatedIds & Readonly<{ key: readonly Sql[] }>,
  aggregate: JoinedGroups['aggregateIds'],
  limit: LinkageLimit | undefined,
): Sql {
  const { names, select } = nameColumns('key', key)
  if (limit === undefined)
    return sql`(select ${select}, ${aggregate(id, order)} as ids from ${from} where ${where} group by ${sql.join(key)})`
  const positions = nameColumns('position', order)
  const linked = sql`select ${select}, ${id} as id, ${positions.select} from ${from} where ${where}
    limit ${sql.lit(limit.perRelationship + 1)}`
  const ids = aggregate(sql.ref('id'), positions.quoted)
  return sql`(select ${sql.join(names)}, ${ids} as ids from (${linked}) as linked group by ${sql.join(names)})`
}

/** Compiles the ids of a type as `t1` for an aggregate. */
function compileIds({ id }: ResourceType, target: Target): Pick<AggregatedIds, 'id' | 'order'> {
  const columns = columnsAt(1, id.columns)
  return { id: asIdText(columns, id, target), order: idSortKeys(columns, id, target) }
}

/**
 * Compiles whether a value is in a subquery, so that PostgreSQL hashes the subquery and probes it for each row of a scan. It
 * converts a plain `in` to a join, and to a nested loop if it underestimates the rows.
 */
export function isInHashed(value: Sql, subquery: Sql): Sql {
  return sql`(${value} in (${subquery})) is true`
}

/** Compiles the own key of a row as the id of the related resource. */
function compileKey({ link, to }: RelationshipField, target: Target): Sql {
  const { id } = getResourceType(target.model, to)
  return asId(columnsAt(0, link.ownKey), id, target)
}

/** Compiles the linkage of a row: the id or null for to-one, the ids as one text for to-many. */
function compileLinkage(field: RelationshipField, target: Target): Sql {
  const { link, many } = field
  const other = getResourceType(target.model, field.to)
  const ownKey = linkKeyAt(link, 'ownKey', 0)
  if (isOwnKey(field, target)) return compileKey(field, target)
  const from = tableAt(1, other.table)
  const where = and([isLinkedFrom(1, link, toKey(ownKey)), ...inScope(1, other)])
  const id = columnsAt(1, other.id.columns)
  if (!many) return sql`(select ${asId(id, other.id, target)} from ${from} where ${where})`
  const scanned = compileScannedLinkage(field, target)
  if (scanned) return scanned
  const { dialect, linkageLimit } = target
  const ids = { ...compileIds(other, target), from, where }
  return dialect.aggregateIds(ids, linkageLimit && linkageLimit.perResource + 1)
}

/** Compiles the linkage of a to-many relationship without an index; `undefined` if there is one. */
function compileScannedLinkage(field: RelationshipField, target: Target): Sql | undefined {
  const { dialect } = target
  if (dialect.aggregateIdsByScan === undefined || isFoundByKey(field, target)) return undefined
  const other = getResourceType(target.model, field.to)
  const { key, from } = compileLinkedRows(field, target)
  return dialect.aggregateIdsByScan(
    {
      ...compileIds(other, target),
      key,
      from,
      where: and([...isKeyPresent(key), ...inScope(1, other)]),
    },
    linkKeyAt(field.link, 'ownKey', 0),
  )
}

/** Compiles the function that converts the driver's values of a row to those of its layout, in place; `undefined` if they are the same. */
export function compileLoad(
  layout: RowLayout,
  target: Target,
): ((row: unknown[]) => void) | undefined {
  const values = layout.values.map((value) => {
    const { keepsStrings = false } = getCodec(value.codec, target.dialect)
    const load = compileValueLoad(layout, value, target)
    return load && { load, keepsStrings, reject: compileInvalidValue(layout, value, target) }
  })
  const linkages = layout.linkages.map(({ many }) =>
    many ? { load: parseIds, keepsStrings: false, reject: rethrow } : undefined,
  )
  const loads = [undefined, ...values, ...linkages].flatMap((each, at): ValueLoad[] => {
    if (each === undefined) return []
    const { load, keepsStrings, reject } = each
    // No spread: V8 changes the hidden class of such objects later, and would then discard its code for each row in turn.
    return [{ at, load, keepsStrings, reject }]
  })
  if (loads.length === 0) return undefined
  return (row) => {
    for (const each of loads) {
      const stored = row[each.at]
      const isKept = stored === null || (each.keepsStrings && typeof stored === 'string')
      if (!isKept) loadValue(each, row, stored)
    }
  }
}

/** How a value of a row is converted. */
interface ValueLoad {
  readonly at: number
  readonly load: (stored: unknown) => unknown
  /** Whether `load` returns every string unchanged. */
  readonly keepsStrings: boolean
  /** Returns what takes the place of a value that `load` does not accept. @throws Error if there is nothing */
  readonly reject: (row: readonly unknown[], stored: unknown, error: unknown) => unknown
}

function loadValue({ at, load, reject }: ValueLoad, row: unknown[], stored: unknown): void {
  try {
    const value = load(stored)
    if (value !== stored) row[at] = value
  } catch (error) {
    row[at] = reject(row, stored, error)
  }
}

function rethrow(_row: readonly unknown[], _value: unknown, error: unknown): never {
  throw error
}

/**
 * Parses a JSON array of ids. It splits the text unless something in it is escaped: `JSON.parse` adds every short string to a
 * table of V8, and to grow this table takes long.
 */
function parseIds(ids: unknown): readonly string[] {
  const text = String(ids)
  if (text.length <= 2 || text.includes('\\')) return JSON.parse(text)
  // PostgreSQL writes a space after a comma, SQLite none.
  return text.slice(2, -2).split(text.includes('", "') ? '", "' : '","')
}
