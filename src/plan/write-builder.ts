import { attempt, type ErrorCollector, emptyCollector, report } from '../errors/collector.ts'
import { BodyError, pointerToken } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { suggest } from '../errors/suggestion.ts'
import { computeAuthValue } from '../model/declare/access.ts'
import { mayHideRow } from '../model/hides-rows.ts'
import { isReservedName } from '../model/kinds/member-names.ts'
import type { InvalidElement } from '../model/kinds/value-result.ts'
import {
  type AttributeField,
  findInverse,
  getResourceType,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import type { ParsedLinkage, ParsedResource } from '../parse/body.ts'
import {
  createRelatedNotFound,
  createTypeConflict,
  type ExistenceCheck,
  readIdentifierId,
  resolveLinkage,
} from './linkage.ts'
import { normalizeId } from './path-id.ts'
import {
  checkFieldWrite,
  createFieldForbidden,
  type FieldWrite,
  findNamedField,
  isUnknown,
  toFieldPointer,
} from './write-rights.ts'

/** A change of links that are stored outside the row: those of a to-many, or of a to-one whose key is in the other table. */
export interface LinkChange {
  readonly relationship: string
  readonly change: 'add' | 'remove' | 'replace'
}

/** A relationship of the resource in the path, over which a new resource is linked. */
export interface ParentLink {
  readonly type: string
  readonly relationship: string
}

/**
 * A column of the written row: an attribute, the foreign key of a to-one relationship, or the foreign key to the resource in
 * the path if only that resource's type declares the relationship.
 */
export type WriteColumn = (
  | Readonly<{ is: 'attribute'; name: string }>
  | Readonly<{ is: 'key'; relationship: string }>
  | Readonly<{ is: 'parent' } & ParentLink>
) & {
  /** The columns of a composite id that have the value already, from the id or from another field (`id-columns.ts`). */
  readonly omits?: readonly string[]
}

/** A relationship of one resource, as a URL addresses it. */
export interface AddressedRelationship {
  readonly resource: ResourceType
  readonly relationship: RelationshipField
  readonly id: string
}

/** The parts of a write plan; each member of the document adds to them. */
export interface WriteBuilder {
  readonly columns: WriteColumn[]
  /** The value of each column. */
  readonly values: unknown[]
  readonly links: LinkChange[]
  /** The related ids of each link. */
  readonly linkIds: (readonly string[])[]
  readonly existenceChecks: ExistenceCheck[]
  /** Errors in the structure of the document. If there are any, no others are reported. */
  readonly structureErrors: ErrorCollector
  readonly errors: ErrorCollector
  /** Whether an id is not known yet, so that the plan only shows which errors the document has. */
  isPending: boolean
}

/** Creates an empty builder. */
export function createWriteBuilder(): WriteBuilder {
  return {
    columns: [],
    values: [],
    links: [],
    linkIds: [],
    existenceChecks: [],
    structureErrors: emptyCollector(),
    errors: emptyCollector(),
    isPending: false,
  }
}

/**
 * Adds the attributes of a document. Of a client, ignores read-only ones, so that it can send back what it received, and the
 * reserved names `links` and `relationships`, which no attribute has: Jsona adds `links` to attributes that it sends back.
 * @see https://jsonapi.org/format/1.0/#document-resource-object-attributes
 */
export function addAttributes(
  parsed: ParsedResource,
  write: FieldWrite,
  builder: WriteBuilder,
): void {
  const { resource, writer } = write
  for (const name of Object.keys(parsed.attributes)) {
    const field = name === 'id' ? resource.id : findNamedField(name, write)
    if (field === undefined || field.is === 'relationship' || isUnknown(field, write)) {
      if (writer !== 'client' || !isReservedName(name))
        report(builder.errors, () => unknownField(name, resource, 'attribute'))
    } else if (checkFieldWrite(field, write, builder.errors)) {
      const value = parsed.attributes[name]
      // A BodyError would tell clients of a field that does not exist for them.
      if (name === 'id' || resource.fields.has(name)) addAttribute(field, value, builder)
      else addServerValue(field, value, builder)
    }
  }
}

function addAttribute(field: AttributeField, value: unknown, builder: WriteBuilder): void {
  const isNull = value === null && field.acceptsNull
  const result = isNull ? { value } : field.kind.readBody(value)
  if ('value' in result) {
    builder.columns.push({ is: 'attribute', name: field.name })
    builder.values.push(result.value)
  } else if (result.elements) reportElements(field, result.elements, builder)
  else {
    report(builder.errors, () => {
      const detail = `${field.name} must be ${result.expected}; it is ${quote(value)}.`
      return new BodyError('invalid_value', toFieldPointer(field), detail)
    })
  }
}

/** Adds an error for each invalid element of an array. */
function reportElements(
  field: AttributeField,
  elements: readonly InvalidElement[],
  { errors }: WriteBuilder,
): void {
  for (const { index, expected, value } of elements) {
    report(errors, () => {
      const detail = `${field.name}[${index}] must be ${expected}; it is ${quote(value)}.`
      return new BodyError('invalid_value', `${toFieldPointer(field)}/${index}`, detail)
    })
  }
}

/** What the values of a create depend on besides its document. */
interface DefaultOptions extends Pick<FieldWrite, 'writer'> {
  readonly model: Model
  readonly auth: unknown
  /** The id that the client sends. */
  readonly id: string | undefined
}

/**
 * Adds the values that the server sets from the auth context, the defaults of attributes that the document of a create omits, and
 * errors for required ones without a default. Fields that do not exist for the identity are set too. A value that the server sends
 * takes the place of all of them.
 */
export function addDefaults(
  parsed: ParsedResource,
  resource: ResourceType,
  builder: WriteBuilder,
  options: DefaultOptions,
): void {
  const { model, auth, writer } = options
  const isServer = writer === 'server'
  const linked = isServer ? new Set(parsed.relationships.map(([name]) => name)) : undefined
  const { fields } = resource.unrestricted ?? resource
  for (const field of fields.values()) {
    const isSent = Object.hasOwn(parsed.attributes, field.name)
    if (linked && (isSent || linked.has(field.name))) continue
    if (field.is === 'relationship') {
      if (field.set) setToOne(field, computeAuthValue(field.set, auth), model, builder)
    } else if (field.is === 'attribute') {
      if (field.set) addServerValue(field, computeAuthValue(field.set, auth) ?? null, builder)
      else if (!field.isWritable || !isSent) addDefault(field, resource, builder, options)
    }
  }
}

/** Adds the default of an attribute that a create omits, or an error for a required one without a default. */
function addDefault(
  field: AttributeField,
  resource: ResourceType,
  builder: WriteBuilder,
  { id }: DefaultOptions,
): void {
  if (field.makeDefault) {
    // The id of the client contains the value.
    if (id === undefined || !resource.id.columns.includes(field.column ?? ''))
      addServerValue(field, field.makeDefault(), builder)
  } else if (field.required && resource.fields.has(field.name)) {
    const detail = `A new resource of type ${resource.type} must have the attribute "${field.name}".`
    report(builder.errors, () => new BodyError('missing_value', toFieldPointer(field), detail))
  }
}

/** Adds a value that the server sets. @throws Error if it is not one of the field's kind */
function addServerValue(field: AttributeField, value: unknown, builder: WriteBuilder): void {
  builder.columns.push({ is: 'attribute', name: field.name })
  builder.values.push(convertServerValue(field, value))
}

/** Sets the own foreign key of a to-one relationship. @throws Error if the value is not an id of the related type */
function setToOne(
  { name, to }: RelationshipField,
  value: unknown,
  model: Model,
  { columns, values }: WriteBuilder,
): void {
  const isNone = value === null || value === undefined
  const id = isNone ? null : normalizeId(getResourceType(model, to), String(value))
  if (id === undefined)
    throw new Error(`${name} must be an id of ${to}; auth(…) returned another value.`)
  columns.push({ is: 'key', relationship: name })
  values.push(id)
}

/**
 * Reads a value that the application returned, from a hook, a validator or a default, as a value of the field's kind.
 * @throws Error if it is not one
 */
export function convertServerValue({ name, kind }: AttributeField, value: unknown): unknown {
  if (value === null) return null
  const result = kind.readBody(value)
  if ('value' in result) return result.value
  throw new Error(
    `${name} must be ${result.expected}; a hook, validator or default returned ${quote(value)}.`,
  )
}

/** Adds the relationships of a document. Of a client, ignores read-only ones, as it does attributes, and those without `data`. */
export function addRelationships(
  parsed: ParsedResource,
  write: FieldWrite,
  builder: WriteBuilder,
  model: Model,
): void {
  for (const [name, linkage] of parsed.relationships) {
    const field = findNamedField(name, write)
    if (field?.is !== 'relationship') {
      report(builder.errors, () => unknownField(name, write.resource, 'relationship'))
      continue
    }
    if (linkage === undefined || !checkFieldWrite(field, write, builder.errors)) continue
    const location = toFieldPointer(field)
    // A new row has no links to replace.
    const change = write.operation === 'create' ? 'add' : 'replace'
    const sent = { linkage, pointer: `${location}/data`, location, change } as const
    addRelationship(field, sent, model, builder)
  }
}

/** The linkage of one relationship in a document. */
interface SentLinkage {
  readonly linkage: ParsedLinkage
  /** Its position in the document. */
  readonly pointer: string
  /** The position of the relationship. Default: `pointer`. */
  readonly location?: string
  readonly change: LinkChange['change']
}

/** Adds the linkage of one relationship. */
export function addRelationship(
  field: RelationshipField,
  sent: SentLinkage,
  model: Model,
  builder: WriteBuilder,
): void {
  const linkage = isRefusedNull(field, sent, model)
    ? report(builder.errors, () => createNullError(field, sent))
    : attempt(
        () => resolveLinkage(sent.linkage, field, model, sent.pointer),
        builder.structureErrors,
      )
  if (linkage === undefined) return
  const { ids, existenceChecks, invalidIds, wrongType } = linkage
  builder.isPending ||= linkage.isPending
  for (const identifier of wrongType)
    report(builder.errors, () => createTypeConflict(identifier, field))
  // A removed member need not exist.
  if (sent.change !== 'remove') {
    for (const check of invalidIds) report(builder.errors, () => createRelatedNotFound(check))
    for (const check of existenceChecks) builder.existenceChecks.push(check)
  }
  addLink(field, ids, sent.change, builder)
}

/** Adds the change of a relationship: a foreign key of the row, or links outside of it. */
function addLink(
  field: RelationshipField,
  ids: readonly string[],
  change: LinkChange['change'],
  builder: WriteBuilder,
): void {
  if (isInRow(field) && change !== 'remove') {
    builder.columns.push({ is: 'key', relationship: field.name })
    builder.values.push(ids[0] ?? null)
    return
  }
  const isSet = !field.many && change !== 'remove'
  builder.links.push({ relationship: field.name, change: isSet ? 'replace' : change })
  builder.linkIds.push(ids)
}

function createNullError({ name, to }: RelationshipField, sent: SentLinkage): BodyError {
  const detail = `${name} must be a resource identifier of type ${to}; it is null.`
  return new BodyError('invalid_value', sent.location ?? sent.pointer, detail)
}

/**
 * Whether a document sets a to-one relationship to null that must not be. An update may send back the null of a response: it stands
 * for a hidden resource (docs/decisions/0020), so only the database knows whether it changes anything.
 */
function isRefusedNull(
  field: RelationshipField,
  { linkage, change }: SentLinkage,
  model: Model,
): boolean {
  if (linkage.is !== 'none' || field.acceptsNull || !isInRow(field)) return false
  return change === 'add' || !mayHideRow(model, getResourceType(model, field.to))
}

/** Whether the row itself contains the foreign key of a relationship. */
export function isInRow({ many, link }: RelationshipField): boolean {
  return !many && link.foreignKey === 'own'
}

/**
 * Links a new resource to the resource in the path, as in `POST /persons/1/computers`. It is an error if the document links it
 * to another one, except over a join table, where it may have several links.
 *
 * @returns the join table relationship of the parent that links the new row; `undefined` if the builder contains the link
 */
export function linkToParent(
  parsed: ParsedResource,
  { resource, relationship, id }: AddressedRelationship,
  model: Model,
  builder: WriteBuilder,
): ParentLink | undefined {
  const inverse = findInverse(model, resource, relationship)
  if (relationship.isDenied || inverse?.set) {
    const field = inverse?.set ? inverse : relationship
    report(builder.errors, () => createFieldForbidden(field, resource, 'create'))
  }
  const parentLink: ParentLink = { type: resource.type, relationship: relationship.name }
  if (relationship.link.foreignKey === 'join table') {
    if (inverse === undefined) return parentLink
    addMember(inverse.name, id, builder)
    return undefined
  }
  const [, sent] = parsed.relationships.find(([name]) => name === inverse?.name) ?? []
  if (inverse === undefined || sent === undefined || !inverse.isWritable) {
    builder.columns.push(
      inverse ? { is: 'key', relationship: inverse.name } : { is: 'parent', ...parentLink },
    )
    builder.values.push(id)
  } else if (sent.is !== 'one' || readIdentifierId(resource, sent.identifier) !== id)
    report(builder.errors, () => createLinkConflict(inverse, resource, id))
  return undefined
}

/** Creates the error of a document that links the new resource to another one than the URL. */
function createLinkConflict(
  inverse: RelationshipField,
  resource: ResourceType,
  id: string,
): BodyError {
  const detail = `The URL links the new resource to that of type ${resource.type} with id ${quote(id)}; "${inverse.name}" must be the same or be omitted.`
  return new BodyError('relationship_conflict', toFieldPointer(inverse), detail)
}

/** Adds a member to a to-many relationship of a new row, in addition to the members of the document. */
function addMember(relationship: string, id: string, { links, linkIds }: WriteBuilder): void {
  const existing = links.findIndex((link) => link.relationship === relationship)
  const index = existing === -1 ? links.push({ relationship, change: 'add' }) - 1 : existing
  linkIds[index] = [...new Set([...(linkIds[index] ?? []), id])]
}

function unknownField(
  name: string,
  resource: ResourceType,
  label: 'attribute' | 'relationship',
): BodyError {
  const names = [...resource.fields.values()]
    .filter(({ is }) => (is === 'relationship') === (label === 'relationship'))
    .map((field) => field.name)
  const known = suggest(name, names, `${label}s`)
  return new BodyError(
    'unknown_field',
    `/data/${label}s${pointerToken(name)}`,
    `${resource.type} has no ${label} ${quote(name)}; ${known}`,
  )
}
