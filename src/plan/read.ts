import {
  type ApiError,
  attempt,
  ParameterError,
  quoted,
  refuse,
  together,
} from '../errors/errors.ts'
import { type Model, type RelationshipField, type ResourceType, typeNamed } from '../model/model.ts'
import type { ApiQuery } from '../request/query.ts'
import { type Fieldsets, planFields, planLayout } from './fields.ts'
import { type Condition, planFilter } from './filter.ts'
import { type IncludeStep, planInclude } from './include.ts'
import { type Page, planPage } from './page.ts'
import { identifierLayout, linkageIndex, type RowLayout } from './rows.ts'
import { intern } from './shape.ts'
import { type Order, planSort } from './sort.ts'
import { parentParameter } from './target.ts'

/** Which rows a path means, before any filter. */
export type Scope =
  | Readonly<{ is: 'all' }>
  | Readonly<{ is: 'one' }>
  | Readonly<{ is: 'related'; type: string; relationship: string }>

/** One step of the inclusion as the store takes it: where the earlier rows hold the ids to fetch. */
export interface IncludeRead extends IncludeStep {
  /** The index of the linkage in rows of `type`; 0, the id itself, where the primary data is mere linkage. */
  readonly at: number
  readonly many: boolean
}

/** Everything of a read but the client's values: equal shapes are one object (`intern`). */
export interface ReadShape {
  readonly type: string
  readonly scope: Scope
  readonly where: Condition | undefined
  readonly order: readonly Order[]
  /** Whether a part of the list is asked for, or all. */
  readonly isPaged: boolean
  readonly primary: RowLayout
  /** The layouts of included resources; of one type each. */
  readonly included: readonly RowLayout[]
  readonly steps: readonly IncludeRead[]
}

/** How a resource that is not there is told of. */
export interface Absence {
  readonly type: string
  readonly parameter: string
}

/** A read that is known to make sense. */
export interface ReadPlan {
  readonly shape: ReadShape
  /** The client's values by slot. */
  readonly values: readonly unknown[]
  /** The id in the path; `undefined` for whole collections. */
  readonly id: string | undefined
  readonly absence: Absence
  readonly page: Page | undefined
  /** Whether the document has the member `included`. */
  readonly hasIncluded: boolean
}

/** What a path leads to. */
export interface Target {
  readonly resource: ResourceType
  /** The id in the path; `undefined` for whole collections. */
  readonly id?: string | undefined
  /** The relationship in the path, if any. */
  readonly relationship?: RelationshipField
}

const fromAll: Scope = { is: 'all' }
const fromOne: Scope = { is: 'one' }

/**
 * Plans a collection: every one of a type, or those related to one resource.
 * @throws ApiError | ManyErrors (400) with every fault of the query
 */
export function planCollection(model: Model, query: ApiQuery, target: Target): ReadPlan {
  const { relationship } = target
  const resource = relationship ? typeNamed(model, relationship.to) : target.resource
  const values: unknown[] = []
  const [, where, order, page, parts] = together(
    () => refuse(query.faults),
    () => planFilter(query.filter, resource, model, values),
    () => planSort(query.sort, resource, model),
    () => planPage(query.page, model),
    () => planShown(model, query, resource),
  )
  const shape = {
    type: resource.type,
    scope: scopeOf(target),
    where,
    order,
    isPaged: page !== undefined,
    ...parts,
  }
  return { ...planned(shape, query, target), values, page }
}

/**
 * Plans one resource: the path's own, or the one that a to-one relationship leads to.
 * A valid sort or page changes nothing there; a filter is refused (SERVICE §5).
 * @throws ApiError | ManyErrors (400) with every fault of the query
 */
export function planOne(model: Model, query: ApiQuery, target: Target): ReadPlan {
  const { relationship } = target
  const resource = relationship ? typeNamed(model, relationship.to) : target.resource
  const [, , , , parts] = together(
    () => refuse(query.faults),
    () => refuseFilter(query),
    () => planSort(query.sort, resource, model),
    () => planPage(query.page, model),
    () => planShown(model, query, resource),
  )
  const shape = {
    type: resource.type,
    scope: scopeOf(target),
    where: undefined,
    order: [],
    isPaged: false,
    ...parts,
  }
  return planned(shape, query, target)
}

/**
 * Plans the linkage of a relationship: identifiers, all of them unless a page is asked for.
 * Paths to include start with the relationship's own name.
 * @throws ApiError | ManyErrors (400) with every fault of the query
 */
