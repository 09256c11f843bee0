import { LRUCache } from 'lru-cache'
import type { Bound } from '../../model/dialect.ts'
import { bound, type RunValues, type Statement } from '../statement.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/** Runs a statement that counts, or knows already what it would give. */
export type Count = (statement: Statement, values: RunValues) => number

/** What is remembered: how many counts, and how many characters of what was counted in all. */
const bounds = { max: 1000, maxSize: 1_000_000 }

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
  const known = new LRUCache<string, number>({
    ...bounds,
    sizeCalculation: (_count, key) => key.length,
  })
  let version: number | undefined
  return (statement, values) => {
    if (!connection.isLasting(statement)) return count(statement, values)
    const now = connection.version()
    if (now !== version) known.clear()
    version = now
    const key = keyOf(statement, values)
    const found = known.get(key)
    if (found !== undefined) return found
    const fresh = count(statement, values)
    known.set(key, fresh)
    return fresh
  }
}

/** Equal texts with equal values count the same, whatever the shapes they are of. */
function keyOf(statement: Statement, values: RunValues): string {
  if (statement.placeholders.length === 0) return statement.sql
  return statement.sql + JSON.stringify(bound(statement, values).map(distinct))
}

/** A value as JSON that is no other's. */
function distinct(value: Bound): unknown {
  return typeof value === 'string' ? value : [typeof value, String(value)]
}
