import type { RuleKey } from './rule-key.ts'
import type { RowCondition } from './rules.ts'

/** The rows of a type on which each operation is allowed. A relationship without a rule for its links has none here. */
export type TypeRules = ReadonlyMap<RuleKey, RowCondition>

/**
 * The row rules of an access shape: one of the few sets of rules that the decisions of a model select. Identities for which every
 * decision is the same share one, and so their plans and statements.
 */
export interface RowRules {
  /** By resource type; types on which everything is allowed are omitted. */
  readonly types: ReadonlyMap<string, TypeRules>
  /** The fields that do not exist for these identities, by resource type. */
  readonly hiddenFields: ReadonlyMap<string, ReadonlySet<string>>
}

/** Returns the rows of a type that a rule allows; all of them if no rule restricts the operation, or without rules. */
export function findRowCondition(
  rules: RowRules | undefined,
  type: string,
  key: RuleKey,
): RowCondition {
  return rules?.types.get(type)?.get(key) ?? true
}

/** The identity of a request: the rules that apply, and the auth context with the values that they bind. */
export interface Identity {
  readonly rules: RowRules
  readonly auth: unknown
}
