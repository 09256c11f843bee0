import { sql } from 'kysely'
import type { SessionOptions } from '../../model/declare/session.ts'
import type { Dialect } from '../../model/dialect.ts'
import { compileStatement, listParam } from '../../sql/statement.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { compileSession } from '../connection/session-setup.ts'

/** What the startup finds about the roles of the option `session`. */
interface SessionRoleFindings {
  /** Roles that cannot be set. */
  readonly errors: readonly string[]
  /** Roles to which no policy applies. */
  readonly warnings: readonly string[]
}

/**
 * Checks the roles that are declared as constants: the role of the connection must be able to set them, and policies should apply to
 * them.
 */
export async function checkSessionRoles(
  { role, anonymousRole }: SessionOptions,
  connection: PostgresConnection,
  dialect: Dialect,
): Promise<SessionRoleFindings> {
  const errors: string[] = []
  const warnings: string[] = []
  for (const [option, name] of Object.entries({ role, anonymousRole })) {
    if (option === 'anonymousRole' && name === undefined) continue
    // Without a role, requests have that of the connection.
    if (name !== undefined && typeof name !== 'string') continue
    const query = sql`select r.rolname, pg_has_role(session_user, r.oid, 'member'), r.rolsuper or r.rolbypassrls, session_user
      from pg_roles as r where r.rolname = coalesce((${listParam('ids', 'text', dialect)})[1], current_user)`
    const ids = name === undefined ? [] : [name]
    const statement = compileStatement(query, dialect)
    const [found] = await connection.allUnprepared(statement, { planValues: [], ids })
    const location = `options.session.${option}`
    if (found === undefined) errors.push(`${location}: there is no role "${name}"`)
    else if (found[1] !== true)
      errors.push(
        `${location}: the role "${found[3]}" of the connection is not a member of "${name}"; to fix it: grant "${name}" to "${found[3]}"`,
      )
    else if (found[2] === true)
      warnings.push(
        `${location}: policies do not apply to the role "${found[0]}", which is a superuser or bypasses row-level security; to fix it: declare another role`,
      )
  }
  return { errors, warnings }
}

/**
 * Returns the connection as the role of a request, to inspect its privileges.
 * @returns `undefined` if the role depends on the request
 */
export function connectAsRole(
  session: SessionOptions | undefined,
  connection: PostgresConnection,
  dialect: Dialect,
): Pick<PostgresConnection, 'all'> | undefined {
  const { role } = session ?? {}
  if (role === undefined) return connection
  if (typeof role !== 'string') return undefined
  const setup = compileSession({ role }, dialect)?.(undefined)
  return setup ? connection.withSetup(setup) : connection
}
