import { requireImmediate } from '../errors/require-immediate.ts'
import { traitsOf } from '../model/kinds/codec-names.ts'
import { flattenText } from '../model/kinds/texts.ts'
import {
  type Field,
  getResourceType,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import { toStoredValue } from '../plan/fields.ts'
import type { IncludedMembers, MemberPage } from '../plan/include-page.ts'
import {
  createCountValue,
  findShownLinkage,
  findValueIndex,
  type Row,
  type RowLayout,
} from '../plan/row-layout.ts'
import { createVersions } from '../plan/version.ts'
import { generateConcatenation, generateRecordBuilder, type RowPart } from './code-generation.ts'
import { encodeId, serializeAddress } from './links.ts'

/** Serializes a row to the JSON text of a resource object or an identifier object. */
export type RowSerializer = (row: Row) => string

/**
 * Compiles the serializer of a row layout. It computes here, once, everything that does not depend on the row.
 *
 * @param prefix - the beginning of every path; may be empty
 * @see https://jsonapi.org/format/1.0/#document-resource-objects
 */
export function compileSerializer(layout: RowLayout, model: Model, prefix: string): RowSerializer {
  const resource = getResourceType(model, layout.type)
  const path = prefix + resource.path
  const attributes = layout.attributes.map((name) =>
    createAttributeTemplate(getField(resource, name), layout),
  )
  const relationships = layout.relationships.map((name) =>
    createRelationshipTemplate(getField(resource, name), layout, { model, path }),
  )
  const getVersion = layout.version === 'shown' ? createVersions(model)(layout) : null
  const meta: Template = getVersion ? ['"},"meta":{"version":"', getVersion, '"}}'] : ['"}}']
  const serialize = compileTemplate([
    ...createIdentifierTemplate(resource, 0),
    ...createMemberTemplate('attributes', attributes),
    ...createMemberTemplate('relationships', relationships),
    `,"links":{"self":"${path}/`,
    idSegmentPart,
    ...meta,
  ])
  return (row) => serialize(row, encodeId(resource, `${row[0]}`))
}

/** Compiles the serializer of rows as identifier objects. */
export function compileIdentifierSerializer(resource: ResourceType): RowSerializer {
  const serialize = compileTemplate([...createIdentifierTemplate(resource, 0), '}'])
  return (row) => serialize(row, '')
}

const idSegmentPart: RowPart = (_row, idSegment) => idSegment

/** Returns `,"attributes":{…}`, or nothing without attributes to show. */
function createMemberTemplate(name: string, fields: readonly Template[]): Template {
  if (fields.length === 0) return []
  const members = fields.flatMap((field, index) => (index === 0 ? field : [',', ...field]))
  return [`,"${name}":{`, ...members, '}']
}

function createAttributeTemplate(field: Field, layout: RowLayout): Template {
  const name = `${JSON.stringify(field.name)}:`
  switch (field.is) {
    case 'attribute': {
      const index = findValueIndex(layout, toStoredValue(field))
      const { serialize, codec } = field.kind
      if (traitsOf(codec).needsNoEscaping)
        return [name, (row) => (row[index] === null ? 'null' : `"${row[index]}"`)]
      return [name, (row) => serializeNullable(row[index], serialize)]
    }
    case 'computed': {
      const columns = field.columns.map(([column]) => column)
      const indexes = field.columns.map(([column, { kind }]) =>
        findValueIndex(layout, { column, codec: kind.codec }),
      )
      const buildInput = generateRecordBuilder(columns.length)(columns, indexes)
      const { serialize } = field.kind
      return [name, (row) => serializeNullable(field.compute(buildInput(row)), serialize)]
    }
    case 'relationship':
      throw new Error(`${layout.type}.${field.name} is not an attribute.`)
  }
}

function serializeNullable(value: unknown, serialize: (value: unknown) => string): string {
  if (value === null || value === undefined) return 'null'
  // Most values are texts and numbers.
  if (typeof value === 'object') requireImmediate(value, 'The function of an attribute')
  return serialize(value)
}

/** @param base.path - the path of the collection of the resource */
function createRelationshipTemplate(
  field: Field,
  layout: RowLayout,
  base: Readonly<{ model: Model; path: string }>,
): Template {
  if (field.is !== 'relationship')
    throw new Error(`${layout.type}.${field.name} is not a relationship.`)
  const segment = encodeURIComponent(field.name)
  if (isPaged(field, layout)) return createPagedTemplate(field, layout, base)
  return [
    `${JSON.stringify(field.name)}:{"links":{"self":"${base.path}/`,
    idSegmentPart,
    `/relationships/${segment}","related":"${base.path}/`,
    idSegmentPart,
    `/${segment}"}`,
    ...createLinkageTemplate(field, layout, base.model),
    ...createCountTemplate(field, layout),
    '}',
  ]
}

/** Whether the rows of a layout list a page of the related resources. */
function isPaged({ name }: RelationshipField, { linkages }: RowLayout): boolean {
  return linkages.some((linkage) => linkage.relationship === name && linkage.isPaged)
}

/**
 * The template of a relationship of which rows list a page of members: with links to the pages of the relationship, and with `meta.page`.
 * @see https://jsonapi.org/format/1.0/#document-resource-object-relationships
 */
function createPagedTemplate(
  field: RelationshipField,
  layout: RowLayout,
  { model, path }: Readonly<{ model: Model; path: string }>,
): Template {
  const index = findShownLinkage(layout, field.name)
  const count = findValueIndex(layout, createCountValue(field.name))
  const serializeIds = createIdentifierListPart(getResourceType(model, field.to), index)
  const segment = encodeURIComponent(field.name)
  // The row layout guarantees the members of a page, or null for a row that no include path leads on from.
  const membersOf = (row: Row) => row[index] as IncludedMembers | null
  return [
    `${JSON.stringify(field.name)}:{"links":{"self":"${path}/`,
    idSegmentPart,
    `/relationships/${segment}","related":"${path}/`,
    idSegmentPart,
    `/${segment}"`,
    (row, idSegment) => {
      const page = membersOf(row)?.page
      if (!page?.isSized) return ''
      const address = `${path}/${idSegment}/relationships/${segment}`
      const link = (query: string | null) =>
        query === null ? 'null' : serializeAddress(address + query)
      return `,"prev":${link(page.previous)},"next":${link(page.next)}`
    },
    '}',
    (row, idSegment) =>
      membersOf(row) === null ? '' : `,"data":[${serializeIds(row, idSegment)}]`,
    (row) => serializePageMeta(membersOf(row)?.page, count === -1 ? undefined : row[count]),
    '}',
  ]
}

/** Serializes `meta` of a relationship of which a page is listed. @param count - of all related resources; absent: not requested */
function serializePageMeta(page: MemberPage | undefined, count: unknown): string {
  const total = count === undefined ? undefined : Number(count)
  const meta = {
    ...(total !== undefined && { count: total }),
    ...(page?.isFiltered && { filtered: true }),
    ...(page?.isSized && {
      page: {
        hasMore: page.hasMore,
        ...(total !== undefined && !page.isFiltered && { total }),
      },
    }),
  }
  return Object.keys(meta).length === 0 ? '' : `,"meta":${JSON.stringify(meta)}`
}

function createLinkageTemplate(
  field: RelationshipField,
  layout: RowLayout,
  model: Model,
): Template {
  const index = findShownLinkage(layout, field.name)
  if (index === -1) return []
  const related = getResourceType(model, field.to)
  if (field.many) return [',"data":[', createIdentifierListPart(related, index), ']']
  const serialize = compileTemplate([...createIdentifierTemplate(related, index), '}'])
  return [
    ',"data":',
    (row, idSegment) => (row[index] === null ? 'null' : serialize(row, idSegment)),
  ]
}

/** Returns `,"meta":{"count":…}`, or nothing if the related resources are not counted. */
function createCountTemplate({ name }: RelationshipField, layout: RowLayout): Template {
  const index = findValueIndex(layout, createCountValue(name))
  return index === -1 ? [] : [',"meta":{"count":', (row) => `${row[index]}`, '}']
}

function getField(resource: ResourceType, name: string): Field {
  const field = resource.fields.get(name)
  if (field === undefined) throw new Error(`${resource.type} has no field ${name}.`)
  return field
}

/** Returns the template of an object that begins with type and id, without its closing brace. */
function createIdentifierTemplate(resource: ResourceType, idIndex: number): Template {
  const head = serializeHead(resource)
  return hasPlainId(resource)
    ? [`${head}"`, (row) => `${row[idIndex]}`, '"']
    : [head, (row) => JSON.stringify(`${row[idIndex]}`)]
}

/** Returns the serializer of to-many linkage: a row has an array of ids at `index`. The brackets are not included. */
function createIdentifierListPart(resource: ResourceType, index: number): RowPart {
  const { quote, serialize } = getIdSerializer(resource)
  const first = serializeHead(resource) + quote
  const next = `${quote}},${first}`
  return (row) => {
    let text = ''
    for (const id of toIds(row[index])) text += (text === '' ? first : next) + serialize(id)
    return text === '' ? '' : `${text}${quote}}`
  }
}

function serializeHead({ type }: ResourceType): string {
  return `{"type":${JSON.stringify(type)},"id":`
}

interface IdSerializer {
  /** The text on both sides of a serialized id. */
  readonly quote: string
  serialize(id: string): string
}

/** Whether ids need no escaping, because they have only digits: their quotation marks are then part of the fixed text. */
function hasPlainId({ id }: ResourceType): boolean {
  return id.kind.codec === 'id'
}

function getIdSerializer(resource: ResourceType): IdSerializer {
  return hasPlainId(resource)
    ? { quote: '"', serialize: (text) => text }
    : { quote: '', serialize: JSON.stringify }
}

/** The row layout guarantees an array of ids for to-many linkage. */
function toIds(linkage: unknown): readonly string[] {
  return linkage as readonly string[]
}

/** A JSON text in order: the strings are the same for every row, the functions return what depends on the row. */
type Template = readonly (string | RowPart)[]

/** Compiles a template to one function. Adjacent strings become one, so a row costs one call for each function. */
function compileTemplate(template: Template): RowPart {
  const parts = template.filter((part) => typeof part !== 'string')
  const texts: string[] = ['']
  for (const part of template) texts.push(typeof part === 'string' ? texts.pop() + part : '')
  return generateConcatenation(parts.length)(texts.map(flattenText), parts)
}
