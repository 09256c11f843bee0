import { sql } from 'kysely'
import type {
  Catalog,
  DeleteAction,
  ForeignKey,
  StoredColumn,
  StoredTable,
} from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import { isLiteral } from '../../sql/filter/is-literal.ts'
import { compileStatement, type Statement } from '../../sql/statement.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqliteDialect } from '../dialect.ts'
import { lowerAscii } from './schema-facts.ts'
import { querySqliteTriggers } from './triggers.ts'

/** @param broken - the views and virtual tables that SQLite cannot read: to query their columns would be an error */
const compileColumnsQuery = (broken: readonly string[]): Statement =>
  compileCatalogQuery(
    sql`select t.name, c.name, c.type, c."notnull" = 0, c.dflt_value is not null, c.hidden = 0, c.pk,
      exists (select 1 from pragma_index_list(t.name) as k where k.origin = 'pk'), c.dflt_value`,
    sql`pragma_table_xinfo(iif(t.name in (${sql.join(broken.map((name) => sql.lit(name)))}), null, t.name)) as c
      where c.hidden <> 1 order by t.name, c.cid`,
  )
const uniquesQuery = compileCatalogQuery(
  sql`select t.name, i.name, c.name`,
  sql`pragma_index_list(t.name) as i, pragma_index_xinfo(i.name) as c
    where i."unique" and not i.partial and c.key order by t.name, i.name, c.seqno`,
)
const indexesQuery = compileCatalogQuery(
  sql`select t.name, i.name, c.name`,
  sql`pragma_index_list(t.name) as i, pragma_index_xinfo(i.name) as c
    where not i.partial and c.key order by t.name, i.name, c.seqno`,
)
/** The indexes with a collation that SQLite does not have: a program can add its own, and node:sqlite has no way to do so. */
const foreignCollationsQuery = compileCatalogQuery(
  sql`select t.name, c.coll`,
  sql`pragma_index_list(t.name) as i, pragma_index_xinfo(i.name) as c
    where lower(c.coll) not in ('binary', 'nocase', 'rtrim') order by t.name`,
)
const foreignKeysQuery = compileCatalogQuery(
  sql`select t.name, f.id, f."table", f."from", f."to", f.on_delete`,
  sql`pragma_foreign_key_list(t.name) as f order by t.name, f.id, f.seq`,
)
const tablesQuery = compileCatalogQuery(
  sql`select t.name, t.kind, t.sql, t.ncol, t.wr`,
  sql`(select 1) order by t.name`,
)

const viewsQuery = compileStatement(
  sql`select name from sqlite_schema where type = 'view' or type = 'table' and rootpage = 0`,
  sqliteDialect,
)

/** Compiles a query over all tables and views, except those of SQLite itself and the shadow tables of virtual tables. */
function compileCatalogQuery(select: Sql, from: Sql): Statement {
  const tables = sql`(select s.name, l.type as kind, s.sql, l.wr, l.ncol
    from sqlite_schema as s join pragma_table_list as l on l.schema = 'main' and l.name = s.name
    where s.type in ('table', 'view') and l.type <> 'shadow'
    and s.name not like 'sqlite\\_%' escape '\\' and s.name <> 'lapidary_migration')`
  return compileStatement(sql`${select} from ${tables} as t, ${from}`, sqliteDialect)
}

type CatalogRows = readonly (readonly unknown[])[]

/** The rows of a query by their first column, the name of the table. */
type RowsByTable = ReadonlyMap<string, CatalogRows>

/** What the catalog contains about the parts of tables. */
interface TableParts {
  readonly columns: RowsByTable
  readonly uniques: RowsByTable
  readonly indexes: RowsByTable
  readonly foreignKeys: RowsByTable
}

/** Queries the tables and views of the database, their columns and keys. */
export function querySqliteCatalog(connection: SqliteConnection): Catalog {
  const query = (statement: Statement) => connection.all(statement, { planValues: [] })
  const viewErrors = findViewErrors(connection)
  const errors = new Map([...viewErrors, ...findCollationErrors(connection)])
  const queryByTable = (statement: Statement): RowsByTable =>
    Map.groupBy(query(statement), ([table]) => String(table))
  const parts: TableParts = {
    columns: queryByTable(compileColumnsQuery([...viewErrors.keys()])),
    uniques: queryByTable(uniquesQuery),
    indexes: queryByTable(indexesQuery),
    foreignKeys: queryByTable(foreignKeysQuery),
  }
  const findTriggers = querySqliteTriggers(connection)
  const tables = query(tablesQuery).map((row) => {
    const { triggers, accepts } = findTriggers(String(row[0]))
    const table = {
      ...toTable(row, parts),
      ...(triggers && { triggers }),
      ...(accepts && { accepts }),
    }
    const error = errors.get(table.name) ?? (row[3] === 0 ? 'it has no columns' : undefined)
    return error === undefined ? table : { ...table, error }
  })
  const resolve = createForeignKeyResolver(tables)
  return {
    dialect: 'sqlite',
    schema: 'main',
    tables: tables.map((table) => ({ ...table, foreignKeys: table.foreignKeys.map(resolve) })),
  }
}

