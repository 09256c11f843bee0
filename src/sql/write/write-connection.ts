import type { ApiError } from '../../errors/errors.ts'
import type { Awaitable } from '../../model/declare/hooks.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows } from '../../plan/read-result.ts'
import type { Row } from '../../plan/row-layout.ts'
import type { WritePlan } from '../../plan/write.ts'
import type { RunValues, Statement } from '../statement.ts'
import type { RunQuery } from '../store.ts'
import type { CommitNext, StepExecutor } from './steps.ts'

/** A connection with an open transaction that may write. */
export interface WriteConnection {
  /** Returns every row of a statement, with the values of the attribute kinds. @throws ConstraintError */
  all(statement: Statement, values: RunValues): Awaitable<readonly Row[]>
  /** Runs a statement that returns no rows; returns the number of changed rows. @throws ConstraintError */
  run(statement: Statement, values: RunValues): Awaitable<number>
  /**
   * Runs a statement in one round trip with the next one or with the commit, which throws its error. Absent where a statement is executed
   * when it is called.
   */
  readonly runUnawaited?: (statement: Statement, values: RunValues) => void
  read(plan: ReadPlan, id: string | undefined): Awaitable<CompleteRows>
  /** Reads the row that the last insert created, whose id need not be known; absent where the database cannot. */
  readonly readInserted?: (plan: ReadPlan) => Awaitable<CompleteRows>
  /** Checks values whose columns reject some of them, where the database does not report the column; absent where it does. */
  readonly checkValues?: (plan: WritePlan) => readonly ApiError[]
  readonly runSteps: StepExecutor
  /**
   * Commits in one round trip with the statements that are sent next, the only ones of the transaction; absent where a commit is no round
   * trip, and where the database cannot.
   */
  readonly commitNext?: CommitNext | undefined
  readonly query: RunQuery
  /** Checks the constraints that the commit would check. @throws ConstraintError */
  checkDeferred(): Awaitable<void>
  /** Runs work, and rolls back what it wrote if it throws. */
  savepoint<Result>(work: () => Promise<Result>): Promise<Result>
}
