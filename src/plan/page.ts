import { attempt, collectErrors, emptyCollector } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import type { PageOptions } from '../model/declare/resource.ts'
import { describeCodec } from '../model/kinds/codecs.ts'
import {
  findPath,
  getRelationship,
  getResourceType,
  type Model,
  type ResourceType,
} from '../model/model.ts'
import type { PageTotal, ParsedPage } from '../parse/page.ts'
import { parseSort } from '../parse/sort.ts'
import {
  type CursorOrder,
  formatOrder,
  isTextAsBytes,
  type KeyValue,
  openCursor,
  type Position,
} from './cursor.ts'
import type { PlanParameters } from './filter/condition.ts'
import { type OrderTerm, planSort } from './sort.ts'

/** A page of a list: `size` resources, `number` counted from 1, which is 1 for a page between cursors. */
export interface Page {
  readonly size: number
  readonly number: number
  /** Absent for a numbered page. */
  readonly cursors?: CursorPage
}

/** The positions that a page lies between; `undefined` for the ends of the list. */
interface CursorPositions {
  readonly after: Position | undefined
  readonly before: Position | undefined
}

/** A page between cursors: the positions that it lies between, and what its links repeat. */
export interface CursorPage extends CursorOrder, CursorPositions {
  /** Whether each resource comes with its cursor. */
  readonly showsCursors: boolean
  /** Whether the query without positions is one of a page between cursors, too, so that it leads to the first page. */
  readonly staysByCursor: boolean
}

/** What the query shape of a cursor page contains. */
export interface CursorShape {
  /** A page is read from its start, or backwards from its end. */
  readonly direction: 'forward' | 'backward'
  readonly after?: PositionShape
  readonly before?: PositionShape
  readonly total: PageTotal
  /** The number of sort keys, whose values are the last ones of a row. */
  readonly keyCount: number
  /** Whether rows contain complete key values; otherwise only the beginning of long texts. */
  readonly hasFullKeys?: boolean
}

/** A position in a query shape. */
export interface PositionShape {
  /** Whether the row of the position is on the page. */
  readonly isIncluded: boolean
  readonly keys: readonly KeyShape[]
}

/** A key of a position: the parameter of its value, which may be the bytes of a text; null for a key that is null. */
export type KeyShape = number | null | Readonly<{ bytes: number }>

/** A planned page. */
export interface PlannedPage {
  readonly page: Page
  /** Absent for a numbered page. */
  readonly cursors?: CursorShape
}

/** The list of a page. */
export interface PagedList {
  readonly resource: ResourceType
  readonly order: readonly OrderTerm[]
  readonly parameters: PlanParameters
  /** The keys of cursors that contain an id, by parameter; absent before they are read. */
  readonly known?: KnownKeys | undefined
}

/** The keys of cursors whose keys are too long to be part of them, by the name of the parameter. */
export type KnownKeys = ReadonlyMap<string, readonly KeyValue[]>

/** The most resources that a capped count counts exactly. */
export const maxCappedCount = 10_000

/** The size of a range of cursors without a size, if the model has no maximum. */
const defaultRangeSize = 1000

/**
 * Applies the options of a type and the model's page sizes to the `page` parameters.
 *
 * @param list - absent if its errors make the cursors unreadable; the other parameters are checked nevertheless
 * @returns `undefined` for the full list (`page[size]=0`)
 * @throws ApiError | ManyErrors `invalid_page` (400) if the size exceeds the model's maximum, or is 0 although there is a maximum;
 *   `invalid_cursor` (400)
 * @see https://jsonapi.org/format/1.0/#fetching-pagination and https://jsonapi.org/profiles/ethanresnick/cursor-pagination
 */
export function planPage(
  page: ParsedPage,
  model: Model,
  pages: PageOptions,
  list?: PagedList,
): PlannedPage | undefined {
  if (isByCursor(page, pages)) return planCursorPage(page, model, pages, list)
  const { maxPageSize } = model
  const size = page.size ?? Math.min(model.pageSize, maxPageSize ?? Number.POSITIVE_INFINITY)
  if (maxPageSize !== undefined && (size > maxPageSize || size === 0)) {
    const detail = `page[size] must be between 1 and ${maxPageSize} here; it is ${size}.`
    throw new ParameterError('invalid_page', 'page[size]', detail)
  }
  return size === 0 ? undefined : { page: { size, number: page.number ?? 1 } }
}

/** Whether a page is one between cursors: by its parameters, or by the options of its type. */
export function isByCursor(page: ParsedPage, { by }: PageOptions): boolean {
  const { after, before, total, cursors } = page
  return by === 'cursor' || [after, before, total, cursors].some((each) => each !== undefined)
}

