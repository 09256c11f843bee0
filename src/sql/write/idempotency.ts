import { sql } from 'kysely'
import type { Dialect, Sql } from '../../model/dialect.ts'
import { idempotencyTableName } from '../../model/idempotency-table.ts'
import type { Row } from '../../plan/row-layout.ts'
import type { IdempotencyOperations, StoredResponse } from '../idempotency-operations.ts'
import { compileStatement, rawParam } from '../statement.ts'
import type { WriteConnection } from './write-connection.ts'

// A key, the fingerprint of its request and the response are a row that is inserted before the write, in the transaction of the write.
// So there is a response if and only if the write was committed. To insert a key that another transaction has inserted would wait for
// its end, and so occupy a connection: a lock that is only tried tells that it is taken.

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
    claim: async ({ principal, key, fingerprint, view }, now) => {
      // One round trip. Citus counts rows that are in conflict, too, but does not return them.
      const [inserted, rows] = await Promise.all([
        all(insertKey(dialect), [principal, key, fingerprint, view, now]),
        all(selectKey, [principal, key]),
      ])
      return inserted.length > 0 ? 'new' : parseStored(rows[0])
    },
    store: async ({ principal, key }, { status, rest }) => {
      await run(updateKey, [principal, key, status, rest])
    },
    deleteBefore: (time) =>
      run(sql`delete from ${table} where (principal, key) in (${oldKeys})`, [time]),
  }
}

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
