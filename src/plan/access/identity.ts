import type { Operation } from '../../model/access.ts'
import type { RowCondition } from './rules.ts'

/** The rows of a type on which each operation is allowed. */
export interface TypeRules extends Readonly<Record<Exclude<Operation, 'relate'>, RowCondition>> {
  /** `undefined` if the type has no rule of its own for links. */
  readonly relate: RowCondition | undefined
}

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

/** Returns the rows of a type on which an operation is allowed; all of them if no rule restricts it, or without rules. */
export function findRowCondition(
  rules: RowRules | undefined,
  type: string,
  operation: Operation,
): RowCondition {
  return rules?.types.get(type)?.[operation] ?? true
}

/** The identity of a request: the rules that apply, and the auth context with the values that they bind. */
export interface Identity {
  readonly rules: RowRules
  readonly auth: unknown
}
