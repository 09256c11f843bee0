import { ApiError } from '../../errors/errors.ts'
import type { ReadShape } from '../../plan/read.ts'
import type { Row } from '../../plan/row-layout.ts'
import type { WritePlan, WriteShape } from '../../plan/write.ts'
import { ConstraintError } from '../errors.ts'
import type { InsertsBySize, Statements } from '../statements.ts'
import type { PreparedInserts } from '../store.ts'
import { insertSizes } from './compile-write.ts'
import { isPlainTable } from './one-row.ts'
import { checkRelated } from './preconditions.ts'
import { type CommitNext, runAtOnce } from './steps.ts'
import type { WriteConnection } from './write-connection.ts'
import { UnclearError } from './write-row.ts'

// An insert of several rows costs a fraction of as many inserts of one. It is used where nothing can tell the difference: the ids, the
// order, the errors and what the database does for each row are the same.

/** The most parameters of a statement: SQLite has 32,766, PostgreSQL 65,535. */
const maxParameters = 32_766

/**
 * Prepares the insert of several rows of one shape. They reference no rows of their own type.
 * @returns `undefined` if somebody could tell it from inserts of one row
 */
export function prepareInserts(
  connection: WriteConnection,
  plans: readonly WritePlan[],
  response: ReadShape,
  statements: Statements,
): PreparedInserts | undefined {
  const [first] = plans
  if (first === undefined || !plans.every((plan) => isInsertable(plan, first.shape)))
    return undefined
  const { resource } = statements.ofType(first.shape.type)
  const width = first.shape.columns.length + 1
  if (!isPlainTable(resource, statements.target)) return undefined
  if (first.shape.columns.length === 0 || width * insertSizes[0] > maxParameters) return undefined
  const returning = statements.returning(response)
  const context = { connection, statements, inserts: (returning ?? statements).inserts }
  const insert = () => insertRows(context, plans)
  if (returning === null) return { insert }
  const load = (row: Row) => returning.load?.(row as unknown[])
  const { commitNext } = connection
  return commitNext && plans.every((plan) => isWhole(plan, context))
    ? { insert, load, insertAtOnce: () => insertAtOnce(context, plans, commitNext) }
    : { insert, load }
}

/** Whether the insert of a row is its whole write, and no other statement decides whether it may. */
function isWhole(plan: WritePlan, { connection, statements }: InsertContext): boolean {
  return (
    plan.existenceChecks.length === 0 &&
    statements.unlinkChecks(plan.shape).length === 0 &&
    (connection.checkValues?.(plan).length ?? 0) === 0
  )
}

/** Whether a create writes one row of a shape, and no other one. */
function isInsertable(
  { shape, precondition, condition, existenceChecks }: WritePlan,
  of: WriteShape,
) {
  return (
    shape === of &&
    shape.row !== 'existing' &&
    shape.links.length === 0 &&
    shape.parent === undefined &&
    precondition === undefined &&
    condition === undefined &&
    // It could be one of the new rows.
    existenceChecks.every(({ type }) => type !== shape.type)
  )
}

/** What rows are inserted with. */
interface InsertContext {
  readonly connection: WriteConnection
  readonly statements: Statements
  readonly inserts: InsertsBySize
}

async function insertRows(
  { connection, statements, inserts }: InsertContext,
  plans: readonly WritePlan[],
): Promise<readonly Row[] | undefined> {
  const [first] = plans
  if (first === undefined) return []
  const existenceChecks = plans.flatMap((plan) => plan.existenceChecks)
  const related = await checkRelated({
    connection,
    statements,
    plan: { ...first, existenceChecks },
  })
  const invalid = plans.flatMap((plan) => connection.checkValues?.(plan) ?? [])
  if (related.errors.length + invalid.length > 0) return undefined
  // Sent together; the transaction must not go on before all of them have ended.
  const parts = divide(plans).map(async (part) => insertPart(connection, part, inserts))
  const inserted = await Promise.allSettled(parts)
  const rows: Row[] = []
  for (const each of inserted) {
    if (each.status === 'fulfilled') rows.push(...each.value)
    else if (each.reason instanceof ConstraintError) return undefined
    else throw each.reason
  }
  return rows.length === plans.length ? rows : undefined
}

/** Inserts rows as the whole transaction. The database rejects all of them or none. */
async function insertAtOnce(
  { connection, inserts }: InsertContext,
  plans: readonly WritePlan[],
  commit: CommitNext,
): Promise<readonly Row[]> {
  const rows: (readonly Row[])[] = []
  const steps = divide(plans).map((part, index) => ({
    needs: [],
    run: async () => {
      rows[index] = await insertPart(connection, part, inserts)
    },
  }))
  for (const { reason } of (await runAtOnce(steps, undefined, commit)).filter(isRejected)) {
    const isOfRow =
      reason instanceof ConstraintError || (reason instanceof ApiError && reason.status < 500)
    throw isOfRow
      ? new UnclearError('One of several rows was rejected.', { cause: reason })
      : reason
  }
  return rows.flat()
}

function isRejected(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === 'rejected'
}

/** Divides a list into parts of the sizes of statements. */
function divide(plans: readonly WritePlan[]): readonly (readonly WritePlan[])[] {
  const parts: (readonly WritePlan[])[] = []
  let begin = 0
  for (const size of insertSizes)
    while (plans.length - begin >= size) {
      parts.push(plans.slice(begin, begin + size))
      begin += size
    }
  return parts
}

async function insertPart(
  connection: WriteConnection,
  plans: readonly WritePlan[],
  inserts: InsertsBySize,
): Promise<readonly Row[]> {
  const [first] = plans
  const insert = first && inserts.get(plans.length)?.(first.shape)
  if (insert === undefined) throw new Error('There is no insert of so many rows.')
  const planValues = plans.flatMap(({ shape, values, id }) =>
    shape.row === 'newWithId' ? [...values, id ?? crypto.randomUUID()] : values,
  )
  return connection.all(insert, { planValues })
}
