import type { Declarations } from '../model.ts'
import type {
  Fieldsets,
  FieldsOf,
  Identifier,
  NoFieldsets,
  RelationshipName,
  ResourceObject,
  TypeName,
} from './resource-types.ts'
import type { DryRun } from './restricted-writes.ts'

/** The JSON of a value: a 64-bit integer is a number, or a bigint or a text if it is beyond 2^53. */
type JsonOf<Value> = Value extends bigint ? number | bigint | string : Value

/** A relationship of a document. `data` is present if it is included or in a fieldset. */
export interface DocumentRelationship {
  /** `prev` and `next` are the pages beside `data`, if it is a page of the members. */
  readonly links: Readonly<{
    self: string
    related: string
    prev?: string | null
    next?: string | null
  }>
  readonly data?: Identifier | readonly Identifier[] | null
  /** The number of the related resources, if the query counts them, and what says that `data` has only some of them. */
  readonly meta?: Readonly<{
    count?: number
    filtered?: true
    page?: Readonly<{ hasMore: boolean; total?: number }>
  }>
}

/**
 * A resource object of a document: https://jsonapi.org/format/1.0/#document-resource-objects
 * @typeParam Sets - the fieldsets by type
 */
export interface DocumentResource<
  Types extends Declarations = Declarations,
  Type extends TypeName<Types> = TypeName<Types>,
  Sets extends Fieldsets<Types> = NoFieldsets,
> {
  readonly type: Type
  readonly id: string
  /** Absent if the resource has none. */
  readonly attributes: AttributesOfObject<
    ResourceObject<Types, Type, never, Sets>,
    RelationshipName<FieldsOf<Types, Type>>
  >
  /** Absent if the resource has none. */
  readonly relationships: Readonly<Record<string, DocumentRelationship>>
  readonly links: Readonly<{ self: string }>
  /** The version, if the query asks for it. */
  readonly meta?: Readonly<{ version: string }>
}

type AttributesOfObject<Resource, Relationships extends string> = {
  readonly [Name in Exclude<
    keyof Resource,
    'type' | 'id' | Relationships | `${string}.count` | `${string}.hasMore`
  >]: JsonOf<Resource[Name]>
}

/** A JSON:API document: https://jsonapi.org/format/1.0/#document-structure */
export interface ApiDocument<Data> {
  readonly data: Data
  /** Present if the call has `include`. */
  readonly included?: readonly DocumentResource[]
  readonly links: Readonly<Record<string, string>>
  readonly jsonapi: Readonly<{ version: '1.0' | '1.1' }>
}

/** A document of a list. `meta.count` is the number of resources on all pages. */
export interface ListDocument<Data> extends ApiDocument<readonly Data[]> {
  readonly meta: Readonly<{ count: number }>
}

/** A document without resources: the response to a delete, or to a change of a relationship. */
export interface MessageDocument {
  readonly meta: Readonly<{ message: string }>
  readonly jsonapi: Readonly<{ version: '1.0' | '1.1' }>
}

/** The document of a dry run. An update shows the resource as it would be. */
export interface DryRunDocument extends Partial<Omit<ApiDocument<DocumentResource>, 'jsonapi'>> {
  readonly meta: Readonly<{
    message?: string
    dryRun: true
    affected?: DryRun<unknown>['affected']
    members?: DryRun<unknown>['members']
    /** The new resource, whose id would be another one. */
    wouldCreate?: Readonly<Record<string, unknown>>
  }>
  readonly jsonapi: Readonly<{ version: '1.0' | '1.1' }>
}
