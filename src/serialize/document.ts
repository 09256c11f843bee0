import type { Kind } from '../model/kinds/kinds.ts'
import { atomicExtension } from '../model/media-types.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { getResourceType, type Model, type ResourceType } from '../model/model.ts'
import type { ReadPlan, ReadShape } from '../plan/read.ts'
import type { ListEnd, Rows } from '../plan/read-result.ts'
import type { RowLayout } from '../plan/row-layout.ts'
import {
  type LinkBase,
  serializeAddress,
  serializeDescribedBy,
  serializePageLinks,
} from './links.ts'
import { addCursors, serializePageMeta } from './page.ts'
import {
  type AppliedProfiles,
  addMembers,
  type DocumentProfiles,
  type NamedProfiles,
  nameProfiles,
} from './profile.ts'
import { compileIdentifierSerializer, compileSerializer, type RowSerializer } from './resource.ts'
import { type ShapeSerializers, serializeIncluded, serializeRows } from './rows.ts'
import { streamList, streamSingle } from './stream.ts'

/** A document as JSON text: complete, or as a stream of chunks. */
export type DocumentText = string | AsyncIterable<string>

/** Which version of JSON:API a document has; `atomic` is 1.1 with the extension Atomic Operations. */
export type DocumentVersion = '1.0' | '1.1' | 'atomic'

/** The member `jsonapi` of the documents of each version (https://jsonapi.org/format/1.1/#document-jsonapi-object). */
export const jsonapiMembers: Readonly<Record<DocumentVersion, string>> = {
  '1.0': '"jsonapi":{"version":"1.0"}',
  '1.1': '"jsonapi":{"version":"1.1"}',
  atomic: `"jsonapi":{"version":"1.1","ext":["${atomicExtension}"]}`,
}

/**
 * Serializes the responses of a service.
 * @typeParam Body - text for HTTP, or another representation of the same results
 */
export interface DocumentSerializer<Body = DocumentText> {
  /** Serializes a list of resources: `data`, `included`, `links`, `meta.count`. */
  readonly serializeCollection: (plan: ReadPlan, rows: Rows, linkBase: LinkBase) => Body
  /**
   * Serializes one resource, or null for an empty to-one relationship.
   * @param path - the path of the document
   * @param describedBy - that of its description
   */
  readonly serializeResource: (
    plan: ReadPlan,
    rows: Rows,
    path: string,
    describedBy?: string,
  ) => Body
  readonly serializeToManyLinkage: SerializeLinkage<Body>
  readonly serializeToOneLinkage: SerializeLinkage<Body>
  /** Serializes a response that has only a message. */
  readonly serializeMessage: (message: string) => Body
  /** Serializes a document that has only `meta`. @param kinds - those of the values, by name */
  readonly serializeMeta: (
    values: Readonly<Record<string, unknown>>,
    kinds: Readonly<Record<string, Kind<unknown>>>,
  ) => Body
  /** Serializes what an operation of a batch returns: of a document only the data or the `meta` of the result. */
  readonly ofOperations: OperationSerializer<Body>
  /** Serializes the results of the operations of a batch, in their order. */
  readonly serializeResults: (results: readonly Awaited<Body>[]) => Body
  /** Serializes the root document. */
  readonly serializeRoot: (
    meta: Readonly<Record<string, unknown>>,
    links: Readonly<Record<string, string>>,
  ) => Body
  /** The profiles of the documents of reads; absent in process. */
  readonly profiles?: DocumentProfiles
  /** Returns a serializer whose documents of reads have profiles of the application. */
  readonly withProfiles?: (applied: AppliedProfiles) => DocumentSerializer<Body>
}

/** The members of a serializer that writes need. */
export type OperationSerializer<Body> = Pick<
  DocumentSerializer<Body>,
  'serializeCollection' | 'serializeResource' | 'serializeMessage' | 'serializeMeta'
>

/** Serializes the linkage of a relationship as identifier objects. */
type SerializeLinkage<Body> = (plan: ReadPlan, rows: Rows, linkBase: RelationshipLinkBase) => Body

/** The base of the links of a relationship document. */
interface RelationshipLinkBase extends LinkBase {
  /** The path of the related resources. */
  readonly related: string
}

