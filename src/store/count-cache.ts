import { LRUCache } from 'lru-cache'
import type { ParameterValue } from '../model/dialect.ts'
import type { Statement } from './statement.ts'

/** What is remembered: how many counts, and how many characters of what was counted in all. */
const bounds = { max: 1000, maxSize: 1_000_000 }

/** Makes a memory of counts, or of what else is told of them, by what was counted. */
export function createCountCache<Told extends {}>(): LRUCache<string, Told> {
  return new LRUCache({ ...bounds, sizeCalculation: (_told, key) => key.length })
}

/** What a statement counts: equal texts with equal values count the same, whatever the shapes they are of. */
export function countKey({ sql }: Statement, values: readonly ParameterValue[]): string {
  return values.length === 0 ? sql : sql + JSON.stringify(values.map(distinct))
}

/** A value as JSON that is no other's. */
function distinct(value: ParameterValue): unknown {
  if (typeof value === 'string') return value
  const isPattern = typeof value === 'object' && value !== null && 'text' in value
  return isPattern ? value : [typeof value, String(value)]
}
