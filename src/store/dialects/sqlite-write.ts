import { randomUUID } from 'node:crypto'
import { type ApiError, BodyError } from '../../errors/errors.ts'
import { type ResourceType, relationshipNamed } from '../../model/model.ts'
import type { WritePlan } from '../../plan/body.ts'
import { pointerTo } from '../../plan/draft.ts'
import { absent } from '../../plan/linkage.ts'
import { commitFault, constrained, deletionFault, linkFault, rowFault } from '../constraints.ts'
import { notFound } from '../run.ts'
import type { RunValues, Statement } from '../statement.ts'
import type { Statements } from '../statements.ts'
import type { Transaction } from '../store.ts'
import type { CompiledWrite } from '../write.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { queryOn, readWhole } from './sqlite-read.ts'

/** What can be done on a connection while a transaction is open on it. */
export function transactionOn(writer: SqliteConnection, statements: Statements): Transaction {
  return {
    query: queryOn(writer),
    read: async (plan, id) => readWhole(writer, plan, id, statements),
    examine: async (plan) => examine(writer, plan, statements),
    write: async (plan) => write(writer, plan, statements),
    remove: async (plan) => {
      const { resource, remove } = statements.ofType(plan.shape.type)
      const work = () => writer.run(remove, { slots: [], id: plan.id })
      const removed = constrained(work, (error) => deletionFault(error, resource))
      if (removed === 0 && plan.needs) throw notFound(plan.needs.absence, plan.id)
    },
  }
}

/** Runs work in a transaction that writes: all of it or nothing. */
export async function inTransaction<Result>(
  writer: SqliteConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  writer.begin('immediate')
  try {
    const result = await work()
    // Some keys are looked at only now.
    constrained(() => writer.commit(), commitFault)
    return result
  } catch (error) {
    writer.rollback()
    throw error
  }
}

/** One statement for the path's resource, and one for each type of related resources. */
function examine(
  writer: SqliteConnection,
  { needs, lookups }: WritePlan,
  statements: Statements,
): ApiError[] {
  if (needs) {
    const { present } = statements.ofType(needs.absence.type)
    const found = writer.value(present, { slots: [], id: needs.id })
    if (found === undefined) throw notFound(needs.absence, needs.id)
  }
  const types = [...new Set(lookups.map(({ type }) => type))]
  return types.flatMap((type) => {
    const ours = lookups.filter((lookup) => lookup.type === type)
    const ids = [...new Set(ours.map(({ id }) => id))]
    const rows = writer.all(statements.ofType(type).lookup, { slots: [], ids })
    const found = new Set(rows.map(([id]) => id))
    return ours.filter(({ id }) => !found.has(id)).map(absent)
  })
}

function write(writer: SqliteConnection, plan: WritePlan, statements: Statements): string {
  const { shape } = plan
  const { resource, present } = statements.ofType(shape.type)
  const compiled = statements.write(shape)
  const id = constrained(
    () => writeRow(writer, plan, compiled, resource),
    (error) => rowFault(error, plan, resource),
  )
  for (const index of shape.links.keys()) writeLinks(writer, plan, { id, index }, statements)
  for (const each of compiled.parent)
    runLink(writer, each, { slots: [], id: plan.needs?.id, ids: [id] }, '/data')
  if (resource.where && writer.value(present, { slots: [], id }) === undefined)
    throw noLonger('With these values it', resource.type, '/data')
  return id
}

/** Changes the members of one relationship of a plan. */
function writeLinks(
  writer: SqliteConnection,
  { shape, document, linkIds }: WritePlan,
  { id, index }: Readonly<{ id: string; index: number }>,
  statements: Statements,
): void {
  const ids = linkIds[index] ?? []
  const name = shape.links[index]?.relationship ?? ''
  const { to } = relationshipNamed(statements.ofType(shape.type).resource, name)
  const pointer = document === 'linkage' ? '/data' : pointerTo({ is: 'relationship', name })
  const links = statements.write(shape).links[index] ?? []
  const changed = links.flatMap((each) => runLink(writer, each, { slots: [], id, ids }, pointer))
  if (changed.length === 0) return
  const left = writer.all(statements.ofType(to).lookup, { slots: [], ids: changed })
  if (left.length < changed.length) throw noLonger('A member', to, pointer)
}

/** @returns the ids of the rows that were changed, where the statement tells them */
function runLink(
  writer: SqliteConnection,
  link: Statement,
  values: RunValues,
  pointer: string,
): string[] {
  const rows = constrained(
    () => writer.all(link, values),
    (error) => linkFault(error, pointer),
  )
  return rows.map(([id]) => String(id))
}

/** @returns the id of the row */
function writeRow(
  writer: SqliteConnection,
  plan: WritePlan,
  { insert, update }: CompiledWrite,
  { type }: ResourceType,
): string {
  const slots = plan.values
  if (!insert) {
    if (plan.id === undefined) throw new Error(`An update of ${type} was planned without an id.`)
    if (update) writer.run(update, { slots, id: plan.id })
    return plan.id
  }
  const id = plan.shape.row === 'newWithId' ? (plan.id ?? randomUUID()) : undefined
  return String(writer.value(insert, { slots, id }))
}

/** What a type's own condition means to a client whose write would make it false. */
function noLonger(what: string, type: string, pointer: string): BodyError {
  const detail = `${what} would be no ${type} of those that are served here.`
  return new BodyError('invalid_value', pointer, detail)
}
