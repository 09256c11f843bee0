import { sql } from 'kysely'
import type { Dialect } from '../../model/dialect.ts'
import type { Table } from '../../model/model.ts'
import { quoteTableName } from '../../sql/quote-identifier.ts'
import { compileStatement, type Statement } from '../../sql/statement.ts'

/**
 * Compiles the statement that returns whether all values of a table are stored in its rows, which have a page of 8 KB at most:
 * PostgreSQL moves longer ones to another table, which is empty then. It returns false where that cannot be known: of views, foreign
 * tables, tables with child tables or partitions, and those whose rows are on other servers.
 */
export function compileHasShortRows(table: Table, dialect: Dialect): Statement {
  if (table.call) return compileStatement(sql`select false`, dialect)
  const isStoredHere = sql`not relhassubclass and pg_relation_size(oid) > 0`
  const isStoredInRows = sql`coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0) = 0`
  return compileStatement(
    sql`select ${isStoredHere} and ${isStoredInRows} from pg_class where oid = to_regclass(${sql.lit(quoteTableName(table))})`,
    dialect,
  )
}
