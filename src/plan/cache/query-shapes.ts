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
  return {
    intern: <Shape extends object>(shape: Shape): Shape => {
      const json = JSON.stringify(shape)
      const cached = shapes.get(json)
      // Equal JSON means equal data, and therefore the same type.
      if (cached !== undefined) return cached as Shape
      shapes.set(json, shape)
      return shape
    },
  }
}
