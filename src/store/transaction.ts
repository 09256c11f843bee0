import { type ApiError, BodyError } from '../errors/errors.ts'
import { relationshipNamed } from '../model/model.ts'
import type { WritePlan } from '../plan/body.ts'
import { pointerTo } from '../plan/draft.ts'
import { absent } from '../plan/linkage.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { WholeRows } from '../plan/result.ts'
import type { Row } from '../plan/rows.ts'
import { constrained, deletionFault, linkFault, rowFault } from './constraints.ts'
import { notFound } from './run.ts'
import type { RunValues, Statement } from './statement.ts'
import type { Statements } from './statements.ts'
import type { RunQuery, Transaction } from './store.ts'

type Awaitable<Value> = Value | Promise<Value>

/** A connection with a transaction open on it, as far as writing needs one. */
export interface WritingConnection {
  /** Every row of a statement that reads no layout. */
  all(statement: Statement, values: RunValues): Awaitable<readonly Row[]>
  /** Runs a statement that returns nothing; says how many rows it changed. @throws ConstraintError */
  run(statement: Statement, values: RunValues): Awaitable<number>
  read(plan: ReadPlan, id: string | undefined): Awaitable<WholeRows>
  readonly query: RunQuery
}

/** What can be done on a connection while a transaction is open on it. */
export function transactionOn(connection: WritingConnection, statements: Statements): Transaction {
  return {
    query: connection.query,
    read: async (plan, id) => connection.read(plan, id),
    examine: (plan) => examine(connection, plan, statements),
    write: (plan) => write(connection, plan, statements),
    remove: (plan) => remove(connection, plan, statements),
  }
}

/** One statement for the path's resource, and one for each type of related resources. */
async function examine(
  connection: WritingConnection,
  { needs, lookups }: WritePlan,
  statements: Statements,
): Promise<ApiError[]> {
  if (needs) {
    const { hold } = statements.ofType(needs.absence.type)
    const found = await connection.all(hold, { slots: [], id: needs.id })
    if (found.length === 0) throw notFound(needs.absence, needs.id)
  }
  const faults: ApiError[] = []
  for (const type of new Set(lookups.map((lookup) => lookup.type))) {
    const ours = lookups.filter((lookup) => lookup.type === type)
    const ids = [...new Set(ours.map(({ id }) => id))]
    const rows = await connection.all(statements.ofType(type).lookup, { slots: [], ids })
    const found = new Set(rows.map(([id]) => id))
    faults.push(...ours.filter(({ id }) => !found.has(id)).map(absent))
  }
  return faults
}

async function write(
  connection: WritingConnection,
  plan: WritePlan,
  statements: Statements,
): Promise<string> {
  const { shape } = plan
  const { resource, present } = statements.ofType(shape.type)
  const compiled = statements.write(shape)
  const id = await constrained(
    () => writeRow(connection, plan, statements),
    (error) => rowFault(error, plan, resource),
  )
  for (const index of shape.links.keys())
    await writeLinks(connection, plan, { id, index }, statements)
  for (const each of compiled.parent)
    await runLink(connection, each, { slots: [], id: plan.needs?.id, ids: [id] }, '/data')
  if (resource.where && (await connection.all(present, { slots: [], id })).length === 0)
    throw noLonger('With these values it', resource.type, '/data')
  return id
}

/** Changes the members of one relationship of a plan. */
async function writeLinks(
  connection: WritingConnection,
  { shape, document, linkIds }: WritePlan,
  { id, index }: Readonly<{ id: string; index: number }>,
  statements: Statements,
): Promise<void> {
  const ids = linkIds[index] ?? []
  const name = shape.links[index]?.relationship ?? ''
  const { to } = relationshipNamed(statements.ofType(shape.type).resource, name)
  const pointer = document === 'linkage' ? '/data' : pointerTo({ is: 'relationship', name })
  const changed: string[] = []
  for (const each of statements.write(shape).links[index] ?? [])
    changed.push(...(await runLink(connection, each, { slots: [], id, ids }, pointer)))
  if (changed.length === 0) return
  const left = await connection.all(statements.ofType(to).lookup, { slots: [], ids: changed })
  if (left.length < changed.length) throw noLonger('A member', to, pointer)
}

/** @returns the ids of the rows that were changed, where the statement tells them */
async function runLink(
  connection: WritingConnection,
  link: Statement,
  values: RunValues,
  pointer: string,
): Promise<string[]> {
  const rows = await constrained(
    () => connection.all(link, values),
    (error) => linkFault(error, pointer),
  )
  return rows.map(([id]) => String(id))
}

/** @returns the id of the row */
async function writeRow(
  connection: WritingConnection,
  { shape, values: slots, id: given }: WritePlan,
  statements: Statements,
): Promise<string> {
  const { insert, update } = statements.write(shape)
  if (insert) {
    const id = shape.row === 'newWithId' ? (given ?? crypto.randomUUID()) : undefined
    const [row = []] = await connection.all(insert, { slots, id })
    return String(row[0])
  }
  if (given === undefined) throw new Error(`An update of ${shape.type} was planned without an id.`)
  if (update) await connection.run(update, { slots, id: given })
  return given
}

async function remove(
  connection: WritingConnection,
  plan: WritePlan,
  statements: Statements,
): Promise<void> {
  const { resource, remove } = statements.ofType(plan.shape.type)
  const removed = await constrained(
    () => connection.run(remove, { slots: [], id: plan.id }),
    (error) => deletionFault(error, resource),
  )
  if (removed === 0 && plan.needs) throw notFound(plan.needs.absence, plan.id)
}

/** What a type's own condition means to a client whose write would make it false. */
function noLonger(what: string, type: string, pointer: string): BodyError {
  const detail = `${what} would be no ${type} of those that are served here.`
  return new BodyError('invalid_value', pointer, detail)
}
