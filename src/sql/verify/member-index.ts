import { type Catalog, findTable } from '../../model/catalog.ts'
import { getRelationship, getResourceType } from '../../model/model.ts'
import type { OrderTerm } from '../../plan/sort.ts'
import type { Target } from '../tables.ts'
import { compileCreateIndex, listOrderKeys } from './create-index.ts'
import { formatIndexWarning, type IndexWarning, listIndexWarnings } from './index-warnings.ts'

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

/** What warnings about relationships depend on. */
type RelationshipContext = Readonly<{ target: Target; catalog: Catalog }>

/**
 * Warns of relationships without an index, and of pages of members that no index serves: an index of the foreign key, the sort keys and
 * the id finds the first members of a resource; without it, all of them are read and sorted. It serves the relationship, too, which
 * therefore has no warning of its own.
 * @returns the warnings of pages, and those of relationships with the paths that no index of a page serves
 */
export function listRelationshipWarnings(
  paged: readonly PagedMembers[],
  context: RelationshipContext,
): Readonly<{ pages: readonly MemberWarning[]; relationships: readonly IndexWarning[] }> {
  const { target, catalog } = context
  const pages = paged.flatMap((members) => findMemberWarning(members, context) ?? [])
  const served = new Set(pages.flatMap(({ path, fix }) => (fix === undefined ? [] : [path])))
  const missing = listIndexWarnings(target.model, { catalog, database: target.dialect })
  const relationships = missing.flatMap((warning) => {
    const paths = warning.paths.filter((path) => !served.has(path))
    return paths.length === 0 ? [] : [{ ...warning, paths }]
  })
  return { pages, relationships }
}

/** Lists the warnings as lines of `verify`. */
export function formatRelationshipWarnings(
  paged: readonly PagedMembers[],
  context: RelationshipContext,
): string[] {
  const { pages, relationships } = listRelationshipWarnings(paged, context)
  return [...relationships.map(formatIndexWarning), ...pages.map(formatMemberWarning)]
}

function findMemberWarning(
  { type, relationship, order }: PagedMembers,
  { target, catalog }: RelationshipContext,
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
  const own = order.every(({ path: names, isCount }) => names.length === 0 && !isCount)
  const sorted = own ? listOrderKeys(order, related, target, catalog) : undefined
  if (sorted === undefined) return { path, message: `${cause}: no index serves this sort` }
  const all = [...link.otherKey.map((column) => ({ column })), ...sorted]
  const names = all.map(({ column }) => column)
  // The last of them is the id.
  const { indexesEndWithId } = target.dialect
  const needed = indexesEndWithId ? names.slice(0, -related.id.columns.length) : names
  if (stored.indexes.some((index) => needed.every((name, at) => index[at] === name)))
    return undefined
  const index = { table: related.table, keys: all }
  const fix = compileCreateIndex(index, { catalog, database: target.dialect })
  return { path, message: `${cause}: no index is on its foreign key and sort keys`, fix }
}

/** Formats a warning as a line of `verify`. */
function formatMemberWarning({ path, message, fix }: MemberWarning): string {
  return `${path}: ${message}${fix === undefined ? '' : `; to fix it: ${fix}`}`
}
