import {
  computeAuthValue,
  type LinkOperation,
  linkOperations,
  operations,
  type TypeOperation,
} from '../model/access.ts'
import { type DialectName, defaultDialect } from '../model/dialect.ts'
import type { Field, Model, RelationshipField, ResourceType } from '../model/model.ts'
import { isSentByClients } from '../model/written-fields.ts'
import { compileAccess, resolveModelRules } from '../plan/access/access-shapes.ts'
import type { TypeRules } from '../plan/access/identity.ts'
import type { Rights } from '../plan/access/rights.ts'
import { isLinkKey, listRuleKeys, type RuleKey, toLinkKey } from '../plan/access/rule-key.ts'
import {
  describeRule,
  type RuleAudience,
  type RuleDescription,
} from '../store/access/describe-rule.ts'
import type { Method, RouteTarget } from './model-paths.ts'

/** What an identity may do with a field. */
export interface FieldRights {
  readonly name: string
  readonly read: boolean
  readonly write: boolean
  readonly filter: boolean
  readonly sort: boolean
  /** The value that the server stores in every new resource; absent if it sets none. */
  readonly set?: unknown
  /** The rows that may be linked, for a relationship with such a rule; absent if links need the rule for updates. */
  readonly link?: RuleDescription
  /** The same for rows whose link is removed or replaced. */
  readonly unlink?: RuleDescription
}

/** What an identity may do with the resources of a type. */
export interface TypeAccess {
  readonly type: string
  /** The rows on which each operation is allowed. `call` is absent if the type has no actions. */
  readonly operations: Readonly<Partial<Record<TypeOperation, RuleDescription>>>
  /** The fields that exist for the identity. */
  readonly fields: readonly FieldRights[]
  /** The names of the fields that do not exist for it. */
  readonly hidden: readonly string[]
  /** The column that restricts the rows, and the tenant of the identity; absent without one. */
  readonly tenant?: Readonly<{ column: string; value: unknown }>
}

/**
 * Lists what an identity may do with each resource type: the rows of each operation, and the rights to each field. Conditions are
 * those of the declaration with the values of the identity.
 *
 * @param auth - the auth context; undefined for a request without one
 * @param dialect - the database for which conditions in SQL are written. Default: that of PostgreSQL
 * @throws what a function of a rule throws
 */
export function listAccess(
  model: Model,
  auth: unknown,
  dialect: DialectName = defaultDialect,
): readonly TypeAccess[] {
  const shape = compileAccess(model)?.(auth)
  const audience: RuleAudience = { auth, dialect }
  return [...model.types.values()].map((resource): TypeAccess => {
    const { type } = resource
    const visible = shape?.visible.types.get(type) ?? resource
    return {
      type,
      operations: describeOperations(resource, shape?.rules.types.get(type), audience),
      fields: [...visible.fields.values()].map((field) => ({
        ...describeField(field, resource, auth),
        ...describeLinks(field, shape?.rules.types.get(type), audience),
      })),
      hidden: [...resource.fields.keys()].filter((name) => !visible.fields.has(name)),
      ...describeTenant(model, type, auth),
    }
  })
}

/** Describes the tenant to whose rows a type is restricted; no member without one. */
export function describeTenant(
  model: Model,
  type: string,
  auth: unknown,
): Pick<TypeAccess, 'tenant'> {
  const { access, declarations } = model
  if (access?.tenant === undefined || declarations[type]?.tenant === false) return {}
  const { column, value } = access.tenant
  return { tenant: { column, value: computeAuthValue(value, auth) ?? null } }
}

function describeOperations(
  { isWritable, actions }: ResourceType,
  rules: TypeRules | undefined,
  audience: RuleAudience,
): TypeAccess['operations'] {
  const described = operations.flatMap((operation) => {
    if (operation === 'call' && actions.size === 0) return []
    if (operation !== 'read' && operation !== 'call' && !isWritable)
      return [[operation, false] as const]
    return [[operation, describeRule(rules?.get(operation) ?? true, audience)] as const]
  })
  return Object.fromEntries(described)
}

function describeField(field: Field, { isWritable }: ResourceType, auth: unknown): FieldRights {
  const { name } = field
  if (field.is === 'computed') return { name, read: true, write: false, filter: false, sort: false }
  const write = isWritable && isSentByClients(field) && field.isDenied !== true
  const set = field.set && { set: computeAuthValue(field.set, auth) ?? null }
  if (field.is === 'relationship')
    return { name, read: true, write, filter: true, sort: false, ...set }
  const { isReadable: read, isFilterable: filter, isSortable: sort } = field
  return { name, read, write, filter, sort, ...set }
}

