import { sql } from 'kysely'
import { quote } from '../../errors/quote.ts'
import { getCustomOperators } from '../../model/kinds/operators.ts'
import { getResourceType, type ResourceType } from '../../model/model.ts'
import { resolveModelRules } from '../../plan/access/access-shapes.ts'
import { toRulePath } from '../../plan/access/rule-key.ts'
import { listConditions } from '../../plan/access/rules.ts'
import { compileRowCondition } from '../access/restrict.ts'
import { compileCondition } from '../filter/filter.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { bound } from '../statement-values.ts'
import { rowsAt } from '../table-function.ts'
import { and, asText, columnAt, fieldAt, inScope, sortKey, type Target } from '../tables.ts'
import { compileActionSql } from '../write/action.ts'

/** The SQL of a scope or an expression. */
interface DeclaredSql {
  /** The path of the declaration, e.g. `ebook.scope`. */
  readonly path: string
  /** A statement that contains the SQL. */
  readonly statement: Statement
}

/**
 * Checks that the database accepts the SQL of the declarations.
 * @param prepare - prepares a statement without running it; throws when the database rejects it
 * @returns a line for each error
 */
export async function checkDeclaredSql(
  target: Target,
  prepare: (statement: Statement) => void | Promise<void>,
): Promise<string[]> {
  const errors: string[] = []
  for (const { path, statement } of listDeclaredSql(target)) {
    const unbindable = new Set(
      bound(statement, { planValues: [] }).filter((value) => !isBindable(value)),
    )
    for (const value of unbindable)
      errors.push(`${path}: ${value === undefined ? value : quote(value)} cannot be bound in SQL`)
    try {
      await prepare(statement)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      errors.push(`${path}: the database rejects its SQL: ${message.replace(/\s+/g, ' ')}`)
    }
  }
  return errors
}

/** Lists the SQL of the declarations, each in a statement that is compiled as every other one. */
export function listDeclaredSql(target: Target): readonly DeclaredSql[] {
  return [
    ...[...target.model.types.values()].flatMap((resource) => listTypeSql(resource, target)),
    ...listRuleSql(target),
  ]
}

/** Lists the conditions of the access rules. @throws DeclarationError for names in filters that do not exist */
function listRuleSql(target: Target): DeclaredSql[] {
  return [...resolveModelRules(target.model)].flatMap(([type, rules]) => {
    const resource = getResourceType(target.model, type)
    const column = (name: string) => columnAt(0, name)
    return [...rules].flatMap(([key, rule]) =>
      listConditions(rule).map((condition) => {
        const where = compileRowCondition(condition, { resource, column }, target)
        const select = sql`select 1 from ${rowsAt(0, resource, target)} where ${where}`
        return {
          path: toRulePath(type, key),
          statement: compileStatement(select, target.dialect),
        }
      }),
    )
  })
}

/** Lists the scope, the expressions and the kinds of the program of a resource type. */
function listTypeSql(resource: ResourceType, target: Target): DeclaredSql[] {
  const { type, scope } = resource
  const select = sql`select 1 from ${rowsAt(0, resource, target)} where ${and(inScope(0, resource))}`
  return [
    ...listQueries(resource, target),
    ...listActions(resource, target),
    ...(scope
      ? [{ path: `${type}.scope`, statement: compileStatement(select, target.dialect) }]
      : []),
    ...listExpressions(resource, target),
  ]
}

function listExpressions(resource: ResourceType, target: Target): DeclaredSql[] {
  const { type, fields } = resource
  const from = rowsAt(0, resource, target)
  return [...fields.values()].flatMap((field): DeclaredSql[] => {
    if (field.is !== 'attribute') return []
    const { codec } = field.kind
    // The columns of built-in codecs are compared with their types.
    if (field.column !== undefined && typeof codec === 'string') return []
    const operators = Object.keys(getCustomOperators(field.kind)).map((operator): DeclaredSql => {
      const condition = { is: 'custom', operator, field: field.name, parameter: 0 } as const
      const where = compileCondition(condition, { resource, depth: 0 }, target)
      const statement = compileStatement(sql`select 1 from ${from} where ${where}`, target.dialect)
      return { path: `${type}.fields.${field.name}: the operator ${operator}`, statement }
    })
    const value = fieldAt(0, field, target)
    const select = sql`select ${asText(value, codec, target)}, ${sortKey(value, codec, target)} from ${from}`
    return [
      ...operators,
      { path: `${type}.fields.${field.name}`, statement: compileStatement(select, target.dialect) },
    ]
  })
}

function listQueries(resource: ResourceType, target: Target): DeclaredSql[] {
  const { type } = resource
  const from = rowsAt(0, resource, target)
  return [...resource.queries].map(([name, { parameters }]): DeclaredSql => {
    const call = Object.keys(parameters).map((_, index) => index)
    const where = compileCondition(
      { is: 'call', query: name, parameters: call },
      { resource, depth: 0 },
      target,
    )
    const select = sql`select 1 from ${from} where ${where}`
    return { path: `${type}.queries.${name}`, statement: compileStatement(select, target.dialect) }
  })
}

function listActions(resource: ResourceType, target: Target): DeclaredSql[] {
  const { type } = resource
  return [...resource.actions].flatMap(([name, action]): DeclaredSql[] => {
    const id = action.on === 'resource' ? '' : undefined
    const call = compileActionSql(action, resource, { id, parameters: {} }, target.dialect)
    return call
      ? [{ path: `${type}.actions.${name}`, statement: compileStatement(call, target.dialect) }]
      : []
  })
}

function isBindable(value: unknown): boolean {
  if (value === null || value instanceof Uint8Array) return true
  return ['string', 'number', 'bigint'].includes(typeof value)
}
