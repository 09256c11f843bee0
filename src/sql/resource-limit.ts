import { ParameterError } from '../errors/errors.ts'
import { formatEdgePath } from '../plan/include.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { CompleteRows } from '../plan/read-result.ts'
import type { Row } from '../plan/row-layout.ts'
import type { CompiledRead } from './read/compile-read.ts'
import { type DocumentBudget, pagesBudget, writeBudget } from './read/document-budget.ts'
import type { Statement } from './statement.ts'

/** How many resources a response may hold. */
export interface ResourceLimit {
  /** Included resources are counted. */
  readonly resources: number
  /** Whether it is the response to a write, which holds all resources in memory; absent: it is not. */
  readonly is?: DocumentBudget['is']
}

/**
 * The request error of a response that would hold too many resources.
 * @param edge - the index of the include edge that exceeds the limit; absent: the primary data does
 */
export function tooManyResourcesError(
  { shape }: Pick<ReadPlan, 'shape'>,
  { resources, is = 'read' }: ResourceLimit,
  edge?: number,
): ParameterError {
  const isWrite = is === 'write'
  const what = isWrite ? 'the response to a write' : 'the response'
  const limit = `${what} would hold more than ${resources} resources`
  if (edge === undefined) {
    const advice = shape.isPaged ? 'ask for a smaller page[size]' : 'ask for pages by page[size]'
    return new ParameterError(
      'too_many_resources',
      'page[size]',
      `page[size]: ${limit}; ${advice}.`,
    )
  }
  const path = formatEdgePath(shape.includeEdges, edge)
  const advice = {
    write: 'leave it out and send a GET request afterwards',
    read: 'request it from its own path, page by page, or ask for a smaller page[size]',
    pages: `ask for a smaller page[size], or for fewer members by includePage[${path}][size]`,
  }[is]
  return new ParameterError(
    'too_many_resources',
    'include',
    `include: with "${path}" ${limit}; ${advice}.`,
  )
}

/** The request error of a response whose include edges have pages, and which would have to be streamed. */
export function tooLargePagesError(): ParameterError {
  const { resources, text } = pagesBudget
  return new ParameterError(
    'too_many_resources',
    'include',
    `include: with pages of members, the response would hold more than ${resources} resources or ${text} characters; ask for a smaller page[size], or for fewer members by includePage.`,
  )
}

/** The request error of a response to a write whose included resources have too much text. */
export function tooMuchTextError(): ParameterError {
  return new ParameterError(
    'too_many_resources',
    'include',
    `include: the response to a write would hold more than ${writeBudget.text} characters of included resources; leave it out and send a GET request afterwards.`,
  )
}

/**
 * Checks a response whose rows are all in memory against the limit.
 * @throws ParameterError `too_many_resources` (400) when there are more resources than allowed
 */
export function checkResourceLimit(rows: CompleteRows, plan: ReadPlan, limit: ResourceLimit): void {
  let left = limit.resources - rows.primary.length
  if (left < 0) throw tooManyResourcesError(plan, limit)
  for (const [edge, batch] of rows.included.entries()) {
    left -= batch.rows.length
    if (left < 0) throw tooManyResourcesError(plan, limit, edge)
  }
}

/**
 * Checks a response that will be streamed against the limit: counts the resources first.
 * @param count - runs a statement that counts up to `maxRows` rows
 * @throws ParameterError `too_many_resources` (400) when there are more than allowed
 */
export async function checkStreamedResourceLimit(
  plan: ReadPlan,
  { rowSetSizes }: Pick<CompiledRead, 'rowSetSizes'>,
  limit: ResourceLimit,
  count: (statement: Statement, maxRows: number) => Promise<readonly Row[]>,
): Promise<void> {
  let left = limit.resources
  for (const [index, statement] of rowSetSizes().entries()) {
    const [row] = await count(statement, left + 1)
    left -= Number(row?.[0])
    if (left < 0) throw tooManyResourcesError(plan, limit, index === 0 ? undefined : index - 1)
  }
}
