import { beside, type Position, positionOf, sealCursor } from '../plan/cursor.ts'
import { type CursorPage, maxCappedCount, type Page } from '../plan/page.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { ListEnd } from '../plan/read-result.ts'
import type { Row } from '../plan/row-layout.ts'

// The members that a page adds to its document; one between cursors by the profile
// https://jsonapi.org/profiles/ethanresnick/cursor-pagination.

/** The position of a row of a page between cursors. */
function positionOfRow({ shape }: ReadPlan, row: Row): Position {
  const { values, linkages } = shape.primary
  const start = 1 + values.length + linkages.length
  return positionOf(row, { start, count: shape.cursors?.keyCount ?? 0 })
}

/**
 * Returns `meta` of a page between cursors.
 * @param isLong - whether it has the cursors, because no link has them
 */
export function describeCursorPage(plan: ReadPlan, end: ListEnd, isLong: boolean): object {
  const { count } = end
  const { total } = plan.shape.cursors ?? {}
  const isCapped = total === 'capped' && count !== undefined && count > maxCappedCount
  const isKnown = count !== undefined && !isCapped && total !== 'none'
  const page = {
    ...(isKnown && { total: count }),
    ...(isCapped && { estimatedTotal: { bestGuess: count } }),
    ...(isTruncated(plan, end) && { rangeTruncated: true }),
    ...(isLong && plan.page?.cursors && listCursors(plan, plan.page.cursors, end)),
  }
  return { ...(isKnown && { count }), page }
}

/**
 * Serializes `meta` of the document of a list that is a page between cursors, or whose query is too long for links: then it has the other
 * pages, and of a relationship whether there is a filter, so that the list is not taken for all members.
 * @param isLong - whether no link repeats the query
 * @param hasCount - whether a numbered page has the number of resources; one between cursors decides by itself
 * @returns `undefined` if it is empty
 */
export function serializePageMeta(
  plan: ReadPlan,
  end: ListEnd,
  isLong = false,
  hasCount = true,
): string | undefined {
  const { shape, page } = plan
  const numbers = page && !page.cursors && numberPages(page, end)
  const isFiltered = isLong && shape.addressed.is === 'related' && shape.where !== undefined
  const meta = {
    ...(page?.cursors ? describeCursorPage(plan, end, isLong) : hasCount && { count: end.count }),
    ...(numbers && { page: numbers }),
    ...(isFiltered && { filtered: true }),
  }
  return Object.keys(meta).length === 0 ? undefined : JSON.stringify(meta)
}

/** The numbers of other pages, null where there is none; `undefined` for a list on a single page. */
function numberPages({ number, size }: Page, { count = 0 }: ListEnd): object | undefined {
  const last = Math.max(1, Math.ceil(count / size))
  if (last === 1 && number === 1) return undefined
  const prev = number > 1 ? Math.min(number - 1, last) : null
  return { first: 1, prev, next: number < last ? number + 1 : null, last }
}

/** Whether more rows lie between two cursors than the page has. */
function isTruncated({ page }: ReadPlan, { hasMore }: ListEnd): boolean {
  const { after, before } = page?.cursors ?? {}
  return after !== undefined && before !== undefined && hasMore
}

/** Returns the cursor of a row of a page between cursors. */
export function sealRow(plan: ReadPlan, row: Row, cursors: CursorPage): string {
  return sealCursor(positionOfRow(plan, row), cursors)
}

/** Returns a serializer that adds the cursor of each resource, as its `meta.page.cursor`. */
export function addCursors(plan: ReadPlan, serialize: (row: Row) => string): (row: Row) => string {
  const cursors = plan.page?.cursors
  if (cursors === undefined) return serialize
  const hasMeta = plan.shape.primary.version === 'shown'
  return (row) => {
    const cursor = sealRow(plan, row, cursors)
    const page = `"page":{"cursor":"${cursor}"}`
    const text = serialize(row)
    // The last member of a resource with a version is `meta`.
    return hasMeta ? `${text.slice(0, -2)},${page}}}` : `${text.slice(0, -1)},"meta":{${page}}}`
  }
}

/** The query of a link, with its `?`; null where there is nothing. */
type PageLink = readonly [name: 'first' | 'prev' | 'next' | 'last', query: string | null]

/**
 * Lists the links of a page between cursors. The server has read one row more than the page, so it knows whether there is more in the
 * direction of reading; in the other direction is a link, which may lead to an empty page, except at the ends of the list.
 */
export function listPageLinks(plan: ReadPlan, cursors: CursorPage, end: ListEnd): PageLink[] {
  const link = (parameter: 'after' | 'before', position: Position): string =>
    addParameter(plan, `page%5B${parameter}%5D=${sealCursor(position, cursors)}`)
  return [
    ['first', linkFirst(plan, cursors)],
    ['prev', findPrevious(plan, cursors, end, link)],
    ['next', addRangeEnd(findNext(plan, cursors, end, link), cursors, end)],
    ['last', link('before', { place: 'end' })],
  ]
}

/** The rest of a range that was too long ends where it ends. */
function addRangeEnd(
  next: string | null,
  cursors: CursorPage,
  { last, hasMore }: ListEnd,
): string | null {
  const { after, before } = cursors
  const isRest = after !== undefined && before !== undefined && hasMore && last !== undefined
  return next !== null && isRest ? `${next}&page%5Bbefore%5D=${sealCursor(before, cursors)}` : next
}

/** The cursors of other pages, where links would be too long: `first` and `after` are for `page[after]`, the others for `page[before]`. */
function listCursors(plan: ReadPlan, cursors: CursorPage, end: ListEnd): object {
  const seal = (_parameter: string, position: Position): string => sealCursor(position, cursors)
  return {
    first: sealCursor({ place: 'start' }, cursors),
    before: findPrevious(plan, cursors, end, seal),
    after: findNext(plan, cursors, end, seal),
    last: sealCursor({ place: 'end' }, cursors),
  }
}

/** Formats the link to a position. */
type FormatLink = (parameter: 'after' | 'before', position: Position) => string

function findPrevious(
  plan: ReadPlan,
  { after, before }: CursorPage,
  { first, hasMore }: ListEnd,
  link: FormatLink,
): string | null {
  const isForward = after !== undefined || before === undefined
  // At the start of the list.
  if (isForward && (after === undefined || after.place === 'start')) return null
  if (!isForward && !hasMore) return null
  if (first !== undefined) return link('before', positionOfRow(plan, first))
  return after === undefined ? null : link('before', beside(after, 'after'))
}

function findNext(
  plan: ReadPlan,
  { after, before }: CursorPage,
  { last, hasMore }: ListEnd,
  link: FormatLink,
): string | null {
  const isForward = after !== undefined || before === undefined
  if (isForward && before === undefined && !hasMore) return null
  if (before?.place === 'end' && !(isForward && hasMore)) return null
  if (last === undefined)
    return before === undefined ? null : link('after', beside(before, 'before'))
  return link('after', positionOfRow(plan, last))
}

/** The query of the first page: without a position, but of a page between cursors. */
function linkFirst(plan: ReadPlan, { staysByCursor }: CursorPage): string {
  if (staysByCursor) return plan.canonicalQuery.withoutPosition
  return addParameter(plan, `page%5Btotal%5D=${plan.shape.cursors?.total ?? 'exact'}`)
}

function addParameter({ canonicalQuery: { withoutPosition } }: ReadPlan, text: string): string {
  return `${withoutPosition}${withoutPosition === '' ? '?' : '&'}${text}`
}
