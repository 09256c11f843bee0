import { type ErrorList, emptyCollector, noErrors, report } from '../errors/collector.ts'
import { BodyError, NotFoundError } from '../errors/errors.ts'
import type { Awaitable } from '../model/hooks.ts'
import { getRelationship } from '../model/model.ts'
import { createRelatedNotFound } from '../plan/linkage.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { CompleteRows } from '../plan/read-result.ts'
import type { Row } from '../plan/row-layout.ts'
import type { WritePlan } from '../plan/write.ts'
import { toFieldPointer } from '../plan/write-builder.ts'
import { constrained, deletionFault, linkFault, rowFault } from './constraints.ts'
import { notFoundError } from './run.ts'
import type { RunValues, Statement } from './statement.ts'
import type { Statements } from './statements.ts'
import type { RunQuery, Transaction, Written } from './store.ts'
import { after } from './then-maybe.ts'

/** A connection with a transaction open on it, as far as writing needs one. */
export interface WritingConnection {
  /** Every row of a statement that reads no layout. */
  all(statement: Statement, values: RunValues): Awaitable<readonly Row[]>
  /** Runs a statement that returns nothing; says how many rows it changed. @throws ConstraintError */
  run(statement: Statement, values: RunValues): Awaitable<number>
  read(plan: ReadPlan, id: string | undefined): Awaitable<CompleteRows>
  /** Whether statements that do not wait for one another run together, and none of them that follows one which fails. */
  readonly isTogether: boolean
  /** Reads the resource that the last insert has made, for which its id need not be known. */
  readonly readNew?: (plan: ReadPlan) => Awaitable<CompleteRows>
  readonly query: RunQuery
}

