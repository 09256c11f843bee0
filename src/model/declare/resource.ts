import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Kind } from '../kinds/kinds.ts'
import type { BoundValue } from '../sql.ts'
import type { ResourceAccess } from './access.ts'
import type { Actions, Inferred, NoParameters } from './action.ts'
import type { Expression, FieldDeclarations, WriteAccess } from './fields.ts'
import type { Hooks, ValidatedOf } from './hooks.ts'
import type { IdQuery } from './id-query.ts'
import type { QueryParameters } from './parameter.ts'
import type { TableFunction } from './table-function.ts'

/** Whether a client can or must send the id of a new resource; `undefined`: the database or the server generates it. */
export type ClientIds = 'optional' | 'required' | undefined

/** Queries by name. */
export type IdQueries = Readonly<Record<string, IdQuery>>

/** The queries of a type that declares none. */
// biome-ignore lint/complexity/noBannedTypes: an object type without members
export type NoQueries = {}

/** The actions of a type that declares none. */
// biome-ignore lint/complexity/noBannedTypes: an object type without members
export type NoActions = {}

/** How long caches may reuse a response (RFC 9111 §5.2). */
export interface CacheOptions {
  /** In seconds. Default 0. */
  readonly maxAge?: number
  /** For so many seconds more, a cache may reuse the response while it asks for the present one (RFC 5861). Default 0. */
  readonly staleWhileRevalidate?: number
  /** Whether shared caches may store the response, also that to an authenticated request. Not with access rules or a tenant. */
  readonly public?: boolean
}

/** How the lists of a type are paged. */
export interface PageOptions {
  /** What links lead to: page numbers, or cursors. */
  readonly by: 'number' | 'cursor'
  /** How pages with cursors count the resources on all pages, without `page[total]`. */
  readonly total: 'exact' | 'capped' | 'none'
}

/** The options of a type's ids. */
export interface IdOptions<FromClient extends ClientIds = ClientIds> {
  /** The id column, or the columns of a composite id. Default `id`. */
  readonly column?: string | readonly string[]
  /**
   * The data type of the ids: 64-bit integers (the default), `uuid`, `text`, `enumeration`, `boolean`, `date` or `storedAs(datetime, …)`;
   * on PostgreSQL also `decimal`, `time` and `datetime`. For a composite id the type of every column, or a list with the type of each,
   * where `integer` stands for 64-bit integers.
   */
  readonly kind?:
    | Kind<string>
    | Kind<boolean>
    | readonly (Kind<string> | Kind<number> | Kind<boolean>)[]
  /**
   * Whether a client can or must send the id of a new resource. For ids that clients do not send, the server generates
   * UUIDs and the column's default generates all others.
   */
  readonly client?: FromClient
}

/** A schema of any Standard Schema library that takes the attributes of a resource. */
export interface ResourceValidator<Fields extends FieldDeclarations>
  extends StandardSchemaV1<ValidatedOf<Fields>, unknown> {}

/** The options of a resource type that mean the same before and after `resource`. Its type parameters are those of `ResourceOptions`. */
interface CommonOptions<
  Fields extends FieldDeclarations,
  FromClient extends ClientIds,
  Queries extends IdQueries,
  Acts extends Actions,
  Arguments extends QueryParameters,
> {
  /** The collection's path, e.g. `/persons`. */
  readonly path: string
  /** The table or view, which several types may share, or a table function; see `tableFunction`. */
  readonly table: string | TableFunction<Arguments>
  /** The schema of the table. Default: the database searches its default schemas. */
  readonly schema?: string
  /**
   * The id column, the columns of a composite id, or options of the ids. Default: the column `id` with 64-bit integers from the
   * database.
   */
  readonly id?: string | readonly string[] | IdOptions<FromClient>
  /** A description of the type for the root document. */
  readonly description?: string
  /**
   * The condition on rows that belong to the type, in every read and write. A write that would make it false is rejected. The
   * function runs when a statement is compiled, not for each request: it must not read the user of a request, the time or
   * anything else that changes. `${auth(…)}` binds a value of the auth context; the option `access` restricts rows by user.
   */
  readonly scope?: Expression
  /**
   * A nullable column that stores when a resource was deleted. DELETE sets it to the time of the database instead of deleting the
   * row, and a row with a value is out of the scope of the type. Default: DELETE deletes the row.
   */
  readonly softDelete?: string
  /**
   * Whether clients see the messages with which triggers reject a write: those of `raise exception` in PL/pgSQL and of
   * `raise(abort, …)` in SQLite. Default false: only the log has them.
   */
  readonly databaseMessages?: boolean
  /**
   * How lists are paged: `by: 'cursor'` makes cursors the default, `total` says how their pages count the resources on all pages.
   * Default: the option of the model.
   */
  readonly pages?: Partial<PageOptions>
  /** The values of columns that no field writes, in the row of a new resource, by column. */
  readonly insertDefaults?: Readonly<Record<string, BoundValue | boolean>>
  /**
   * What the version of a resource is: a column of integers, which every update increments, also one of another program; `xmin` of
   * PostgreSQL; or `content`, a digest of the stored values that the identity may know. A column shows that something has changed also to
   * who may not read what: a type with rules for the readability of fields needs `reveals: true` for one. Default `content`.
   */
  readonly version?: string | Readonly<{ column: string; reveals?: boolean }>
  /** How long caches may reuse the responses with resources of the type. Default: they ask whether a response is current. */
  readonly cache?: CacheOptions
  /** `always`: every resource object has `meta.version`. Default: those of requests with `withVersions=true`. */
  readonly versions?: 'always'
  /** `required`: PATCH and DELETE without `If-Match` are rejected (428). Default: a condition is optional. */
  readonly conditions?: 'required'
  /** `required`: writes without `Idempotency-Key` are rejected (400). Default: a key is optional. */
  readonly idempotency?: 'required'
  /** `false`: the option `tenant` of the model does not apply to the rows of this type. */
  readonly tenant?: false
  /** Queries and stored functions by which requests filter, by name; see `idQuery`. */
  readonly queries?: Queries
  /** Operations that clients call, by name; see `action`. */
  readonly actions?: Acts
  /** By name, in the order in which they are serialized. */
  readonly fields: Fields
}

