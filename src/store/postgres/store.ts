import type { Catalog } from '../../model/catalog.ts'
import { checkStoredTables } from '../../model/check-tables.ts'
import { throwDeclarationErrors } from '../../model/declaration-error.ts'
import type { Dialect } from '../../model/dialect.ts'
import { memoizeByIdentity } from '../../model/memoize-by-identity.ts'
import type { Model } from '../../model/model.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { Rows } from '../../plan/read-result.ts'
import { createStatementsByRules } from '../access/restrict.ts'
import { checkDeclaredSql } from '../declared-sql.ts'
import { addTableFunctions } from '../describe-table-functions.ts'
import { createInvalidValueReport } from '../invalid-value-report.ts'
import { checkMigrations, type Migration } from '../migrations.ts'
import { checkIds } from '../repeated-ids.ts'
import { checkResourceLimit, type ResourceLimit } from '../resource-limit.ts'
import { listSegmentIdWarnings } from '../segment-ids.ts'
import type { Statement } from '../statement.ts'
import { StatementCache } from '../statement-cache.ts'
import type { ReadOptions, Store } from '../store.ts'
import type { Target } from '../tables.ts'
import { findViewIdErrors } from '../view-ids.ts'
import { queryPostgresCatalog } from './catalog.ts'
import { checkCollations, queryCollations } from './collations.ts'
import type { PostgresConnection } from './connection.ts'
import { PostgresPool } from './connection-pool.ts'
import { PostgresCountCache } from './counts.ts'
import { postgres } from './database.ts'
import { describeColumns } from './describe-columns.ts'
import { postgresDialect } from './dialect.ts'
import { createExplainOperations } from './explain.ts'
import { migratePostgres } from './migrations.ts'
import { describeNaN, findTypesWithNaN } from './nan-ids.ts'
import type { PostgresOptions } from './options.ts'
import { listPrivilegeWarnings } from './privileges.ts'
import {
  boundedQuery,
  createPostgresRunQuery,
  mayNeedStream,
  readWithCachedCount,
  readWithHooks,
  streamRead,
} from './read.ts'
import { Replicas } from './replicas.ts'
import {
  areKnown,
  type KnownTables,
  LoadedRoleTables,
  loadTables,
  type RoleTables,
  readRoleTables,
  reloadTables,
  targetOfRole,
} from './role-tables.ts'
import {
  checkServerSettings,
  chooseFoldingCollation,
  describeDatabase,
  readServerSettings,
} from './server-settings.ts'
import { checkSessionRoles, connectAsRole } from './session-roles.ts'
import { type CreateSessionSetup, compileSession, type SessionSetup } from './session-setup.ts'
import { createPostgresStatements, type PostgresStatementsOfRole } from './statements.ts'
import { queryStoredFunctions } from './stored-functions.ts'
import { LoadedTableFacts, readTableFacts } from './table-facts.ts'
import { beginMigration, type PostgresTransaction } from './transaction.ts'
import { addViewSources } from './view-sources.ts'
import { listPostgresWarnings } from './warnings.ts'
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
  const { tables, target } = createTarget(model, dialect, pool, counts)
  const cache = new StatementCache(statementCache, () => tables.facts.areKnown)
  const statementsOfRole = createStatementsOfRole(target, tables.roles, cache)
  const limit = maxResources === undefined ? undefined : { resources: maxResources }
  const context: ReadContext = { statementsOfRole, counts, limit }
  const primary: PrimaryContext = { pool, tables, target, createSetup }
  return {
    model,
    dialect: 'postgres',
    description,
    ...createReadOperations({ replicas, tables, target, createSetup }, context),
    ...createExplainOperations({ ...primary, statementsOfRole }),
    ...createWriteOperations(primary, context),
    ...createSchemaOperations(pool, target, tables),
    close: async () => {
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

/** Creates the function that returns the statements of a request, by its role and by the access rules that apply to it. */
function createStatementsOfRole(
  target: Target,
  roles: LoadedRoleTables,
  cache: StatementCache,
): PostgresStatementsOfRole {
  const createOfRole = memoizeByIdentity((tables: RoleTables) =>
    createStatementsByRules(
      createPostgresStatements(targetOfRole(target, tables), cache),
      (restricted) => createPostgresStatements(restricted, cache),
      cache.canKeep,
    ),
  )
  return (setup) => createOfRole(roles.get(setup?.role))
}

/** What the operations that read need, besides the context of each read. */
interface ReadOperationsContext {
  readonly replicas: Replicas
  readonly tables: KnownTables
  readonly target: Target
  readonly createSetup: CreateSessionSetup | undefined
}

/** Creates the operations of a store that read. */
function createReadOperations(
  { replicas, tables, target, createSetup }: ReadOperationsContext,
  context: ReadContext,
): Pick<Store, 'read' | 'snapshot'> {
  return {
    read: async (plan, id, { hooks, signal } = {}) => {
      const rows = await replicas.read((replica) => {
        const setup = createSetup?.(plan.identity)
        const request = { pool: replica, plan, id, hooks, signal, setup }
        return areKnown(tables, setup)
          ? readFrom(request, context)
          : loadTables(tables, setup).then(() => readFrom(request, context))
      })
      return checkIds(rows, plan.shape, target)
    },
    snapshot: (work, { signal, identity } = {}) =>
      replicas.read((replica) =>
        replica.read(
          signal?.(),
          async (transaction) => {
            const result = await work(createPostgresRunQuery(transaction, target.dialect))
            await transaction.commit()
            return result
          },
          createSetup?.(identity),
        ),
      ),
  }
}

/** What the operations on the primary need, besides the context of each read. */
interface PrimaryContext {
  /** The primary. */
  readonly pool: PostgresPool
  readonly tables: KnownTables
  readonly target: Target
  readonly createSetup: CreateSessionSetup | undefined
}

/** Creates the operation of a store that writes. */
function createWriteOperations(
  { pool, tables, createSetup }: PrimaryContext,
  { statementsOfRole }: ReadContext,
): Pick<Store, 'transaction'> {
  return {
    transaction: async (work, { identity } = {}) => {
      const setup = createSetup?.(identity)
      if (!areKnown(tables, setup)) await loadTables(tables, setup)
      const { facts } = tables
      return executeTransaction(work, { pool, statementsOf: statementsOfRole(setup), facts, setup })
    },
  }
}

/** Creates what SQL is compiled for. The facts about its tables are read when they are first needed. */
function createTarget(
  model: Model,
  dialect: Dialect,
  { shared }: PostgresPool,
  counts: PostgresCountCache,
): Readonly<{ tables: KnownTables; target: Target }> {
  const facts = new LoadedTableFacts(async () => {
    const loaded = await readTableFacts(model, shared, target)
    // Which rows a session finds depends on its role, its search path and the policies of the tables.
    if (model.session === undefined) counts.enableFor(loaded.cacheableTables)
    return loaded
  })
  const target: Target = {
    get model() {
      return facts.current.model ?? model
    },
    dialect,
    isIndexed: (table, columns) => facts.current.isIndexed(table, columns),
    ignoresCase: (table, column) => facts.current.ignoresCase(table, column),
    isSinglePrecision: (table, column) => facts.current.isSinglePrecision(table, column),
    isEnforced: (field) => facts.current.isEnforced(field),
    triggersOf: (table) => facts.current.triggersOf(table),
    reportInvalidValue: createInvalidValueReport(),
  }
  const roles = new LoadedRoleTables((role) => readRoleTables(model, role, shared, target))
  return { tables: { facts, roles }, target }
}

/** Creates the operations of a store that read or change the schema. */
function createSchemaOperations(
  pool: PostgresPool,
  target: Target,
  tables: KnownTables,
): Pick<Store, 'prepare' | 'verify' | 'catalog' | 'migrate' | 'checkReady'> {
  let expected: readonly Migration[] | undefined
  return {
    prepare: () => reloadTables(tables),
    verify: () => verify(target, pool.shared),
    catalog: () => queryPostgresCatalog(pool.shared),
    migrate: async (migrations, mode = 'run') => {
      checkMigrations(migrations, mode)
      await pool.write(beginMigration, async (transaction) => {
        await migratePostgres(transaction, migrations, mode)
        await transaction.commit()
      })
      tables.facts.forget()
      tables.roles.forget()
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
}

/** The dependencies of reads. */
interface ReadContext {
  readonly statementsOfRole: PostgresStatementsOfRole
  readonly counts: PostgresCountCache
  readonly limit: ResourceLimit | undefined
}

/** Executes a read on one database, as `Store.read`: in one statement, with hooks in a transaction, or as a stream. */
async function readFrom(
  { pool, plan, id, hooks, signal, setup }: ReadRequest,
  { statementsOfRole, counts, limit }: ReadContext,
): Promise<Rows> {
  const statements = statementsOfRole(setup)(plan.identity)
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

/** Verifies that the tables and the declared SQL match the model, as `Store.verify`. */
async function verify(target: Target, connection: PostgresConnection): ReturnType<Store['verify']> {
  const { model } = target
  const catalog = await addTableFunctions(target, await queryPostgresCatalog(connection), (query) =>
    describeColumns(query, connection),
  )
  checkStoredTables(model, catalog, postgres)
  const findCollation = await queryCollations(connection, catalog)
  throwDeclarationErrors([
    ...checkCollations(model, catalog, findCollation),
    ...(await checkDeclaredSql(target, (statement) => connection.check(statement))),
  ])
  const run = (statement: Statement) => connection.allUnprepared(statement)
  throwDeclarationErrors(await findViewIdErrors(target, catalog, run))
  const access = await checkRoles(target, catalog, connection)
  const unserved = (await findTypesWithNaN(model, catalog, connection)).map(describeNaN)
  const warnings = [
    ...(await listPostgresWarnings(model, catalog, { connection, findCollation })),
    ...unserved,
  ]
  const segments = await listSegmentIdWarnings(target, run)
  return { warnings: [...access, ...warnings, ...segments], unserved }
}

/** Checks the roles of the requests. @returns warnings about them and their privileges */
async function checkRoles(
  { model, dialect }: Target,
  catalog: Catalog,
  connection: PostgresConnection,
): Promise<readonly string[]> {
  const { session } = model
  const { errors = [], warnings = [] } = session
    ? await checkSessionRoles(session, connection, dialect)
    : {}
  throwDeclarationErrors(errors)
  const asRole = connectAsRole(session, connection, dialect)
  return [...warnings, ...(asRole ? await listPrivilegeWarnings(model, catalog, asRole) : [])]
}
