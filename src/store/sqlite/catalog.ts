import { sql } from 'kysely'
import type { Catalog, ForeignKey, StoredColumn, StoredTable } from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import { type Migration, type MigrationMode, pendingMigrations } from '../migrations.ts'
import { compileStatement, rawParam, type Statement } from '../statement.ts'
import type { SqliteConnection } from './connection.ts'
import { sqliteDialect as dialect } from './dialect.ts'

const columnsOfAll = reading(
  sql`select t.name, c.name, c.type, c."notnull" = 0 and c.pk = 0, c.dflt_value is not null, c.hidden = 0, c.pk, t.wr`,
  sql`pragma_table_xinfo(t.name) as c where c.hidden <> 1 order by t.name, c.cid`,
)
const uniquesOfAll = reading(
  sql`select t.name, i.name, c.name`,
  sql`pragma_index_list(t.name) as i, pragma_index_xinfo(i.name) as c
    where i."unique" and not i.partial and c.key order by t.name, i.name, c.seqno`,
)
const indexesOfAll = reading(
  sql`select t.name, c.name`,
  sql`pragma_index_list(t.name) as i, pragma_index_xinfo(i.name) as c
    where not i.partial and c.seqno = 0 and c.name is not null`,
)
const foreignKeysOfAll = reading(
  sql`select t.name, f.id, f."table", f."from", f."to"`,
  sql`pragma_foreign_key_list(t.name) as f order by t.name, f.id, f.seq`,
)
const tablesOfAll = reading(sql`select t.name, t.kind, t.sql`, sql`(select 1) order by t.name`)

/** A query over every table and view, but for those that are SQLite's own or stand behind a virtual table. */
function reading(what: Sql, from: Sql): Statement {
  const all = sql`(select s.name, l.type as kind, s.sql, l.wr
    from sqlite_schema as s join pragma_table_list as l on l.schema = 'main' and l.name = s.name
    where s.type in ('table', 'view') and l.type <> 'shadow'
    and s.name not like 'sqlite\\_%' escape '\\' and s.name <> 'lapidary_migration')`
  return compileStatement(sql`${what} from ${all} as t, ${from}`, dialect)
}

/** The tables and views of the database, their columns and keys. */
export function sqliteCatalog(connection: SqliteConnection): Catalog {
  const read = (statement: Statement) => groups(connection.all(statement, { parameters: [] }))
  const [columns, uniques, indexes, foreignKeys] = [
    read(columnsOfAll),
    read(uniquesOfAll),
    read(indexesOfAll),
    read(foreignKeysOfAll),
  ]
  const tables = connection
    .all(tablesOfAll, { parameters: [] })
    .map(([each, kind, text]): StoredTable => {
      const name = String(each)
      const own = columns.get(name) ?? []
      const primaryKey = own
        .filter((row) => row[6] !== 0)
        .sort((one, other) => Number(one[6]) - Number(other[6]))
        .map((row) => String(row[1]))
      return {
        is: kind === 'view' ? 'view' : 'table',
        name,
        schema: 'main',
        columns: new Map(own.map((row) => [String(row[1]), column(row, primaryKey, String(text))])),
        primaryKey,
        uniques: [
          ...(primaryKey.length > 0 ? [primaryKey] : []),
          ...uniqueSets(uniques.get(name) ?? []),
        ],
        foreignKeys: foreignKeySets(foreignKeys.get(name) ?? []),
        // The integer that is a row's own number has no index beside the table itself.
        ...(kind === 'table' && {
          indexed: new Set([
            ...primaryKey.slice(0, 1),
            ...(indexes.get(name) ?? []).map((row) => String(row[1])),
          ]),
        }),
      }
    })
  const foundIn = foreignKeyFinder(tables)
  return {
    dialect: 'sqlite',
    schema: 'main',
    tables: tables.map((table) => ({ ...table, foreignKeys: table.foreignKeys.map(foundIn) })),
  }
}

/**
 * Foreign keys name tables and columns in any case; here they are told as they are spelled where they were made. A key
 * that names no column of the other table means its primary key.
 */
