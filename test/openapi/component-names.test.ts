import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { attribute, defineKind, defineModel, type Model, resource, text, toMany } from 'lapidary'
import { describeApi, type OpenApiDocument } from 'lapidary/openapi'
import { seed } from '../property/seed.ts'

/** Names that are also names or parts of names of components, and names that are equal without their unusual characters. */
const unusual = [
  'jsonapi',
  'jsonapi-2',
  'filter',
  'filter-2',
  'term',
  'text',
  'new',
  'page',
  'list',
]
const similar = ['ä', 'ö', 'aä', 'aö', 'a_b', 'aäb', 'aöb', 'a-b', '名', '名前', 'ä-2', 'a_b-2']
const name = fc.oneof(
  fc.constantFrom(...unusual, ...similar),
  fc.string({ unit: fc.constantFrom('a', 'B', '2', 'ß', '名'), minLength: 1, maxLength: 4 }),
)
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 8 })

/** A kind with the name of a schema of filters: `filter.term`. */
const term = defineKind({
  name: 'term',
  schema: { type: 'string', pattern: '^[a-z]*$' },
  read: (json) => (typeof json === 'string' ? { value: json } : { expected: 'a string' }),
  stores: text,
  load: (stored) => stored,
  bind: (value) => value,
})

/** A model of types, each with an attribute and relationships of its own. */
function createModel(types: readonly string[], relationships: readonly string[]): Model {
  return defineModel(
    types.map((type, index) =>
      resource(type, {
        path: `/path${index}`,
        table: `table${index}`,
        fields: {
          [`text${index}`]: attribute(text),
          [`term${index}`]: attribute(term),
          ...Object.fromEntries(
            relationships.map((each, at) => [
              each,
              toMany(types[(index + at) % types.length] ?? type, { column: `column${at}` }),
            ]),
          ),
        },
      }),
    ),
  )
}

type Json = Readonly<Record<string, unknown>>

/** Returns a value inside the description; references on the way are followed. */
function find(description: OpenApiDocument, start: unknown, ...path: readonly string[]): unknown {
  const value = path.reduce<unknown>(
    (part, member) => Reflect.get(Object(resolve(description, part)), member),
    start,
  )
  return resolve(description, value)
}

function resolve(description: OpenApiDocument, value: unknown): unknown {
  const reference: unknown = Object(value).$ref
  if (typeof reference !== 'string') return value
  const found = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((part, member) => Reflect.get(Object(part), member), description)
  assert.ok(found !== undefined, `${reference} exists`)
  return resolve(description, found)
}

function findParameter(description: OpenApiDocument, list: unknown, wanted: string): unknown {
  assert.ok(Array.isArray(list))
  return list.map((each) => resolve(description, each)).find((each) => Object(each).name === wanted)
}

/** The names of the attributes that a filter of a type accepts. */
function listFilterNames(description: OpenApiDocument, get: Json): readonly unknown[] {
  const filter = findParameter(description, get.parameters, 'filter')
  const term = find(description, filter, 'content', 'application/json', 'schema', 'items', 'anyOf')
  return Object.values(Object(term)).flatMap((each) => {
    const { allOf } = Object(each)
    return Array.isArray(allOf) ? allOf[0].properties.name.enum : []
  })
}

describe('The names of components', () => {
  it('given any names of types and relationships, each type has schemas and operations of its own', () => {
    fc.assert(
      fc.property(names, names, (types, relationships) => {
        const model = createModel(types, relationships)
        const description = describeApi(model)
        const ids = Object.values(description.paths).flatMap((item) =>
          Object.values(item).flatMap((each) => Object(each).operationId ?? []),
        )
        assert.equal(new Set(ids).size, ids.length, 'the ids of operations are unique')
        types.forEach((type, index) => {
          const get = Object(description.paths[`/path${index}`]).get
          const content = find(description, get, 'responses', '200', 'content')
          const schema = Object(content)['application/vnd.api+json'].schema
          const data = find(description, schema, 'properties', 'data', 'items', 'properties')
          assert.deepEqual(Object(data).type, { const: type })
          const filterNames = listFilterNames(description, get)
          for (const own of [`text${index}`, `term${index}`])
            assert.ok(filterNames.includes(own), `${type}: ${own} of ${filterNames}`)
          const error = find(description, get, 'responses', '4XX', 'content')
          const { errors } = Object(
            find(description, Object(error)['application/vnd.api+json'].schema, 'properties'),
          )
          assert.equal(Object(errors).type, 'array', 'errors are described as errors')
        })
        JSON.stringify(description, (_, value) => {
          if (typeof Object(value).$ref === 'string') resolve(description, value)
          return value
        })
      }),
      { seed, numRuns: 60 },
    )
  })

  it('given a kind with the name of a schema of filters, both have a name', () => {
    const description = describeApi(createModel(['filter'], ['filter']))
    const { schemas } = description.components
    assert.equal(Object(schemas['filter.term']).allOf, undefined, 'the comparisons of the kind')
    assert.ok(schemas['filter-2.term'], 'the filter of the type')
    assert.ok(schemas['filter-2'], 'the resource object of the type')
  })
})
