import { sql } from 'kysely'
import type { Catalog, StoredColumn } from '../../model/check-tables.ts'
import { plain, statement } from '../statement.ts'
import type { Migration } from '../store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { sqliteDialect as dialect } from './sqlite-sql.ts'

const columns = statement(
  sql`select t.name, c.name, c."notnull" = 0 and c.pk = 0
      from sqlite_schema as t, pragma_table_xinfo(t.name) as c
      where t.type in ('table', 'view') and t.name not like 'sqlite\\_%' escape '\\'
      order by t.name, c.cid`,
  dialect,
)

/** The tables and views of the database and their columns. */
export function sqliteCatalog(connection: SqliteConnection): Catalog {
  const tables = new Map<string, Map<string, StoredColumn>>()
  for (const [table, column, nullable] of connection.all(columns, { slots: [] })) {
    const known = tables.get(String(table)) ?? new Map<string, StoredColumn>()
    tables.set(String(table), known.set(String(column), { nullable: nullable === 1 }))
  }
  return tables
}

const present = statement(sql`select max(version) from lapidary_migration`, dialect)
const record = statement(
  sql`insert into lapidary_migration (version) values (${plain(0)})`,
  dialect,
)

/**
 * Runs the migrations that have not run yet, all of them or none.
 * @throws Error when the database is at a version that is not among them: a newer program made it
 */
export function migrateSqlite(
  connection: SqliteConnection,
  migrations: readonly Migration[],
): void {
  const inOrder = migrations.toSorted((one, other) => one.version - other.version)
  const newest = inOrder.at(-1)?.version ?? 0
  connection.transaction('immediate', () => {
    connection.execute(
      'create table if not exists lapidary_migration (version integer primary key) strict',
    )
    const at = Number(connection.value(present, { slots: [] }) ?? 0)
    if (at > newest) {
      throw new Error(
        `The database is at version ${at}; this program knows versions up to ${newest}. Run a newer one.`,
      )
    }
    for (const { version, sql: text } of inOrder) {
      if (version <= at) continue
      connection.execute(text)
      connection.run(record, { slots: [version] })
    }
  })
}