function planCursorPage(
  page: ParsedPage,
  model: Model,
  pages: PageOptions,
  list: PagedList | undefined,
): PlannedPage | undefined {
  const { after: _after, before: _before, ...rest } = page
  const { size, positions } = collectErrors({
    size: () => planCursorSize(page, model),
    number: () => rejectNumber(page),
    positions: () => list && planPositions(page, model, list),
  })
  if (list === undefined || positions === undefined) return undefined
  const { resource, order } = list
  const cursors: CursorPage = {
    ...cursorOrder(resource, order, model),
    ...positions,
    showsCursors: page.cursors ?? false,
    staysByCursor: isByCursor(rest, pages),
  }
  const shape = planCursorShape(positions, model, list)
  return {
    page: { size, number: 1, cursors },
    cursors: { ...shape, total: page.total ?? pages.total },
  }
}

/** Plans what the positions of a page add to the query shape, and their values to the parameters. */
function planCursorShape(
  { after, before }: CursorPositions,
  model: Model,
  { resource, order, parameters }: PagedList,
): Omit<CursorShape, 'total'> {
  const keyCount = countKeys(order, resource, model)
  const afterShape = after && planPosition(after, 'before', keyCount, parameters)
  const beforeShape = before && planPosition(before, 'after', keyCount, parameters)
  return {
    direction: before !== undefined && after === undefined ? 'backward' : 'forward',
    ...(afterShape && { after: afterShape }),
    ...(beforeShape && { before: beforeShape }),
    keyCount,
  }
}

function planCursorSize({ size: sent, after, before }: ParsedPage, model: Model): number {
  const { maxPageSize } = model
  const isRange = after !== undefined && before !== undefined
  const byDefault = isRange ? (maxPageSize ?? defaultRangeSize) : model.pageSize
  const size = sent ?? Math.min(byDefault, maxPageSize ?? Number.POSITIVE_INFINITY)
  const max = maxPageSize ?? Number.MAX_SAFE_INTEGER
  if (size >= 1 && size <= max) return size
  const range = maxPageSize === undefined ? 'at least 1' : `between 1 and ${maxPageSize}`
  const detail = `page[size] must be ${range} on pages with cursors; it is ${size}.`
  const meta = maxPageSize === undefined ? undefined : { page: { maxSize: maxPageSize } }
  throw new ParameterError('invalid_page', 'page[size]', detail, { meta })
}

function rejectNumber({ number }: ParsedPage): void {
  if (number === undefined) return
  const detail =
    'page[number] does not go with cursors; follow the links prev and next, or use page[after] and page[before].'
  throw new ParameterError('invalid_page', 'page[number]', detail)
}

function planPositions(
  { after, before }: ParsedPage,
  model: Model,
  { resource, order, known }: PagedList,
): CursorPositions {
  const read = (parameter: string, text: string | undefined): Position | undefined => {
    if (text === undefined) return undefined
    const position = readCursor(parameter, text, { resource, order, model })
    const keys = known?.get(parameter)
    return keys ? { ...position, keys } : position
  }
  return collectErrors({
    after: () => read('page[after]', after),
    before: () => read('page[before]', before),
  })
}

/** The list to which a cursor has to belong. */
interface CursorList extends Omit<PagedList, 'parameters' | 'known'> {
  readonly model: Model
}

/**
 * Reads the cursor of a list.
 * @param parameter - its name, which ends with `[after]` or `[before]`
 * @throws ParameterError `invalid_cursor` (400)
 */
export function readCursor(parameter: string, text: string, list: CursorList): Position {
  const { resource, order, model } = list
  const expected = cursorOrder(resource, order, model)
  const opened = openCursor(text, expected)
  if (opened === undefined) {
    const detail = `${parameter} is damaged, or not a cursor of ${resource.type} that this server has created; start again without it.`
    throw new ParameterError('invalid_cursor', parameter, detail)
  }
  const { position, sort, isComparable } = opened
  const { keys, id, place } = position
  const isEnd = place === 'end' || place === 'start'
  if (isEnd) checkEnd(parameter, place)
  const isComplete = isEnd || id !== undefined || keys?.length === countKeys(order, resource, model)
  if (sort === expected.sort && isComplete && isComparable) return position
  if (sort === expected.sort) {
    const detail = `${parameter}: a field of the sort order "${sort}" has another kind than when the cursor was created; start again without it.`
    throw new ParameterError('invalid_cursor', parameter, detail)
  }
  const known = nameSort(sort, list)
  const owner = known === undefined ? 'another sort order' : `the sort order "${known}"`
  const detail = `${parameter}: the cursor belongs to ${owner}; start again without it, or send its sort.`
  throw new ParameterError('invalid_cursor', parameter, detail)
}

