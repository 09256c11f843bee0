import { type ErrorCollector, emptyCollector, refuse, report } from '../errors/collector.ts'
import { ParameterError, quoted } from '../errors/errors.ts'
import { suggestion } from '../errors/suggestion.ts'
import { type Model, type ResourceType, relationshipOf, typeNamed } from '../model/model.ts'
import { type Fieldsets, isShown } from './fields.ts'

/** One step of the paths to include: from the resources of an earlier step, over a relationship, to others. */
export interface IncludeStep {
  /** The number of the earlier step; −1 is the primary data. */
  readonly from: number
  /** The type that has the relationship. */
  readonly type: string
  readonly relationship: string
  readonly to: string
}

/** More steps in one path than any document needs. */
const longestPath = 20
/** More steps in all paths than any document needs; each costs a statement. */
const mostSteps = 100

/**
 * Gives the paths of an include their meaning: each step once, those before it first.
 *
 * @param paths - names of relationships
 * @param resource - where the paths start
 * @param fieldsets - a step whose relationship is not listed for its type ends its path there (the seed's rule)
 * @throws ApiError | ManyErrors `invalid_include` (400) for every path that does not exist
 * @see SERVICE §5; seed §4.1 include, fields
 */
export function planInclude(
  paths: readonly (readonly string[])[],
  resource: ResourceType,
  fieldsets: Fieldsets,
  model: Model,
): IncludeStep[] {
  const plan: IncludePlan = { fieldsets, model, steps: [], indexes: new Map() }
  const errors = emptyCollector()
  for (const path of paths) addPath(path, resource, plan, errors)
  refuse(errors)
  if (plan.steps.length <= mostSteps) return plan.steps
  throw refusal(
    `include asks for ${plan.steps.length} different steps; at most ${mostSteps} are served.`,
  )
}

/** The steps of the paths read so far. */
interface IncludePlan {
  readonly fieldsets: Fieldsets
  readonly model: Model
  readonly steps: IncludeStep[]
  /** The numbers of the steps, by where they start and what they follow. */
  readonly indexes: Map<string, number>
}

function addPath(
  path: readonly string[],
  resource: ResourceType,
  plan: IncludePlan,
  errors: ErrorCollector,
): void {
  if (path.length > longestPath) {
    report(errors, () =>
      refusal(`include: ${quoted(path.join('.'))} has more than ${longestPath} steps.`),
    )
    return
  }
  let at = resource
  let from = -1
  let isFollowed = true
  for (const name of path) {
    const field = relationshipOf(at, name)
    if (field === undefined) {
      const type = at
      report(errors, () => unknown(name, type, quoted(path.join('.'))))
      return
    }
    isFollowed &&= isShown(plan.fieldsets, at.type, name)
    if (isFollowed) from = stepFor({ from, type: at.type, relationship: name, to: field.to }, plan)
    at = typeNamed(plan.model, field.to)
  }
}

function stepFor(step: IncludeStep, { steps, indexes }: IncludePlan): number {
  const key = `${step.from} ${step.relationship}`
  const known = indexes.get(key)
  if (known !== undefined) return known
  const index = steps.push(step) - 1
  indexes.set(key, index)
  return index
}

function unknown(name: string, at: ResourceType, path: string): ParameterError {
  const names = [...at.fields.values()]
    .filter(({ is }) => is === 'relationship')
    .map((field) => field.name)
  const known = suggestion(name, names, `relationships of ${at.type}`)
  return refusal(`include: ${at.type} has no relationship ${quoted(name)}, in ${path}; ${known}`)
}

function refusal(detail: string): ParameterError {
  return new ParameterError('invalid_include', 'include', detail)
}
