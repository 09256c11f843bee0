import { sql } from 'kysely'
import { quote } from '../../errors/quote.ts'
import { type Catalog, findTable, type StoredTable } from '../../model/catalog.ts'
import type { ResourceType } from '../../model/model.ts'
import { compileStatement } from '../statement.ts'
import { asIdText, columnsAt, type Target, tableAt } from '../tables.ts'
import type { SqliteConnection } from './connection.ts'

/** The number of rows of a table whose ids are checked. */
const maxRows = 1000

/**
 * Warns of rows whose id is null or no id of its kind: SQLite stores nulls in most primary keys, and any value in most columns. Such a row
 * is returned, and no request finds it by its id. Only the first 1,000 rows are checked.
 * @returns a line for each resource type
 */
export function listIdWarnings(
  target: Target,
  catalog: Catalog,
  connection: SqliteConnection,
): string[] {
  return [...target.model.types.values()].flatMap((resource) => {
    const table = findTable(catalog, resource.table)
    if (table?.is !== 'table' || isRowNumber(resource, table)) return []
    const id = asIdText(columnsAt(0, resource.id.columns), resource.id, target)
    const select = sql`select ${id} from ${tableAt(0, resource.table)} limit ${sql.lit(maxRows)}`
    const rows = connection.all(compileStatement(select, target.dialect), { planValues: [] })
    const invalid = rows.find(([value]) => !isId(value, resource))
    return invalid ? [describeId(resource, invalid[0])] : []
  })
}

/** Whether the id is the row number, which is never null and always an integer. */
function isRowNumber({ id }: ResourceType, { primaryKey, columns }: StoredTable): boolean {
  const [name = ''] = primaryKey
  const isKey = primaryKey.length === 1 && id.columns.length === 1 && id.columns[0] === name
  return isKey && /^integer$/i.test(columns.get(name)?.type ?? '')
}

function isId(value: unknown, { id }: ResourceType): boolean {
  if (typeof value !== 'string') return false
  const result = id.kind.readBody(value)
  return 'value' in result && result.value === value
}

function describeId({ type, id, table }: ResourceType, value: unknown): string {
  const names = id.columns.map((name) => `"${name}"`).join(', ')
  const found =
    value === null ? 'contain null' : `contain ${quote(value)}, which is no id of ${type}`
  const key = `${id.columns.length === 1 ? 'the column' : 'the columns'} ${names} of "${table.name}"`
  const verb = id.columns.length === 1 ? found.replace(/^contain/, 'contains') : found
  return `${type}.id: ${key} ${verb}; such rows are returned, and no request finds them by their ids; correct or delete them`
}
