import { sql } from 'kysely'
import { quote } from '../../errors/quote.ts'
import { invalidSegments } from '../../plan/path-id.ts'
import { type RunCheck, runCheck } from '../run-check.ts'
import { compileStatement } from '../statement.ts'
import { and, columnsAt, inScope, type Target, tableAt } from '../tables.ts'

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
