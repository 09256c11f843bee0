import { requireImmediate } from '../../errors/require-immediate.ts'
import type { Sql } from '../sql.ts'

/** A value or a decision that is computed from the auth context of each request. Created by `auth`. */
export interface AuthValue<Value = unknown> {
  readonly is: 'auth'
  readonly compute: (auth: never) => Value
}

/**
 * Defers a value of a declaration until a request is authenticated: `auth((user) => user.id)`. In a filter and in SQL it is a bind
 * parameter, so that one compiled statement serves all identities. The function must be pure and synchronous. If it throws, the
 * response is a bare 500. It is not called for a request without an auth context.
 */
export function auth<Auth, Value>(compute: (auth: Auth) => Value): AuthValue<Value> {
  return { is: 'auth', compute }
}

/** Whether a value was created by `auth`. */
export function isAuthValue(value: unknown): value is AuthValue {
  return (
    typeof value === 'object' &&
    value !== null &&
    Reflect.get(value, 'is') === 'auth' &&
    typeof Reflect.get(value, 'compute') === 'function'
  )
}

/** Computes a value from an auth context; null without one. @throws what the function of the declaration throws */
export function computeAuthValue({ compute }: AuthValue, context: unknown): unknown {
  if (context === undefined || context === null) return null
  // The declaration names the type of the auth contexts that `authenticate` returns.
  const value = (compute as (auth: unknown) => unknown)(context)
  return requireImmediate(value, 'A function of the auth context')
}

/** Computes a value of a declaration that may have been created by `auth`; any other value is returned as it is. */
export function resolveAuthValue(value: unknown, context: unknown): unknown {
  return isAuthValue(value) ? computeAuthValue(value, context) : value
}

/** A filter object of the grammar that clients use. `val` may be an `auth(…)`, or contain one in a list or a nested filter. */
export type RuleFilter =
  | Readonly<{ name: string; op: string; val: unknown }>
  | Readonly<{ name: string; op: string; field: string }>
  | Readonly<{ and: readonly RuleFilter[] }>
  | Readonly<{ or: readonly RuleFilter[] }>
  | Readonly<{ not: RuleFilter }>

/** Decides by the auth context. A method type, so that a rule of one identity type is a rule of a model. */
type Decide<Auth> = { decide(auth: Auth): boolean }['decide']

/**
 * Which rows an operation is allowed on: all, none, all or none by the auth context, or those that match a condition.
 *
 * - `filter`: filter objects, joined by AND; they may name any stored attribute, whoever may read it
 * - `sql`: a condition over the columns of the row, which may contain `${auth(…)}`
 * - `any`, `all`: several rules
 *
 * Conditions see all rows of other resource types, as a security definer function of PostgreSQL does: the rules of those types
 * do not apply inside of a rule.
 */
export type RowRule<Auth = unknown> =
  | boolean
  | Decide<Auth>
  | AuthValue<boolean>
  | Readonly<{ filter: readonly RuleFilter[] }>
  | Readonly<{ sql: (column: (name: string) => Sql) => Sql }>
  | Readonly<{ any: readonly RowRule<Auth>[] }>
  | Readonly<{ all: readonly RowRule<Auth>[] }>

/** The operations that have rules in the declaration of a type. */
export type TypeOperation = 'read' | 'create' | 'update' | 'delete' | 'call'

/** The operations that have rules in the declaration of a relationship. */
export type LinkOperation = 'link' | 'unlink'

/** The operations that have rules. */
export type Operation = TypeOperation | LinkOperation

/** The operations that have rules in the declaration of a type, in the order of their documentation. */
export const operations: readonly TypeOperation[] = ['read', 'create', 'update', 'delete', 'call']

/** The operations that have rules in the declaration of a relationship. */
export const linkOperations: readonly LinkOperation[] = ['link', 'unlink']

