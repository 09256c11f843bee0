import type { LinkOperation } from '../../model/declare/access.ts'
import {
  getResourceType,
  listInverses,
  listSameLinks,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import type { RowRules } from './identity.ts'
import { type RuleKey, toLinkKey } from './rule-key.ts'

/** The rules that the rows at both ends of a link must match; none where an end needs no rule. */
export interface LinkRules {
  /** Of the type that declares the relationship. */
  readonly own: readonly RuleKey[]
  /** Of the related type. */
  readonly other: readonly RuleKey[]
}

/**
 * Finds the rules of a link. They follow from the relationship alone, so one change has one answer at every address.
 *
 * An end needs the rules that its type declares for the relationship, or for another one over the same columns. Without such a rule it
 * needs the rule `update` if the row changes: if it stores the foreign key, or over a join table if its type declares the relationship
 * as writable. Otherwise it needs none.
 * @param of - the type with the relationship, and the model with all fields
 */
export function findLinkRules(
  rules: RowRules,
  field: RelationshipField,
  { resource, model }: Readonly<{ resource: ResourceType; model: Model }>,
  operation: LinkOperation,
): LinkRules {
  const { foreignKey } = field.link
  const inverses = listInverses(model, resource, field)
  const isJoined = foreignKey === 'join table'
  const isOtherChanged =
    foreignKey === 'other' || (isJoined && inverses.some(({ isWritable }) => isWritable))
  const find = (type: string, fields: readonly RelationshipField[], isChanged: boolean) => {
    const keys = fields.map(({ name }) => toLinkKey(operation, name))
    const declared = keys.filter((key) => rules.types.get(type)?.has(key))
    if (declared.length > 0) return declared
    return isChanged ? (['update'] as const) : []
  }
  return {
    own: find(resource.type, listSameLinks(resource, field), foreignKey !== 'other'),
    other: find(getResourceType(model, field.to).type, inverses, isOtherChanged),
  }
}

/** Whether links of a relationship need nothing but the rules of operations. */
export function isDefault(one: readonly RuleKey[], other: readonly RuleKey[]): boolean {
  return [...one, ...other].every((key) => key === 'update')
}
