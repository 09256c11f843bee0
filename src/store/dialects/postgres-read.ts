import type { PoolClient } from 'pg'
import type { ReadPlan } from '../../plan/read.ts'
import type { Batch, Rows, WholeRows } from '../../plan/result.ts'
import type { Row } from '../../plan/rows.ts'
import { isList, notFound, valuesOf } from '../run.ts'
import { type RunValues, type Statement, statement } from '../statement.ts'
import type { DuringRead, RunQuery } from '../store.ts'
import { batches, type PostgresConnection } from './postgres-connection.ts'
import type { PostgresStatements } from './postgres-statements.ts'

/** A list of more resources than this is streamed when all of it is asked for. */
const wholeAtMost = 500
/** How many rows a stream reads at a time. */
const batchSize = 200

/** Whether a plan means more rows than should be held at once. */
export async function isLong(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  statements: PostgresStatements,
): Promise<boolean> {
  if (!isList(plan.shape) || plan.shape.isPaged) return false
  return (await count(connection, plan, valuesOf(plan, id), statements)) > wholeAtMost
}

/**
 * Reads all that a plan means, in one statement.
 * @throws NotFoundError when the resource in the path is not there
 */
export async function readWhole(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  statements: PostgresStatements,
): Promise<WholeRows> {
  const { shape, absence } = plan
  const { rows, byIds } = statements.read(shape)
  const [row = []] = await connection.all(statements.whole(shape), valuesOf(plan, id))
  const [total, isPresent, primary, ...additions] = row
  if (isPresent !== true) throw notFound(absence, id)
  const loaded = loadedRows(primary, rows)
  return {
    is: 'whole',
    count: total === null ? loaded.length : Number(total),
    primary: loaded,
    included: shape.steps.map(({ to }, step) => ({
      type: to,
      rows: loadedRows(additions[step], byIds.get(to)),
    })),
  }
}

/** JSON is read by the driver; null stands for no rows. */
function loadedRows(gathered: unknown, { load }: Statement = { sql: '', placeholders: [] }): Row[] {
  // The statement gathers rows as arrays.
  const rows = (gathered ?? []) as unknown[][]
  if (load) for (const row of rows) load(row)
  return rows
}

/** What a stream has to itself. */
interface Streaming {
  readonly statements: PostgresStatements
  readonly after: ((batch: Batch) => Promise<void>) | undefined
  /** Gives the connection back. */
  readonly end: () => void
}

/** Reads a long list as it is told, in a snapshot that is begun on a connection of its own. */
export async function streamOn(
  client: PoolClient,
  connection: PostgresConnection,
  { plan, id }: Readonly<{ plan: ReadPlan; id: string | undefined }>,
  { statements, after, end }: Streaming,
): Promise<Rows> {
  const { rows, additions } = statements.read(plan.shape)
  const values = valuesOf(plan, id)
  const { steps, type } = plan.shape
  async function* told(of: Statement, type: string): AsyncGenerator<Batch> {
    for await (const batch of batches(client, of, values, batchSize)) {
      // A statement of rows has one column, which holds the whole row.
      const whole: Batch = {
        type,
        rows: loadedRows(
          batch.map(([row]) => row),
          of,
        ),
      }
      await after?.(whole)
      yield whole
    }
  }
  async function* primary(): AsyncGenerator<readonly Row[]> {
    for await (const batch of told(rows, type)) yield batch.rows
  }
  async function* included(): AsyncGenerator<Batch> {
    for (const [index, { to }] of steps.entries()) {
      const addition = additions[index]
      if (addition) yield* told(addition, to)
    }
  }
  const total = await count(connection, plan, values, statements)
  return { is: 'stream', count: total, primary: primary(), included: included(), end }
}

/** Reads all that a plan means, and does what is to be done in the same snapshot, which is begun. */
export async function readWholeDuring(
  connection: PostgresConnection,
  { plan, id }: Readonly<{ plan: ReadPlan; id: string | undefined }>,
  during: DuringRead,
  { statements, query }: Readonly<{ statements: PostgresStatements; query: RunQuery }>,
): Promise<WholeRows> {
  const rows = await readWhole(connection, plan, id, statements)
  await during.after({ type: plan.shape.type, rows: rows.primary }, query)
  for (const batch of rows.included) await during.after(batch, query)
  return rows
}

/** Runs a declaration's own SQL. */
export function queryOn(connection: PostgresConnection, { target }: PostgresStatements): RunQuery {
  return (expression) => connection.records(statement(expression, target.dialect))
}

async function count(
  connection: PostgresConnection,
  { shape }: ReadPlan,
  values: RunValues,
  statements: PostgresStatements,
): Promise<number> {
  const [row = []] = await connection.all(statements.read(shape).count, values)
  return Number(row[0])
}
