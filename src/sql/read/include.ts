import type { KeyValue } from '../../plan/cursor.ts'
import {
  getIncludeEdge,
  type LocatedIncludeEdge,
  primaryRowSet,
  startsAtLinkage,
} from '../../plan/include.ts'
import type { IncludedMembers, IncludePage } from '../../plan/include-page.ts'
import type { ReadPlan, ReadShape } from '../../plan/read.ts'
import type { CompleteRows, RowBatch } from '../../plan/read-result.ts'
import type { Row } from '../../plan/row-layout.ts'
import { tooManyResourcesError } from '../resource-limit.ts'
import type { RunValues, Statement } from '../statement.ts'
import type { DocumentBudget } from './document-budget.ts'
import type { MembersRead } from './include-page.ts'
import type { LinkageRead } from './linkage-lookups.ts'
import { sortByNumericIds } from './packed-sort.ts'
import type { QuerySequence } from './query-sequence.ts'

/** A statement that reads the rows of a to-many include edge of the primary rows, each with its owner. */
export interface OwnedRead {
  /** The index of the include edge. */
  readonly edge: number
  /** The position of the linkage in a primary row. */
  readonly at: number
  readonly statement: Statement
  /** Whether the rows have to be sorted in JavaScript by their ids, which are numbers (`packed-sort.ts`). */
  readonly isUnordered: boolean
}

/** The statements that complete the primary rows. */
export interface IncludeStatements {
  /** Reads the rows of a type by their ids. */
  readonly byIds: ReadonlyMap<string, Statement>
  /** Reads the rows of include edges that contain the complete linkage of their relationship. The last column is the owner's id. */
  readonly owned: readonly OwnedRead[]
  /** Reads the linkage that primary rows are read without. */
  readonly linkages: readonly LinkageRead[]
  /** Reads the linkage that included rows are read without, by their type. */
  readonly includedLinkages: ReadonlyMap<string, readonly LinkageRead[]>
  /** Reads the members of the include edges with a page. */
  readonly members: readonly MembersRead[]
}

/** Complete primary rows, and the included rows. */
type IncludeResult = Pick<CompleteRows, 'primary' | 'included'>

/** What to read in addition to the primary rows. */
interface IncludeRequest {
  readonly plan: ReadPlan
  readonly shape: ReadShape
  readonly statements: IncludeStatements
  readonly budget: DocumentBudget
}

/** Ends a document that exceeds its budget. @param edge - the include edge; `undefined` for the primary rows */
function exceeded({ shape, budget }: IncludeRequest, edge: number | undefined): undefined {
  if (budget.is !== 'read') throw tooManyResourcesError({ shape }, budget, edge)
  return undefined
}

/**
 * Reads the linkage of primary rows, and the included rows: at most one statement for each relationship and include edge. No
 * resource occurs twice, including the primary ones.
 *
 * @param rows - the primary rows, without the linkage that other statements read
 * @param id - the id in the path
 * @returns `undefined` when there is more than the budget allows
 */
export function* readIncludes(
  request: IncludeRequest,
  rows: readonly Row[],
  id: string | undefined,
): QuerySequence<IncludeResult | undefined> {
  const { shape, statements, budget } = request
  const primary =
    statements.linkages.length === 0 ? rows : yield* readLinkages(rows, statements.linkages, budget)
  if (primary === undefined) return exceeded(request, undefined)
  if (shape.includeEdges.length === 0) return { primary, included: [] }
  const progress: IncludeProgress = { ...request, remaining: budget.resources - rows.length }
  const owned = yield* readOwnedRows(primary, id, progress)
  return owned && (yield* followEdges(owned, progress))
}

/** A read of included rows in progress. */
interface IncludeProgress extends IncludeRequest {
  /** How many more resources the budget allows. */
  remaining: number
}

/** Primary rows with the linkage that follows from the rows that they own, and these rows by their include edge. */
interface OwnedRows {
  readonly primary: readonly Row[]
  readonly byEdge: readonly (readonly Row[] | undefined)[]
}

/** Reads the rows of the include edges that contain the complete linkage of their relationship. */
function* readOwnedRows(
  primary: readonly Row[],
  id: string | undefined,
  progress: IncludeProgress,
): QuerySequence<OwnedRows | undefined> {
  const { statements } = progress
  const byEdge: (readonly Row[])[] = []
  for (const { edge, at, statement, isUnordered } of statements.owned) {
    const ids = idsOf(primary)
    const values = { planValues: [], id, ids, maxRows: progress.remaining + 1 }
    const found: readonly Row[] = ids.length === 0 ? [] : yield { statement, values }
    progress.remaining -= found.length
    if (progress.remaining < 0) return exceeded(progress, edge)
    const ordered = isUnordered ? sortByNumericIds(found) : found
    byEdge[edge] = ordered
    addOwnedLinkage(primary, at, ordered)
  }
  return { primary, byEdge }
}

