import { sql } from 'kysely'

import { getCodec } from '../../model/codecs.ts'
import { getRelationship, getResourceType } from '../../model/model.ts'
import type { LocatedIncludeEdge } from '../../plan/projection.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { IncludeStatements, OwnedRead } from '../include.ts'

import { compileLinkages, isLinkageFromIncluded, withoutLinkageLookups } from '../linkage.ts'
import { type CompiledRead, compileRead, compileRowStatement } from '../read.ts'
import { compileSelect } from '../select.ts'
import { listParam, param, rawParam } from '../statement.ts'
import { type StatementCache, statementSize } from '../statement-cache.ts'
import { createStatements, type Statements } from '../statements.ts'
import { and, asKey, columnAt, inScope, sortKey, type Target, tableAt } from '../tables.ts'
import type { ReadCost } from './statement-cost.ts'

/** The statements of a read that holds all of its rows at once. */
export interface WholeRead extends IncludeStatements {
  /** The primary rows without the linkage that other statements read: it is null. */
  readonly read: CompiledRead
  /** Whether it is a lookup of one row by its id and nothing else: a snapshot by itself. */
  readonly isPointRead: boolean
  /** What it costs; made when it is first needed. */
  cost: ReadCost | undefined
}

/** The statements of a store on SQLite. */
export interface SqliteStatements extends Statements {
  readonly whole: (shape: ReadShape) => WholeRead
}

/**
 * Makes the statements of a model for SQLite.
 * @param cache - where those of shapes are kept
 */
export function sqliteStatements(target: Target, cache: StatementCache): SqliteStatements {
  return {
    ...createStatements(target, cache),
    whole: cache.memoize((shape) => compileWholeRead(shape, target), wholeSize),
  }
}

function wholeSize({ read, byIds, owned, linkages, includedLinkages }: WholeRead): number {
  const lookups = [...linkages, ...[...includedLinkages.values()].flat()]
  return statementSize(
    // Reading backwards is compiled when the first one asks.
    ...[read.rows, read.firstBatch, read.count, read.rows],
    ...[...owned, ...lookups].map(({ statement }) => statement),
    ...byIds.values(),
  )
}

/** Writes the SQL of a read that holds all of its rows at once. Pure: the same shape gives the same text. */
function compileWholeRead(shape: ReadShape, target: Target): WholeRead {
  const { model } = target
  const owning = shape.includeEdges.flatMap((step, index) =>
    isLinkageFromIncluded(shape, index, model) ? [{ step, index }] : [],
  )
  const lean: ReadShape = {
    ...shape,
    primary: withoutLinkageLookups(shape.primary, model),
    included: shape.included.map((layout) => withoutLinkageLookups(layout, model)),
  }
  const read = compileRead(lean, target)
  const linkages = compileLinkages(
    shape.primary,
    target,
    owning.map(({ step }) => step.relationship),
  )
  return {
    read,
    isPointRead:
      shape.scope.is === 'one' && shape.includeEdges.length === 0 && linkages.length === 0,
    cost: undefined,
    byIds: read.byIds,
    owned: owning.map(({ step, index }) => ({ edge: index, ...compileOwned(step, lean, target) })),
    linkages,
    includedLinkages: new Map(
      shape.included.map((layout) => [layout.type, compileLinkages(layout, target)]),
    ),
  }
}

/**
 * The rows that a to-many include edge from the primary data reaches, and behind each the key of its owner. Where an index
 * finds them by the key, SQLite looks up one owner after the other; else it scans the table once.
 */
function compileOwned(
  step: LocatedIncludeEdge,
  shape: ReadShape,
  target: Target,
): Omit<OwnedRead, 'edge'> {
  const { dialect, model } = target
  const owner = getResourceType(model, step.type)
  const resource = getResourceType(model, step.to)
  const layout = findIncludedLayout(shape, step.to)
  const { link } = getRelationship(owner, step.relationship)
  const { codec } = owner.id.kind
  const key = columnAt(0, link.otherKey)
  const columns = sql.join([...compileSelect(layout, target), asKey(key, codec, target)])
  const { isIndexed = () => true } = target
  const owners = listParam('ids', codec, dialect)
  const isOne = shape.scope.is === 'one'
  const looksUp = !isOne && isIndexed(resource.table, link.otherKey)
  // The one owner is the resource in the path.
  const [isOwned, lookups] = isOne
    ? [sql`${key} = ${param('id', codec, dialect)}`, sql``]
    : looksUp
      ? [sql`${key} = ${sql.ref('owner.value')}`, sql`json_each(${owners}) as "owner", `]
      : [dialect.inList(key, owners), sql``]
  const id = resource.id.kind.codec
  const isUnordered = looksUp && getCodec(id, dialect.name).isExact === true
  const order = isUnordered
    ? sql``
    : sql` order by ${sortKey(columnAt(0, resource.id.column), id, target)}`
  const where = and([isOwned, ...inScope(0, resource)])
  const select = sql`select ${columns} from ${lookups}${tableAt(0, resource.table)} where ${where}${order} limit ${rawParam('most')} + 0`
  return { at: step.keyIndex, statement: compileRowStatement(layout, select, dialect), isUnordered }
}
