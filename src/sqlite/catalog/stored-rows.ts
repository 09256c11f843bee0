import { sql } from 'kysely'
import { type Catalog, findTable, type StoredTable } from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import { type Codec, getCodec } from '../../model/kinds/codecs.ts'
import type { AttributeField, IdPart, Model, ResourceType } from '../../model/model.ts'
import type { RowsWithoutId } from '../../sql/database-facts.ts'
import { compileStatement } from '../../sql/statement.ts'
import { and, asIdText, columnsAt, tableAt, tableName } from '../../sql/tables.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqlite } from '../database.ts'
import { sqliteDialect } from '../dialect.ts'
import { estimateRowCount } from './table-size.ts'

/** The rows of a table that are checked, and the rows of all tables. */
const [maxRows, maxTotalRows] = [100_000, 1_000_000]

/** What is found in the rows of a model's tables. */
interface StoredRows {
  readonly rowsWithoutId: ReadonlyMap<string, RowsWithoutId>
  /** The booleans whose columns have other numbers than 0 and 1. */
  readonly booleans: ReadonlyMap<AttributeField, AttributeField['expression']>
}

/**
 * Checks the first rows of each table of a model: SQLite stores nulls in most primary keys, and any value in most columns.
 * Rows without an id belong to no type (docs/decisions/0027), and a boolean is read from any number.
 */
export function checkRows(
  model: Model,
  catalog: Catalog,
  connection: SqliteConnection,
): StoredRows {
  const takeRows = createRowBudget(connection)
  const rowsWithoutId = new Map<string, RowsWithoutId>()
  const booleans = new Map<AttributeField, AttributeField['expression']>()
  for (const resource of model.types.values()) {
    const table = findTable(catalog, resource.table)
    if (table?.is !== 'table' || table.error !== undefined) continue
    if (canCheck(resource, table) && takeRows(table)) {
      const found = findRowWithoutId(resource, connection)
      if (found) rowsWithoutId.set(resource.type, found)
    }
    const fields = listBooleans(resource, table)
    if (fields.length === 0 || !takeRows(table)) continue
    const columns = findOtherNumbers(fields, resource, connection)
    for (const { field, column } of fields)
      if (columns.has(column)) booleans.set(field, (columnOf) => toBoolean(columnOf(column)))
  }
  return { rowsWithoutId, booleans }
}

/** Creates the function that counts the rows of a table as read. It returns false when too many were. */
function createRowBudget(connection: SqliteConnection): (table: StoredTable) => boolean {
  let remaining = maxTotalRows
  return ({ name }) => {
    remaining -= Math.min(estimateRowCount(connection, name), maxRows)
    return remaining >= 0
  }
}

/** Finds a row without an id. */
function findRowWithoutId(
  resource: ResourceType,
  connection: SqliteConnection,
): RowsWithoutId | undefined {
  const columns = columnsAt(0, resource.id.columns)
  const id = asIdText(columns, resource.id, { dialect: sqliteDialect })
  const first = sql`select * from ${tableAt(0, resource.table)} limit ${sql.lit(maxRows)}`
  const statement = compileStatement(
    sql`select ${id} from (${first}) as t0 where not (${hasId(resource, columns)}) limit 1`,
    sqliteDialect,
  )
  const [row] = connection.all(statement, { planValues: [] })
  return (
    row && { hasId: (column) => hasId(resource, resource.id.columns.map(column)), found: row[0] }
  )
}

/** Whether the ids of a table have to be checked, and can be: the startup check rejects declarations that do not fit the table. */
function canCheck(resource: ResourceType, table: StoredTable): boolean {
  const { columns, parts } = resource.id
  return (
    columns.every((name) => table.columns.has(name)) &&
    parts.every(({ kind }) => getCodec(kind.codec, sqlite).idText) &&
    !isRowid(resource, table)
  )
}