/** Reads the rows of every include edge, each after the edge that ends where it starts. */
function* followEdges(
  { primary, byEdge }: OwnedRows,
  progress: IncludeProgress,
): QuerySequence<IncludeResult | undefined> {
  const { members } = progress.statements
  const { includeEdges } = progress.shape
  const known = createKnownRows(primary, progress.shape)
  const included: RowBatch[] = []
  /** The rows where each edge ends, including those that other edges have read. */
  const ends: (readonly Row[])[] = []
  for (const [index, edge] of includeEdges.entries()) {
    const owned = byEdge[index]
    const starts = edge.parent === primaryRowSet ? primary : (ends[edge.parent] ?? [])
    const paged = members.find((each) => each.edge === index)
    if (paged && !(yield* readMembers(starts, paged, progress))) return exceeded(progress, index)
    const ids = owned ? [] : collectLinkedIds(starts, edge)
    const missing = known ? ids.filter((each) => !known.has(edge.to, each)) : ids
    const found = owned ?? (yield* readByIds(missing, edge, progress))
    const linkages = progress.statements.includedLinkages.get(edge.to) ?? []
    const complete =
      found && linkages.length > 0 ? yield* readLinkages(found, linkages, progress.budget) : found
    if (complete === undefined) return exceeded(progress, index)
    included.push({ type: edge.to, rows: complete })
    // No edge starts from the rows of the last one.
    if (index === includeEdges.length - 1) break
    known?.add(edge.to, complete)
    ends.push(owned || known === undefined ? complete : known.find(edge.to, ids))
  }
  return { primary, included }
}

/**
 * Reads the page of members of rows from which an edge starts. Rows of which an earlier path lists members keep them.
 * @returns false when there are more than the budget allows
 */
function* readMembers(
  starts: readonly Row[],
  { edge, statement }: MembersRead,
  { plan, shape, budget }: IncludeProgress,
): QuerySequence<boolean> {
  const at = getIncludeEdge(shape, edge).keyIndex
  const rows = starts.filter((row) => row[at] === null)
  const page = plan.includePages?.[edge]
  if (page === undefined || rows.length === 0) return true
  const { values: planValues, identity } = plan
  const maxRows = budget.linkage + 1
  const values: RunValues = { planValues, auth: identity?.auth, ids: idsOf(rows), maxRows }
  const pairs = yield { statement, values }
  if (pairs.length > budget.linkage) return false
  setMembers(rows, at, pairs, page)
  return true
}

/** Reads the rows of an include edge by their ids. @returns `undefined` when there are more than the budget allows */
function* readByIds(
  ids: readonly string[],
  { to }: LocatedIncludeEdge,
  progress: IncludeProgress,
): QuerySequence<readonly Row[] | undefined> {
  progress.remaining -= ids.length
  if (progress.remaining < 0) return undefined
  const statement = progress.statements.byIds.get(to)
  if (statement === undefined) throw new Error(`The plan includes no ${to}.`)
  return ids.length === 0 ? [] : yield { statement, values: { planValues: [], ids } }
}

/** Creates the rows that edges need not read again; `undefined` if no edge can reach a row twice. */
function createKnownRows(
  primary: readonly Row[],
  { includeEdges, type }: ReadShape,
): KnownRows | undefined {
  const includesPrimaryType = includeEdges.some(({ to }) => to === type)
  if (includeEdges.length === 1 && !includesPrimaryType) return undefined
  const known = new KnownRows()
  if (includesPrimaryType && !includeEdges.some(startsAtLinkage)) known.add(type, primary)
  return known
}

/** Rows by type and id. */
class KnownRows {
  readonly #byType = new Map<string, Map<string, Row>>()

  add(type: string, rows: readonly Row[]): void {
    const known = this.#byType.get(type) ?? new Map<string, Row>()
    this.#byType.set(type, known)
    for (const row of rows) known.set(String(row[0]), row)
  }

  has(type: string, id: string): boolean {
    return this.#byType.get(type)?.has(id) ?? false
  }

  find(type: string, ids: readonly string[]): Row[] {
    const known = this.#byType.get(type)
    return ids.map((id) => known?.get(id)).filter((row) => row !== undefined)
  }
}

