import type { Catalog, StoredColumn, StoredTable } from '../../model/catalog.ts'
import { throwDeclarationErrors } from '../../model/check/declaration-error.ts'
import type { Awaitable } from '../../model/declare/hooks.ts'
import type { Sql } from '../../model/dialect.ts'
import { compileCall } from '../table-function.ts'
import type { Target } from '../tables.ts'

/** Returns the names and the types of the columns of a query, without running it; a type is empty if the database does not know it. */
type DescribeColumns = (
  query: Sql,
) => Awaitable<readonly Readonly<{ name: string; type: string }>[]>

/**
 * Adds the table functions of a model to a catalog, as views: so everything that is checked of the columns of a view is checked of
 * theirs.
 * @throws DeclarationError with a line for each query that the database rejects
 */
export async function addTableFunctions(
  { model, dialect }: Target,
  catalog: Catalog,
  describe: DescribeColumns,
): Promise<Catalog> {
  const added: StoredTable[] = []
  const errors: string[] = []
  for (const { type, table } of model.types.values()) {
    if (table.call === undefined) continue
    try {
      const columns = await describe(compileCall(table.call, dialect))
      added.push(toView(table.name, catalog.schema, columns))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      errors.push(`${type}.table: the database rejects its SQL: ${message.replace(/\s+/g, ' ')}`)
    }
  }
  throwDeclarationErrors(errors)
  return added.length === 0 ? catalog : { ...catalog, tables: [...catalog.tables, ...added] }
}

function toView(
  name: string,
  schema: string,
  columns: readonly Readonly<{ name: string; type: string }>[],
): StoredTable {
  const stored = columns.map((column): [string, StoredColumn] => [
    column.name,
    { ...column, nullable: true, hasDefault: false, writable: false },
  ])
  return {
    is: 'view',
    name,
    schema,
    columns: new Map(stored),
    primaryKey: [],
    uniques: [],
    foreignKeys: [],
  }
}
