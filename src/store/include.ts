import { type LocatedIncludeEdge, startsAtLinkage } from '../plan/projection.ts'
import type { ReadShape } from '../plan/read.ts'
import type { CompleteRows, RowBatch } from '../plan/read-result.ts'
import type { Row } from '../plan/row-layout.ts'
import type { QuerySequence } from './executor.ts'
import type { LinkageRead } from './linkage.ts'
import type { Statement } from './statement.ts'

/** A statement that reads the rows which a to-many relationship of the primary rows leads to. */
export interface OwnedRead {
  /** The index of the include edge. */
  readonly edge: number
  /** The position of the linkage in a primary row. */
  readonly at: number
  readonly statement: Statement
  /** Whether the rows come in any order: their ids are numbers, which sort faster here (decision 0045). */
  readonly isUnordered: boolean
}

/** The statements that complete a page of primary rows. */
export interface IncludeStatements {
  /** The rows of a type that have one of the ids. */
  readonly byIds: ReadonlyMap<string, Statement>
  /**
   * The rows that include edges reach and behind each the id of the primary row that owns it, where those rows are all of
   * the relationship's linkage.
   */
  readonly owned: readonly OwnedRead[]
  /** The linkage that primary rows are read without. */
  readonly linkages: readonly LinkageRead[]
  /** The linkage that included rows are read without, by their type. */
  readonly includedLinkages: ReadonlyMap<string, readonly LinkageRead[]>
}

/** How much a read may hold in memory. */
export interface ReadBudget {
  /** Resources, primary ones counted. */
  readonly resources: number
  /** Ids in the linkage of one set of rows. */
  readonly linkage: number
  /** The error for a read that exceeds it, by the index of the include edge; absent: the read returns `undefined`. */
  readonly exceed?: (edge: number | undefined) => Error
}

/** Ends a read that exceeds its budget. */
function exceeded({ exceed }: ReadBudget, edge: number | undefined): undefined {
  if (exceed) throw exceed(edge)
  return undefined
}

/** Rows in hand with what is included. */
export type IncludeResult = Pick<CompleteRows, 'primary' | 'included'>

/**
 * Completes rows in hand with their linkage and what is included: at most one statement for each relationship and include
 * edge, however many rows there are. No resource comes twice, the primary ones counted.
 *
 * @param rows - those of the primary data, without the linkage that other statements read
 * @param id - the id in the path
 * @returns `undefined` where there is more than the budget allows
 */
export function* readIncludes(
  {
    shape,
    statements,
    budget,
  }: Readonly<{
    shape: ReadShape
    statements: IncludeStatements
    budget: ReadBudget
  }>,
  rows: readonly Row[],
  id: string | undefined,
): QuerySequence<IncludeResult | undefined> {
  const { linkages, owned } = statements
  let primary: readonly Row[] | undefined =
    linkages.length === 0 ? rows : yield* withLinkages(rows, linkages, budget)
  if (primary === undefined) return exceeded(budget, undefined)
  const { includeEdges } = shape
  if (includeEdges.length === 0) return { primary, included: [] }
  let left = budget.resources - rows.length
  const ownedRows: (readonly Row[] | undefined)[] = []
  for (const { edge, at, statement, isUnordered } of owned) {
    const ids = idsOf(primary)
    const found: readonly Row[] =
      ids.length === 0
        ? []
        : yield { statement, values: { parameters: [], id, ids, maxRows: left + 1 } }
    left -= found.length
    if (left < 0) return exceeded(budget, edge)
    const ordered = isUnordered ? found.toSorted(byNumber) : found
    ownedRows[edge] = ordered
    primary = withOwned(primary, at, ordered)
  }
  const known = knownRows(primary, shape)
  const reached: (readonly Row[])[] = []
  const included: RowBatch[] = []
  for (let index = 0; index < includeEdges.length; index += 1) {
    const step = includeEdges[index]
    if (step === undefined) break
    // Nothing starts from what the last edge reaches.
    const isLast = index === includeEdges.length - 1
    let fetched = ownedRows[index]
    const ids =
      fetched === undefined
        ? linkedIds(step.parent === -1 ? primary : (reached[step.parent] ?? []), step)
        : isLast
          ? []
          : idsOf(fetched)
    if (fetched === undefined) {
      const missing = ids.filter((each) => !known?.has(step.to, each))
      left -= missing.length
      if (left < 0) return exceeded(budget, index)
      const statement = statements.byIds.get(step.to)
      if (statement === undefined) throw new Error(`The plan includes no ${step.to}.`)
      const values = { parameters: [], ids: missing }
      fetched = missing.length === 0 ? [] : yield { statement, values }
    }
    const lookups = statements.includedLinkages.get(step.to)
    const complete: readonly Row[] | undefined =
      lookups === undefined || lookups.length === 0
        ? fetched
        : yield* withLinkages(fetched, lookups, budget)
    if (complete === undefined) return exceeded(budget, index)
    included.push({ type: step.to, rows: complete })
    if (isLast || known === undefined) break
    known.add(step.to, complete)
    reached.push(known.find(step.to, ids))
  }
  return { primary, included }
}

