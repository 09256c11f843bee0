import type { StandardSchemaV1 } from '@standard-schema/spec'
import type {
  AuthValue,
  FieldAccess,
  LinkAccess,
  ModelAccess,
  ResourceAccess,
  TenantOptions,
} from './declare/access.ts'
import type { Action } from './declare/action.ts'
import type { ColumnUse, Computed } from './declare/computed.ts'
import type { Expression, IncludeOptions, InvalidValues, TextIndex } from './declare/fields.ts'
import type { Hooks, ModelHooks } from './declare/hooks.ts'
import type { IdQuery } from './declare/id-query.ts'
import type { Profile } from './declare/profile.ts'
import type { CacheOptions, PageOptions, ResourceDeclaration } from './declare/resource.ts'
import type { SessionOptions } from './declare/session.ts'
import type { TableFunction } from './declare/table-function.ts'
import type { TransactionScope } from './declare/transaction-scope.ts'
import type { Codec } from './kinds/codecs.ts'
import type { FieldExpression } from './kinds/json-paths.ts'
import type { Kind } from './kinds/kinds.ts'
import type { Nullability } from './kinds/nullability.ts'
import type { Sealer } from './seal.ts'
import type { BoundValue } from './sql.ts'

/** The name of a table or view. Without a schema, the database searches its default schemas. */
export interface Table {
  readonly schema: string | undefined
  readonly name: string
  /** The table function whose rows take the place of a table; its name is for messages. Absent for a table or view. */
  readonly call?: TableFunction
}

/**
 * A value that is read for a row, and its codec: a column, an expression field of the type, the number of the related resources of a
 * relationship, or a text that differs whenever one of several columns does.
 */
export type StoredValue =
  | Readonly<{ column: string; codec: Codec }>
  | Readonly<{ expression: string; codec: Codec }>
  | Readonly<{ count: string; codec: Codec }>
  | Readonly<{ versionOf: KeyColumns; codec: 'text' }>

/** The properties that all resolved fields have. */
interface DescribedField {
  readonly description: string | undefined
}

/** A resolved attribute: every default is filled in. */
export interface AttributeField extends DescribedField, Nullability {
  readonly is: 'attribute'
  readonly name: string
  readonly kind: Kind<unknown>
  /** `undefined` for an expression field. */
  readonly column: string | undefined
  /** Reads the value from a row: the column, the declared expression, or the value inside JSON. */
  readonly expression: FieldExpression
  readonly isReadable: boolean
  readonly isWritable: boolean
  /** True if a create sets the value and no update can change it. */
  readonly isImmutable: boolean
  readonly isFilterable: boolean
  readonly isSortable: boolean
  /** Returns the value for a create without one. `undefined` leaves it to the column's default. */
  readonly makeDefault: (() => unknown) | undefined
  readonly validate: StandardSchemaV1 | undefined
  /** What happens with a stored value that does not belong to the kind. */
  readonly invalidValues: InvalidValues
  /** The text index that serves `match`; absent for none. */
  readonly match?: TextIndex
  /** The values inside JSON by which clients can filter and sort, by their names in filters; absent for none. */
  readonly paths?: ReadonlyMap<string, AttributeField>
  /** The value that every create stores; absent if clients send it. */
  readonly set?: AuthValue
  /** True if the rules of the field refuse values of the client. */
  readonly isDenied?: boolean
  /** The rules of the field; absent if it has none. */
  readonly access?: FieldAccess
}

/** The columns of a key, in order: of an id, or of a foreign key. */
export type KeyColumns = readonly [string, ...string[]]

/** A column of an id. */
export interface IdPart {
  readonly column: string
  readonly kind: Kind<string>
}

/** The resolved id of a type. `kind` reads the whole id; `column` is `undefined` for an id over several columns. */
export interface IdField extends AttributeField {
  readonly kind: Kind<string>
  readonly columns: KeyColumns
  /** The columns with their kinds. */
  readonly parts: readonly [IdPart, ...IdPart[]]
}

