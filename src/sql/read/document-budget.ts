import { traitsOf } from '../../model/kinds/codec-names.ts'
import { getRelationship, getResourceType, type IdField, type Model } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import { type CompleteRows, findIncludedLayout } from '../../plan/read-result.ts'
import type { Row, RowLayout } from '../../plan/row-layout.ts'

/** How much of a document is held in memory. Each statement of a document stops just above it. */
export interface DocumentBudget {
  /**
   * What exceeds the budget of a read is streamed. The response to a write, which is read before the commit, and a read inside of a
   * transaction cannot be streamed: there it is an error. So it is where members are a page (`include-page.ts`): which of them a resource
   * lists depends on the path that reaches it first.
   */
  readonly is: 'read' | 'write' | 'pages'
  /** Resources, with the included ones. */
  readonly resources: number
  /** Ids in the linkage of one relationship. */
  readonly linkage: number
  /** Characters of the texts; without those of the written resource itself. */
  readonly text: number
}

/** The budget of a read. */
export const readBudget: DocumentBudget = {
  is: 'read',
  resources: 500,
  linkage: 10_000,
  text: 2 ** 20,
}

/** The budget of the response to a write, and of a read inside of a transaction. */
export const writeBudget: DocumentBudget = {
  is: 'write',
  resources: 10_000,
  linkage: 100_000,
  text: 32 * 2 ** 20,
}

/** The budget of a read whose include edges have pages. */
export const pagesBudget: DocumentBudget = { ...writeBudget, is: 'pages' }

/** Whether the primary data is a list, which may have any number of rows. */
export function isList(shape: ReadShape): boolean {
  return shape.order.length > 0
}

/** Whether the primary data is a list without pages, which may have more rows than fit in memory. */
export function isUnbounded(shape: ReadShape): boolean {
  return isList(shape) && !shape.isPaged
}

/** The positions of the values that may be long texts, in primary rows and in those of each include edge. */
export interface LongPositions {
  readonly primary: readonly number[]
  readonly included: readonly (readonly number[])[]
}

/** Finds the positions of the values that may be long texts in the rows of a document. */
export function findLongPositions(shape: ReadShape, model: Model): LongPositions {
  const find = (layout: RowLayout) => findLong(layout, model)
  return {
    primary: find(shape.primary),
    included: shape.includeEdges.map(({ to }) => find(findIncludedLayout(shape, to))),
  }
}

function findLong({ type, values, linkages }: RowLayout, model: Model): readonly number[] {
  const resource = getResourceType(model, type)
  const areLong = [
    isLongId(resource.id),
    ...values.map(({ codec }) => traitsOf(codec).mayBeLong),
    // The linkage of to-many relationships has a limit of its own.
    ...linkages.map(({ relationship, many }) => {
      const { to } = getRelationship(resource, relationship)
      return !many && isLongId(getResourceType(model, to).id)
    }),
  ]
  return areLong.flatMap((isLong, at) => (isLong ? at : []))
}

function isLongId({ parts }: IdField): boolean {
  return parts.some(({ kind }) => traitsOf(kind.codec).mayBeLong)
}

/** Whether the texts of a document are within the budget of a read. */
export function fitsReadBudget(
  { primary, included }: CompleteRows,
  positions: LongPositions,
): boolean {
  let characters = countLong(primary, positions.primary)
  for (const [edge, { rows }] of included.entries())
    characters += countLong(rows, positions.included[edge] ?? [])
  return characters <= readBudget.text
}

function countLong(rows: readonly Row[], positions: readonly number[]): number {
  let characters = 0
  for (const at of positions)
    for (const row of rows) {
      const value = row[at]
      if (typeof value === 'string') characters += value.length
    }
  return characters
}

/** Whether the texts of the included resources are within the budget of the response to a write. */
export function fitsWriteBudget({ included }: CompleteRows): boolean {
  let characters = 0
  for (const { rows } of included) for (const row of rows) characters += countCharacters(row)
  return characters <= writeBudget.text
}

/** Whether the texts of a document are within the budget of a read whose include edges have pages. */
export function fitsPagesBudget(rows: CompleteRows): boolean {
  let characters = 0
  for (const row of rows.primary) characters += countCharacters(row)
  return characters <= pagesBudget.text && fitsWriteBudget(rows)
}

/** Returns the number of characters in the texts of a row: streams limit the size of a batch by it. */
export function countCharacters(row: readonly unknown[]): number {
  let characters = 0
  for (const value of row) if (typeof value === 'string') characters += value.length
  return characters
}
