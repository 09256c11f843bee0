import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { plain, type Statement, statement } from '../statement.ts'
import type { Migration } from '../store.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { postgresDialect } from './postgres-sql.ts'

const write = (expression: Sql): Statement => statement(expression, postgresDialect('und-x-icu'))

/** Any number that nobody else's lock is likely to have. */
const lock = 7_273_542_618

const present = write(sql`select max(version)::text from lapidary_migration`)
const record = write(sql`insert into lapidary_migration (version) values (${plain(0)})`)

/**
 * Runs the migrations that have not run yet, in a transaction that is open; whoever comes at the same time waits.
 * @throws Error when the database is at a version that is not among them: a newer program made it
 */
export async function migratePostgres(
  connection: PostgresConnection,
  migrations: readonly Migration[],
): Promise<void> {
  const inOrder = migrations.toSorted((one, other) => one.version - other.version)
  const newest = inOrder.at(-1)?.version ?? 0
  await connection.execute(`select pg_advisory_xact_lock(${lock})`)
  await connection.execute(
    'create table if not exists lapidary_migration (version bigint primary key)',
  )
  const [row = []] = await connection.all(present, { slots: [] })
  const at = Number(row[0] ?? 0)
  if (at > newest) {
    throw new Error(
      `The database is at version ${at}; this program knows versions up to ${newest}. Run a newer one.`,
    )
  }
  for (const { version, sql: text } of inOrder) {
    if (version <= at) continue
    await connection.execute(text)
    await connection.run(record, { slots: [version] })
  }
}
