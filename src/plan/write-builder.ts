import { attempt, type ErrorCollector, emptyCollector, report } from '../errors/collector.ts'
import { BodyError, pointerStep, quoted } from '../errors/errors.ts'
import { suggestion } from '../errors/suggestion.ts'
import {
  type AttributeField,
  type Field,
  inverseOf,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import type { LinkageWords, ResourceWords } from '../parse/body.ts'
import { absent, type Lookup, planLinkage, typeConflict } from './linkage.ts'
import { readId } from './target.ts'

/** A change to whom a relationship links: sets of a to-many, or a to-one whose key is not in the row itself. */
export interface LinkChange {
  readonly relationship: string
  readonly change: 'add' | 'remove' | 'replace'
}

/** A relationship of the resource in the path. */
export interface ParentLink {
  readonly type: string
  readonly relationship: string
}

/**
 * A column of the row that is written: an attribute's, that of a to-one's key, or that of the key which links a new row to
 * the resource in the path, over a relationship that only the latter has.
 */
export type WriteColumn =
  | Readonly<{ is: 'attribute'; name: string }>
  | Readonly<{ is: 'key'; relationship: string }>
  | Readonly<{ is: 'parent' } & ParentLink>

/** A relationship of one resource, as a path names it. */
export interface RelationshipTarget {
  readonly resource: ResourceType
  readonly relationship: RelationshipField
  readonly id: string
}

/** A write as it is put together: what each member of the document adds to. */
export interface Draft {
  readonly columns: WriteColumn[]
  /** Beside `columns`. */
  readonly values: unknown[]
  readonly links: LinkChange[]
  /** Beside `links`: the ids of each. */
  readonly linkIds: (readonly string[])[]
  readonly lookups: Lookup[]
  /** What is wrong with the structure of the document: the only errors where there are any. */
  readonly malformed: ErrorCollector
  readonly faults: ErrorCollector
}

/** A draft of nothing. */
export function emptyDraft(): Draft {
  return {
    ...{ columns: [], values: [], links: [], linkIds: [], lookups: [] },
    malformed: emptyCollector(),
    faults: emptyCollector(),
  }
}

/** Adds the attributes of a document; one that is only ever told is discarded, so that a resource can be sent back. */
export function addAttributes(words: ResourceWords, resource: ResourceType, draft: Draft): void {
  for (const [name, value] of words.attributes) {
    const field = name === 'id' ? resource.id : resource.fields.get(name)
    if (field === undefined || field.is === 'relationship')
      report(draft.faults, () => unknownField(name, resource, 'attribute'))
    else if (field.is === 'attribute' && field.writes) readAttribute(field, value, draft)
  }
}

function readAttribute(field: AttributeField, value: unknown, draft: Draft): void {
  const isNone = value === null && !field.required
  const reading = isNone ? { value } : field.kind.readBody(value)
  if ('value' in reading) setAttribute(field, reading.value, draft)
  else {
    report(draft.faults, () => {
      const detail = `${field.name} must be ${reading.expected}; it is ${quoted(value)}.`
      return new BodyError('invalid_value', pointerTo(field), detail)
    })
  }
}

function setAttribute({ name }: AttributeField, value: unknown, draft: Draft): void {
  draft.columns.push({ is: 'attribute', name })
  draft.values.push(value)
}

/** Adds what the document of a create leaves out: defaults, and faults where something is required. */
export function addMissing(words: ResourceWords, resource: ResourceType, draft: Draft): void {
  const sent = new Set(words.attributes.map(([name]) => name))
  for (const field of resource.fields.values()) {
    if (field.is !== 'attribute' || (field.writes && sent.has(field.name))) continue
    if (field.makeDefault) {
      setAttribute(field, ownValue(field, field.makeDefault()), draft)
    } else if (field.required) {
      const detail = `A ${resource.type} needs the attribute "${field.name}".`
      report(draft.faults, () => new BodyError('missing_value', pointerTo(field), detail))
    }
  }
}

/**
 * A value that the service's own code gives, read as the field's kind.
 * @throws Error when it is none
 */
export function ownValue({ name, kind }: AttributeField, value: unknown): unknown {
  if (value === null) return null
  const reading = kind.readBody(value)
  if ('value' in reading) return reading.value
  throw new Error(
    `${name} must be ${reading.expected}; the service's own code gave ${quoted(value)}.`,
  )
}

/** Adds the relationships of a document; one that nobody may write is discarded, as attributes are. */
export function addRelationships(
  words: ResourceWords,
  resource: ResourceType,
  model: Model,
  draft: Draft,
  change: 'add' | 'replace',
): void {
  for (const [name, linkage] of words.relationships) {
    const field = resource.fields.get(name)
    if (field?.is !== 'relationship')
      report(draft.faults, () => unknownField(name, resource, 'relationship'))
    else if (field.writes)
      addRelationship(field, { linkage, pointer: `${pointerTo(field)}/data`, change }, model, draft)
  }
}

/** Adds what a document says of one relationship, and where it says it. */
export function addRelationship(
  field: RelationshipField,
  said: Readonly<{ linkage: LinkageWords; pointer: string; change: LinkChange['change'] }>,
  model: Model,
  draft: Draft,
): void {
  const linkage = attempt(
    () => planLinkage(said.linkage, field, model, said.pointer),
    draft.malformed,
  )
  if (linkage === undefined) return
  const { ids, lookups, unreadable, wrongType } = linkage
  for (const each of wrongType) report(draft.faults, () => typeConflict(each, field))
  // Whoever is to be unlinked need not be there.
  if (said.change !== 'remove') {
    for (const each of unreadable) report(draft.faults, () => absent(each))
    for (const each of lookups) draft.lookups.push(each)
  }
  if (holdsKey(field) && said.change !== 'remove') {
    draft.columns.push({ is: 'key', relationship: field.name })
    draft.values.push(ids[0] ?? null)
  } else {
    const change = field.many || said.change === 'remove' ? said.change : 'replace'
    draft.links.push({ relationship: field.name, change })
    draft.linkIds.push(ids)
  }
}

/** Whether the key of a relationship stands in the row itself. */
function holdsKey({ many, link }: RelationshipField): boolean {
  return !many && link.key === 'here'
}

/**
 * `POST /persons/1/computers`: the new computer is hers; a document that says otherwise contradicts the path.
 * Over a join table there can be more links, so nothing contradicts. Where the new resource has a relationship to its
 * parent, it is linked by that.
 *
 * @returns the parent's relationship over whose join table the new row is to be linked; `undefined` where the draft does it
 */
export function linkToParent(
  words: ResourceWords,
  { resource, relationship, id }: RelationshipTarget,
  model: Model,
  draft: Draft,
): ParentLink | undefined {
  const inverse = inverseOf(model, resource, relationship)
  const own: ParentLink = { type: resource.type, relationship: relationship.name }
  if (relationship.link.key === 'between') {
    if (inverse === undefined) return own
    addMember(inverse.name, id, draft)
    return undefined
  }
  const said = words.relationships.find(([name]) => name === inverse?.name)
  if (inverse === undefined || said === undefined || !inverse.writes) {
    draft.columns.push(
      inverse ? { is: 'key', relationship: inverse.name } : { is: 'parent', ...own },
    )
    draft.values.push(id)
  } else if (said[1].is !== 'one' || readId(resource, said[1].identifier.id) !== id) {
    const detail = `The path links the new ${relationship.to} to the ${resource.type} ${quoted(id)}; "${inverse.name}" says otherwise.`
    report(draft.faults, () => new BodyError('relationship_conflict', pointerTo(inverse), detail))
  }
  return undefined
}

/** Adds a member to a relationship of a new row, beside those that the document names. */
function addMember(relationship: string, id: string, { links, linkIds }: Draft): void {
  const known = links.findIndex((link) => link.relationship === relationship)
  const at = known === -1 ? links.push({ relationship, change: 'add' }) - 1 : known
  linkIds[at] = [...new Set([...(linkIds[at] ?? []), id])]
}

function unknownField(
  name: string,
  resource: ResourceType,
  what: 'attribute' | 'relationship',
): BodyError {
  const isWhat = (field: Field) => (field.is === 'relationship') === (what === 'relationship')
  const names = [...resource.fields.values()].filter(isWhat).map((field) => field.name)
  const known = suggestion(name, names, `${what}s`)
  return new BodyError(
    'unknown_field',
    `/data/${what}s${pointerStep(name)}`,
    `${resource.type} has no ${what} ${quoted(name)}; ${known}`,
  )
}

/** Where a document of a resource tells of a field (RFC 6901). */
export function pointerTo({ is, name }: Pick<Field, 'is' | 'name'>): string {
  return `/data/${is === 'relationship' ? 'relationships' : 'attributes'}${pointerStep(name)}`
}
