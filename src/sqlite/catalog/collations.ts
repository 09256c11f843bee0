import { sql } from 'kysely'
import { type Catalog, findTable } from '../../model/catalog.ts'
import {
  type Field,
  getResourceType,
  listRelationships,
  type Model,
  type Table,
} from '../../model/model.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqliteDialect } from '../dialect.ts'

/** A collation that every SQLite database has; `foreign` is one that only another program has, so that SQLite compares nothing by it. */
export type SqliteCollation = 'binary' | 'nocase' | 'rtrim' | 'foreign'

/** Returns the collation of a column that a model reads; `binary` for any other column. */
export type SqliteCollationLookup = (table: Table, column: string) => SqliteCollation

/** Observes the collations of the columns that a model reads, with one statement for each table. */
export function observeCollations(
  model: Model,
  catalog: Catalog,
  connection: SqliteConnection,
): SqliteCollationLookup {
  const byTable = new Map<string, ReadonlyMap<string, SqliteCollation>>()
  for (const [table, named] of Map.groupBy(listReadColumns(model), ([{ name }]) => name)) {
    const stored = findTable(catalog, { schema: undefined, name: table })
    const columns = [...new Set(named.map(([, column]) => column))]
    const existing = columns.filter((column) => stored?.columns.has(column))
    const collations = observeTable(table, existing, connection)
    byTable.set(table, new Map(existing.map((column, at) => [column, collations[at] ?? 'binary'])))
  }
  return ({ name, call }, column) => (call ? undefined : byTable.get(name)?.get(column)) ?? 'binary'
}

/** Lists the columns of ids, attributes and keys; a column may occur more than once. */
function listReadColumns(model: Model): (readonly [table: Table, column: string])[] {
  const columnsOf = (table: Table, columns: readonly string[]) =>
    columns.map((column) => [table, column] as const)
  return [...model.types.values()].flatMap(({ table, id, fields }) => [
    ...columnsOf(table, [...id.columns, ...[...fields.values()].flatMap(listFieldColumns)]),
    ...listRelationships({ fields }).flatMap(({ link, to }) => [
      ...columnsOf(table, link.ownKey),
      ...columnsOf(getResourceType(model, to).table, link.otherKey),
      ...(link.foreignKey === 'join table'
        ? columnsOf(link.joinTable, [...link.from, ...link.to])
        : []),
    ]),
  ])
}

function listFieldColumns(field: Field): readonly string[] {
  switch (field.is) {
    case 'attribute':
      return field.column === undefined ? [] : [field.column]
    case 'computed':
      return field.columns.map(([column]) => column)
    case 'relationship':
      return []
  }
}

/** The columns of a statement that observes collations: SQLite returns 2,000 columns at most, and has two for each. */
const maxObserved = 500

/** Observes the collations of columns of a table. No pragma returns them, so the columns are compared. */
function observeTable(
  table: string,
  columns: readonly string[],
  connection: SqliteConnection,
): readonly SqliteCollation[] {
  const parts = Array.from({ length: Math.ceil(columns.length / maxObserved) }, (_, at) =>
    columns.slice(at * maxObserved, (at + 1) * maxObserved),
  )
  return parts.flatMap((part): readonly SqliteCollation[] => {
    try {
      return compareColumns(table, part, connection)
    } catch (error) {
      if (!isCollationMissing(error)) throw error
      return part.length === 1
        ? ['foreign']
        : part.flatMap((column) => observeTable(table, [column], connection))
    }
  })
}

function compareColumns(
  table: string,
  columns: readonly string[],
  connection: SqliteConnection,
): SqliteCollation[] {
  const named = columns.map((column, at) => sql`${sql.id(column)} as ${sql.id(`x${at}`)}`)
  const texts = columns.map(() => sql`'a'`)
  const value = sql`select ${sql.join(named)} from ${sql.id(table)} where 0 union all select ${sql.join(texts)}`
  const compared = columns.flatMap((_, at) =>
    ['A', 'a '].map((text) => sql`${sql.id(`x${at}`)} = ${sql.lit(text)}`),
  )
  const statement = compileStatement(
    sql`select ${sql.join(compared)} from (${value})`,
    sqliteDialect,
  )
  const [row = []] = connection.all(statement, { planValues: [] })
  return columns.map((_, at) => {
    if (row[2 * at] === 1) return 'nocase'
    return row[2 * at + 1] === 1 ? 'rtrim' : 'binary'
  })
}

/** True for the error of SQLite that it does not have the collation of a column. */
function isCollationMissing(error: unknown): boolean {
  return error instanceof Error && /^no such collation sequence/.test(error.message)
}
