import { formatOrder } from '../../plan/cursor.ts'
import type { ReadPlan, ReadShape } from '../../plan/read.ts'
import { compileAllowed, findAllowed } from '../../sql/access/find-allowed.ts'
import { notFoundError } from '../../sql/errors.ts'
import { mayHideRows } from '../../sql/filter/may-hide-rows.ts'
import { readBudget } from '../../sql/read/document-budget.ts'
import { executeReadSequence } from '../../sql/read/execute-read-sequence.ts'
import {
  type ExplainedStatement,
  formatParameters,
  listReadWarnings,
} from '../../sql/read/explain.ts'
import { runAsync } from '../../sql/read/query-sequence.ts'
import type { ReadSequence } from '../../sql/read/read-sequence.ts'
import { addAuth, createRunValues, limitRows } from '../../sql/read/run-values.ts'
import type { RunStatement, RunValues, Statement } from '../../sql/statement.ts'
import type { ReadHooks, Store } from '../../sql/store.ts'
import type { Target } from '../../sql/tables.ts'
import {
  type CursorIndexes,
  compileOrderProbes,
  describeCursorIndexes,
} from '../../sql/verify/cursor-index.ts'
import { describeIndexes } from '../../sql/verify/index-effects.ts'
import { findReferencing } from '../../sql/write/referencing.ts'
import { queryPostgresCatalog } from '../catalog/catalog.ts'
import type { OpenPostgresTables } from '../catalog/open-tables.ts'
import type { PostgresPool } from '../connection/connection-pool.ts'
import type { CreateSessionSetup } from '../connection/session-setup.ts'
import { splitColumns } from '../read/document-statement.ts'
import { createPostgresRunQuery } from '../read/read.ts'
import type { PostgresStatements } from '../statements.ts'
import type { PostgresTransaction } from '../transaction.ts'

/** What the operations that explain need. */
interface ExplainContext {
  /** The primary. */
  readonly pool: PostgresPool
  readonly tables: OpenPostgresTables
  readonly createSetup: CreateSessionSetup | undefined
}

/** Creates the operations of a store that explain reads, and who may see or change a row. */
export function createExplainOperations(
  context: ExplainContext,
): Pick<Store, 'explain' | 'inspect' | 'findAllowed' | 'findReferencing'> {
  const inspect = createInspect(context)
  return {
    explain: createExplain(context),
    inspect,
    findAllowed: (question, options) =>
      inspect(
        question.identity,
        (statements, run) => findAllowed(question, compileAllowed(question, statements), run),
        options,
      ),
    findReferencing: (question, options) =>
      inspect(
        question.identity,
        (statements, run) => findReferencing(question, statements.referencing(question.shape), run),
        options,
      ),
  }
}

/** Creates the function that runs a read, and returns its statements with their plans. */
function createExplain({ pool, tables, createSetup }: ExplainContext): Store['explain'] {
  return async (plan, id, { hooks, signal } = {}) => {
    const setup = createSetup?.(plan.identity)
    const { target, statementsOf } = await tables.get(setup)
    const options = { statements: statementsOf(plan.identity), hooks }
    const work = (transaction: PostgresTransaction) => explainAny(transaction, plan, id, options)
    const explained = await pool.read(signal?.(), work, setup)
    const catalog = await queryPostgresCatalog(pool.shared)
    const cursors = plan.shape.cursors && (await findCursorIndexes(plan.shape, target, pool))
    const executed = explained.map((each) => ({ ...each, plan: readShardPlan(each.plan) }))
    const uncounted = listReadWarnings(plan, { explained: executed, cursors }, target, catalog)
    const hidesRows = mayHideRows(options.statements.target, hooks)
    const context = { plan, id, hidesRows, dialect: target.dialect }
    const warnings = await describeIndexes(uncounted, context, (describe) => sample(pool, describe))
    return { dialect: 'postgres', statements: explained, warnings, ...(cursors && { cursors }) }
  }
}

/** The planner sorts, or reads a table without an index, only where it has to. On Citus these are settings of all servers. */
const avoidSorts: readonly Statement[] = [
  ...["citus.propagate_set_commands = 'local'", 'citus.enable_local_execution = off'],
  ...['sort', 'seqscan', 'bitmapscan'].map((name) => `enable_${name} = off`),
].map((setting) => ({ sql: `set local ${setting}`, placeholders: [] }))

/** Finds the indexes that serve the pages between cursors of a sort order. A sort key with parameters has none. */
async function findCursorIndexes(
  shape: ReadShape,
  target: Target,
  pool: PostgresPool,
): Promise<CursorIndexes> {
  const probes = compileOrderProbes(shape, target)
  const hasParameters = probes.some(({ placeholders }) => placeholders.length > 0)
  if (hasParameters) return { order: formatOrder(shape.order), indexes: [] }
  const plans = await sample(pool, async (run) => {
    const found: string[] = []
    for (const statement of avoidSorts) await run(statement, { planValues: [] })
    for (const { sql, placeholders } of probes) {
      const explain = { sql: `explain (costs off) ${sql}`, placeholders }
      const lines = await run(explain, { planValues: [] })
      found.push(readShardPlan(lines.map(([line]) => String(line))).join('\n'))
    }
    return found
  })
  return describeCursorIndexes(shape, plans, target)
}

/**
 * Reads what the servers of Citus do for a statement, with the names of tables and indexes in place of those of shards. The coordinator
 * merges their rows by a sort, which is one of the whole list if no server sorts and limits them before.
 */
