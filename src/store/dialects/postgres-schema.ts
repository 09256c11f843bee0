import { sql } from 'kysely'
import type { Catalog, ForeignKey, StoredColumn, StoredTable } from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import { type Migration, type MigrationMode, pendingMigrations } from '../migrations.ts'
import { plain, type Statement, statement } from '../statement.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { postgresDialect } from './postgres-sql.ts'

const write = (expression: Sql): Statement => statement(expression, postgresDialect('und-x-icu'))

const ours = sql`n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
  and t.relname <> 'lapidary_migration'`

const tablesOfAll = write(sql`
  select t.oid::text, n.nspname, t.relname, t.relkind in ('v', 'm'), obj_description(t.oid, 'pg_class')
  from pg_class as t join pg_namespace as n on n.oid = t.relnamespace
  where t.relkind in ('r', 'p', 'v', 'm', 'f') and not t.relispartition and ${ours}
  order by n.nspname, t.relname`)

/** A domain's columns are told as those of the type that it is made from. */
const columnsOfAll = write(sql`
  select t.oid::text, c.attname,
    case when y.typtype = 'e' then 'enum' when y.typtype = 'd' then format_type(y.typbasetype, y.typtypmod)
      else format_type(c.atttypid, c.atttypmod) end,
    not c.attnotnull, c.atthasdef or c.attidentity <> '', c.attgenerated = '' and c.attidentity <> 'a',
    col_description(t.oid, c.attnum),
    (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum as e where e.enumtypid = y.oid)
  from pg_attribute as c join pg_class as t on t.oid = c.attrelid
    join pg_namespace as n on n.oid = t.relnamespace join pg_type as y on y.oid = c.atttypid
  where c.attnum > 0 and not c.attisdropped and t.relkind in ('r', 'p', 'v', 'm', 'f') and ${ours}
  order by t.oid, c.attnum`)

const keysOfAll = write(sql`
  select i.indrelid::text, i.indisprimary, json_agg(c.attname order by k.at)
  from pg_index as i join pg_class as t on t.oid = i.indrelid join pg_namespace as n on n.oid = t.relnamespace
    cross join lateral unnest(i.indkey) with ordinality as k (attnum, at)
    join pg_attribute as c on c.attrelid = i.indrelid and c.attnum = k.attnum
  where i.indisunique and i.indpred is null and i.indexprs is null and k.at <= i.indnkeyatts and ${ours}
  group by i.indexrelid, i.indrelid, i.indisprimary order by i.indexrelid`)

const foreignKeysOfAll = write(sql`
  select f.conrelid::text, m.nspname, o.relname,
    json_agg(c.attname order by k.at), json_agg(r.attname order by k.at)
  from pg_constraint as f join pg_class as t on t.oid = f.conrelid join pg_namespace as n on n.oid = t.relnamespace
    join pg_class as o on o.oid = f.confrelid join pg_namespace as m on m.oid = o.relnamespace
    cross join lateral unnest(f.conkey, f.confkey) with ordinality as k (attnum, refnum, at)
    join pg_attribute as c on c.attrelid = f.conrelid and c.attnum = k.attnum
    join pg_attribute as r on r.attrelid = f.confrelid and r.attnum = k.refnum
  where f.contype = 'f' and ${ours}
  group by f.oid, f.conrelid, m.nspname, o.relname order by f.oid`)

/** The tables and views of the database, their columns and keys. */
export async function postgresCatalog(connection: PostgresConnection): Promise<Catalog> {
  const read = async (statement: Statement) =>
    Map.groupBy(await connection.all(statement, { slots: [] }), ([table]) => table)
  const tables = await connection.all(tablesOfAll, { slots: [] })
  const columns = await read(columnsOfAll)
  const keys = await read(keysOfAll)
  const foreignKeys = await read(foreignKeysOfAll)
  const [[schema] = []] = await connection.all(write(sql`select current_schema()`), { slots: [] })
  return {
    dialect: 'postgres',
    schema: String(schema),
    tables: tables.map(([table, where, name, isView, comment]): StoredTable => {
      const own = keys.get(table) ?? []
      return {
        is: isView === true ? 'view' : 'table',
        name: String(name),
        schema: String(where),
        columns: new Map((columns.get(table) ?? []).map((row) => [String(row[1]), column(row)])),
        primaryKey: own.flatMap(([, isPrimary, names]) =>
          isPrimary === true ? textsOf(names) : [],
        ),
        uniques: own.map(([, , names]) => textsOf(names)),
        foreignKeys: (foreignKeys.get(table) ?? []).map(
          ([, schema, name, columns, references]): ForeignKey => ({
            columns: textsOf(columns),
            to: { schema: String(schema), name: String(name) },
            references: textsOf(references),
          }),
        ),
        ...(comment !== null && { comment: String(comment) }),
      }
    }),
  }
}

function column(row: readonly unknown[]): StoredColumn {
  const [, name, type, nullable, hasDefault, writable, comment, values] = row
  return {
    name: String(name),
    type: String(type),
    nullable: nullable === true,
    hasDefault: hasDefault === true,
    writable: writable === true,
    ...(values !== null && { values: textsOf(values) }),
    ...(comment !== null && { comment: String(comment) }),
  }
}

/** The statements gather names as JSON arrays. */
function textsOf(names: unknown): string[] {
  return names as string[]
}

/** Any number that nobody else's lock is likely to have. */
const lock = 7_273_542_618

/** The longest time that Node waits, in milliseconds: an index over a large table takes what it takes. */
const forever = 2 ** 31 - 1

const versioned = write(sql`select to_regclass('lapidary_migration') is not null`)
const version = write(sql`select coalesce(max(version), 0)::int from lapidary_migration`)
const record = write(sql`insert into lapidary_migration (version) values (${plain(0)})`)

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
  const value = async (read: Statement) => (await connection.all(read, { slots: [] }))[0]?.[0]
  const isVersioned = (await value(versioned)) === true
  const at = isVersioned ? Number(await value(version)) : 0
  const pending = pendingMigrations(migrations, at, mode)
  if (!isVersioned && mode === 'run')
    await connection.execute('create table lapidary_migration (version bigint primary key)')
  for (const { version: next, sql: text } of pending) {
    await connection.execute(text, forever)
    await connection.run(record, { slots: [next] })
  }
}
