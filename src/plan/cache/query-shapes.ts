import { LRUCache } from 'lru-cache'

/**
 * The query shapes of an application, interned: equal shapes are one object.
 *
 * A plan is a query shape and parameter values. Every later stage finds what it compiled for a shape by the identity of the
 * shape: the store its SQL, the serializer its functions. So a request whose values are new is only parsed and planned (6 µs
 * in rows `text` and `owning` of the benchmark); the first request of a shape, which compiles and prepares its statements,
 * takes 300 µs. Row `thousand-shapes` measures the cache with 1,000 shapes.
 *
 * It is correct because a shape is plain data that contains names and parameter numbers, never a client's value: shapes with
 * equal JSON are interchangeable. A property test generates pairs of queries that differ only in values and checks that they
 * share a shape, and that neither it nor its SQL contains a value.
 */
export interface QueryShapeCache {
  /** Returns the first shape that equals the given one. */
  intern<Shape extends object>(shape: Shape): Shape
}

/** The bounds of the cache: shapes, and characters of their JSON. The least recently used shape is evicted first. */
const bounds = { max: 5000, maxSize: 8_000_000 }

/** Creates the empty cache of an application. */
export function createQueryShapeCache(): QueryShapeCache {
  const shapes = new LRUCache<string, object>({
    ...bounds,
    sizeCalculation: (_shape, json) => json.length,
  })
  let last: object = {}
  return {
    intern: <Shape extends object>(shape: Shape): Shape => {
      // Writes of one shape often follow each other, in a batch above all. They are compared in a tenth of the time of their JSON.
      if (!isEqual(shape, last)) {
        const json = JSON.stringify(shape)
        last = shapes.get(json) ?? shape
        if (last === shape) shapes.set(json, shape)
      }
      // Equal data has the same type.
      return last as Shape
    },
  }
}

/** Whether two values of plain data are equal. */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    for (let index = 0; index < left.length; index += 1)
      if (!isEqual(left[index], right[index])) return false
    return true
  }
  for (const name in right) if (!(name in left)) return false
  for (const name in left)
    if (!isEqual(Reflect.get(left, name), Reflect.get(right, name))) return false
  return true
}
