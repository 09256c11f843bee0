import type { Operation } from '../model/declare/access.ts'
import { sql } from '../model/dialect.ts'
import { getResourceType } from '../model/model.ts'
import { findRowCondition, type Identity } from '../plan/access/identity.ts'
import { type RuleKey, toOperation, toRulePath } from '../plan/access/rule-key.ts'
import type { RowCondition } from '../plan/access/rules.ts'
import type { WritePlan } from '../plan/write.ts'
import type { AccessCheck } from '../sql/access/access-check.ts'
import { compileRowCondition } from '../sql/access/restrict.ts'
import { formatParameters } from '../sql/read/explain.ts'
import { addAuth } from '../sql/read/run-values.ts'
import { compileStatement, type RunStatement } from '../sql/statement.ts'
import type { Statements } from '../sql/statements.ts'
import { columnAt } from '../sql/tables.ts'

// What the access rules do to a request, for developers. The statements are those of the request itself.

/** A resource type whose `read` rule applies to a request. */
export interface ReadSubject {
  readonly type: string
  /** The id that the request names; absent: the rule restricts rows of any id. */
  readonly id?: string
}

/** The parts of a request that access rules apply to. */
interface AccessQuestion {
  readonly identity: Identity | undefined
  readonly reads: readonly ReadSubject[]
  /** Absent for a request that reads. */
  readonly write: WritePlan | undefined
}

/**
 * What a rule does: it allows or denies the operation, it restricts the rows of the response, it is checked when the row has been
 * written, or the resource that the request names does not exist for the identity.
 */
export type RuleEffect =
  | 'allowed'
  | 'denied'
  | 'restricts'
  | 'checked after the write'
  | 'not found'

/** A rule that applies to a request. */
export interface AppliedRule {
  readonly type: string
  readonly operation: Operation
  /** The path of the rule in the declarations. An operation may be open or closed without one. */
  readonly rule: string
  /** The rule for the identity. */
  readonly condition: RowCondition
  /** The SQL of a condition on the row `t0`, as the database gets it; absent if the rule allows all rows or none. */
  readonly sql?: string
  /** The values that the SQL binds, as JSON. */
  readonly parameters: readonly string[]
  readonly effect: RuleEffect
  /** The position of the relationship in the document; `undefined` if the rule concerns the resource itself. */
  readonly pointer: string | undefined
}

/** The rules for the reads of a request, in their order, and those for its write. */
interface AccessAnswer {
  readonly reads: readonly AppliedRule[]
  readonly writes: readonly AppliedRule[]
}

/** Explains the rules of a request. It only reads. */
export async function explainRules(
  { identity, reads, write }: AccessQuestion,
  statements: Statements,
  run: RunStatement,
): Promise<AccessAnswer> {
  const context: AnswerContext = {
    identity,
    statements,
    run: (statement, values) => run(statement, addAuth(values, identity)),
  }
  const answer: { reads: AppliedRule[]; writes: AppliedRule[] } = { reads: [], writes: [] }
  for (const subject of reads) answer.reads.push(await explainRead(subject, context))
  if (write) answer.writes.push(...(await explainWrite(write, context)))
  return answer
}

interface AnswerContext {
  readonly identity: Identity | undefined
  readonly statements: Statements
  readonly run: RunStatement
}

async function explainRead(
  { type, id }: ReadSubject,
  context: AnswerContext,
): Promise<AppliedRule> {
  const rule = describe(type, 'read', context)
  if (id === undefined) return { ...rule, effect: effectOf(rule.condition, 'restricts') }
  const { exists } = context.statements.ofType(type)
  const found = await context.run(exists, { planValues: [], id })
  return { ...rule, effect: found.length > 0 ? 'allowed' : 'not found' }
}

async function explainWrite(plan: WritePlan, context: AnswerContext): Promise<AppliedRule[]> {
  const { operation = 'update', shape } = plan
  const checks = context.statements.checks?.(plan)
  const { before = [], after = [] } = checks ?? {}
  // A write at the address of a relationship has no operation with a rule of its own.
  const key = checks ? checks.own : operation === 'relate' ? undefined : operation
  const checked: AppliedRule[] = []
  for (const check of before) checked.push(await runCheck(check, plan, context))
  const isChanged = shape.row !== 'existing' || shape.columns.length + shape.links.length > 0
  const isOwn = (check: AccessCheck) => check.key === key && check.pointer === undefined
  const later = isChanged ? after.map((check) => describeLater(check, context)) : []
  // A rule that is only checked after the write has no effect before it.
  const isChecked = [...before, ...(isChanged ? after : [])].some(isOwn)
  const own = key && !isChecked ? [describe(shape.type, key, context)] : []
  return [...own.map((rule) => ({ ...rule, effect: 'allowed' as const })), ...checked, ...later]
}

/** Runs a check as the write would. It returns a row if the rule denies the write. */
async function runCheck(
  check: AccessCheck,
  plan: WritePlan,
  context: AnswerContext,
): Promise<AppliedRule> {
  const { type, key, pointer, statement } = check
  const denied = await context.run(statement, {
    planValues: [],
    id: plan.id ?? plan.precondition?.id,
    ids: check.ids(plan),
  })
  const rule = describe(type, key, context)
  return { ...rule, pointer, effect: denied.length > 0 ? 'denied' : 'allowed' }
}

function describeLater({ type, key, pointer }: AccessCheck, context: AnswerContext) {
  const rule = describe(type, key, context)
  return { ...rule, pointer, effect: effectOf(rule.condition, 'checked after the write') }
}

/** Describes the rule of an operation, and its SQL. */
function describe(
  type: string,
  key: RuleKey,
  { identity, statements: { target } }: AnswerContext,
): Omit<AppliedRule, 'effect'> {
  const condition = findRowCondition(target.access?.rules, type, key)
  const rule = toRulePath(type, key)
  const base = { type, operation: toOperation(key), rule, condition, pointer: undefined }
  if (typeof condition === 'boolean') return { ...base, parameters: [] }
  const resource = getResourceType(target.model, type)
  const compiled = compileRowCondition(
    condition,
    { resource, column: (name) => columnAt(0, name) },
    target,
  )
  const statement = compileStatement(sql`${compiled}`, target.dialect)
  const parameters = formatParameters(statement, addAuth({ planValues: [] }, identity))
  return { ...base, sql: statement.sql, parameters }
}

function effectOf(condition: RowCondition, otherwise: RuleEffect): RuleEffect {
  if (condition === true) return 'allowed'
  return condition === false ? 'denied' : otherwise
}