/** A resolved computed attribute. */
interface ComputedField extends DescribedField {
  readonly is: 'computed'
  readonly name: string
  readonly kind: Kind<unknown>
  readonly columns: readonly (readonly [column: string, use: ColumnUse])[]
  readonly compute: Computed['compute']
  /** Whether `compute` never throws, so that it may run after the commit. */
  readonly neverThrows: boolean
  /** What happens with a stored value that does not belong to the kind of its column. */
  readonly invalidValues: InvalidValues
  /** The rules of the field; absent if it has none. */
  readonly access?: FieldAccess
}

/**
 * How the rows of a type relate to those of another type. A row is linked to the rows whose `otherKey` equals its `ownKey`;
 * with a join table, to those that a row of the join table links: its `from` equals `ownKey` and its `to` equals `otherKey`.
 * `foreignKey` says which table holds the foreign key, and so which rows a write changes. Keys that are compared with each other
 * have the same number of columns, in the same order.
 */
export type Link = Readonly<{
  ownKey: KeyColumns
  otherKey: KeyColumns
  /** Set by a store whose columns have other collations than those that they reference. */
  collations?: LinkCollations
}> &
  (
    | Readonly<{ foreignKey: 'own' | 'other' }>
    | Readonly<{ foreignKey: 'join table'; joinTable: Table; from: KeyColumns; to: KeyColumns }>
  )

/** The collations by which the columns of the keys of a link are compared; `undefined` for a column that is compared by its own. */
export type LinkCollations = Readonly<
  Partial<Record<'ownKey' | 'otherKey' | 'from' | 'to', readonly (string | undefined)[]>>
>

/** A resolved relationship. */
export interface RelationshipField extends DescribedField, Nullability {
  readonly is: 'relationship'
  readonly name: string
  readonly many: boolean
  /** The related type. */
  readonly to: string
  readonly link: Link
  readonly isWritable: boolean
  /** Whether only a create can set it. */
  readonly isImmutable: boolean
  /** Whether its foreign key is a part of the ids of its members, so that they cannot be added or removed. */
  readonly isPartOfIds: boolean
  /** Whether every own key references a row; `undefined`: the database knows. */
  readonly isEnforced: boolean | undefined
  /** Whether clients can request, filter by and sort by the number of related resources. */
  readonly isCounted: boolean
  /** Which members an include path reaches; absent for all of them. */
  readonly include?: IncludeOptions
  /** The rules for its links; absent if it has none. */
  readonly linkRules?: LinkAccess
  /** The id that every create stores; absent if clients send it. */
  readonly set?: AuthValue
  /** True if the rules of the field refuse values of the client. */
  readonly isDenied?: boolean
  /** The rules of the field; absent if it has none. */
  readonly access?: FieldAccess
}

/** Any resolved field. */
export type Field = AttributeField | ComputedField | RelationshipField

/** A resolved resource type. Its declaration passed all checks. */
export interface ResourceType {
  readonly type: string
  readonly path: string
  readonly table: Table
  readonly description: string | undefined
  readonly id: IdField
  /** Whether clients send the ids of new resources, and who generates the others. */
  readonly ids: Readonly<{
    fromClient: 'forbidden' | 'optional' | 'required'
    generatedBy: 'database' | 'server'
    /** The columns of a composite id that contain UUIDs which the server generates: those that no field writes. */
    generatedParts: readonly string[]
  }>
  /** The condition on rows that belong to the type, not deleted ones; `undefined` if all rows of the table do. */
  readonly scope: Expression | undefined
  /** The same condition for a statement that looks up few rows by their ids; absent if no access rule restricts the rows. */
  readonly rowScope?: Expression
  /** The column that stores the tenant, which the server sets; `undefined` if the type has none. */
  readonly tenantColumn: string | undefined
  /** Whether the scope contains SQL of the declaration; otherwise it compares columns of the row with values. */
  readonly hasDeclaredScope: boolean
  /** The column that stores when a resource was deleted; `undefined` if DELETE deletes the row. */
  readonly softDelete: string | undefined
  /** Whether clients see the messages with which triggers reject a write. */
  readonly databaseMessages: boolean
  readonly insertDefaults: readonly (readonly [
    column: string,
    value: BoundValue | boolean | AuthValue,
  ])[]
  readonly isWritable: boolean
  readonly pages: PageOptions
  /** The column whose value is the version of a row; `undefined` if the stored values are. */
  readonly version: string | undefined
  /** How long caches may reuse the responses with resources of the type; `undefined`: they ask whether a response is current. */
  readonly cache: CacheOptions | undefined
  /** Whether resource objects show their version without being asked. */
  readonly showsVersions: boolean
  /** Whether an update or a deletion needs the condition `If-Match`. */
  readonly requiresConditions: boolean
  /** Whether a write needs the header field `Idempotency-Key`. */
  readonly requiresIdempotencyKey: boolean
  readonly validate: StandardSchemaV1 | undefined
  /** The hooks of the model and of the type. */
  readonly hooks: Hooks
  /** The queries by which requests filter, by name. */
  readonly queries: ReadonlyMap<string, IdQuery>
  /** The operations that clients call, by name. */
  readonly actions: ReadonlyMap<string, Action>
  /** By name, in the order of the declaration; without `id`. */
  readonly fields: ReadonlyMap<string, Field>
  /** The rules of the type; absent if it has none. */
  readonly access?: ResourceAccess
  /** The type without the restrictions of an identity; absent if it has none. */
  readonly unrestricted?: ResourceType
  /** The fields that errors of constraints must not name, because they do not exist for the identity; absent for none. */
  readonly hiddenFields?: ReadonlySet<string>
}

