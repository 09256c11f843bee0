import { LRUCache } from 'lru-cache'
import type { Bound } from '../../model/dialect.ts'
import { bound, type RunValues, type Statement } from '../statement.ts'

/** What is remembered: how many counts, and how many characters of what was counted in all. */
const bounds = { max: 1000, maxSize: 1_000_000 }

/** Makes a memory of counts, or of what else is told of them, by what was counted. */
export function countMemory<Told extends {}>(): LRUCache<string, Told> {
  return new LRUCache({ ...bounds, sizeCalculation: (_told, key) => key.length })
}

/** What a statement counts: equal texts with equal values count the same, whatever the shapes they are of. */
export function countKey(statement: Statement, values: RunValues): string {
  if (statement.placeholders.length === 0) return statement.sql
  return statement.sql + JSON.stringify(bound(statement, values).map(distinct))
}

/** A value as JSON that is no other's. */
function distinct(value: Bound): unknown {
  return typeof value === 'string' ? value : [typeof value, String(value)]
}
