import { sql } from 'kysely'
import type { Dialect, Sql } from '../../model/dialect.ts'
import { getCodec } from '../../model/kinds/codecs.ts'
import {
  getRelationship,
  getResourceType,
  type IdField,
  type RelationshipField,
} from '../../model/model.ts'
import type { LocatedIncludeEdge } from '../../plan/include.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import { idPartParams, isEqualKey, isInIdList, selectIdList, toKey } from '../keys/keys.ts'
import { linkKeyAt } from '../keys/link-keys.ts'
import { listParam, rawParam, type Statement } from '../statement.ts'
import { statementSize } from '../statement-cache.ts'
import { and, asId, idOrder, inScope, type Target, tableAt } from '../tables.ts'
import { type CompiledRead, compileRead, compileRowStatement } from './compile-read.ts'
import { findLongPositions, type LongPositions } from './document-budget.ts'
import type { IncludeStatements, OwnedRead } from './include.ts'
import { compileMembersReads } from './include-page.ts'
import { isLinkageFromIncluded } from './linkage.ts'
import { compileLinkages, type LinkageRead, withoutLinkageLookups } from './linkage-lookups.ts'
import { isFoundByKey } from './related-rows.ts'
import { compileSelection } from './select.ts'

/** The statements of a read in their order: the primary rows, then related ones. Its rows are all held in memory. */
export interface ReadSequence extends IncludeStatements {
  /** Reads the primary rows. Linkage that other statements read is null in them. */
  readonly read: CompiledRead
  /** The positions of the values that may be long texts. */
  readonly longPositions: LongPositions
  /** Whether the read is one statement for one row by its id, so that it needs no transaction. Its values may be of any kind. */
  readonly isOneStatement: boolean
  /** Reads all linkage that rows of a type are read without, for a stream: it reads the included rows after the primary ones. */
  streamedLinkages(type: string): readonly LinkageRead[]
}

/**
 * Compiles the statements of a read whose rows are all held in memory.
 * @param lookup - how the rows of owners are found; absent: as `chooseLookup` says
 */
export function compileReadSequence(
  shape: ReadShape,
  target: Target,
  lookup?: 'scan',
): ReadSequence {
  const ownedEdges = shape.includeEdges.flatMap((edge, index) =>
    isLinkageFromIncluded(shape, index, target) ? [{ edge, index, lookup }] : [],
  )
  const withoutLookups: ReadShape = {
    ...shape,
    primary: withoutLinkageLookups(shape.primary, target),
    included: shape.included.map((layout) => withoutLinkageLookups(layout, target)),
  }
  const read = compileRead(withoutLookups, target)
  const ownedNames = ownedEdges.map(({ edge }) => edge.relationship)
  const linkages = compileLinkages(shape.primary, target, ownedNames)
  const isOneStatement =
    shape.addressed.is === 'one' && shape.includeEdges.length === 0 && linkages.length === 0
  return {
    ...{ read, byIds: read.byIds, isOneStatement },
    longPositions: findLongPositions(shape, target.model),
    owned: ownedEdges.map((owned) => compileOwnedRead(owned, withoutLookups, target)),
    linkages,
    includedLinkages: new Map(
      shape.included.map((layout) => [layout.type, compileLinkages(layout, target)]),
    ),
    members: compileMembersReads(shape.includeEdges, target),
    streamedLinkages: createStreamedLinkages(shape, target),
  }
}

/** Compiles the linkage of each type of a stream when its first batch needs it. */
function createStreamedLinkages(
  { primary, included }: ReadShape,
  target: Target,
): ReadSequence['streamedLinkages'] {
  const byType = new Map<string, readonly LinkageRead[]>()
  return (type) => {
    const layout = [primary, ...included].find((each) => each.type === type)
    const linkages = byType.get(type) ?? (layout ? compileLinkages(layout, target) : [])
    byType.set(type, linkages)
    return linkages
  }
}

/** Returns the statements that run once for the set of primary or included rows, except the lookups by id. */
export function listFollowingStatements({
  owned,
  linkages,
  includedLinkages,
  members,
}: ReadSequence): Statement[] {
  return [...owned, ...linkages, ...[...includedLinkages.values()].flat(), ...members].map(
    ({ statement }) => statement,
  )
}

