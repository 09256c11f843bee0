import type { LinkOperation } from '../model/declare/access.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'
import type { Rights } from '../plan/access/rights.ts'
import type { RuleKey } from '../plan/access/rule-key.ts'
import type { Method, RouteTarget } from './paths.ts'

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
