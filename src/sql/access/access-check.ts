import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import type { ResourceType } from '../../model/model.ts'
import { findRowCondition } from '../../plan/access/identity.ts'
import type { RuleKey } from '../../plan/access/rule-key.ts'
import type { RowCondition } from '../../plan/access/rules.ts'
import type { WriteOperation, WritePlan } from '../../plan/write.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { and, columnAt, type Target, tableAt } from '../tables.ts'
import { compileRowCondition } from './restrict.ts'

/** A statement that returns a row if a rule refuses a write. It takes the `id` of the written resource, and `ids`. */
export interface AccessCheck {
  readonly statement: Statement
  readonly key: RuleKey
  /** The type whose rule it is. */
  readonly type: string
  /** The position of the relationship in the document; `undefined` if the rule concerns the written resource. */
  readonly pointer: string | undefined
  /** Returns the ids that it takes. */
  readonly ids: (plan: WritePlan) => readonly string[]
}

/** The checks of a write, and the target that they are compiled for. */
export interface CheckedWrite {
  readonly target: Target
  readonly resource: ResourceType
  readonly operation: WriteOperation
}

/** A rule that rows must match. */
export interface EffectiveRule {
  readonly key: RuleKey
  readonly condition: RowCondition
}

/** Returns the rules that refuse any row. */
export function findRules(
  type: string,
  keys: readonly RuleKey[],
  { access }: Target,
): readonly EffectiveRule[] {
  return keys.flatMap((key) => {
    const condition = findRowCondition(access?.rules, type, key)
    return condition === true ? [] : [{ key, condition }]
  })
}

/** The rows that a check reads, and where its error points. */
export interface CheckedRows extends Partial<Pick<AccessCheck, 'pointer' | 'ids'>> {
  readonly resource: ResourceType
  readonly where: readonly Sql[]
}

/** Compiles the check of a rule on rows of `t0`. */
export function compileCheck(
  { key, condition }: EffectiveRule,
  { resource, where, pointer, ids = () => [] }: CheckedRows,
  target: Target,
): AccessCheck[] {
  const column = (name: string) => columnAt(0, name)
  const rule = compileRowCondition(condition, { resource, column, isOfRow: true }, target)
  const refused = and([...where, sql`(${rule}) is not true`])
  const select = sql`select 1 from ${tableAt(0, resource.table)} where ${refused} limit 1`
  const statement = compileStatement(select, target.dialect)
  return [{ statement, key, type: resource.type, pointer, ids }]
}
