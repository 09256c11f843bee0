import { attempt, collectErrors, emptyCollector, report, throwErrors } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import {
  getResourceType,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import type { ParsedQuery } from '../parse/query.ts'
import type { Identity } from './access/identity.ts'
import { type CanonicalQuery, canonicalizeQuery } from './canonical-query.ts'
import type { Condition, PlanParameters, TextParameter } from './filter/condition.ts'
import { planFilter } from './filter/filter.ts'
import {
  type CursorShape,
  isByCursor,
  type KeyedRow,
  type KnownKeys,
  listKeyedRows,
  type Page,
  type PagedList,
  type PlannedPage,
  planKeysPage,
  planPage,
} from './page.ts'
import { nameIdParameter } from './path-id.ts'
import type { Planner } from './planner.ts'
import {
  type IncludePages,
  type PlannedProjection,
  type Projection,
  planLinkageProjection,
  planProjection,
} from './projection.ts'
import { createIdentifierLayout } from './row-layout.ts'
import { type OrderTerm, planSort, untilId } from './sort.ts'
import { checkSyntax } from './unknown-parameters.ts'

/** The rows that a URL path selects, before any filter. */
type Addressed =
  | Readonly<{ is: 'all' }>
  | Readonly<{ is: 'one' }>
  | Readonly<{ is: 'related'; type: string; relationship: string }>

/**
 * The query shape of a read: the plan without the client's values. Equal shapes are one object while the cache holds it
 * (`QueryShapeCache`), so that compiled statements and serializers are found by its identity. After an eviction an equal shape is
 * another object, and everything is compiled again.
 */
export interface ReadShape extends Projection {
  readonly type: string
  readonly addressed: Addressed
  readonly where: Condition | undefined
  /** Empty if the read returns at most one resource. */
  readonly order: readonly OrderTerm[]
  /** True if the read returns one page of a list. */
  readonly isPaged: boolean
  /** The page between cursors; absent for a numbered page, and for a list without pages. */
  readonly cursors?: CursorShape
}

/** Cursors that contain the id of a row, because its keys are too long. */
export interface PendingCursors {
  /** The reads of the keys, by the name of the parameter. */
  readonly reads: readonly (readonly [parameter: string, plan: ReadPlan])[]
  /** Plans the read with the keys. */
  readonly complete: (known: KnownKeys) => ReadPlan
}

/** What the 404 error names if the resource in the path does not exist. */
export interface NotFoundSource {
  readonly type: string
  /** The parameter of the path that contains the id. */
  readonly parameter: string
}

/** A validated read. It does not contain the id in the path, so one plan serves every id. */
export interface ReadPlan {
  readonly shape: ReadShape
  /** The client's values, by parameter number. */
  readonly values: readonly unknown[]
  /** The parameters that were sent as `filter[name]=text`, in the order sent. */
  readonly textParameters: readonly TextParameter[]
  readonly notFound: NotFoundSource
  readonly page: Page | undefined
  /** The pages of include edges; absent if no edge has one. */
  readonly includePages?: IncludePages
  /** Whether the document has the member `included`. */
  readonly hasIncluded: boolean
  readonly canonicalQuery: CanonicalQuery
  /** What has to be read before the page is; absent for nothing. */
  readonly pending?: PendingCursors
  /** The identity of the request; absent for a model without access rules. Added to a cached plan for each request. */
  readonly identity?: Identity
}

/** The resources that a URL path addresses: those of a type, or the related resources of one resource. */
interface ReadPath {
  readonly resource: ResourceType
  readonly relationship?: RelationshipField
}

/**
 * Plans the read of a collection: all resources of a type, or those related to one resource.
 * @throws ApiError | ManyErrors (400) with every error of the query
 */
export function planCollection(
  planner: Planner,
  query: ParsedQuery,
  path: ReadPath,
  known?: KnownKeys,
): ReadPlan {
  const { model } = planner
  const resource = primaryType(path, planner)
  const parameters: PlanParameters = { values: [], textParameters: [] }
  const list = planList(query, resource, model, { parameters, known })
  const { where, planned, projection } = collectErrors({
    syntax: () => checkSyntax(query, { planner, resource, isMany: true }),
    where: () => planFilter(query.filter, resource, model, parameters),
    order: list.checkOrder,
    planned: list.planPage,
    projection: () => planProjection(planner, query, resource, { parameters }),
  })
  const addressed: Addressed = path.relationship
    ? addressRelated(path.resource, path.relationship)
    : { is: 'all' }
  const paged = { order: list.order, ...toPagedShape(planned) }
  const plan = createPlan(
    { type: resource.type, addressed, where, ...paged },
    { planner, query, path, ...projection },
    { ...parameters, page: planned?.page },
  )
  return addPending(plan, planner, (keys) => planCollection(planner, query, path, keys))
}

/** Adds the reads of keys that are too long for a cursor. */
function addPending(
  plan: ReadPlan,
  planner: Planner,
  complete: PendingCursors['complete'],
): ReadPlan {
  const { model } = planner
  const { includePages = [], ...rest } = plan
  const list = { resource: getResourceType(model, plan.shape.type), order: plan.shape.order }
  const rows = [
    ...(plan.page ? listKeyedRows(plan.page) : []).map((row) => ({ ...row, list })),
    ...includePages.flatMap((page) => page?.keyedRow ?? []),
  ]
  if (rows.length === 0) return plan
  const reads = rows.map(
    ({ list: of, ...row }) => [row.parameter, { ...rest, ...planKeys(row, of, planner) }] as const,
  )
  return { ...plan, pending: { reads, complete } }
}

/**
 * Plans the read of several resources, whose rows are those of the read of one.
 * @param one - that of the response to a write, without included resources
 */
export function planSeveral(
  { model, shapes }: Planner,
  one: ReadPlan,
  ids: readonly string[],
): ReadPlan {
  const resource = getResourceType(model, one.shape.type)
  const { where, ...parameters } = planIdFilter(resource, model, { operator: 'in_', value: ids })
  const shape: ReadShape = { ...one.shape, addressed: { is: 'all' }, where }
  return { ...one, shape: shapes.intern(shape), ...parameters }
}

/** Plans the filter that resources with one of some ids match. @param parameter - that of the query which contains them */
function planIdFilter(
  resource: ResourceType,
  model: Model,
  {
    parameter = 'filter',
    operator,
    value,
  }: Readonly<{ parameter?: string; operator: 'eq' | 'in_'; value: unknown }>,
): PlanParameters & Pick<ReadShape, 'where'> {
  const parameters: PlanParameters = { values: [], textParameters: [] }
  const location = { parameter, path: '' }
  const operand = { is: 'value', value } as const
  const hasId = { is: 'predicate', location, name: 'id', operator, operand } as const
  return { where: planFilter([hasId], resource, model, parameters), ...parameters }
}

/** Plans the read of the keys of a row in a list. */
function planKeys(
  { parameter, id }: KeyedRow,
  { resource, order }: Pick<PagedList, 'resource' | 'order'>,
  { model, shapes }: Planner,
): Pick<ReadPlan, 'shape' | 'values' | 'textParameters' | 'page'> {
  const keysPage = planKeysPage({ resource, order }, model)
  const isRow = { parameter, operator: 'eq', value: id } as const
  const { where, ...parameters } = planIdFilter(resource, model, isRow)
  const shape: ReadShape = {
    type: resource.type,
    addressed: { is: 'all' },
    where,
    order,
    ...toPagedShape(keysPage),
    ...{ primary: shapes.intern(createIdentifierLayout(resource.type)), included: [] },
    includeEdges: [],
  }
  return { shape: shapes.intern(shape), ...parameters, page: keysPage.page }
}

/**
 * Plans the order and the page of a list. The order is planned at once, because cursors belong to it; its errors are thrown by
 * `checkOrder`, in turn with those of other parameters.
 */
function planList(
  query: ParsedQuery,
  resource: ResourceType,
  model: Model,
  { parameters, known }: Pick<PagedList, 'parameters' | 'known'>,
): Readonly<{
  order: readonly OrderTerm[]
  checkOrder: () => void
  planPage: () => PlannedPage | undefined
}> {
  const errors = emptyCollector()
  const planned = attempt(() => planSort(query.sort, resource, model), errors)
  const order = planned && isByCursor(query.page, resource.pages) ? untilId(planned) : planned
  const list = order && { resource, order, parameters, known }
  return {
    order: order ?? [],
    checkOrder: () => throwErrors(errors),
    planPage: () => planPage(query.page, model, resource.pages, list),
  }
}

/** What a page adds to a query shape. */
function toPagedShape(planned: PlannedPage | undefined): Pick<ReadShape, 'isPaged' | 'cursors'> {
  const cursors = planned?.cursors
  return { isPaged: planned !== undefined, ...(cursors && { cursors }) }
}

/** The path of one resource, or of a to-one relationship. */
interface OneResource extends ReadPath {
  /** True for the result of an operation in a batch, which has no entity tag. Default false. */
  readonly isResult?: boolean
}

/**
 * Plans the read of one resource: that of the path, or that of a to-one relationship. A valid sort or page is ignored;
 * a filter is an error (`docs/service.md`, Query parameters).
 * @throws ApiError | ManyErrors (400) with every error of the query
 */
export function planResource(
  planner: Planner,
  query: ParsedQuery,
  path: OneResource,
  known?: KnownKeys,
): ReadPlan {
  const { model } = planner
  const resource = primaryType(path, planner)
  const parameters: PlanParameters = { values: [], textParameters: [] }
  const list = planList(query, resource, model, { parameters })
  const one = { hasVersion: path.relationship === undefined && !path.isResult, isOne: true }
  const { projection } = collectErrors({
    syntax: () => checkSyntax(query, { planner, resource, isMany: false }),
    filter: () => rejectFilter(query),
    order: list.checkOrder,
    page: list.planPage,
    // Those of the page, which is ignored, are in no statement.
    projection: () => planProjection(planner, query, resource, { parameters, known, ...one }),
  })
  const { relationship } = path
  const addressed = relationship && addressRelated(path.resource, relationship)
  const plan = createPlan(
    { type: resource.type, addressed: addressed ?? { is: 'one' }, ...single },
    { planner, query, path, ...projection },
    projection.includePages ? { values: parameters.values } : {},
  )
  return addPending(plan, planner, (keys) => planResource(planner, query, path, keys))
}

/**
 * Plans the read of the resource in the response to a write.
 * @param isResult - whether it is the result of an operation in a batch
 * @throws ApiError | ManyErrors (400) with every error of the query
 */
export function planResponse(
  planner: Planner,
  query: ParsedQuery,
  resource: ResourceType,
  isResult = false,
): ReadPlan {
  const plan = planResource(planner, query, { resource, isResult })
  const [[parameter] = []] = plan.pending?.reads ?? []
  if (parameter === undefined) return plan
  const detail = `${parameter}: the sort keys of this cursor are too long to be part of it, and a write does not look them up; remove it, and read the members by a GET.`
  throw new ParameterError('invalid_cursor', parameter, detail)
}

/**
 * Plans the read of a relationship's linkage: all identifiers, or a page if the query has a `page` parameter. Include paths
 * start with the relationship itself.
 * @throws ApiError | ManyErrors (400) with every error of the query
 */
export function planLinkage(
  planner: Planner,
  query: ParsedQuery,
  path: Required<ReadPath>,
  known?: KnownKeys,
): ReadPlan {
  const { resource, relationship } = path
  const related = primaryType(path, planner)
  const parameters: PlanParameters = { values: [], textParameters: [] }
  const list = planList(query, related, planner.model, { parameters, known })
  const { where, planned, projection } = collectErrors({
    syntax: () => checkSyntax(query, { planner, resource: related, isMany: relationship.many }),
    where: relationship.many
      ? () => planFilter(query.filter, related, planner.model, parameters)
      : () => rejectFilter(query),
    order: list.checkOrder,
    planned: () => (Object.keys(query.page).length > 0 ? list.planPage() : undefined),
    projection: () => planLinkageProjection(planner, query, path, { parameters, known }),
  })
  const rows = relationship.many ? { where, order: list.order, ...toPagedShape(planned) } : single
  const plan = createPlan(
    { type: related.type, addressed: addressRelated(resource, relationship), ...rows },
    { planner, query, path, ...projection },
    { ...parameters, page: relationship.many ? planned?.page : undefined },
  )
  return {
    ...addPending(plan, planner, (keys) => planLinkage(planner, query, path, keys)),
    notFound: { type: resource.type, parameter: 'id' },
  }
}

/**
 * Checks the query of a URL that takes no parameters.
 * @throws ApiError | ManyErrors (400) with one error for each parameter
 */
export function checkNoParameters(query: ParsedQuery): void {
  const names = new Set(query.pairs.map(([name]) => name))
  const errors = emptyCollector()
  // A parameter that is not allowed gets one error, also if its value is invalid.
  for (const error of query.errors.errors)
    if (!names.has(error.location)) report(errors, () => error)
  for (const name of names) {
    report(errors, () => {
      const detail = `This URL takes no query parameters; remove ${quote(name)}.`
      return new ParameterError('unknown_parameter', name, detail)
    })
  }
  throwErrors(errors)
}

/** The part of a shape that all reads of at most one resource have in common. */
const single = { where: undefined, order: [], isPaged: false } as const

function primaryType({ resource, relationship }: ReadPath, { model }: Planner): ResourceType {
  return relationship ? getResourceType(model, relationship.to) : resource
}

function addressRelated(resource: ResourceType, relationship: RelationshipField): Addressed {
  return { is: 'related', type: resource.type, relationship: relationship.name }
}

/** The other sources of a plan, in addition to its shape. */
interface PlanSource extends PlannedProjection {
  readonly planner: Planner
  readonly query: ParsedQuery
  readonly path: ReadPath
}

function createPlan(
  shape: Omit<ReadShape, keyof Projection>,
  { planner, query, path: { resource, relationship }, projection, includePages }: PlanSource,
  {
    values = [],
    textParameters = [],
    page,
  }: Partial<Pick<ReadPlan, 'values' | 'textParameters' | 'page'>> = {},
): ReadPlan {
  const parameter = relationship ? nameIdParameter(resource, relationship) : 'id'
  return {
    shape: planner.shapes.intern({ ...shape, ...projection }),
    values,
    textParameters,
    notFound: { type: resource.type, parameter },
    page,
    ...(includePages && { includePages }),
    hasIncluded: query.include !== undefined,
    canonicalQuery: canonicalizeQuery(query),
  }
}

function rejectFilter(query: ParsedQuery): undefined {
  const [first] = query.pairs.filter(([name]) => /^filter($|\[)/.test(name))
  if (first === undefined) return undefined
  const detail = `${first[0]}: this URL returns one resource; only collections can be filtered.`
  throw new ParameterError('invalid_filter', first[0], detail)
}
