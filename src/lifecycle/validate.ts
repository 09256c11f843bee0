import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type ErrorList, emptyCollector, refuse, report, reportAll } from '../errors/collector.ts'
import { BodyError, pointerStep, quoted } from '../errors/errors.ts'
import type { AttributeField, ResourceType } from '../model/model.ts'
import { type WritePlan, withValues } from '../plan/body.ts'
import { storedAttributes } from '../plan/stored-columns.ts'
import { pointerTo } from '../plan/write-builder.ts'

/** The attributes of a resource by name. */
export type Attributes = Readonly<Record<string, unknown>>

/**
 * Holds a write against what its declaration demands beyond the kinds: validators, and what must not change.
 *
 * @param missing - what examining the plan found
 * @param stored - the attributes as they are; `undefined` for a resource to be made
 * @returns the plan, its values as validators left them
 * @throws ApiError | ManyErrors with every fault of the document
 */
export async function checked(
  plan: WritePlan,
  missing: ErrorList,
  resource: ResourceType,
  stored: Attributes | undefined,
): Promise<WritePlan> {
  const faults = emptyCollector()
  reportAll(faults, plan.faults)
  reportAll(faults, missing)
  const changed: Record<string, unknown> = {}
  for (const [index, column] of plan.shape.columns.entries()) {
    const field = column.is === 'attribute' ? resource.fields.get(column.name) : undefined
    if (field?.is !== 'attribute') continue
    const { name } = field
    const value = plan.values[index]
    if (stored && field.isFixed && !isSame(field, value, stored[name]))
      report(faults, () => fixed(field, stored))
    if (field.validate && value !== null) {
      const result = await field.validate['~standard'].validate(value)
      if (result.issues) {
        const shown = quoted(value)
        for (const issue of result.issues) report(faults, () => fieldFault(field, shown, issue))
      } else if (!Object.is(result.value, value)) changed[name] = result.value
    }
  }
  // Links change no attribute: what is stored already does not stand in their way.
  const isWritten = plan.shape.columns.some(({ is }) => is === 'attribute')
  if (resource.validate && (!stored || isWritten)) {
    const told = new Set(faults.errors.map(({ where }) => where))
    const whole = { ...everyAttribute(resource), ...stored, ...attributesOf(plan), ...changed }
    const { issues = [] } = await resource.validate['~standard'].validate(whole)
    for (const issue of issues)
      if (!told.has(placeOf(resource, issue))) report(faults, () => resourceFault(resource, issue))
  }
  refuse(faults)
  return Object.keys(changed).length === 0 ? plan : withValues(plan, changed, resource)
}

/** What a plan writes of the attributes, by name. */
export function attributesOf({ shape, values }: WritePlan): Attributes {
  return Object.fromEntries(
    shape.columns.flatMap((column, index) =>
      column.is === 'attribute' ? [[column.name, values[index]]] : [],
    ),
  )
}

function everyAttribute(resource: ResourceType): Attributes {
  return Object.fromEntries(storedAttributes(resource).map(({ name }) => [name, null]))
}

/** Equal values are told alike. */
function isSame({ kind }: AttributeField, one: unknown, other: unknown): boolean {
  if (one === null || other === null || other === undefined) return one === (other ?? null)
  return kind.tell(one) === kind.tell(other)
}

function fixed(field: AttributeField, stored: Attributes): BodyError {
  const detail = `${field.name} is set when the resource is created and stays as it is, ${quoted(stored[field.name])}.`
  return new BodyError('invalid_value', pointerTo(field), detail)
}

function fieldFault(
  field: AttributeField,
  shown: string,
  issue: StandardSchemaV1.Issue,
): BodyError {
  return new BodyError(
    'invalid_value',
    pointerTo(field) + pathOf(issue.path ?? []),
    `${field.name}: ${issue.message}; it is ${shown}.`,
  )
}

/** The first step of an issue's path names the attribute; an issue without a path is about the resource. */
function fieldOf({ fields }: ResourceType, { path = [] }: StandardSchemaV1.Issue) {
  const [first] = path
  return first === undefined ? undefined : fields.get(keyOf(first))
}

/** Where in the document an issue of a whole resource lies. */
function placeOf(resource: ResourceType, issue: StandardSchemaV1.Issue): string {
  const field = fieldOf(resource, issue)
  return field === undefined ? '/data' : pointerTo(field) + pathOf((issue.path ?? []).slice(1))
}

function resourceFault(resource: ResourceType, issue: StandardSchemaV1.Issue): BodyError {
  const name = fieldOf(resource, issue)?.name ?? resource.type
  return new BodyError('invalid_value', placeOf(resource, issue), `${name}: ${issue.message}.`)
}

type Step = PropertyKey | StandardSchemaV1.PathSegment

function keyOf(step: Step): string {
  return String(typeof step === 'object' ? step.key : step)
}

function pathOf(path: readonly Step[]): string {
  return path.map((step) => pointerStep(keyOf(step))).join('')
}
