import type { RunValues, Statement } from '../statement.ts'
import { countKey, countMemory } from './counts.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/** Runs a statement that counts, or knows already what it would give. */
export type Count = (statement: Statement, values: RunValues) => number

/** Counts every time. */
export function counted(connection: SqliteConnection): Count {
  return (statement, values) => Number(connection.value(statement, values))
}

/**
 * Counts once for as long as the database is as it was. What the connection itself writes counts as a change only when its
 * transaction ends, so whoever reads within one counts every time.
 */
export function remembered(connection: SqliteConnection): Count {
  const count = counted(connection)
  const known = countMemory<number>()
  let version: number | undefined
  return (statement, values) => {
    if (!connection.isLasting(statement)) return count(statement, values)
    const now = connection.version()
    if (now !== version) known.clear()
    version = now
    const key = countKey(statement, values)
    const found = known.get(key)
    if (found !== undefined) return found
    const fresh = count(statement, values)
    known.set(key, fresh)
    return fresh
  }
}
