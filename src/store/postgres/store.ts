import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Catalog } from '../../model/catalog.ts'
import { checkTables } from '../../model/check-tables.ts'
import { throwDeclarationErrors } from '../../model/declaration-error.ts'
import type { Model } from '../../model/model.ts'
import type { Rows } from '../../plan/read-result.ts'
import { commitConstraintError, reportConstraintErrors, TakenIdError } from '../constraints.ts'
import { checkDeclaredSql } from '../declared-sql.ts'
import { checkResourceLimit, type SizeLimit } from '../resource-limit.ts'
import { compileStatement } from '../statement.ts'
import { StatementCache } from '../statement-cache.ts'
import { runPipelined } from '../steps.ts'
import type { Store, Transaction } from '../store.ts'
import type { Target } from '../tables.ts'
import { transactionOn } from '../transaction.ts'
import { queryPostgresCatalog } from './catalog.ts'
import { checkCollations, queryCollations } from './collations.ts'
import { PostgresCountCache } from './counts.ts'
import { isGenuinePostgres, postgresDialect } from './dialect.ts'
import { isConflict, unavailableError } from './errors.ts'
import { migratePostgres } from './migrations.ts'
import type { PostgresOptions } from './options.ts'
import { PostgresPool } from './pool.ts'
import {
  createRunQuery,
  mayNeedStream,
  readForWrite,
  readInserted,
  readWithCachedCount,
  readWithHooks,
  streamRead,
} from './read.ts'
import { Replicas } from './replicas.ts'
import { compileSequenceSkip } from './sequences.ts'
import { createPostgresStatements, type PostgresStatements } from './statements.ts'
import { readTableFacts, unknownTableFacts } from './table-facts.ts'
import { beginMigration, beginWrite, type PostgresTransaction } from './transaction.ts'
import { checkValueLimits } from './value-limits.ts'
import { listPostgresWarnings } from './warnings.ts'

/** What may be said of a PostgreSQL database beside its address. */
export type { PostgresOptions } from './options.ts'

/** How often a transaction is tried when another stands in its way. */
const mostTries = 5
/** How long the first pause between two tries is at most, in milliseconds; each is twice as long as the one before. */
const pause = 20

const oldest = 140_000
/** The collation of no language in particular. */
const icu = 'und-x-icu'

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
  const { replicaUrls = [] } = options
  const replicas = new Replicas(
    pool,
    replicaUrls.map((replica) => new PostgresPool(replica, options)),
  )
  const { shared } = pool
  const description = descriptionOf(url)
  const { folding, keepsSettings } = await sessionOf(pool, description).catch(async (error) => {
    await pool.close()
    throw error
  })
  let facts = unknownTableFacts
  const target: Target = {
    model,
    dialect: postgresDialect(folding, keepsSettings),
    isIndexed: (table, column) => facts.isIndexed(table, column),
  }
  const counts = new PostgresCountCache()
  let loading: Promise<void> | undefined
  /** Loads the facts with the first read or write: other programs may create the tables after the store is opened. */
  const loadTableFacts = () => {
    loading ??= readTableFacts(model, shared, target)
      .then((loaded) => {
        facts = loaded
        counts.enableFor(loaded.cacheableTables)
      })
      .finally(() => {
        loading = undefined
      })
    return loading
  }
  const statements = createPostgresStatements(target, new StatementCache(options.statementCache))
  const { maxResources } = options
  const limit: SizeLimit | undefined =
    maxResources === undefined ? undefined : { resources: maxResources }
  return {
    dialect: 'postgres',
    description,
    read: (plan, id, { hooks, signal } = {}) =>
      replicas.read(async (some): Promise<Rows> => {
        if (facts === unknownTableFacts) await loadTableFacts()
        if (hooks) {
          const work = (transaction: PostgresTransaction) =>
            readWithHooks(transaction, plan, id, { hooks, statements, limit })
          return mayNeedStream(plan) ? some.stream(signal?.(), work) : some.read(signal?.(), work)
        }
        const whole = await readWithCachedCount(some.shared, plan, id, {
          statements,
          counts,
          signal,
        })
        if (whole === undefined)
          return some.stream(signal?.(), (transaction) =>
            streamRead(transaction, plan, id, { statements, limit }),
          )
        if (limit) checkResourceLimit(whole, plan, limit)
        return whole
      }),
    transaction: async (work) => {
      if (facts === unknownTableFacts) await loadTableFacts()
      return retried(
        () =>
          pool.write(beginWrite, async (transaction) => {
            const ours = writingOn(transaction, statements)
            const result = await work({
              ...ours,
              checkPreconditions: async (plan) => {
                const { errors, more } = await ours.checkPreconditions(plan)
                return {
                  errors: [...checkValueLimits(plan, model, facts.valueLimits), ...errors],
                  more,
                }
              },
            })
            await reportConstraintErrors(() => transaction.commit(), commitConstraintError)
            return result
          }),
        async ({ resource }) => {
          // Ids that are no numbers are made anew each time.
          if (resource.id.kind.codec === 'id')
            await shared.allUnprepared(compileSequenceSkip(resource, target))
        },
      )
    },
    prepare: loadTableFacts,
    verify: async () => {
      const catalog = await queryPostgresCatalog(shared)
      checkTables(model, catalog)
      const collationOf = await queryCollations(shared, catalog)
      throwDeclarationErrors([
        ...checkCollations(model, catalog, collationOf),
        ...(await checkDeclaredSql(target, (statement) => shared.check(statement))),
      ])
      const warnings = await listPostgresWarnings(model, catalog, {
        connection: shared,
        collationOf,
      })
      return { warnings }
    },
    catalog: () => queryPostgresCatalog(shared),
    migrate: async (migrations, mode = 'run') => {
      await pool.write(beginMigration, async (transaction) => {
        await migratePostgres(transaction, migrations, mode)
        await transaction.commit()
      })
      facts = unknownTableFacts
    },
    close: async () => {
      await Promise.all([pool.close(), replicas.close()])
    },
  }
}

