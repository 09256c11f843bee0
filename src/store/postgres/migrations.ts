import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { type Migration, type MigrationMode, pendingMigrations } from '../migrations.ts'
import { compileStatement, rawParam, type Statement } from '../statement.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'

const write = (expression: Sql): Statement =>
  compileStatement(expression, postgresDialect('und-x-icu'))

/** Any number that nobody else's lock is likely to have. */
const lock = 7_273_542_618

/** The longest time that Node waits, in milliseconds: an index over a large table takes what it takes. */
const forever = 2 ** 31 - 1

const versioned = write(sql`select to_regclass('lapidary_migration') is not null`)
const version = write(sql`select coalesce(max(version), 0)::int from lapidary_migration`)
const record = write(sql`insert into lapidary_migration (version) values (${rawParam(0)})`)

/**
 * Runs the migrations that have not run yet, in a transaction that is open; whoever comes at the same time waits.
 * @throws Error as the store's `migrate`
 */
export async function migratePostgres(
  connection: PostgresConnection,
  migrations: readonly Migration[],
  mode: MigrationMode,
): Promise<void> {
  if (mode === 'run') {
    await connection.execute('set local statement_timeout = 0')
    await connection.execute(`select pg_advisory_xact_lock(${lock})`, forever)
  }
  const value = async (read: Statement) => (await connection.all(read, { parameters: [] }))[0]?.[0]
  const isVersioned = (await value(versioned)) === true
  const at = isVersioned ? Number(await value(version)) : 0
  const pending = pendingMigrations(migrations, at, mode)
  if (!isVersioned && mode === 'run')
    await connection.execute('create table lapidary_migration (version bigint primary key)')
  for (const { version: next, sql: text } of pending) {
    await connection.execute(text, forever)
    await connection.run(record, { parameters: [next] })
  }
}
