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
import { type KeyValue, positionOf, sealCursor } from './cursor.ts'
import type { Condition, PlanParameters } from './filter/condition.ts'
import { planFilter } from './filter/filter.ts'
import {
  formatEdgePath,
  type IncludeEdge,
  type IncludePageShape,
  primaryRowSet,
} from './include.ts'
import { cursorOrder } from './page.ts'
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
  /**
   * Returns the query of the next page of the relationship, with its `?`; null if it is too long for a URL.
   * @param id - that of the last member
   * @param keys - the values of its sort keys; empty unless the shape has them
   */
  readonly linkNext: (id: string, keys: readonly KeyValue[]) => string | null
}

/** The members that a resource lists of a relationship: the value of a row, which is the array of their ids. */
export interface IncludedMembers extends ReadonlyArray<string> {
  /** Absent if the resource lists all of them. */
  readonly page?: MemberPage
}

/** The page that the members of a resource are. */
export interface MemberPage {
  /** Whether the page has a size; otherwise it has only a filter. */
  readonly isSized: boolean
  readonly hasMore: boolean
  readonly isFiltered: boolean
  /** The query of the next page, with its `?`; null if there is none. */
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
    const known = suggest(path, [...new Set(paths)], 'included paths')
    return `the path ${quote(path)} is not included; add it to include, or ${known}`
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
  return (['size', 'sort', 'filter'] as const).flatMap((is) =>
    sent[is] === undefined ? [] : [nameIncludeParameter(path, is)],
  )
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
  { query, model, parameters }: IncludePageContext,
): PlannedIncludePage {
  const sent = query.includePages.get(path) ?? {}
  const errors = emptyCollector()
  const size = attempt(() => planSize(path, sent, field, model), errors)
  const related = getResourceType(model, field.to)
  const sort = attempt(() => planOrder(path, sent, field, { related, model }), errors)
  const where = attempt(() => planWhere(path, sent, related, { model, parameters }), errors)
  throwErrors(errors)
  const { order, text } = sort ?? { order: [], text: undefined }
  const hasKeys = size !== undefined && related.pages.by === 'cursor'
  const limit =
    size === undefined ? {} : { limit: parameters.values.push(Math.min(size, maxSize) + 1) - 1 }
  const pairs: Pair[] = [
    ...(text === undefined ? [] : [['sort', text] as const]),
    ...(sent.filter ? [['filter', sent.filter.text] as const] : []),
    ...(size === undefined ? [] : [['page[size]', String(size)] as const]),
  ]
  const linkNext = createNextLink(pairs, hasKeys ? cursorOrder(related, order, model) : undefined)
  return {
    shape: { ...limit, order, ...(where && { where }), ...(hasKeys && { hasKeys }) },
    page: { ...(size !== undefined && { size }), isFiltered: where !== undefined, linkNext },
  }
}

/** Creates the function that writes the query of the next page: behind a cursor, or the second one. */
function createNextLink(
  pairs: readonly Pair[],
  order: ReturnType<typeof cursorOrder> | undefined,
): IncludePage['linkNext'] {
  const start = encodeQuery(pairs)
  if (start.length > maxLinkLength) return () => null
  if (order === undefined) return () => `${start}&page%5Bnumber%5D=2`
  return (id, keys) => {
    const position = positionOf([id, ...keys], { start: 1, count: keys.length })
    return `${start}&page%5Bafter%5D=${sealCursor(position, order)}`
  }
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
