import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows } from '../../plan/read-result.ts'
import type { Row } from '../../plan/row-layout.ts'
import { notFoundError } from '../errors.ts'
import type { RunValues, Statement } from '../statement.ts'
import type { Statements } from '../statements.ts'
import {
  type DocumentBudget,
  fitsPagesBudget,
  fitsReadBudget,
  isUnbounded,
  pagesBudget,
  readBudget,
} from './document-budget.ts'
import { readIncludes } from './include.ts'
import { countFromRows, cutPage, pageWindow } from './page-window.ts'
import type { QuerySequence } from './query-sequence.ts'
import type { ReadSequence } from './read-sequence.ts'
import { createRunValues, limitRows } from './run-values.ts'
import type { QueryRequest } from './stream.ts'

/** The statements of a read sequence. */
export interface ReadSequenceStatements {
  readonly statements: Pick<Statements, 'ofType'>
  readonly readSequence: ReadSequence
}

/**
 * Executes a read whose rows are all held in memory. Yields each query and receives its rows.
 * @param id - the id in the path
 * @param budget - that of a write leaves the limit of its texts to whoever runs the queries
 * @returns `undefined` when there is more than the budget allows
 * @throws NotFoundError when the resource in the path does not exist; ParameterError `too_many_resources` (400) for a write
 */
export function* executeReadSequence(
  { statements, readSequence }: ReadSequenceStatements,
  plan: ReadPlan,
  id: string | undefined,
  budget: DocumentBudget = plan.includePages ? pagesBudget : readBudget,
): QuerySequence<CompleteRows | undefined> {
  const { shape, notFound } = plan
  const found = yield* readPrimary(readSequence, plan, id, budget)
  if (found === undefined) return undefined
  const { primary, count = primary.length } = found
  if (count === 0 && shape.addressed.is === 'one') throw notFoundError(notFound, id)
  if (count === 0 && shape.addressed.is === 'related') {
    const { exists } = statements.ofType(notFound.type)
    const parent = yield { statement: exists, values: { planValues: [], id } }
    if (parent.length === 0) throw notFoundError(notFound, id)
  }
  const isComplete = shape.includeEdges.length === 0 && readSequence.linkages.length === 0
  const complete = isComplete
    ? { primary, included: [] }
    : yield* readIncludes({ plan, shape, statements: readSequence, budget }, primary, id)
  if (complete === undefined) return undefined
  const rows: CompleteRows = { is: 'complete', ...found, ...complete }
  if (budget.is === 'read')
    return fitsReadBudget(rows, readSequence.longPositions) ? rows : undefined
  return budget.is === 'write' || fitsPagesBudget(rows) ? rows : undefined
}

/** The primary rows of a page, and the number of resources on all pages. */
type PrimaryRows = Pick<CompleteRows, 'primary' | 'count' | 'hasMore'>

/**
 * Reads the primary rows. From the second page on, the count comes first: it shows which end of the list is nearer, and a
 * page in the second half is read in reverse order (docs/decisions/0029).
 */
function* readPrimary(
  { read }: ReadSequence,
  plan: ReadPlan,
  id: string | undefined,
  { resources }: DocumentBudget,
): QuerySequence<PrimaryRows | undefined> {
  const { page, shape } = plan
  const values = createRunValues(plan, id)
  if (page === undefined || page.number === 1) {
    const statement =
      resources > readBudget.resources ? read.boundedRowsForWrite() : read.boundedRows
    const primary = yield { statement, values: limitRows(values, resources) }
    const isLong = primary.length > resources && (page !== undefined || isUnbounded(shape))
    if (isLong) return undefined
    const known = countFromRows(plan, primary.length)
    const isCounted = known === undefined && shape.cursors?.total !== 'none'
    const count = isCounted ? readCount(yield countRequest(read.count, values)) : known
    return page?.cursors ? { ...cutPage(plan, primary), count } : { primary, count }
  }
  const count = readCount(yield countRequest(read.count, values))
  const { from, ...window } = pageWindow(page, count)
  if (window.limit === 0) return { primary: [], count }
  if (window.limit > resources) return undefined
  const statement = from === 'start' ? read.boundedRows : read.reversedRows()
  const rows = yield { statement, values: { ...values, ...window } }
  return { primary: from === 'start' ? rows : rows.toReversed(), count }
}

/** Creates the request for the count of a list. */
function countRequest(statement: Statement, values: RunValues): QueryRequest {
  return { statement, values, isCount: true }
}

/** Returns the count in the rows of such a request. */
export function readCount([row]: readonly Row[]): number {
  return Number(row?.[0])
}
