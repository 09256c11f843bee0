import { sql } from 'kysely'
import { getRelationship, getResourceType } from '../../model/model.ts'
import type { LocatedIncludeEdge } from '../../plan/projection.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { IncludeStatements } from '../include.ts'
import { compileLinkages, tellsLinkage, withoutLookups } from '../linkage.ts'
import { type CompiledRead, compileRead, selecting } from '../read.ts'
import { compileSelect } from '../select.ts'
import { list, one, plain, type Statement } from '../statement.ts'
import { type StatementCache, statementSize } from '../statement-cache.ts'
import { type Statements, statementsFor } from '../statements.ts'
import { asKey, columnAt, every, isOfType, orderOf, type Target, tableAt } from '../tables.ts'

/** The statements of a read that holds all of its rows at once. */
export interface WholeRead extends IncludeStatements {
  /** The primary rows without the linkage that other statements read: it is null. */
  readonly read: CompiledRead
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
    ...statementsFor(target, cache),
    whole: cache.memoize((shape) => compileWholeRead(shape, target), wholeSize),
  }
}

function wholeSize({ read, byIds, owned, linkages, includedLinkages }: WholeRead): number {
  const lookups = [...linkages, ...[...includedLinkages.values()].flat()]
  return statementSize(
    // Reading backwards is compiled when the first one asks.
    ...[read.rows, read.start, read.count, read.rows],
    ...[...byIds.values(), ...owned.values(), ...lookups.map(({ statement }) => statement)],
  )
}

/** Writes the SQL of a read that holds all of its rows at once. Pure: the same shape gives the same text. */
function compileWholeRead(shape: ReadShape, target: Target): WholeRead {
  const { model } = target
  const owning = shape.includeEdges.flatMap((step, index) =>
    tellsLinkage(shape, index, model) ? [{ step, index }] : [],
  )
  const lean: ReadShape = {
    ...shape,
    primary: withoutLookups(shape.primary, model),
    included: shape.included.map((layout) => withoutLookups(layout, model)),
  }
  const read = compileRead(lean, target)
  return {
    read,
    byIds: read.byIds,
    owned: new Map(owning.map(({ step, index }) => [index, compileOwned(step, lean, target)])),
    linkages: compileLinkages(
      shape.primary,
      target,
      owning.map(({ step }) => step.relationship),
    ),
    includedLinkages: new Map(
      shape.included.map((layout) => [layout.type, compileLinkages(layout, target)]),
    ),
  }
}

/**
 * The rows that a to-many include edge from the primary data reaches, and behind each the key of its owner. Where an index
 * finds them by the key, SQLite looks up one owner after the other; else it scans the table once.
 */
function compileOwned(step: LocatedIncludeEdge, shape: ReadShape, target: Target): Statement {
  const { dialect, model } = target
  const owner = getResourceType(model, step.type)
  const resource = getResourceType(model, step.to)
  const layout = findIncludedLayout(shape, step.to)
  const { link } = getRelationship(owner, step.relationship)
  const { codec } = owner.id.kind
  const key = columnAt(0, link.otherKey)
  const columns = sql.join([...compileSelect(layout, target), asKey(key, codec, target)])
  const { isIndexed = () => true } = target
  const owners = list('ids', codec, dialect)
  // The one owner is the resource in the path.
  const [isOwned, lookups] =
    shape.scope.is === 'one'
      ? [sql`${key} = ${one('id', codec, dialect)}`, sql``]
      : isIndexed(resource.table, link.otherKey)
        ? [sql`${key} = ${sql.ref('owner.value')}`, sql`json_each(${owners}) as "owner", `]
        : [dialect.inList(key, owners), sql``]
  const order = orderOf(columnAt(0, resource.id.column), resource.id.kind.codec, target)
  const where = every([isOwned, ...isOfType(0, resource)])
  const select = sql`select ${columns} from ${lookups}${tableAt(0, resource.table)} where ${where} order by ${order} limit ${plain('most')} + 0`
  return selecting(layout, select, dialect)
}
