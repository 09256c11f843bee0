import { findTable } from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import { quoteTableName } from '../quote-identifier.ts'
import { isOwnKey } from '../read/linkage.ts'
import { listParam } from '../statement.ts'
import { columnAt, type Target } from '../tables.ts'

/**
 * Whether a statement that changes the row with an id changes this row or none, as the database itself guarantees, and no rule, scope or
 * tenant restricts it. Then the number of changed rows says all that JavaScript could check before the commit. What happens to the table
 * after the start, the statement finds itself (`isStillPlain`), but for triggers.
 */
export function changesOneRow(
  { table, id, rowScope, scope }: ResourceType,
  target: Target,
): boolean {
  const stored = findTable(target.facts.catalog, table)
  if (!stored?.isPlain || target.access || rowScope !== undefined || scope !== undefined)
    return false
  const isId = (columns: readonly string[]) =>
    columns.length === id.columns.length && columns.every((name) => id.columns.includes(name))
  return isId(stored.primaryKey)
}

/**
 * Finds what the statement that writes a row has to return so that its response need not be read: the columns that the response shows.
 * @returns `undefined` if the response shows anything else, or if the row may change after the statement has returned it
 */
export function findReturnedLayout(
  { type, addressed, where, includeEdges, primary }: ReadShape,
  target: Target,
): RowLayout | undefined {
  const resource = getResourceType(target.model, type)
  if (addressed.is !== 'one' || where !== undefined || includeEdges.length > 0) return undefined
  const isAlone =
    isPlainTable(resource, target) &&
    // Of several rows with the id, a read finds all.
    (target.facts.hasUniqueIds(type) || changesOneRow(resource, target)) &&
    primary.values.every((value) => 'column' in value || 'versionOf' in value) &&
    primary.linkages.every(({ relationship }) =>
      isOwnKey(getRelationship(resource, relationship), target),
    )
  return isAlone ? primary : undefined
}

/**
 * Whether the database stores the rows of a type exactly as they are inserted, one like the other: no trigger, rule, policy or scope sees
 * them.
 */
export function isPlainTable(
  { table, rowScope, scope, unrestricted, tenantColumn }: ResourceType,
  { facts, access, dialect }: Target,
): boolean {
  const stored = findTable(facts.catalog, table)
  const isRestricted = rowScope ?? scope ?? unrestricted?.scope ?? tenantColumn
  if (stored === undefined || access || isRestricted !== undefined) return false
  if (facts.shardingOf(table) !== undefined) return false
  // Without locks the database is SQLite, whose tables have no rules, no policies and no inheritance.
  return dialect.locks
    ? stored.isPlain === true
    : stored.triggers === undefined && facts.isOrdinary(table)
}

/** Compiles whether the stored version of `t0` is one of those that the request demands; `undefined` for a type whose version is no column. */
export function hasVersion({ version }: ResourceType, { dialect }: Target): Sql | undefined {
  if (version === undefined) return undefined
  const stored = dialect.versionOf([columnAt(0, version)])
  return dialect.inList(stored, listParam('versions', 'text', dialect))
}

/** Compiles whether a table that was plain at the start still is; no condition where it stays so. */
export function isStillPlain({ table }: ResourceType, { dialect }: Target): Sql[] {
  return dialect.isPlainTable ? [dialect.isPlainTable(quoteTableName(table))] : []
}