/** A version of JSON:API. */
type JsonApiVersion = '1.0' | '1.1'

/** The options of a model. */
export interface ModelOptions<Type extends string = string, Auth = unknown> {
  /** Functions that run for every resource type, and at the start of every transaction. */
  readonly hooks?: ModelHooks<Type, Auth>
  /** An `id` in a create's body: ignored, or rejected with 403, as in every operation (`docs/service.md`, Endpoints). Default `discard`. */
  readonly clientIds?: 'discard' | 'forbid'
  /**
   * The version of JSON:API that all routes speak. In 1.1 media types may have `ext` and `profile`, pointers of errors lead to values that
   * exist, and the defaults of `idMismatch` and `atomic` are `conflict` and true. Default 1.0.
   */
  readonly jsonapi?: JsonApiVersion | undefined
  /**
   * The profiles of the application, by their URIs, for `jsonapi: '1.1'`: the documents of reads whose `Accept` names one have its member
   * in `meta`.
   */
  readonly profiles?: Readonly<Record<string, Profile>> | undefined
  /**
   * An absolute URI, for `jsonapi: '1.1'`: with the code of an error behind it, it is the link `type` of the error. Default: errors have no
   * such link.
   */
  readonly errorTypes?: string | undefined
  /** An `id` in an update's body that differs from the path's: ignored, or rejected with 409. Default `discard`, in 1.1 and in operations `conflict`. */
  readonly idMismatch?: 'discard' | 'conflict' | undefined
  /** The number of resources on a page without `page[size]`. Default 30. */
  readonly pageSize?: number
  /**
   * The largest `page[size]`. With a maximum, `page[size]=0`, which requests everything, is rejected. Default 1000, or
   * `pageSize` if that is larger; `null` for no maximum.
   */
  readonly maxPageSize?: number | null | undefined
  /** The default of the option `pages` of every type: by numbers, with exact counts. */
  readonly pages?: Partial<PageOptions> | undefined
  /** The default of `invalidValues` of every attribute. Default `error`. */
  readonly invalidValues?: InvalidValues
  /** Whether operations without a rule are refused. Default: they are open. */
  readonly access?: 'deny by default'
  /** Restricts every read and write to the rows of one tenant. */
  readonly tenant?: TenantOptions
  /**
   * The secret from which the keys of cursors and other tokens are derived; of two, the first seals and both open. Default: a random
   * one, so that tokens end with the process, and other processes do not accept them.
   */
  readonly secret?: string | readonly string[] | undefined
  /** The role and the settings of PostgreSQL under which every request runs. Not for SQLite, which has none. */
  readonly session?: SessionOptions
  /**
   * Returns whose `Idempotency-Key`s those of a request are: an id of the user, not of the credentials, which change. Null for a request
   * that cannot have one. Default: the member `sub` of the auth context, if it is a text.
   */
  principal?(auth: Auth): string | null | undefined
  /** How long the response to a write with an `Idempotency-Key` is kept at least, in hours. Default 24. */
  readonly idempotencyHours?: number | undefined
  /** Whether `POST /operations` writes several resources in one transaction. Default false, in JSON:API 1.1 true. */
  readonly atomic?: boolean | AtomicOptions | undefined
}