/** Whether the id is the rowid, which is never null and always an integer. */
function isRowid({ id }: ResourceType, { primaryKey, columns }: StoredTable): boolean {
  const [name = ''] = primaryKey
  const isKey = primaryKey.length === 1 && id.columns.length === 1 && id.columns[0] === name
  const column = columns.get(name)
  // Only a rowid is an integer that is never null and has a default, which is the next number.
  return (
    isKey &&
    /^integer$/i.test(column?.type ?? '') &&
    column?.nullable === false &&
    column.hasDefault
  )
}

/** Compiles whether each column has a value that is a part of an id. */
function hasId({ id }: ResourceType, columns: readonly Sql[]): Sql {
  return and(
    id.parts.map(({ kind: { codec } }: IdPart, index) =>
      isIdPart(codec, columns[index] ?? sql`null`),
    ),
  )
}

/**
 * A boolean as it is read: 1 for each number but 0, because another program may have stored -1 for true. A value of another type is left
 * as it is, because it is not a boolean. No index serves this SQL, so it is only that of columns with such a number.
 */
const toBoolean = (column: Sql): Sql =>
  sql`iif(typeof(${column}) in ('integer', 'real'), ${column} <> 0, ${column})`

/** A boolean and its column. */
interface BooleanField {
  readonly field: AttributeField
  readonly column: string
}

/** Lists the booleans of a type that a table stores. */
function listBooleans(
  { fields }: ResourceType,
  table: Pick<StoredTable, 'columns'>,
): BooleanField[] {
  return [...fields.values()].flatMap((field) => {
    if (field.is !== 'attribute' || field.kind.codec !== 'boolean') return []
    const { column } = field
    return column !== undefined && table.columns.has(column) ? [{ field, column }] : []
  })
}

/** Finds the columns with a number other than 0 and 1. */
function findOtherNumbers(
  fields: readonly BooleanField[],
  { table }: ResourceType,
  connection: SqliteConnection,
): ReadonlySet<string> {
  const columns = [...new Set(fields.map(({ column }) => column))]
  const tests = columns.map(
    (name) =>
      sql`max(typeof(${sql.id(name)}) in ('integer', 'real') and ${sql.id(name)} not in (0, 1))`,
  )
  const first = sql`select ${sql.join(columns.map((name) => sql.id(name)))} from ${tableName(table)} limit ${sql.lit(maxRows)}`
  const statement = compileStatement(sql`select ${sql.join(tests)} from (${first})`, sqliteDialect)
  const [row = []] = connection.all(statement, { planValues: [] })
  return new Set(columns.filter((_, index) => row[index] === 1))
}

/** Whether the value of a column is a part of an id, by the codec of the part. */
const tests: Readonly<Record<string, (column: Sql) => Sql>> = {
  id: (column) => sql`typeof(${column}) = 'integer'`,
  text: (column) => sql`typeof(${column}) = 'text'`,
  enumerationId: (column) => sql`typeof(${column}) = 'text'`,
  booleanId: (column) => sql`ifnull(${column} in (0, 1), 0)`,
  uuidId: (column) =>
    sql`ifnull(lapidary_is_valid(${column}, 'uuid') and ${column} = lower(${column}), 0)`,
  databaseTextId: (column) => sql`typeof(${column}) in ('integer', 'real', 'text')`,
  date: (column) => sql`ifnull(lapidary_is_valid(${column}, 'date') and length(${column}) = 10, 0)`,
}

/** The codecs of ids by those of attributes. All others are the same. */
const idCodecs: Readonly<Record<string, string>> = {
  integer: 'id',
  integer64: 'id',
  boolean: 'booleanId',
  uuid: 'uuidId',
  enumeration: 'enumerationId',
  databaseText: 'databaseTextId',
}

/** Compiles whether the value of a column is a part of an id. Null is none. @param codec - that of the id, or of an attribute */
export function isIdPart(codec: Codec, column: Sql): Sql {
  const { valid } = getCodec(codec, sqlite)
  const test = typeof codec === 'string' ? tests[idCodecs[codec] ?? codec] : undefined
  return test?.(column) ?? sql`${valid?.(column) ?? column} is not null`
}
