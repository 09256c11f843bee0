import { setTimeout } from 'node:timers/promises'
import { HeaderError } from '../../errors/errors.ts'
import type { Catalog } from '../../model/catalog.ts'
import { checkTables } from '../../model/check-tables.ts'
import { throwDeclarationErrors } from '../../model/declaration-error.ts'
import type { Dialect } from '../../model/dialect.ts'
import type { Model } from '../../model/model.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { Rows } from '../../plan/read-result.ts'
import { commitConstraintError, reportConstraintErrors, TakenIdError } from '../constraints.ts'
import { checkDeclaredSql } from '../declared-sql.ts'
import { createInvalidValueReport } from '../invalid-value-report.ts'
import type { Migration } from '../migrations.ts'
import { checkResourceLimit, type SizeLimit } from '../resource-limit.ts'
import {
  type SampleRequest,
  sampleTables,
  sampleTimeout,
  type TableSample,
} from '../sample-table.ts'
import { StatementCache } from '../statement-cache.ts'
import { runPipelined } from '../steps.ts'
import type { ReadOptions, Store, Transaction } from '../store.ts'
import type { Target } from '../tables.ts'
import { transactionOn } from '../transaction.ts'
import { queryPostgresCatalog } from './catalog.ts'
import { checkCollations, queryCollations } from './collations.ts'
import type { PostgresConnection } from './connection.ts'
import { PostgresCountCache } from './counts.ts'
import { postgresDialect } from './dialect.ts'
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
import {
  checkServerSettings,
  chooseFoldingCollation,
  readServerSettings,
} from './server-settings.ts'
import { createPostgresStatements, type PostgresStatements } from './statements.ts'
import { readTableFacts, unknownTableFacts } from './table-facts.ts'
import { beginMigration, beginWrite, type PostgresTransaction } from './transaction.ts'
import { checkValueLimits } from './value-limits.ts'
import { listPostgresWarnings } from './warnings.ts'

/** How often a transaction is tried in case of conflicts with others. */
const maxTries = 5
/** The longest pause before the second try, in milliseconds; it doubles with each try. */
const firstPause = 20