/** @param prefix - the beginning of every path; may be empty */
export function createDocumentSerializer(model: Model, prefix: string): DocumentSerializer {
  const getSerializers = createSerializerCache(model, prefix)
  const jsonapi = jsonapiMembers[model.jsonapi]
  const messages = {
    serializeMessage: (message) => `{"meta":${JSON.stringify({ message })},${jsonapi}}`,
    serializeMeta: (values, kinds) => `{${formatMeta(values, kinds)},${jsonapi}}`,
    ofOperations: createResultSerializer(getSerializers),
    serializeResults,
    serializeRoot: (meta, links) =>
      `{"meta":${JSON.stringify(meta)},"links":${JSON.stringify(links)},${jsonapi}}`,
  } satisfies Partial<DocumentSerializer>
  const create = (applied?: AppliedProfiles): DocumentSerializer => {
    const profiles = nameProfiles(model.jsonapi, applied)
    const reads = createReadSerializer(getSerializers, jsonapi, profiles)
    return { ...messages, ...reads, profiles, withProfiles: create }
  }
  return create()
}

/** Creates the serializer of the documents with primary data. @param jsonapi - the member of a document without a profile */
function createReadSerializer(
  getSerializers: GetSerializers,
  jsonapi: string,
  profiles: DocumentProfiles,
): Pick<
  DocumentSerializer,
  'serializeCollection' | 'serializeResource' | 'serializeToManyLinkage' | 'serializeToOneLinkage'
> {
  const { cursors, other } = profiles
  const added = profiles.meta
  const tail = (added === '' ? '' : `"meta":{${added}},`) + (other?.jsonapi ?? jsonapi)
  return {
    serializeCollection: (plan, rows, linkBase) => {
      const serializers = getSerializers(plan.shape)
      const { origin, path, isLong, describedBy } = linkBase
      const profile = plan.page?.cursors ? cursors : other
      const self = isLong ? '' : serializeSelfLink(plan, origin + path, profile)
      return serializeList(plan, rows, serializers, serializers.primary, (end) => {
        const pageLinks =
          (describedBy === undefined ? '' : serializeDescribedBy(describedBy)) +
          serializePageLinks(plan, end, linkBase)
        const meta =
          isLong || plan.page?.cursors
            ? serializePageMeta(plan, end, isLong)
            : `{"count":${end.count}}`
        const links = isLong ? pageLinks.slice(1) : self + pageLinks
        const all = added === '' ? meta : addMembers(meta, added)
        return `,"links":{${links}},"meta":${all},${profile?.jsonapi ?? jsonapi}}`
      })
    },
    serializeResource: (plan, rows, path, describedBy) => {
      const serializers = getSerializers(plan.shape)
      const self = serializeSelfLink(plan, path, other)
      const links = describedBy === undefined ? self : self + serializeDescribedBy(describedBy)
      return serializeSingle(plan, rows, serializers, serializers.primary, [links, tail])
    },
    serializeToManyLinkage: (plan, rows, linkBase) => {
      const serializers = getSerializers(plan.shape)
      const profile = plan.page?.cursors ? cursors : other
      const links = serializeRelationshipLinks(plan, linkBase, profile)
      return serializeList(plan, rows, serializers, serializers.identifier, (end) => {
        const pageLinks = serializePageLinks(plan, end, linkBase)
        const hasMeta = linkBase.isLong || plan.page?.cursors
        const meta = hasMeta ? serializePageMeta(plan, end, linkBase.isLong, false) : undefined
        const all = added === '' ? meta : addMembers(meta, added)
        const member = all ? `"meta":${all},` : ''
        return `,"links":{${links}${pageLinks}},${member}${profile?.jsonapi ?? jsonapi}}`
      })
    },
    serializeToOneLinkage: (plan, rows, linkBase) => {
      const serializers = getSerializers(plan.shape)
      const links = serializeRelationshipLinks(plan, linkBase, other)
      return serializeSingle(plan, rows, serializers, serializers.identifier, [links, tail])
    },
  }
}

