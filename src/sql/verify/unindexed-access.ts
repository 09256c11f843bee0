import { type Catalog, findTable, isIndexed } from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import type { ResourceType, Table } from '../../model/model.ts'
import { compileStatement } from '../statement.ts'
import { columnAt, fieldAt, getAttribute, type Target } from '../tables.ts'
import { compileCreateIndex, compileIndexExpression } from './create-index.ts'
import type { IndexUse, UncountedWarning } from './index-effects.ts'

/** What warnings depend on in addition to the read. */
export interface WarningContext {
  readonly target: Target
  readonly catalog: Catalog
  /** The lines of all plans. */
  readonly plan: string
  /** Whether a statement sorts rows. */
  readonly isSorted: boolean
}

/** A condition or an order without an index. */
interface UnindexedAccess {
  readonly resource: ResourceType
  readonly field: string
  /** What is done with the field, e.g. `the filter by item.stock (ge)`. */
  readonly subject: string
  /** The expression over the table `t0` that an index would have to be on. */
  readonly key: Sql
  readonly use: IndexUse
}

/** A condition or an order by an expression. */
export type ExpressionAccess = Pick<UnindexedAccess, 'resource' | 'field' | 'subject'>

/** Whether the database converts the stored values of a column, so that an index of the column does not serve the expression. */
export function isConverted(key: Sql, column: string, { dialect }: Target): boolean {
  const sqlOf = (expression: Sql) => compileStatement(expression, dialect).sql
  return !dialect.indexesServeKeys && sqlOf(key) !== sqlOf(columnAt(0, column))
}

/** Describes a condition or an order by an expression, such as an expression field or a path into JSON, without an index. */
export function describeExpression(
  { resource, field, subject }: ExpressionAccess,
  { catalog, target }: WarningContext,
): UncountedWarning[] {
  const { table } = resource
  if (findTable(catalog, table)?.indexes === undefined) return []
  const expression = fieldAt(0, getAttribute(resource, field), target)
  const { sql: text, placeholders } = compileStatement(expression, target.dialect)
  const advice =
    placeholders.length > 0 || /\bselect\b/i.test(text)
      ? 'no index serves an expression with a subquery or a parameter'
      : 'only an index on this expression would serve it'
  const cause = `${subject} evaluates an expression for every row of "${table.name}"`
  return [{ message: `${cause}; ${advice}` }]
}

/** Whether a plan finds rows of a table by an index on an expression. Catalogs do not list these indexes. */
export function usesExpressionIndex({ name }: Table, { target, plan }: WarningContext): boolean {
  return target.dialect.plans.usesExpressionIndex(plan, name)
}

/** Describes a condition or an order without an index, with the index that it needs. */
export function describeUnindexedAccess(
  { resource, field, subject, key, use }: UnindexedAccess,
  { catalog, target, plan }: WarningContext,
): UncountedWarning[] {
  const table: Table = resource.table
  const context = { catalog, database: target.dialect }
  const stored = findTable(catalog, table)
  const { column, kind } = getAttribute(resource, field)
  // Views have no indexes; those of their tables may serve.
  if (stored?.indexes === undefined || column === undefined) return []
  const cause = `${subject} reads every row of "${table.name}"`
  const type = stored.columns.get(column)?.type ?? ''
  const expression = compileIndexExpression(key, { name: column, type }, target)
  if (expression === undefined && kind.codec !== 'datetime')
    return [{ message: `${cause}; no index serves it, because the stored values are converted` }]
  if (expression === undefined) {
    const remedy = "declare their format, e.g. storedAs(datetime, 'YYYY-MM-DD HH:MM:SS')"
    const message = `${cause}; no index serves it, because the texts may have any notation: ${remedy}`
    const fix = compileCreateIndex({ table, keys: [{ column }] }, context)
    return [isIndexed(stored, [column]) ? { message } : { message, fix }]
  }
  if (expression.startsWith('lower(') && target.dialect.plans.showsExpressionIndex(plan)) return []
  const fix = compileCreateIndex({ table, keys: [{ column, sql: expression }] }, context)
  return [{ message: `${cause}: no index begins with the column "${column}"`, fix, use }]
}