/** What can be done on a connection while a transaction is open on it. */
export function transactionOn(connection: WritingConnection, statements: Statements): Transaction {
  return {
    isTogether: connection.isTogether,
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
  { precondition, existenceChecks }: WritePlan,
  statements: Statements,
): Promise<ErrorList> {
  if (!precondition && existenceChecks.length === 0) return noErrors
  const idsOf = Map.groupBy(existenceChecks, ({ type }) => type)
  const [held, ...found] = await Promise.all([
    precondition &&
      connection.all(statements.ofType(precondition.notFound.type).hold, {
        parameters: [],
        id: precondition.id,
      }),
    ...[...idsOf].map(([type, ours]) => {
      const ids = [...new Set(ours.map(({ id }) => id))]
      return connection.all(statements.ofType(type).lookup, { parameters: [], ids })
    }),
  ])
  if (precondition && held?.length === 0)
    throw notFoundError(precondition.notFound, precondition.id)
  const missing = emptyCollector()
  for (const [index, ours] of [...idsOf.values()].entries()) {
    const there = new Set(found[index]?.map(([id]) => String(id)))
    for (const each of ours)
      if (!there.has(each.id)) report(missing, () => createRelatedNotFound(each))
  }
  return missing
}

/** A write, and what is to be read of it. */
interface Writing {
  readonly plan: WritePlan
  readonly answer: ReadPlan | undefined
}

/** Nothing waits for what comes before it, unless it needs the id of a new row or would run though that has failed. */
async function write(
  connection: WritingConnection,
  { plan, answer }: Writing,
  statements: Statements,
): Promise<Written> {
  const { shape } = plan
  const { resource, present } = statements.ofType(shape.type)
  const { parent } = statements.write(shape)
  const { isTogether, readNew } = connection
  const given = shape.row === 'newWithId' ? (plan.id ?? crypto.randomUUID()) : plan.id
  const row = constrained(
    () => writeRow(connection, plan, given, statements),
    (error) => rowFault(error, plan, resource),
  )
  const isFound = readNew !== undefined && parent.length === 0 && !resource.scope
  const waits = !isTogether || (given === undefined && !isFound)
  const id = waits ? await row : given
  const ids = id === undefined ? [] : [id]
  const changed: Changed[] = []
  let here: readonly Row[] | undefined
  const steps = [
    ...shape.links.keys().map((index) => async () => {
      changed.push(await writeLinks(connection, plan, { id, index }, statements))
    }),
    ...parent.map((each) => async () => {
      await runLink(connection, each, { parameters: [], id: plan.precondition?.id, ids }, '/data')
    }),
  ]
  if (resource.scope)
    steps.push(async () => {
      here = await connection.all(present, { parameters: [], id })
    })
  const rest = steps.length > 0 ? inTurn(connection, steps) : undefined
  const read = () => answer && (id === undefined ? readNew?.(answer) : connection.read(answer, id))
  const early = isTogether ? read() : undefined
  if (isTogether) {
    const [, , told] = await Promise.allSettled([row, rest, early])
    await row
    await rest
    // Why it is not found any more is told by what follows.
    if (told.status === 'rejected' && !(told.reason instanceof NotFoundError)) throw told.reason
  } else if (rest) await rest
  for (const each of changed) await refuseStrangers(connection, each, statements)
  if (here?.length === 0) throw noLonger('With these values it', resource.type, '/data')
  return { id: await row, rows: await (early ?? read()) }
}

/** Takes steps in order; where nothing runs that follows a failure, without waiting in between. */
async function inTurn(
  { isTogether }: WritingConnection,
  steps: readonly (() => Promise<void>)[],
): Promise<void> {
  if (!isTogether) for (const step of steps) await step()
  else {
    const begun = steps.map((step) => step())
    await Promise.allSettled(begun)
    await Promise.all(begun)
  }
}

/** Members of a relationship whose rows were changed, if that could make them none of their type. */
interface Changed {
  readonly ids: readonly string[]
  readonly to: string
  readonly pointer: string
}

/** Changes the members of one relationship of a plan. */
async function writeLinks(
  connection: WritingConnection,
  { shape, document, linkIds }: WritePlan,
  { id, index }: Readonly<{ id: string | undefined; index: number }>,
  statements: Statements,
): Promise<Changed> {
  const ids = linkIds[index] ?? []
  const name = shape.links[index]?.relationship ?? ''
  const { to } = getRelationship(statements.ofType(shape.type).resource, name)
  const pointer = document === 'linkage' ? '/data' : toFieldPointer({ is: 'relationship', name })
  const changed: string[] = []
  const values = { parameters: [], id, ids }
  await inTurn(
    connection,
    (statements.write(shape).links[index] ?? []).map((each) => async () => {
      changed.push(...(await runLink(connection, each, values, pointer)))
    }),
  )
  return { ids: changed, to, pointer }
}

/** @throws BodyError `invalid_value` (422) when members are none of their type any more */
async function refuseStrangers(
  connection: WritingConnection,
  { ids, to, pointer }: Changed,
  statements: Statements,
): Promise<void> {
  if (ids.length === 0) return
  const left = await connection.all(statements.ofType(to).lookup, { parameters: [], ids })
  if (left.length < ids.length) throw noLonger('A member', to, pointer)
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
function writeRow(
  connection: WritingConnection,
  { shape, values: parameters }: WritePlan,
  given: string | undefined,
  statements: Statements,
): Awaitable<string> {
  const { insert, update } = statements.write(shape)
  if (insert)
    return after(connection.all(insert, { parameters, id: given }), ([row = []]) => String(row[0]))
  if (given === undefined) throw new Error(`An update of ${shape.type} was planned without an id.`)
  return update ? after(connection.run(update, { parameters, id: given }), () => given) : given
}

async function remove(
  connection: WritingConnection,
  plan: WritePlan,
  statements: Statements,
): Promise<void> {
  const { resource, remove } = statements.ofType(plan.shape.type)
  const removed = await constrained(
    () => connection.run(remove, { parameters: [], id: plan.id }),
    (error) => deletionFault(error, resource),
  )
  if (removed === 0 && plan.precondition) throw notFoundError(plan.precondition.notFound, plan.id)
}

/** What a type's own condition means to a client whose write would make it false. */
function noLonger(what: string, type: string, pointer: string): BodyError {
  const detail = `${what} would be no ${type} of those that are served here.`
  return new BodyError('invalid_value', pointer, detail)
}