function foreignKeyFinder(tables: readonly StoredTable[]): (key: ForeignKey) => ForeignKey {
  const byName = new Map(tables.map((table) => [lower(table.name), table]))
  return (key) => {
    const table = byName.get(lower(key.to.name))
    if (table === undefined) return key
    const names = new Map([...table.columns.keys()].map((name) => [lower(name), name]))
    const named = key.references.map((name) => names.get(lower(name)) ?? name)
    return {
      ...key,
      to: { ...key.to, name: table.name },
      references: named.length > 0 ? named : table.primaryKey,
    }
  }
}

/** SQLite folds the case of A to Z alone. */
function lower(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

type Rows = readonly (readonly unknown[])[]

/** Rows by what stands first in them. */
function groups(rows: Rows): ReadonlyMap<string, Rows> {
  return Map.groupBy(rows, ([table]) => String(table))
}

function column(
  row: readonly unknown[],
  primaryKey: readonly string[],
  text: string,
): StoredColumn {
  const [, name, type, nullable, hasDefault, writable, , withoutRowid] = row
  // The only integer of a primary key is the row's own number, which SQLite gives, where rows have one.
  const isRowid =
    primaryKey.length === 1 &&
    primaryKey[0] === name &&
    /^integer$/i.test(String(type)) &&
    withoutRowid === 0
  const values = valuesOf(String(name), text)
  return {
    name: String(name),
    type: String(type),
    nullable: nullable === 1,
    hasDefault: hasDefault === 1 || isRowid,
    writable: writable === 1,
    ...(values && { values }),
  }
}

/** The values of `check (column in ('a', 'b'))`, SQLite's way to an enumeration. */
function valuesOf(name: string, text: string): string[] | undefined {
  const word = name.replace(/[^\w]/g, '\\$&')
  const list = new RegExp(
    `check\\s*\\(\\s*["\`[]?${word}["\`\\]]?\\s+in\\s*\\(((?:\\s*'(?:[^']|'')*'\\s*,?)+)\\)\\s*\\)`,
    'i',
  ).exec(text)?.[1]
  const values = list?.match(/'(?:[^']|'')*'/g)
  return values?.map((value) => value.slice(1, -1).replaceAll("''", "'"))
}

/** Sets of columns by their index; one over an expression says nothing of columns. */
function uniqueSets(rows: Rows): string[][] {
  const byIndex = Map.groupBy(rows, ([, index]) => index)
  return [...byIndex.values()]
    .filter((each) => each.every(([, , name]) => name !== null))
    .map((each) => each.map(([, , name]) => String(name)))
}

function foreignKeySets(rows: Rows): ForeignKey[] {
  return [...Map.groupBy(rows, ([, id]) => id).values()].map((each) => ({
    columns: each.map((row) => String(row[3])),
    to: { schema: undefined, name: String(each[0]?.[2]) },
    references: each.flatMap((row) => (row[4] === null ? [] : [String(row[4])])),
  }))
}

const versioned = compileStatement(
  sql`select 1 from sqlite_master where name = 'lapidary_migration'`,
  dialect,
)
const version = compileStatement(sql`select max(version) from lapidary_migration`, dialect)
const record = compileStatement(
  sql`insert into lapidary_migration (version) values (${rawParam(0)})`,
  dialect,
)

/** Runs the migrations that have not run yet, all of them or none. @throws Error as the store's `migrate` */
export function migrateSqlite(
  connection: SqliteConnection,
  migrations: readonly Migration[],
  mode: MigrationMode,
): void {
  connection.begin(mode === 'run' ? 'immediate' : 'deferred')
  try {
    const isVersioned = connection.value(versioned, { parameters: [] }) !== undefined
    const at = isVersioned ? Number(connection.value(version, { parameters: [] })) : 0
    const pending = pendingMigrations(migrations, at, mode)
    if (!isVersioned && mode === 'run')
      connection.execute('create table lapidary_migration (version integer primary key) strict')
    for (const { version: next, sql: text } of pending) {
      connection.execute(text)
      connection.run(record, { parameters: [next] })
    }
    connection.commit()
  } catch (error) {
    connection.rollback()
    throw error
  }
}