/**
 * The options of a resource type: its path, its table and its fields.
 * @typeParam Fields - the declared fields, by name
 * @typeParam Rights - the option `access`
 * @typeParam FromClient - the option `id.client`
 * @typeParam Type - its name, for `context.type` in hooks
 * @typeParam Auth - the auth context, for `context.auth` in hooks
 * @typeParam Queries - the option `queries`
 * @typeParam Acts - the option `actions`
 * @typeParam Arguments - the parameters of the table function
 */
export interface ResourceOptions<
  Fields extends FieldDeclarations = FieldDeclarations,
  Rights extends WriteAccess = WriteAccess,
  FromClient extends ClientIds = ClientIds,
  Type extends string = string,
  Auth = unknown,
  Queries extends IdQueries = IdQueries,
  Acts extends Actions = Actions,
  Arguments extends QueryParameters = QueryParameters,
> extends CommonOptions<Fields, FromClient, Queries, Acts, Arguments> {
  /**
   * `read-only`: clients cannot create, update or delete resources of the type. Required for views, or rules where these operations
   * are `false`. Rules say which rows a request may read, create, update, delete and relate. Default `read-write`.
   */
  readonly access?: Rights | ResourceAccess<NonNullable<Auth>>
  /**
   * Validates all attributes together when a create or an update writes any of them. Gets the stored values of attributes
   * that the request does not send. Its output is not stored.
   */
  readonly validate?: ResourceValidator<Fields>
  readonly hooks?: Hooks<NoInfer<Fields>, Auth, NoInfer<Type>>
}

/**
 * A declared resource type: its name and its options. `resource` has checked the types of the validator and of the hooks, which
 * depend on every field, so that a model does not check them again.
 */
export interface ResourceDeclaration<
  Type extends string = string,
  Fields extends FieldDeclarations = FieldDeclarations,
  Rights extends WriteAccess = WriteAccess,
  FromClient extends ClientIds = ClientIds,
  Queries extends IdQueries = IdQueries,
  Acts extends Actions = Actions,
  Arguments extends QueryParameters = QueryParameters,
> extends CommonOptions<Fields, FromClient, Queries, Acts, Arguments> {
  readonly type: Type
  readonly access?: Rights | ResourceAccess
  readonly validate?: StandardSchemaV1
  readonly hooks?: Hooks
}

/**
 * Declares a resource type.
 *
 * @param type - its name in documents, e.g. `person`; relationships refer to it by this name
 * @param declaration - its path, its table and its fields by name
 * @see https://jsonapi.org/format/1.0/#document-resource-objects
 */
export function resource<
  const Type extends string,
  const Fields extends FieldDeclarations,
  const Rights extends WriteAccess = 'read-write',
  const FromClient extends ClientIds = undefined,
  const Queries extends IdQueries = NoQueries,
  const Acts extends Actions = NoActions,
  const Arguments extends QueryParameters = NoParameters,
>(
  type: Type,
  declaration: ResourceOptions<Fields, Rights, FromClient, Type, unknown, Queries, Acts, Arguments>,
): ResourceDeclaration<
  Type,
  Fields,
  NoInfer<Rights>,
  NoInfer<FromClient>,
  NoInfer<Queries>,
  Inferred<Acts, Actions>,
  NoInfer<Arguments>
> {
  // The type of the actions is that which was given, which the compiler does not evaluate here.
  return { type, ...declaration } as never
}
