import {
  attempt,
  type ErrorCollector,
  emptyCollector,
  report,
  throwErrors,
} from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { relocateErrors } from '../errors/relocate.ts'
import { suggest } from '../errors/suggestion.ts'
import { throwDeclarationErrors } from '../model/check/declaration-error.ts'
import type { IncludeOptions } from '../model/declare/fields.ts'
import {
  findRelationship,
  getRelationship,
  getResourceType,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import { encodeQuery, type Pair } from '../parse/encode-query.ts'
import { nameIncludeParameter, type ParsedIncludePage } from '../parse/include-page.ts'
import type { ParsedQuery } from '../parse/query.ts'
import { parseSort } from '../parse/sort.ts'
import { beside, type KeyValue, type Position, positionOf, sealCursor } from './cursor.ts'
import type { Condition, PlanParameters } from './filter/condition.ts'
import { planFilter } from './filter/filter.ts'
import {
  formatEdgePath,
  type IncludeEdge,
  type IncludePageShape,
  primaryRowSet,
} from './include.ts'
import {
  countKeys,
  cursorOrder,
  type KeyedRow,
  type KnownKeys,
  planPosition,
  readCursor,
} from './page.ts'
import { type OrderTerm, planSort, untilId } from './sort.ts'

// The members of an include path are a page of each relationship: they have a size, an order and a filter, as the list at the address of
// the relationship has them, and the link to the next page leads there. All resources from which a path leads on have the same limits.
//
// A resource appears once in a document. If several paths follow the same relationship from it, the first of them in the order of
// `include` decides which members it lists.

/** What a plan has of the members of an include edge, beside the query shape. */
export interface IncludePage {
  /** The most members of each resource; absent: all members. */
  readonly size?: number
  /** Whether some related resources are no members because of a filter. */
  readonly isFiltered: boolean
  /** Links to the page of the relationship behind a member. */
  readonly linkNext: (last: Member) => string | null
  /** Links to the page in front of a member, or of the cursor if there is none; absent for a page that starts at the first member. */
  readonly linkPrevious?: (first: Member | undefined) => string | null
  /** The row of the cursor, if its keys have to be read before the page is. */
  readonly keyedRow?: KeyedRow & Readonly<{ list: PagedMembers }>
}

/** A member of a relationship beside which another page is. The query of the page has its `?`; it is null if it is too long for a URL. */
interface Member {
  readonly id: string
  /** The values of its sort keys; empty unless the shape has them. */
  readonly keys: readonly KeyValue[]
}

/** The list of which the members of an include edge are a page. */
interface PagedMembers {
  readonly resource: ResourceType
  readonly order: readonly OrderTerm[]
}

/** The members that a resource lists of a relationship: the value of a row, which is the array of their ids. */
export interface IncludedMembers extends ReadonlyArray<string> {
  /** Absent if the resource lists all of them. */
  readonly page?: MemberPage
}

/** The page that the members of a resource are. */
export interface MemberPage {
  /** Whether the page has a size or a cursor; otherwise it has only a filter. */
  readonly isSized: boolean
  readonly hasMore: boolean
  readonly isFiltered: boolean
  /** The queries of the pages beside it, with their `?`; null if there is none. */
  readonly previous: string | null
  readonly next: string | null
}

/** The members of an include edge as planned. */
interface PlannedIncludePage {
  readonly shape: IncludePageShape
  readonly page: IncludePage
}

/** The longest query of a link, in bytes: with the address of the relationship it has to fit into a request line. */
const maxLinkLength = 7500

/** Databases read the limit of a statement as a 32-bit integer. */
const maxSize = 2 ** 31 - 2

/** What the pages of include edges are planned for. */
interface IncludePageContext {
  readonly query: ParsedQuery
  readonly edges: readonly IncludeEdge[]
  /** The type at which include paths start. */
  readonly resource: ResourceType
  readonly model: Model
  readonly parameters: PlanParameters
  /** The relationship whose linkage is the primary data; absent if the primary data are resources. */
  readonly linkage?: string
  /** Whether the primary data is at most one resource or identifier. Default false. */
  readonly isOne?: boolean
  /** The keys of cursors that contain an id, by parameter; absent before they are read. */
  readonly known?: KnownKeys | undefined
}

/**
 * Plans the members of the include edges.
 * @returns those of each edge; absent for an edge with all members, in the order of their ids
 * @throws ApiError | ManyErrors `invalid_include`, `invalid_page`, `invalid_sort`, `invalid_filter` (400)
 */
export function planIncludePages(
  context: IncludePageContext,
): readonly (PlannedIncludePage | undefined)[] {
  const { query, edges, model } = context
  const errors = emptyCollector()
  for (const path of query.includePages.keys()) checkPath(path, context, errors)
  const fields = edges.map(({ type, relationship }) =>
    getRelationship(getResourceType(model, type), relationship),
  )
  const limited = new Set(
    edges.flatMap((edge, index) => (isLimited(edge, index, fields, context) ? [toKey(edge)] : [])),
  )
  const pages = edges.map((edge, index) => {
    const field = fields[index]
    if (field === undefined || !limited.has(toKey(edge))) return undefined
    const path = formatEdgePath(edges, index)
    attempt(() => checkParent(path, index, fields, context), errors)
    return attempt(() => planPage(path, field, context), errors)
  })
  throwErrors(errors)
  return pages
}

function toKey({ type, relationship }: IncludeEdge): string {
  return `${type} ${relationship}`
}

/** Whether an edge reaches only some of the members, or in another order. */
function isLimited(
  { parent, relationship }: IncludeEdge,
  index: number,
  fields: readonly RelationshipField[],
  { query, edges, linkage }: IncludePageContext,
): boolean {
  if (parent === primaryRowSet && relationship === linkage) return false
  const field = fields[index]
  if (!field?.many) return false
  return field.include !== undefined || query.includePages.has(formatEdgePath(edges, index))
}

/** Reports a path that is not included, or whose members have no pages, for each of its parameters. */
function checkPath(path: string, context: IncludePageContext, errors: ErrorCollector): void {
  const problem = findPathProblem(path, context)
  if (problem === undefined) return
  for (const parameter of listParameters(path, context.query)) {
    const detail = `${parameter}: ${problem}`
    report(errors, () => new ParameterError('invalid_include', parameter, detail))
  }
}

/** @returns the rest of a sentence; `undefined` for a path whose members may have pages */
function findPathProblem(
  path: string,
  { query, resource, model, linkage }: IncludePageContext,
): string | undefined {
  const paths = (query.include ?? []).flatMap((each) =>
    each.map((_, at) => each.slice(0, at + 1).join('.')),
  )
  if (!paths.includes(path)) {
    const problem = `the path ${quote(path)} is not included; add it to include`
    if (paths.length === 0) return `${problem}.`
    return `${problem}, or ${suggest(path, [...new Set(paths)], 'included paths')}`
  }
  const field = findField(path.split('.'), resource, model)
  if (field && !field.many)
    return `${quote(path)} is a to-one relationship, whose only member has no page, sort or filter; remove the parameter.`
  return path === linkage
    ? `${quote(path)} is the primary data of this URL; use page[size], sort and filter without the path.`
    : undefined
}

function listParameters(path: string, { includePages }: ParsedQuery): string[] {
  const sent = includePages.get(path) ?? {}
  return (['size', 'after', 'sort', 'filter'] as const).flatMap((is) =>
    sent[is] === undefined ? [] : [nameIncludeParameter(path, is)],
  )
}

/** Checks that an edge with a cursor leads from one resource: it is a position in one list. */
function checkParent(
  path: string,
  index: number,
  fields: readonly RelationshipField[],
  { query, edges, isOne = false }: IncludePageContext,
): void {
  if (query.includePages.get(path)?.after === undefined) return
  let parent = edges[index]?.parent ?? primaryRowSet
  while (parent !== primaryRowSet && !fields[parent]?.many)
    parent = edges[parent]?.parent ?? primaryRowSet
  if (isOne && parent === primaryRowSet) return
  const parameter = nameIncludeParameter(path, 'after')
  const detail = `${parameter}: the path may lead on from several resources here, and a cursor belongs to one; continue at the address of each relationship, as its links.next does.`
  throw new ParameterError('invalid_include', parameter, detail)
}

/** The relationship at the end of a path; `undefined` if a name does not exist, which the plan of `include` reports. */
function findField(
  names: readonly string[],
  resource: ResourceType,
  model: Model,
): RelationshipField | undefined {
  let type = resource
  let field: RelationshipField | undefined
  for (const name of names) {
    field = findRelationship(type, name)
    if (field === undefined) return undefined
    type = getResourceType(model, field.to)
  }
  return field
}

function planPage(
  path: string,
  field: RelationshipField,
  context: IncludePageContext,
): PlannedIncludePage {
  const { query, model, parameters } = context
  const sent = query.includePages.get(path) ?? {}
  const errors = emptyCollector()
  const size = attempt(() => planSize(path, sent, field, model), errors)
  const related = getResourceType(model, field.to)
  const sort = attempt(() => planOrder(path, sent, field, { related, model }), errors)
  const where = attempt(() => planWhere(path, sent, related, { model, parameters }), errors)
  const order = sort?.order ?? []
  const list = { resource: related, order }
  const start = sort && attempt(() => planStart(path, sent.after, list, context), errors)
  throwErrors(errors)
  const hasKeys = start !== undefined || (size !== undefined && related.pages.by === 'cursor')
  const limit =
    size === undefined ? {} : { limit: parameters.values.push(Math.min(size, maxSize) + 1) - 1 }
  const pairs = listPairs(sort?.text, sent.filter?.text, size)
  const links = createLinks(pairs, hasKeys ? cursorOrder(related, order, model) : undefined, start)
  const shape = { ...limit, order, ...(where && { where }), ...(hasKeys && { hasKeys }) }
  const page = { ...(size !== undefined && { size }), isFiltered: where !== undefined, ...links }
  return { shape: { ...shape, ...start?.shape }, page: { ...page, ...start?.page } }
}

/** Lists the parameters of a list whose page the members are. */
function listPairs(
  sort: string | undefined,
  filter: string | undefined,
  size: number | undefined,
): Pair[] {
  return [
    ...(sort === undefined ? [] : [['sort', sort] as const]),
    ...(filter === undefined ? [] : [['filter', filter] as const]),
    ...(size === undefined ? [] : [['page[size]', String(size)] as const]),
  ]
}

/** The position behind which members start, and what follows from it. */
interface Start {
  readonly position: Position
  readonly shape: Pick<IncludePageShape, 'after'>
  readonly page: Pick<IncludePage, 'keyedRow'>
}

/** @throws ParameterError `invalid_cursor` (400) */
function planStart(
  path: string,
  text: string | undefined,
  list: PagedMembers,
  { model, parameters, known }: IncludePageContext,
): Start | undefined {
  if (text === undefined) return undefined
  const parameter = nameIncludeParameter(path, 'after')
  const opened = readCursor(parameter, text, { ...list, model })
  const keys = known?.get(parameter)
  const position = keys ? { ...opened, keys } : opened
  const { id } = position
  const isKeyed = id !== undefined && position.keys === undefined
  const keyCount = countKeys(list.order, list.resource, model)
  const after = planPosition(position, 'before', keyCount, parameters)
  return {
    position,
    shape: after ? { after } : {},
    page: isKeyed ? { keyedRow: { parameter, id, list } } : {},
  }
}

/** Creates the functions that write the queries of the pages beside a page: at a cursor, or the second one. */
function createLinks(
  pairs: readonly Pair[],
  order: ReturnType<typeof cursorOrder> | undefined,
  start: Start | undefined,
): Pick<IncludePage, 'linkNext' | 'linkPrevious'> {
  const query = encodeQuery(pairs)
  const isLong = query.length > maxLinkLength
  if (order === undefined)
    return { linkNext: () => (isLong ? null : `${query}&page%5Bnumber%5D=2`) }
  const link = (parameter: 'after' | 'before', position: Position): string | null =>
    isLong
      ? null
      : `${query}${query === '' ? '?' : '&'}page%5B${parameter}%5D=${sealCursor(position, order)}`
  const linkNext = (last: Member) => link('after', toPosition(last))
  if (start === undefined || start.position.place === 'start') return { linkNext }
  const linkPrevious = (first: Member | undefined) =>
    link('before', first ? toPosition(first) : beside(start.position, 'after'))
  return { linkNext, linkPrevious }
}

function toPosition({ id, keys }: Member): Position {
  return positionOf([id, ...keys], { start: 1, count: keys.length })
}

/** @returns `undefined` for all members */
function planSize(
  path: string,
  { size }: ParsedIncludePage,
  { include }: RelationshipField,
  { maxPageSize }: Model,
): number | undefined {
  const max = Math.min(
    include?.maxSize ?? Number.POSITIVE_INFINITY,
    maxPageSize ?? Number.POSITIVE_INFINITY,
  )
  const byDefault = include?.size ?? include?.maxSize
  if (size === undefined) return byDefault && Math.min(byDefault, max)
  if (size <= max) return size
  const parameter = nameIncludeParameter(path, 'size')
  const detail = `${parameter} must be between 1 and ${max} here; it is ${size}.`
  throw new ParameterError('invalid_page', parameter, detail, { meta: { page: { maxSize: max } } })
}

/** Plans the order of the members; `text` is the parameter `sort` of a list with the same order, `undefined` for the order by id. */
function planOrder(
  path: string,
  { sort }: ParsedIncludePage,
  { include }: RelationshipField,
  { related, model }: Readonly<{ related: ResourceType; model: Model }>,
): Readonly<{ order: readonly OrderTerm[]; text: string | undefined }> {
  const plan = (terms: Parameters<typeof planSort>[0]) => untilId(planSort(terms, related, model))
  if (sort) {
    const relocation = { from: 'sort', to: nameIncludeParameter(path, 'sort') }
    return { order: relocateErrors(relocation, () => plan(sort.terms)), text: sort.text }
  }
  const text = include?.sort
  // An identity that may not sort by a declared field sees the order by id.
  const declared =
    text === undefined ? undefined : attempt(() => plan(parseSort(text)), emptyCollector())
  return declared ? { order: declared, text } : { order: plan([]), text: undefined }
}

function planWhere(
  path: string,
  { filter }: ParsedIncludePage,
  related: ResourceType,
  { model, parameters }: Readonly<{ model: Model; parameters: PlanParameters }>,
): Condition | undefined {
  if (filter === undefined) return undefined
  const relocation = { from: 'filter', to: nameIncludeParameter(path, 'filter') }
  return relocateErrors(relocation, () => planFilter(filter.clauses, related, model, parameters))
}

/** Lists the relationships whose declaration makes included members a page, with the order of the members. */
export function listDeclaredPages(
  model: Model,
): Readonly<{ type: string; relationship: string; order: readonly OrderTerm[] }>[] {
  return [...model.types.values()].flatMap((resource) =>
    listRelationships(resource).flatMap(({ name, to, include }) => {
      const { size, maxSize, sort } = include ?? {}
      if ((size ?? maxSize) === undefined) return []
      const terms = sort === undefined ? [] : parseSort(sort)
      // A sort that does not exist is an error of the start.
      const order = attempt(
        () => untilId(planSort(terms, getResourceType(model, to), model)),
        emptyCollector(),
      )
      return order ? [{ type: resource.type, relationship: name, order }] : []
    }),
  )
}

/** Checks the option `include` of every relationship. @throws DeclarationError */
export function checkIncludeOptions(model: Model): void {
  const errors = [...model.types.values()].flatMap((resource) =>
    listRelationships(resource).flatMap(({ name, to, include }) =>
      include
        ? findIncludeErrors(include, getResourceType(model, to), model).map(
            (error) => `${resource.type}.fields.${name}.include.${error}`,
          )
        : [],
    ),
  )
  throwDeclarationErrors(errors)
}

function findIncludeErrors(
  { size, maxSize, sort }: IncludeOptions,
  related: ResourceType,
  model: Model,
): string[] {
  const max = model.maxPageSize
  const sizes = [
    ['size', size, 'maxSize', maxSize],
    ['size', size, 'the option maxPageSize', max],
    ['maxSize', maxSize, 'the option maxPageSize', max],
  ] as const
  const errors = emptyCollector()
  if (sort !== undefined) attempt(() => planSort(parseSort(sort), related, model), errors)
  return [
    ...sizes.flatMap(([option, value, limit, largest]) =>
      value !== undefined && largest !== undefined && value > largest
        ? [`${option}: must not be larger than ${limit}, which is ${largest}; it is ${value}`]
        : [],
    ),
    ...errors.errors.map(
      ({ message }) => `sort: ${message.replace(/^sort: /, '').replace(/\.$/, '')}`,
    ),
  ]
}
