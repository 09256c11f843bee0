import type { ReadPlan } from '../../plan/read.ts'
import {
  type Batch,
  includedLayout,
  laidOut,
  type Rows,
  type WholeRows,
} from '../../plan/result.ts'
import type { Row, RowLayout } from '../../plan/rows.ts'
import { countByRows, isUnbounded, notFound, placeOf, valuesOf, wholeAtMost } from '../run.ts'
import { type Statement, statement } from '../statement.ts'
import type { DuringRead, RunQuery } from '../store.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import type { Counted, PostgresCounts } from './postgres-counts.ts'
import { loaded } from './postgres-gathered.ts'
import type { PostgresStatements } from './postgres-statements.ts'
import type { PostgresTransaction } from './postgres-transaction.ts'
import type { WholeStatement } from './postgres-whole.ts'

/** How many rows a stream reads at a time. */
const batchSize = 200

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
  const statement = statements.whole(plan.shape)
  const answer = await connection.all(statement, valuesOf(plan, id))
  return readFrom(answer, statement, { plan, id }).rows
}

/** The same of the resource that the transaction has made last, whose id the server alone needs to know. */
export async function readNew(
  connection: PostgresConnection,
  plan: ReadPlan,
  statements: PostgresStatements,
): Promise<WholeRows> {
  const statement = statements.ofNew(plan.shape)
  const answer = await connection.all(statement, valuesOf(plan, undefined))
  return readFrom(answer, statement, { plan, id: undefined }).rows
}

/** As `readWhole`; `undefined` when there are more rows than should be held at once. */
export async function readShort(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  statements: PostgresStatements,
): Promise<WholeRows | undefined> {
  const statement = statements.short(plan.shape)
  const answer = await connection.all(statement, valuesOf(plan, id))
  return unlessLong(readFrom(answer, statement, { plan, id }).rows, plan)
}

/** What a read outside of any transaction is run with. */
interface Remembering {
  readonly statements: PostgresStatements
  readonly counts: PostgresCounts
  /** Makes a signal on which the read is stopped. */
  readonly signal?: (() => AbortSignal) | undefined
}

/** The same outside of any transaction, where a count may be one that is remembered. */
export async function readRemembering(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  { statements, counts, signal }: Remembering,
): Promise<WholeRows | undefined> {
  const { shape } = plan
  const values = valuesOf(plan, id)
  const countable = statements.countable(shape)
  const last = countable ? counts.last(countable, values) : undefined
  const backwards =
    last && (await readBackwards(connection, plan, id, { statements, last, signal }))
  if (backwards) return backwards
  const statement = last ? statements.remembering(shape, values) : statements.short(shape)
  const answer = await connection.all(statement, { ...values, moment: last?.moment }, signal)
  const { rows, moment } = readFrom(answer, statement, { plan, id, known: last?.count })
  if (countable && moment !== null)
    counts.remember(countable, values, { count: rows.count, moment })
  return unlessLong(rows, plan)
}

/**
 * The same of a page that is nearer to the end of its list than to the start, as far as is known; `undefined` of any other,
 * and when what is known no longer holds.
 */
async function readBackwards(
  connection: PostgresConnection,
  plan: ReadPlan,
  id: string | undefined,
  { statements, last, signal }: Omit<Remembering, 'counts'> & Readonly<{ last: Counted }>,
): Promise<WholeRows | undefined> {
  const { page, shape } = plan
  const { count, moment } = last
  if (page === undefined || moment === undefined) return undefined
  const { from, ...place } = placeOf(page, count)
  if (from === 'start') return undefined
  const statement = statements.backwards(shape, place)
  const values = { ...valuesOf(plan, id), ...place, moment }
  const answer = await connection.all(statement, values, signal)
  if (answer[0]?.[0] !== true) return undefined
  const { rows } = readFrom(answer, statement, { plan, id })
  return { ...rows, count, primary: rows.primary.toReversed() }
}

function unlessLong(rows: WholeRows, { shape }: ReadPlan): WholeRows | undefined {
  return isUnbounded(shape) && rows.primary.length > wholeAtMost ? undefined : rows
}

/** What a read needs to know to tell rows from what the server says. */
interface Asked {
  readonly plan: ReadPlan
  readonly id: string | undefined
  /** The count that the server may take for known. */
  readonly known?: number | undefined
}

/** @returns the rows, and the moment of their count: absent when nobody asked for it, null when it is none to remember */
function readFrom(
  [row = []]: readonly Row[],
  statement: WholeStatement,
  { plan, id, known }: Asked,
): Readonly<{ rows: WholeRows; moment: string | null | undefined }> {
  const [counted, isPresent, gathered, ...more] = row
  if (isPresent !== true) throw notFound(plan.absence, id)
  const { primary, additions } = statement.read(gathered, more)
  const [total, moment] = Array.isArray(counted) ? counted : [counted]
  const rows: WholeRows = {
    is: 'whole',
    count: countByRows(plan, primary.length) ?? Number(total ?? known),
    primary,
    included: plan.shape.steps.map(({ to }, step) => ({ type: to, rows: additions[step] ?? [] })),
  }
  return { rows, moment: total === null ? null : moment }
}

/** Reads all that a plan means, and does what is to be done in the same snapshot; a long list is read as it is told. */
export async function readDuring(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  { during, statements }: Readonly<{ during: DuringRead; statements: PostgresStatements }>,
): Promise<Rows> {
  const query = queryOn(transaction, statements)
  await during.before(query)
  const after: Streaming['after'] = (rows, layout) => during.after(rows, layout, query)
  const whole = await readShort(transaction, plan, id, statements)
  if (whole === undefined) return streamOn(transaction, plan, id, { statements, after })
  for (const [rows, layout] of laidOut(whole, plan.shape)) await after(rows, layout)
  await transaction.commit()
  return whole
}

/** What a stream has to itself. */
interface Streaming {
  readonly statements: PostgresStatements
  readonly after?: (rows: readonly Row[], layout: RowLayout) => Promise<void>
}

/** Reads a long list as it is told, in a snapshot that is begun on a connection of its own. */
export function streamOn(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  { statements, after }: Streaming,
): Rows {
  const { shape } = plan
  const compiled = statements.read(shape)
  const values = valuesOf(plan, id)
  async function* batches(of: Statement, layout: RowLayout): AsyncGenerator<Batch> {
    for await (const batch of transaction.batches(of, values, batchSize)) {
      // Nobody else holds them.
      const rows = loaded(batch as unknown[][], of.load)
      await after?.(rows, layout)
      yield { type: layout.type, rows }
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
  const end = () => void transaction.rollback()
  return { is: 'stream', primary: primary(), included: included(), end }
}

/** Runs a declaration's own SQL; when the database refuses it, whoever catches that may go on. */
export function queryOn(
  transaction: PostgresTransaction,
  { target }: PostgresStatements,
): RunQuery {
  return (expression) =>
    transaction.guarded(() => transaction.records(statement(expression, target.dialect)))
}