/** Estimates the memory of the statements in bytes. */
export function readSequenceSize(readSequence: ReadSequence): number {
  const { rows, boundedRows, count } = readSequence.read
  return statementSize(
    // The second `rows` stands for the reversed page, which is compiled when it is first needed.
    ...[rows, boundedRows, count, rows],
    ...listFollowingStatements(readSequence),
    ...readSequence.byIds.values(),
  )
}

/** How SQLite finds the rows of owners: of the resource in the path, by an index for one owner after the other, or by one scan. */
type OwnerLookup = 'path' | 'index' | 'scan'

/** A to-many include edge of the primary rows. */
interface OwnedEdge {
  readonly edge: LocatedIncludeEdge
  readonly index: number
  /** How the rows of owners are found; absent: as `chooseLookup` says. */
  readonly lookup?: 'scan' | undefined
}

/**
 * Compiles the statement for the rows that a to-many include edge of the primary rows reaches. The last column is the key of
 * the owner: the primary row to which a row belongs. So the linkage is not read separately, which saves a third of the time
 * of row `included` of the benchmark. If ids are numbers and an index returns them in order, they are
 * sorted in JavaScript, which saves another 6 % (`packed-sort.ts`).
 */
function compileOwnedRead(
  { edge, index, ...owned }: OwnedEdge,
  shape: ReadShape,
  target: Target,
): OwnedRead {
  const { dialect, model } = target
  const owner = getResourceType(model, edge.type)
  const resource = getResourceType(model, edge.to)
  const layout = findIncludedLayout(shape, edge.to)
  const field = getRelationship(owner, edge.relationship)
  const key = linkKeyAt(field.link, 'otherKey', 0)
  const lookup = owned.lookup ?? chooseLookup(shape, field, target)
  const { join, condition } = compileLookup(key, lookup, owner.id, dialect)
  const { id } = resource
  const isExact = id.parts.length === 1 && getCodec(id.kind.codec, dialect).isExact === true
  const isUnordered = lookup === 'index' && isExact
  const order = isUnordered ? sql`` : sql` order by ${idOrder(0, id, target)}`
  // The linkage of a single owner is that of all rows.
  const ownerId = lookup === 'path' ? sql`null` : asId(key, owner.id, target)
  const selection = compileSelection(layout, target)
  const columns = sql.join([...selection.columns, ownerId])
  const from = sql.join([sql`${join}${tableAt(0, resource.table)}`, ...selection.joins], sql``)
  const where = and([condition, ...inScope(0, resource)])
  const select = sql`select ${columns} from ${from} where ${where}${order} limit ${rawParam('maxRows')} + 0`
  const statement = compileRowStatement(layout, select, target)
  return { edge: index, at: edge.keyIndex, statement, isUnordered }
}

function chooseLookup(
  { addressed }: ReadShape,
  field: RelationshipField,
  target: Target,
): OwnerLookup {
  if (addressed.is === 'one') return 'path'
  return isFoundByKey(field, target) ? 'index' : 'scan'
}

/** @param key - the columns that reference the owner */
function compileLookup(
  key: readonly Sql[],
  lookup: OwnerLookup,
  id: IdField,
  dialect: Dialect,
): Readonly<{ join: Sql; condition: Sql }> {
  switch (lookup) {
    case 'path':
      return { join: sql``, condition: isEqualKey(key, idPartParams('id', id, dialect)) }
    case 'index': {
      const value = sql.ref('owner.value')
      if (id.parts.length > 1) {
        const owners = sql`(${selectIdList('ids', id, dialect)}) as "owner", `
        return {
          join: owners,
          condition: isEqualKey(
            key,
            key.map((_, index) => sql.ref(`owner.id${index}`)),
          ),
        }
      }
      const owners = sql`json_each(${listParam('ids', id.kind.codec, dialect)}) as "owner", `
      return { join: owners, condition: sql`${toKey(key)} = ${value}` }
    }
    case 'scan':
      return { join: sql``, condition: isInIdList(key, 'ids', id, dialect) }
  }
}
