import type { WritePlan, WriteShape } from '../../plan/write.ts'
import { ConstraintError } from '../errors.ts'
import type { Statement } from '../statement.ts'
import type { Statements } from '../statements.ts'
import type { InsertRows } from '../store.ts'
import { insertSizes } from './compile-write.ts'
import { isPlainTable } from './one-row.ts'
import { checkRelated } from './preconditions.ts'
import type { WriteConnection } from './write-connection.ts'

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
  statements: Statements,
): InsertRows | undefined {
  const [first] = plans
  if (first === undefined || !plans.every((plan) => isInsertable(plan, first.shape)))
    return undefined
  const { resource } = statements.ofType(first.shape.type)
  const width = first.shape.columns.length + 1
  if (!isPlainTable(resource, statements.target)) return undefined
  if (first.shape.columns.length === 0 || width * insertSizes[0] > maxParameters) return undefined
  return () => insertRows(connection, plans, statements)
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

async function insertRows(
  connection: WriteConnection,
  plans: readonly WritePlan[],
  statements: Statements,
): Promise<readonly string[] | undefined> {
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
  const parts = divide(plans).map(async (part) => insertPart(connection, part, statements))
  const inserted = await Promise.allSettled(parts)
  const ids: string[] = []
  for (const each of inserted) {
    if (each.status === 'fulfilled') ids.push(...each.value)
    else if (each.reason instanceof ConstraintError) return undefined
    else throw each.reason
  }
  return ids.length === plans.length ? ids : undefined
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
  statements: Statements,
): Promise<readonly string[]> {
  const [first] = plans
  const insert = first && findInsert(first.shape, plans.length, statements)
  if (insert === undefined) throw new Error('There is no insert of so many rows.')
  const planValues = plans.flatMap(({ shape, values, id }) =>
    shape.row === 'newWithId' ? [...values, id ?? crypto.randomUUID()] : values,
  )
  const rows = await connection.all(insert, { planValues })
  return rows.map(([id]) => String(id))
}

function findInsert(
  shape: WriteShape,
  size: number,
  { inserts }: Statements,
): Statement | undefined {
  return inserts.get(size)?.(shape)
}
