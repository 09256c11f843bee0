import { LRUCache } from 'lru-cache'

/**
 * The query shapes of an application, interned: equal shapes are one object.
 *
 * A plan is a query shape and parameter values. Interning lets every later stage find what it compiled for a shape by the
 * identity of the shape: the store its SQL, the serializer its functions. So 1,000 requests that differ only in their
 * values compile one statement, and a request with a new value costs no more than the parsing and planning of its query
 * (rows `text` and `owning` of the benchmark, whose values are new each time; `thousand-shapes` shows the opposite case).
 *
 * It is correct because a shape is plain data and holds names and parameter numbers, never a client's value: shapes with
 * equal JSON are interchangeable. A property test generates pairs of requests that differ only in values and checks that
 * they share a shape, and that no value occurs in it or in its SQL.
 */
export interface QueryShapeCache {
  /** Returns the first shape that equals the given one. */
  intern<Shape extends object>(shape: Shape): Shape
}

/** The bounds of the cache: shapes, and characters of their JSON. The least recently used shape goes first. */
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
