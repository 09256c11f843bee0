import { type ErrorList, report, throwErrors } from '../errors/collector.ts'
import { BodyError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import type { Model, ResourceType } from '../model/model.ts'
import type { ParsedLinkage, ParsedResource } from '../parse/body.ts'
import { AccessDenied, createForbidden } from './access/access-denied.ts'
import { agreeOnId } from './id-columns.ts'
import type { ExistenceCheck } from './linkage.ts'
import { invalidSegments, normalizeId } from './path-id.ts'
import type { Planner } from './planner.ts'
import type { NotFoundSource } from './read.ts'
import type { VersionCondition } from './version-condition.ts'
import {
  type AddressedRelationship,
  addAttributes,
  addDefaults,
  addRelationship,
  addRelationships,
  createWriteBuilder,
  type LinkChange,
  linkToParent,
  type ParentLink,
  type WriteBuilder,
  type WriteColumn,
} from './write-builder.ts'
import type { Writer } from './write-rights.ts'
import { toFieldPointer } from './write-rights.ts'
import { listColumnNames } from './written-columns.ts'

/** The query shape of a write: the plan without the client's values. Equal shapes are one object (`QueryShapeCache`). */
export interface WriteShape {
  readonly type: string
  /** The row that is written: one that exists, a new one whose id the database generates, or a new one with an id. */
  readonly row: 'existing' | 'new' | 'newWithId'
  /** The columns of the row itself. */
  readonly columns: readonly WriteColumn[]
  readonly links: readonly LinkChange[]
  /** The join table relationship that links a new row to the resource in the path, if the new row's type has no inverse. */
  readonly parent: ParentLink | undefined
}

/** The operation of a request that writes; `relate` changes a relationship at its own address. */
export type WriteOperation = 'create' | 'update' | 'delete' | 'relate' | 'call'

/** A resource in the path that must exist. What `If-Match` demands is the `condition` of a plan. */
interface Precondition {
  readonly notFound: NotFoundSource
  readonly id: string
}

/** A validated write. What only the database can check remains: the precondition and the existence checks. */
export interface WritePlan {
  readonly shape: WriteShape
  /** The shape before validators and hooks changed the plan: the access rules are those of the request. */
  readonly requested: WriteShape
  /** The id of the row to change, or of a new row whose id the client sends. */
  readonly id: string | undefined
  /** The value of each column of the shape. */
  readonly values: readonly unknown[]
  /** The related ids of each link of the shape. */
  readonly linkIds: readonly (readonly string[])[]
  /** If it does not hold, the response is 404, whatever other errors there are. */
  readonly precondition: Precondition | undefined
  readonly existenceChecks: readonly ExistenceCheck[]
  /** Invalid values. They do not abort planning: they are reported together with missing related resources. */
  readonly errors: ErrorList
  /** The primary data of the document; `none` if the request has no document. */
  readonly document: 'resource' | 'linkage' | 'none'
  /** The operation of the request, whose access rules apply; `undefined` for what hooks write. */
  readonly operation: WriteOperation | undefined
  /** What the request demands of the version of the resource in the path; absent if it demands nothing. */
  readonly condition?: VersionCondition
  /** True if the server writes, which may change fields that are immutable for all others. */
  readonly isByServer: boolean
}

/** The options of a create. */
interface CreateOptions {
  /** The relationship in the path, over which the new resource is linked. */
  readonly parent?: AddressedRelationship | undefined
  /** The auth context, for the values that the server sets. */
  readonly auth?: unknown
  readonly writer?: Writer | undefined
}

/**
 * Plans the creation of a resource, in a collection or as a related resource.
 *
 * @param resource - the type to create
 * @throws BodyError `type_conflict` (409), `client_id_forbidden` (403); the plan holds all other errors
 * @see https://jsonapi.org/format/1.0/#crud-creating and `docs/service.md`, Endpoints
 */
export function planCreate(
  planner: Planner,
  parsed: ParsedResource,
  resource: ResourceType,
  { parent, auth, writer = 'client' }: CreateOptions = {},
): WritePlan {
  const { model } = planner
  checkType(parsed, resource)
  const builder = createWriteBuilder()
  // A later operation with this id would write another resource than the one that its client means.
  const isDiscarded = model.clientIds === 'discard' && writer === 'client' && !parsed.isOfOperation
  const id = resolveNewId(parsed, resource, builder, isDiscarded)
  const write = { resource, operation: 'create', writer } as const
  addAttributes(parsed, write, builder)
  addDefaults(parsed, resource, builder, { model, auth, id, writer })
  addRelationships(parsed, write, builder, model)
  const parentLink = parent && linkToParent(parsed, parent, model, builder)
  requireRelationships(parsed, resource, builder, { model, id })
  const isGenerated = id === undefined && resource.ids.generatedBy === 'database'
  return createPlan(planner, resource, builder, {
    row: isGenerated ? 'new' : 'newWithId',
    parent: parentLink,
    id,
    required: parent,
    document: 'resource',
    operation: 'create',
    writer,
  })
}

/**
 * Plans the update of a resource. Fields that the document does not contain keep their values.
 *
 * @throws BodyError `type_conflict`, `id_conflict` (409); the plan holds all other errors
 * @see https://jsonapi.org/format/1.0/#crud-updating and `docs/service.md`, Endpoints
 */
export function planUpdate(
  planner: Planner,
  parsed: ParsedResource,
  resource: ResourceType,
  id: string,
  writer: Writer = 'client',
): WritePlan {
  const { model } = planner
  checkType(parsed, resource)
  const { idMismatch } = (parsed.isOfOperation ? model.atomic : undefined) ?? model
  const mustAgree = idMismatch === 'conflict' || writer !== 'client'
  if (mustAgree && !isSameId(parsed.id, resource, id)) {
    const detail = `/data/id must be ${quote(id)}, the id in the URL; it is ${quote(parsed.id)}.`
    throw new BodyError('id_conflict', '/data/id', detail)
  }
  const builder = createWriteBuilder()
  const write = { resource, operation: 'update', writer } as const
  addAttributes(parsed, write, builder)
  addRelationships(parsed, write, builder, model)
  return createPlan(planner, resource, builder, {
    row: 'existing',
    id,
    required: { resource, id },
    document: 'resource',
    operation: 'update',
    writer,
  })
}

/**
 * Plans a write to a relationship URL.
 *
 * @param change - what happens to the identified members; `add` and `replace` both set a to-one relationship
 * @throws BodyError `invalid_document` (400) for a single identifier in a to-many relationship, or a list in a to-one; the
 *   plan holds all other errors
 * @see https://jsonapi.org/format/1.0/#crud-updating-relationships and `docs/service.md`, Relationships
 */
export function planRelationshipWrite(
  planner: Planner,
  linkage: ParsedLinkage,
  { resource, relationship, id }: AddressedRelationship,
  change: LinkChange['change'],
  writer: Writer = 'client',
): WritePlan {
  const builder = createWriteBuilder()
  if (relationship.isDenied && writer !== 'server') {
    const rule = `${resource.type}.fields.${relationship.name}.writable`
    const denied = new AccessDenied(change === 'remove' ? 'unlink' : 'link', {
      type: resource.type,
      id,
      rule,
    })
    report(builder.errors, () => createForbidden(denied))
  } else
    addRelationship(relationship, { linkage, pointer: '/data', change }, planner.model, builder)
  return createPlan(planner, resource, builder, {
    row: 'existing',
    id,
    required: { resource, id },
    document: 'linkage',
    operation: 'relate',
    writer,
  })
}

/** Plans the deletion of a resource. */
export function planDelete(planner: Planner, resource: ResourceType, id: string): WritePlan {
  return planWithoutDocument(planner, { resource, id }, 'delete')
}

/** Plans the checks of the resource in the path of an action: it exists, and the rules allow the call. */
export function planCallTarget(planner: Planner, resource: ResourceType, id: string): WritePlan {
  return planWithoutDocument(planner, { resource, id }, 'call')
}

function planWithoutDocument(
  planner: Planner,
  required: Readonly<{ resource: ResourceType; id: string }>,
  operation: 'delete' | 'call',
): WritePlan {
  const { resource, id } = required
  const target = { row: 'existing', id, required, document: 'none', operation } as const
  return createPlan(planner, resource, createWriteBuilder(), target)
}

/** Plans an update that changes nothing yet, for the values of hooks. */
export function planEmptyUpdate(planner: Planner, resource: ResourceType, id: string): WritePlan {
  const target = { row: 'existing', id, document: 'none' } as const
  return createPlan(planner, resource, createWriteBuilder(), target)
}

/** Whether the id of a document, in any spelling, is the id in the URL. */
function isSameId(sent: unknown, resource: ResourceType, id: string): boolean {
  return sent === id || (typeof sent === 'string' && normalizeId(resource, sent) === id)
}

/** What a plan contains besides the values of the document. */
interface PlanTarget extends Pick<WriteShape, 'row'>, Pick<WritePlan, 'id' | 'document'> {
  readonly parent?: WriteShape['parent']
  /** The resource in the path, which must exist. */
  readonly required?: Readonly<{ resource: ResourceType; id: string }> | undefined
  readonly operation?: WritePlan['operation'] | undefined
  readonly writer?: Writer
}

/** @throws ApiError | ManyErrors for errors in the structure of the document */
function createPlan(
  { model, shapes }: Planner,
  resource: ResourceType,
  builder: WriteBuilder,
  { row, parent, id, required, document, operation, writer }: PlanTarget,
): WritePlan {
  const { columns, links, values, linkIds, existenceChecks, structureErrors, errors } = builder
  if (resource.id.parts.length > 1 && !builder.isPending) {
    const row = { resource: resource.unrestricted ?? resource, model, id }
    agreeOnId(builder, row, { fields: resource.fields, document })
  }
  throwErrors(structureErrors)
  const shape = shapes.intern({ type: resource.type, columns, links, row, parent })
  return {
    shape,
    requested: shape,
    id,
    values,
    linkIds,
    precondition: required && {
      notFound: { type: required.resource.type, parameter: 'id' },
      id: required.id,
    },
    existenceChecks,
    errors,
    document,
    operation,
    isByServer: writer === 'server',
  }
}

function checkType(parsed: ParsedResource, resource: ResourceType): void {
  if (parsed.type === resource.type) return
  const detail = `/data/type must be "${resource.type}" here; it is ${quote(parsed.type)}.`
  throw new BodyError('type_conflict', '/data/type', detail)
}

/** The id of a new resource; `undefined` if the database or the server generates it, or after an error. */
function resolveNewId(
  { id, isOfOperation }: ParsedResource,
  { type, ids, id: field }: ResourceType,
  builder: WriteBuilder,
  isDiscarded: boolean,
): string | undefined {
  if (ids.fromClient === 'forbidden') {
    if (isDiscarded || id === undefined) return undefined
    const remedy = isOfOperation ? '; other operations name the resource by a lid' : ''
    const detail = `The server generates the ids of ${type}; remove the id ${quote(id)}${remedy}.`
    throw new BodyError('client_id_forbidden', '/data/id', detail)
  }
  if (id === undefined) {
    if (ids.fromClient === 'optional') return undefined
    const detail = `A new resource of type ${type} must have an id; the document has none.`
    report(builder.errors, () => new BodyError('missing_value', '/data/id', detail))
    return undefined
  }
  if (typeof id !== 'string')
    throw new BodyError(
      'invalid_document',
      '/data/id',
      `/data/id must be a string; it is ${quote(id)}.`,
    )
  return readNewId(id, type, field, builder)
}

function readNewId(
  id: string,
  type: string,
  { kind }: ResourceType['id'],
  builder: WriteBuilder,
): string | undefined {
  const result = kind.readBody(id)
  if ('value' in result && !invalidSegments.includes(String(result.value)))
    return String(result.value)
  const expected =
    'value' in result
      ? 'a text that a URL path segment can hold: not "", "." or ".."'
      : result.expected
  const detail = `The id of a resource of type ${type} must be ${expected}; it is ${quote(id)}.`
  report(builder.errors, () => new BodyError('invalid_value', '/data/id', detail))
  return undefined
}

/**
 * Reports the required relationships of a new resource that neither the document nor the URL sets. The columns of a composite id may
 * have their values from the id that the client sends, or from other fields.
 * @param id - the id that the client sends
 */
function requireRelationships(
  parsed: ParsedResource,
  resource: ResourceType,
  { columns, errors }: WriteBuilder,
  { model, id }: Readonly<{ model: Model; id: string | undefined }>,
): void {
  for (const field of resource.fields.values()) {
    if (field.is !== 'relationship' || !field.required) continue
    if (parsed.relationships.some(([name, linkage]) => name === field.name && linkage)) continue
    const written = columns.flatMap((column) => listColumnNames(column, resource, model))
    const known = id === undefined ? written : [...written, ...resource.id.columns]
    if (field.link.ownKey.every((name) => known.includes(name))) continue
    const detail = `A new resource of type ${resource.type} must have the relationship "${field.name}".`
    report(errors, () => new BodyError('missing_value', toFieldPointer(field), detail))
  }
}
