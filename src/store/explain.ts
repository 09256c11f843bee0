import { type Catalog, findTable, isIndexed } from '../model/catalog.ts'
import type { DialectName, Sql } from '../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType, type Table } from '../model/model.ts'
import { type OperatorName, operators } from '../model/operators.ts'
import type { Condition } from '../plan/condition.ts'
import type { ReadPlan } from '../plan/read.ts'
import { compileCondition, compileFilterKey } from './filter.ts'
import type { IndexUse, UncountedWarning } from './index-effects.ts'
import { compileCreateIndex, listIndexWarnings } from './index-warnings.ts'
import { compileStatement, type RunValues, type Statement } from './statement.ts'
import { bound } from './statement-values.ts'
import { columnAt, getAttribute, sortKey, type Target } from './tables.ts'

// What a read does, for developers: its statements with their plans, and what makes them slow. Nothing here runs for a request
// that is not explained.

/** A statement that a read has run. */
export interface ExplainedStatement {
  readonly sql: string
  /** The bound values as JSON, in the order of the placeholders. */
  readonly parameters: readonly string[]
  /** The lines of the query plan, as the database writes them; indented by their depth. */
  readonly plan: readonly string[]
  /**
   * The plan with the indexes that the warnings propose. Absent if it is the same, and on PostgreSQL, which plans with existing indexes
   * only.
   */
  readonly indexedPlan?: readonly string[]
  /** The number of rows that it returned; on PostgreSQL that of the resources in the document. */
  readonly rows: number
  /** How long it ran, in milliseconds. */
  readonly milliseconds: number
}

/** What makes a read slow. */
export interface ReadWarning {
  readonly message: string
  /** The SQL that removes the cause, if there is any. */
  readonly fix?: string
  /** What the database does after the fix, with the numbers of rows, as a sentence without its full stop. */
  readonly change?: string
}

/** The statements of a read. */
export interface ReadExplanation {
  readonly dialect: DialectName
  /** In the order in which they ran. PostgreSQL reads a document in one statement. */
  readonly statements: readonly ExplainedStatement[]
  readonly warnings: readonly ReadWarning[]
}

/** Formats the values of a run for people. */
export function formatParameters(statement: Statement, values: RunValues): string[] {
  return bound(statement, values).map((value) =>
    typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null'),
  )
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

/**
 * Lists what makes a read slow: filters and sorts without an index where the plan scans or sorts, searches that no index serves,
 * and relationships without an index.
 * @param statements - the statements with their plans
 */
export function listReadWarnings(
  { shape }: ReadPlan,
  statements: readonly ExplainedStatement[],
  target: Target,
  catalog: Catalog,
): UncountedWarning[] {
  const resource = getResourceType(target.model, shape.type)
  const plan = statements.flatMap((statement) => statement.plan).join('\n')
  const context: WarningContext = {
    target,
    catalog,
    plan,
    isSorted: /USE TEMP B-TREE FOR ORDER BY|Sort Key/.test(plan),
  }
  const filters = shape.where ? listFilterWarnings(shape.where, resource, context) : []
  const used = listRelationships(shape, target)
  const relationships = listIndexWarnings(target.model, catalog)
    .filter(({ paths }) => paths.some((path) => used.has(path)))
    .map(({ message, fix, key }) => ({
      message,
      fix,
      use: { is: 'relationship', ...key } as const,
    }))
  return [...filters, ...listSortWarnings(shape, resource, context), ...relationships]
}

/** What warnings depend on in addition to the read. */
interface WarningContext {
  readonly target: Target
  readonly catalog: Catalog
  /** The lines of all plans. */
  readonly plan: string
  /** Whether a statement sorts rows. */
  readonly isSorted: boolean
}

/** The operators that an index of the column serves. */
const indexed: ReadonlySet<OperatorName> = new Set([
  ...(['eq', 'is_', 'in_', 'gt', 'ge', 'lt', 'le', 'between', 'startswith'] as const),
])
/** The operators that read the text of every row. */
const searches: ReadonlySet<OperatorName> = new Set(['like', 'ilike', 'endswith', 'match'])

function listFilterWarnings(
  condition: Condition,
  resource: ResourceType,
  context: WarningContext,
): UncountedWarning[] {
  const parts: readonly Condition[] = condition.is === 'and' ? condition.all : [condition]
  const compared = parts.filter((part): part is Comparison => part.is === 'compare')
  const inner = parts.flatMap((part) => {
    if (part.is !== 'related' || part.where === undefined) return []
    const { to } = getRelationship(resource, part.relationship)
    return listFilterWarnings(part.where, getResourceType(context.target.model, to), context)
  })
  const either = parts.flatMap((part) =>
    part.is === 'or' ? part.all.flatMap((each) => listFilterWarnings(each, resource, context)) : [],
  )
  // One index is enough to find the rows that meet all conditions.
  const isServed = compared.some((part) => isServedByIndex(part, resource, context))
  const own = isServed ? [] : compared.flatMap((part) => describeFilter(part, resource, context))
  return [...own, ...inner, ...either]
}

type Comparison = Extract<Condition, { is: 'compare' }>

function isServedByIndex(
  condition: Comparison,
  resource: ResourceType,
  { catalog, target }: WarningContext,
): boolean {
  const { field, operator } = condition
  if (!indexed.has(operator)) return false
  if (field === 'id') return true
  const { column } = getAttribute(resource, field)
  const table = findTable(catalog, resource.table)
  if (column === undefined || table === undefined || !isIndexed(table, [column])) return false
  return !isConverted(compileFilterKey(condition, resource, target), target)
}

/** Whether SQLite converts the stored values of a column, so that an index of the column does not serve the expression. */
function isConverted(key: Sql, { dialect }: Target): boolean {
  return (
    dialect.name === 'sqlite' && !/^"t0"\."(?:[^"]|"")+"$/.test(compileStatement(key, dialect).sql)
  )
}

