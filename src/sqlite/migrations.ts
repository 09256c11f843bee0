import { sql } from 'kysely'
import {
  describeFailure,
  type Migration,
  type MigrationMode,
  pendingMigrations,
} from '../sql/migrations.ts'
import { compileStatement, rawParam } from '../sql/statement.ts'
import type { SqliteConnection } from './connection/connection.ts'
import { sqliteDialect } from './dialect.ts'

const migrationTableQuery = compileStatement(
  sql`select 1 from sqlite_master where name = 'lapidary_migration'`,
  sqliteDialect,
)
const versionQuery = compileStatement(
  sql`select max(version) from lapidary_migration`,
  sqliteDialect,
)
const versionInsert = compileStatement(
  sql`insert into lapidary_migration (version) values (${rawParam(0)})`,
  sqliteDialect,
)

/** Runs the pending migrations in one transaction. @throws Error as `Store.migrate` */
export function migrateSqlite(
  connection: SqliteConnection,
  migrations: readonly Migration[],
  mode: MigrationMode,
): void {
  connection.begin(mode === 'run' ? 'immediate' : 'deferred')
  try {
    const hasTable = connection.value(migrationTableQuery, { planValues: [] }) !== undefined
    const current = hasTable ? Number(connection.value(versionQuery, { planValues: [] })) : 0
    const pending = pendingMigrations(migrations, current, mode)
    if (!hasTable && mode === 'run')
      connection.execute('create table lapidary_migration (version integer primary key) strict')
    for (const migration of pending) {
      execute(connection, migration)
      connection.run(versionInsert, { planValues: [migration.version] })
    }
    connection.commit()
  } catch (error) {
    connection.rollback()
    throw error
  }
}

function execute(connection: SqliteConnection, migration: Migration): void {
  try {
    connection.execute(migration.sql)
  } catch (error) {
    throw describeFailure(migration, error)
  }
}
