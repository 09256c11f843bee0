import { sql } from 'kysely'
import { quote, quoteNames } from '../../errors/quote.ts'
import { type Catalog, findTable, type StoredTable } from '../../model/catalog.ts'
import type { ResourceType } from '../../model/model.ts'
import { invalidSegments } from '../../plan/path-id.ts'
import { type RunCheck, runCheck } from '../run-check.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { and, asIdText, columnsAt, inScope, type Target, tableAt } from '../tables.ts'

/** The number of rows of a view whose ids are checked. */
export const maxViewRows = 10_000

/**
 * Finds the views whose ids repeat or are null in the first 10,000 rows: two resources would have one URL. No constraint of the
 * database can exclude it, as it does for a table.
 * @returns a line for each resource type
 */
export async function findViewIdErrors(
  target: Target,
  catalog: Catalog,
  run: RunCheck,
): Promise<string[]> {
  const errors: string[] = []
  for (const resource of target.model.types.values()) {
    // The rows of a table function depend on the arguments of a request.
    if (resource.table.call || !mayRepeat(findTable(catalog, resource.table))) continue
    const [row] = (await runCheck(compileCheck(resource, target), run)) ?? []
    if (row) errors.push(describeId(resource, row[0]))
  }
  return errors
}

/** Whether no constraint keeps the keys of a table from repeating: in a view, or in other tables that inherit from it. */
function mayRepeat(table: StoredTable | undefined): boolean {
  return table?.is === 'view' || table?.hasChildren === true
}

/** Compiles the query for an id that is null or repeats; null comes first. */
function compileCheck({ id, table }: ResourceType, target: Target): Statement {
  const idText = asIdText(columnsAt(0, id.columns), id, target)
  const first = sql`select ${idText} as id from ${tableAt(0, table)} limit ${sql.lit(maxViewRows)}`
  return compileStatement(
    sql`select id from (${first}) as ids group by id having id is null or count(*) > 1 order by id is not null limit 1`,
    target.dialect,
  )
}

function describeId({ type, id, table }: ResourceType, value: unknown): string {
  const names = quoteNames(id.columns)
  const label = id.columns.length === 1 ? 'column' : 'columns'
  const column = `the ${label} ${names} of "${table.name}"`
  const problem = value === null ? 'is null in some rows' : `has ${quote(value)} in several rows`
  return `${type}.id: ${column} ${problem}, and each id must name one resource; choose another column, or change the view`
}

/**
 * Warns of stored ids that a URL path segment cannot hold: the rows are returned, but the links of their resources lead elsewhere. No
 * create can store such an id.
 * @returns a line for each resource type
 */
export async function listSegmentIdWarnings(target: Target, run: RunCheck): Promise<string[]> {
  const warnings: string[] = []
  for (const resource of target.model.types.values()) {
    const { type, id, table } = resource
    if (table.call || id.columns.length > 1 || id.kind.codec !== 'text') continue
    const [column] = columnsAt(0, id.columns)
    const segments = sql.join(invalidSegments.map((segment) => sql.lit(segment)))
    const conditions = [sql`${column} in (${segments})`, ...inScope(0, resource)]
    const statement = sql`select ${column} from ${tableAt(0, table)} where ${and(conditions)} order by 1 limit 1`
    const isByKey = target.facts.hasUniqueIds(type) && !resource.hasDeclaredScope
    const compiled = compileStatement(statement, target.dialect)
    const [row] = (await runCheck(compiled, run, isByKey)) ?? []
    if (row === undefined) continue
    const key = `the column "${id.columns[0]}" of "${table.name}" contains ${quote(row[0])}`
    warnings.push(
      `${type}.id: ${key}, which no segment of a URL can be; clients cannot address such resources; change or delete the rows`,
    )
  }
  return warnings
}
