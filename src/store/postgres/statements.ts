import { getResourceType } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import { isUnbounded, maxBufferedRows } from '../run.ts'
import { isFoundByKey } from '../select.ts'
import type { RunValues } from '../statement.ts'
import { StatementCache, statementSize } from '../statement-cache.ts'
import { createStatements, type Statements } from '../statements.ts'
import type { Target } from '../tables.ts'
import { type CacheableCount, compileCacheableCount } from './counts.ts'
import { compileFullRead, type FullReadOptions, type FullReadStatement } from './full-read.ts'

/** The most resources in the response to a write. */
export const maxWriteResources = 10_000

/** The statements of a store on PostgreSQL, which reads all of a document by one. */
export interface PostgresStatements extends Statements {
  readonly fullRead: (shape: ReadShape) => FullReadStatement
  /** The same of the resource that the transaction has made last. */
  readonly insertedRow: (shape: ReadShape) => FullReadStatement
  /** The same of no more rows of each set than show that there are too many to be held at once. */
  readonly boundedRead: (shape: ReadShape) => FullReadStatement
  /** The same for a page whose count may be remembered. */
  readonly cachedCountPage: PageStatement
  /** The same for a page that is read from the end, because its count is remembered. */
  readonly reversedPage: PageStatement
  /** Whether a stream looks for rows by a column without an index, so that nested loops could take for ever. */
  readonly needsHashes: (shape: ReadShape) => boolean
  /** What that count is of; null where it may not be remembered. */
  readonly cacheableCount: (shape: ReadShape) => CacheableCount | null
}

/** A statement of a page that takes so many rows from so far. */
type PageStatement = (
  shape: ReadShape,
  place: Pick<RunValues, 'limit' | 'offset'>,
) => FullReadStatement

/**
 * Makes the statements of a model.
 * @param cache - where those of shapes are kept
 */
export function postgresStatements(
  target: Target,
  cache = new StatementCache(),
): PostgresStatements {
  const memoize = (make: (shape: ReadShape) => FullReadStatement) =>
    cache.memoize(make, (statement) => statementSize(statement))
  const fullRead = memoize((shape) =>
    compileFullRead(shape, target, { most: maxWriteResources + 1 }),
  )
  const most = maxBufferedRows + 1
  const boundedRead = memoize((shape) => compileFullRead(shape, target, { most }))
  return {
    ...createStatements(target, cache),
    fullRead,
    insertedRow: memoize((shape) =>
      compileFullRead(
        shape,
        { ...target, insertedRow: target.dialect.lastInsertId },
        { most: maxWriteResources + 1 },
      ),
    ),
    boundedRead: (shape) =>
      (isUnbounded(shape) || shape.includeEdges.length > 0 ? boundedRead : fullRead)(shape),
    cachedCountPage: memoizeByReach(target, memoize, { most, remembers: true }),
    reversedPage: memoizeByReach(target, memoize, { most, isBackwards: true }),
    needsHashes: cache.memoize(
      (shape) => !isFullyIndexed(shape, target),
      () => 100,
    ),
    cacheableCount: cache.memoize(
      (shape) => compileCacheableCount(shape, target),
      (countable) => statementSize(...(countable ? [countable.statement] : [])),
    ),
  }
}

/** A page that reaches farther takes longer to read than to plan. */
const farthest = 1024

/**
 * Keeps a statement of each shape for each power of two that its pages reach into a list without conditions. PostgreSQL
 * takes a limit that it does not know for a tenth of the table, so a plan that serves every page looks worse to it than one
 * for the page at hand, and it plans each page of a large table anew. Where no value decides what is read but how far, that
 * is in vain.
 */
function memoizeByReach(
  target: Target,
  memoize: (
    make: (shape: ReadShape) => FullReadStatement,
  ) => (shape: ReadShape) => FullReadStatement,
  reading: FullReadOptions,
): PageStatement {
  const compile = (reach?: number) =>
    memoize((shape) => compileFullRead(shape, target, { ...reading, reach }))
  const anywhere = compile()
  const upTo = Array.from({ length: 1 + Math.log2(farthest) }, (_, power) => compile(2 ** power))
  return (shape, { limit = 0, offset = 0n }) => {
    const { scope } = getResourceType(target.model, shape.type)
    const hasConditions = (scope ?? shape.where) !== undefined || shape.scope.is !== 'all'
    const power = Math.ceil(Math.log2(limit + Number(offset)))
    const ofReach = hasConditions ? undefined : upTo[Math.max(power, 0)]
    return (ofReach ?? anywhere)(shape)
  }
}

/** Whether an index finds everything that a document leads to, from either end. */
function isFullyIndexed({ includeEdges, primary, included }: ReadShape, target: Target): boolean {
  const { isIndexed = () => true, model } = target
  const linked = [primary, ...included].flatMap(({ type, linkages }) =>
    linkages.map(({ relationship }) => ({ type, relationship })),
  )
  return [...includeEdges, ...linked].every(({ type, relationship }) => {
    const resource = getResourceType(model, type)
    const field = resource.fields.get(relationship)
    if (field?.is !== 'relationship') return true
    const { link } = field
    const isBack =
      link.foreignKey === 'join table'
        ? isIndexed(link.joinTable, link.to)
        : isIndexed(resource.table, link.ownKey)
    return isBack && isFoundByKey(field, target)
  })
}
