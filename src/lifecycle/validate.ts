import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  type ErrorCollector,
  type ErrorList,
  emptyCollector,
  report,
  reportAll,
  throwErrors,
} from '../errors/collector.ts'
import { BodyError, pointerToken } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { describeImmutable } from '../model/check/describe-read-only.ts'
import type { StoredResource } from '../model/declare/hooks.ts'
import {
  type AttributeField,
  findRelationship,
  type Model,
  type ResourceType,
} from '../model/model.ts'
import { applyFieldValues } from '../plan/field-values.ts'
import { listParts } from '../plan/id-columns.ts'
import type { Planner } from '../plan/planner.ts'
import { listStoredAttributes } from '../plan/stored-columns.ts'
import type { WritePlan } from '../plan/write.ts'
import type { WriteColumn } from '../plan/write-builder.ts'
import { toFieldPointer } from '../plan/write-rights.ts'

/** What is stored of a resource before an update. */
interface StoredBefore extends StoredResource {
  /** The related ids of each immutable relationship that the document contains, by name, as the identity sees them. */
  readonly related: Readonly<Record<string, readonly string[]>>
}

/** The attributes of a resource by name. */
type Attributes = Readonly<Record<string, unknown>>

/** What a validation needs besides the write. */
interface ValidateOptions {
  /** Errors about related resources that do not exist. */
  readonly missing: ErrorList
  /** The stored resource; `undefined` for a new one, and where nothing needs it. */
  readonly before: StoredBefore | undefined
  /** The fields that errors must not name, because they do not exist for the identity. */
  readonly hidden: ReadonlySet<string> | undefined
}

/**
 * Validates a write: immutable fields, the validators of attributes and the validator of the resource. It reports all
 * errors of the document together.
 *
 * @returns the plan with the values that the validators returned
 * @throws ApiError | ManyErrors with every error of the document
 */
export async function validateWrite(
  planner: Planner,
  plan: WritePlan,
  resource: ResourceType,
  { missing, before, hidden }: ValidateOptions,
): Promise<WritePlan> {
  const stored = before?.attributes
  const errors = emptyCollector()
  reportAll(errors, plan.errors)
  reportAll(errors, missing)
  if (before && !plan.isByServer) reportImmutableRelationships(plan, before, resource, errors)
  const named: NamedResource = { resource, hidden }
  const changed = await validateAttributes(plan, stored, { ...named, model: planner.model }, errors)
  if (resource.validate) {
    const written = {
      ...readKeyAttributes(plan, resource, planner.model),
      ...getAttributes(plan),
      ...changed,
    }
    // A change of relationships alone changes no other attribute, so invalid stored attributes do not prevent it.
    if (!stored || Object.keys(written).length > 0)
      await validateResource({ ...stored, ...written }, named, plan, errors)
  }
  throwErrors(errors)
  return Object.keys(changed).length === 0
    ? plan
    : applyFieldValues(planner, plan, changed, resource)
}

/** A resource type, and the fields that errors must not name. */
interface NamedResource extends Pick<ValidateOptions, 'hidden'> {
  readonly resource: ResourceType
}

/** Checks the immutable attributes, and runs the validators of attributes. @returns the values that validators changed, by name */
async function validateAttributes(
  plan: WritePlan,
  stored: Attributes | undefined,
  { model, ...named }: NamedResource & Readonly<{ model: Model }>,
  errors: ErrorCollector,
): Promise<Attributes> {
  const { resource } = named
  const changed: Record<string, unknown> = {}
  for (const [index, column] of plan.shape.columns.entries()) {
    const field = column.is === 'attribute' ? resource.fields.get(column.name) : undefined
    if (field?.is !== 'attribute') continue
    const value = plan.values[index]
    // A part of the id has been compared with it.
    const isChecked = column.omits !== undefined || plan.isByServer
    if (stored && field.isImmutable && !isChecked && !isEqual(field, value, stored[field.name]))
      report(errors, () => immutableError(field, stored, model))
    if (field.validate && value !== null) {
      const result = await validateValue(value, { field, validator: field.validate }, named, errors)
      if (!Object.is(result, value)) changed[field.name] = result
    }
  }
  return changed
}

/** Returns the attributes that a plan writes. */
export function getAttributes({ shape, values }: WritePlan): Attributes {
  return Object.fromEntries(
    shape.columns.flatMap((column, index) =>
      column.is === 'attribute' ? [[column.name, values[index]]] : [],
    ),
  )
}

/** @returns the value that the validator returned, or the value itself when it is not valid */
async function validateValue(
  value: unknown,
  { field, validator }: Readonly<{ field: AttributeField; validator: StandardSchemaV1 }>,
  { resource, hidden }: NamedResource,
  errors: ErrorCollector,
): Promise<unknown> {
  const result = await validator['~standard'].validate(value)
  if (!result.issues) return result.value
  const sent = quote(value)
  for (const issue of result.issues)
    report(errors, () =>
      // The server has set the value.
      hidden?.has(field.name)
        ? new BodyError('invalid_value', '/data', `${resource.type}: ${issue.message}.`)
        : attributeError(field, sent, issue),
    )
  return value
}

/**
 * Reports the immutable relationships that an update would change. It may repeat them: many clients send back all that they have
 * received. So they are compared with what the identity sees: the id of a hidden resource is a change, like any other id.
 */
