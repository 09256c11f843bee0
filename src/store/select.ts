import { sql } from 'kysely'
import { getCodec } from '../model/codecs.ts'
import type { Dialect, Sql } from '../model/dialect.ts'
import { getRelationship, getResourceType, type RelationshipField } from '../model/model.ts'
import type { RowLayout } from '../plan/row-layout.ts'
import { isOwnKey } from './linkage.ts'
import {
  and,
  asKey,
  asText,
  columnAt,
  idColumn,
  inScope,
  isLinkedFrom,
  joinColumnAt,
  sortKey,
  storedValueAt,
  type Target,
  tableAt,
  tableName,
} from './tables.ts'

/** What a layout reads from `t0`. */
export interface Selection {
  /** In order: the id, then the values, then the linkages, and nothing else. */
  readonly columns: readonly Sql[]
  /** Joined to `t0` for them: the linkage that no index finds by the row's key; at most one row each. */
  readonly joins: readonly Sql[]
}

/** Writes the columns of a layout where the dialect joins nothing for them. */
export function compileSelect(layout: RowLayout, target: Target): Sql[] {
  return [...compileSelection(layout, target).columns]
}

/**
 * Writes what a layout reads from `t0`.
 * @param rows - the set that `t0` stands for, where it is a part of a table
 */
export function compileSelection(layout: RowLayout, target: Target, rows?: Sql): Selection {
  const resource = getResourceType(target.model, layout.type)
  const values = layout.values.map((value) =>
    asText(storedValueAt(0, resource, value), value.codec, target),
  )
  const joins: Sql[] = []
  const linkages = layout.linkages.map(({ relationship, isDerived }) => {
    if (isDerived) return sql`null`
    const field = getRelationship(resource, relationship)
    const grouped = linkageInGroups(field, target, { alias: `l${joins.length}`, rows })
    if (grouped === undefined) return compileLinkage(field, target)
    joins.push(grouped.join)
    return grouped.ids
  })
  return { columns: [idColumn(resource, target), ...values, ...linkages], joins }
}

/**
 * The linkage of all rows together, grouped by their keys, where no index finds it by the key of one and the database
 * groups; else `undefined`.
 */
function linkageInGroups(
  field: RelationshipField,
  target: Target,
  { alias, rows }: Readonly<{ alias: string; rows: Sql | undefined }>,
): Readonly<{ join: Sql; ids: Sql }> | undefined {
  const { dialect, model } = target
  const { link, many, to } = field
  if (dialect.aggregateIdsInGroups === undefined) return undefined
  if (isOwnKey(field, model) || isFoundByKey(field, target)) return undefined
  const other = getResourceType(model, to)
  const { codec } = other.id.kind
  const id = columnAt(1, other.id.column)
  const { key, from } = othersByKey(field, target)
  const keys = rows ? [isAmong(key, sql`select ${sql.id(link.ownKey)} from ${rows}`)] : []
  const where = and([sql`${key} is not null`, ...keys, ...inScope(1, other)])
  const gathered = many
    ? dialect.aggregateIdsInGroups(asText(id, codec, target), sortKey(id, codec, target))
    : sql`(array_agg(${asKey(id, codec, target)}))[1]`
  const groups = sql`(select ${key} as key, ${gathered} as ids from ${from} where ${where} group by ${key})`
  const [name, here] = [sql.id(alias), columnAt(0, link.ownKey)]
  const ids = sql`${name}.ids`
  return {
    join: sql` left join ${groups} as ${name} on ${name}.key = ${here}`,
    ids: many ? sql`coalesce(${ids}, '[]')` : ids,
  }
}

/**
 * Whether a value is one of a few, found by one probe of a hash for each row of a scan: PostgreSQL makes a join of a mere
 * `in`, and a nested loop of the join where it expects too few rows.
 */
export function isAmong(value: Sql, few: Sql): Sql {
  return sql`(${value} in (${few})) is true`
}

