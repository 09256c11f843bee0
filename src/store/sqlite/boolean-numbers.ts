import { sql } from 'kysely'
import type { StoredTable } from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import type { Field, ResourceType } from '../../model/model.ts'
import { compileStatement } from '../statement.ts'
import { tableName } from '../tables.ts'
import type { SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

/** A boolean: 1 for each number but 0. A value of another type is left as it is, because it is not a boolean. */
const toBoolean = (column: Sql): Sql =>
  sql`iif(typeof(${column}) in ('integer', 'real'), ${column} <> 0, ${column})`

/**
 * Compares the booleans of a type as they are read: another program may have stored -1 for true. The SQL, which no
 * index serves, is only that of columns with such a number in their first rows.
 * @param columns - those of the booleans
 */
export function compareBooleanNumbers(
  resource: ResourceType,
  columns: readonly string[],
  connection: SqliteConnection,
  maxRows: number,
): ResourceType {
  const found = findOtherNumbers(columns, resource, connection, maxRows)
  if (found.size === 0) return resource
  const fields = [...resource.fields].map(([name, field]): [string, Field] => {
    const column = findColumn(field)
    if (field.is !== 'attribute' || column === undefined || !found.has(column)) return [name, field]
    return [name, { ...field, expression: (columnOf) => toBoolean(columnOf(column)) }]
  })
  return { ...resource, fields: new Map(fields) }
}

/** Lists the columns of a table that store booleans of a type. */
export function listBooleans(
  { fields }: ResourceType,
  table: Pick<StoredTable, 'columns'> | undefined,
): string[] {
  const columns = [...fields.values()].flatMap((field) => findColumn(field) ?? [])
  return [...new Set(columns)].filter((name) => table?.columns.has(name))
}

/** The column of a boolean; `undefined` for any other field. */
function findColumn(field: Field): string | undefined {
  return field.is === 'attribute' && field.kind.codec === 'boolean' ? field.column : undefined
}

/** Finds the columns with a number other than 0 and 1. */
function findOtherNumbers(
  columns: readonly string[],
  { table }: ResourceType,
  connection: SqliteConnection,
  maxRows: number,
): ReadonlySet<string> {
  const tests = columns.map(
    (name) =>
      sql`max(typeof(${sql.id(name)}) in ('integer', 'real') and ${sql.id(name)} not in (0, 1))`,
  )
  const first = sql`select ${sql.join(columns.map((name) => sql.id(name)))} from ${tableName(table)} limit ${sql.lit(maxRows)}`
  const statement = compileStatement(sql`select ${sql.join(tests)} from (${first})`, sqliteDialect)
  const [row = []] = connection.all(statement, { planValues: [] })
  return new Set(columns.filter((_, index) => row[index] === 1))
}
