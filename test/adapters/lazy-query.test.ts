import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { parse } from 'fast-querystring'
import { parseQueryLazily } from '../../src/http/fastify/lazy-query.ts'

/** Query strings, each parsed afresh for every operation. */
const searches = ['a=1&b=2&b=3', 'filter=%5B%7B%7D%5D', 'a', '__proto__=1&constructor=2', 'a=%', '']

/** The parser of Fastify: the default of `find-my-way`. */
const parseAtOnce = (search: string) => (search === '' ? {} : parse(search))

/** Operations as the first use of a query. */
const operations: Readonly<Record<string, (query: Record<string, unknown>) => unknown>> = {
  'read a property': (query) => ['a', 'b', 'constructor', 'toString'].map((name) => query[name]),
  'list the properties': (query) => Object.entries(query),
  'iterate over the names': (query) => {
    const names: string[] = []
    for (const name in query) names.push(name)
    return names
  },
  copy: (query) => ({ ...query }),
  'test for a property': (query) => ['a' in query, Object.hasOwn(query, 'filter')],
  'serialize as JSON': (query) => JSON.stringify(query),
  'print the properties': (query) => inspect({ ...query }),
  'set a property': (query) => {
    query.a = 5
    return Object.entries(query)
  },
  'define a property': (query) => {
    Object.defineProperty(query, 'a', { value: 5, enumerable: true })
    return Object.entries(query)
  },
  'delete a property': (query) => {
    Reflect.deleteProperty(query, 'a')
    return Object.entries(query)
  },
  freeze: (query) => [Object.isFrozen(Object.freeze(query)), Object.entries(query)],
}

describe('A query that is parsed when it is used', () => {
  for (const [name, operate] of Object.entries(operations))
    for (const search of searches)
      it(`behaves like the one of Fastify's parser: ${name} of ${search}`, () => {
        assert.deepEqual(operate(parseQueryLazily(search)), operate(parseAtOnce(search)), search)
      })

  it('is printed with its parameters', () => {
    assert.match(inspect(parseQueryLazily('a=1&b=2')), /a: '1', b: '2'/)
  })
})
