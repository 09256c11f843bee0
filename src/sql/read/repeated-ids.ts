import { quote, quoteNames } from '../../errors/quote.ts'
import { getResourceType, type ResourceType } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import type { RowBatch, Rows } from '../../plan/read-result.ts'
import type { Row } from '../../plan/row-layout.ts'
import type { Target } from '../tables.ts'

// A document must not have a resource twice (https://jsonapi.org/format/1.0/#document-compound-documents). No constraint makes the ids
// of a view or of a table function unique. On PostgreSQL that holds for every table: another one may inherit from it at any time, and its
// rows are then also those of the table. So the rows that are read are compared; those of a table of SQLite, which has a unique index, are
// not. Ids that ascend, as those of most lists do, need one comparison each.

/** The number of ids of a stream that are compared with each other: the memory of a request is bounded. */
const maxKnownIds = 100_000

/**
 * Checks that each row of a document has an id of its own; in a stream, among 100,000 rows of a type.
 * @returns the rows
 * @throws Error with the type, the id and the remedy, which is logged; clients see a bare 500
 */
export function checkIds<Read extends Rows>(rows: Read, shape: ReadShape, target: Target): Read {
  if (rows.is === 'stream') return { ...rows, ...checkStream(rows, shape, target) }
  checkRows(rows.primary, shape.type, target)
  for (const { rows: batch, type } of rows.included) checkRows(batch, type, target)
  return rows
}

/** Whether the ids of the resources in a document may repeat: no constraint makes those of one of its types unique. */
export function mayRepeatIds({ type, includeEdges }: ReadShape, { facts }: Target): boolean {
  return [type, ...includeEdges.map(({ to }) => to)].some((each) => !facts.hasUniqueIds(each))
}

function checkRows(rows: readonly Row[], type: string, target: Target): void {
  if (areAscending(rows) || target.facts.hasUniqueIds(type)) return
  checkBatch(rows, new Set(), getResourceType(target.model, type))
}

type StreamedRows = Pick<Extract<Rows, { is: 'stream' }>, 'primary' | 'included'>

function checkStream(rows: StreamedRows, shape: ReadShape, target: Target): StreamedRows {
  // The identifiers of a relationship may be those of included resources.
  const knownPrimary = new Set<string>()
  const known = new Map<string, Set<string>>()
  const check = (batch: readonly Row[], type: string, ids: Set<string>) => {
    if (target.facts.hasUniqueIds(type)) return
    checkBatch(batch, ids, getResourceType(target.model, type))
    if (ids.size > maxKnownIds) ids.clear()
  }
  async function* primary(): AsyncGenerator<readonly Row[]> {
    for await (const batch of rows.primary) {
      check(batch, shape.type, knownPrimary)
      yield batch
    }
  }
  async function* included(): AsyncGenerator<RowBatch> {
    for await (const batch of rows.included) {
      const ids = known.get(batch.type) ?? new Set()
      known.set(batch.type, ids)
      check(batch.rows, batch.type, ids)
      yield batch
    }
  }
  return { primary: primary(), included: included() }
}

/** Whether the ids ascend, so that none is null or repeats. */
function areAscending(rows: readonly Row[]): boolean {
  let last: unknown = rows[0]?.[0] ?? null
  if (last === null) return rows.length === 0
  for (let index = 1; index < rows.length; index += 1) {
    const id = rows[index]?.[0]
    if (!isLess(last, id)) return false
    last = id
  }
  return true
}

function isLess(one: unknown, other: unknown): boolean {
  if (typeof one === 'number') return typeof other === 'number' && one < other
  return typeof one === 'string' && typeof other === 'string' && one < other
}

/** @param known - the ids of earlier rows, to which those of the batch are added */
function checkBatch(rows: readonly Row[], known: Set<string>, resource: ResourceType): void {
  for (const [id] of rows) {
    const text = String(id)
    if (id === null || known.has(text)) throw repeatedIdError(resource, id)
    known.add(text)
  }
}

/** Creates the error of several rows with one id, or, for null, of a row without one. */
export function repeatedIdError({ type, id, table }: ResourceType, value: unknown): Error {
  const problem =
    value === null ? 'a row without an id' : `several rows with the id ${quote(String(value))}`
  const source = table.call ? 'the table function returns' : `"${table.name}" has`
  const columns = id.columns.slice(Object.keys(table.call?.parameters ?? {}).length)
  const change = table.call
    ? ''
    : ', or change its rows; those of tables that inherit from it count'
  return new Error(
    `${type}: ${source} ${problem}, and each id must name one resource; declare other columns than ${quoteNames(columns)} as its id${change}`,
  )
}