/**
 * Finds the views and virtual tables that SQLite refuses to read, with its messages. It prepares a statement for each, which also finds
 * out the columns: `pragma_table_list` gives up at the first view without columns, so one broken view would hide the others.
 */
function findViewErrors(connection: SqliteConnection): ReadonlyMap<string, string> {
  const errors = new Map<string, string>()
  for (const [name] of connection.all(viewsQuery, { planValues: [] })) {
    const error = findViewError(String(name), connection)
    if (error !== undefined) errors.set(String(name), error)
  }
  return errors
}

/** Finds the tables with an index that is sorted by a collation of another program: SQLite cannot count them, nor read some of them. */
function findCollationErrors(connection: SqliteConnection): [table: string, error: string][] {
  return connection
    .all(foreignCollationsQuery, { planValues: [] })
    .map(([table, collation]) => [
      String(table),
      `an index of it has the collation ${collation}, which only another program has`,
    ])
}

function findViewError(name: string, connection: SqliteConnection): string | undefined {
  const statement = compileStatement(sql`select 1 from ${sql.id(name)} limit 0`, sqliteDialect)
  try {
    connection.prepare(statement)
    return undefined
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    return cause instanceof Error ? cause.message : String(cause)
  }
}

function toTable(
  [name, kind, statement, , isWithoutRowid]: readonly unknown[],
  parts: TableParts,
): StoredTable {
  const rowsOf = (rows: RowsByTable) => rows.get(String(name)) ?? []
  const columns = rowsOf(parts.columns)
  const primaryKey = columns
    .filter((row) => row[6] !== 0)
    .sort((one, other) => Number(one[6]) - Number(other[6]))
    .map((row) => String(row[1]))
  return {
    is: kind === 'view' ? 'view' : 'table',
    name: String(name),
    schema: 'main',
    columns: new Map(
      columns.map((row) => [String(row[1]), toColumn(row, primaryKey, String(statement))]),
    ),
    primaryKey,
    ...(kind === 'table' && isWithoutRowid === 0 && describeRowid(columns, primaryKey)),
    uniques: [...(primaryKey.length > 0 ? [primaryKey] : []), ...toUniques(rowsOf(parts.uniques))],
    foreignKeys: toForeignKeys(rowsOf(parts.foreignKeys)),
    // An integer primary key is the rowid, so the table itself is its index.
    ...(kind === 'table' && {
      indexes: [
        ...(isRowid(columns, primaryKey) ? [primaryKey] : []),
        ...toIndexes(rowsOf(parts.indexes)),
      ],
    }),
  }
}

/** Describes the column that SQLite adds to a table, by a name that no other column has. */
function describeRowid(
  columns: CatalogRows,
  primaryKey: readonly string[],
): Pick<StoredTable, 'rowid'> {
  if (isRowid(columns, primaryKey)) return {}
  const names = columns.map((row) => lowerAscii(String(row[1])))
  const name = ['rowid', '_rowid_', 'oid'].find((each) => !names.includes(each))
  if (name === undefined) return {}
  return { rowid: { name, type: 'INTEGER', nullable: false, hasDefault: true, writable: false } }
}

function toColumn(
  row: readonly unknown[],
  primaryKey: readonly string[],
  statement: string,
): StoredColumn {
  const [, name, type, nullable, hasDefault, writable, , , defaultSql] = row
  // SQLite generates the value of the only integer of a primary key, which is the rowid.
  const isRowidAlias = isRowid([row], primaryKey)
  const values = parseListedValues(statement, String(name))
  return {
    name: String(name),
    type: String(type),
    nullable: nullable === 1 && !isRowidAlias,
    // SQLite computes the value of a generated column.
    hasDefault: hasDefault === 1 || isRowidAlias || writable !== 1,
    writable: writable === 1,
    ...(isLiteral(defaultSql) && { hasLiteralDefault: true }),
    ...parseDefaultText(defaultSql),
    ...(values && { values }),
  }
}

/** The keywords and functions of SQLite for the current time, each with its format. */
const currentTimes: readonly (readonly [sql: RegExp, text: string])[] = [
  [/^current_timestamp$/i, '2024-01-31 12:00:00'],
  [/^current_date$/i, '2024-01-31'],
  [/^current_time$/i, '12:00:00'],
  [/^datetime\s*\(\s*'now'[^)]*\)$/i, '2024-01-31 12:00:00'],
  [/^date\s*\(\s*'now'[^)]*\)$/i, '2024-01-31'],
  [/^time\s*\(\s*'now'[^)]*\)$/i, '12:00:00'],
]

/** The formats of `strftime` whose meaning is known, with texts of them. */
const timeFormats: Readonly<Record<string, string>> = {
  ...{ '%Y': '2024', '%m': '01', '%d': '31', '%H': '12', '%M': '00', '%S': '00', '%f': '00.000' },
  ...{ '%F': '2024-01-31', '%T': '12:00:00' },
}

