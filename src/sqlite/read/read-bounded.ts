import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows } from '../../plan/read-result.ts'
import { executeFullRead, type FullReadStatements } from '../../sql/read/execute-full-read.ts'
import { runAsync } from '../../sql/read/query-sequence.ts'
import { addAuth } from '../../sql/read/run-values.ts'
import type { QueryRequest } from '../../sql/read/stream.ts'
import { LargeResultError } from '../errors.ts'
import type { ReadTransaction } from './read-transaction.ts'

/** A read and its compiled statements. */
export interface CompiledFullRead extends FullReadStatements {
  readonly plan: ReadPlan
  /** The id in the path. */
  readonly id: string | undefined
}

/** Executes a read in a transaction. @returns `undefined` when its document does not fit into memory */
export async function readBounded(
  transaction: ReadTransaction,
  { plan, id, statements, fullRead }: CompiledFullRead,
): Promise<CompleteRows | undefined> {
  try {
    const queries = executeFullRead({ statements, fullRead }, plan, id)
    return await runAsync(queries, (request) =>
      transaction.query({ ...authorize(request, plan), isBounded: true }),
    )
  } catch (error) {
    if (error instanceof LargeResultError) return undefined
    throw error
  }
}

/** Adds the auth context of a read to one of its queries. */
export function authorize(request: QueryRequest, { identity }: ReadPlan): QueryRequest {
  if (identity === undefined) return request
  return { ...request, values: addAuth(request.values, identity) }
}
