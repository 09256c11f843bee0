import {
  type Catalog,
  canStore,
  type ForeignKey,
  type StoredColumn,
  type StoredTable,
} from 'lapidary'
import { commandDatabases } from '../databases/databases.ts'
import { identifier } from './code.ts'
import { isNamedId } from './find-view-keys.ts'
import type { Findings } from './findings.ts'
import { canStoreKeys, inferKeyKind } from './infer-kind.ts'
import type { KindCode } from './kind-code.ts'
import { isSecret } from './secrets.ts'

/** The table of idempotency keys: its rows have responses to everybody. */
const idempotencyTableName = 'lapidary_idempotency'

/** A column of a key. */
interface KeyPart {
  readonly column: StoredColumn
  /** The kind in a declaration; `integer` for 64-bit integers. */
  readonly kind: KindCode
}

/** The columns that identify the rows of a table. */
export type Key = readonly [KeyPart, ...KeyPart[]]

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
export function classifyTables(whole: Catalog, findings: Findings): ClassifiedTables {
  const catalog = {
    ...whole,
    tables: whole.tables.filter(({ name }) => name !== idempotencyTableName),
  }
  const all = catalog.tables.map((table) => ({ table, key: findKey(table, { catalog, findings }) }))
  const keyed = all.flatMap(({ table, key }) => (typeof key === 'string' ? [] : [{ table, key }]))
  const findKeyed = createReferenceLookup(keyed, catalog)
  const findStored = createReferenceLookup(toItems(catalog), catalog)
  const referenced = new Set(
    catalog.tables.flatMap(({ foreignKeys }) => foreignKeys.map((key) => findStored(key)?.table)),
  )
  const context = { catalog, findKeyed, findings, referenced }
  const joinTables = catalog.tables.flatMap((table) => findJoinTable(table, context) ?? [])
  const joinsByTable = new Map(joinTables.map((join) => [join.table, join]))
  const findJoin = (table: StoredTable) => joinsByTable.get(table)
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

/** Finds the item of the table that a foreign key references. */
export type FindReferenced<Item> = (foreignKey: ForeignKey) => Item | undefined

/** Creates a function that finds the tables that foreign keys reference. */
export function createReferenceLookup<Item extends Readonly<{ table: StoredTable }>>(
  items: readonly Item[],
  catalog: Catalog,
): FindReferenced<Item> {
  const toKey = (schema: string, name: string) => JSON.stringify([schema, name])
  const known = new Map(
    // Of a table and a function with one name, the table comes first.
    items.toReversed().map((item) => [toKey(item.table.schema, item.table.name), item]),
  )
  return ({ to }) => known.get(toKey(to.schema ?? catalog.schema, to.name))
}

/** True if an INSERT must give the column a value. */
export function isRequiredOnInsert({ nullable, hasDefault, writable }: StoredColumn): boolean {
  return writable && !nullable && !hasDefault
}

/** The kinds of columns that can be keys on every database. */
const keyKinds: readonly string[] = ['uuid', 'text', 'enumeration', 'boolean', 'date']

/**
 * Writes the kind of a key column as a declaration of an id needs it: 64-bit integers as `integer`. `undefined` if columns of this kind
 * cannot be keys.
 */
function toKeyKindCode(kind: KindCode | undefined, { dialect }: Catalog): KindCode | undefined {
  if (kind === undefined) return undefined
  const { name, code } = kind
  if (name === 'integer' || name === 'integer64')
    return { name: 'integer', code: identifier('integer') }
  // Of the formats of `storedAs`, only those of datetimes have one spelling of each value.
  const hasFormat = typeof code === 'object' && code.is === 'call' && code.name === 'storedAs'
  const isAllowed = hasFormat
    ? name === 'datetime'
    : keyKinds.includes(name) || commandDatabases[dialect].keyKinds.includes(name)
  return isAllowed ? kind : undefined
}

/** The context of the search for a key. */
type KeyContext = Pick<ClassifiedTables, 'catalog' | 'findings'>

/** @returns the key of a table, or the reason why it has none. A key of one column is preferred */
function findKey(table: StoredTable, context: KeyContext): Key | string {
  const { findings } = context
  const error = findings.tables.get(table)
  if (table.error !== undefined) return `it cannot be read: ${table.error}`
  if (table.name === '') return 'its name is empty'
  if (error !== undefined) return error
  if (table.hasChildren) return 'other tables inherit from it, so its key may repeat'
  const candidates = table.is === 'view' ? viewKeys(table, findings) : tableKeys(table)
  const reasons: string[] = []
  for (const columns of candidates) {
    const [first, ...others] = columns.map((column) =>
      findPart(column, table, columns.length > 1, context),
    )
    const parts = [first, ...others].filter((part) => typeof part === 'object')
    if (typeof first === 'object' && parts.length === columns.length)
      return [first, ...parts.slice(1)]
    reasons.push(...[first, ...others].filter((part) => typeof part === 'string'))
  }
  const hasSecret = candidates.flat().some((column) => isSecretKey(column, table, context))
  if (table.rowid && !hasSecret)
    return [{ column: table.rowid, kind: { name: 'integer', code: identifier('integer') } }]
  const [reason] = reasons
  if (reason !== undefined) return reason
  if (table.parameters) return describeMissingId(table)
  return table.is === 'view'
    ? 'it is a view without a column "id", and no column or pair of columns identifies its rows'
    : 'it has no primary key'
}

/** Whether a key looks secret: then the other columns of its table are probably its data. */
function isSecretKey(
  column: StoredColumn,
  table: StoredTable,
  { catalog, findings }: KeyContext,
): boolean {
  const kind = findings.kinds.get(column) ?? inferKeyKind(column, catalog)
  return isSecret({ column, kind, table }, findings)
}

/** Says how to declare a function whose rows have no column `id`: only its author knows which columns distinguish its rows. */
function describeMissingId({ columns }: StoredTable): string {
  const names = [...columns.keys()].map((name) => `'${name}'`)
  const [first, second] = names
  const pair = second === undefined ? '' : ` or id: [${first}, ${second}]`
  return `it returns no column "id"; declare it by tableFunction with the columns that distinguish its rows, e.g. id: ${first}${pair}`
}

/** @returns a column as a part of a key, or the reason why it cannot be one */
function findPart(
  column: StoredColumn,
  table: StoredTable,
  isComposite: boolean,
  { catalog, findings }: KeyContext,
): KeyPart | string {
  const kind = findings.kinds.get(column) ?? inferKeyKind(column, catalog)
  const problem = findings.columns.get(column)
  const keyKind = toKeyKindCode(kind, catalog)
  if (isSecret({ column, kind, table }, findings)) return `its key ${column.name} looks secret`
  if (problem !== undefined) return `its key ${column.name} is omitted: ${problem}`
  if (findings.keys.has(column)) return findings.keys.get(column) ?? ''
  if (!isComposite && findings.repeated.has(column)) return `its key ${column.name} repeats`
  const { mixedKeys, keyTypes } = commandDatabases[catalog.dialect]
  const codec = keyKind?.name === 'databaseText' ? mixedKeys : undefined
  const isAccepted = codec === undefined || canStore(column.type, { codec }, catalog.dialect)
  if (keyKind !== undefined && isAccepted) return { column, kind: keyKind }
  return `its key ${column.name} has ${describeType(column)}; ids must be ${keyTypes}`
}

function describeType({ type }: StoredColumn): string {
  return type === '' ? 'no type' : `the type ${type}`
}

/** The key candidates of a table whose columns cannot be null: its primary key, then unique keys; first those of one column. */
function tableKeys({ columns, primaryKey, uniques }: StoredTable): StoredColumn[][] {
  const keys = [primaryKey, ...uniques].filter(({ length }) => length > 0)
  const [single, composite] = [true, false].map((isSingle) =>
    keys.filter(({ length }) => (length === 1) === isSingle),
  )
  const candidates = [...(single ?? []), ...(composite ?? [])].map((names) =>
    names.flatMap((name) => columns.get(name) ?? []),
  )
  // SQLite accepts null in a primary key; the sample shows whether there is one.
  return candidates.filter((key) =>
    key.every(({ nullable, name }) => !nullable || primaryKey.includes(name)),
  )
}

/** The key candidates of a view: a column named `id`; of a materialized view its unique columns; the columns that its rows show. */
function viewKeys(table: StoredTable, { viewKeys: found }: Findings): StoredColumn[][] {
  const { columns, uniques } = table
  const all = [...columns.values()]
  const unique = uniques
    .map((names) => names.flatMap((name) => columns.get(name) ?? []))
    .toSorted((one, other) => one.length - other.length)
  return [
    ...all.filter(isNamedId).map((column) => [column]),
    ...unique.filter(([column]) => column && !isNamedId(column)),
    ...[...found].flatMap(([view, key]) => (view === table ? [[...key]] : [])),
  ]
}

interface JoinContext extends Pick<ClassifiedTables, 'catalog' | 'findings'> {
  readonly findKeyed: FindReferenced<KeyedTable>
  /** The tables that foreign keys reference. */
  readonly referenced: ReadonlySet<StoredTable | undefined>
}

/** @returns `undefined` for a table that does not link two others */
function findJoinTable(table: StoredTable, context: JoinContext): JoinTable | undefined {
  if (table.is === 'view' || context.findings.tables.has(table)) return undefined
  const candidates = foreignKeysInColumnOrder(table).filter((key) =>
    referencesOtherKey(table, key, context),
  )
  for (const unique of table.uniques) {
    const [from, ...others] = candidates.filter(({ columns }) => isSubset(columns, unique))
    const to = others.find(({ columns }) => !columns.some((name) => from?.columns.includes(name)))
    if (from === undefined || to === undefined) continue
    if (unique.length !== from.columns.length + to.columns.length) continue
    const furtherColumns = findFurtherColumns(table, unique)
    const isOnlyLink = furtherColumns.length === 0 && !context.referenced.has(table)
    return { table, foreignKeys: [from, to], furtherColumns, isOnlyLink }
  }
  return undefined
}

/** The columns that are neither in the pair of foreign keys nor a key that the database generates. */
function findFurtherColumns(
  { columns, primaryKey }: StoredTable,
  pair: readonly string[],
): StoredColumn[] {
  const isGeneratedKey = ({ name, hasDefault, writable }: StoredColumn) =>
    primaryKey.includes(name) && (hasDefault || !writable)
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

function isSubset(one: readonly string[], other: readonly string[]): boolean {
  return one.every((name) => other.includes(name))
}

/** True if a foreign key references the key of another table. */
function referencesOtherKey(
  table: StoredTable,
  foreignKey: ForeignKey,
  { catalog, findKeyed, findings }: JoinContext,
): boolean {
  const target = findKeyed(foreignKey)
  if (target === undefined || target.table === table) return false
  const columns = alignColumns(foreignKey, target.key)
  const canStore = columns?.every((name, at) => {
    const own = table.columns.get(name)
    const isReadable = own !== undefined && !findings.columns.has(own)
    return isReadable && canStoreKeys(own, target.key[at]?.column, { catalog, findings })
  })
  return canStore ?? false
}

/** The columns of a foreign key in the order of the key that they reference; `undefined` if they reference other columns. */
export function alignColumns(
  { columns, references }: ForeignKey,
  key: Key,
): readonly string[] | undefined {
  if (columns.length !== key.length) return undefined
  const aligned = key.flatMap(({ column }) => columns[references.indexOf(column.name)] ?? [])
  return aligned.length === key.length ? aligned : undefined
}

/** The tables of a catalog as items of a lookup. */
export function toItems({ tables }: Catalog): readonly Readonly<{ table: StoredTable }>[] {
  return tables.map((table) => ({ table }))
}
