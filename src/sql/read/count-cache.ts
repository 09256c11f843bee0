import { LRUCache } from 'lru-cache'
import type { ParameterValue } from '../../model/dialect.ts'
import type { Statement } from '../statement.ts'
import { isTextPattern } from '../statement-values.ts'

/** The most counts, and the most characters of their keys. */
const limits = { max: 1000, maxSize: 1_000_000 }

/** Creates a cache of counts, or of values that contain one, by `countKey`. */
export function createCountCache<Value extends {}>(): LRUCache<string, Value> {
  return new LRUCache({ ...limits, sizeCalculation: (_value, key) => key.length })
}

/** The key of a count: equal SQL with equal values has the same count, for any query shape. */
export function countKey({ sql }: Statement, values: readonly ParameterValue[]): string {
  return values.length === 0 ? sql : sql + JSON.stringify(values.map(toUniqueJson))
}

/** Converts a value to JSON so that different values have different JSON. */
function toUniqueJson(value: ParameterValue): unknown {
  if (typeof value === 'string') return value
  // As text, different bytes that are not UTF-8 would be equal.
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') }
  return isTextPattern(value) ? value : [typeof value, String(value)]
}