export function planLinkage(model: Model, query: ApiQuery, target: Required<Target>): ReadPlan {
  const { relationship } = target
  const related = typeNamed(model, relationship.to)
  const values: unknown[] = []
  const isPaged =
    relationship.many && (query.page.size !== undefined || query.page.number !== undefined)
  const [, where, order, page, parts] = together(
    () => refuse(query.faults),
    () =>
      relationship.many ? planFilter(query.filter, related, model, values) : refuseFilter(query),
    () => planSort(query.sort, related, model),
    () =>
      planPage(isPaged ? query.page : {}, {
        ...model,
        maxPageSize: isPaged ? model.maxPageSize : undefined,
      }),
    () => planLinkageShown(model, query, target),
  )
  const shape = {
    type: related.type,
    scope: scopeOf(target),
    where,
    order,
    isPaged: isPaged && page !== undefined,
    ...parts,
  }
  const absence = { type: target.resource.type, parameter: 'id' }
  return { ...planned(shape, query, target), values, page: isPaged ? page : undefined, absence }
}

/**
 * Checks the query of a path that takes no parameter at all.
 * @throws ApiError | ManyErrors (400) with every fault and every parameter
 */
export function checkNoQuery(query: ApiQuery): void {
  const unused = query.pairs.map(([name]) => {
    return new ParameterError(
      'unknown_parameter',
      name,
      `The parameter ${quoted(name)} has no meaning here.`,
    )
  })
  const faulty = new Set(
    query.faults.map((fault) => fault instanceof ParameterError && fault.parameter),
  )
  refuse([...query.faults, ...unused.filter(({ parameter }) => !faulty.has(parameter))])
}

type Shown = Pick<ReadShape, 'primary' | 'included' | 'steps'>

function planShown(model: Model, query: ApiQuery, resource: ResourceType): Shown {
  const { fieldsets, steps } = planIncluded(model, query, resource)
  const { layoutOf, included } = layoutsFor(steps, fieldsets, model)
  return {
    primary: layoutOf(resource.type),
    included,
    steps: steps.map((step) => locate(step, layoutOf)),
  }
}

/** Fieldsets that do not hold up hide nothing, so that the paths are still checked and all faults told at once. */
function planIncluded(model: Model, query: ApiQuery, resource: ResourceType) {
  const errors: ApiError[] = []
  const fieldsets = attempt(() => planFields(query.fields, model), errors) ?? new Map()
  const steps =
    attempt(() => planInclude(query.include ?? [], resource, fieldsets, model), errors) ?? []
  refuse(errors)
  return { fieldsets, steps }
}

function planLinkageShown(
  model: Model,
  query: ApiQuery,
  { resource, relationship }: Required<Target>,
): Shown {
  const { fieldsets, steps } = planIncluded(model, query, resource)
  const other = steps.find(
    ({ from, relationship: name }) => from === -1 && name !== relationship.name,
  )
  if (other !== undefined) {
    const detail = `include: paths start with ${JSON.stringify(relationship.name)} here, not with ${JSON.stringify(other.relationship)}.`
    throw new ParameterError('invalid_include', 'include', detail)
  }
  const { layoutOf, included } = layoutsFor(steps, fieldsets, model)
  const located = steps.map((step) =>
    step.from === -1 ? { ...step, at: 0, many: false } : locate(step, layoutOf),
  )
  return { primary: identifierLayout(relationship.to), included, steps: located }
}

/** A type has one layout in a document, so that the same resource looks the same however it was reached. */
function layoutsFor(steps: readonly IncludeStep[], fieldsets: Fieldsets, model: Model) {
  const layoutOf = (type: string): RowLayout => {
    const followed = steps.filter((step) => step.type === type).map((step) => step.relationship)
    return planLayout(typeNamed(model, type), fieldsets, new Set(followed))
  }
  return { layoutOf, included: [...new Set(steps.map(({ to }) => to))].map(layoutOf) }
}

function locate(step: IncludeStep, layoutOf: (type: string) => RowLayout): IncludeRead {
  const layout = layoutOf(step.type)
  const many = layout.linkages.some(
    (linkage) => linkage.relationship === step.relationship && linkage.many,
  )
  return { ...step, at: linkageIndex(layout, step.relationship), many }
}

function planned(shape: ReadShape, query: ApiQuery, target: Target): ReadPlan {
  return {
    shape: intern(shape),
    values: [],
    id: target.id,
    absence: absenceOf(target),
    page: undefined,
    hasIncluded: query.include !== undefined,
  }
}

function scopeOf({ resource, id, relationship }: Target): Scope {
  if (relationship) return { is: 'related', type: resource.type, relationship: relationship.name }
  return id === undefined ? fromAll : fromOne
}

function absenceOf({ resource, relationship }: Target): Absence {
  return {
    type: resource.type,
    parameter: relationship ? parentParameter(resource, relationship) : 'id',
  }
}

function refuseFilter(query: ApiQuery): undefined {
  const [first] = query.pairs.filter(([name]) => name.startsWith('filter'))
  if (first === undefined) return undefined
  const detail = `${first[0]}: only collections can be filtered; this path leads to one resource.`
  refuse([new ParameterError('invalid_filter', first[0], detail)])
}
