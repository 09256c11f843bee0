import type { Catalog, ForeignKey, StoredColumn, StoredTable } from 'lapidary'
import { keepsKeys, kindOf } from './kinds.ts'
import { looksSecret } from './secrets.ts'
import { memberOf, nameOf } from './words.ts'

/** The column of a table that can tell its rows apart, and what ids are in it. */
export interface Key {
  readonly column: StoredColumn
  readonly kind: 'integer' | 'uuid' | 'text'
}

/** A table that resources can be cut from. */
export interface KeyedTable {
  readonly table: StoredTable
  readonly key: Key
}

/** A table whose rows only link those of two others. */
export interface JoinTable {
  readonly table: StoredTable
  readonly sides: readonly [ForeignKey, ForeignKey]
}

/** What the tables of a database are good for. */
export interface Survey {
  readonly catalog: Catalog
  readonly resources: readonly KeyedTable[]
  readonly joins: readonly JoinTable[]
  readonly leftOut: readonly Readonly<{ table: StoredTable; reason: string }>[]
}

/** Looks at every table: whether it can be a resource, links others, or neither. */
export function survey(catalog: Catalog): Survey {
  const all = catalog.tables.map((table) => ({ table, key: keyOf(table, catalog) }))
  const keyed = all.flatMap(({ table, key }) => (typeof key === 'string' ? [] : [{ table, key }]))
  const joins = catalog.tables.flatMap((table) => {
    const sides = sidesOf(table, { catalog, keyed })
    return sides === undefined ? [] : [{ table, sides }]
  })
  const isJoin = (table: StoredTable) => joins.some((join) => join.table === table)
  return {
    catalog,
    joins,
    resources: keyed.filter(({ table }) => !isJoin(table)),
    leftOut: all.flatMap(({ table, key }) =>
      typeof key === 'string' && !isJoin(table) ? [{ table, reason: key }] : [],
    ),
  }
}

/** The table that a foreign key leads to. */
export function targetOf<Some extends Readonly<{ table: StoredTable }>>(
  { to }: ForeignKey,
  among: readonly Some[],
  { schema }: Catalog,
): Some | undefined {
  return among.find(({ table }) => table.name === to.name && table.schema === (to.schema ?? schema))
}

/** A column that a new row has to be given. */
export function mustBeGiven({ nullable, hasDefault, writable }: StoredColumn): boolean {
  return writable && !nullable && !hasDefault
}

/** What ids can be, by the kind of their column. */
const idKinds: Readonly<Record<string, Key['kind']>> = {
  integer: 'integer',
  integer64: 'integer',
  uuid: 'uuid',
  text: 'text',
}

/** The key of a table, or the reason why it has none that would do. */
function keyOf(table: StoredTable, catalog: Catalog): Key | string {
  const candidates = table.is === 'view' ? viewKeys(table) : tableKeys(table)
  const complaints: string[] = []
  for (const column of candidates) {
    const { values: _, ...free } = column
    const kind = kindOf(free, catalog)
    const as = idKinds[kind?.name ?? '']
    if (looksSecret(column, kind)) complaints.push(`its key ${column.name} looks secret`)
    else if (as !== undefined) return { column, kind: as }
    else
      complaints.push(
        `its key ${column.name} is ${typed(column)}; ids are whole numbers, uuids or texts`,
      )
  }
  const [complaint] = complaints
  if (complaint !== undefined) return complaint
  if (table.is === 'view') return 'it is a view without a column "id"'
  const { primaryKey } = table
  return primaryKey.length > 1
    ? `its key has ${primaryKey.length} columns: ${primaryKey.join(', ')}`
    : 'it has no key'
}

function typed({ type }: StoredColumn): string {
  return type === '' ? 'of no type' : `of the type ${type}`
}

/** The primary key goes first; a unique column that is never null does as well. */
function tableKeys({ columns, primaryKey, uniques }: StoredTable): StoredColumn[] {
  const single = [primaryKey, ...uniques].flatMap((key) => (key.length === 1 ? key : []))
  return [...new Set(single)].flatMap((name) => {
    const column = columns.get(name)
    return column !== undefined && !column.nullable ? [column] : []
  })
}

/** Most views have no keys, so a name has to do; one that is kept as a table may have a unique index. */
function viewKeys({ columns, uniques }: StoredTable): StoredColumn[] {
  const single = uniques.flatMap((key) => (key.length === 1 ? key : []))
  const isKey = ({ name }: StoredColumn) => single.includes(name)
  const isNamed = ({ name }: StoredColumn) => memberOf(nameOf(name)) === 'id'
  const all = [...columns.values()]
  return [...all.filter(isNamed), ...all.filter((column) => isKey(column) && !isNamed(column))]
}

/** The two foreign keys of a table that does nothing but link. */
function sidesOf(
  table: StoredTable,
  { catalog, keyed }: Readonly<{ catalog: Catalog; keyed: readonly KeyedTable[] }>,
): JoinTable['sides'] | undefined {
  const order = [...table.columns.keys()]
  const at = ({ columns: [column = ''] }: ForeignKey) => order.indexOf(column)
  const [from, to, ...others] = table.foreignKeys.toSorted((one, other) => at(one) - at(other))
  if (from === undefined || to === undefined || others.length > 0 || table.is === 'view') return
  const columns = [...from.columns, ...to.columns]
  const leadsToKeys = [from, to].every((key) => {
    const target = targetOf(key, keyed, catalog)
    return (
      target !== undefined &&
      target.table !== table &&
      key.columns.length === 1 &&
      key.references[0] === target.key.column.name &&
      keepsKeys(table.columns.get(key.columns[0] ?? ''), target.key.column, catalog)
    )
  })
  const linksOnce = table.uniques.some(
    (unique) => unique.length === 2 && columns.every((name) => unique.includes(name)),
  )
  const needsNoMore = [...table.columns.values()].every(
    (column) => columns.includes(column.name) || !mustBeGiven(column),
  )
  const isReferred = catalog.tables.some((other) =>
    other.foreignKeys.some((key) => targetOf(key, [{ table }], catalog) !== undefined),
  )
  return leadsToKeys && columns[0] !== columns[1] && linksOnce && needsNoMore && !isReferred
    ? [from, to]
    : undefined
}
