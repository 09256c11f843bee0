import { collectErrors, emptyCollector, report, throwErrors } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { getResourceType, type RelationshipField, type ResourceType } from '../model/model.ts'
import type { ParsedQuery } from '../parse/query.ts'
import type { Identity } from './access/identity.ts'
import { type CanonicalQuery, canonicalizeQuery } from './canonical-query.ts'
import type { Condition, PlanParameters, TextParameter } from './condition.ts'
import { planFilter } from './filter.ts'
import { type Page, planPage } from './page.ts'
import { nameIdParameter } from './path-id.ts'
import type { Planner } from './planner.ts'
import { type Projection, planLinkageProjection, planProjection } from './projection.ts'
import { type OrderTerm, planSort } from './sort.ts'

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
  /** Whether the document has the member `included`. */
  readonly hasIncluded: boolean
  readonly canonicalQuery: CanonicalQuery
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
export function planCollection(planner: Planner, query: ParsedQuery, path: ReadPath): ReadPlan {
  const { model } = planner
  const resource = primaryType(path, planner)
  const parameters: PlanParameters = { values: [], textParameters: [] }
  const [, where, order, page, projection] = collectErrors(
    () => throwErrors(query.errors),
    () => planFilter(query.filter, resource, model, parameters),
    () => planSort(query.sort, resource, model),
    () => planPage(query.page, model),
    () => planProjection(planner, query, resource),
  )
  const addressed: Addressed = path.relationship
    ? addressRelated(path.resource, path.relationship)
    : { is: 'all' }
  const isPaged = page !== undefined
  const shape = { type: resource.type, addressed, where, order, isPaged, ...projection }
  return createPlan(shape, { planner, query, path }, { ...parameters, page })
}

/**
 * Plans the read of one resource: that of the path, or that of a to-one relationship. A valid sort or page is ignored;
 * a filter is an error (`docs/service.md`, Query parameters).
 * @throws ApiError | ManyErrors (400) with every error of the query
 */
export function planResource(planner: Planner, query: ParsedQuery, path: ReadPath): ReadPlan {
  const { model } = planner
  const resource = primaryType(path, planner)
  const [, , , , projection] = collectErrors(
    () => throwErrors(query.errors),
    () => rejectFilter(query),
    () => planSort(query.sort, resource, model),
    () => planPage(query.page, model),
    () => planProjection(planner, query, resource, { hasVersion: path.relationship === undefined }),
  )
  const addressed: Addressed = path.relationship
    ? addressRelated(path.resource, path.relationship)
    : { is: 'one' }
  const shape = { type: resource.type, addressed, ...single, ...projection }
  return createPlan(shape, { planner, query, path })
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
): ReadPlan {
  const { model } = planner
  const { resource, relationship } = path
  const related = primaryType(path, planner)
  const hasPage = query.page.size !== undefined || query.page.number !== undefined
  const parameters: PlanParameters = { values: [], textParameters: [] }
  const [, where, order, page, projection] = collectErrors(
    () => throwErrors(query.errors),
    () =>
      relationship.many
        ? planFilter(query.filter, related, model, parameters)
        : rejectFilter(query),
    () => planSort(query.sort, related, model),
    () => (hasPage ? planPage(query.page, model) : undefined),
    () => planLinkageProjection(planner, query, resource, relationship),
  )
  const list = relationship.many ? { where, order, isPaged: page !== undefined } : single
  const addressed = addressRelated(resource, relationship)
  const plan = createPlan(
    { type: related.type, addressed, ...list, ...projection },
    { planner, query, path },
    relationship.many ? { ...parameters, page } : {},
  )
  return { ...plan, notFound: { type: resource.type, parameter: 'id' } }
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
interface PlanSource {
  readonly planner: Planner
  readonly query: ParsedQuery
  readonly path: ReadPath
}

function createPlan(
  shape: ReadShape,
  { planner, query, path: { resource, relationship } }: PlanSource,
  {
    values = [],
    textParameters = [],
    page,
  }: Partial<Pick<ReadPlan, 'values' | 'textParameters' | 'page'>> = {},
): ReadPlan {
  const parameter = relationship ? nameIdParameter(resource, relationship) : 'id'
  return {
    shape: planner.shapes.intern(shape),
    values,
    textParameters,
    notFound: { type: resource.type, parameter },
    page,
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
