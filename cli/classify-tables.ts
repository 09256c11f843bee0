import type { Catalog, ForeignKey, StoredColumn, StoredTable } from 'lapidary'
import { canStoreKeys, inferKeyKind } from './infer-kind.ts'
import type { Findings } from './inspect-catalog.ts'
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

/** A table that links the rows of two other tables: each pair of rows at most once. */
export interface JoinTable {
  readonly table: StoredTable
  readonly foreignKeys: readonly [ForeignKey, ForeignKey]
  /** The columns besides the foreign keys and a generated key. */
  readonly furtherColumns: readonly StoredColumn[]
  /** Whether the table only links: it has no further columns, and no foreign key references it. */
  readonly isOnlyLink: boolean
}

/** The tables of a database, by what they become in the declarations. */
export interface ClassifiedTables {
  readonly catalog: Catalog
  readonly findings: Findings
  readonly resources: readonly KeyedTable[]
  readonly joinTables: readonly JoinTable[]
  readonly omitted: readonly Readonly<{ table: StoredTable; reason: string }>[]
}

/**
 * Decides for each table whether it becomes a resource type, a many-to-many relationship, or neither. A join table with further
 * columns, or one that others reference, becomes both.
 */
export function classifyTables(catalog: Catalog, findings: Findings): ClassifiedTables {
  const all = catalog.tables.map((table) => ({ table, key: findKey(table, { catalog, findings }) }))
  const keyed = all.flatMap(({ table, key }) => (typeof key === 'string' ? [] : [{ table, key }]))
  const joinTables = catalog.tables.flatMap(
    (table) => findJoinTable(table, { catalog, keyed, findings }) ?? [],
  )
  const findJoin = (table: StoredTable) => joinTables.find((join) => join.table === table)
  return {
    catalog,
    findings,
    joinTables,
    resources: keyed.filter(({ table }) => findJoin(table)?.isOnlyLink !== true),
    omitted: all.flatMap(({ table, key }) => {
      const join = findJoin(table)
      if (typeof key !== 'string' || join?.isOnlyLink) return []
      return [{ table, reason: join === undefined ? key : `${key}; ${describeJoin(join)}` }]
    }),
  }
}

/** Says what is served of a join table that is not a resource type. */
function describeJoin({ furtherColumns }: JoinTable): string {
  const names = furtherColumns.map(({ name }) => name).join(', ')
  const served = 'the relationships through it are served'
  return names === '' ? served : `${served}, without ${names}`
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
function findKey(
  table: StoredTable,
  { catalog, findings }: Pick<ClassifiedTables, 'catalog' | 'findings'>,
): Key | string {
  const error = findings.tables.get(table)
  if (table.error !== undefined) return `it cannot be read: ${table.error}`
  if (error !== undefined) return error
  const candidates = table.is === 'view' ? viewKeys(table) : tableKeys(table)
  const reasons: string[] = []
  for (const column of candidates) {
    const kind = findings.kinds.get(column) ?? inferKeyKind(column, catalog)
    const problem = findings.columns.get(column)
    const idKind = idKinds[kind?.name ?? '']
    if (looksSecret(column, kind, table))
      reasons.push(`the name of its key ${column.name} suggests a secret`)
    else if (problem !== undefined) reasons.push(`its key ${column.name} is omitted: ${problem}`)
    else if (findings.keys.has(column)) reasons.push(findings.keys.get(column) ?? '')
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

interface JoinContext extends Pick<ClassifiedTables, 'catalog' | 'findings'> {
  readonly keyed: readonly KeyedTable[]
}

/** @returns `undefined` for a table that does not link two others */
function findJoinTable(table: StoredTable, context: JoinContext): JoinTable | undefined {
  if (table.is === 'view' || context.findings.tables.has(table)) return undefined
  const candidates = foreignKeysInColumnOrder(table).filter((key) =>
    referencesOtherKey(table, key, context),
  )
  for (const unique of table.uniques) {
    const [from, ...others] = candidates.filter(({ columns: [column = ''] }) =>
      unique.includes(column),
    )
    const to = others.find(({ columns: [column] }) => column !== from?.columns[0])
    if (unique.length !== 2 || from === undefined || to === undefined) continue
    const furtherColumns = findFurtherColumns(table, unique)
    const isOnlyLink = furtherColumns.length === 0 && !isReferenced(table, context.catalog)
    return { table, foreignKeys: [from, to], furtherColumns, isOnlyLink }
  }
  return undefined
}

/** The columns that are neither in the pair of foreign keys nor a key that the database generates. */
function findFurtherColumns(
  { columns, primaryKey }: StoredTable,
  pair: readonly string[],
): StoredColumn[] {
  const isGeneratedKey = (column: StoredColumn) =>
    primaryKey.includes(column.name) && !isRequiredOnInsert(column)
  return [...columns.values()].filter(
    (column) => !pair.includes(column.name) && !isGeneratedKey(column),
  )
}

/** The foreign keys of a table, in the order of their first columns. */
export function foreignKeysInColumnOrder({ columns, foreignKeys }: StoredTable): ForeignKey[] {
  const names = [...columns.keys()]
  const position = ({ columns: [column = ''] }: ForeignKey) => names.indexOf(column)
  return foreignKeys.toSorted((one, other) => position(one) - position(other))
}

/** True if a foreign key has one column and references the key of another table. */
function referencesOtherKey(
  table: StoredTable,
  foreignKey: ForeignKey,
  { catalog, keyed, findings }: JoinContext,
): boolean {
  const target = findReferencedTable(foreignKey, keyed, catalog)
  const [column = '', ...others] = foreignKey.columns
  const own = table.columns.get(column)
  return (
    own !== undefined &&
    !findings.columns.has(own) &&
    target !== undefined &&
    target.table !== table &&
    others.length === 0 &&
    foreignKey.references[0] === target.key.column.name &&
    canStoreKeys(own, target.key.column, catalog)
  )
}

function isReferenced(table: StoredTable, catalog: Catalog): boolean {
  return catalog.tables.some(({ foreignKeys }) =>
    foreignKeys.some((key) => findReferencedTable(key, [{ table }], catalog) !== undefined),
  )
}
