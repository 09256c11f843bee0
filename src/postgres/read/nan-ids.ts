import { sql } from 'kysely'
import { type Catalog, findTable } from '../../model/catalog.ts'
import type { Model } from '../../model/model.ts'
import type { RowsWithoutId } from '../../sql/database-facts.ts'
import { runCheck } from '../../sql/run-check.ts'
import { compileStatement } from '../../sql/statement.ts'
import { tableName } from '../../sql/tables.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgresDialect } from '../dialect.ts'

/**
 * Finds the types of tables with a row whose id is `NaN`, which the type numeric(n,0) has: it is not an integer, so no request could address the row
 * (docs/decisions/0027). The index of the key finds it.
 */
export async function findRowsWithNaN(
  model: Model,
  catalog: Catalog,
  connection: PostgresConnection,
): Promise<ReadonlyMap<string, RowsWithoutId>> {
  const found = new Map<string, RowsWithoutId>()
  for (const resource of model.types.values()) {
    const { type, table, id } = resource
    const [column] = id.columns
    const stored = findTable(catalog, table)
    const isNumeric = stored?.columns.get(column)?.type.startsWith('numeric') ?? false
    // The rows of a view are found by a scan. Ids of other kinds have a text for NaN.
    if (!isNumeric || stored?.is !== 'table' || id.kind.codec !== 'id') continue
    const hasNaN = sql`${sql.id(column)} = 'NaN'::numeric`
    const statement = compileStatement(
      sql`select 1 from ${tableName(table)} where ${hasNaN} limit 1`,
      postgresDialect('und-x-icu'),
    )
    // Requests report a table that the role must not read.
    const rows = await runCheck(statement, (check) => connection.allUnprepared(check))
    if (rows?.length)
      found.set(type, { hasId: (of) => sql`${of(column)} <> 'NaN'::numeric`, found: 'NaN' })
  }
  return found
}
