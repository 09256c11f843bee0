import { sql } from 'kysely'
import type { Sql } from '../model/dialect.ts'
import {
  describeFailure,
  type Migration,
  type MigrationMode,
  pendingMigrations,
} from '../sql/migrations.ts'
import { compileStatement, rawParam, type Statement } from '../sql/statement.ts'
import type { PostgresConnection } from './connection/connection.ts'
import { splitCommands } from './connection/split-commands.ts'
import { postgresDialect } from './dialect.ts'

const compile = (expression: Sql): Statement =>
  compileStatement(expression, postgresDialect('und-x-icu'))

/** An arbitrary number that no other advisory lock is likely to have. */
const lockKey = 7_273_542_618

/** The longest timeout of Node.js, in milliseconds: an index of a large table may take hours. */
const noTimeout = 2 ** 31 - 1

const tableExistsQuery = compile(sql`select to_regclass('lapidary_migration') is not null`)
const versionQuery = compile(sql`select coalesce(max(version), 0)::int from lapidary_migration`)
const versionInsert = compile(sql`insert into lapidary_migration (version) values (${rawParam(0)})`)

/**
 * Runs the pending migrations in an open transaction. Other programs that migrate at the same time wait.
 * @throws Error as `Store.migrate`
 */
export async function migratePostgres(
  connection: PostgresConnection,
  migrations: readonly Migration[],
  mode: MigrationMode,
): Promise<void> {
  if (mode === 'run') {
    await connection.execute('set local statement_timeout = 0')
    await connection.execute(`select pg_advisory_xact_lock(${lockKey})`, noTimeout)
  }
  const queryValue = async (query: Statement) =>
    (await connection.all(query, { planValues: [] }))[0]?.[0]
  const hasTable = (await queryValue(tableExistsQuery)) === true
  const current = hasTable ? Number(await queryValue(versionQuery)) : 0
  const pending = pendingMigrations(migrations, current, mode)
  if (!hasTable && mode === 'run')
    await connection.execute('create table lapidary_migration (version bigint primary key)')
  for (const migration of pending) {
    for (const command of splitCommands(migration.sql))
      await connection.execute(command, noTimeout).catch((error) => {
        throw describeFailure(migration, error)
      })
    await connection.run(versionInsert, { planValues: [migration.version] })
  }
}