/** Describes the rules for the links of a relationship; no members for other fields. */
function describeLinks(
  { name }: Field,
  rules: TypeRules | undefined,
  audience: RuleAudience,
): Partial<Record<LinkOperation, RuleDescription>> {
  const described = linkOperations.flatMap((operation) => {
    const rule = rules?.get(toLinkKey(operation, name))
    return rule === undefined ? [] : [[operation, describeRule(rule, audience)] as const]
  })
  return Object.fromEntries(described)
}

/**
 * Describes who may do what: a line for each resource type, e.g. `tasks: read by everybody, update of rows that match a
 * filter`. A server of a model with `access: 'deny by default'` logs it at the start.
 */
export function describeAccess(model: Model): readonly string[] {
  const isClosed = model.access?.isClosed ?? false
  const rules = resolveModelRules(model)
  return [...model.types.values()].map((resource) => {
    const { type, access = {}, actions } = resource
    const phrases = listRuleKeys(resource).flatMap((operation) => {
      if (operation === 'call' && actions.size === 0) return []
      const rule = rules.get(type)?.get(operation)
      // Without a rule of its own, a link needs the rules of other operations.
      if (rule === undefined && isLinkKey(operation)) return []
      const who = toPhrase(
        describeRule(rule ?? !isClosed, { auth: undefined, dialect: defaultDialect }),
      )
      return who === 'nobody' ? [] : [`${operation} ${who}`]
    })
    const anonymous = access.anonymous ?? []
    const without = anonymous.length > 0 ? `; without an auth context: ${anonymous.join(', ')}` : ''
    return phrases.length === 0 ? `${type}: closed` : `${type}: ${phrases.join(', ')}${without}`
  })
}

function toPhrase(rule: RuleDescription): string {
  if (typeof rule === 'boolean') return rule ? 'by everybody' : 'nobody'
  if ('function' in rule) return 'by a function'
  if ('filter' in rule) return 'of rows that match a filter'
  if ('sql' in rule) return 'of rows that match SQL'
  return 'any' in rule ? rule.any.map(toPhrase).join(' or ') : rule.all.map(toPhrase).join(' and ')
}

/** A rule that resources must match for a request. */
export interface NeededRule {
  readonly type: string
  readonly operation: RuleKey
  /** True if the resource in the path must match it; false for the rule of other resources: new, related, or listed ones. */
  readonly isOfPath: boolean
}

/**
 * Lists the rules that a method needs at an address.
 * @returns `undefined` if a rule without rows refuses it: that of a field, or `callable` of an action
 */
export function listNeededRules(
  target: RouteTarget,
  method: Method,
  rights: Rights,
): readonly NeededRule[] | undefined {
  if (target.is === 'root') return []
  const { resource } = target
  const ofPath = (operation: RuleKey): NeededRule => {
    return { type: resource.type, operation, isOfPath: true }
  }
  switch (target.is) {
    case 'collection':
      return [ofOthers(resource.type, method === 'GET' ? 'read' : 'create')]
    case 'resource':
      return [ofPath('read'), ...(method === 'GET' ? [] : [ofPath(operationOf(method))])]
    case 'action': {
      const { action } = target.action
      if (!rights.isCallable(resource, action)) return undefined
      return action.on === 'collection' ? [] : [ofPath('read'), ofPath('call')]
    }
    case 'related':
    case 'relationship': {
      const { to } = target.relationship
      if (method === 'GET') return [ofPath('read'), ofOthers(to, 'read')]
      const linking = listLinkRules(resource, target.relationship, method, rights)
      if (linking === undefined) return undefined
      // A new resource needs no rule for links.
      return target.is === 'related'
        ? [ofPath('read'), ofOthers(to, 'create'), ...linking.filter(({ isOfPath }) => isOfPath)]
        : [ofPath('read'), ofOthers(to, 'read'), ...linking]
    }
  }
}

function operationOf(method: Method): 'delete' | 'update' {
  return method === 'DELETE' ? 'delete' : 'update'
}

function ofOthers(type: string, operation: RuleKey): NeededRule {
  return { type, operation, isOfPath: false }
}

/** @returns `undefined` if the rules of the field refuse the identity */
function listLinkRules(
  { type }: ResourceType,
  relationship: RelationshipField,
  method: Method,
  rights: Rights,
): readonly NeededRule[] | undefined {
  const field = rights.model.types.get(type)?.fields.get(relationship.name)
  if (field?.is !== 'relationship' || field.isDenied) return undefined
  const list = (operation: LinkOperation): readonly NeededRule[] => {
    const { own, other } = rights.findLinkRules(type, relationship.name, operation)
    return [
      ...own.map((key) => ({ type, operation: key, isOfPath: true })),
      ...other.map((key) => ofOthers(relationship.to, key)),
    ]
  }
  if (method !== 'PATCH') return list(method === 'DELETE' ? 'unlink' : 'link')
  // A replacement may do one of both.
  const linking = list('link')
  const isRefused = linking.some((rule) => rights.findRule(rule.type, rule.operation) === false)
  return isRefused ? list('unlink') : linking
}
