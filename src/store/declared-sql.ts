import { sql } from 'kysely'
import { quote } from '../errors/quote.ts'
import type { ResourceType } from '../model/model.ts'
import { bound, compileStatement, type Statement } from './statement.ts'
import { and, asText, comparisonKey, fieldAt, inScope, type Target, tableAt } from './tables.ts'

/** A piece of SQL that a declaration writes: where it says so, and a statement that reads it. */
interface DeclaredSql {
  readonly place: string
  readonly statement: Statement
}

/**
 * What the database does not take of the SQL that declarations write: a line per mistake.
 * @param prepare - has the database read a statement without running it; throws when it cannot
 */
export async function checkDeclaredSql(
  target: Target,
  prepare: (statement: Statement) => void | Promise<void>,
): Promise<string[]> {
  const mistakes: string[] = []
  const types = [...target.model.types.values()]
  for (const each of types.flatMap((resource) => listDeclaredSql(resource, target))) {
    const { place, statement } = each
    const strange = new Set(
      bound(statement, { parameters: [] }).filter((value) => !isBindable(value)),
    )
    for (const value of strange)
      mistakes.push(
        `${place}: ${value === undefined ? value : quote(value)} cannot be bound in SQL`,
      )
    try {
      await prepare(statement)
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      mistakes.push(`${place}: the database rejects its SQL: ${words.replace(/\s+/g, ' ')}`)
    }
  }
  return mistakes
}

/** The condition and the expressions of a type, written as every statement has them. */
function listDeclaredSql(resource: ResourceType, target: Target): DeclaredSql[] {
  const { type, table, scope, fields } = resource
  const from = tableAt(0, table)
  const condition = sql`select 1 from ${from} where ${and(inScope(0, resource))}`
  const expressions = [...fields.values()].flatMap((field): DeclaredSql[] => {
    if (field.is !== 'attribute' || field.column !== undefined) return []
    const { codec } = field.kind
    const value = fieldAt(0, field)
    const read = sql`select ${asText(value, codec, target)}, ${comparisonKey(value, codec, target)} from ${from}`
    return [
      { place: `${type}.fields.${field.name}`, statement: compileStatement(read, target.dialect) },
    ]
  })
  return [
    ...(scope
      ? [{ place: `${type}.scope`, statement: compileStatement(condition, target.dialect) }]
      : []),
    ...expressions,
  ]
}

function isBindable(value: unknown): boolean {
  if (value === null || value instanceof Uint8Array) return true
  return ['string', 'number', 'bigint'].includes(typeof value)
}
