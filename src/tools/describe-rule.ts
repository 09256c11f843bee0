import type { Database } from '../model/database.ts'
import { computeAuthValue, isAuthValue } from '../model/declare/access.ts'
import { isObject } from '../model/kinds/json.ts'
import { sql } from '../model/sql.ts'
import type { RowCondition, Rule } from '../plan/access/rules.ts'
import { formatParameters } from '../sql/read/explain.ts'
import { compileStatement } from '../sql/statement.ts'

/**
 * The rows that a rule allows, as it was declared: all, none, those of a filter in the grammar of clients, those of a condition in SQL,
 * or those of several rules. A `function` decides by the auth context; it is its source.
 */
export type RuleDescription =
  | boolean
  | Readonly<{ function: string }>
  | Readonly<{ filter: readonly unknown[] }>
  | Readonly<{ sql: string; parameters: readonly string[] }>
  | Readonly<{ any: readonly RuleDescription[] }>
  | Readonly<{ all: readonly RuleDescription[] }>

/** For whom a rule is described. */
export interface RuleAudience {
  readonly auth: unknown
  readonly database: Database
}

/**
 * Describes a rule, with the values that `auth(…)` has for an auth context. Without one they are null.
 * @param rule - as it was declared, or as it applies to the auth context
 */
export function describeRule(rule: Rule | RowCondition, audience: RuleAudience): RuleDescription {
  if (typeof rule === 'boolean') return rule
  switch (rule.is) {
    case 'decision':
      return { function: String(rule.decision.compute) }
    case 'filter':
      return { filter: rule.declared.map((each) => computeValues(each, audience.auth)) }
    case 'sql': {
      const condition = rule.write((name) => sql`${sql.id(name)}`)
      const statement = compileStatement(condition, audience.database)
      const parameters = formatParameters(statement, { planValues: [], auth: audience.auth })
      return { sql: statement.sql, parameters }
    }
    case 'any':
      return { any: rule.of.map((each) => describeRule(each, audience)) }
    case 'all':
      return { all: rule.of.map((each) => describeRule(each, audience)) }
  }
}

/** Replaces each `auth(…)` in a filter by its value. */
function computeValues(value: unknown, auth: unknown): unknown {
  if (isAuthValue(value)) return computeAuthValue(value, auth) ?? null
  if (Array.isArray(value)) return value.map((each) => computeValues(each, auth))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, computeValues(member, auth)]),
  )
}
