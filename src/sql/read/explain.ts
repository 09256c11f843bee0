import { type Catalog, findTable, isIndexed } from '../../model/catalog.ts'
import type { DialectName } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType } from '../../model/model.ts'
import type { Condition } from '../../plan/filter/condition.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { OrderTerm } from '../../plan/sort.ts'
import { simplifyNegations } from '../filter/simplify-negations.ts'
import type { RunValues, Statement } from '../statement.ts'
import { bound } from '../statement-values.ts'
import { columnAt, getAttribute, sortKey, type Target } from '../tables.ts'
import { type CursorIndexes, listCursorWarnings } from '../verify/cursor-index.ts'
import { listFilterWarnings } from '../verify/filter-warnings.ts'
import type { IndexUse, UncountedWarning } from '../verify/index-effects.ts'
import { listRelationshipWarnings, type PagedMembers } from '../verify/member-index.ts'
import {
  describeExpression,
  describeUnindexedAccess,
  isConverted,
  type WarningContext,
} from '../verify/unindexed-access.ts'

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
  /** The indexes that serve a page between cursors; absent for another read. */
  readonly cursors?: CursorIndexes
}

/** Formats the values of a run for people. */
export function formatParameters(statement: Statement, values: RunValues): string[] {
  return bound(statement, values).map((value) =>
    typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null'),
  )
}

/** What is known of a read that has run. */
interface ExplainedRead {
  readonly explained: readonly ExplainedStatement[]
  readonly cursors: CursorIndexes | undefined
}

/**
 * Lists what makes a read slow: filters and sorts without an index where the plan scans or sorts, searches that no index serves,
 * and relationships without an index.
 */
export function listReadWarnings(
  { shape }: ReadPlan,
  { explained, cursors }: ExplainedRead,
  target: Target,
  catalog: Catalog,
): UncountedWarning[] {
  const resource = getResourceType(target.model, shape.type)
  const plan = explained.flatMap((statement) => statement.plan).join('\n')
  const context: WarningContext = {
    target,
    catalog,
    plan,
    isSorted: target.dialect.plans.isSorted(plan),
  }
  const where =
    shape.where && target.dialect.removesNegations ? simplifyNegations(shape.where) : shape.where
  const filters = where ? listFilterWarnings(where, resource, context) : []
  const sorts = cursors
    ? listCursorWarnings(shape, cursors, target, catalog)
    : listSortWarnings(shape, resource, context)
  return [...filters, ...sorts, ...listFollowedWarnings(shape, target, catalog)]
}

/** Warns of the relationships that a read follows without an index, and of pages of members without one. */
function listFollowedWarnings(
  shape: ReadPlan['shape'],
  target: Target,
  catalog: Catalog,
): UncountedWarning[] {
  const used = listUsedRelationships(shape, target)
  const missing = listRelationshipWarnings(listPagedEdges(shape), { target, catalog })
  const pages = missing.pages.map(({ message, fix }) => ({
    message,
    ...(fix !== undefined && { fix }),
  }))
  const relationships = missing.relationships
    .filter(({ paths }) => paths.some((path) => used.has(path)))
    .map(({ message, fix, key }) => ({
      message,
      fix,
      use: { is: 'relationship', ...key } as const,
    }))
  return [...pages, ...relationships]
}

/** The include edges with a page of some of the members. */
function listPagedEdges({ includeEdges }: ReadPlan['shape']): PagedMembers[] {
  return includeEdges.flatMap(({ type, relationship, page }) =>
    page?.limit === undefined ? [] : [{ type, relationship, order: page.order }],
  )
}

function listSortWarnings(
  { order: [first], where }: ReadPlan['shape'],
  resource: ResourceType,
  context: WarningContext,
): UncountedWarning[] {
  const { target, catalog, plan, isSorted } = context
  // With a condition the database may rather sort the few rows that it finds.
  if (!isSorted || first === undefined || where) return []
  if (first.path.length > 0 || first.isCount) return [describeJoinedSort(first, resource)]
  if (first.field === 'id') return []
  const attribute = getAttribute(resource, first.field)
  const { column } = attribute
  const subject = `the sort by ${resource.type}.${first.field}`
  if (column === undefined)
    return target.dialect.plans.isPresorted(plan)
      ? []
      : describeExpression({ resource, field: first.field, subject }, context)
  const table = findTable(catalog, resource.table)
  if (table === undefined) return []
  const key = sortKey(columnAt(0, column), attribute.kind.codec, target)
  if (isIndexed(table, [column]) && !isConverted(key, column, target)) return []
  const use: IndexUse = { is: 'sort', table: resource.table }
  return describeUnindexedAccess({ resource, field: first.field, subject, key, use }, context)
}

/** Describes a sort by what is in other tables. */
function describeJoinedSort({ path, field, isCount }: OrderTerm, { type, table }: ResourceType) {
  const name = [type, ...path, field].join('.')
  return {
    message: isCount
      ? `the sort by ${name}.count counts the related resources of every row; no index serves it`
      : `the sort by ${name} sorts every row of "${table.name}"; no index serves a sort by a field of another table`,
  }
}

/** The relationships that a read follows, as the paths of their declarations, if they need an index of a foreign key. */
function listUsedRelationships(shape: ReadPlan['shape'], { model }: Target): Set<string> {
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
