import { isAuthValue } from '../declare/access.ts'
import type { Expression } from '../declare/fields.ts'
import { isObject } from '../kinds/json.ts'
import { sql } from '../sql.ts'

/** Whether the SQL of a declaration contains a value of the auth context. */
export function containsAuthValue(write: Expression): boolean {
  return hasAuthValue(write((column) => sql.id(column)).toOperationNode())
}

/** Whether a node of Kysely's syntax tree, or a value in it, was created by `auth`. */
function hasAuthValue(node: unknown): boolean {
  if (isAuthValue(node)) return true
  if (Array.isArray(node)) return node.some(hasAuthValue)
  return isObject(node) && Object.values(node).some(hasAuthValue)
}
