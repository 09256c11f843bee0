import { sql } from 'kysely'
import { type Catalog, findTable } from '../../model/catalog.ts'
import type { Model, ResourceType } from '../../model/model.ts'
import { narrowScope } from '../narrow-scope.ts'
import { compileStatement } from '../statement.ts'
import { tableName } from '../tables.ts'
import { runCheck } from '../view-ids.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'

/**
 * Finds the types with a row whose id is `NaN`, which the type numeric(n,0) has: it is not an integer, so no request could address the row
 * (docs/decisions/0027). The index of the key finds it.
 */
export async function findTypesWithNaN(
  model: Model,
  catalog: Catalog,
  connection: PostgresConnection,
): Promise<readonly ResourceType[]> {
  const found: ResourceType[] = []
  for (const resource of model.types.values()) {
    const { table, id } = resource
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
    if (rows?.length) found.push(resource)
  }
  return found
}

/** Excludes the row whose id is `NaN` from a type. */
export function excludeNaN(resource: ResourceType): ResourceType {
  const [id] = resource.id.columns
  return narrowScope(resource, (column) => sql`${column(id)} <> 'NaN'::numeric`)
}

/** Describes a type with such a row. */
export function describeNaN({ type, id, table }: ResourceType): string {
  return `${type}.id: the column "${id.columns[0]}" of "${table.name}" contains "NaN", which is not an id of ${type}; such rows are left out of every response; correct or delete them`
}
