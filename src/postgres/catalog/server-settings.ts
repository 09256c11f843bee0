import { sql } from 'kysely'
import { compileStatement } from '../../sql/statement.ts'
import type { PostgresPool } from '../connection/connection-pool.ts'
import { isGenuinePostgres, postgresDialect } from '../dialect.ts'

const minVersion = 140_000
/** The collation of no particular language. */
const icuCollation = 'und-x-icu'

const settingsQuery = compileStatement(
  sql`
  select current_setting('server_version_num')::int, current_setting('TimeZone'), current_setting('DateStyle'),
    current_setting('synchronous_commit'), current_setting('server_encoding'), ${isGenuinePostgres}`,
  postgresDialect(icuCollation),
)

/** The settings of a server and of the sessions of a pool. */
interface ServerSettings {
  /** E.g. 180001 for version 18.1. */
  readonly version: number
  readonly timeZone: string
  readonly dateStyle: string
  readonly synchronousCommit: string
  readonly encoding: string
  /** Whether the server is PostgreSQL itself, where a statement sees the settings of an earlier one. */
  readonly isGenuine: boolean
}

/** The name of the database in messages, without user and password. */
export function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url)
  return `PostgreSQL at ${host}${pathname}`
}

/**
 * Connects to a server for the first time, and reads its settings.
 * @throws Error with a message of one line when the server cannot be reached or is older than version 14
 */
export async function readServerSettings(
  { shared }: PostgresPool,
  description: string,
): Promise<ServerSettings> {
  const [row = []] = await shared.all(settingsQuery, { planValues: [] }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    // An error of several addresses, such as those of localhost, has a code and no message.
    const reason = cause instanceof Error ? cause.message || Reflect.get(cause, 'code') : cause
    throw new Error(`${description} cannot be reached: ${reason}`, { cause })
  })
  const version = Number(row[0])
  const [timeZone = '', dateStyle = '', synchronousCommit = '', encoding = '', isGenuine = ''] = row
    .slice(1)
    .map(String)
  if (version < minVersion)
    throw new Error(
      `${description} is at version ${Math.floor(version / 10_000)}.${version % 10_000}; it must be 14 or later.`,
    )
  return {
    ...{ version, timeZone, dateStyle, synchronousCommit, encoding },
    isGenuine: isGenuine === 'true',
  }
}

/**
 * Checks the settings that the statements depend on. A pooler in transaction mode assigns a connection for one transaction, so nothing
 * can be set on the session, and the role or the pooler has to set it. `synchronous_commit` must not be off, because an acknowledged
 * write is durable.
 * @throws Error with a message of one line
 */
export function checkServerSettings(
  { timeZone, dateStyle, synchronousCommit, encoding }: ServerSettings,
  description: string,
): void {
  if (!/^(Etc\/)?UTC$/.test(timeZone) || !dateStyle.startsWith('ISO'))
    throw new Error(
      `${description} has sessions in the time zone "${timeZone}" that write dates as "${dateStyle}"; they must be UTC and ISO, so run alter role … set timezone = 'UTC', or add timezone=UTC datestyle=ISO to the database in the settings of the pooler.`,
    )
  if (synchronousCommit === 'off')
    throw new Error(
      `${description} has synchronous_commit off, so a write that was acknowledged may be lost; run alter role … set synchronous_commit = on.`,
    )
  // In this encoding characters are bytes without case.
  if (encoding === 'SQL_ASCII')
    throw new Error(`${description} is encoded as SQL_ASCII; it must be UTF8.`)
}

/** Returns the collation with the full case mappings of Unicode: PostgreSQL's own from version 18 on, that of ICU before. */
export function chooseFoldingCollation({ version, encoding }: ServerSettings): string {
  return version >= 180_000 && encoding === 'UTF8' ? 'pg_unicode_fast' : icuCollation
}
