import type { Catalog } from '../model/catalog.ts'
import type { Dialect } from '../model/dialect.ts'
import type { Model } from '../model/model.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { Rows } from '../plan/read-result.ts'
import { checkMigrations, type Migration } from '../sql/migrations.ts'
import { createInvalidValueReport } from '../sql/read/invalid-value-report.ts'
import { checkIds } from '../sql/read/repeated-ids.ts'
import { checkResourceLimit, type ResourceLimit } from '../sql/resource-limit.ts'
import type { ReadOptions, Store } from '../sql/store.ts'
import { queryPostgresCatalog } from './catalog/catalog.ts'
import { OpenPostgresTables } from './catalog/open-tables.ts'
import {
  checkServerSettings,
  chooseFoldingCollation,
  describeDatabase,
  readServerSettings,
} from './catalog/server-settings.ts'
import { queryStoredFunctions } from './catalog/stored-functions.ts'
import { addViewSources } from './catalog/view-sources.ts'
import type { PostgresConnection } from './connection/connection.ts'
import { PostgresPool } from './connection/connection-pool.ts'
import { Replicas } from './connection/replicas.ts'
import {
  type CreateSessionSetup,
  compileSession,
  type SessionSetup,
} from './connection/session-setup.ts'
import { postgresDialect } from './dialect.ts'
import { migratePostgres } from './migrations.ts'
import type { PostgresOptions } from './options.ts'
import { compileState, PostgresCountCache } from './read/counts.ts'
import {
  boundedQuery,
  createPostgresRunQuery,
  mayNeedStream,
  readInSequence,
  readWithCachedCount,
  readWithHooks,
  streamRead,
} from './read/read.ts'
import type { PostgresStatements } from './statements.ts'
import { beginMigration, type PostgresTransaction } from './transaction.ts'
import { createExplainOperations } from './verify/explain.ts'
import { verifyPostgres } from './verify/verify.ts'
import { executeTransaction } from './write-transaction.ts'

/** Creates the store of a database, as `openPostgres`. */
export async function createPostgresStore(
  model: Model,
  url: string,
  options: PostgresOptions = {},
): Promise<Store> {
  const { maxResources, statementCache } = options
  const { pool, replicas } = openPools(url, options)
  const description = describeDatabase(url)
  const dialect = await detectDialect(pool, description)
  const counts = new PostgresCountCache()
  const createSetup = compileSession(model.session, dialect)
  const declared = { model, dialect, reportInvalidValue: createInvalidValueReport() }
  const tables = new OpenPostgresTables({ declared, connection: pool.shared, statementCache })
  const limit = maxResources === undefined ? undefined : { resources: maxResources }
  const primary: PrimaryContext = { pool, tables, dialect, createSetup }
  return {
    model,
    dialect: 'postgres',
    description,
    ...createReadOperations({ ...primary, replicas, counts, limit }),
    ...createExplainOperations(primary),
    ...createWriteOperations(primary),
    ...createSchemaOperations(primary),
    close: async () => {
      tables.forget()
      await Promise.all([pool.close(), replicas.close()])
    },
  }
}

/** Opens the pools of the primary and of its replicas. */
function openPools(url: string, options: PostgresOptions) {
  const pool = new PostgresPool(url, options)
  const { replicaUrls = [] } = options
  const replicaPools = replicaUrls.map((replica) => new PostgresPool(replica, options))
  return { pool, replicas: new Replicas(pool, replicaPools) }
}

/** What the operations on the primary need. */
interface PrimaryContext {
  /** The primary. */
  readonly pool: PostgresPool
  readonly tables: OpenPostgresTables
  readonly dialect: Dialect
  readonly createSetup: CreateSessionSetup | undefined
}

/** What the operations that read need. */
interface ReadContext extends PrimaryContext {
  readonly replicas: Replicas
  readonly counts: PostgresCountCache
  readonly limit: ResourceLimit | undefined
}

