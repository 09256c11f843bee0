import { LRUCache } from 'lru-cache'
import { addReadable, type Reading } from '../observe/readings.ts'
import type { Statement } from './statement.ts'

/** The default memory for the compiled statements of a store, in bytes. */
export const defaultCacheSize = 64 * 2 ** 20

/** The memory of a statement without its text, in bytes. */
const statementOverhead = 1000
/** The memory of a placeholder, in bytes. */
const placeholderSize = 110

/** Estimates the memory of statements in bytes. */
export function statementSize(...statements: readonly Statement[]): number {
  let size = 0
  for (const { sql, placeholders } of statements)
    size += statementOverhead + sql.length + placeholders.length * placeholderSize
  return size
}

/** The cached value of a query shape; `undefined` once it is evicted. */
interface Entry<Value> {
  value: Value | undefined
}

/** Caches what is compiled from query shapes, up to a number of bytes. It evicts the least recently used entries. */
export class StatementCache {
  readonly #entries: LRUCache<object, Entry<unknown>>
  /** The most recently used entry: to use it again does not change the order. */
  #latest: object | undefined
  #hits = 0
  #misses = 0

  constructor(bytes: number = defaultCacheSize) {
    this.#entries = new LRUCache({
      maxSize: bytes,
      dispose: (entry) => {
        entry.value = undefined
      },
    })
    addReadable(this)
  }

  /** What telemetry asks of it. */
  readings(): readonly Reading[] {
    return [
      { name: 'statement cache entries', value: this.#entries.size },
      { name: 'statement cache bytes', value: this.#entries.calculatedSize },
      { name: 'statement cache hits', value: this.#hits },
      { name: 'statement cache misses', value: this.#misses },
    ]
  }

  /** The estimated memory in bytes. */
  get size(): number {
    return this.#entries.calculatedSize
  }

  /**
   * Returns a function that compiles each query shape once, and again after it was evicted. A value larger than the cache is not
   * cached.
   * @param sizeOf - estimates the memory of a value in bytes, with what it compiles later
   */
  memoize<Shape extends object, Value extends NonNullable<unknown> | null>(
    compile: (shape: Shape) => Value,
    sizeOf: (value: Value, shape: Shape) => number,
  ): (shape: Shape) => Value {
    const entries = new WeakMap<Shape, Entry<Value>>()
    return (shape) => {
      const entry = entries.get(shape)
      if (entry?.value !== undefined) {
        if (this.#latest !== entry) this.#entries.get(entry)
        this.#latest = entry
        this.#hits += 1
        return entry.value
      }
      this.#misses += 1
      const value = compile(shape)
      const newEntry: Entry<Value> = { value }
      this.#latest = undefined
      this.#entries.set(newEntry, newEntry, { size: Math.max(Math.ceil(sizeOf(value, shape)), 1) })
      if (this.#entries.has(newEntry)) entries.set(shape, newEntry)
      return value
    }
  }
}
