import { type AuthValue, computeAuthValue, isAuthValue } from '../../model/declare/access.ts'
import type { Expression } from '../../model/declare/fields.ts'
import { computeDigest } from '../../model/digest.ts'
import { isObject } from '../../model/kinds/json.ts'
import { memoizeByIdentity } from '../../model/memoize-by-identity.ts'
import type { Model } from '../../model/model.ts'
import { sql } from '../../model/sql.ts'
import type { Identity } from './identity.ts'
import type { RowCondition } from './rules.ts'

/**
 * Computes a digest of everything of an identity that decides which rows and fields it sees: the rules that hold for it, and the values
 * of the auth context that they, the scopes of types, expressions and the session bind. With an equal digest, an identity may see what
 * it was shown before. A different one need not mean that it may not.
 */
export function computeViewDigest(
  model: Model,
  identity: Identity | undefined,
  auth: unknown,
): string {
  const values = listModelValues(model).map((value) => computeAuthValue(value, auth))
  const { types, hiddenFields } = identity?.rules ?? noRules
  const rules = [...types].map(([type, byKey]) => [
    type,
    [...byKey].map(([key, condition]) => [key, toComparable(condition, auth)]),
  ])
  const hidden = [...hiddenFields].map(([type, names]) => [type, [...names]])
  return computeDigest(JSON.stringify([rules, hidden, values], replaceValue))
}

const noRules: Identity['rules'] = { types: new Map(), hiddenFields: new Map() }

function replaceValue(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}

/** What a condition compares, with the values of the auth context. */
function toComparable(condition: RowCondition, auth: unknown): unknown {
  if (typeof condition === 'boolean') return condition
  if (condition.is === 'filter') return resolveValues(condition.declared, auth)
  if (condition.is === 'sql')
    return listValues(condition.write).map((value) => computeAuthValue(value, auth))
  return [condition.is, condition.of.map((each) => toComparable(each, auth))]
}

/** Replaces the values of the auth context in filters. */
function resolveValues(value: unknown, auth: unknown): unknown {
  if (isAuthValue(value)) return computeAuthValue(value, auth)
  if (Array.isArray(value)) return value.map((each) => resolveValues(each, auth))
  if (!isObject(value)) return value
  return Object.entries(value).map(([name, each]) => [name, resolveValues(each, auth)])
}

/** The values of the auth context that the declarations bind outside of rules. */
const listModelValues = memoizeByIdentity((model: Model): AuthValue[] => {
  const { types, declarations, access, session } = model
  const scopes = [...types.values()].flatMap(({ scope }) => scope ?? [])
  const expressions = Object.values(declarations).flatMap(({ fields }) =>
    Object.values(fields).flatMap((field) => (field.is === 'expression' ? field.expression : [])),
  )
  return [
    ...[...scopes, ...expressions].flatMap(listValues),
    ...findValues(access?.tenant),
    ...findValues(session),
  ]
})

function listValues(write: Expression): AuthValue[] {
  return findValues(write((column) => sql.id(column)).toOperationNode())
}

/** Finds the values of the auth context in a declaration, or in the syntax tree of its SQL. */
function findValues(node: unknown): AuthValue[] {
  if (isAuthValue(node)) return [node]
  if (Array.isArray(node)) return node.flatMap(findValues)
  return isObject(node) ? Object.values(node).flatMap(findValues) : []
}
