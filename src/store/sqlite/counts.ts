import type { ParameterValue } from '../../model/dialect.ts'
import { countKey, createCountCache } from '../count-cache.ts'
import { bound, type RunValues, type Statement } from '../statement.ts'
import type { SqliteConnection } from './connection.ts'

/** Runs a statement that counts, or knows already what it would give. */
export type Count = (statement: Statement, values: RunValues) => number

/** Counts every time. */
export function counted(connection: SqliteConnection): Count {
  return (statement, values) => Number(connection.value(statement, values))
}

/** The same for values in the order of the statement's placeholders. */
type CountRaw = (statement: Statement, values: readonly ParameterValue[]) => number

/**
 * Counts once for as long as the database is as it was. What the connection itself writes counts as a change only when its
 * transaction ends, so whoever reads within one counts every time.
 */
export function remembered(connection: SqliteConnection): Count {
  const count = rememberedRaw(connection)
  return (statement, values) => count(statement, bound(statement, values))
}

/** The same where the values are in the order of the placeholders already. */
export function rememberedRaw(connection: SqliteConnection): CountRaw {
  const known = createCountCache<number>()
  let version: number | undefined
  const counted = (statement: Statement, values: readonly ParameterValue[]) =>
    Number(connection.query(statement, values)[0]?.[0])
  return (statement, values) => {
    if (!connection.isLasting(statement)) return counted(statement, values)
    const now = connection.version()
    if (now !== version) known.clear()
    version = now
    const key = countKey(statement, values)
    const found = known.get(key)
    if (found !== undefined) return found
    const fresh = counted(statement, values)
    known.set(key, fresh)
    return fresh
  }
}
