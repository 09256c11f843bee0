import { LRUCache } from 'lru-cache'
import type { Operation } from '../../model/access.ts'
import { type Action, isCallable } from '../../model/action.ts'
import {
  findInverse,
  getRelationship,
  getResourceType,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import { memoizeByIdentity } from '../cache/memoize-by-identity.ts'
import type { AccessShape } from './access-shapes.ts'
import { findRowCondition, type RowRules } from './identity.ts'
import type { RowCondition } from './rules.ts'

/** What an identity may know and do, as far as that does not depend on rows. */
export interface Rights {
  /** The model with the fields that exist for the identity. */
  readonly model: Model
  /** Returns the rows of a type on which an operation is allowed: true for all, false for none. */
  readonly findRule: (type: string, operation: Operation) => RowCondition
  /** False if the identity may call an action of no resource. */
  readonly isCallable: (resource: ResourceType, action: Action) => boolean
  /** Returns the operations whose rules the resources at both ends of a link must match. */
  readonly findLinkOperations: (type: string, relationship: string) => LinkOperations
}

/** The operations whose rules a link needs; `undefined` where the end of the link needs none. */
interface LinkOperations {
  /** Of the resource in the path. */
  readonly owner: LinkOperation | undefined
  /** Of the resources that are linked or unlinked. */
  readonly members: LinkOperation | undefined
}

type LinkOperation = Extract<Operation, 'relate' | 'update'>

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
  findShape: (auth: unknown) => AccessShape = createOpenShape(model),
): FindRights {
  const restricted = [...model.types.values()].flatMap(({ actions }) =>
    [...actions.values()].filter(({ callable = true }) => callable !== true),
  )
  const getCombinations = memoizeByIdentity(
    (_shape: AccessShape) => new LRUCache<string, Rights>({ max: maxCombinations }),
  )
  return (auth) => {
    const shape = findShape(auth)
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

function createOpenShape(model: Model): () => AccessShape {
  const shape = { visible: model, rules: { types: new Map(), hiddenFields: new Map() } }
  return () => shape
}

function createRights(
  model: Model,
  { rules, visible }: AccessShape,
  refused: ReadonlySet<Action>,
): Rights {
  return {
    model: visible,
    // Without a rule for links, `findLinkOperations` names the operation that applies.
    findRule: (type, operation) => findRowCondition(rules, type, operation),
    isCallable: ({ type }, action) => {
      const rule = findRowCondition(rules, type, 'call')
      // A rule that depends on the row refuses the actions of a collection, which have none.
      const isRefused = rule === false || (action.on === 'collection' && rule !== true)
      return !isRefused && !refused.has(action)
    },
    findLinkOperations: (type, name) => {
      const resource = getResourceType(model, type)
      const field = getRelationship(resource, name)
      const { foreignKey } = field.link
      return {
        owner: findLinkOperation(rules, type, foreignKey !== 'other'),
        members: findLinkOperation(rules, field.to, isChangedBy(field, resource, model)),
      }
    },
  }
}

/**
 * Finds the operation whose rule a resource must match to be linked.
 * @param isChanged - whether the write changes the resource, so that the rule for updates applies if its type has none for links
 */
export function findLinkOperation(
  rules: RowRules,
  type: string,
  isChanged: boolean,
): LinkOperation | undefined {
  if (rules.types.get(type)?.relate !== undefined) return 'relate'
  return isChanged ? 'update' : undefined
}

/**
 * Whether a write to a relationship changes the related rows too: their key, or a relationship that their type declares.
 * @param model - with all fields
 */
export function isChangedBy(
  field: RelationshipField,
  resource: ResourceType,
  model: Model,
): boolean {
  if (field.link.foreignKey === 'other') return true
  if (field.link.foreignKey === 'own') return false
  return findInverse(model, resource, field)?.isWritable ?? false
}
