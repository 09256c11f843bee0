import { quote, quoteNames } from '../../errors/quote.ts'
import { type Catalog, findTable, isIndexed } from '../../model/catalog.ts'
import { sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType } from '../../model/model.ts'
import { formatOrder } from '../../plan/cursor.ts'
import type { ReadShape } from '../../plan/read.ts'
import { type OrderTerm, untilId } from '../../plan/sort.ts'
import { crossesShards } from '../keys/shards.ts'
import { quoteIdentifier, quoteTableName } from '../quote-identifier.ts'
import { findUntrustedKey, type UntrustedKey } from '../read/null-rows.ts'
import { listFirstBranches } from '../read/page.ts'
import { compileOrder } from '../read/sort.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { rowsAt } from '../table-function.ts'
import { columnAt, type Target } from '../tables.ts'
import { compileCreateIndex, listOrderKeys } from './create-index.ts'
import type { UncountedWarning } from './index-effects.ts'

// Whether an index serves the pages between cursors of a sort order. The planner of the database decides it, which knows collations,
// directions, and indexes on expressions: it plans the first row of each branch, on PostgreSQL as if to sort were the last resort.

/** The indexes that serve the pages between cursors of a sort order. */
export interface CursorIndexes {
  /** The sort order, with the id. */
  readonly order: string
  /** The names of the indexes by which the database reads rows in this order. Empty: it sorts the list for each page. */
  readonly indexes: readonly string[]
}

/** Compiles the statements whose plans show the indexes: the first row of each part of the list. */
export function compileOrderProbes(
  { order, type }: Pick<ReadShape, 'order' | 'type'>,
  target: Target,
): Statement[] {
  const resource = getResourceType(target.model, type)
  const { keys, joins } = compileOrder(order, resource, target)
  return listFirstBranches(keys).map(({ conditions: [condition], order: orderBy }) => {
    const where = condition ? sql` where ${condition}` : sql``
    const from = sql`${rowsAt(0, resource, target)}${joins}${where}`
    const id = columnAt(0, resource.id.columns[0])
    return compileStatement(
      sql`select ${id} from ${from} order by ${orderBy} limit 1`,
      target.dialect,
    )
  })
}

/** Describes the indexes of a sort order by the plans of its statements. */
export function describeCursorIndexes(
  { order }: Pick<ReadShape, 'order'>,
  plans: readonly string[],
  { dialect }: Target,
): CursorIndexes {
  const isServed = order.every(({ isCount }) => !isCount) && !plans.some(dialect.plans.sortsAll)
  // The rows without a related value come first in a descending order; those with one tell which index serves.
  const present = (order[0]?.descending ? plans.at(-1) : plans[0]) ?? ''
  return { order: formatOrder(order), indexes: isServed ? dialect.plans.listIndexes(present) : [] }
}

/** Warns of a sort order that no index serves, with the index that it needs. */
export function listCursorWarnings(
  { order, type }: Pick<ReadShape, 'order' | 'type'>,
  { order: name, indexes }: CursorIndexes,
  target: Target,
  catalog: Catalog,
): UncountedWarning[] {
  const resource = getResourceType(target.model, type)
  const scans = listScanWarnings(order, resource, target)
  if (indexes.length > 0) return scans
  const cause = `no index serves the cursors of the sort order "${name}", so each page sorts the list`
  const fix = compileCursorIndex(order, resource, target, catalog)
  if (fix === undefined) return [{ message: cause }, ...scans]
  return [{ message: cause, fix, use: { is: 'sort', table: resource.table } }, ...scans]
}

/** Warns of a sort by a related resource whose resources without a value are found by reading the list. */
function listScanWarnings(
  [first]: readonly OrderTerm[],
  resource: ResourceType,
  target: Target,
): UncountedWarning[] {
  if (first === undefined || first.path.length === 0 || first.isCount) return []
  const untrusted = findUntrustedKey(first.path, resource, target)
  if (untrusted === undefined) return []
  const name = quote([...first.path, first.field].join('.'))
  const message = `the resources without a value of ${name} are found by reading the list, because ${describeUntrusted(untrusted, target)}`
  return [{ message }]
}

