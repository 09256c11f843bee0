import assert from 'node:assert/strict'
import pg from 'pg'
import type { OpenDatabase } from './open-database.ts'

/** The PostgreSQL server of the test run; `start-postgres.ts` starts it. */
const server = process.env.LAPIDARY_TEST_POSTGRES

/** A database that this process uses alone as long as it runs, and one connection to it. */
interface Lease {
  readonly url: URL
  readonly connection: pg.Pool
}

/** Databases that this process has used and can use again. They still hold the tables of their last use. */
const free: Lease[] = []

/** A database without tables. Creating one takes a third of a second, so they are used again. */
export async function freshPostgres(): Promise<OpenDatabase> {
  const lease = free.pop() ?? (await leaseDatabase())
  return openLease(lease, async () => void free.push(lease))
}

/** Creates a database on another server. @param server - the URL of a database of the server */
export async function createDatabaseOn(server: string, name: string): Promise<OpenDatabase> {
  const admin = connection(new URL(server))
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(name, server)
  const lease = { url, connection: connection(url) }
  return openLease(lease, () => lease.connection.end())
}

async function openLease(lease: Lease, remove: () => Promise<void>): Promise<OpenDatabase> {
  const run = async (sql: string) => void (await lease.connection.query(sql))
  await run(dropAll)
  let restore = ''
  return {
    url: String(lease.url),
    second: {
      execute: (sql) => run(`${sql};${continueIds}`),
      dropAll: () => run(dropAll),
      deleteRows: () => run(deleteRows),
      saveRows: async () => {
        const { rowCount } = await lease.connection.query(notRestorable)
        if (rowCount === 0) restore = await writeRestore(lease)
        return rowCount === 0
      },
      restoreRows: () => run(restore),
    },
    remove,
  }
}

const dropAll = `do $$ declare each text; begin
    for each in select nspname from pg_namespace
      where nspname not like 'pg\\_%' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', each);
    end loop;
    create schema public;
  end $$`

/** Truncating a small table takes ten times as long as deleting its rows, and a large one a fraction of it. */
const deleteRows = `do $$ declare each regclass; is_large boolean; begin
    set local session_replication_role = replica;
    for each in select c.oid from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
      where relkind = 'r' and nspname not like 'pg\\_%' and nspname <> 'information_schema'
        and relname <> 'lapidary_migration' loop
      execute format('select exists (select from %s offset 500)', each) into is_large;
      if is_large then execute format('truncate %s cascade', each);
      else execute format('delete from %s', each);
      end if;
    end loop;
    perform setval(seqrelid::regclass, seqstart, false) from pg_sequence;
  end $$`

/** Selects a row if rows cannot be deleted and inserted table by table. */
const notRestorable = `select 1 from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where nspname not like 'pg\\_%' and nspname <> 'information_schema' and (relkind in ('m', 'p', 'f') or relhassubclass)`

/** Selects the tables of the tests, with the columns that can be inserted. */
const listTables = `select format('%I.%I', nspname, relname) as name, string_agg(format('%I', attname), ', ') as columns
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
  where relkind = 'r' and nspname not like 'pg\\_%' and nspname <> 'information_schema' group by c.oid, nspname`

/** Selects the sequences. */
const listSequences = 'select seqrelid::regclass::text as name from pg_sequence'

/** Writes SQL that gives every table the rows that it has now, without triggers and checks of foreign keys. */
async function writeRestore({ connection }: Lease): Promise<string> {
  const restored: string[] = ['set local session_replication_role = replica']
  for (const { name, columns } of (await connection.query(listTables)).rows) {
    const { rows } = await connection.query(
      `select quote_literal("the row"::text) as saved from ${name} as "the row"`,
    )
    restored.push(`delete from ${name}`)
    if (rows.length > 0)
      restored.push(`insert into ${name} (${columns}) overriding system value
        select ${columns} from unnest(array[${rows.map(({ saved }) => saved)}]::${name}[])`)
  }
  for (const { name } of (await connection.query(listSequences)).rows) {
    const state = `select format('%L, %s, %L', $1::text, last_value, is_called) as values from ${name}`
    const { rows } = await connection.query(state, [name])
    restored.push(`select setval(${rows[0].values})`)
  }
  return restored.join(';\n')
}

/** Continues every sequence after the greatest number in its column, as SQLite does by itself. */
export const continueIds = `do $$ declare each record; last bigint; begin
    for each in select s.oid::regclass as name, t.oid::regclass as of, c.attname from pg_depend as d
        join pg_class as s on s.oid = d.objid and s.relkind = 'S'
        join pg_class as t on t.oid = d.refobjid join pg_attribute as c on c.attrelid = t.oid and c.attnum = d.refobjsubid
      where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass loop
      execute format('select coalesce(max(%I), 0) from %s', each.attname, each.of) into last;
      perform setval(each.name, greatest(least(last, 9223372036854775806) + 1, 1), false);
    end loop;
  end $$`

/** Holds the advisory lock of each database that this process uses, until the process ends. */
let locks: pg.Pool | undefined
let next = 1

/** Takes the first database that no other process uses; creates it if it does not exist. */
async function leaseDatabase(): Promise<Lease> {
  locks ??= connection(at('postgres'))
  for (;;) {
    const number = next++
    const { rows } = await locks.query(`select pg_try_advisory_lock(${number}) as locked`)
    if (!rows[0].locked) continue
    const name = `test_${number}`
    const known = await locks.query(`select from pg_database where datname = '${name}'`)
    if (known.rowCount === 0) await locks.query(`create database ${name}`)
    return { url: at(name), connection: connection(at(name)) }
  }
}

function at(name: string): URL {
  assert.ok(server !== undefined, 'LAPIDARY_TEST_POSTGRES is not set')
  return new URL(name, server)
}

/** One connection, which stays open and does not keep the process alive. */
function connection(url: URL): pg.Pool {
  return new pg.Pool({
    connectionString: String(url),
    // A store that a test forgot to close may hold locks: then a reset has to fail instead of waiting.
    options: '-c client_min_messages=warning -c lock_timeout=10s -c TimeZone=UTC',
    ...{ max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true },
  })
}