/** Creates the operations of a store that read. */
function createReadOperations(
  context: ReadContext,
): Pick<Store, 'read' | 'readState' | 'snapshot'> {
  const { replicas, tables, dialect, createSetup } = context
  return {
    read: async (plan, id, { hooks, signal } = {}) => {
      const setup = createSetup?.(plan.identity)
      const { statementsOf, target } = tables.find(setup) ?? (await tables.get(setup))
      const statements = statementsOf(plan.identity)
      const rows = await replicas.read((replica) =>
        readFrom({ pool: replica, plan, id, hooks, signal, setup, statements }, context),
      )
      return checkIds(rows, plan.shape, target)
    },
    readState: createStateRead(context),
    snapshot: (work, { signal, identity } = {}) =>
      replicas.read((replica) =>
        replica.read(
          signal?.(),
          async (transaction) => {
            const result = await work(createPostgresRunQuery(transaction, dialect))
            await transaction.commit()
            return result
          },
          createSetup?.(identity),
        ),
      ),
  }
}

/** Creates the operation of a store that identifies the committed state: none is known of the standbys that may run the reads. */
function createStateRead({ pool, replicas, tables, dialect }: ReadContext): Store['readState'] {
  const statement = compileState(dialect)
  return async (plan) => {
    const { statementsOf } = tables.find(undefined) ?? (await tables.get(undefined))
    if (replicas.areUsed || !statementsOf(plan.identity).showsRowsOnly(plan.shape)) return undefined
    const [[state] = []] = await pool.shared.all(statement, { planValues: [] })
    return typeof state === 'string' ? state : undefined
  }
}

/** Creates the operation of a store that writes. */
function createWriteOperations({
  pool,
  tables,
  createSetup,
}: PrimaryContext): Pick<Store, 'transaction'> {
  return {
    transaction: async (work, { identity } = {}) => {
      const setup = createSetup?.(identity)
      const found = tables.find(setup) ?? (await tables.get(setup))
      return executeTransaction(work, { pool, tables: found, setup })
    },
  }
}

/** Creates the operations of a store that read or change the schema. */
function createSchemaOperations({
  pool,
  tables,
}: PrimaryContext): Pick<Store, 'prepare' | 'verify' | 'catalog' | 'migrate' | 'checkReady'> {
  let expected: readonly Migration[] | undefined
  return {
    prepare: async () => {
      await tables.get(undefined)
    },
    verify: async () => verifyPostgres(await tables.load(), pool.shared),
    catalog: () => queryPostgresCatalog(pool.shared),
    migrate: async (migrations, mode = 'run') => {
      checkMigrations(migrations, mode)
      await pool.write(beginMigration, async (transaction) => {
        await migratePostgres(transaction, migrations, mode)
        await transaction.commit()
      })
      tables.forget()
      expected = migrations
    },
    checkReady: () =>
      pool.read(undefined, async (transaction) => {
        await checkVersion(transaction, expected)
        await transaction.commit()
      }),
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
    const catalog = await addViewSources(await queryPostgresCatalog(pool.shared), pool.shared)
    return { ...catalog, functions: await queryStoredFunctions(pool.shared) }
  } finally {
    await pool.close()
  }
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
  /** Sets what the session of the request has. */
  readonly setup: SessionSetup | undefined
  readonly statements: PostgresStatements
}

/** Executes a read on one database, as `Store.read`: in one statement, with hooks in a transaction, or as a stream. */
async function readFrom(
  { pool, plan, id, hooks, signal, setup, statements }: ReadRequest,
  { counts, limit }: ReadContext,
): Promise<Rows> {
  const readSequence = statements.readSequence(plan.shape)
  if (readSequence) {
    const work = (transaction: PostgresTransaction) =>
      readInSequence(transaction, plan, id, { hooks, statements, limit, readSequence })
    return pool[mayNeedStream(plan) ? 'stream' : 'read'](signal?.(), work, setup)
  }
  if (hooks) {
    const work = (transaction: PostgresTransaction) =>
      readWithHooks(transaction, plan, id, { hooks, statements, limit, durations: pool.durations })
    return mayNeedStream(plan)
      ? pool.stream(signal?.(), work, setup)
      : pool.read(signal?.(), work, setup, boundedQuery(plan, id, statements))
  }
  const connection = setup ? pool.shared.withSetup(setup) : pool.shared
  const complete = await readWithCachedCount(connection, plan, id, { statements, counts, signal })
  if (complete === undefined)
    return pool.stream(
      signal?.(),
      (transaction) => streamRead(transaction, plan, id, { statements, limit }),
      setup,
    )
  if (limit) checkResourceLimit(complete, plan, limit)
  return complete
}
