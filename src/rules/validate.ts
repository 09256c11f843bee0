import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type ApiError, BodyError, pointerStep, quoted, refuse } from '../errors/errors.ts'
import type { AttributeField, ResourceType } from '../model/model.ts'
import { type WritePlan, withValues } from '../plan/body.ts'
import { pointerTo } from '../plan/draft.ts'
import { storedAttributes } from '../plan/stored.ts'

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
  missing: readonly ApiError[],
  resource: ResourceType,
  stored: Attributes | undefined,
): Promise<WritePlan> {
  const faults = [...plan.faults, ...missing]
  const changed: Record<string, unknown> = {}
  for (const [index, column] of plan.shape.columns.entries()) {
    const field = column.is === 'attribute' ? resource.fields.get(column.name) : undefined
    if (field?.is !== 'attribute') continue
    const { name } = field
    const value = plan.values[index]
    if (stored && field.isFixed && !isSame(field, value, stored[name]))
      faults.push(fixed(field, stored))
    if (field.validate && value !== null) {
      const result = await field.validate['~standard'].validate(value)
      if (result.issues)
        faults.push(...result.issues.map((issue) => fieldFault(field, value, issue)))
      else if (!Object.is(result.value, value)) changed[name] = result.value
    }
  }
  // Links change no attribute: what is stored already does not stand in their way.
  const isWritten = plan.shape.columns.some(({ is }) => is === 'attribute')
  if (resource.validate && (!stored || isWritten)) {
    const told = new Set(faults.map(({ where }) => where))
    const whole = { ...everyAttribute(resource), ...stored, ...attributesOf(plan), ...changed }
    const { issues = [] } = await resource.validate['~standard'].validate(whole)
    const found = issues.map((issue) => resourceFault(resource, issue))
    faults.push(...found.filter(({ where }) => !told.has(where)))
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
  value: unknown,
  issue: StandardSchemaV1.Issue,
): BodyError {
  return new BodyError(
    'invalid_value',
    pointerTo(field) + pathOf(issue.path ?? []),
    `${field.name}: ${issue.message}; it is ${quoted(value)}.`,
  )
}

/** The first step of an issue's path names the attribute; an issue without a path is about the resource. */
function resourceFault(resource: ResourceType, issue: StandardSchemaV1.Issue): BodyError {
  const [first, ...rest] = issue.path ?? []
  const name = first === undefined ? undefined : keyOf(first)
  const field = name === undefined ? undefined : resource.fields.get(name)
  if (field === undefined)
    return new BodyError('invalid_value', '/data', `${resource.type}: ${issue.message}.`)
  return new BodyError(
    'invalid_value',
    pointerTo(field) + pathOf(rest),
    `${field.name}: ${issue.message}.`,
  )
}

type Step = PropertyKey | StandardSchemaV1.PathSegment

function keyOf(step: Step): string {
  return String(typeof step === 'object' ? step.key : step)
}

function pathOf(path: readonly Step[]): string {
  return path.map((step) => pointerStep(keyOf(step))).join('')
}
