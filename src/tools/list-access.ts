import { describeModel } from '../describe/describe-model.ts'
import type { TypeDescription } from '../describe/describe-type.ts'
import type { DialectName } from '../model/database-names.ts'
import {
  computeAuthValue,
  type LinkOperation,
  linkOperations,
  operations,
  type TypeOperation,
} from '../model/declare/access.ts'
import { getResourceType, type Model, type ResourceType } from '../model/model.ts'
import { compileAccess, resolveModelRules } from '../plan/access/access-shapes.ts'
import type { TypeRules } from '../plan/access/identity.ts'
import { createRightsFinder } from '../plan/access/rights.ts'
import { isLinkKey, listRuleKeys, toLinkKey } from '../plan/access/rule-key.ts'
import { databases, defaultDatabase } from './databases.ts'
import { describeRule, type RuleAudience, type RuleDescription } from './describe-rule.ts'

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
  dialect: DialectName = defaultDatabase.name,
): readonly TypeAccess[] {
  const findShape = compileAccess(model)
  const rules = findShape?.(auth).rules
  const audience: RuleAudience = { auth, database: databases[dialect] }
  const { types } = describeModel(createRightsFinder(model, findShape)(auth))
  return [...types.values()].map(({ type, fields, hidden }): TypeAccess => {
    const resource = getResourceType(model, type)
    const ofType = rules?.types.get(type)
    return {
      type,
      operations: describeOperations(resource, ofType, audience),
      fields: fields.map((field) => ({
        ...describeField(field),
        ...describeSetValue(field.name, resource, auth),
        ...describeLinks(field.name, ofType, audience),
      })),
      hidden,
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

function describeField(field: TypeDescription['fields'][number]): FieldRights {
  const { name } = field
  const write = field.isCreatable || field.isUpdatable
  if (field.is === 'relationship') return { name, read: true, write, filter: true, sort: false }
  const { isReadable: read, isFilterable: filter, isSortable: sort } = field
  return { name, read, write, filter, sort }
}

/** Computes the value that the server stores in every new resource; no member without one. */
function describeSetValue(
  name: string,
  { fields }: ResourceType,
  auth: unknown,
): Pick<FieldRights, 'set'> {
  const field = fields.get(name)
  if (field === undefined || field.is === 'computed' || field.set === undefined) return {}
  return { set: computeAuthValue(field.set, auth) ?? null }
}

/** Describes the rules for the links of a relationship; no members for other fields. */
function describeLinks(
  name: string,
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
        describeRule(rule ?? !isClosed, { auth: undefined, database: defaultDatabase }),
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
