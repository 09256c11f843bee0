import type { CompleteRows } from '../../plan/read-result.ts'
import type { WritePlan } from '../../plan/write.ts'
import type { Statements } from '../statements.ts'
import type { WriteOptions, Written } from '../store.ts'
import type { CompiledWrite } from './compile-write.ts'
import type { Step } from './steps.ts'
import type { WriteConnection } from './write-connection.ts'

/** A plan of a write, and the open transaction in which it is executed. */
export interface PlannedWrite {
  readonly connection: WriteConnection
  readonly statements: Statements
  readonly plan: WritePlan
}

/** What a create or an update needs, and what its steps have found. */
export interface WriteState extends PlannedWrite, WriteOptions {
  readonly compiled: CompiledWrite
  /** The id of the written resource; `undefined` before the database has generated it. */
  id: string | undefined
  /** The row of the response as the statement that has written it returns it; `undefined` if it has to be read. */
  returned: unknown[] | undefined
  /** The rows of the response; `undefined` before they are read. */
  rows: CompleteRows | undefined
  /** As of `Written`. */
  changedLinks: boolean
}

/** A step of a create or an update. */
export type WriteStep = Step<WriteState>

/** Creates the state of a write that has not begun. A new row gets an id here, unless the client sends it or the database generates it. */
export function createWriteState(
  connection: WriteConnection,
  plan: WritePlan,
  { readPlan, mayLeaveScope = false }: WriteOptions,
  statements: Statements,
): WriteState {
  const id = plan.shape.row === 'newWithId' ? (plan.id ?? crypto.randomUUID()) : plan.id
  const { write } = (readPlan && statements.returning(readPlan.shape)) ?? statements
  const compiled = write(plan.shape)
  const found = { id, returned: undefined, rows: undefined, changedLinks: false }
  return { connection, statements, compiled, plan, readPlan, mayLeaveScope, ...found }
}

/** Returns the result of a write whose steps have run. */
export function getWritten({ id, rows, changedLinks }: WriteState): Written {
  if (id === undefined) throw new Error('The result of a write was used before it ran.')
  return { id, rows, changedLinks }
}