/** Reads the linkage of rows, one statement for each relationship. @returns the rows with their linkage */
export function* readLinkages(
  rows: readonly Row[],
  linkages: readonly LinkageRead[],
  budget: DocumentBudget,
): QuerySequence<readonly Row[] | undefined> {
  for (const { at, many, statement } of linkages) {
    if (rows.length === 0) break
    const values = { planValues: [], ids: idsOf(rows), maxRows: budget.linkage + 1 }
    const pairs = yield { statement, values }
    if (pairs.length > budget.linkage) return undefined
    const byOwner = new Map<string, string[]>()
    for (const [owner, id] of pairs) {
      const ids = byOwner.get(String(owner)) ?? []
      byOwner.set(String(owner), ids)
      // A join table may hold a pair twice; the ids of an owner come in order.
      if (ids.at(-1) !== String(id)) ids.push(String(id))
    }
    for (const row of rows) {
      const ids = byOwner.get(String(row[0])) ?? []
      setLinkage(row, at, many ? ids : (ids[0] ?? null))
    }
  }
  return rows
}

/**
 * Sets the members of resources, from the pairs of their statement.
 * @param at - the index of the members in a row of a resource
 */
function setMembers(
  rows: readonly Row[],
  at: number,
  pairs: readonly Row[],
  page: IncludePage,
): void {
  const byOwner = Map.groupBy(pairs, ([owner]) => String(owner))
  for (const row of rows)
    setLinkage(row, at, createMembers(byOwner.get(String(row[0])) ?? [], page))
}

function createMembers(
  pairs: readonly Row[],
  { size, isFiltered, linkNext, linkPrevious }: IncludePage,
): IncludedMembers {
  // A join table may hold a pair twice; equal ones come one after the other.
  const distinct = pairs.filter(([, id], index) => String(pairs[index - 1]?.[1]) !== String(id))
  const members = distinct.slice(0, size)
  const ids = members.map(([, id]) => String(id))
  const isSized = size !== undefined || linkPrevious !== undefined
  if (!isSized && !isFiltered) return ids
  const last = members.at(-1)
  const hasMore = last !== undefined && distinct.length > members.length
  const next = hasMore ? linkNext(toMember(last)) : null
  const [first] = members
  const previous = linkPrevious?.(first && toMember(first)) ?? null
  return Object.assign(ids, { page: { isSized, hasMore, isFiltered, previous, next } })
}

function toMember(pair: Row): Parameters<IncludePage['linkNext']>[0] {
  // The statement returns the values of the keys behind both ids.
  return { id: String(pair[1]), keys: pair.slice(2) as readonly KeyValue[] }
}

/**
 * Adds the ids of the owned rows to each row as linkage, in their order. The key of an owned row equals the id of its owner,
 * unless the columns have different types; then their texts are equal.
 */
function addOwnedLinkage(rows: readonly Row[], at: number, owned: readonly Row[]): void {
  const [only] = rows
  if (only !== undefined && rows.length === 1) {
    const ids: string[] = []
    for (const row of owned) ids.push(`${row[0]}`)
    setLinkage(only, at, ids)
    return
  }
  const byOwner = new Map<unknown, string[]>()
  for (const row of rows) {
    const ids: string[] = []
    byOwner.set(row[0], ids)
    setLinkage(row, at, ids)
  }
  let byText: ReadonlyMap<string, string[]> | undefined
  for (const row of owned) {
    const key = row[row.length - 1]
    let ids = byOwner.get(key)
    if (ids === undefined) {
      byText ??= new Map([...byOwner].map(([id, each]) => [String(id), each]))
      ids = byText.get(String(key))
    }
    ids?.push(`${row[0]}`)
  }
}

/** Sets the linkage of a row in place: only the read has references to its rows. A copy of each row takes 1 µs for a page of 30. */
function setLinkage(row: Row, at: number, linkage: readonly string[] | string | null): void {
  const values = row as unknown[]
  values[at] = linkage
}

function idsOf(rows: readonly Row[]): string[] {
  return rows.map((row) => String(row[0]))
}

/** Collects the linkage of rows for an include edge, without duplicates. */
function collectLinkedIds(rows: readonly Row[], { keyIndex, many }: LocatedIncludeEdge): string[] {
  const ids = new Set<string>()
  for (const row of rows) {
    const linkage = row[keyIndex]
    if (linkage === null) continue
    if (!many) ids.add(String(linkage))
    // The layout says that it is an array of ids.
    else for (const id of linkage as readonly string[]) ids.add(id)
  }
  return [...ids]
}