/** Creates the serializer of the results of operations. */
function createResultSerializer(getSerializers: GetSerializers): OperationSerializer<DocumentText> {
  const serialize = ({ shape }: ReadPlan, rows: Rows): string => {
    if (rows.is === 'stream') throw new Error('A read in a transaction is no stream.')
    return serializeRows(rows.primary, getSerializers(shape).primary)
  }
  return {
    serializeCollection: (plan, rows) => `{"data":[${serialize(plan, rows)}]}`,
    serializeResource: (plan, rows) => `{"data":${serialize(plan, rows) || 'null'}}`,
    serializeMessage: () => '{}',
    serializeMeta: (values, kinds) => `{${formatMeta(values, kinds)}}`,
  }
}

function serializeResults(results: readonly DocumentText[]): string {
  return `{"atomic:results":[${results.join(',')}],${jsonapiMembers.atomic}}`
}

/** Formats the member `meta`. */
function formatMeta(
  values: Readonly<Record<string, unknown>>,
  kinds: Readonly<Record<string, Kind<unknown>>>,
): string {
  const members = Object.entries(kinds).map(([name, kind]) => {
    const value = values[name] ?? null
    return `${JSON.stringify(name)}:${value === null ? 'null' : kind.serialize(value)}`
  })
  return `"meta":{${members.join(',')}}`
}

/**
 * Compiles each layout once, however many query shapes contain it. A serializer is garbage-collected together with its
 * layout.
 */
type GetSerializers = (shape: ReadShape) => ShapeSerializers

function createSerializerCache(model: Model, prefix: string): GetSerializers {
  const getSerializer = memoizeByIdentity((layout: RowLayout) =>
    compileSerializer(layout, model, prefix),
  )
  const getIdentifierSerializer = memoizeByIdentity((resource: ResourceType) =>
    compileIdentifierSerializer(resource),
  )
  return memoizeByIdentity((shape: ReadShape): ShapeSerializers => {
    return {
      primary: getSerializer(shape.primary),
      identifier: getIdentifierSerializer(getResourceType(model, shape.type)),
      included: new Map(shape.included.map((layout) => [layout.type, getSerializer(layout)])),
    }
  })
}

/** @param formatTail - returns the members behind `data` and `included`, and the closing brace */
function serializeList(
  plan: ReadPlan,
  rows: Rows,
  serializers: ShapeSerializers,
  serializeRow: RowSerializer,
  formatTail: (end: ListEnd) => string,
): DocumentText {
  const serialize = plan.page?.cursors?.showsCursors ? addCursors(plan, serializeRow) : serializeRow
  if (rows.is === 'stream') return streamList(plan, rows, serializers, serialize, formatTail)
  const { primary, count, hasMore = false } = rows
  const included = plan.hasIncluded ? serializeIncluded(rows.included, serializers) : ''
  const tail = formatTail({ count, first: primary[0], last: primary.at(-1), hasMore })
  return `{"data":[${serializeRows(primary, serialize)}]${included}${tail}`
}

function serializeSingle(
  plan: ReadPlan,
  rows: Rows,
  serializers: ShapeSerializers,
  serialize: RowSerializer,
  [links, end]: readonly [links: string, end: string],
): DocumentText {
  const tail = `,"links":{${links}},${end}}`
  if (rows.is === 'stream') return streamSingle(plan, rows, serializers, serialize, tail)
  const [row] = rows.primary
  if (row === undefined) return `{"data":null${tail}`
  const included = plan.hasIncluded ? serializeIncluded(rows.included, serializers) : ''
  return `{"data":${serialize(row)}${included}${tail}`
}

/** Serializes the link `self`, which has the media type of a document with a profile. */
function serializeSelfLink(
  { canonicalQuery }: ReadPlan,
  address: string,
  profile: NamedProfiles | undefined,
): string {
  const href = serializeAddress(address + canonicalQuery.full)
  if (profile === undefined) return `"self":${href}`
  return `"self":{"href":${href},"type":${JSON.stringify(profile.mediaType)}}`
}

function serializeRelationshipLinks(
  plan: ReadPlan,
  { path, related, isLong, describedBy }: RelationshipLinkBase,
  profile: NamedProfiles | undefined,
): string {
  const self = isLong ? '' : `${serializeSelfLink(plan, path, profile)},`
  const description = describedBy === undefined ? '' : serializeDescribedBy(describedBy)
  return `${self}"related":${serializeAddress(related)}${description}`
}