/** Checks that a page leads from an end of the list into it. @throws ParameterError `invalid_cursor` (400) */
function checkEnd(parameter: string, place: 'start' | 'end'): void {
  const other = place === 'end' ? 'before' : 'after'
  if (parameter.endsWith(`[${other}]`)) return
  const where = place === 'end' ? 'after' : 'before'
  const remedy = parameter === `page[${where}]` ? `use page[${other}]` : 'start again without it'
  const detail = `${parameter}: the cursor is the ${place} of the list, and nothing is ${where} it; ${remedy}.`
  throw new ParameterError('invalid_cursor', parameter, detail)
}

/** The sort order of a cursor, if all of its names exist for the identity of the request. */
function nameSort(sort: string, { resource, model }: CursorList): string | undefined {
  return attempt(() => {
    planSort(parseSort(sort), resource, model)
    return sort
  }, emptyCollector())
}

/** The order to which the cursors of a list are bound. */
export function cursorOrder(
  resource: ResourceType,
  order: readonly OrderTerm[],
  model: Model,
): CursorOrder {
  const codecs = listCodecs(order, resource, model).join()
  return { type: resource.type, sort: formatOrder(order), codecs, sealer: model.sealer }
}

/** Counts the sort keys: one for each term, and for an id one for each of its columns. */
export function countKeys(
  order: readonly OrderTerm[],
  resource: ResourceType,
  model: Model,
): number {
  return listCodecs(order, resource, model).length
}

/** Lists the codecs of the sort keys. */
function listCodecs(
  order: readonly OrderTerm[],
  resource: ResourceType,
  model: Model,
): readonly string[] {
  return order.flatMap(({ path, field, isCount }) => {
    if (isCount) return ['count']
    const { id, fields } = path.reduce(
      (type, name) => getResourceType(model, getRelationship(type, name).to),
      resource,
    )
    if (field === 'id') return id.parts.map(({ kind }) => describeCodec(kind.codec))
    const attribute = fields.get(field) ?? findPath({ fields }, field)
    return attribute?.is === 'attribute' ? [describeCodec(attribute.kind.codec)] : ['']
  })
}

/** A row whose keys have to be read before a page is: its id, and the parameter that contains its cursor. */
export interface KeyedRow {
  readonly parameter: string
  readonly id: string
}

/** Lists the rows whose keys have to be read before a page is. */
export function listKeyedRows({ cursors }: Page): KeyedRow[] {
  const { after, before } = cursors ?? {}
  const positions = [
    ['page[after]', after],
    ['page[before]', before],
  ] as const
  return positions.flatMap(([parameter, position]) =>
    position?.id === undefined || position.keys ? [] : [{ parameter, id: position.id }],
  )
}

/** Plans the page of a list that has one row, with its complete keys. */
export function planKeysPage(
  { resource, order }: Pick<PagedList, 'resource' | 'order'>,
  model: Model,
): Required<PlannedPage> {
  const keyCount = countKeys(order, resource, model)
  const positions = { after: undefined, before: undefined }
  const cursors: CursorPage = {
    ...{ ...cursorOrder(resource, order, model), ...positions },
    ...{ showsCursors: false, staysByCursor: false },
  }
  return {
    page: { size: 1, number: 1, cursors },
    cursors: { direction: 'forward', total: 'none', keyCount, hasFullKeys: true },
  }
}

/** The error of a cursor whose row is gone. */
export function cursorExpired(parameter: string): ParameterError {
  const detail = `${parameter}: the resource of the cursor is gone, and its sort keys cannot be part of the cursor; start again without it.`
  return new ParameterError('cursor_expired', parameter, detail)
}

/** Adds the values of a position to the parameters of a plan. @returns `undefined` for an end of the list */
export function planPosition(
  { place, keys }: Position,
  including: Position['place'],
  keyCount: number,
  { values }: PlanParameters,
): PositionShape | undefined {
  if (place === 'end' || place === 'start') return undefined
  // Keys that are read by the id of the row are filled in before the page is read.
  const known: Position['keys'] = keys ?? Array.from({ length: keyCount }, () => 't')
  const parameters = known.map((key): KeyShape => {
    if (key === null) return null
    const parameter = values.push(key) - 1
    return isTextAsBytes(key) ? { bytes: parameter } : parameter
  })
  return { isIncluded: place === including, keys: parameters }
}