/** Returns a text of the format in which a default stores the current time; `undefined` for any other default. */
function formatCurrentTime(defaultSql: string): string | undefined {
  const text = defaultSql.replace(/^[(\s]+(?=[a-z])/i, '').replace(/(\)|^[a-z_]+)[)\s]*$/i, '$1')
  const known = currentTimes.find(([pattern]) => pattern.test(text))?.[1]
  const [, format] = /^strftime\s*\(\s*'([^']*)'\s*,\s*'now'[^)]*\)$/i.exec(text) ?? []
  return known ?? format?.replace(/%[a-z]/gi, (part) => timeFormats[part] ?? part)
}

/** Parses the SQL of a default, if it is a text literal or the current time. */
function parseDefaultText(defaultSql: unknown): Pick<StoredColumn, 'defaultText'> {
  const current = formatCurrentTime(String(defaultSql))
  if (current !== undefined) return { defaultText: current }
  const [, text] = /^'((?:[^']|'')*)'$/.exec(String(defaultSql)) ?? []
  return text === undefined ? {} : { defaultText: text.replaceAll("''", "'") }
}

/**
 * Whether the primary key is the rowid: the only column, of the type `integer`, without an index. Such a column with `desc` has an
 * index, and is a column like any other (sqlite.org/lang_createtable.html, section 5).
 */
function isRowid(columns: CatalogRows, primaryKey: readonly string[]): boolean {
  const column = columns.find(([, name]) => name === primaryKey[0])
  const [, , type, , , , , hasIndex] = column ?? []
  return primaryKey.length === 1 && /^integer$/i.test(String(type)) && hasIndex === 0
}

/** Returns the columns of each unique index, except indexes over expressions. */
function toUniques(rows: CatalogRows): string[][] {
  const rowsByIndex = Map.groupBy(rows, ([, index]) => index)
  return [...rowsByIndex.values()]
    .filter((indexRows) => indexRows.every(([, , column]) => column !== null))
    .map((indexRows) => indexRows.map(([, , column]) => String(column)))
}

/** Returns the columns of each index, up to the first expression. */
function toIndexes(rows: CatalogRows): string[][] {
  return [...Map.groupBy(rows, ([, index]) => index).values()].flatMap((indexRows) => {
    const end = indexRows.findIndex(([, , column]) => column === null)
    const names = (end === -1 ? indexRows : indexRows.slice(0, end)).map((row) => String(row[2]))
    return names.length === 0 ? [] : [names]
  })
}

function toForeignKeys(rows: CatalogRows): ForeignKey[] {
  return [...Map.groupBy(rows, ([, id]) => id).values()].map((keyRows) => ({
    columns: keyRows.map((row) => String(row[3])),
    to: { schema: undefined, name: String(keyRows[0]?.[2]) },
    references: keyRows.flatMap((row) => (row[4] === null ? [] : [String(row[4])])),
    ...readDeleteAction(keyRows[0]?.[5]),
  }))
}

function readDeleteAction(text: unknown): Pick<ForeignKey, 'onDelete'> {
  const onDelete = deleteActions.find((action) => action === String(text).toLowerCase())
  return onDelete === undefined ? {} : { onDelete }
}

const deleteActions: readonly DeleteAction[] = ['cascade', 'set null', 'set default']

/**
 * Creates a function that spells the tables and columns of foreign keys as in their definition: a foreign key may name them in
 * any case. A foreign key without columns of the other table references its primary key.
 */
function createForeignKeyResolver(
  tables: readonly StoredTable[],
): (foreignKey: ForeignKey) => ForeignKey {
  const tablesByName = new Map(tables.map((table) => [lowerAscii(table.name), table]))
  return (foreignKey) => {
    const table = tablesByName.get(lowerAscii(foreignKey.to.name))
    if (table === undefined) return foreignKey
    const names = new Map([...table.columns.keys()].map((name) => [lowerAscii(name), name]))
    const references = foreignKey.references.map((name) => names.get(lowerAscii(name)) ?? name)
    return {
      ...foreignKey,
      to: { ...foreignKey.to, name: table.name },
      references: references.length > 0 ? references : table.primaryKey,
    }
  }
}

/**
 * Parses the values of `check (column in ('a', 'b'))`, SQLite's form of an enumeration.
 * @param table - the `create table` statement
 * @returns `undefined` when the table has no such check of the column
 */
function parseListedValues(table: string, column: string): string[] | undefined {
  const name = column.replace(/[^\w]/g, '\\$&')
  const list = new RegExp(
    `check\\s*\\(\\s*["\`[]?${name}["\`\\]]?\\s+in\\s*\\(((?:\\s*'(?:[^']|'')*'\\s*,?)+)\\)\\s*\\)`,
    'i',
  ).exec(table)?.[1]
  const values = list?.match(/'(?:[^']|'')*'/g)
  return values?.map((value) => value.slice(1, -1).replaceAll("''", "'"))
}
