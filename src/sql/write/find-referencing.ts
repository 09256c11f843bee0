import type { Identity } from '../../plan/access/identity.ts'
import type { ReferencingShape } from '../../plan/referencing.ts'
import { addAuth } from '../read/run-values.ts'
import type { RunStatement, Statement } from '../statement.ts'

/** Which rows reference others, as far as an identity may read them. */
export interface ReferencingQuestion {
  readonly identity: Identity | undefined
  readonly shape: ReferencingShape
  /** One at least. */
  readonly ids: readonly string[]
  readonly maxRows: number
}

/** Runs the statement that answers the question. @returns the ids of the rows */
export async function findReferencing(
  { identity, ids, maxRows }: ReferencingQuestion,
  statement: Statement,
  run: RunStatement,
): Promise<readonly string[]> {
  const rows = await run(statement, addAuth({ planValues: [], ids, maxRows }, identity))
  return rows.map(([id]) => String(id))
}
