import { sql } from 'kysely'
import type { Dialect, Sql } from '../../model/dialect.ts'
import { idempotencyTableName } from '../../model/idempotency-table.ts'
import type { Row } from '../../plan/row-layout.ts'
import { ConstraintError } from '../errors.ts'
import {
  type IdempotencyOperations,
  KeyTakenError,
  type StoredResponse,
} from '../idempotency-operations.ts'
import { compileStatement, rawParam } from '../statement.ts'
import type { WriteConnection } from './write-connection.ts'

// A key, the fingerprint of its request and the response are a row that is inserted before the write, in the transaction of the write.
// So there is a response if and only if the write was committed. To insert a key that another transaction has inserted would wait for
// its end, and so occupy a connection: a lock that is only tried tells that it is taken. A key that is claimed ahead of its write violates a
// constraint if it is known or taken: then PostgreSQL skips the statements behind it.

/** How many keys one statement deletes. */
export const keysPerDeletion = 1000

const table = sql.table(idempotencyTableName)

const insertKey = ({ tryLock }: Dialect) => {
  const [principal, key] = [rawParam(0), rawParam(1)]
  const values = sql`${principal}, ${key}, ${rawParam(2)}, ${rawParam(3)}, cast(${rawParam(4)} as bigint)`
  const rows = tryLock
    ? sql`select ${values} where ${tryLock(principal, key)}`
    : sql`values (${values})`
  return sql`insert into ${table} (principal, key, fingerprint, view, created_at) ${rows}
    on conflict (principal, key) do nothing returning 1`
}

/** A key of which another transaction has the lock would have no principal, which must not be null. */
const insertNewKey = (tryLock: NonNullable<Dialect['tryLock']>) => {
  const [principal, key] = [rawParam(0), rawParam(1)]
  const locked = sql`case when ${tryLock(principal, key)} then ${principal} end`
  return sql`insert into ${table} (principal, key, fingerprint, view, created_at)
    values (${locked}, ${key}, ${rawParam(2)}, ${rawParam(3)}, cast(${rawParam(4)} as bigint))`
}

const selectKey = sql`select fingerprint, view, status, response from ${table}
  where principal = ${rawParam(0)} and key = ${rawParam(1)}`
const updateKey = sql`update ${table} set status = ${rawParam(2)}, response = ${rawParam(3)}
  where principal = ${rawParam(0)} and key = ${rawParam(1)}`
const oldKeys = sql`select principal, key from ${table} where created_at < ${rawParam(0)}
  order by created_at limit ${sql.lit(keysPerDeletion)}`

/** Creates the operations on keys. */
export function createIdempotencyOperations(
  connection: WriteConnection,
  dialect: Dialect,
): IdempotencyOperations {
  const run = async (expression: Sql, planValues: readonly unknown[]) =>
    connection.run(compileStatement(expression, dialect), { planValues })
  const all = async (expression: Sql, planValues: readonly unknown[]) =>
    connection.all(compileStatement(expression, dialect), { planValues })
  return {
    ...createClaimAhead(connection, dialect),
    claim: async ({ principal, key, fingerprint, view }, now) => {
      // One round trip. Citus counts rows that are in conflict, too, but does not return them.
      const [inserted, rows] = await Promise.all([
        all(insertKey(dialect), [principal, key, fingerprint, view, now]),
        all(selectKey, [principal, key]),
      ])
      return inserted.length > 0 ? 'new' : parseStored(rows[0])
    },
    store: async ({ principal, key }, { status, rest }) => {
      const planValues = [principal, key, status, rest]
      if (connection.runUnawaited)
        connection.runUnawaited(compileStatement(updateKey, dialect), { planValues })
      else await run(updateKey, planValues)
    },
    deleteBefore: (time) =>
      run(sql`delete from ${table} where (principal, key) in (${oldKeys})`, [time]),
  }
}

/** Creates the claim ahead of the statements of a write; not on Citus, which runs the statements of a batch on several servers. */
function createClaimAhead(
  connection: WriteConnection,
  dialect: Dialect,
): Pick<IdempotencyOperations, 'claimAhead'> {
  const { tryLock, lastInsertId } = dialect
  if (!connection.runUnawaited || !lastInsertId || !tryLock) return {}
  return {
    claimAhead: async ({ principal, key, fingerprint, view }, now) => {
      const insert = compileStatement(insertNewKey(tryLock), dialect)
      try {
        await connection.run(insert, { planValues: [principal, key, fingerprint, view, now] })
      } catch (error) {
        const isTaken = error instanceof ConstraintError && claimErrors.has(error.is)
        throw isTaken ? new KeyTakenError(error.message, { cause: error }) : error
      }
    },
  }
}

/** The violated constraints of a key that is known, and of one that is taken. */
const claimErrors: ReadonlySet<ConstraintError['is']> = new Set(['unique', 'notNull'])

/** Only the transaction itself sees a key without a response: of the request that called this one. */
function parseStored(row: Row | undefined): StoredResponse | 'taken' {
  const [fingerprint, view, status, rest] = row ?? []
  if (status === undefined || status === null) return 'taken'
  return {
    fingerprint: String(fingerprint),
    view: String(view),
    status: Number(status),
    rest: String(rest),
  }
}
