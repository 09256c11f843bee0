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
import type { RunQuery, Transaction, Written } from './store.ts'

type Awaitable<Value> = Value | Promise<Value>

/** A connection with a transaction open on it, as far as writing needs one. */
export interface WritingConnection {
  /** Every row of a statement that reads no layout. */
  all(statement: Statement, values: RunValues): Awaitable<readonly Row[]>
  /** Runs a statement that returns nothing; says how many rows it changed. @throws ConstraintError */
  run(statement: Statement, values: RunValues): Awaitable<number>
  read(plan: ReadPlan, id: string | undefined): Awaitable<WholeRows>
  /** Reads the resource that the last insert has made, for which its id need not be known. */
  readonly readNew?: (plan: ReadPlan) => Awaitable<WholeRows>
  readonly query: RunQuery
}

/** What can be done on a connection while a transaction is open on it. */
export function transactionOn(connection: WritingConnection, statements: Statements): Transaction {
  return {
    query: connection.query,
    read: async (plan, id) => connection.read(plan, id),
    examine: (plan) => examine(connection, plan, statements),
    write: (plan, answer) => write(connection, { plan, answer }, statements),
    remove: (plan) => remove(connection, plan, statements),
  }
}

/** One statement for the path's resource, and one for each type of related resources; none waits for another. */
async function examine(
  connection: WritingConnection,
  { needs, lookups }: WritePlan,
  statements: Statements,
): Promise<ApiError[]> {
  const idsOf = Map.groupBy(lookups, ({ type }) => type)
  const [held, ...found] = await Promise.all([
    needs &&
      connection.all(statements.ofType(needs.absence.type).hold, { slots: [], id: needs.id }),
    ...[...idsOf].map(([type, ours]) => {
      const ids = [...new Set(ours.map(({ id }) => id))]
      return connection.all(statements.ofType(type).lookup, { slots: [], ids })
    }),
  ])
  if (needs && held?.length === 0) throw notFound(needs.absence, needs.id)
  return [...idsOf.values()].flatMap((ours, index) => {
    const there = new Set(found[index]?.map(([id]) => String(id)))
    return ours.filter(({ id }) => !there.has(id)).map(absent)
  })
}

/** A write, and what is to be read of it. */
interface Writing {
  readonly plan: WritePlan
  readonly answer: ReadPlan | undefined
}

/** Whatever need not wait for what comes before it is sent along with it, and fails with it. */
async function write(
  connection: WritingConnection,
  { plan, answer }: Writing,
  statements: Statements,
): Promise<Written> {
  const { shape } = plan
  const { resource, present } = statements.ofType(shape.type)
  const { parent } = statements.write(shape)
  const given = shape.row === 'newWithId' ? (plan.id ?? crypto.randomUUID()) : plan.id
  const row = constrained(
    () => writeRow(connection, plan, given, statements),
    (error) => rowFault(error, plan, resource),
  )
  const isFound = connection.readNew !== undefined && parent.length === 0 && !resource.where
  /** Of a new row that is found without it, its id is not waited for. */
  const id = given ?? (isFound ? undefined : await row)
  const ids = id === undefined ? [] : [id]
  const links = [
    ...shape.links.keys().map((index) => writeLinks(connection, plan, { id, index }, statements)),
    ...parent.map((each) =>
      runLink(connection, each, { slots: [], id: plan.needs?.id, ids }, '/data'),
    ),
  ]
  const here = resource.where && now(() => connection.all(present, { slots: [], id }))
  const read =
    answer &&
    now(() => (id === undefined ? connection.readNew?.(answer) : connection.read(answer, id)))
  await Promise.allSettled([row, ...links, here, read])
  await row
  await Promise.all(links)
  if ((await here)?.length === 0) throw noLonger('With these values it', resource.type, '/data')
  return { id: await row, rows: await read }
}

/** Does something at once; whatever it throws, its promise tells. */
async function now<Result>(work: () => Awaitable<Result>): Promise<Result> {
  return work()
}

/** Changes the members of one relationship of a plan. */
async function writeLinks(
  connection: WritingConnection,
  { shape, document, linkIds }: WritePlan,
  { id, index }: Readonly<{ id: string | undefined; index: number }>,
  statements: Statements,
): Promise<void> {
  const ids = linkIds[index] ?? []
  const name = shape.links[index]?.relationship ?? ''
  const { to } = relationshipNamed(statements.ofType(shape.type).resource, name)
  const pointer = document === 'linkage' ? '/data' : pointerTo({ is: 'relationship', name })
  const links = statements.write(shape).links[index] ?? []
  const values = { slots: [], id, ids }
  const changes = links.map((each) => runLink(connection, each, values, pointer))
  const changed = (await Promise.all(changes)).flat()
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

/**
 * @param given - the id, where the database does not make it
 * @returns the id of the row
 */
async function writeRow(
  connection: WritingConnection,
  { shape, values: slots }: WritePlan,
  given: string | undefined,
  statements: Statements,
): Promise<string> {
  const { insert, update } = statements.write(shape)
  if (insert) {
    const [row = []] = await connection.all(insert, { slots, id: given })
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