/** Whether an index finds the rows of a relationship by the key of the row that it starts from. */
export function isFoundByKey(
  { link, to }: RelationshipField,
  { model, isIndexed = () => true }: Target,
): boolean {
  return link.foreignKey === 'join table'
    ? isIndexed(link.joinTable, link.from)
    : isIndexed(getResourceType(model, to).table, link.otherKey)
}

/** All rows that a relationship leads to as `t1`, each with the key of the row that leads to it. */
function othersByKey(
  { link, to }: RelationshipField,
  { model }: Target,
): Readonly<{ key: Sql; from: Sql }> {
  const there = columnAt(1, link.otherKey)
  const others = tableAt(1, getResourceType(model, to).table)
  if (link.foreignKey !== 'join table') return { key: there, from: others }
  const pairs = sql`(select distinct ${sql.id(link.from)}, ${sql.id(link.to)} from ${tableName(link.joinTable)}) as ${sql.id('j1')}`
  return {
    key: joinColumnAt(1, link.from),
    from: sql`${pairs} join ${others} on ${there} = ${joinColumnAt(1, link.to)}`,
  }
}

/** A to-one's id or null; a to-many's ids as one text. */
function compileLinkage(field: RelationshipField, target: Target): Sql {
  const { link, many } = field
  const other = getResourceType(target.model, field.to)
  const here = columnAt(0, link.ownKey)
  const { codec } = other.id.kind
  if (isOwnKey(field, target.model)) return asKey(here, codec, target)
  const from = tableAt(1, other.table)
  const where = and([isLinkedFrom(1, link, here), ...inScope(1, other)])
  const id = columnAt(1, other.id.column)
  if (!many) return sql`(select ${asKey(id, codec, target)} from ${from} where ${where})`
  const byScan = linkageByScan(field, target)
  if (byScan) return byScan
  return target.dialect.aggregateIds(
    asText(id, codec, target),
    sortKey(id, codec, target),
    from,
    where,
  )
}

/** A to-many's ids where no index finds them by the row's key; `undefined` where one does. */
function linkageByScan(field: RelationshipField, target: Target): Sql | undefined {
  const { dialect } = target
  if (dialect.aggregateIdsByScan === undefined || isFoundByKey(field, target)) return undefined
  const other = getResourceType(target.model, field.to)
  const { codec } = other.id.kind
  const id = columnAt(1, other.id.column)
  const { key, from } = othersByKey(field, target)
  return dialect.aggregateIdsByScan(
    {
      id: asText(id, codec, target),
      order: sortKey(id, codec, target),
      key,
      from,
      where: and([sql`${key} is not null`, ...inScope(1, other)]),
    },
    columnAt(0, field.link.ownKey),
  )
}

/** Makes what turns a driver's row into one as its layout says, in place; `undefined` where they are the same. */
export function compileLoad(
  layout: RowLayout,
  dialect: Dialect,
): ((row: unknown[]) => void) | undefined {
  const values = layout.values.map(({ codec }) => getCodec(codec, dialect.name).load)
  const linkages = layout.linkages.map(({ many }) => (many ? gathered : undefined))
  const loads = [undefined, ...values, ...linkages].flatMap((load, at) => {
    return load ? [{ at, load }] : []
  })
  if (loads.length === 0) return undefined
  return (row) => {
    for (const { at, load } of loads) {
      const stored = row[at]
      if (stored === null) continue
      const value = load(stored)
      if (value !== stored) row[at] = value
    }
  }
}

/**
 * Ids are gathered into the text of a JSON array of strings. It is cut where they meet, unless something in it is escaped:
 * `JSON.parse` keeps every short text in a table of V8's, which grows with a long list and holds everybody up when it does.
 */
function gathered(ids: unknown): readonly string[] {
  const text = String(ids)
  if (text.length <= 2 || text.includes('\\')) return JSON.parse(text)
  // PostgreSQL writes a space after a comma, SQLite none.
  return text.slice(2, -2).split(text.includes('", "') ? '", "' : '","')
}
