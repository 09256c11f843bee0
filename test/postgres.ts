import assert from 'node:assert/strict'
import pg from 'pg'
import type { OpenDatabase } from './databases.ts'

/** Where the test run's own PostgreSQL listens; whoever starts the tests has started it. */
const server = process.env.LAPIDARY_TEST_POSTGRES

/** A database that is this process's for as long as it runs, and a connection to it that is kept warm. */
interface Lent {
  readonly url: URL
  readonly connection: pg.Pool
}

/** Those that nobody uses at present; they hold what their last users left. */
const free: Lent[] = []

/**
 * A fresh, empty database. A new one takes a third of a second, so they are used again: by this process as soon as they
 * are given back, by others once it has ended.
 */
export async function freshPostgres(): Promise<OpenDatabase> {
  const lent = free.pop() ?? (await borrowed())
  const run = async (sql: string) => void (await lent.connection.query(sql))
  await run(empty)
  return {
    url: String(lent.url),
    remove: async () => void free.push(lent),
    beside: { clear: () => run(empty), execute: (sql) => run(`${sql};${countOn}`) },
  }
}

/** Drops whatever is there, in whichever schema. */
const empty = `do $$ declare each text; begin
    for each in select nspname from pg_namespace
      where nspname not like 'pg\\_%' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', each);
    end loop;
    create schema public;
  end $$`

/** Has every sequence go on after the greatest number in its column, as ids do that SQLite gives. */
const countOn = `do $$ declare each record; begin
    for each in select s.oid::regclass as name, t.oid::regclass as of, c.attname from pg_depend as d
        join pg_class as s on s.oid = d.objid and s.relkind = 'S'
        join pg_class as t on t.oid = d.refobjid join pg_attribute as c on c.attrelid = t.oid and c.attnum = d.refobjsubid
      where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass loop
      execute format('select setval(%L, greatest(least(coalesce((select max(%I) from %s), 0), 9223372036854775806) + 1, 1), false)', each.name, each.attname, each.of);
    end loop;
  end $$`

/** Holds a lock for each database that is lent, as long as the process lives. */
let desk: pg.Pool | undefined
let next = 1

/** The first database that nobody has, made where there is none of that name. */
async function borrowed(): Promise<Lent> {
  desk ??= connection(at('postgres'))
  for (;;) {
    const number = next++
    const lock = await desk.query(`select pg_try_advisory_lock(${number}) as mine`)
    if (!lock.rows[0].mine) continue
    const name = `test_${number}`
    const known = await desk.query(`select from pg_database where datname = '${name}'`)
    if (known.rowCount === 0) await desk.query(`create database ${name}`)
    return { url: at(name), connection: connection(at(name)) }
  }
}

function at(name: string): URL {
  assert.ok(server !== undefined, 'LAPIDARY_TEST_POSTGRES is not set')
  return new URL(name, server)
}

/** One connection, which stays open and lets the process end. */
function connection(url: URL): pg.Pool {
  return new pg.Pool({
    connectionString: String(url),
    // A store that was not closed may hold on to tables: that is a mistake of a test and must not stop it silently.
    options: '-c client_min_messages=warning -c lock_timeout=10s -c TimeZone=UTC',
    ...{ max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true },
  })
}
