import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  array,
  attribute,
  defineKind,
  defineModel,
  idQuery,
  integer,
  json,
  type Kind,
  type Model,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { describeApi, type OpenApiDocument } from 'lapidary/openapi'

const options = {
  read: (json: unknown) => ({ value: json }),
  stores: text,
  load: (stored: string): unknown => JSON.parse(stored),
  bind: (value: unknown) => JSON.stringify(value),
} as const

/** A kind whose schema allows several types, so it has no `type` of its own. */
const size = defineKind({
  ...options,
  name: 'größe',
  schema: { oneOf: [{ const: 'S' }, { type: 'object', required: ['width'] }] },
  operators: 'ordered',
})

/** A kind whose filters take other values than documents have. */
const area = defineKind({
  ...options,
  name: 'größe',
  schema: { type: 'object', not: { required: ['radius'] } },
  readFilter: (json) => ({ value: json }),
  operators: 'array',
})

const model = defineModel([
  resource('film', {
    path: '/films',
    table: 'film',
    fields: {
      size: attribute(size),
      area: attribute(area),
      tags: attribute(array(text)),
      meta: attribute(json, { paths: { 'address.city': text, stars: integer } }),
      secret: attribute(json, { access: 'write-only', paths: { key: text } }),
      parent: toOne('film', { column: 'parent_id' }),
      parts: toMany('film', { column: 'parent_id', count: true }),
    },
    queries: {
      search: idQuery({ words: text }, ({ words }) => sql`select ${words}`),
      sized: idQuery(
        { size, times: integer, tags: array(text) },
        ({ size }) => sql`select ${size}`,
      ),
      any: idQuery({}, () => sql`select 1`),
      tagged: idQuery({ tags: array(text) }, ({ tags }) => sql`select ${tags}`),
    },
  }),
])
const description = describeApi(model)

/** Compiles a schema that refers to the components of a description. */
function compile(described: OpenApiDocument, schema: unknown) {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, code: { optimize: false } })
  ajv.addSchema(described, 'api')
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')))
}

/** Asserts which values a component accepts. */
function assertAccepts(
  schema: unknown,
  { accepted, rejected }: Readonly<Record<'accepted' | 'rejected', readonly unknown[]>>,
): void {
  const validate = compile(description, schema)
  for (const value of accepted) assert.ok(validate(value), JSON.stringify(value))
  for (const value of rejected) assert.ok(!validate(value), JSON.stringify(value))
}

const term = { $ref: '#/components/schemas/film.term' }

/** Returns the `filter[name]` parameters of the list of films, by name. */
function listShortFilters(): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const { get } = Object(description.paths['/films'])
  const parameters: readonly Readonly<Record<string, unknown>>[] = get.parameters
  return new Map(
    parameters.flatMap((parameter) => {
      const [, name] = /^filter\[(.*)\]$/.exec(String(parameter.name)) ?? []
      return name === undefined ? [] : [[name, parameter] as const]
    }),
  )
}

describe('The description of queries as filters', () => {
  const call = (name: string, val?: unknown, op = 'call') => ({ name, op, val })
  const sized = { size: { width: 1 }, times: 1, tags: ['a'] }

  it('has a value for each parameter, which may be null', () => {
    assertAccepts(term, {
      accepted: [
        call('search', { words: 'ace' }),
        call('search', { words: null }),
        { not: call('any', {}) },
        call('sized', sized),
        call('sized', { size: null, times: null, tags: null }),
        { name: 'parent', op: 'has', val: call('any', {}) },
        call('parent__search', { words: 'ace' }),
      ],
      rejected: [
        call('search'),
        call('search', 'ace'),
        call('search', {}),
        call('search', { words: 5 }),
        call('search', { words: 'ace', word: 'ace' }),
        call('search', { words: 'ace' }, 'eq'),
        call('any', { words: 'ace' }),
        call('sized', { ...sized, times: '1' }),
        call('sized', { ...sized, size: 5 }),
        call('serch', { words: 'ace' }),
      ],
    })
  })

  it('lists the short form of those with one parameter', () => {
    const listed = listShortFilters()
    const { schema, description: sentence } = listed.get('search') ?? {}
    assert.deepEqual(schema, { type: 'string' })
    assert.equal(sentence, 'The parameter `words` of the query.')
    assert.deepEqual(listed.get('tagged')?.schema, { type: 'string' })
    assert.ok(!listed.has('sized') && !listed.has('any'))
  })

  it('is mentioned by the filters of types that have queries, and only there', () => {
    const sentenceOf = (described: OpenApiDocument) =>
      String(Reflect.get(described.components.parameters['film.filter'] ?? {}, 'description'))
    const plain = defineModel([resource('film', { path: '/films', table: 'film', fields: {} })])
    assert.match(sentenceOf(description), /`call`/)
    assert.doesNotMatch(sentenceOf(describeApi(plain)), /`call`/)
  })
})

