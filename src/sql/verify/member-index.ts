import { type Catalog, findTable } from '../../model/catalog.ts'
import { getRelationship, getResourceType } from '../../model/model.ts'
import type { OrderTerm } from '../../plan/sort.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { columnAt, getAttribute, sortKey, type Target } from '../tables.ts'
import { compileCreateIndex } from './index-warnings.ts'
import { compileIndexExpression } from './unindexed-access.ts'

/** The members of a relationship of which a page is read for each resource. */
export interface PagedMembers {
  readonly type: string
  readonly relationship: string
  readonly order: readonly OrderTerm[]
}

/** What makes the pages of members read more than their members. */
interface MemberWarning {
  /** The path of the relationship, e.g. `person.fields.computers`. */
  readonly path: string
  readonly message: string
  /** The statement that creates the index of the foreign key and the sort; absent if no index serves the page. */
  readonly fix?: string
}

/**
 * Warns of pages of members that no index serves: an index of the foreign key, the sort keys and the id finds the first members of a
 * resource; without it, all of them are read and sorted.
 */
export function listMemberWarnings(
  paged: readonly PagedMembers[],
  context: Readonly<{ target: Target; catalog: Catalog }>,
): MemberWarning[] {
  return paged.flatMap((members) => findMemberWarning(members, context) ?? [])
}

function findMemberWarning(
  { type, relationship, order }: PagedMembers,
  { target, catalog }: Readonly<{ target: Target; catalog: Catalog }>,
): MemberWarning | undefined {
  const { link, to } = getRelationship(getResourceType(target.model, type), relationship)
  const related = getResourceType(target.model, to)
  const stored = findTable(catalog, related.table)
  const path = `${type}.fields.${relationship}`
  const cause = `a page of ${type}.${relationship} reads and sorts all members of each resource`
  const keys = order.filter(({ path: names, field }) => names.length > 0 || field !== 'id')
  // Views have no indexes; those of their tables may serve.
  if (stored?.indexes === undefined) return undefined
  if (link.foreignKey === 'join table')
    return keys.length === 0
      ? undefined
      : { path, message: `${cause}: no index of a join table has their sort keys` }
  const columns = listSortColumns(order, related, target, stored.columns)
  if (columns === undefined) return { path, message: `${cause}: no index serves this sort` }
  const names = [...link.otherKey, ...columns.map(({ column }) => column)]
  // The last of them is the id.
  const { indexesEndWithId } = target.dialect
  const needed = indexesEndWithId ? names.slice(0, -related.id.columns.length) : names
  if (stored.indexes.some((index) => needed.every((name, at) => index[at] === name)))
    return undefined
  const list = [...link.otherKey.map(quoteIdentifier), ...columns.map(({ sql }) => sql)].join(', ')
  const index = { table: related.table, columns: names, expression: list }
  const fix = compileCreateIndex(index, { catalog, database: target.dialect })
  return { path, message: `${cause}: no index is on its foreign key and sort keys`, fix }
}

/** A column of an index, and how the index contains it. */
interface SortColumn {
  readonly column: string
  readonly sql: string
}

/** The columns of an index in an order; `undefined` if no index has this order. */
function listSortColumns(
  order: readonly OrderTerm[],
  related: ReturnType<typeof getResourceType>,
  target: Target,
  stored: ReadonlyMap<string, Readonly<{ type: string }>>,
): readonly SortColumn[] | undefined {
  const columns: SortColumn[] = []
  for (const { path, field, isCount, descending } of order) {
    const direction = descending ? ' desc' : ''
    if (field === 'id' && path.length === 0 && !isCount) {
      for (const column of related.id.columns)
        columns.push({ column, sql: quoteIdentifier(column) + direction })
      continue
    }
    const attribute = path.length > 0 || isCount ? undefined : getAttribute(related, field)
    const column = attribute?.column
    if (attribute === undefined || column === undefined) return undefined
    const key = sortKey(columnAt(0, column), attribute.kind.codec, target)
    const type = stored.get(column)?.type ?? ''
    const expression = compileIndexExpression(key, { name: column, type }, target)
    if (expression === undefined) return undefined
    columns.push({ column, sql: expression + direction })
  }
  return columns
}

/** Formats a warning as a line of `verify`. */
export function formatMemberWarning({ path, message, fix }: MemberWarning): string {
  return `${path}: ${message}${fix === undefined ? '' : `; to fix it: ${fix}`}`
}