function readShardPlan(plan: readonly string[]): readonly string[] {
  const ofShards: string[] = []
  let depth = Number.POSITIVE_INFINITY
  for (const line of plan) {
    const indent = line.search(/\S/)
    if (indent > depth) ofShards.push(line.replaceAll(/_\d{6,}\b/g, ''))
    else depth = /->\s+Task$/.test(line) ? indent : Number.POSITIVE_INFINITY
  }
  const isLimited = ofShards.some((line) => /^\s*->\s+Limit/.test(line))
  const isMerged = isLimited || !plan.some((line) => line.includes('Sort Key: remote_scan.'))
  return ofShards.length > 0 && isMerged ? ofShards : plan
}

/** Runs statements in one read transaction of the primary. */
function sample<Result>(
  pool: PostgresPool,
  work: (run: RunStatement) => Promise<Result>,
): Promise<Result> {
  return pool.read(undefined, async (transaction) => {
    const result = await work((statement, values) => transaction.allUnprepared(statement, values))
    await transaction.commit()
    return result
  })
}

/** Creates the function that runs statements in one snapshot of the primary, with the access rules of an identity. */
function createInspect({ pool, tables, createSetup }: ExplainContext): Store['inspect'] {
  return async (identity, work, { signal } = {}) => {
    const setup = createSetup?.(identity)
    const { statementsOf } = await tables.get(setup)
    const read = async (transaction: PostgresTransaction) => {
      const result = await work(statementsOf(identity), (statement, values) =>
        transaction.all(statement, values),
      )
      await transaction.commit()
      return result
    }
    return pool.read(signal?.(), read, setup)
  }
}

/** How a read is explained. */
interface ExplainOptions {
  readonly statements: PostgresStatements
  readonly hooks: ReadHooks | undefined
}

/** Citus executes no plan in a transaction that has read rows of the coordinator without a connection; other servers ignore it. */
const readByConnections: Statement = {
  ...{ sql: 'set local citus.enable_local_execution = off', placeholders: [] },
}

/** Explains a read in one statement or in several, as it runs. */
async function explainAny(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  options: ExplainOptions,
): Promise<ExplainedStatement[]> {
  const readSequence = options.statements.readSequence(plan.shape)
  await transaction.allUnprepared(readByConnections)
  return readSequence
    ? explainReadSequence(transaction, plan, id, { ...options, readSequence })
    : explainRead(transaction, plan, id, options)
}

/**
 * Runs a read and returns its statement with its plan: the rows and the times of `explain analyze` are those of a second run. Where rows
 * may be hidden, the plan has no numbers.
 * @param transaction - a read transaction; it ends here
 * @throws NotFoundError when the resource in the path does not exist
 */
async function explainRead(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  { statements, hooks }: ExplainOptions,
): Promise<ExplainedStatement[]> {
  await hooks?.before(createPostgresRunQuery(transaction, statements.target.dialect))
  const statement = statements.boundedDocument(plan.shape)
  const values = limitRows(createRunValues(plan, id), readBudget.resources)
  const start = performance.now()
  const result = await transaction.all(statement, values)
  const milliseconds = performance.now() - start
  const columns = splitColumns(result, plan.shape)
  if (!columns.pathExists) throw notFoundError(plan.notFound, id)
  // The other columns are not arrays.
  const rowSets = [columns.primary, ...columns.included].filter((rows) => Array.isArray(rows))
  const hidesRows = mayHideRows(statements.target, hooks)
  const queryPlan = await readQueryPlan(transaction, statement, { values, hidesRows })
  await transaction.commit()
  return [
    {
      sql: statement.sql,
      parameters: formatParameters(statement, values),
      plan: queryPlan,
      rows: rowSets.reduce((sum, rows) => sum + rows.length, 0),
      milliseconds,
    },
  ]
}

/** Explains a read in several statements. */
async function explainReadSequence(
  transaction: PostgresTransaction,
  plan: ReadPlan,
  id: string | undefined,
  { statements, hooks, readSequence }: ExplainOptions & Readonly<{ readSequence: ReadSequence }>,
): Promise<ExplainedStatement[]> {
  await hooks?.before(createPostgresRunQuery(transaction, statements.target.dialect))
  const explained: ExplainedStatement[] = []
  const hidesRows = mayHideRows(statements.target, hooks)
  await runAsync(executeReadSequence({ statements, readSequence }, plan, id), async (request) => {
    const { statement } = request
    const values = addAuth(request.values, plan.identity)
    const start = performance.now()
    const rows = await transaction.all(statement, values)
    const milliseconds = performance.now() - start
    const queryPlan = await readQueryPlan(transaction, statement, { values, hidesRows })
    const parameters = formatParameters(statement, values)
    const { sql } = statement
    explained.push({ sql, parameters, plan: queryPlan, rows: rows.length, milliseconds })
    return rows
  })
  await transaction.commit()
  return explained
}

/** Reads the plan of a statement: as it ran again or, where rows may be hidden, without numbers of rows. */
async function readQueryPlan(
  transaction: PostgresTransaction,
  { sql, placeholders }: Statement,
  { values, hidesRows }: Readonly<{ values: RunValues; hidesRows: boolean }>,
): Promise<string[]> {
  const mode = hidesRows ? 'costs off' : 'analyze, timing off'
  const explain = { sql: `explain (${mode}) ${sql}`, placeholders }
  const lines = await transaction.allUnprepared(explain, values)
  return lines.map(([line]) => String(line)).filter((line) => !(hidesRows && tellsSize(line)))
}

/** Whether a line of a plan without numbers depends on the size of a table all the same: PostgreSQL plans more workers for a larger one. */
function tellsSize(line: string): boolean {
  return line.trimStart().startsWith('Workers Planned:')
}
