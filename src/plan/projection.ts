import { attempt, emptyCollector, refuse } from '../errors/collector.ts'
import { ParameterError, quoted } from '../errors/errors.ts'
import { type Model, type RelationshipField, type ResourceType, typeNamed } from '../model/model.ts'
import type { ApiQuery } from '../parse/query.ts'
import { type Fieldsets, planFields, planLayout } from './fields.ts'
import { type IncludeStep, planInclude } from './include.ts'
import { identifierLayout, linkageIndex, type RowLayout } from './rows.ts'
import { intern, perShape } from './shape.ts'

/** One step of the inclusion as the store takes it: where the earlier rows hold the ids to fetch. */
export interface IncludeRead extends IncludeStep {
  /** The index of the linkage in rows of `type`; 0, the id itself, where the primary data is mere linkage. */
  readonly at: number
  readonly many: boolean
}

/** What of the resources a document shows. */
export interface Shown {
  readonly primary: RowLayout
  /** The layouts of included resources; of one type each. */
  readonly included: readonly RowLayout[]
  readonly steps: readonly IncludeRead[]
}

/**
 * Settles what a document of resources shows.
 * @throws ApiError | ManyErrors (400) with every fault of `fields` and `include`
 */
export function planShown(model: Model, query: ApiQuery, resource: ResourceType): Shown {
  const { fieldsets, steps } = planIncluded(model, query, resource)
  const { layoutOf, included } = layoutsFor(steps, fieldsets, model)
  return {
    primary: layoutOf(resource.type),
    included,
    steps: steps.map((step) => locate(step, layoutOf)),
  }
}

/**
 * Settles what a document of mere linkage shows: identifiers, and what is included over the relationship itself.
 * @throws ApiError | ManyErrors (400) with every fault of `fields` and `include`
 */
export function planShownLinkage(
  model: Model,
  query: ApiQuery,
  resource: ResourceType,
  relationship: RelationshipField,
): Shown {
  const { fieldsets, steps } = planIncluded(model, query, resource)
  const other = steps.find(
    ({ from, relationship: name }) => from === -1 && name !== relationship.name,
  )
  if (other !== undefined) {
    const detail = `include: paths start with ${quoted(relationship.name)} here, not with ${quoted(other.relationship)}.`
    throw new ParameterError('invalid_include', 'include', detail)
  }
  const { layoutOf, included } = layoutsFor(steps, fieldsets, model)
  const located = steps.map((step) =>
    step.from === -1 ? { ...step, at: 0, many: false } : locate(step, layoutOf),
  )
  return { primary: intern(identifierLayout(relationship.to)), included, steps: located }
}

/** Whether a step starts at primary data that is mere linkage, so that it leads to the very resources named there. */
export function startsAtLinkage(step: IncludeRead): boolean {
  return step.from === -1 && step.at === 0
}

/** Fieldsets that do not hold up hide nothing, so that the paths are still checked and all faults told at once. */
function planIncluded(model: Model, query: ApiQuery, resource: ResourceType) {
  const errors = emptyCollector()
  const fieldsets = attempt(() => planFields(query.fields, model), errors) ?? new Map()
  const steps =
    attempt(() => planInclude(query.include ?? [], resource, fieldsets, model), errors) ?? []
  refuse(errors)
  return { fieldsets, steps }
}

/** A type has one layout in a document, so that the same resource looks the same however it was reached. */
function layoutsFor(steps: readonly IncludeStep[], fieldsets: Fieldsets, model: Model) {
  const layoutOf = (type: string): RowLayout => {
    const resource = typeNamed(model, type)
    const followed = steps.filter((step) => step.type === type).map((step) => step.relationship)
    if (followed.length === 0 && !fieldsets.has(type)) return usualLayout(resource)
    return intern(planLayout(resource, fieldsets, new Set(followed)))
  }
  return { layoutOf, included: [...new Set(steps.map(({ to }) => to))].map(layoutOf) }
}

/** What is read and shown of a type of which a query says nothing; most are of this kind. */
const usualLayout = perShape((resource: ResourceType) =>
  intern(planLayout(resource, new Map(), new Set())),
)

function locate(step: IncludeStep, layoutOf: (type: string) => RowLayout): IncludeRead {
  const layout = layoutOf(step.type)
  const at = linkageIndex(layout, step.relationship)
  const many = layout.linkages.some(
    (linkage) => linkage.relationship === step.relationship && linkage.many,
  )
  return { ...step, at, many }
}
