import { sql } from 'kysely'
import { HttpError } from '../../errors/errors.ts'
import { resolveAuthValue } from '../../model/declare/access.ts'
import type { SessionOptions } from '../../model/declare/session.ts'
import type { Dialect } from '../../model/dialect.ts'
import type { Identity } from '../../plan/access/identity.ts'
import { quoteIdentifier } from '../../sql/quote-identifier.ts'
import { compileStatement, type RunValues, type Statement } from '../../sql/statement.ts'

// The option `session` of a model: role, settings and search path for the identity of a request. The setup is sent together with the first
// statement, so it costs no round trip, and works behind a pooler in transaction mode. Only settings with a dot in their name can be
// declared: `TimeZone` would change what the engine relies on.
//
// Invariant: every statement of a request runs in a transaction that has executed `SessionSetup.statement` with the values of its
// identity before. Each setup sets all parameters, and `set_config(…, true)` ends with the transaction, so nothing of one identity
// is left for the next one on the same connection. If the setup fails, the transaction is aborted, and no later statement runs.

/** The statement that begins the transactions of an identity. */
export interface SessionSetup {
  readonly statement: Statement
  readonly values: RunValues
  /** Whether the same SQL means other tables for another identity, so that no plan of it is kept. */
  readonly setsSearchPath: boolean
  /** The role that it sets; `undefined` if it is that of the connection. */
  readonly role: string | undefined
}

/**
 * Computes the setup of a request. A request without an identity has no auth context.
 * @throws HttpError `permission_denied` (403) when it has no role or no schema; what a function of the declaration throws
 */
export type CreateSessionSetup = (identity: Identity | undefined) => SessionSetup

/** A parameter of the server, and its value for an auth context. */
interface SessionParameter {
  readonly name: string
  readonly compute: (auth: unknown) => string
}

/** Compiles the option `session` of a model; `undefined` without it. */
export function compileSession(
  options: SessionOptions | undefined,
  dialect: Dialect,
): CreateSessionSetup | undefined {
  if (options === undefined) return undefined
  const parameters = listParameters(options)
  const calls = parameters.map(
    ({ name }, index) =>
      sql`set_config(${sql.lit(name)}, ${{ source: index, bind: String }}, true)`,
  )
  const statement = compileStatement(sql`select ${sql.join(calls)}`, dialect)
  const setsSearchPath = options.searchPath !== undefined
  return (identity) => {
    const planValues = parameters.map(({ compute }) => compute(identity?.auth))
    // The role is the last parameter.
    const role = options.role === undefined ? undefined : planValues.at(-1)
    return { statement, values: { planValues }, setsSearchPath, role }
  }
}

/** Lists the parameters. The role is the last one: it may lack the right to set the others. */
function listParameters({
  role,
  anonymousRole,
  settings = {},
  searchPath,
}: SessionOptions): SessionParameter[] {
  return [
    ...Object.entries(settings).map(([name, value]) => ({
      name,
      compute: (auth: unknown) => toText(resolveAuthValue(value, auth) ?? '', name),
    })),
    ...(searchPath === undefined
      ? []
      : [
          {
            name: 'search_path',
            compute: (auth: unknown) => toPath(resolveAuthValue(searchPath, auth)),
          },
        ]),
    ...(role === undefined
      ? []
      : [{ name: 'role', compute: (auth: unknown) => toRole({ role, anonymousRole }, auth) }]),
  ]
}

/** @throws Error for a value that is not a text, a number or a boolean */
function toText(value: unknown, name: string): string {
  const isText = typeof value === 'string' && !value.includes('\0')
  if (
    isText ||
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    typeof value === 'boolean'
  )
    return String(value)
  throw new Error(`options.session: the value of ${name} must be a text, a number or a boolean.`)
}

interface DeclaredRoles {
  readonly role: SessionOptions['role']
  readonly anonymousRole: string | undefined
}

function toRole({ role, anonymousRole }: DeclaredRoles, auth: unknown): string {
  const isAnonymous = auth === undefined || auth === null
  if (isAnonymous && anonymousRole !== undefined) return anonymousRole
  const name = toText(resolveAuthValue(role, auth) ?? deny('role'), 'role')
  // An auth context must not choose the role of the connection.
  if (name === 'none' || name === '')
    throw new Error('options.session: the role of a request must be the name of a role.')
  return name
}

function toPath(value: unknown): string {
  const path: readonly unknown[] = Array.isArray(value) ? value : [value ?? deny('schema')]
  if (path.length === 0 || path.includes(''))
    throw new Error('options.session: the search path of a request must name a schema.')
  return path.map((schema) => quoteIdentifier(toText(schema, 'searchPath'))).join(', ')
}

function deny(what: 'role' | 'schema'): never {
  const detail = `The database has no ${what} for this request.`
  throw new HttpError('permission_denied', detail)
}
