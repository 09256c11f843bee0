import pg, { type PoolClient } from 'pg'
import { HeaderError } from '../../errors/errors.ts'
import type { Model } from '../../model/model.ts'
import type { Rows } from '../../plan/result.ts'
import { commitFault, constrained } from '../constraints.ts'
import type { Store, Transaction } from '../store.ts'
import { transactionOn } from '../transaction.ts'
import { PostgresConnection } from './postgres-connection.ts'
import { isConflict, translate } from './postgres-errors.ts'
import { isLong, queryOn, readWhole, readWholeDuring, streamOn } from './postgres-read.ts'
import { migratePostgres, postgresCatalog } from './postgres-schema.ts'
import { postgresDialect } from './postgres-sql.ts'
import { type PostgresStatements, postgresStatements } from './postgres-statements.ts'

/** What may be said of a PostgreSQL database beside its address. */
export interface PostgresOptions {
  /** The most connections. Default 10. */
  readonly poolSize?: number
  /** How long a statement may run, in milliseconds. Default 30 s. */
  readonly statementTimeout?: number
  /** Whether the server keeps statements under names; turn it off behind a pooler that does not. Default yes. */
  readonly prepare?: boolean
}

/** How often a transaction is tried again when another stood in its way. */
const mostTries = 5
/** How long a request waits for a connection, in milliseconds. */
const patience = 5000
/** How long a connection lives, in seconds: with it goes what the server keeps for it. */
const lifetime = 1800

/**
 * Opens a PostgreSQL database as a store; nothing is connected before it is used.
 * @param url - `postgres://user:password@host:port/database`
 */
export async function openPostgres(
  model: Model,
  url: string,
  { poolSize = 10, statementTimeout = 30_000, prepare = true }: PostgresOptions = {},
): Promise<Store> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: patience,
    maxLifetimeSeconds: lifetime,
    options: `-c TimeZone=UTC -c DateStyle=ISO -c statement_timeout=${statementTimeout}`,
  })
  // A connection that breaks while nobody uses it is replaced when somebody does.
  pool.on('error', () => {})
  const shared = new PostgresConnection(pool, prepare)
  const statements = postgresStatements({ model, dialect: postgresDialect(await foldingOf(pool)) })
  const { host, pathname } = new URL(url)
  /** Runs work on a connection of its own, in a transaction that is begun by `begin`. */
  const apart = async <Result>(
    begin: string,
    work: (
      connection: PostgresConnection,
      client: PoolClient,
      end: (broken?: boolean) => void,
    ) => Promise<Result>,
  ): Promise<Result> => {
    const client = await connected(pool)
    const end = (broken = false) => client.release(broken)
    const connection = new PostgresConnection(client, prepare)
    try {
      await connection.execute(begin)
      return await work(connection, client, end)
    } catch (error) {
      await connection.execute('rollback').then(
        () => end(),
        () => end(true),
      )
      throw error
    }
  }
  return {
    dialect: 'postgres',
    description: `PostgreSQL at ${host}${pathname}`,
    read: async (plan, id, during) => {
      if (!during && !(await isLong(shared, plan, id, statements)))
        return readWhole(shared, plan, id, statements)
      return apart<Rows>(
        'begin isolation level repeatable read read only',
        async (connection, client, end) => {
          const query = queryOn(connection, statements)
          await during?.before(query)
          if (await isLong(connection, plan, id, statements)) {
            const after =
              during && ((batch: Parameters<typeof during.after>[0]) => during.after(batch, query))
            const giveUp = () =>
              void connection.execute('rollback').then(
                () => end(),
                () => end(true),
              )
            return streamOn(client, connection, { plan, id }, { statements, after, end: giveUp })
          }
          const rows = during
            ? await readWholeDuring(connection, { plan, id }, during, { statements, query })
            : await readWhole(connection, plan, id, statements)
          await connection.execute('commit')
          end()
          return rows
        },
      )
    },
    transaction: (work) =>
      retried(() =>
        apart('begin isolation level read committed', async (connection, _client, end) => {
          const result = await work(writingOn(connection, statements))
          await constrained(() => connection.execute('commit'), commitFault)
          end()
          return result
        }),
      ),
    catalog: () => postgresCatalog(shared),
    migrate: (migrations) =>
      apart('begin', async (connection, _client, end) => {
        await migratePostgres(connection, migrations)
        await connection.execute('commit')
        end()
      }),
    close: () => pool.end(),
  }
}

function writingOn(connection: PostgresConnection, statements: PostgresStatements): Transaction {
  return transactionOn(
    {
      all: (statement, values) => connection.all(statement, values),
      run: (statement, values) => connection.run(statement, values),
      read: (plan, id) => readWhole(connection, plan, id, statements),
      query: queryOn(connection, statements),
    },
    statements,
  )
}

async function connected(pool: pg.Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw translate(error)
  }
}

/** Tries a transaction again when another stood in its way, a few times, after a short while. */
async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error)) throw error
      if (tries === mostTries) throw unavailable
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** tries))
    }
  }
}

/** What a transaction is told whose way others stood in each time. */
const unavailable = new HeaderError('unavailable', 'Others write the same; try again shortly.', {
  'retry-after': '1',
})

/** The collation that maps case as Unicode says in full; the server's own from PostgreSQL 18 on, ICU's before. */
async function foldingOf(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  )
  return (rows[0]?.version ?? 0) >= 180_000 ? 'pg_unicode_fast' : 'und-x-icu'
}
