import { emptyCollector, refuse, report, together } from '../errors/collector.ts'
import { ParameterError, quoted } from '../errors/errors.ts'
import { type Model, type RelationshipField, type ResourceType, typeNamed } from '../model/model.ts'
import { type ApiQuery, writeQuery } from '../parse/query.ts'
import { type Condition, type Given, type GivenText, planFilter } from './filter.ts'
import { type Page, planPage } from './page.ts'
import { planShown, planShownLinkage, type Shown } from './projection.ts'
import { intern } from './shape.ts'
import { type Order, planSort } from './sort.ts'
import { parentParameter } from './target.ts'

/** Which rows a path means, before any filter. */
export type Scope =
  | Readonly<{ is: 'all' }>
  | Readonly<{ is: 'one' }>
  | Readonly<{ is: 'related'; type: string; relationship: string }>

/** Everything of a read but the client's values: equal shapes are one object (`intern`). */
export interface ReadShape extends Shown {
  readonly type: string
  readonly scope: Scope
  readonly where: Condition | undefined
  /** Empty where at most one row is meant. */
  readonly order: readonly Order[]
  /** Whether a part of the list is asked for, or all. */
  readonly isPaged: boolean
}

/** How a resource that is not there is told of. */
export interface Absence {
  readonly type: string
  readonly parameter: string
}

/** A read that is known to make sense. It holds nothing of the path's id, so a plan serves for every id. */
export interface ReadPlan {
  readonly shape: ReadShape
  /** The client's values by slot. */
  readonly values: readonly unknown[]
  /** Those of them that were sent as `filter[name]=text`, in the order sent. */
  readonly texts: readonly GivenText[]
  readonly absence: Absence
  readonly page: Page | undefined
  /** Whether the document has the member `included`. */
  readonly hasIncluded: boolean
  readonly repeated: RepeatedQuery
}

/** The query as links repeat it, encoded and with its `?`, in the order sent; empty for none. */
export interface RepeatedQuery {
  readonly all: string
  /** Without the number of the page. */
  readonly unnumbered: string
}

/** What a path leads to: a resource or all of its type, or what a relationship of one leads to. */
export interface Target {
  readonly resource: ResourceType
  readonly relationship?: RelationshipField
}

/**
 * Plans a collection: every one of a type, or those related to one resource.
 * @throws ApiError | ManyErrors (400) with every fault of the query
 */
export function planCollection(model: Model, query: ApiQuery, target: Target): ReadPlan {
  const resource = leadsTo(target, model)
  const given: Given = { values: [], texts: [] }
  const [, where, order, page, shown] = together(
    () => refuse(query.faults),
    () => planFilter(query.filter, resource, model, given),
    () => planSort(query.sort, resource, model),
    () => planPage(query.page, model),
    () => planShown(model, query, resource),
  )
  const isPaged = page !== undefined
  const scope: Scope = target.relationship
    ? relatedTo(target.resource, target.relationship)
    : { is: 'all' }
  return planned({ type: resource.type, scope, where, order, isPaged, ...shown }, query, target, {
    ...given,
    page,
  })
}

/**
 * Plans one resource: the path's own, or the one that a to-one relationship leads to.
 * A valid sort or page changes nothing there; a filter is refused (SERVICE §5).
 * @throws ApiError | ManyErrors (400) with every fault of the query
 */
export function planOne(model: Model, query: ApiQuery, target: Target): ReadPlan {
  const resource = leadsTo(target, model)
  const [, , , , shown] = together(
    () => refuse(query.faults),
    () => refuseFilter(query),
    () => planSort(query.sort, resource, model),
    () => planPage(query.page, model),
    () => planShown(model, query, resource),
  )
  const scope: Scope = target.relationship
    ? relatedTo(target.resource, target.relationship)
    : { is: 'one' }
  return planned({ type: resource.type, scope, ...single, ...shown }, query, target)
}

/**
 * Plans the linkage of a relationship: identifiers, all of them unless a page is asked for.
 * Paths to include start with the relationship's own name.
 * @throws ApiError | ManyErrors (400) with every fault of the query
 */
export function planLinkage(model: Model, query: ApiQuery, target: Required<Target>): ReadPlan {
  const { resource, relationship } = target
  const related = leadsTo(target, model)
  const asksForPage = query.page.size !== undefined || query.page.number !== undefined
  const given: Given = { values: [], texts: [] }
  const [, where, order, page, shown] = together(
    () => refuse(query.faults),
    () =>
      relationship.many ? planFilter(query.filter, related, model, given) : refuseFilter(query),
    () => planSort(query.sort, related, model),
    () => (asksForPage ? planPage(query.page, model) : undefined),
    () => planShownLinkage(model, query, resource, relationship),
  )
  const list = relationship.many ? { where, order, isPaged: page !== undefined } : single
  const shape = { type: related.type, scope: relatedTo(resource, relationship), ...list, ...shown }
  const absence = { type: resource.type, parameter: 'id' }
  return { ...planned(shape, query, target, relationship.many ? { ...given, page } : {}), absence }
}

/**
 * Checks the query of a path that takes no parameter at all.
 * @throws ApiError | ManyErrors (400) with every fault and every parameter
 */
export function checkNoQuery(query: ApiQuery): void {
  const names = new Set(query.pairs.map(([name]) => name))
  const collector = emptyCollector()
  // A parameter that has no meaning has none whatever is wrong with it.
  for (const error of query.faults.errors)
    if (!names.has(error.where)) report(collector, () => error)
  for (const name of names) {
    report(collector, () => {
      const detail = `The parameter ${quoted(name)} has no meaning here.`
      return new ParameterError('unknown_parameter', name, detail)
    })
  }
  refuse(collector)
}

/** What a shape says where at most one row is meant. */
const single = { where: undefined, order: [], isPaged: false } as const

function leadsTo({ resource, relationship }: Target, model: Model): ResourceType {
  return relationship ? typeNamed(model, relationship.to) : resource
}

function relatedTo(resource: ResourceType, relationship: RelationshipField): Scope {
  return { is: 'related', type: resource.type, relationship: relationship.name }
}

function planned(
  shape: ReadShape,
  query: ApiQuery,
  { resource, relationship }: Target,
  { values = [], texts = [], page }: Partial<Pick<ReadPlan, 'values' | 'texts' | 'page'>> = {},
): ReadPlan {
  const parameter = relationship ? parentParameter(resource, relationship) : 'id'
  return {
    shape: intern(shape),
    values,
    texts,
    absence: { type: resource.type, parameter },
    page,
    hasIncluded: query.include !== undefined,
    repeated: repeatedQuery(query),
  }
}

/** Writes a query as links repeat it. */
export function repeatedQuery({ pairs }: ApiQuery): RepeatedQuery {
  const all = writeQuery(pairs)
  const others = pairs.filter(([name]) => name !== 'page[number]')
  return { all, unnumbered: others.length === pairs.length ? all : writeQuery(others) }
}

function refuseFilter(query: ApiQuery): undefined {
  const [first] = query.pairs.filter(([name]) => /^filter($|\[)/.test(name))
  if (first === undefined) return undefined
  const detail = `${first[0]}: only collections can be filtered; this path leads to one resource.`
  throw new ParameterError('invalid_filter', first[0], detail)
}