describe('The description of kinds that a program defines', () => {
  it('has the values of their schema in filters, or any if filters read others', () => {
    assertAccepts(term, {
      accepted: [
        { name: 'size', op: 'gt', val: 'S' },
        { name: 'size', op: 'in_', val: ['S', { width: 1 }, null] },
        { name: 'size', op: 'eq', field: 'id' },
        { name: 'area', op: 'contains', val: '10.1.2.3' },
        { name: 'area', op: 'eq', val: null },
        { name: 'tags', op: 'contains', val: ['a'] },
      ],
      rejected: [
        { name: 'size', op: 'gt', val: 'M' },
        { name: 'size', op: 'like', val: 'S' },
        { name: 'area', op: 'gt', val: {} },
        { name: 'area', op: 'eq', field: 'id' },
        { name: 'tags', op: 'contains', val: 'a' },
        { name: 'tags', op: 'eq', field: 'tags' },
      ],
    })
    for (const name of ['size', 'area', 'tags'])
      assert.deepEqual(listShortFilters().get(name)?.schema, { type: 'string' }, name)
  })

  for (const level of ['textual', 'opaque'] as const)
    it(`has the values of their schema in filters of ${level} kinds`, () => {
      const kind: Kind<unknown> = defineKind({
        ...options,
        name: 'flag',
        schema: { enum: [1, 'one'] },
        operators: level,
      })
      const fields = { it: attribute(kind) }
      const flags: Model = defineModel([resource('flag', { path: '/f', table: 'f', fields })])
      const validate = compile(describeApi(flags), { $ref: '#/components/schemas/flag.term' })
      const compare = (val: unknown, op = 'eq') => validate({ name: 'it', op, val })
      assert.ok(compare(1) && compare('one') && compare(null))
      assert.ok(!compare(2))
      assert.equal(compare('o%', 'like'), level === 'textual')
    })

  it('has null in responses and bodies, whatever the schema is', () => {
    const film = (attributes: object) => ({ type: 'film', id: '1', attributes })
    const { properties } = Object(description.components.schemas.film)
    assertAccepts(properties.attributes, {
      accepted: [{ size: null, area: null }, { size: 'S', area: {} }, { size: { width: 1 } }],
      rejected: [{ size: 'M' }, { area: { radius: 1 } }],
    })
    assertAccepts(
      { $ref: '#/components/schemas/film.update' },
      {
        accepted: [film({ size: null, area: null }), film({ size: 'S', area: {} })],
        rejected: [film({ size: 'M' }), film({ area: { radius: 1 } })],
      },
    )
  })

  it('has valid names of components', () => {
    const names = Object.keys(description.components.schemas)
    for (const name of names) assert.match(name, /^[A-Za-z0-9._-]+$/)
    assert.ok(names.includes('filter.gr__e') && names.includes('filter.gr__e-2'))
  })
})

describe('The description of sorts', () => {
  it('lists the declared paths into JSON and the counts, and no others', () => {
    const { schema } = Object(description.components.parameters['film.sort'])
    assertAccepts(schema, {
      accepted: [
        ['meta.address.city', '-meta.stars'],
        ['-parts.count', 'size', 'id'],
        ['parent.meta.stars', '-parent.parts.count'],
      ],
      rejected: [
        ['meta'],
        ['meta.address'],
        ['meta.address.zip'],
        ['secret.key'],
        ['parts.size'],
        ['tags'],
        ['area'],
      ],
    })
  })
})
