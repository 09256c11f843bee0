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
import { countByRows, isUnbounded, notFound, placeOf, valuesOf, wholeAtMost } from '../run.ts'
import { type Statement, statement } from '../statement.ts'
import type { DuringRead, RunQuery } from '../store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { Count } from './sqlite-counts.ts'
import { sqliteDialect as dialect } from './sqlite-sql.ts'
import type { SqliteStatements } from './sqlite-whole.ts'

/** How many rows a stream reads before others have their turn. */
const batchSize = 50

/** A connection as reads need it. */
export interface Reader {
  readonly connection: SqliteConnection
  readonly statements: SqliteStatements
  readonly count: Count
}

/** Reads all that a plan means, in one snapshot. */
export function readOn(reader: Reader, plan: ReadPlan, id: string | undefined): WholeRows {
  return atOnce(reader, plan, () => readWhole(reader, plan, id))
}

/** The same; `undefined` when there are more rows than should be held at once. */
export function readShortOn(
  reader: Reader,
  plan: ReadPlan,
  id: string | undefined,
): WholeRows | undefined {
  return atOnce(reader, plan, () => readShort(reader, plan, id))
}

function atOnce<Result>({ connection }: Reader, { shape }: ReadPlan, work: () => Result): Result {
  // One statement is a snapshot by itself.
  return shape.scope.is === 'one' && shape.steps.length === 0 ? work() : connection.snapshot(work)
}

/**
 * Reads all that a plan means, in a snapshot that is begun.
 * @throws NotFoundError when the resource in the path is not there
 */
export function readWhole(reader: Reader, plan: ReadPlan, id: string | undefined): WholeRows {
  const { rows } = reader.statements.whole(plan.shape).read
  return completed(reader, plan, id, readPrimary(reader, plan, id, rows))
}

/** The same; `undefined` when there are more rows than should be held at once. */
function readShort(reader: Reader, plan: ReadPlan, id: string | undefined): WholeRows | undefined {
  const { start } = reader.statements.whole(plan.shape).read
  const found = readPrimary(reader, plan, id, start)
  const isLong = isUnbounded(plan.shape) && found.primary.length > wholeAtMost
  return isLong ? undefined : completed(reader, plan, id, found)
}

/** Primary rows, and how many there are over all pages. */
interface Primary {
  readonly primary: readonly Row[]
  readonly total: number
}

/** Adds what is included. */
function completed(
  { connection, statements }: Reader,
  { shape, absence }: ReadPlan,
  id: string | undefined,
  { primary, total }: Primary,
): WholeRows {
  if (total === 0 && shape.scope.is === 'one') throw notFound(absence, id)
  if (total === 0 && shape.scope.is === 'related') {
    const { present } = statements.ofType(absence.type)
    if (connection.value(present, { slots: [], id }) === undefined) throw notFound(absence, id)
  }
  const { read, owned } = statements.whole(shape)
  const all = (statement: Statement, ids: readonly string[]) =>
    connection.all(statement, { slots: [], id, ids })
  const followed = followSteps(shape, primary, {
    byIds: (type, ids) => {
      const statement = read.byIds.get(type)
      if (statement === undefined) throw new Error(`The plan includes no ${type}.`)
      return all(statement, ids)
    },
    owned: (step, rows) => {
      const statement = owned.get(step)
      return statement && all(statement, idsOf(rows))
    },
  })
  return { is: 'whole', count: total, primary: followed.primary, included: followed.included }
}

function idsOf(rows: readonly Row[]): string[] {
  return rows.map((row) => String(row[0]))
}

/**
 * Reads the primary rows. Beyond the first page they are counted first, which is remembered, so that a page is reached
 * from the nearer end.
 */
function readPrimary(
  { connection, statements, count }: Reader,
  plan: ReadPlan,
  id: string | undefined,
  forwards: Statement,
): Primary {
  const { page, shape } = plan
  const compiled = statements.whole(shape).read
  const values = valuesOf(plan, id)
  if (page === undefined || page.number === 1) {
    const primary = connection.all(forwards, values)
    const total = countByRows(plan, primary.length) ?? count(compiled.count, values)
    return { primary, total }
  }
  const total = count(compiled.count, values)
  const { from, ...place } = placeOf(page, total)
  if (place.limit === 0) return { primary: [], total }
  const rows = from === 'start' ? forwards : compiled.rowsBackwards
  const primary = connection.all(rows, { ...values, ...place })
  return { primary: from === 'start' ? primary : primary.toReversed(), total }
}

/** What a stream has to itself. */
interface Streaming {
  readonly after: ((rows: readonly Row[], layout: RowLayout) => Promise<void>) | undefined
  /** Gives the connection back. */
  readonly end: () => void
}

/** Reads a long list as it is told, in a snapshot that is begun on a connection of its own. */
export function streamOn(
  { connection, statements }: Reader,
  plan: ReadPlan,
  id: string | undefined,
  { after, end }: Streaming,
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
  return { is: 'stream', primary: primary(), included: included(), end }
}

/** Reads all that a plan means, and does what is to be done in the same snapshot, which is begun. */
export async function readWholeDuring(
  reader: Reader,
  plan: ReadPlan,
  id: string | undefined,
  during: DuringRead,
): Promise<WholeRows> {
  const query = queryOn(reader.connection)
  await during.before(query)
  const rows = readWhole(reader, plan, id)
  for (const [some, layout] of laidOut(rows, plan.shape)) await during.after(some, layout, query)
  return rows
}

/** The same on a connection of its own, whose long lists are streamed. */
export async function readDuring(
  reader: Reader,
  plan: ReadPlan,
  id: string | undefined,
  { during, end }: Pick<Streaming, 'end'> & Readonly<{ during: DuringRead }>,
): Promise<Rows> {
  const query = queryOn(reader.connection)
  await during.before(query)
  const after: Streaming['after'] = (rows, layout) => during.after(rows, layout, query)
  const whole = readShort(reader, plan, id)
  if (whole === undefined) return streamOn(reader, plan, id, { after, end })
  for (const [rows, layout] of laidOut(whole, plan.shape)) await after(rows, layout)
  end()
  return whole
}

/** Runs a declaration's own SQL. */
export function queryOn(connection: SqliteConnection): RunQuery {
  return async (expression) => connection.records(statement(expression, dialect))
}
