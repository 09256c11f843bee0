import type { Catalog, ForeignKey, StoredColumn, StoredTable } from 'lapidary'
import { canStoreKeys, inferKind } from './infer-kind.ts'
import { looksSecret } from './looks-secret.ts'
import { parseName, toMemberName } from './name.ts'

/** The column that identifies the rows of a table. */
export interface Key {
  readonly column: StoredColumn
  readonly kind: 'integer' | 'uuid' | 'text'
}

/** A table that can be a resource type. */
export interface KeyedTable {
  readonly table: StoredTable
  readonly key: Key
}

/** A table that only links the rows of two other tables. */
export interface JoinTable {
  readonly table: StoredTable
  readonly foreignKeys: readonly [ForeignKey, ForeignKey]
}

/** The tables of a database, by what they become in the declarations. */
export interface ClassifiedTables {
  readonly catalog: Catalog
  readonly resources: readonly KeyedTable[]
  readonly joinTables: readonly JoinTable[]
  readonly omitted: readonly Readonly<{ table: StoredTable; reason: string }>[]
}

/** Decides for each table whether it becomes a resource type, a many-to-many relationship, or neither. */
export function classifyTables(catalog: Catalog): ClassifiedTables {
  const all = catalog.tables.map((table) => ({ table, key: findKey(table, catalog) }))
  const keyed = all.flatMap(({ table, key }) => (typeof key === 'string' ? [] : [{ table, key }]))
  const joinTables = catalog.tables.flatMap((table) => {
    const foreignKeys = joinTableKeys(table, { catalog, keyed })
    return foreignKeys === undefined ? [] : [{ table, foreignKeys }]
  })
  const isJoinTable = (table: StoredTable) => joinTables.some((join) => join.table === table)
  return {
    catalog,
    joinTables,
    resources: keyed.filter(({ table }) => !isJoinTable(table)),
    omitted: all.flatMap(({ table, key }) =>
      typeof key === 'string' && !isJoinTable(table) ? [{ table, reason: key }] : [],
    ),
  }
}

/** Finds the table that a foreign key references. */
export function findReferencedTable<Item extends Readonly<{ table: StoredTable }>>(
  { to }: ForeignKey,
  items: readonly Item[],
  { schema }: Catalog,
): Item | undefined {
  return items.find(({ table }) => table.name === to.name && table.schema === (to.schema ?? schema))
}

/** True if an INSERT must give the column a value. */
export function isRequiredOnInsert({ nullable, hasDefault, writable }: StoredColumn): boolean {
  return writable && !nullable && !hasDefault
}

/** The kinds that ids can have, by the kind of the key column. */
const idKinds: Readonly<Record<string, Key['kind']>> = {
  integer: 'integer',
  integer64: 'integer',
  uuid: 'uuid',
  text: 'text',
}

/** @returns the key of a table, or the reason why no column can be its key */
function findKey(table: StoredTable, catalog: Catalog): Key | string {
  const candidates = table.is === 'view' ? viewKeys(table) : tableKeys(table)
  const reasons: string[] = []
  for (const column of candidates) {
    const { values: _, ...withoutValues } = column
    const kind = inferKind(withoutValues, catalog)
    const idKind = idKinds[kind?.name ?? '']
    if (looksSecret(column, kind, table))
      reasons.push(`the name of its key ${column.name} suggests a secret`)
    else if (idKind !== undefined) return { column, kind: idKind }
    else
      reasons.push(
        `its key ${column.name} has ${describeType(column)}; ids must be integers, UUIDs or text`,
      )
  }
  const [reason] = reasons
  if (reason !== undefined) return reason
  if (table.is === 'view') return 'it is a view without a column "id"'
  const { primaryKey } = table
  return primaryKey.length > 1
    ? `its primary key has ${primaryKey.length} columns: ${primaryKey.join(', ')}`
    : 'it has no primary key'
}

function describeType({ type }: StoredColumn): string {
  return type === '' ? 'no type' : `the type ${type}`
}

/** The key candidates of a table: its primary key, then unique columns that cannot be null. */
function tableKeys({ columns, primaryKey, uniques }: StoredTable): StoredColumn[] {
  const single = [primaryKey, ...uniques].flatMap((key) => (key.length === 1 ? key : []))
  return [...new Set(single)].flatMap((name) => {
    const column = columns.get(name)
    return column !== undefined && !column.nullable ? [column] : []
  })
}

/** The key candidates of a view: a column named `id`; of a materialized view also its unique columns. */
function viewKeys({ columns, uniques }: StoredTable): StoredColumn[] {
  const single = uniques.flatMap((key) => (key.length === 1 ? key : []))
  const isUnique = ({ name }: StoredColumn) => single.includes(name)
  const isNamedId = ({ name }: StoredColumn) => toMemberName(parseName(name)) === 'id'
  const all = [...columns.values()]
  return [
    ...all.filter(isNamedId),
    ...all.filter((column) => isUnique(column) && !isNamedId(column)),
  ]
}

/** @returns the two foreign keys of a join table; `undefined` for every other table */
function joinTableKeys(
  table: StoredTable,
  { catalog, keyed }: Readonly<{ catalog: Catalog; keyed: readonly KeyedTable[] }>,
): JoinTable['foreignKeys'] | undefined {
  const [from, to, ...others] = foreignKeysInColumnOrder(table)
  if (from === undefined || to === undefined || others.length > 0 || table.is === 'view') return
  const [fromColumn = '', toColumn = ''] = [from.columns[0], to.columns[0]]
  const isJoinTable =
    fromColumn !== toColumn &&
    [from, to].every((key) => referencesOtherKey(table, key, { catalog, keyed })) &&
    storesPairs(table, [fromColumn, toColumn]) &&
    !isReferenced(table, catalog)
  return isJoinTable ? [from, to] : undefined
}

function foreignKeysInColumnOrder({ columns, foreignKeys }: StoredTable): ForeignKey[] {
  const names = [...columns.keys()]
  const position = ({ columns: [column = ''] }: ForeignKey) => names.indexOf(column)
  return foreignKeys.toSorted((one, other) => position(one) - position(other))
}

/** True if a foreign key has one column and references the key of another table. */
function referencesOtherKey(
  table: StoredTable,
  foreignKey: ForeignKey,
  { catalog, keyed }: Readonly<{ catalog: Catalog; keyed: readonly KeyedTable[] }>,
): boolean {
  const target = findReferencedTable(foreignKey, keyed, catalog)
  const [column = '', ...others] = foreignKey.columns
  return (
    target !== undefined &&
    target.table !== table &&
    others.length === 0 &&
    foreignKey.references[0] === target.key.column.name &&
    canStoreKeys(table.columns.get(column), target.key.column, catalog)
  )
}

/** True if each pair of values of two columns is unique, and an INSERT needs only these columns. */
function storesPairs({ columns, uniques }: StoredTable, pair: readonly string[]): boolean {
  const isUnique = uniques.some(
    (unique) => unique.length === 2 && pair.every((name) => unique.includes(name)),
  )
  const isSufficient = [...columns.values()].every(
    (column) => pair.includes(column.name) || !isRequiredOnInsert(column),
  )
  return isUnique && isSufficient
}

function isReferenced(table: StoredTable, catalog: Catalog): boolean {
  return catalog.tables.some(({ foreignKeys }) =>
    foreignKeys.some((key) => findReferencedTable(key, [{ table }], catalog) !== undefined),
  )
}
