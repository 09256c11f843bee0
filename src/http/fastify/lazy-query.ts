import { inspect } from 'node:util'
import { parse } from 'fast-querystring'

// Lazy query. Fastify parses the query string of each request for `request.query`. The engine parses it itself, and only when a
// query is not in the plan cache. So a server of the engine's own parses `request.query` when a plugin or a custom route first
// uses it. Row `text` of the benchmark: 3 %. Fastify sets `query` in the constructor of a request, so it cannot be a getter.
//
// Invariant: for code that reads or changes it, the object behaves as the one that Fastify's parser returns, except for
// `structuredClone`, which refuses every proxy.

/** The query string that is not parsed yet. */
const search = Symbol('search')

type Query = Record<string, unknown> & { [search]?: string }

/** Objects without inherited properties, but one that only Node's `inspect` reads: it would not call the traps of the proxy. */
const prototype: object = Object.assign(Object.create(null), {
  [inspect.custom](this: Query): Query {
    return { ...this }
  },
})

/** Parses a query string when its properties are first used, as Fastify's own parser does: for its option `querystringParser`. */
export function parseQueryLazily(text: string): Record<string, unknown> {
  if (text === '') return {}
  const target: Query = Object.create(prototype)
  target[search] = text
  return new Proxy(target, traps)
}

/** Adds the parameters to the target before the first operation on it. */
const traps: ProxyHandler<Query> = {
  get: (target, name) => Reflect.get(parseOnce(target), name),
  set: (target, name, value) => Reflect.set(parseOnce(target), name, value),
  has: (target, name) => Reflect.has(parseOnce(target), name),
  deleteProperty: (target, name) => Reflect.deleteProperty(parseOnce(target), name),
  ownKeys: (target) => Reflect.ownKeys(parseOnce(target)),
  getOwnPropertyDescriptor: (target, name) =>
    Reflect.getOwnPropertyDescriptor(parseOnce(target), name),
  defineProperty: (target, name, descriptor) =>
    Reflect.defineProperty(parseOnce(target), name, descriptor),
  preventExtensions: (target) => Reflect.preventExtensions(parseOnce(target)),
}

function parseOnce(target: Query): Query {
  const text = target[search]
  if (text === undefined) return target
  delete target[search]
  return Object.assign(target, parse(text))
}
