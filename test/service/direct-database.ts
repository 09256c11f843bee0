import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { TestService } from '../service-suite.ts'

/** Whether a second connection can open the database of the suite. */
export function isShared(app: TestService): boolean {
  return app.database !== 'SQLite in memory'
}

/** A row by the names of its columns. */
type StoredRow = Readonly<Record<string, unknown>>

/** A second connection to the database of a service. */
interface DatabaseConnection {
  /** Runs SQL that both databases accept. @returns the rows */
  run(sql: string): Promise<StoredRow[]>
  close(): Promise<void>
}

/** Opens a second connection to the database of a service. */
export async function connectToDatabase(databaseUrl: string): Promise<DatabaseConnection> {
  if (databaseUrl.startsWith('postgres:')) {
    const client = new Client({ connectionString: databaseUrl })
    await client.connect()
    // As the service does on Citus: one transaction changes rows of distributed and of reference tables.
    await client.query('set citus.multi_shard_modify_mode = sequential')
    return {
      run: async (sql) => (await client.query<StoredRow>(sql)).rows,
      close: () => client.end(),
    }
  }
  assert.match(databaseUrl, /^sqlite:\//, 'a database on disk')
  const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { timeout: 10_000 })
  return {
    // Rows have no prototype; comparisons in tests expect one.
    run: async (sql) =>
      database
        .prepare(sql)
        .all()
        .map((row) => ({ ...row })),
    close: async () => database.close(),
  }
}

/** Runs SQL directly on the database of a service. @returns the rows of the last statement */
export async function executeDirectly(databaseUrl: string, ...statements: readonly string[]) {
  const connection = await connectToDatabase(databaseUrl)
  let rows: StoredRow[] = []
  try {
    for (const sql of statements) rows = await connection.run(sql)
  } finally {
    await connection.close()
  }
  return rows
}

/** The options of `insertMany`. */
interface InsertOptions {
  readonly persons: number
  /** The number of computers of each person. */
  readonly computers: number
  /** The length of each name, in characters. */
  readonly nameLength?: number
}

/** Inserts persons with ids from 1 on, and their computers. */
export async function insertMany(
  databaseUrl: string,
  { persons, computers, nameLength = 12 }: InsertOptions,
): Promise<void> {
  // A recursive query does not run on tables that are distributed over several servers.
  const upTo = (most: number) =>
    databaseUrl.startsWith('postgres:')
      ? `with n (id) as (select generate_series(1, ${most}))`
      : `with recursive n (id) as (select 1 union all select id + 1 from n where id < ${most})`
  const dots = `'${'.'.repeat(nameLength)}'`
  const name = `'Person ' || id`
  await executeDirectly(
    databaseUrl,
    `insert into person (id, name, email) ${upTo(persons)}
       select id, ${name} || substr(${dots}, length(${name}) + 1), 'person' || id || '@example.org' from n`,
    ...(computers === 0
      ? []
      : [
          `insert into computer (serial, person_id) ${upTo(computers)}
             select person.id || '-' || n.id, person.id from person cross join n order by person.id, n.id`,
        ]),
    ...(databaseUrl.startsWith('postgres:')
      ? [
          `select setval(pg_get_serial_sequence('person', 'id'), ${persons})`,
          'analyze person, computer',
        ]
      : []),
  )
}