/** The path of several writes in one request. */
export const operationsPath = '/operations'

/** What the operations of one request may do. */
export interface AtomicOptions {
  /** Whether operations may call actions. Default false. */
  readonly actions?: boolean
  /** The largest number of operations of a request. Default 100. */
  readonly maxOperations?: number
}

/** What the operations of a request may do. */
interface ResolvedAtomic extends Required<AtomicOptions> {
  /** Their documents are those of JSON:API 1.1 in every model, so the default is `conflict`. */
  readonly idMismatch: 'discard' | 'conflict'
}

/** How writes are repeated. */
interface IdempotencyOptions {
  /** Absent: the member `sub` of the auth context. */
  readonly principal: ((auth: unknown) => unknown) | undefined
  readonly hours: number
}

/** Declared resource types, by type. */
export type Declarations = Readonly<Record<string, ResourceDeclaration>>

/**
 * Every resource type, and the resolved options.
 * @typeParam Types - the declarations, from which the types of an API in process are derived
 * @typeParam Auth - the auth context that `declare` has named, which `authenticate` and `api.with` have to give
 */
export interface Model<Types extends Declarations = Declarations, Auth = unknown> {
  /** The declarations as they were passed, by type. */
  readonly declarations: Types
  /**
   * The resource types as requests use them, by type.
   * @internal
   */
  readonly types: ReadonlyMap<string, ResourceType>
  readonly jsonapi: JsonApiVersion
  /**
   * The profiles of the application by URI; absent for none.
   * @internal
   */
  readonly profiles?: ReadonlyMap<string, Profile>
  /** The beginning of the addresses of the types of errors; absent for none. */
  readonly errorTypes?: string
  readonly clientIds: 'discard' | 'forbid'
  readonly idMismatch: 'discard' | 'conflict'
  readonly pageSize: number
  /** The largest `page[size]`; `undefined` for no maximum. */
  readonly maxPageSize: number | undefined
  /** The function that runs at the start of every transaction. */
  readonly begin: ModelHooks<string, Auth>['begin']
  /** @internal */
  readonly sealer: Sealer
  /**
   * What the operations of one request may do; absent if there are none.
   * @internal
   */
  readonly atomic?: ResolvedAtomic
  /** @internal */
  readonly transactionScope: TransactionScope
  /**
   * The access options; absent if no declaration depends on the auth context.
   * @internal
   */
  readonly access?: ModelAccess
  /** @internal */
  readonly idempotency: IdempotencyOptions
  /**
   * Absent if requests run as the role of the connection.
   * @internal
   */
  readonly session?: SessionOptions
}

/**
 * Returns a resource type by its name. For names that come from the model itself, such as those in plans.
 * @throws Error if there is none
 */
export function getResourceType(model: Model, type: string): ResourceType {
  const found = model.types.get(type)
  if (found === undefined) throw new Error(`The model has no resource type ${type}.`)
  return found
}

/**
 * Returns a relationship by its name. For names that come from the model itself.
 * @throws Error if there is none
 */
export function getRelationship(resource: ResourceType, name: string): RelationshipField {
  const field = findRelationship(resource, name)
  if (field === undefined) throw new Error(`${resource.type} has no relationship ${name}.`)
  return field
}

/** Returns a relationship by its name, or `undefined` for attributes and unknown names. */
export function findRelationship(
  resource: ResourceType,
  name: string,
): RelationshipField | undefined {
  const field = resource.fields.get(name)
  return field?.is === 'relationship' ? field : undefined
}

/** Returns the relationships of a type. */
export function listRelationships({ fields }: Pick<ResourceType, 'fields'>): RelationshipField[] {
  return [...fields.values()].filter((field) => field.is === 'relationship')
}