/** Creates the store of a database, as `openPostgres`. */
export async function createPostgresStore(
  model: Model,
  url: string,
  options: PostgresOptions = {},
): Promise<Store> {
  const { replicaUrls = [], maxResources } = options
  const pool = new PostgresPool(url, options)
  const replicas = new Replicas(
    pool,
    replicaUrls.map((replica) => new PostgresPool(replica, options)),
  )
  const { shared } = pool
  const description = describeDatabase(url)
  const dialect = await detectDialect(pool, description)
  let facts = unknownTableFacts
  const target: Target = {
    model,
    dialect,
    isIndexed: (table, column) => facts.isIndexed(table, column),
    ignoresCase: (table, column) => facts.ignoresCase(table, column),
    isSinglePrecision: (table, column) => facts.isSinglePrecision(table, column),
    reportInvalidValue: createInvalidValueReport(),
  }
  const counts = new PostgresCountCache()
  let loading: Promise<void> | undefined
  /** Loads the facts once: other programs may create the tables after the store is opened. */
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
  const limit = maxResources === undefined ? undefined : { resources: maxResources }
  const context: ReadContext = { statements, counts, limit }
  let expected: readonly Migration[] | undefined
  return {
    model,
    dialect: 'postgres',
    description,
    read: (plan, id, { hooks, signal } = {}) =>
      replicas.read((replica) => {
        const request = { pool: replica, plan, id, hooks, signal }
        return facts === unknownTableFacts
          ? loadTableFacts().then(() => executeRead(request, context))
          : executeRead(request, context)
      }),
    transaction: async (work) => {
      if (facts === unknownTableFacts) await loadTableFacts()
      return retryOnConflict(
        () =>
          pool.write(beginWrite, async (transaction) => {
            const operations = createTransaction(transaction, statements)
            const result = await work({
              ...operations,
              checkPreconditions: async (plan) => {
                const { errors, more } = await operations.checkPreconditions(plan)
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
          // Ids of other codecs are random.
          if (resource.id.kind.codec === 'id')
            await shared.allUnprepared(compileSequenceSkip(resource, target))
        },
      )
    },
    prepare: loadTableFacts,
    verify: () => verify(target, shared),
    catalog: () => queryPostgresCatalog(shared),
    migrate: async (migrations, mode = 'run') => {
      await pool.write(beginMigration, async (transaction) => {
        await migratePostgres(transaction, migrations, mode)
        await transaction.commit()
      })
      facts = unknownTableFacts
      expected = migrations
    },
    checkReady: () =>
      pool.read(undefined, async (transaction) => {
        await checkVersion(transaction, expected)
        await transaction.commit()
      }),
    close: async () => {
      await Promise.all([pool.close(), replicas.close()])
    },
  }
}

/** Compares the version of the schema with the migrations; `undefined` when the program has none. */
async function checkVersion(
  connection: PostgresConnection,
  migrations: readonly Migration[] | undefined,
): Promise<void> {
  if (migrations) await migratePostgres(connection, migrations, 'compare')
  else await connection.execute('select 1')
}

/** Connects to a database and reads its catalog, as `readPostgresCatalog`. */
export async function readCatalogAt(url: string): Promise<Catalog> {
  const pool = new PostgresPool(url, { poolSize: 1 })
  try {
    await readServerSettings(pool, describeDatabase(url))
    return await queryPostgresCatalog(pool.shared)
  } finally {
    await pool.close()
  }
}

/** Reads the first rows of tables; see `samplePostgres`. */
export async function sampleTablesAt(
  url: string,
  requests: readonly SampleRequest[],
): Promise<readonly TableSample[]> {
  const pool = new PostgresPool(url, { poolSize: 1, timeout: sampleTimeout })
  try {
    const settings = await readServerSettings(pool, describeDatabase(url))
    return await sampleTables(requests, {
      dialect: postgresDialect(chooseFoldingCollation(settings), settings.isGenuine),
      all: (statement) => pool.shared.allUnprepared(statement),
      isTimeout: (error) => error instanceof HeaderError && error.code === 'query_timeout',
    })
  } finally {
    await pool.close()
  }
}

/** The name of the database in messages, without user and password. */
function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url)
  return `PostgreSQL at ${host}${pathname}`
}

/** Connects, checks the settings of the server, and creates its dialect. Closes the pool in case of an error. */
async function detectDialect(pool: PostgresPool, description: string): Promise<Dialect> {
  try {
    const settings = await readServerSettings(pool, description)
    checkServerSettings(settings, description)
    return postgresDialect(chooseFoldingCollation(settings), settings.isGenuine)
  } catch (error) {
    await pool.close()
    throw error
  }
}

/** A read on the primary or on a standby. */
interface ReadRequest extends ReadOptions {
  readonly pool: PostgresPool
  readonly plan: ReadPlan
  /** The id in the path. */
  readonly id: string | undefined
}

/** The dependencies of reads. */
interface ReadContext {
  readonly statements: PostgresStatements
  readonly counts: PostgresCountCache
  readonly limit: SizeLimit | undefined
}

/** Executes a read, as `Store.read`: in one statement, with hooks in a transaction, or as a stream. */
async function executeRead(
  { pool, plan, id, hooks, signal }: ReadRequest,
  { statements, counts, limit }: ReadContext,
): Promise<Rows> {
  if (hooks) {
    const work = (transaction: PostgresTransaction) =>
      readWithHooks(transaction, plan, id, { hooks, statements, limit })
    return mayNeedStream(plan) ? pool.stream(signal?.(), work) : pool.read(signal?.(), work)
  }
  const complete = await readWithCachedCount(pool.shared, plan, id, { statements, counts, signal })
  if (complete === undefined)
    return pool.stream(signal?.(), (transaction) =>
      streamRead(transaction, plan, id, { statements, limit }),
    )
  if (limit) checkResourceLimit(complete, plan, limit)
  return complete
}

/** Verifies that the tables and the declared SQL match the model, as `Store.verify`. */
async function verify(target: Target, connection: PostgresConnection): ReturnType<Store['verify']> {
  const { model } = target
  const catalog = await queryPostgresCatalog(connection)
  checkTables(model, catalog)
  const findCollation = await queryCollations(connection, catalog)
  throwDeclarationErrors([
    ...checkCollations(model, catalog, findCollation),
    ...(await checkDeclaredSql(target, (statement) => connection.check(statement))),
  ])
  const warnings = await listPostgresWarnings(model, catalog, { connection, findCollation })
  return { warnings }
}

/** Creates the operations of a write transaction. */
function createTransaction(
  transaction: PostgresTransaction,
  statements: PostgresStatements,
): Transaction {
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
      savepoint: (work) => transaction.nest(work),
    },
    statements,
  )
}

/**
 * Runs work, and again after a conflict with another transaction, or after a generated id was taken.
 * @param skipTakenIds - makes the database generate other ids
 */
async function retryOnConflict<Result>(
  work: () => Promise<Result>,
  skipTakenIds: (error: TakenIdError) => Promise<void>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const isTaken = error instanceof TakenIdError
      if (!isTaken && !isConflict(error)) throw error
      if (isTaken) await skipTakenIds(error)
      if (tries === maxTries) throw unavailableError('Other requests write the same resources')
      await setTimeout(Math.random() * firstPause * 2 ** (tries - 1))
    }
  }
}
