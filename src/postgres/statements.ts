import { getResourceType } from '../model/model.ts'
import type { Identity } from '../plan/access/identity.ts'
import type { ReadShape } from '../plan/read.ts'
import { isList, readBudget, writeBudget } from '../sql/read/document-budget.ts'
import {
  compileReadSequence,
  type ReadSequence,
  readSequenceSize,
} from '../sql/read/read-sequence.ts'
import { isFoundByKey } from '../sql/read/related-rows.ts'
import type { Statement } from '../sql/statement.ts'
import { StatementCache, statementSize } from '../sql/statement-cache.ts'
import { createStatements, type Statements } from '../sql/statements.ts'
import type { Target } from '../sql/tables.ts'
import { readsRelatedShards } from './catalog/sharded-tables.ts'
import { memoizeByRowBound, type PageStatement } from './read/bounded-pages.ts'
import { compileCacheableCount } from './read/counts.ts'
import { compileDocumentStatement, type DocumentStatement } from './read/document-statement.ts'

/** The statements of a store on PostgreSQL. Each statement of a document reads all of it, unless there is a `readSequence`. */
export interface PostgresStatements extends Statements {
  /** The document of the response to a write, up to the limit for writes. */
  readonly documentForWrite: (shape: ReadShape) => DocumentStatement
  /** The same, for the row that the transaction inserted last. */
  readonly insertedDocument: (shape: ReadShape) => DocumentStatement
  /** The document of a read, which cuts each set of rows just above the number that a read may hold in memory. */
  readonly boundedDocument: (shape: ReadShape) => DocumentStatement
  /** The statements of a document that one statement cannot read, because it has related rows of distributed tables, or pages of them; null for any other. */
  readonly readSequence: (shape: ReadShape) => ReadSequence | null
  /** The same, for the row that the transaction inserted last. */
  readonly insertedReadSequence: (shape: ReadShape) => ReadSequence | null
  /** A bounded document that is counted only if the cached count is no longer valid. */
  readonly cachedCountPage: PageStatement
  /** A bounded document of a page from the end of its list, if the cached count is valid. */
  readonly reversedPage: PageStatement
  /** Whether a stream finds rows by a column without an index, so that nested loops would scan a table for each row. */
  readonly needsHashJoins: (shape: ReadShape) => boolean
  /** What identifies the count of a list in the cache; null if the count must not be cached. */
  readonly cacheableCount: (shape: ReadShape) => Statement | null
}

/** Returns the statements of an identity; those without rules for `undefined`. */
export type PostgresStatementsOf = (identity: Identity | undefined) => PostgresStatements

/**
 * Creates the statements of a model for PostgreSQL.
 * @param cache - holds the statements of query shapes
 */
export function createPostgresStatements(
  target: Target,
  cache = new StatementCache(),
): PostgresStatements {
  const memoize = (compile: (shape: ReadShape) => DocumentStatement) =>
    cache.memoize(compile, (statement) => statementSize(statement))
  const compileInserted = (shape: ReadShape) =>
    compileDocumentStatement(
      shape,
      { ...target, insertedRow: target.dialect.lastInsertId },
      { budget: writeBudget },
    )
  const documentForWrite = memoize((shape) =>
    compileDocumentStatement(shape, target, { budget: writeBudget }),
  )
  const boundedDocument = memoize((shape) =>
    compileDocumentStatement(shape, target, { budget: readBudget }),
  )
  return {
    ...createStatements(target, cache),
    documentForWrite,
    insertedDocument: memoize(compileInserted),
    // Without limits both are the same statement, which is prepared once.
    boundedDocument: (shape) => (needsLimits(shape) ? boundedDocument : documentForWrite)(shape),
    cachedCountPage: memoizeByRowBound(target, memoize, { cachesCount: true }),
    reversedPage: memoizeByRowBound(target, memoize, { isReversed: true }),
    ...createDecisions(target, cache),
  }
}

/** Creates the reads in several statements, for shapes that need them. */
function createFullReads(
  target: Target,
  cache: StatementCache,
): Pick<PostgresStatements, 'readSequence' | 'insertedReadSequence'> {
  const memoize = (readTarget: Target) =>
    cache.memoize(
      (shape: ReadShape) =>
        hasIncludePages(shape) || readsRelatedShards(shape, target)
          ? compileReadSequence(shape, readTarget, 'scan')
          : null,
      (readSequence) => (readSequence ? readSequenceSize(readSequence) : 100),
    )
  return {
    readSequence: memoize(target),
    insertedReadSequence: memoize({ ...target, insertedRow: target.dialect.lastInsertId }),
  }
}

/** Creates what is decided once for each query shape: whether it is one statement, how it is joined, and whether its count is cached. */
function createDecisions(
  target: Target,
  cache: StatementCache,
): Pick<
  PostgresStatements,
  'needsHashJoins' | 'cacheableCount' | 'readSequence' | 'insertedReadSequence'
> {
  return {
    ...createFullReads(target, cache),
    needsHashJoins: cache.memoize(
      (shape) => !isFullyIndexed(shape, target),
      () => 100,
    ),
    cacheableCount: cache.memoize(
      (shape) => compileCacheableCount(shape, target),
      (statement) => statementSize(...(statement ? [statement] : [])),
    ),
  }
}

/** Whether an include edge has a page of members. */
function hasIncludePages({ includeEdges }: ReadShape): boolean {
  return includeEdges.some(({ page }) => page !== undefined)
}

/** Whether limits change the statement of a document: not for one resource without included ones and arrays of ids. */
function needsLimits(shape: ReadShape): boolean {
  const hasIds = shape.primary.linkages.some(({ many }) => many)
  return isList(shape) || shape.includeEdges.length > 0 || hasIds
}

/** Whether an index finds the rows of every relationship of a document, in both directions. */
function isFullyIndexed({ includeEdges, primary, included }: ReadShape, target: Target): boolean {
  const { facts, model } = target
  const linked = [primary, ...included].flatMap(({ type, linkages }) =>
    linkages.map(({ relationship }) => ({ type, relationship })),
  )
  return [...includeEdges, ...linked].every(({ type, relationship }) => {
    const resource = getResourceType(model, type)
    const field = resource.fields.get(relationship)
    if (field?.is !== 'relationship') return true
    const { link } = field
    const isInverseIndexed =
      link.foreignKey === 'join table'
        ? facts.isIndexed(link.joinTable, link.to)
        : facts.isIndexed(resource.table, link.ownKey)
    return isInverseIndexed && isFoundByKey(field, target)
  })
}
