import { LRUCache } from 'lru-cache'

/** What is remembered of shapes: how many, and how many characters of them in all; the longest unused go first. */
const bounds = { max: 5000, maxSize: 8_000_000 }

const known = new LRUCache<string, object>({
  ...bounds,
  sizeCalculation: (_shape, key) => key.length,
})

/**
 * Makes equal shapes one object, so that what is compiled for a shape can be kept beside it (in a `WeakMap`) and is
 * dropped when the shape is.
 *
 * @param shape - plain data: names and numbers of slots, none of a client's values
 * @returns the first shape seen that is equal to it
 */
export function intern<Shape extends object>(shape: Shape): Shape {
  const key = JSON.stringify(shape)
  const found = known.get(key)
  // Equal text means equal data, and with it an equal type.
  if (found !== undefined) return found as Shape
  known.set(key, shape)
  return shape
}

/** Keeps what is made from a shape for as long as the shape is remembered. */
export function perShape<Shape extends object, Made extends NonNullable<unknown> | null>(
  make: (shape: Shape) => Made,
): (shape: Shape) => Made {
  const made = new WeakMap<Shape, Made>()
  return (shape) => {
    const found = made.get(shape)
    if (found !== undefined) return found
    const fresh = make(shape)
    made.set(shape, fresh)
    return fresh
  }
}

/**
 * Remembers what was planned for a query string that comes again, so that the same URL is read and planned no more than
 * twice. One that comes once leaves nothing behind: most that hold a value do, and what is kept for nothing costs the
 * collector of garbage more than to plan it. Refusals are not kept.
 * @param plan - makes the plan from what follows the `?`, and from more texts which the plan holds then; pure
 */
export function rememberPlans<Plan extends object, More extends readonly string[]>(
  plan: (search: string, ...more: More) => Plan,
): (search: string, ...more: More) => Plan {
  const plans = new LRUCache<string, Plan>({
    max: 1000,
    maxSize: 1_000_000,
  })
  const seen = new Int32Array(1024)
  return (search, ...more) => {
    const found = plans.get(search)
    if (found !== undefined) return found
    const fresh = plan(search, ...more)
    const hash = hashOf(search)
    // Two that come in turns may have one place.
    const [at, beside] = [hash & (seen.length - 2), (hash & (seen.length - 2)) | 1]
    if (seen[at] === hash || seen[beside] === hash) {
      const size = more.reduce((sum, text) => sum + text.length, search.length + 1)
      plans.set(search, fresh, { size })
    }
    seen[beside] = seen[at] ?? 0
    seen[at] = hash
    return fresh
  }
}

/** A whole number of 32 bits that is another for nearly every text (FNV-1a over its code units). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
