import { type ErrorList, emptyCollector, noErrors, report } from '../errors/collector.ts'
import type { Awaitable } from '../model/hooks.ts'
import { createRelatedNotFound } from '../plan/linkage.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { CompleteRows } from '../plan/read-result.ts'
import type { Row } from '../plan/row-layout.ts'
import type { WritePlan } from '../plan/write.ts'
import { deletionConstraintError, reportConstraintErrors } from './constraints.ts'
import { notFoundError } from './run.ts'
import type { RunValues, Statement } from './statement.ts'
import type { Statements } from './statements.ts'
import type { StepExecutor } from './steps.ts'
import type { RunQuery, Transaction } from './store.ts'
import { prepareWrite } from './write-steps.ts'

/** A connection with an open transaction that may write. */
export interface WriteConnection {
  /** Returns every row of a statement. @throws ConstraintError */
  all(statement: Statement, values: RunValues): Awaitable<readonly Row[]>
  /** Runs a statement that returns no rows; returns the number of changed rows. @throws ConstraintError */
  run(statement: Statement, values: RunValues): Awaitable<number>
  read(plan: ReadPlan, id: string | undefined): Awaitable<CompleteRows>
  /** Reads the row that the last insert created, whose id need not be known; absent where the database cannot. */
  readonly readInserted?: (plan: ReadPlan) => Awaitable<CompleteRows>
  readonly runSteps: StepExecutor
  readonly query: RunQuery
}

/** Returns the operations of a transaction on a connection. */
export function transactionOn(connection: WriteConnection, statements: Statements): Transaction {
  return {
    query: connection.query,
    run: connection.runSteps,
    read: async (plan, id) => connection.read(plan, id),
    checkPreconditions: (plan) => checkPreconditions(connection, plan, statements),
    prepareWrite: (plan, readPlan) => prepareWrite(connection, { plan, readPlan }, statements),
    remove: (plan) => remove(connection, plan, statements),
  }
}

/** Runs one statement for the resource in the path and one for each type of related resources, without awaiting in between. */
async function checkPreconditions(
  connection: WriteConnection,
  { precondition, existenceChecks }: WritePlan,
  statements: Statements,
): Promise<ErrorList> {
  if (!precondition && existenceChecks.length === 0) return noErrors
  const checksByType = Map.groupBy(existenceChecks, ({ type }) => type)
  const [locked, ...found] = await Promise.all([
    precondition &&
      connection.all(statements.ofType(precondition.notFound.type).lock, {
        parameters: [],
        id: precondition.id,
      }),
    ...[...checksByType].map(([type, checks]) => {
      const ids = [...new Set(checks.map(({ id }) => id))]
      return connection.all(statements.ofType(type).lookup, { parameters: [], ids })
    }),
  ])
  if (precondition && locked?.length === 0)
    throw notFoundError(precondition.notFound, precondition.id)
  const missing = emptyCollector()
  for (const [index, checks] of [...checksByType.values()].entries()) {
    const existing = new Set(found[index]?.map(([id]) => String(id)))
    for (const check of checks)
      if (!existing.has(check.id)) report(missing, () => createRelatedNotFound(check))
  }
  return missing
}

async function remove(
  connection: WriteConnection,
  plan: WritePlan,
  statements: Statements,
): Promise<void> {
  const { resource, remove } = statements.ofType(plan.shape.type)
  const removed = await reportConstraintErrors(
    () => connection.run(remove, { parameters: [], id: plan.id }),
    (error) => deletionConstraintError(error, resource),
  )
  if (removed === 0 && plan.precondition) throw notFoundError(plan.precondition.notFound, plan.id)
}
