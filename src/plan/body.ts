import { type ApiError, attempt, BodyError, quoted, refuse } from '../errors/errors.ts'
import { suggestion } from '../errors/nearest.ts'
import {
  type AttributeField,
  type Column,
  type Field,
  inverseOf,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import { type LinkageWords, pointerStep, type ResourceWords } from '../request/body.ts'
import { type Lookup, planLinkage } from './linkage.ts'
import type { Absence } from './read.ts'
import { intern } from './shape.ts'

/** A change to whom a relationship links: sets of a to-many, or the clearing of a to-one. */
export interface LinkChange {
  readonly relationship: string
  readonly change: 'add' | 'remove' | 'replace'
}

/** Everything of a write but the client's values. */
export interface WriteShape {
  readonly type: string
  /** The columns of the row itself. */
  readonly columns: readonly Column[]
  readonly links: readonly LinkChange[]
}

/** A resource in the path that must be there for the write to be. */
export interface Required {
  readonly absence: Absence
  readonly id: string
}

/** A write whose document is understood. What the database alone can tell is left to check: `needs` and `lookups`. */
export interface WritePlan {
  readonly shape: WriteShape
  /** The row to change; `undefined` for one to be made. */
  readonly id: string | undefined
  /** Beside the columns of the shape. */
  readonly columnValues: readonly unknown[]
  /** Beside the links of the shape: the ids of each. */
  readonly linkIds: readonly (readonly string[])[]
  /** The resource in the path: 404 when it is not there, whatever else is wrong. */
  readonly needs: Required | undefined
  /** Related resources that must be there. */
  readonly lookups: readonly Lookup[]
  /** What is wrong with the document's values, to be told with what the lookups find. */
  readonly faults: readonly ApiError[]
}

/** A relationship of one resource, as a path names it. */
export interface RelationshipTarget {
  readonly resource: ResourceType
  readonly relationship: RelationshipField
  readonly id: string
}

/** A draft of a write: what each member of the document adds to. */
interface Draft {
  readonly columns: Column[]
  readonly columnValues: unknown[]
  readonly links: LinkChange[]
  readonly linkIds: (readonly string[])[]
  readonly lookups: Lookup[]
  readonly faults: ApiError[]
}

const emptyDraft = (): Draft => ({
  columns: [],
  columnValues: [],
  links: [],
  linkIds: [],
  lookups: [],
  faults: [],
})

/**
 * Plans the creation of a resource, at a collection or under the resource it is to be linked to.
 *
 * @param resource - the type to create
 * @param parent - the relationship in the path, when the new resource is to be linked over it
 * @throws BodyError `type_conflict` (409), `client_id_forbidden` (403); other faults travel in the plan
 * @see JSON:API 1.0, Creating Resources; SERVICE §4
 */
export function planCreate(
  model: Model,
  words: ResourceWords,
  resource: ResourceType,
  parent?: RelationshipTarget,
): WritePlan {
  checkType(words, resource)
  if (model.clientIds === 'forbid' && words.id !== undefined) {
    const detail = `The server gives ${resource.type} its ids; leave out the id ${quoted(words.id)}.`
    throw new BodyError('client_id_forbidden', '/data/id', detail)
  }
  const draft = emptyDraft()
  addAttributes(words, resource, draft)
  addMissing(words, resource, draft)
  // A new row has no links that could be replaced.
  addRelationships(words, resource, model, draft, 'add')
  const needs = parent && linkToParent(words, parent, model, draft)
  return finished(resource, draft, undefined, needs)
}

/**
 * Plans the update of a resource: what the document names is replaced, all else is kept.
 *
 * @throws BodyError `type_conflict`, `id_conflict` (409); other faults travel in the plan
 * @see JSON:API 1.0, Updating Resources; SERVICE §4
 */
export function planUpdate(
  model: Model,
  words: ResourceWords,
  resource: ResourceType,
  id: string,
): WritePlan {
  checkType(words, resource)
  if (model.idMismatch === 'conflict' && words.id !== id) {
    const detail = `The path leads to the ${resource.type} ${quoted(id)}; the document is about ${quoted(words.id)}.`
    throw new BodyError('id_conflict', '/data/id', detail)
  }
  const draft = emptyDraft()
  addAttributes(words, resource, draft)
  addRelationships(words, resource, model, draft, 'replace')
  return finished(resource, draft, id, { absence: { type: resource.type, parameter: 'id' }, id })
}

/**
 * Plans a write to a relationship's own URL.
 *
 * @param change - what happens to the members named; a to-one is set by `add` and `replace` alike
 * @throws BodyError `invalid_document` (400) for one where many are meant, or many where one is; other faults travel in the plan
 * @see JSON:API 1.0, Updating Relationships; SERVICE §4
 */
export function planRelationshipWrite(
  model: Model,
  words: LinkageWords,
  target: RelationshipTarget,
  change: LinkChange['change'],
): WritePlan {
  const { resource, relationship, id } = target
  const draft = emptyDraft()
  const { ids, lookups, absentees, faults } = planLinkage(words, relationship, model, '/data')
  draft.faults.push(...faults)
  if (change !== 'remove') {
    draft.faults.push(...absentees)
    draft.lookups.push(...lookups)
  }
  if (relationship.many || change === 'remove') addLink(relationship, change, ids, draft)
  else addKey(relationship, ids, draft)
  return finished(resource, draft, id, { absence: { type: resource.type, parameter: 'id' }, id })
}

/** Plans a deletion. */
export function planDelete(resource: ResourceType, id: string): WritePlan {
  return finished(resource, emptyDraft(), id, {
    absence: { type: resource.type, parameter: 'id' },
    id,
  })
}

function finished(
  resource: ResourceType,
  draft: Draft,
  id: string | undefined,
  needs: Required | undefined,
): WritePlan {
  const { columns, links, columnValues, linkIds, lookups, faults } = draft
  const structural = faults.filter(({ status }) => status === 400)
  refuse(structural)
  return {
    shape: intern({ type: resource.type, columns, links }),
    id,
    columnValues,
    linkIds,
    needs,
    lookups,
    faults,
  }
}

function checkType(words: ResourceWords, resource: ResourceType): void {
  if (words.type === resource.type) return
  const detail = `The resources here are of the type "${resource.type}"; the document's is ${quoted(words.type)}.`
  throw new BodyError('type_conflict', '/data/type', detail)
}

function addAttributes(words: ResourceWords, resource: ResourceType, draft: Draft): void {
  for (const [name, value] of words.attributes) {
    const pointer = `/data/attributes${pointerStep(name)}`
    const field = name === 'id' ? resource.id : resource.fields.get(name)
    attempt(() => {
      if (field === undefined || field.is === 'relationship')
        throw unknownField(name, resource, pointer, 'attribute')
      // What is only ever told is discarded, so that a resource can be sent back as it was received.
      if (field.is === 'attribute' && field.writes)
        setColumn(field, readAttribute(field, value, pointer), draft)
    }, draft.faults)
  }
}

function readAttribute(field: AttributeField, value: unknown, pointer: string): unknown {
  if (value === null && !field.required) return null
  const reading = field.kind.readBody(value)
  if ('value' in reading) return reading.value
  throw new BodyError(
    'invalid_value',
    pointer,
    `${field.name} must be ${reading.expected}; it is ${quoted(value)}.`,
  )
}

function setColumn(field: AttributeField, value: unknown, draft: Draft): void {
  draft.columns.push({ column: field.column, form: field.kind.form })
  draft.columnValues.push(value)
}

function addMissing(words: ResourceWords, resource: ResourceType, draft: Draft): void {
  const sent = new Set(words.attributes.map(([name]) => name))
  for (const field of resource.fields.values()) {
    if (field.is !== 'attribute' || !field.required || sent.has(field.name)) continue
    const detail = `A ${resource.type} needs the attribute "${field.name}".`
    draft.faults.push(
      new BodyError('missing_value', `/data/attributes${pointerStep(field.name)}`, detail),
    )
  }
}

function addRelationships(
  words: ResourceWords,
  resource: ResourceType,
  model: Model,
  draft: Draft,
  change: 'add' | 'replace',
): void {
  for (const [name, linkage] of words.relationships) {
    const pointer = `/data/relationships${pointerStep(name)}`
    attempt(() => {
      const field = resource.fields.get(name)
      if (field?.is !== 'relationship') throw unknownField(name, resource, pointer, 'relationship')
      const { ids, lookups, absentees, faults } = planLinkage(
        linkage,
        field,
        model,
        `${pointer}/data`,
      )
      draft.faults.push(...faults, ...absentees)
      draft.lookups.push(...lookups)
      if (field.many) addLink(field, change, ids, draft)
      else addKey(field, ids, draft)
    }, draft.faults)
  }
}

function addLink(
  field: RelationshipField,
  change: LinkChange['change'],
  ids: readonly string[],
  draft: Draft,
): void {
  draft.links.push({ relationship: field.name, change })
  draft.linkIds.push(ids)
}

function addKey(field: RelationshipField, ids: readonly string[], draft: Draft): void {
  draft.columns.push({ column: field.link.here, form: 'id' })
  draft.columnValues.push(ids[0] ?? null)
}

/** `POST /persons/1/computers`: the new computer is hers; a document that says otherwise contradicts the path. */
function linkToParent(
  words: ResourceWords,
  { resource, relationship, id }: RelationshipTarget,
  model: Model,
  draft: Draft,
): Required {
  const inverse = inverseOf(model, resource, relationship)
  const said = words.relationships.find(([name]) => name === inverse?.name)
  if (inverse === undefined || said === undefined) {
    draft.columns.push({ column: relationship.link.there, form: 'id' })
    draft.columnValues.push(id)
  } else if (said[1].is !== 'one' || said[1].identifier.id !== id) {
    const detail = `The path links the new ${relationship.to} to the ${resource.type} ${quoted(id)}; "${inverse.name}" says otherwise.`
    draft.faults.push(
      new BodyError(
        'relationship_conflict',
        `/data/relationships${pointerStep(inverse.name)}`,
        detail,
      ),
    )
  }
  return { absence: { type: resource.type, parameter: 'id' }, id }
}

function unknownField(
  name: string,
  resource: ResourceType,
  pointer: string,
  what: 'attribute' | 'relationship',
): BodyError {
  const isWhat = (field: Field) => (field.is === 'relationship') === (what === 'relationship')
  const names = [...resource.fields.values()].filter(isWhat).map((field) => field.name)
  const known = suggestion(name, names, `${what}s`)
  return new BodyError(
    'unknown_field',
    pointer,
    `${resource.type} has no ${what} ${quoted(name)}; ${known}`,
  )
}
