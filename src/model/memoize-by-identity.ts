/**
 * Memoizes a function of one object by the identity of that object (not that of a request, `Identity`). A result lives as long as its object: the cache is a
 * `WeakMap`. Objects that are equal share a result only if they are one object (`QueryShapeCache.intern`).
 */
export function memoizeByIdentity<Key extends object, Result extends NonNullable<unknown> | null>(
  compute: (key: Key) => Result,
): (key: Key) => Result {
  const results = new WeakMap<Key, Result>()
  return (key) => {
    const cached = results.get(key)
    if (cached !== undefined) return cached
    const result = compute(key)
    results.set(key, result)
    return result
  }
}
