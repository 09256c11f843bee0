import {
  type LinkOperation,
  linkOperations,
  type Operation,
  operations,
  type TypeOperation,
} from '../../model/declare/access.ts'
import { listRelationships, type ResourceType } from '../../model/model.ts'

/** Names a rule of a resource type: that of an operation, or that of a relationship, e.g. `link author`. */
export type RuleKey = TypeOperation | `${LinkOperation} ${string}`

/** Names the rule of a relationship. */
export function toLinkKey(operation: LinkOperation, relationship: string): RuleKey {
  return `${operation} ${relationship}`
}

/** Whether a rule is that of a relationship. */
export function isLinkKey(key: RuleKey): boolean {
  return key.includes(' ')
}

/** Returns the operation of a rule. */
export function toOperation(key: RuleKey): Operation {
  return [...operations, ...linkOperations].find((name) => name === splitKey(key)[0]) ?? 'update'
}

/** Returns the path of the declaration of a rule, e.g. `tasks.access.update` or `tasks.fields.author.link`. */
export function toRulePath(type: string, key: RuleKey): string {
  const [operation, relationship] = splitKey(key)
  return relationship === undefined
    ? `${type}.access.${operation}`
    : `${type}.fields.${relationship}.${operation}`
}

/** Lists the rules that a type may have: those of all operations, and those of its relationships. */
export function listRuleKeys(resource: ResourceType): readonly RuleKey[] {
  const ofLinks = listRelationships(resource).flatMap(({ name }) =>
    linkOperations.map((operation) => toLinkKey(operation, name)),
  )
  return [...operations, ...ofLinks]
}

function splitKey(key: RuleKey): readonly [operation: string, relationship?: string] {
  const end = key.indexOf(' ')
  return end === -1 ? [key] : [key.slice(0, end), key.slice(end + 1)]
}