function reportImmutableRelationships(
  { shape, values, linkIds }: WritePlan,
  before: StoredBefore,
  resource: ResourceType,
  errors: ErrorCollector,
): void {
  const sent = [
    ...shape.columns.flatMap((column, index) =>
      // A key that is a part of the id has been compared with it.
      column.is === 'key' && !isPartOfId(column, resource)
        ? [[column.relationship, toIdList(values[index])] as const]
        : [],
    ),
    ...shape.links.map((link, index) => [link.relationship, linkIds[index] ?? []] as const),
  ]
  for (const [name, ids] of sent) {
    const field = findRelationship(resource, name)
    if (!field?.isImmutable) continue
    if (isSameSet(ids, before.related[name] ?? [])) continue
    report(
      errors,
      () => new BodyError('read_only', toFieldPointer(field), describeImmutable(field)),
    )
  }
}

/** Whether all columns of a foreign key are parts of the id, which has their values. */
function isPartOfId(
  { relationship, omits }: Extract<WriteColumn, { is: 'key' }>,
  resource: ResourceType,
): boolean {
  return findRelationship(resource, relationship)?.link.ownKey.length === omits?.length
}

/** The ids of the value of a to-one relationship. */
export function toIdList(id: unknown): readonly string[] {
  return id === null || id === undefined ? [] : [String(id)]
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && new Set([...one, ...other]).size === one.length
}

/** @param attributes - stored and written; the validator receives null for every other attribute */
async function validateResource(
  attributes: Attributes,
  named: NamedResource,
  { document }: WritePlan,
  errors: ErrorCollector,
): Promise<void> {
  const { resource } = named
  // A location that has an error already gets no second one.
  const reported = new Set(errors.errors.map(({ location }) => location))
  const nulls = Object.fromEntries(listStoredAttributes(resource).map(({ name }) => [name, null]))
  const result = await resource.validate?.['~standard'].validate({ ...nulls, ...attributes })
  for (const issue of result?.issues ?? []) {
    // Other documents do not contain the attributes.
    const pointer = document === 'resource' ? getPointer(named, issue) : '/data'
    if (!reported.has(pointer)) report(errors, () => resourceError(named, issue, pointer))
  }
}

/** Two values of a kind are equal if they serialize to the same JSON. */
export function isEqual({ kind }: AttributeField, one: unknown, other: unknown): boolean {
  if (one === null || other === null || other === undefined) return one === (other ?? null)
  return kind.serialize(one) === kind.serialize(other)
}

function immutableError(field: AttributeField, stored: Attributes, { access }: Model): BodyError {
  // Whether the request may read the value depends on the identity.
  const value = access === undefined ? `; it is ${quote(stored[field.name])}` : ''
  const detail = `${field.name} cannot be changed after the resource is created${value}.`
  return new BodyError('invalid_value', toFieldPointer(field), detail)
}

function attributeError(
  field: AttributeField,
  sent: string,
  { message, path = [] }: StandardSchemaV1.Issue,
): BodyError {
  const detail = `${field.name}: ${message}; it is ${sent}.`
  return new BodyError('invalid_value', toFieldPointer(field) + formatPointer(path), detail)
}

function resourceError(
  named: NamedResource,
  issue: StandardSchemaV1.Issue,
  pointer: string,
): BodyError {
  const name = findField(named, issue)?.name ?? named.resource.type
  return new BodyError('invalid_value', pointer, `${name}: ${issue.message}.`)
}

/** Returns the JSON Pointer of an issue of a resource's validator. An issue without a path is about the resource. */
function getPointer(named: NamedResource, issue: StandardSchemaV1.Issue): string {
  const field = findField(named, issue)
  const [, ...path] = issue.path ?? []
  return field === undefined ? '/data' : toFieldPointer(field) + formatPointer(path)
}

/** The first element of an issue's path is the name of the attribute. One that does not exist for the identity is none. */
function findField({ resource, hidden }: NamedResource, { path = [] }: StandardSchemaV1.Issue) {
  const [first] = path
  const name = first === undefined ? '' : getKey(first)
  return hidden?.has(name) ? undefined : resource.fields.get(name)
}

type PathElement = PropertyKey | StandardSchemaV1.PathSegment

function getKey(element: PathElement): string {
  return String(typeof element === 'object' ? element.key : element)
}

function formatPointer(path: readonly PathElement[]): string {
  return path.map((element) => pointerToken(getKey(element))).join('')
}

/**
 * Reads the attributes of a type that are stored in the foreign key columns that a plan writes, e.g. `author_id` next to the
 * relationship `author`. Keys that reference another column than the id are not known before the write, and are omitted.
 *
 * @returns the values by the names of the attributes
 */
function readKeyAttributes(
  { shape, values }: WritePlan,
  resource: ResourceType,
  model: Model,
): Record<string, unknown> {
  const attributes = listStoredAttributes(resource)
  const entries = shape.columns.flatMap((column, index): [string, unknown][] =>
    attributes.flatMap((field): [string, unknown][] => {
      const text = findKeyPart(field, column, values[index], { resource, model })
      if (text === undefined) return []
      const result = text === null ? { value: null } : field.kind.readFilterText(text)
      return 'value' in result ? [[field.name, result.value]] : []
    }),
  )
  return Object.fromEntries(entries)
}

/** The part of a written foreign key that an attribute stores; `undefined` if it stores none, or one that is not known. */
function findKeyPart(
  { column: name }: AttributeField,
  column: WriteColumn,
  value: unknown,
  row: Readonly<{ resource: ResourceType; model: Model }>,
): string | null | undefined {
  if (column.is === 'attribute') return undefined
  return listParts(column, value, row).find((part) => part.name === name)?.text
}