/** The rows that edges need not read again; `undefined` where no edge can meet a row a second time. */
function knownRows(
  primary: readonly Row[],
  { includeEdges, type }: ReadShape,
): KnownRows | undefined {
  const leadsBack = includeEdges.some(({ to }) => to === type)
  if (includeEdges.length === 1 && !leadsBack) return undefined
  const known = new KnownRows()
  if (leadsBack && !includeEdges.some(startsAtLinkage)) known.add(type, primary)
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

/** Reads the linkage that rows were read without: a statement for each relationship. */
function* withLinkages(
  rows: readonly Row[],
  linkages: readonly LinkageRead[],
  budget: ReadBudget,
): QuerySequence<readonly Row[] | undefined> {
  let complete = rows
  for (const { at, many, statement } of linkages) {
    if (rows.length === 0) break
    const values = { parameters: [], ids: idsOf(rows), maxRows: budget.linkage + 1 }
    const pairs = yield { statement, values }
    if (pairs.length > budget.linkage) return undefined
    const byOwner = new Map<string, string[]>()
    for (const [owner, id] of pairs) {
      const ids = byOwner.get(String(owner)) ?? []
      byOwner.set(String(owner), ids)
      // A join table may hold a pair twice; the ids of an owner come in order.
      if (ids.at(-1) !== String(id)) ids.push(String(id))
    }
    complete = complete.map((row) => {
      const ids = byOwner.get(String(row[0])) ?? []
      return row.with(at, many ? ids : (ids[0] ?? null))
    })
  }
  return complete
}

/**
 * Gives each row the ids of the rows that it owns, in their order. Equal keys are the same number or text, unless the
 * column of a foreign key has another type than the id it refers to.
 */
function withOwned(rows: readonly Row[], at: number, owned: readonly Row[]): readonly Row[] {
  const [only] = rows
  if (only !== undefined && rows.length === 1)
    return [
      only.with(
        at,
        owned.map((row) => `${row[0]}`),
      ),
    ]
  const byOwner = new Map(rows.map((row): [unknown, string[]] => [row[0], []]))
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
  return rows.map((row) => row.with(at, byOwner.get(row[0])))
}

/** Orders rows by ids that are numbers. */
function byNumber([one]: Row, [other]: Row): number {
  // Large ids are bigints, which compare with numbers.
  const [a, b] = [one as number, other as number]
  return a < b ? -1 : a > b ? 1 : 0
}

function idsOf(rows: readonly Row[]): string[] {
  return rows.map((row) => String(row[0]))
}

/** The ids that rows hold for an include edge, each once, in the order met. */
function linkedIds(rows: readonly Row[], { keyIndex, many }: LocatedIncludeEdge): string[] {
  const ids = new Set<string>()
  for (const row of rows) {
    const linkage = row[keyIndex]
    if (linkage === null) continue
    if (!many) ids.add(String(linkage))
    // As rows are laid out, it is an array of ids.
    else for (const id of linkage as readonly string[]) ids.add(id)
  }
  return [...ids]
}
