import { sql } from 'kysely'
import type { Catalog, ColumnOrigin, ViewSources } from '../../model/catalog.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqliteDialect } from '../dialect.ts'
import { lowerAscii } from './schema-facts.ts'

/** Of a compound query SQLite names the origins of one part only. */
const compound = /\b(?:union|except|intersect)\b/i

/** Adds to the views of a catalog where their columns come from. Nothing is read but the schema. */
export function addViewSources(catalog: Catalog, connection: SqliteConnection): Catalog {
  const compounds = new Set(
    connection
      .introspect("select name, sql from sqlite_schema where type = 'view'")
      .flatMap(([name, text]) => (compound.test(String(text)) ? [lowerAscii(String(name))] : [])),
  )
  return {
    ...catalog,
    tables: catalog.tables.map((table) => {
      const hasColumns = table.is === 'view' && table.error === undefined
      return hasColumns
        ? { ...table, sources: findSources(table.name, compounds, connection) }
        : table
    }),
  }
}

function findSources(
  view: string,
  compounds: ReadonlySet<string>,
  connection: SqliteConnection,
): ViewSources {
  const statement = compileStatement(sql`select * from ${sql.id(view)}`, sqliteDialect)
  const reads = connection.listReads(statement)
  const isCompound = [view, ...reads.map(({ table }) => table)].some((name) =>
    compounds.has(lowerAscii(name)),
  )
  const columns = isCompound ? [] : connection.columns(statement)
  const isOther = ({ table }: ColumnOrigin) => lowerAscii(table) !== lowerAscii(view)
  return {
    origins: new Map(
      columns.flatMap(({ name, origin }) => (origin ? [[name, origin] as const] : [])),
    ),
    reads: reads.filter(isOther),
  }
}
