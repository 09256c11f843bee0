import { sql } from 'kysely'
import { type Catalog, findTable, type RowChange, type StoredTable } from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import type { Model } from '../../model/model.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqliteDialect } from '../dialect.ts'

/** What a request gets that makes a change. */
const requests: Readonly<Record<RowChange, string>> = {
  insert: 'creates',
  update: 'updates',
  delete: 'deletions',
}

/**
 * Adds the changes that SQLite cannot compile to the tables of a catalog: a trigger or a check uses a function that only another program
 * has, or a table or column that does not exist. Nothing is changed.
 */
export function addRejectedChanges(catalog: Catalog, connection: SqliteConnection): Catalog {
  const missing = new Set(
    catalog.tables.flatMap(({ foreignKeys }) =>
      foreignKeys.flatMap(({ to }) => (findTable(catalog, to) ? [] : [to.name])),
    ),
  )
  return {
    ...catalog,
    tables: catalog.tables.map((table) => {
      const rejects = findRejectedChanges(table, missing, connection)
      return rejects.size === 0 ? table : { ...table, rejects }
    }),
  }
}

/** Warns of the changes that SQLite cannot compile, of the tables whose rows the model changes. */
export function listRejectedChangeWarnings(model: Model, catalog: Catalog): string[] {
  return [...model.types.values()].flatMap(({ type, table, isWritable }) => {
    const rejects = isWritable ? findTable(catalog, table)?.rejects : undefined
    return [...(rejects ?? [])].map(
      ([change, reason]) =>
        `${type}: SQLite cannot ${change} rows of "${table.name}": ${reason}; ${requests[change]} are 409; to fix it: correct its triggers and checks, or set access: "read-only"`,
    )
  })
}

function findRejectedChanges(
  table: StoredTable,
  missing: ReadonlySet<string>,
  connection: SqliteConnection,
): ReadonlyMap<RowChange, string> {
  const rejects = new Map<RowChange, string>()
  if (table.error !== undefined || table.name === '') return rejects
  for (const [change, statement] of compileChanges(table)) {
    if (table.accepts && !table.accepts.has(change)) continue
    const reason = findError(statement, connection)
    // The warnings about foreign keys name those that cannot hold.
    const isOfKey = /^foreign key mismatch/.test(reason ?? '') || missing.has(toTable(reason))
    if (reason !== undefined && !isOfKey) rejects.set(change, reason)
  }
  return rejects
}

/** The table in the message about a missing one. */
function toTable(reason = ''): string {
  return /^no such table: main\.(.*)$/s.exec(reason)?.[1] ?? ''
}

/** Writes a statement for each change, which runs all triggers of it. */
function compileChanges({ name, columns }: StoredTable): [RowChange, Sql][] {
  const written = [...columns.values()].filter(({ writable }) => writable)
  const assignments = written.map((column) => sql`${sql.id(column.name)} = ${sql.id(column.name)}`)
  const [first] = written
  return [
    ...(first
      ? ([
          ['insert', sql`insert into ${sql.id(name)} (${sql.id(first.name)}) values (null)`],
          ['update', sql`update ${sql.id(name)} set ${sql.join(assignments)}`],
        ] satisfies [RowChange, Sql][])
      : []),
    ['delete', sql`delete from ${sql.id(name)}`],
  ]
}

/** Prepares a statement. @returns the message of SQLite if it rejects it */
function findError(statement: Sql, connection: SqliteConnection): string | undefined {
  try {
    connection.prepare(compileStatement(statement, sqliteDialect))
    return undefined
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    return cause instanceof Error ? cause.message : String(cause)
  }
}
