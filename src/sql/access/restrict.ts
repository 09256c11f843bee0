import { sql } from 'kysely'
import type { Expression } from '../../model/declare/fields.ts'
import type { Sql } from '../../model/dialect.ts'
import { memoizeByIdentity } from '../../model/memoize-by-identity.ts'
import type { Model, ResourceType } from '../../model/model.ts'
import { getResourceType } from '../../model/model.ts'
import { findRowCondition, type Identity, type RowRules } from '../../plan/access/identity.ts'
import type { RowCondition } from '../../plan/access/rules.ts'
import { compileCondition } from '../filter/filter.ts'
import type { Target } from '../tables.ts'

/** Compiles the columns of a row. */
type Column = (name: string) => Sql

/** The rows that the condition of a rule is about. */
interface RuleRows {
  readonly resource: ResourceType
  readonly column: Column
  /** Whether the statement looks up few rows of `t0` by their ids, so that subqueries start from the row. */
  readonly isOfRow?: boolean
}

/** Compiles the condition of a rule on a row. Its subqueries see the rows of every identity (`RowRule`). */
export function compileRowCondition(condition: RowCondition, rows: RuleRows, target: Target): Sql {
  if (typeof condition === 'boolean') return condition ? sql`true` : matchNothing(rows, target)
  const { access } = target
  const unrestricted = seeAllRows(access?.unrestricted ?? target)
  switch (condition.is) {
    case 'filter': {
      const resource = getResourceType(unrestricted.model, rows.resource.type)
      return compileCondition(condition.condition, { ...rows, resource, depth: 0 }, unrestricted)
    }
    case 'sql':
      return sql`(${condition.write(rows.column)})`
    case 'any':
    case 'all': {
      const parts = condition.of.map((part) => compileRowCondition(part, rows, target))
      return sql`(${sql.join(parts, sql.raw(condition.is === 'any' ? ' or ' : ' and '))})`
    }
  }
}

function matchNothing({ resource, column }: RuleRows, { dialect }: Target): Sql {
  return dialect.matchesNothing?.(column(resource.id.columns[0])) ?? sql`false`
}

/** A rule sees the rows of every identity, so a key in it is the link. */
function seeAllRows(target: Target): Target {
  return { ...target, facts: { ...target.facts, mayHide: () => false } }
}

/**
 * Restricts what SQL is compiled for to the rows that an access shape may read: the rule of a type becomes a part of its scope, which
 * every statement contains. The declared scope stays that of `ResourceType.unrestricted`.
 * @returns the target itself if these rules restrict nothing
 */
function restrictTarget(unrestricted: Target, rules: RowRules): Target {
  if (rules.types.size === 0 && rules.hiddenFields.size === 0) return unrestricted
  const { model } = unrestricted
  const types = [...model.types].map(
    ([type, resource]) => [type, restrictType(resource, rules, unrestricted)] as const,
  )
  const restricted: Model = { ...model, types: new Map(types) }
  return { ...unrestricted, model: restricted, access: { rules, unrestricted } }
}

function restrictType(resource: ResourceType, rules: RowRules, target: Target): ResourceType {
  const read = findRowCondition(rules, resource.type, 'read')
  const hiddenFields = rules.hiddenFields.get(resource.type)
  const restricted = hiddenFields ? { ...resource, hiddenFields, unrestricted: resource } : resource
  if (read === true) return restricted
  const { scope } = resource
  const restrict =
    (isOfRow: boolean): Expression =>
    (column) => {
      const rule = compileRowCondition(read, { resource, column, isOfRow }, target)
      return scope ? sql`(${scope(column)}) and ${rule}` : rule
    }
  return { ...restricted, unrestricted: resource, scope: restrict(false), rowScope: restrict(true) }
}

/**
 * Returns a function that finds the statements of an identity: identities with the same rules share them.
 * @param create - creates the statements of a target
 */
export function createStatementsByRules<Statements extends Readonly<{ target: Target }>>(
  unrestricted: Statements,
  create: (target: Target) => Statements,
): (identity: Identity | undefined) => Statements {
  const byRules = memoizeByIdentity((rules: RowRules) => {
    const target = restrictTarget(unrestricted.target, rules)
    return target === unrestricted.target ? unrestricted : create(target)
  })
  return (identity) => (identity === undefined ? unrestricted : byRules(identity.rules))
}