/** Whether rows may be without the foreign key of a relationship: then links can be removed, and not only replaced. */
export function isKeyNullable(
  model: Model,
  resource: ResourceType,
  { link, to }: RelationshipField,
): boolean {
  if (link.foreignKey === 'join table') return true
  const isOwn = link.foreignKey === 'own'
  const holder = isOwn ? resource : getResourceType(model, to)
  const kept = listKeptColumns(holder)
  const cleared = (isOwn ? link.ownKey : link.otherKey).filter((name) => !kept.includes(name))
  return [...(holder.unrestricted ?? holder).fields.values()].every((field) => {
    if (field.is === 'computed' || field.acceptsNull) return true
    const columns = listStoredColumns(field)
    return columns.length === 0 || !columns.every((name) => cleared.includes(name))
  })
}

/** Returns the columns that keep their values when a foreign key that contains them changes: those of a composite id, and the tenant's. */
export function listKeptColumns({ id, tenantColumn }: ResourceType): readonly string[] {
  const ofId: readonly string[] = id.parts.length > 1 ? id.columns : []
  return tenantColumn === undefined ? ofId : [...ofId, tenantColumn]
}

/** Returns the columns of the row that store a field; none for a computed field, an expression, and a link in another table. */
export function listStoredColumns(field: Field): readonly string[] {
  if (field.is === 'attribute') return field.column === undefined ? [] : [field.column]
  return field.is === 'relationship' && field.link.foreignKey === 'own' ? field.link.ownKey : []
}

/** True if two keys are the same columns. */
export function isSameKey(one: KeyColumns, other: KeyColumns): boolean {
  return one.length === other.length && one.every((column, index) => column === other[index])
}

/** Returns a value inside JSON by its name in filters, e.g. `meta__address__city`, or `undefined`. */
export function findPath(
  { fields }: Pick<ResourceType, 'fields'>,
  name: string,
): AttributeField | undefined {
  const attribute = fields.get(name.slice(0, Math.max(0, name.indexOf('__'))))
  return attribute?.is === 'attribute' ? attribute.paths?.get(name) : undefined
}

/** Returns the same link seen from the other side. */
export function reverseLink(link: Link): Link {
  const { ownKey, otherKey } = link
  const reversed = { ownKey: otherKey, otherKey: ownKey, ...reverseCollations(link) }
  if (link.foreignKey === 'join table')
    return { ...link, ...reversed, from: link.to, to: link.from }
  return { ...reversed, foreignKey: link.foreignKey === 'own' ? 'other' : 'own' }
}

function reverseCollations({ collations }: Link): Pick<Link, 'collations'> {
  if (collations === undefined) return {}
  const { ownKey = [], otherKey = [], from = [], to = [] } = collations
  return { collations: { ownKey: otherKey, otherKey: ownKey, from: to, to: from } }
}

/** Returns the relationship that the related type declares over the same columns, or `undefined`. */
export function findInverse(
  model: Model,
  resource: ResourceType,
  field: RelationshipField,
): RelationshipField | undefined {
  return listInverses(model, resource, field)[0]
}

/** Returns the relationships that the related type declares over the same columns. */
export function listInverses(
  model: Model,
  resource: ResourceType,
  field: RelationshipField,
): RelationshipField[] {
  const reversed = toComparable(reverseLink(field.link))
  return listRelationships(getResourceType(model, field.to)).filter(
    (other) =>
      other.to === resource.type && other !== field && toComparable(other.link) === reversed,
  )
}

/** Returns the relationships of a type over the same columns as one of them, which is the first. */
export function listSameLinks(
  resource: ResourceType,
  field: RelationshipField,
): RelationshipField[] {
  const link = toComparable(field.link)
  const others = listRelationships(resource).filter(
    (other) => other.to === field.to && other !== field && toComparable(other.link) === link,
  )
  return [field, ...others]
}

/** Writes a link as text, so that equal links have equal texts. */
function toComparable({ foreignKey, ownKey, otherKey, ...join }: Link): string {
  const joinTable = 'joinTable' in join ? [join.joinTable, join.from, join.to] : []
  return JSON.stringify([foreignKey, ownKey, otherKey, joinTable])
}
