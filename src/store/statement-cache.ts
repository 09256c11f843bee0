import { LRUCache } from 'lru-cache'
import type { Statement } from './statement.ts'

/** How many bytes of compiled statements a store keeps where nothing else is said. */
export const defaultCacheSize = 64 * 2 ** 20

/** What one statement costs beside its text: the object, its functions and what points at them, in bytes. */
const overhead = 1000
/** What a placeholder costs: an object and the function that binds its value, in bytes. */
const placeholderSize = 110

/** The bytes that statements take in this process, as an estimate. */
export function statementSize(...statements: readonly Statement[]): number {
  let size = 0
  for (const { sql, placeholders } of statements)
    size += overhead + sql.length + placeholders.length * placeholderSize
  return size
}

/** What a cache keeps of one shape; `made` is gone once it is evicted. */
interface Entry<Made> {
  made: Made | undefined
}

/** Keeps what is compiled from shapes, up to a number of bytes; the least recently used goes first. */
export class StatementCache {
  readonly #entries: LRUCache<object, Entry<unknown>>
  /** The entry that was used last needs no second look at its place. */
  #latest: object | undefined

  constructor(bytes: number = defaultCacheSize) {
    this.#entries = new LRUCache({
      maxSize: bytes,
      dispose: (entry) => {
        entry.made = undefined
      },
    })
  }

  /** The bytes that are kept, as an estimate. */
  get size(): number {
    return this.#entries.calculatedSize
  }

  /**
   * Compiles each shape once, and again after it was evicted. What is larger than the whole cache is never kept.
   * @param sizeOf - the bytes that the result takes, with what it compiles later
   */
  memoize<Shape extends object, Made extends NonNullable<unknown> | null>(
    make: (shape: Shape) => Made,
    sizeOf: (made: Made, shape: Shape) => number,
  ): (shape: Shape) => Made {
    const known = new WeakMap<Shape, Entry<Made>>()
    return (shape) => {
      const entry = known.get(shape)
      if (entry?.made !== undefined) {
        if (this.#latest !== entry) this.#entries.get(entry)
        this.#latest = entry
        return entry.made
      }
      const made = make(shape)
      const fresh: Entry<Made> = { made }
      this.#latest = undefined
      this.#entries.set(fresh, fresh, { size: Math.max(Math.ceil(sizeOf(made, shape)), 1) })
      if (this.#entries.has(fresh)) known.set(shape, fresh)
      return made
    }
  }
}