/** Says why a key does not tell whether there is a related resource, and what to do. */
function describeUntrusted({ owner, name }: UntrustedKey, target: Target): string {
  const field = getRelationship(owner, name)
  const path = `${owner.type}.${name}`
  const { table, id } = getResourceType(target.model, field.to)
  if (field.link.foreignKey !== 'own') return `the key of ${path} is in another table`
  if (field.isEnforced ?? target.facts.isEnforced(field))
    return `the resource of ${path} may be hidden, or its key differs from its id`
  const key = `${quoteTableName(owner.table)} (${field.link.ownKey.map(quoteIdentifier).join(', ')})`
  const missing = `ensures that each key of ${path} references a resource; to fix it:`
  if (crossesShards(owner, field, target))
    return `no foreign key between servers ${missing} declare enforced: true if every key references one`
  const references = `${quoteTableName(table)} (${id.columns.map(quoteIdentifier).join(', ')})`
  return `no valid foreign key ${missing} create a foreign key of ${key} that references ${references}, or declare enforced: true if every key references one`
}

/**
 * Writes the statement that creates the index of a sort order: of its columns, or of its first column in another table.
 * @returns `undefined` if none can serve it: it counts rows, computes a value, or joins rows of several servers
 */
function compileCursorIndex(
  order: readonly OrderTerm[],
  resource: ResourceType,
  target: Target,
  catalog: Catalog,
): string | undefined {
  const [first] = order
  // An index need not have what follows the id.
  const needed = untilId(order)
  if (first === undefined || needed.some(({ isCount }) => isCount)) return undefined
  const owner = followPath(first.path, resource, target)
  if (owner === undefined) return undefined
  const terms = first.path.length > 0 ? [first] : needed
  if (terms.some(({ path }) => path.length !== first.path.length)) return undefined
  const keys = listOrderKeys(terms, owner, target, catalog)
  const context = { catalog, database: target.dialect }
  return keys && compileCreateIndex({ table: owner.table, keys }, context)
}

/** Finds the type at the end of a path; `undefined` if its rows may be on other servers. */
function followPath(
  path: readonly string[],
  resource: ResourceType,
  target: Target,
): ResourceType | undefined {
  let type = resource
  for (const name of path) {
    const field = getRelationship(type, name)
    if (crossesShards(type, field, target)) return undefined
    type = getResourceType(target.model, field.to)
  }
  return type
}

/**
 * Warns of the types whose declaration pages them by cursors, if no index begins with the column of an attribute that sorts.
 * @returns a line for each type, with the statements that create the indexes
 */
export function listCursorTypeWarnings(target: Target, catalog: Catalog): string[] {
  const { types, declarations } = target.model
  return [...types.values()].flatMap((resource) => {
    const stored = findTable(catalog, resource.table)
    // A default for all types says nothing about one.
    const { pages } = declarations[resource.type] ?? {}
    if (pages?.by !== 'cursor' || stored?.indexes === undefined) return []
    const unserved = [...resource.fields.values()].flatMap((field) => {
      const column = field.is === 'attribute' && field.isSortable ? field.column : undefined
      return column === undefined || isIndexed(stored, [column]) ? [] : [field.name]
    })
    if (unserved.length === 0) return []
    const fixes = unserved.flatMap((field) => {
      const order = [field, 'id'].map((name) => ({ path: [], field: name, ...ascending }))
      return compileCursorIndex(order, resource, target, catalog) ?? []
    })
    const cause = `${resource.type}: its pages lie between cursors, and no index serves a sort by ${quoteNames(unserved)}, so each page sorts the list`
    return fixes.length === 0 ? cause : `${cause}; to fix it: ${fixes.join('; ')}`
  })
}

const ascending = { descending: false, nullable: false }
