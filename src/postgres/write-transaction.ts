import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { ResourceType } from '../model/model.ts'
import { compileStatement, type Statement } from '../sql/statement.ts'
import type { Transaction } from '../sql/store.ts'
import { columnAt, type Target, tableAt, tableName } from '../sql/tables.ts'
import { openTransaction } from '../sql/transaction.ts'
import {
  commitConstraintError,
  reportConstraintErrors,
  TakenIdError,
} from '../sql/write/constraints.ts'
import { UnclearError } from '../sql/write/write-row.ts'
import { checkColumnLimits } from './catalog/column-limits.ts'
import type { PostgresTables } from './catalog/open-tables.ts'
import type { PostgresPool } from './connection/connection-pool.ts'
import type { SessionSetup } from './connection/session-setup.ts'
import { createWriteConnection } from './connection/write-connection.ts'
import { isConflict, unavailableError } from './errors.ts'
import { beginWrite, type PostgresTransaction } from './transaction.ts'

/** How often a transaction is tried in case of conflicts with others. */
const maxTries = 5
/** The longest pause before the second try, in milliseconds; it doubles with each try. */
const firstPause = 20

/** The dependencies of write transactions. */
interface WriteContext {
  readonly pool: PostgresPool
  readonly tables: PostgresTables
  /** Sets what the session of the request has. */
  readonly setup: SessionSetup | undefined
}

/** Runs work in a write transaction, as `Store.transaction`. */
export function executeTransaction<Result>(
  work: (transaction: Transaction) => Awaitable<Result>,
  { pool, tables, setup }: WriteContext,
): Promise<Result> {
  const { facts, statementsOf } = tables
  const run = async (transaction: PostgresTransaction, isInSteps: boolean) => {
    const operations = openTransaction(statementsOf, (statements) =>
      createWriteConnection(
        transaction,
        statements,
        (plan) => checkColumnLimits(plan, statements.target.model, facts.columnLimits),
        isInSteps,
      ),
    )
    const result = await work(operations)
    await reportConstraintErrors(() => transaction.commit(), commitConstraintError)
    return result
  }
  return retryOnConflict(
    (isInSteps) => pool.write(beginWrite, (transaction) => run(transaction, isInSteps), setup),
    async ({ resource }) => {
      const connection = setup ? pool.shared.withSetup(setup) : pool.shared
      // Ids of other codecs are random.
      if (resource.id.kind.codec === 'id')
        await connection.allUnprepared(compileSequenceSkip(resource, tables.target))
    },
  )
}

/**
 * Runs work, and again after a conflict with another transaction, after a generated id was taken, or in steps after an error that is not
 * clear otherwise.
 * @param skipTakenIds - makes the database generate other ids, if a sequence does
 * @throws TakenIdError if all ids were taken; HttpError `unavailable` (503) after too many conflicts
 */
async function retryOnConflict<Result>(
  work: (isInSteps: boolean) => Promise<Result>,
  skipTakenIds: (error: TakenIdError) => Promise<void>,
): Promise<Result> {
  let isInSteps = false
  for (let tries = 1; ; tries += 1) {
    try {
      return await work(isInSteps)
    } catch (error) {
      if (error instanceof UnclearError && !isInSteps) {
        isInSteps = true
        continue
      }
      const isTaken = error instanceof TakenIdError
      if (!isTaken && !isConflict(error)) throw error
      if (isTaken) await skipTakenIds(error)
      if (tries === maxTries && isTaken) throw error
      if (tries === maxTries) throw unavailableError('Other requests write the same resources')
      await setTimeout(Math.random() * firstPause * 2 ** (tries - 1))
    }
  }
}

/**
 * Compiles the statement that advances the sequence of a type's ids, if there is one, past the taken ids that follow: ids that
 * clients chose, or that were imported.
 */
function compileSequenceSkip({ table, id }: ResourceType, { dialect }: Target): Statement {
  const [column] = id.columns
  const { sql: name } = compileStatement(tableName(table), dialect)
  const [takenId, nextId] = [columnAt(0, column), columnAt(1, column)]
  const isLast = sql`not exists (select 1 from ${tableAt(1, table)} where ${nextId} = ${takenId} + 1)`
  // A bare name would be a column of the table, if it has one of this name.
  const sequence = sql`s0.name::regclass`
  const lastTaken = sql`select min(${takenId}) from ${tableAt(0, table)}
    where ${takenId} >= pg_sequence_last_value(${sequence}) and ${takenId} < 9223372036854775807 and ${isLast}`
  return compileStatement(
    sql`select setval(${sequence}, (${lastTaken}))
      from pg_get_serial_sequence(${sql.lit(name)}, ${sql.lit(column)}) as s0 (name) where s0.name is not null`,
    dialect,
  )
}
