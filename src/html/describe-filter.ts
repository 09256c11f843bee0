import { isObject } from '../model/json.ts'

/** Describes a filter parameter in words, e.g. `computers any (serial startswith "VAX")`. It never fails. */
export function describeFilter(name: string, value: string): string {
  if (name !== 'filter') return `${name.slice('filter['.length, -1)} eq ${JSON.stringify(value)}`
  try {
    const clauses: unknown = JSON.parse(value)
    return Array.isArray(clauses) ? joinClauses(clauses, 'and') : value
  } catch {
    return value
  }
}

function joinClauses(clauses: readonly unknown[], word: string): string {
  return clauses.map((clause) => describeClause(clause)).join(` ${word} `)
}

function describeClause(clause: unknown): string {
  if (!isObject(clause)) return JSON.stringify(clause)
  const { and, or, not, name, op, val, field } = clause
  if (Array.isArray(and)) return `(${joinClauses(and, 'and')})`
  if (Array.isArray(or)) return `(${joinClauses(or, 'or')})`
  if (not !== undefined) return `not ${describeClause(not)}`
  if (typeof name !== 'string') return JSON.stringify(clause)
  const operand = isObject(val) ? `(${describeClause(val)})` : JSON.stringify(val ?? null)
  return `${name} ${String(op)} ${typeof field === 'string' ? field : operand}`
}
