import { setImmediate } from 'node:timers/promises'
import type { ReadPlan } from '../../plan/read.ts'
import {
  type Batch,
  includedLayout,
  laidOut,
  type Rows,
  type WholeRows,
} from '../../plan/result.ts'
import type { Row, RowLayout } from '../../plan/rows.ts'
import { followSteps } from '../include.ts'
import type { CompiledRead } from '../read.ts'
import { countByRows, isList, notFound, valuesOf } from '../run.ts'
import { type RunValues, type Statement, statement } from '../statement.ts'
import type { Statements } from '../statements.ts'
import type { DuringRead, RunQuery } from '../store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { sqliteDialect as dialect } from './sqlite-sql.ts'

/** A list of more resources than this is streamed when all of it is asked for. */
const wholeAtMost = 500
/** How many rows a stream reads before others have their turn. */
const batchSize = 200

/** Whether a plan means more rows than should be held at once. */
export function isLong(
  connection: SqliteConnection,
  plan: ReadPlan,
  id: string | undefined,
  statements: Statements,
): boolean {
  if (!isList(plan.shape) || plan.shape.isPaged) return false
  return count(connection, statements.read(plan.shape), valuesOf(plan, id)) > wholeAtMost
}

/** Reads all that a plan means, in one snapshot. */
export function readOn(
  connection: SqliteConnection,
  plan: ReadPlan,
  id: string | undefined,
  statements: Statements,
): WholeRows {
  const { shape } = plan
  // One statement is a snapshot by itself.
  return shape.scope.is === 'one' && shape.steps.length === 0
    ? readWhole(connection, plan, id, statements)
    : connection.snapshot(() => readWhole(connection, plan, id, statements))
}

/**
 * Reads all that a plan means, in a snapshot that is begun.
 * @throws NotFoundError when the resource in the path is not there
 */
export function readWhole(
  connection: SqliteConnection,
  plan: ReadPlan,
  id: string | undefined,
  statements: Statements,
): WholeRows {
  const { shape, absence } = plan
  const compiled = statements.read(shape)
  const values = valuesOf(plan, id)
  const primary = connection.all(compiled.rows, values)
  const total = countByRows(plan, primary.length) ?? count(connection, compiled, values)
  if (total === 0 && shape.scope.is === 'one') throw notFound(absence, id)
  if (total === 0 && shape.scope.is === 'related') {
    const { present } = statements.ofType(absence.type)
    if (connection.value(present, { slots: [], id }) === undefined) throw notFound(absence, id)
  }
  const included = followSteps(shape, primary, (type, ids) => {
    const byIds = compiled.byIds.get(type)
    if (byIds === undefined) throw new Error(`The plan includes no ${type}.`)
    return connection.all(byIds, { slots: [], ids })
  })
  return { is: 'whole', count: total, primary, included }
}

/** What a stream has to itself. */
interface Streaming {
  readonly statements: Statements
  readonly after: ((rows: readonly Row[], layout: RowLayout) => Promise<void>) | undefined
  /** Gives the connection back. */
  readonly end: () => void
}

/** Reads a long list as it is told, in a snapshot that is begun on a connection of its own. */
export function streamOn(
  connection: SqliteConnection,
  plan: ReadPlan,
  id: string | undefined,
  { statements, after, end }: Streaming,
): Rows {
  const compiled = statements.read(plan.shape)
  const values = valuesOf(plan, id)
  for (const each of [compiled.rows, ...compiled.additions]) connection.check(each)
  const { shape } = plan
  async function* batches(of: Statement, layout: RowLayout): AsyncGenerator<Batch> {
    for (const rows of connection.batches(of, values, batchSize)) {
      await after?.(rows, layout)
      yield { type: layout.type, rows }
      await setImmediate()
    }
  }
  async function* primary(): AsyncGenerator<readonly Row[]> {
    for await (const { rows } of batches(compiled.rows, shape.primary)) yield rows
  }
  async function* included(): AsyncGenerator<Batch> {
    for (const [index, { to }] of shape.steps.entries()) {
      const addition = compiled.additions[index]
      if (addition) yield* batches(addition, includedLayout(shape, to))
    }
  }
  const total = count(connection, compiled, values)
  return { is: 'stream', count: total, primary: primary(), included: included(), end }
}

/** What is done in the snapshot of a read. */
interface Guarded {
  readonly during: DuringRead
  readonly statements: Statements
}

/** Reads all that a plan means, and does what is to be done in the same snapshot, which is begun. */
export async function readWholeDuring(
  connection: SqliteConnection,
  plan: ReadPlan,
  id: string | undefined,
  { during, statements }: Guarded,
): Promise<WholeRows> {
  const query = queryOn(connection)
  await during.before(query)
  const rows = readWhole(connection, plan, id, statements)
  for (const [some, layout] of laidOut(rows, plan.shape)) await during.after(some, layout, query)
  return rows
}

/** The same on a connection of its own, whose long lists are streamed. */
export async function readDuring(
  connection: SqliteConnection,
  plan: ReadPlan,
  id: string | undefined,
  { during, statements, end }: Guarded & Pick<Streaming, 'end'>,
): Promise<Rows> {
  if (!isLong(connection, plan, id, statements)) {
    const rows = await readWholeDuring(connection, plan, id, { during, statements })
    end()
    return rows
  }
  const query = queryOn(connection)
  await during.before(query)
  const after = (rows: readonly Row[], layout: RowLayout) => during.after(rows, layout, query)
  return streamOn(connection, plan, id, { statements, after, end })
}

/** Runs a declaration's own SQL. */
export function queryOn(connection: SqliteConnection): RunQuery {
  return async (expression) => connection.records(statement(expression, dialect))
}

function count(connection: SqliteConnection, compiled: CompiledRead, values: RunValues): number {
  return Number(connection.value(compiled.count, values))
}
