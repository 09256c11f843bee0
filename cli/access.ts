import { readFileSync } from 'node:fs'
import {
  type AccessExplanation,
  type ExplainedRule,
  explainAccess,
  listAccess,
  type RuleDescription,
  type TypeAccess,
} from 'lapidary'
import { findDialect, loadModel, openSource } from './open-source.ts'
import type { AccessCommand } from './parse-command-line.ts'

/**
 * Runs `lapidary access`: prints what each identity may do with each resource type, or what the access rules do to a request of it.
 * It reads only.
 * @throws Error with a one-line message
 */
export async function printAccess(command: AccessCommand): Promise<void> {
  const identities = command.identities.flatMap(readIdentities)
  const { request, json } = command
  const results =
    request === undefined
      ? await listIdentities(command, identities)
      : await explainIdentities(command, request, identities)
  console.log(json ? JSON.stringify(results.objects, null, 2) : results.text)
}

/** Reads identities: JSON, or the path of a file with JSON; an array has several. */
function readIdentities(text: string): readonly unknown[] {
  const value = parse(text) ?? parse(readFile(text))
  if (value === undefined)
    throw new Error(`--identity must be JSON, or a file with JSON; it is '${text}'`)
  return Array.isArray(value.json) ? value.json : [value.json]
}

function parse(text: string | undefined): Readonly<{ json: unknown }> | undefined {
  if (text === undefined) return undefined
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The output: JSON for programs, and text for people. */
interface Printed {
  readonly objects: readonly unknown[]
  readonly text: string
}

async function listIdentities(
  command: AccessCommand,
  identities: readonly unknown[],
): Promise<Printed> {
  const model = await loadModel(command)
  const dialect = findDialect(command)
  const objects = identities.map((identity) => ({
    identity,
    types: listAccess(model, identity, dialect),
  }))
  return { objects, text: formatMatrix(objects) }
}

async function explainIdentities(
  command: AccessCommand,
  request: string,
  identities: readonly unknown[],
): Promise<Printed> {
  const { model, store } = await openSource(command)
  try {
    const { prefix, body } = command
    const objects = []
    for (const identity of identities) {
      const options = { auth: identity, body }
      const explanation = await explainAccess({ model, store, prefix }, request, options)
      objects.push({ identity, request, ...explanation })
    }
    return { objects, text: objects.map(formatRequestAccess).join('\n\n') }
  } finally {
    await store.close()
  }
}

/** The rights of an identity to each type. */
interface IdentityAccess {
  readonly identity: unknown
  readonly types: readonly TypeAccess[]
}

/**
 * Formats the rights of identities as a table: a column for each identity, a row for each operation of a type and each field of
 * it. Conditions are listed below the table.
 */
export function formatMatrix(identities: readonly IdentityAccess[]): string {
  const conditions = new Conditions()
  const names = identities[0]?.types.map(({ type }) => type) ?? []
  const rows = names.flatMap((type, index) => {
    const ofType = identities.map(({ types }) => types[index])
    return [
      [type],
      ...listOperations(ofType).map((operation) => [
        `  ${operation}`,
        ...ofType.map((access) => formatOperation(access, operation, conditions)),
      ]),
      ...listFields(ofType).flatMap((field) => [
        [`  .${field}`, ...ofType.map((access) => formatRights(access, field))],
        ...listLinkRows(ofType, field, conditions),
      ]),
      ...(ofType.some((access) => access?.tenant)
        ? [['  tenant', ...ofType.map(formatTenant)]]
        : []),
    ]
  })
  const header = ['', ...identities.map((_, index) => `identity ${index + 1}`)]
  return [
    ...identities.map(
      ({ identity }, index) => `identity ${index + 1}: ${JSON.stringify(identity)}`,
    ),
    '',
    ...formatTable([header, ...rows]),
    '',
    ...conditions.lines,
    ...(conditions.lines.length > 0 ? [''] : []),
    'Rows: all, none, or those that match a condition [n]. Fields: r read, w write, f filter, s sort; = the server sets it.',
  ].join('\n')
}

/** Conditions, each with a number. */
class Conditions {
  readonly #numbers = new Map<string, number>()

  add(rule: RuleDescription): string {
    if (typeof rule === 'boolean') return rule ? 'all' : 'none'
    const text = formatRule(rule)
    const number = this.#numbers.get(text) ?? this.#numbers.size + 1
    this.#numbers.set(text, number)
    return `[${number}]`
  }

  get lines(): readonly string[] {
    return [...this.#numbers].map(([text, number]) => `[${number}] ${text}`)
  }
}

type MaybeAccess = TypeAccess | undefined

const operations = ['read', 'create', 'update', 'delete', 'call'] as const

function listOperations(types: readonly MaybeAccess[]) {
  return operations.filter((operation) =>
    types.some((access) => access?.operations[operation] !== undefined),
  )
}

function formatOperation(
  access: MaybeAccess,
  operation: (typeof operations)[number],
  conditions: Conditions,
): string {
  const rule = access?.operations[operation]
  return rule === undefined ? '' : conditions.add(rule)
}

/** The fields that exist for any of the identities. */
function listFields(types: readonly MaybeAccess[]): string[] {
  return [...new Set(types.flatMap((each) => each?.fields.map(({ name }) => name) ?? []))]
}

function findField(access: MaybeAccess, name: string) {
  return access?.fields.find((field) => field.name === name)
}

/** The rows of the rules for the links of a relationship; without a rule, that for updates applies. */
function listLinkRows(types: readonly MaybeAccess[], name: string, conditions: Conditions) {
  return (['link', 'unlink'] as const).flatMap((operation) => {
    const rules = types.map((access) => findField(access, name)?.[operation])
    if (rules.every((rule) => rule === undefined)) return []
    const cells = rules.map((rule) => (rule === undefined ? '' : conditions.add(rule)))
    return [[`  .${name} ${operation}`, ...cells]]
  })
}

function formatRights(access: MaybeAccess, name: string): string {
  const field = findField(access, name)
  if (field === undefined) return 'hidden'
  const { read, write, filter, sort } = field
  const rights = Object.entries({ r: read, w: write, f: filter, s: sort })
  const letters = rights.map(([letter, has]) => (has ? letter : '-')).join('')
  return 'set' in field ? `${letters} =${JSON.stringify(field.set)}` : letters
}

function formatTenant(access: MaybeAccess): string {
  const { tenant } = access ?? {}
  return tenant ? `${tenant.column} = ${JSON.stringify(tenant.value)}` : ''
}

function formatTable(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Formats a rule in the words of its declaration. */
function formatRule(rule: RuleDescription): string {
  if (typeof rule === 'boolean') return rule ? 'all' : 'none'
  if ('function' in rule) return rule.function
  if ('filter' in rule) return `filter=${JSON.stringify(rule.filter)}`
  if ('sql' in rule)
    return rule.parameters.length === 0
      ? rule.sql
      : `${rule.sql}, with ${rule.parameters.join(', ')}`
  return 'any' in rule
    ? `any of: ${rule.any.map(formatRule).join('; ')}`
    : `all of: ${rule.all.map(formatRule).join('; ')}`
}

/** Formats the effect of the rules on a request. */
export function formatRequestAccess({
  identity,
  request,
  ...explanation
}: AccessExplanation & Readonly<{ identity: unknown; request: string }>): string {
  const { errors, rules, hidden, set, tenant } = explanation
  const hiddenNames = Object.entries(hidden).flatMap(([type, names]) =>
    names.map((name) => `${type}.${name}`),
  )
  return [
    `${request} as ${JSON.stringify(identity)}: ${formatStatus(explanation)}`,
    ...errors.map(
      ({ status, code, detail, rule }) =>
        `${status} ${code}: ${detail}${rule === undefined ? '' : ` (${rule})`}`,
    ),
    ...rules.flatMap((rule) => ['', ...formatAppliedRule(rule)]),
    '',
    ...(tenant ? [`tenant: ${tenant.column} = ${JSON.stringify(tenant.value)}`] : []),
    ...Object.entries(set).map(
      ([name, value]) => `set by the server: ${name} = ${JSON.stringify(value)}`,
    ),
    `hidden fields: ${hiddenNames.length === 0 ? 'none' : hiddenNames.join(', ')}`,
  ].join('\n')
}

function formatStatus({ status, rules }: AccessExplanation): string {
  if (status !== undefined) return String(status)
  const later = rules.filter(({ effect }) => effect === 'checked after the write')
  return later.length === 0
    ? 'no rule denies it'
    : `no rule denies it, if the written row matches ${later.map(({ rule }) => rule).join(', ')}`
}

const effects: Readonly<Record<ExplainedRule['effect'], string>> = {
  allowed: 'allows it',
  denied: 'denies it',
  restricts: 'restricts the rows',
  'checked after the write': 'is checked after the write',
  'not found': 'hides the row, or there is none',
}

function formatAppliedRule({ part, rule, rows, sql, parameters, effect }: ExplainedRule): string[] {
  return [
    `${part}: ${rule} ${effects[effect]}`,
    `  rows: ${formatRule(rows)}`,
    ...(sql === undefined ? [] : [`  sql: ${sql}`]),
    ...(parameters.length === 0 ? [] : [`  values: ${parameters.join(', ')}`]),
  ]
}
