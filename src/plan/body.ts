import { type ErrorList, refuse, report } from '../errors/collector.ts'
import { BodyError, quoted } from '../errors/errors.ts'
import type { Model, ResourceType } from '../model/model.ts'
import type { LinkageWords, ResourceWords } from '../parse/body.ts'
import type { Lookup } from './linkage.ts'
import type { Absence } from './read.ts'
import { intern } from './shape.ts'
import { readId } from './target.ts'
import {
  addAttributes,
  addMissing,
  addRelationship,
  addRelationships,
  type Draft,
  emptyDraft,
  type LinkChange,
  linkToParent,
  ownValue,
  type ParentLink,
  type RelationshipTarget,
  type WriteColumn,
} from './write-builder.ts'

/** Everything of a write but the client's values. */
export interface WriteShape {
  readonly type: string
  /** How the row comes about: it is there, the database gives it its id, or the client or the store does. */
  readonly row: 'there' | 'new' | 'newWithId'
  /** The columns of the row itself. */
  readonly columns: readonly WriteColumn[]
  readonly links: readonly LinkChange[]
  /** The relationship over whose join table a new row is linked to the resource in the path, where its type has none. */
  readonly parent: ParentLink | undefined
}

/** A resource in the path that must be there for the write to be. */
export interface Required {
  readonly absence: Absence
  readonly id: string
}

/** A write whose document is understood. What the database alone can tell is left to check: `needs` and `lookups`. */
export interface WritePlan {
  readonly shape: WriteShape
  /** That of the row to change, or of the row to make where the client gives it. */
  readonly id: string | undefined
  /** Beside the columns of the shape. */
  readonly values: readonly unknown[]
  /** Beside the links of the shape: the ids of each. */
  readonly linkIds: readonly (readonly string[])[]
  /** The resource in the path: 404 when it is not there, whatever else is wrong. */
  readonly needs: Required | undefined
  /** Related resources that must be there. */
  readonly lookups: readonly Lookup[]
  /** What is wrong with the document's values, to be told with what the lookups find. */
  readonly faults: ErrorList
  /** What the document is: a resource, mere linkage, or there is none. */
  readonly document: 'resource' | 'linkage' | 'none'
}

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
  const draft = emptyDraft()
  const id = readNewId(words, resource, model, draft)
  addAttributes(words, resource, draft)
  addMissing(words, resource, draft)
  // A new row has no links that could be replaced.
  addRelationships(words, resource, model, draft, 'add')
  const over = parent && linkToParent(words, parent, model, draft)
  return {
    ...planned(resource, draft, {
      row: id === undefined && resource.ids.by === 'database' ? 'new' : 'newWithId',
      parent: over,
    }),
    id,
    needs: parent && { absence: { type: parent.resource.type, parameter: 'id' }, id: parent.id },
  }
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
  if (model.idMismatch === 'conflict' && !isIdOf(words.id, resource, id)) {
    const detail = `The path leads to the ${resource.type} ${quoted(id)}; the document is about ${quoted(words.id)}.`
    throw new BodyError('id_conflict', '/data/id', detail)
  }
  const draft = emptyDraft()
  addAttributes(words, resource, draft)
  addRelationships(words, resource, model, draft, 'replace')
  return { ...planned(resource, draft), ...itself(resource, id) }
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
  linkage: LinkageWords,
  { resource, relationship, id }: RelationshipTarget,
  change: LinkChange['change'],
): WritePlan {
  const draft = emptyDraft()
  addRelationship(relationship, { linkage, pointer: '/data', change }, model, draft)
  return { ...planned(resource, draft), ...itself(resource, id), document: 'linkage' }
}

/** Plans a deletion. */
export function planDelete(resource: ResourceType, id: string): WritePlan {
  return { ...planned(resource, emptyDraft()), ...itself(resource, id), document: 'none' }
}

/**
 * The same plan with other values of attributes, be they in it already or not; whoever calls knows that they may be stored.
 * @param values - by name, null or of the attribute's kind
 * @throws Error for a name that is no stored attribute's, or a value that is none of its kind
 */
export function withValues(
  plan: WritePlan,
  values: Readonly<Record<string, unknown>>,
  resource: ResourceType,
): WritePlan {
  const columns = [...plan.shape.columns]
  const all = [...plan.values]
  for (const [name, value] of Object.entries(values)) {
    const field = resource.fields.get(name)
    if (field?.is !== 'attribute' || field.column === undefined)
      throw new Error(`${resource.type} has no stored attribute ${quoted(name)}.`)
    const known = columns.findIndex((column) => column.is === 'attribute' && column.name === name)
    const at = known === -1 ? columns.push({ is: 'attribute', name }) - 1 : known
    all[at] = ownValue(field, value)
  }
  return { ...plan, shape: intern({ ...plan.shape, columns }), values: all }
}

/** Whether what was sent as an id is the id, in whatever spelling. */
function isIdOf(sent: unknown, resource: ResourceType, id: string): boolean {
  return typeof sent === 'string' && readId(resource, sent) === id
}

/** The resource in the path is the one to write. */
function itself({ type }: ResourceType, id: string): Pick<WritePlan, 'id' | 'needs'> {
  return { id, needs: { absence: { type, parameter: 'id' }, id } }
}

function planned(
  { type }: ResourceType,
  { columns, links, values, linkIds, lookups, malformed, faults }: Draft,
  made: Pick<WriteShape, 'row' | 'parent'> = { row: 'there', parent: undefined },
): WritePlan {
  refuse(malformed)
  return {
    shape: intern({ type, columns, links, ...made }),
    id: undefined,
    values,
    linkIds,
    needs: undefined,
    lookups,
    faults,
    document: 'resource',
  }
}

function checkType(words: ResourceWords, resource: ResourceType): void {
  if (words.type === resource.type) return
  const detail = `The resources here are of the type "${resource.type}"; the document's is ${quoted(words.type)}.`
  throw new BodyError('type_conflict', '/data/type', detail)
}

/** Texts that no path can have as a step: nothing, and those that URLs take for steps on the way (RFC 3986 §5.2.4). */
const noStep: readonly string[] = ['', '.', '..']

/** The id that a create gives to the new resource; `undefined` leaves it to the database. */
function readNewId(
  { id }: ResourceWords,
  { type, ids, id: field }: ResourceType,
  model: Model,
  draft: Draft,
): string | undefined {
  if (ids.client === 'refused') {
    if (model.clientIds === 'discard' || id === undefined) return undefined
    const detail = `The server gives ${type} its ids; leave out the id ${quoted(id)}.`
    throw new BodyError('client_id_forbidden', '/data/id', detail)
  }
  if (id === undefined) {
    if (ids.client === 'optional') return undefined
    const detail = `A ${type} is created with an id; the document has none.`
    report(draft.faults, () => new BodyError('missing_value', '/data/id', detail))
    return undefined
  }
  if (typeof id !== 'string')
    throw new BodyError(
      'invalid_document',
      '/data/id',
      `/data/id must be a string; it is ${quoted(id)}.`,
    )
  const reading = field.kind.readBody(id)
  if ('value' in reading && !noStep.includes(String(reading.value))) return String(reading.value)
  const expected =
    'value' in reading
      ? 'a text that can stand in a path, neither empty nor dots'
      : reading.expected
  const detail = `The id of a ${type} must be ${expected}; it is ${quoted(id)}.`
  report(draft.faults, () => new BodyError('invalid_value', '/data/id', detail))
  return undefined
}
