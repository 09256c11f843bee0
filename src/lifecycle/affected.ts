import { HttpError } from '../errors/errors.ts'
import type { Catalog } from '../model/catalog.ts'
import { getRelationship, getResourceType, type ResourceType } from '../model/model.ts'
import { planRelatedIds } from '../plan/stored-columns.ts'
import type { WritePlan } from '../plan/write.ts'
import { countCascade } from './cascade.ts'
import type { UnitOfWork } from './unit-of-work.ts'

// What a write affects, as far as its identity may read it: the row itself, the rows that the database deletes or changes with it by
// foreign keys, and the members of the relationships that it changes. What hooks, actions and triggers write is not counted.

/** The maximum number of rows that are counted: their ids are in memory. */
const maxCounted = 10_000

/** How many rows of a type a write creates, updates and deletes. */
interface RowCounts {
  created?: number
  updated?: number
  deleted?: number
}

/** How many members a relationship of a type gains and loses. */
interface ChangedMembers {
  readonly type: string
  readonly relationship: string
  readonly added: number
  readonly removed: number
  /** Whether the rows of the members change, which are counted as such. */
  readonly areRows: boolean
}

/** What writes affect. */
export interface Affected {
  readonly rows: Map<string, RowCounts>
  /** By the texts of type and relationship. */
  readonly members: Map<string, ChangedMembers>
}

/** A write that is counted. */
interface CountedWrite {
  readonly plan: WritePlan
  readonly isDeletion: boolean
}

/** How the rows are found. */
interface CountOptions {
  readonly catalog: Catalog
  readonly affected: Affected
}

/** Counts the affected rows; a changed member of a join table is one, too. */
export function countAffected({ rows, members }: Affected): number {
  const counts = [...rows.values()].flatMap((each) => Object.values<number>({ ...each }))
  const joined = [...members.values()].map((each) => (each.areRows ? 0 : each.added + each.removed))
  return [...counts, ...joined].reduce((sum, each) => sum + each, 0)
}

/**
 * Executes a write, and adds what it affects.
 * @param execute - returns the id of a new resource
 * @throws HttpError `too_many_affected` (422) if it deletes more rows than can be counted; what the write throws
 */
export async function executeCounted<Result extends Readonly<{ id?: string | undefined }>>(
  write: CountedWrite,
  unit: UnitOfWork,
  options: CountOptions,
  execute: () => Promise<Result>,
): Promise<Result> {
  const { plan, isDeletion } = write
  const resource = getResourceType(unit.planner.model, plan.requested.type)
  if (isDeletion) {
    // It locks the row, so that no other request adds rows that reference it.
    await unit.transaction.checkPreconditions(plan)
    await countDeletion(resource, plan.id ?? '', unit, options)
    return execute()
  }
  const { row, columns, parent } = plan.requested
  const isNew = row !== 'existing'
  const before = isNew ? [] : await readLinks(plan, resource, plan.id ?? '', unit)
  const result = await execute()
  const after = await readLinks(plan, resource, result.id ?? plan.id ?? '', unit)
  const { affected } = options
  if (isNew) addRows(affected, resource.type, 'created', 1)
  else if (columns.length > 0) addRows(affected, resource.type, 'updated', 1)
  if (parent) addMembers(affected, parent, { added: 1, removed: 0 })
  for (const [index, { relationship }] of plan.requested.links.entries())
    addChange(affected, { resource, relationship }, [before[index] ?? [], after[index] ?? []])
  return result
}

/** Reads the members of each relationship that a write changes, as far as the identity may read them. */
function readLinks(
  { requested }: WritePlan,
  resource: ResourceType,
  id: string,
  { planner, transaction }: UnitOfWork,
): Promise<readonly (readonly string[])[]> {
  return Promise.all(
    requested.links.map(async ({ relationship }) => {
      const read = planRelatedIds(planner, resource, getRelationship(resource, relationship))
      const { primary } = await transaction.read(read, id)
      const [[, linkage] = []] = primary
      if (Array.isArray(linkage)) return linkage.map(String)
      return linkage === null || linkage === undefined ? [] : [String(linkage)]
    }),
  )
}

function addRows(
  { rows }: Affected,
  type: string,
  operation: keyof RowCounts,
  count: number,
): void {
  if (count === 0) return
  const counts = rows.get(type) ?? {}
  rows.set(type, { ...counts, [operation]: (counts[operation] ?? 0) + count })
}

/** Adds the change of a relationship. If the foreign key is in the rows of the members, these are updated. */
function addChange(
  affected: Affected,
  { resource, relationship }: Readonly<{ resource: ResourceType; relationship: string }>,
  [before, after]: readonly [before: readonly string[], after: readonly string[]],
): void {
  const [old, current] = [new Set(before), new Set(after)]
  const counts = {
    added: after.filter((id) => !old.has(id)).length,
    removed: before.filter((id) => !current.has(id)).length,
  }
  const { link, to } = getRelationship(resource, relationship)
  const areRows = link.foreignKey === 'other'
  if (areRows) addRows(affected, to, 'updated', counts.added + counts.removed)
  addMembers(affected, { type: resource.type, relationship }, counts, areRows)
}

function addMembers(
  { members }: Affected,
  { type, relationship }: Readonly<{ type: string; relationship: string }>,
  { added, removed }: Readonly<{ added: number; removed: number }>,
  areRows = false,
): void {
  if (added + removed === 0) return
  const name = `${type}.${relationship}`
  const known = members.get(name) ?? { added: 0, removed: 0 }
  members.set(name, {
    ...{ type, relationship, areRows },
    added: known.added + added,
    removed: known.removed + removed,
  })
}

/** Adds a deleted row and what the database deletes and changes with it. */
async function countDeletion(
  resource: ResourceType,
  id: string,
  { planner, transaction }: UnitOfWork,
  { catalog, affected }: CountOptions,
): Promise<void> {
  const counts = await countCascade(resource, id, {
    ...{ catalog, planner, identity: transaction.identity, maxRows: maxCounted },
    read: transaction.readReferencing,
  })
  if (counts === undefined) throw tooManyError()
  for (const { type, operation, count } of counts) addRows(affected, type, operation, count)
}

function tooManyError(): HttpError {
  return new HttpError(
    'too_many_affected',
    `The deletion affects more than ${maxCounted} rows, which is the most that the server counts; nothing was written. Delete what references the resource first, or send the request without dry-run and max-affected.`,
  )
}