/**
 * The rules of a relationship, for the rows of the type that declares it. They hold wherever the relationship is written: at its own
 * address, in a create and an update, and from the other side. Without one, the row that stores the foreign key must match `update`,
 * and so must both ends of a join table if their type declares the relationship as writable.
 */
export interface LinkAccess {
  /** The rows that may be linked. A row whose foreign key changes must match with the new key too. */
  readonly link?: RowRule<never>
  /** The rows whose link may be removed, or replaced by another one. */
  readonly unlink?: RowRule<never>
}

/**
 * The rules of a resource type. An operation without a rule is open, or closed with `access: 'deny by default'` of the model.
 * A row that the request may not read does not exist for it. The other operations are allowed on readable rows that match their
 * rule: an update before and after it, a create after it, a deletion before it.
 */
export interface ResourceAccess<Auth = unknown> {
  readonly read?: RowRule<Auth>
  readonly create?: RowRule<Auth>
  readonly update?: RowRule<Auth>
  readonly delete?: RowRule<Auth>
  /**
   * The rows whose actions may be called. A rule that depends on the row refuses actions of the collection, which have none; the
   * option `callable` of an action restricts it further.
   */
  readonly call?: RowRule<Auth>
  /** The operations that requests without an auth context may use, within the rules. Default: none. */
  readonly anonymous?: readonly Operation[]
}

/** Whether an identity has a right to a field: always, never, or by the auth context. */
export type FieldRule = boolean | AuthValue<boolean> | ((auth: never) => boolean)

/**
 * The rules of a field. Each takes away a right that the other options of the field give. A field without one has the rules of the fields
 * that show the same values.
 */
export interface FieldAccess {
  /** Who may read it. For everybody else the field does not exist, unless they may write it. Default: everybody. */
  readonly readable?: FieldRule
  /** Who may write it. Default: who may read it. `true` lets everybody write an attribute that few may read. */
  readonly writable?: FieldRule
  /** Who may filter by it. Default: who may read it. */
  readonly filterable?: FieldRule
  /** Who may sort by it. Default: who may read it. */
  readonly sortable?: FieldRule
}

/** The tenant of every row: the column that stores it, and the tenant of a request. */
export interface TenantOptions {
  /** The column of every table whose resource type does not have the option `tenant: false`. */
  readonly column: string
  /** One value: a list would be no tenant of a new row. Null: the request has no tenant, and sees no row. */
  readonly value: AuthValue<Tenant>
}

/** The tenant of a request. */
type Tenant = string | number | bigint | boolean | null | undefined

const tenantTypes: readonly string[] = ['string', 'number', 'bigint', 'boolean']

/** Returns the option `tenant` with the check of its value, for programs without types. It throws an `Error`, which is logged. */
export function checkTenantValue({ column, value }: TenantOptions): TenantOptions {
  return {
    column,
    value: auth((context) => {
      const tenant: unknown = computeAuthValue(value, context) ?? null
      if (tenant === null || tenantTypes.includes(typeof tenant)) return tenant as Tenant
      throw new Error(
        `options.tenant.value must return one text or number; it returned ${Array.isArray(tenant) ? 'a list' : 'an object'}. For several tenants write a rule: { filter: [{ name, op: "in_", val: auth(…) }] }.`,
      )
    }),
  }
}

/** Returns the column that stores the tenant of the rows of a declared type; `undefined` if they have none. */
export function findTenantColumn(
  { tenant: isTenant }: Readonly<{ tenant?: false }>,
  tenant: TenantOptions | undefined,
): string | undefined {
  return isTenant === false ? undefined : tenant?.column
}

/** Whether the rules of a type deny every write of its resources to every identity, as `access: 'read-only'` does. */
export function isNeverWritten({ create, update, delete: remove }: ResourceAccess): boolean {
  return create === false && update === false && remove === false
}

/** The resolved access options of a model that has any. */
export interface ModelAccess {
  /** Whether operations without a rule are refused. */
  readonly isClosed: boolean
  readonly tenant: TenantOptions | undefined
}
