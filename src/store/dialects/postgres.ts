import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { refuseMistakes } from '../../model/check.ts'
import { checkTables } from '../../model/check-tables.ts'
import type { Model } from '../../model/model.ts'
import { commitFault, constrained, TakenIdError } from '../constraints.ts'
import { sqlMistakes } from '../declared-sql.ts'
import { statement } from '../statement.ts'
import type { Store, Transaction } from '../store.ts'
import type { Target } from '../tables.ts'
import { transactionOn } from '../transaction.ts'
import { isConflict, unavailable } from './postgres-errors.ts'
import { compileSkip } from './postgres-ids.ts'
import { type Limits, limitFaults, limitsOf } from './postgres-limits.ts'
import { type PostgresOptions, PostgresPool, type PostgresTransaction } from './postgres-pool.ts'
import { lengthOf, queryOn, readDuring, readWhole, wholeAtMost } from './postgres-read.ts'
import { migratePostgres, postgresCatalog } from './postgres-schema.ts'
import { postgresDialect } from './postgres-sql.ts'
import { type PostgresStatements, postgresStatements } from './postgres-statements.ts'

export type { PostgresOptions } from './postgres-pool.ts'

/** How often a transaction is tried when another stands in its way. */
const mostTries = 5
/** How long the first pause between two tries is at most, in milliseconds; each is twice as long as the one before. */
const pause = 20

const oldest = 140_000
/** The collation of no language in particular. */
const icu = 'und-x-icu'

/** All rows of a cursor are read, so none is to come early at the cost of the others. */
const snapshot = 'isolation level repeatable read read only; set local cursor_tuple_fraction = 1'

/**
 * Opens a PostgreSQL database, 14 or later, as a store.
 * @param url - `postgres://user:password@host:port/database`
 * @throws Error with one clear line when the database cannot be reached, is older, or has sessions of another time zone
 */
export async function openPostgres(
  model: Model,
  url: string,
  options: PostgresOptions = {},
): Promise<Store> {
  const pool = new PostgresPool(url, options)
  const { shared } = pool
  const { host, pathname } = new URL(url)
  const description = `PostgreSQL at ${host}${pathname}`
  const folding = await foldingOf(pool, description).catch(async (error) => {
    await pool.close()
    throw error
  })
  const target: Target = { model, dialect: postgresDialect(folding) }
  const statements = postgresStatements(target)
  /** Known once the tables are. */
  let limits: Limits = new Map()
  return {
    dialect: 'postgres',
    description,
    read: async (plan, id, during) => {
      const isWhole =
        during === undefined && (await lengthOf(shared, plan, id, statements)) <= wholeAtMost
      if (isWhole) return readWhole(shared, plan, id, statements)
      return pool.begin(snapshot, (transaction) =>
        readDuring(transaction, plan, id, { during, statements }),
      )
    },
    transaction: (work) =>
      retried(
        () =>
          pool.begin('isolation level read committed', async (transaction) => {
            const writing = writingOn(transaction, statements)
            const result = await work({
              ...writing,
              examine: async (plan) => [
                ...limitFaults(plan, model, limits),
                ...(await writing.examine(plan)),
              ],
            })
            await constrained(() => transaction.commit(), commitFault)
            return result
          }),
        async ({ resource }) => {
          // Ids that are no numbers are made anew each time.
          if (resource.id.kind.form === 'id') await shared.once(compileSkip(resource, target))
        },
      ),
    check: async () => {
      const catalog = await postgresCatalog(shared)
      checkTables(model, catalog)
      limits = limitsOf(model, catalog)
      refuseMistakes(await sqlMistakes(target, (statement) => shared.check(statement)))
    },
    catalog: () => postgresCatalog(shared),
    migrate: (migrations) =>
      pool.begin('', async (transaction) => {
        await migratePostgres(transaction, migrations)
        await transaction.commit()
      }),
    close: () => pool.close(),
  }
}

function writingOn(transaction: PostgresTransaction, statements: PostgresStatements): Transaction {
  return transactionOn(
    {
      all: (statement, values) => transaction.all(statement, values),
      run: (statement, values) => transaction.run(statement, values),
      read: (plan, id) => readWhole(transaction, plan, id, statements),
      query: queryOn(transaction, statements),
    },
    statements,
  )
}

/** Runs work, and again when others stood in its way or `skip` has found an id that is not taken. */
async function retried<Result>(
  work: () => Promise<Result>,
  skip: (taken: TakenIdError) => Promise<void>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const isTaken = error instanceof TakenIdError
      if (!isTaken && !isConflict(error)) throw error
      if (isTaken) await skip(error)
      if (tries === mostTries) throw unavailable('Others write the same')
      await setTimeout(Math.random() * pause * 2 ** (tries - 1))
    }
  }
}

const session = sql`
  select current_setting('server_version_num')::int, current_setting('TimeZone'), current_setting('DateStyle')`

/**
 * Connects for the first time and makes sure that sessions are what our statements take for granted.
 * @returns the collation that maps case as Unicode says in full: the server's own from PostgreSQL 18 on, ICU's before
 */
async function foldingOf({ shared }: PostgresPool, description: string): Promise<string> {
  const read = statement(session, postgresDialect(icu))
  const [row = []] = await shared.all(read, { slots: [] }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new Error(`${description} cannot be reached: ${cause}`, { cause })
  })
  const [version, zone, dates] = [Number(row[0]), String(row[1]), String(row[2])]
  const found = `${description} is at version ${version / 10_000}`
  if (version < oldest) throw new Error(`${found}; it must be 14 or later.`)
  if (!/^(Etc\/)?UTC$/.test(zone) || !dates.startsWith('ISO'))
    throw new Error(
      `${description} has sessions in the time zone "${zone}" that write dates as "${dates}"; they must be UTC and ISO, so say alter role … set timezone = 'UTC', or timezone=UTC and datestyle=ISO where a pooler names the database.`,
    )
  return version >= 180_000 ? 'pg_unicode_fast' : icu
}
