import { LRUCache } from 'lru-cache'
import type { LinkOperation } from '../../model/declare/access.ts'
import { type Action, isCallable } from '../../model/declare/action.ts'
import { memoizeByIdentity } from '../../model/memoize-by-identity.ts'
import {
  getRelationship,
  getResourceType,
  type Model,
  type ResourceType,
} from '../../model/model.ts'
import type { AccessShape } from './access-shapes.ts'
import { findRowCondition } from './identity.ts'
import { findLinkRules, type LinkRules } from './link-rules.ts'
import type { RuleKey } from './rule-key.ts'
import type { RowCondition } from './rules.ts'

/** What an identity may know and do, as far as that does not depend on rows. */
export interface Rights {
  /** The model with the fields that exist for the identity. */
  readonly model: Model
  /** Returns the rows of a type that a rule allows: true for all, false for none. */
  readonly findRule: (type: string, key: RuleKey) => RowCondition
  /** False if the identity may call an action of no resource. */
  readonly isCallable: (resource: ResourceType, action: Action) => boolean
  /** Returns the rules that the resources at both ends of a link must match to be linked or unlinked. */
  readonly findLinkRules: (
    type: string,
    relationship: string,
    operation: LinkOperation,
  ) => LinkRules
}

/** Finds the rights of an auth context; equal rights are one object. @throws what a function of a rule throws */
export type FindRights = (auth: unknown) => Rights

/** The most combinations of callable actions that are held in memory for an access shape. */
const maxCombinations = 200

/**
 * Creates the function that finds the rights of an auth context: they depend on its access shape, and on the rules `callable` of
 * actions.
 * @param findShape - absent for a model without access rules
 */
export function createRightsFinder(
  model: Model,
  findShape?: (auth: unknown) => AccessShape,
): FindRights {
  const openShape = createOpenShape(model)
  const restricted = [...model.types.values()].flatMap(({ actions }) =>
    [...actions.values()].filter(({ callable = true }) => callable !== true),
  )
  const getCombinations = memoizeByIdentity(
    (_shape: AccessShape) => new LRUCache<string, Rights>({ max: maxCombinations }),
  )
  return (auth) => {
    const shape = findShape?.(auth) ?? openShape
    const refused = restricted.filter((action) => !isCallable(action, auth))
    const key = restricted.map((action) => Number(refused.includes(action))).join('')
    const combinations = getCombinations(shape)
    const known = combinations.get(key)
    if (known !== undefined) return known
    const rights = createRights(model, shape, new Set(refused))
    combinations.set(key, rights)
    return rights
  }
}

function createOpenShape(model: Model): AccessShape {
  return { visible: model, rules: { types: new Map(), hiddenFields: new Map() } }
}

/** Creates the rights to everything that a model has, as if it had no rules. */
export function createFullRights(model: Model): Rights {
  return createRights(model, createOpenShape(model), new Set())
}

function createRights(
  model: Model,
  { rules, visible }: AccessShape,
  refused: ReadonlySet<Action>,
): Rights {
  return {
    model: visible,
    findRule: (type, key) => findRowCondition(rules, type, key),
    isCallable: ({ type }, action) => {
      const rule = findRowCondition(rules, type, 'call')
      // A rule that depends on the row refuses the actions of a collection, which have none.
      const isRefused = rule === false || (action.on === 'collection' && rule !== true)
      return !isRefused && !refused.has(action)
    },
    findLinkRules: (type, name, operation) => {
      const resource = getResourceType(model, type)
      return findLinkRules(rules, getRelationship(resource, name), { resource, model }, operation)
    },
  }
}