/**
 * What a PostgreSQL database holds, without changing anything about it.
 * @throws Error with one clear line when it cannot be reached or is older than version 14
 */
export async function readPostgresCatalog(url: string): Promise<Catalog> {
  const pool = new PostgresPool(url, { poolSize: 1 })
  try {
    await firstSession(pool, descriptionOf(url))
    return await queryPostgresCatalog(pool.shared)
  } finally {
    await pool.close()
  }
}

/** What a person calls the database; its user's name and password are not in it. */
function descriptionOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `PostgreSQL at ${host}${pathname}`
}

function writingOn(transaction: PostgresTransaction, statements: PostgresStatements): Transaction {
  return transactionOn(
    {
      runSteps: runPipelined,
      all: (statement, values) => transaction.all(statement, values),
      run: (statement, values) => transaction.run(statement, values),
      read: (plan, id) => readForWrite(transaction, plan, id, statements),
      ...(statements.target.dialect.lastInsertId && {
        readInserted: (plan) => readInserted(transaction, plan, statements),
      }),
      query: createRunQuery(transaction, statements),
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
      if (tries === mostTries) throw unavailableError('Others write the same')
      await setTimeout(Math.random() * pause * 2 ** (tries - 1))
    }
  }
}

const session = sql`
  select current_setting('server_version_num')::int, current_setting('TimeZone'), current_setting('DateStyle'),
    current_setting('synchronous_commit'), current_setting('server_encoding'), ${isGenuinePostgres}`

/** Connects for the first time, and reads what a session is. */
async function firstSession({ shared }: PostgresPool, description: string) {
  const read = compileStatement(session, postgresDialect(icu))
  const [row = []] = await shared.all(read, { parameters: [] }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new Error(`${description} cannot be reached: ${cause}`, { cause })
  })
  const [version, [zone = '', dates = '', commits, encoding, isPostgres]] = [
    Number(row[0]),
    row.slice(1).map(String),
  ]
  if (version < oldest)
    throw new Error(`${description} is at version ${version / 10_000}; it must be 14 or later.`)
  return { version, zone, dates, commits, encoding, keepsSettings: isPostgres === 'true' }
}

/**
 * Makes sure that sessions are what our statements take for granted.
 * @returns the collation that maps case as Unicode says in full, the server's own from PostgreSQL 18 on, ICU's before; and
 *   whether one statement sees what another has set
 */
async function sessionOf(pool: PostgresPool, description: string) {
  const { version, zone, dates, commits, encoding, keepsSettings } = await firstSession(
    pool,
    description,
  )
  if (!/^(Etc\/)?UTC$/.test(zone) || !dates.startsWith('ISO'))
    throw new Error(
      `${description} has sessions in the time zone "${zone}" that write dates as "${dates}"; they must be UTC and ISO, so say alter role … set timezone = 'UTC', or timezone=UTC and datestyle=ISO where a pooler names the database.`,
    )
  if (commits === 'off')
    throw new Error(
      `${description} has synchronous_commit off, so a write that was acknowledged may be lost; say alter role … set synchronous_commit = on.`,
    )
  // In it letters are bytes, and have no case.
  if (encoding === 'SQL_ASCII')
    throw new Error(`${description} is encoded as SQL_ASCII; it must be UTF8.`)
  return {
    folding: version >= 180_000 && encoding === 'UTF8' ? 'pg_unicode_fast' : icu,
    keepsSettings,
  }
}