function describeFilter(
  condition: Comparison,
  resource: ResourceType,
  context: WarningContext,
): UncountedWarning[] {
  const { field, operator } = condition
  const subject = `the filter by ${resource.type}.${field} (${operator})`
  if (searches.has(operator) && operators[operator].requires === 'textual')
    return [{ message: `${subject} reads the text of every row; no index serves it` }]
  if (!indexed.has(operator)) return []
  // An index finds the texts with a start if it sorts them by code point.
  const ordered = operator === 'startswith' ? { ...condition, operator: 'ge' as const } : condition
  const key = compileFilterKey(ordered, resource, context.target)
  const use: IndexUse = {
    ...{ is: 'filter', table: resource.table },
    condition: compileCondition(condition, { resource, depth: 0 }, context.target),
  }
  return describeAccess({ resource, field, subject, key, use }, context)
}

function listSortWarnings(
  { order: [first], where }: ReadPlan['shape'],
  resource: ResourceType,
  context: WarningContext,
): UncountedWarning[] {
  const { target, catalog, isSorted } = context
  if (!isSorted || first === undefined || first.path.length > 0) return []
  if (first.isCount || first.field === 'id') return []
  const attribute = getAttribute(resource, first.field)
  const { column } = attribute
  const table = findTable(catalog, resource.table)
  // With a condition the database may rather sort the few rows that it finds.
  if (column === undefined || table === undefined || where) return []
  const key = sortKey(columnAt(0, column), attribute.kind.codec, target)
  if (isIndexed(table, [column]) && !isConverted(key, target)) return []
  const subject = `the sort by ${resource.type}.${first.field}`
  const use: IndexUse = { is: 'sort', table: resource.table }
  return describeAccess({ resource, field: first.field, subject, key, use }, context)
}

/** `lower(column)`, or a column with or without a cast and a collation. */
const indexable = /^(?:lower\("(?:[^"]|"")+"\)|("(?:[^"]|"")+")(::text)?( collate "C")?)$/

/**
 * Writes an expression over the table `t0` for an index.
 * @param type - the type of the column
 * @returns `undefined` for an expression that no index can contain, such as a call of a function that only this server defines
 */
function compileIndexExpression(key: Sql, type: string, { dialect }: Target): string | undefined {
  const text = compileStatement(key, dialect).sql.replaceAll('"t0".', '')
  const parts = indexable.exec(text)
  if (parts === null) return undefined
  const [, column, cast, collation = ''] = parts
  if (column === undefined) return text
  // PostgreSQL removes a cast between its two types of text, also from the expression of a statement.
  const isText = /^(?:text|character varying)/.test(type)
  return `${cast && !isText ? `(${column}${cast})` : column}${collation}`
}

function describeAccess(
  { resource, field, subject, key, use }: UnindexedAccess,
  { catalog, target, plan }: WarningContext,
): UncountedWarning[] {
  const table: Table = resource.table
  const stored = findTable(catalog, table)
  const { column, kind } = getAttribute(resource, field)
  // Views have no indexes; those of their tables may serve.
  if (stored?.indexes === undefined || column === undefined) return []
  const cause = `${subject} reads every row of "${table.name}"`
  const type = stored.columns.get(column)?.type ?? ''
  const expression = compileIndexExpression(key, type, target)
  if (expression === undefined && kind.codec !== 'datetime')
    return [{ message: `${cause}; no index serves it, because the stored values are converted` }]
  if (expression === undefined) {
    const remedy = "declare their format, e.g. storedAs(datetime, 'YYYY-MM-DD HH:MM:SS')"
    const message = `${cause}; no index serves it, because the texts may have any notation: ${remedy}`
    const fix = compileCreateIndex({ table, columns: [column] }, catalog)
    return [isIndexed(stored, [column]) ? { message } : { message, fix }]
  }
  // The catalog does not list indexes on expressions. SQLite calls them so in its plans.
  if (expression.startsWith('lower(') && plan.includes('(<expr>')) return []
  const fix = compileCreateIndex({ table, columns: [column], expression }, catalog)
  return [{ message: `${cause}: no index begins with the column "${column}"`, fix, use }]
}

/** The relationships that a read follows, as the paths of their declarations, if they need an index of a foreign key. */
function listRelationships(shape: ReadPlan['shape'], { model }: Target): ReadonlySet<string> {
  const used = new Set<string>()
  const use = (type: string, relationship: string, isFilter = false) => {
    const { link } = getRelationship(getResourceType(model, type), relationship)
    // From its own foreign key a row is found by the id of the other table; a filter finds rows by the foreign key.
    if (isFilter || link.foreignKey !== 'own') used.add(`${type}.fields.${relationship}`)
  }
  const visit = (condition: Condition, resource: ResourceType): void => {
    if (condition.is === 'and' || condition.is === 'or')
      for (const part of condition.all) visit(part, resource)
    if (condition.is === 'not') visit(condition.inner, resource)
    if (condition.is !== 'related') return
    use(resource.type, condition.relationship, true)
    const { to } = getRelationship(resource, condition.relationship)
    if (condition.where) visit(condition.where, getResourceType(model, to))
  }
  if (shape.where) visit(shape.where, getResourceType(model, shape.type))
  if (shape.addressed.is === 'related') use(shape.addressed.type, shape.addressed.relationship)
  for (const { type, relationship } of shape.includeEdges) use(type, relationship)
  for (const { relationship } of shape.primary.linkages) use(shape.type, relationship)
  return used
}
