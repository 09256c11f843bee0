import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import {
  action,
  array,
  attribute,
  computed,
  date,
  defineModel,
  email,
  enumeration,
  integer,
  type Model,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import { describeApi, type OpenApiDocument } from 'lapidary/openapi'
import { resources } from '../../service/resources/index.ts'
import { buildRouteTable } from '../../src/endpoints/route-table.ts'
import { errorCodes } from '../../src/errors/codes.ts'
import { kinds } from '../../src/model/kinds/kinds.ts'
import { isSortable, listOperators, operators } from '../../src/model/kinds/operators.ts'
import { parametricKinds } from '../../src/model/kinds/parametric-kinds.ts'
import { createPlanner } from '../../src/plan/planner.ts'
import { seed } from '../property/seed.ts'
import { createLargeModel, listModels, unusualNames } from './models.ts'

const models = await listModels()

const shop = defineModel([
  resource('person', {
    path: '/persons',
    table: 'person',
    description: 'Somebody.',
    fields: {
      name: attribute(text, { required: true, description: 'As it is spoken.' }),
      nick: attribute(text, { required: true, default: 'none' }),
      email: attribute(email, { access: 'write-only' }),
      born: attribute(date, { access: 'immutable' }),
      age: attribute(integer, { access: 'read-only' }),
      state: attribute(enumeration(['new', 'old'])),
      label: computed(text, { name: text }, ({ name }) => name, { description: 'For lists.' }),
      boss: toOne('person', { column: 'boss_id', description: 'To whom to report.' }),
      staff: toMany('person', { column: 'boss_id', access: 'read-only' }),
    },
  }),
])

/** Returns the operations of a description, with their paths and methods. */
function listOperations({ paths }: OpenApiDocument): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((name) => name !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
}

function getSchema(description: OpenApiDocument, name: string): unknown {
  const schema = description.components.schemas[name]
  assert.ok(schema, `there is a schema ${name}`)
  return schema
}

// One instance: each compiles the meta-schema. Schemas validate a few values, so optimized code would not pay.
const options = { strict: false, allErrors: true, ownProperties: true, code: { optimize: false } }
const ajv = new Ajv2020(options)
addFormats.default(ajv)

/**
 * Returns a function that compiles the schemas of a description, until it is called with another description. Its errors have the
 * seed, with which the random models can be made again.
 */
function compilerOf(description: OpenApiDocument): (name: string) => ValidateFunction {
  ajv.removeSchema('api')
  ajv.addSchema(description, 'api')
  return (name) => {
    try {
      return ajv.compile({ $ref: `api#/components/schemas/${name}` })
    } catch (error) {
      throw new Error(`seed ${seed}, ${name}`, { cause: error })
    }
  }
}

/** A validator of a schema of a description. */
function validatorOf(description: OpenApiDocument, name: string): ValidateFunction {
  return compilerOf(description)(name)
}

describe('The description of an API', () => {
  for (const [name, model] of Object.entries(models)) {
    it(`has every path and method of the routes: ${name}`, () => {
      const routes = buildRouteTable(createPlanner(model)).flatMap(({ path, methods }) =>
        Object.keys(methods).map((method) => `${method} ${path.replace(':id', '{id}')}`),
      )
      const described = listOperations(describeApi(model)).map(decodeURIComponent)
      assert.deepEqual(described.sort(), routes.sort())
    })

    it(`has valid examples, and no reference that leads nowhere: ${name}`, () => {
      const description = describeApi(model, { prefix: '/api' })
      const compile = compilerOf(description)
      for (const [schemaName, schema] of Object.entries(description.components.schemas)) {
        const validate = compile(schemaName)
        for (const example of Array.isArray(schema.examples) ? schema.examples : []) {
          const errors = () => `seed ${seed}, ${schemaName}: ${JSON.stringify(validate.errors)}`
          assert.ok(validate(example), errors())
        }
      }
    })
  }

  it('has no method that only read-only types reject', () => {
    const readOnly = defineModel([
      resource('log', { path: '/logs', table: 'log', access: 'read-only', fields: {} }),
    ])
    assert.deepEqual(listOperations(describeApi(readOnly)), [
      'GET /',
      'GET /logs',
      'GET /logs/{id}',
    ])
  })

  it('has in OpenAPI 3.2 the method QUERY with its body, and not in 3.1', () => {
    const described = describeApi(shop, { openapi: '3.2' })
    assert.deepEqual([described.openapi, describeApi(shop).openapi], ['3.2.0', '3.1.0'])
    const added = listOperations(described).filter(
      (operation) => !listOperations(describeApi(shop)).includes(operation),
    )
    assert.deepEqual(added, [
      'QUERY /persons',
      'QUERY /persons/{id}/staff',
      'QUERY /persons/{id}/relationships/staff',
    ])
    ajv.removeSchema('api')
    ajv.addSchema(described, 'api')
    const pointer = 'requestBodies/person.query/content/application~1json/schema'
    const validate = ajv.compile({ $ref: `api#/components/${pointer}` })
    const accepted = [
      {},
      { filter: [{ name: 'age', op: 'gt', val: 5 }], sort: ['-name'], include: ['boss.staff'] },
      { page: { size: 2, after: 'x', total: 'none' }, fields: { person: ['name'] } },
      { withVersions: true, include: [] },
    ]
    for (const body of accepted) assert.ok(validate(body), JSON.stringify(validate.errors))
    const rejected = [
      { filters: [] },
      { filter: {} },
      { sort: 'name' },
      { sort: ['quux'] },
      { page: { limit: 5 } },
      { fields: { person: 'name' } },
    ]
    for (const body of rejected) assert.ok(!validate(body), JSON.stringify(body))
  })

  for (const maxPageSize of [null, 50])
    it(`describes the pages that each type takes, with at most ${maxPageSize ?? 'any number of'} resources`, () => {
      const declare = <const Type extends string>(type: Type, by: 'cursor' | 'number') =>
        resource(type, {
          path: `/${type}`,
          table: type,
          pages: { by },
          fields: { name: attribute(text) },
        })
      const model = defineModel([declare('a', 'cursor'), declare('b', 'number')], { maxPageSize })
      const { paths, components } = describeApi(model, { openapi: '3.2' })
      const pageOf = (path: string) => {
        const { parameters } = Object(paths[path]).get
        const name = parameters
          .map((each: { $ref?: string }) => each.$ref?.replace('#/components/parameters/', ''))
          .find((each?: string) => Object(components.parameters)[each ?? '']?.name === 'page')
        return Object(components.parameters)[name].schema.properties
      }
      const bodyOf = (name: string) =>
        Object(components.requestBodies)[name].content['application/json'].schema.properties.page
          .properties
      for (const { number, size } of [pageOf('/a'), bodyOf('a.query')])
        assert.deepEqual([number, size.minimum], [undefined, 1])
      for (const { number, size } of [pageOf('/b'), bodyOf('b.query')])
        assert.deepEqual([number.default, size.minimum], [1, maxPageSize === null ? 0 : 1])
      assert.doesNotMatch(JSON.stringify(pageOf('/a')), /0 for all/)
      const byCursor = describeApi(defineModel([declare('a', 'cursor')]))
      assert.deepEqual('page' in Object(byCursor.components.parameters), false)
    })

  it('says what responses contain: no write-only attribute, null where a value may be absent', () => {
    const description = describeApi(shop)
    const validate = validatorOf(description, 'person')
    const resource = (attributes: object) => ({
      ...{ type: 'person', id: '1', attributes },
      links: { self: '/persons/1' },
    })
    const accepted = [
      {},
      { name: 'Ada', born: null, age: null, state: null, label: null },
      { name: '', born: '1815-12-10', age: 36, state: 'old', label: 'Ada' },
    ]
    const rejected = [
      { name: null },
      { email: 'a@b.cc' },
      { born: '1815' },
      { state: 'odd' },
      { x: 1 },
    ]
    for (const attributes of accepted)
      assert.ok(validate(resource(attributes)), JSON.stringify(validate.errors))
    for (const attributes of rejected)
      assert.ok(!validate(resource(attributes)), JSON.stringify(attributes))
  })

  it('says what a create takes: required attributes without a default, no unknown ones', () => {
    const validate = validatorOf(describeApi(shop), 'person.new')
    const accepts = (attributes: object | undefined) => validate({ type: 'person', attributes })
    assert.ok(accepts({ name: 'Ada', email: null, age: 'ignored', label: 5 }))
    for (const attributes of [{}, { name: null }, { name: 'Ada', nam: 'A' }, { name: 1 }])
      assert.ok(!accepts(attributes), JSON.stringify(attributes))
    assert.ok(!validate({ type: 'person' }))
    assert.ok(!validate({ type: 'persons', attributes: { name: 'Ada' } }))
    assert.ok(validatorOf(describeApi(shop), 'person.update')({ type: 'person', id: '1' }))
  })

  it('says that the response to a create has the path of the resource', () => {
    const { paths, components } = describeApi(shop)
    const creates = Object.entries(paths).filter(([path, { post }]) => {
      return post !== undefined && !/relationships|actions/.test(path)
    })
    assert.ok(creates.length > 0)
    for (const [, { post }] of creates) {
      const name = String(Object(post).responses[201].$ref).split('/').at(-1) ?? ''
      assert.equal(
        Object(components.responses[name]).headers.Location.$ref,
        '#/components/headers/Location',
      )
    }
  })

  it('has the descriptions of types and fields', () => {
    const description = describeApi(shop)
    assert.deepEqual(description.tags, [{ name: 'person', description: 'Somebody.' }])
    const texts = JSON.stringify(description)
    for (const sentence of ['As it is spoken.', 'For lists.', 'To whom to report.'])
      assert.ok(texts.includes(sentence), sentence)
  })

  it('has the options of the API', () => {
    const options = { title: 'Shop', version: '2.1', description: 'All of it.', prefix: '/api' }
    const { info, servers } = describeApi(shop, { ...options, publicUrl: 'https://example.org' })
    assert.deepEqual(info, { title: 'Shop', version: '2.1', description: 'All of it.' })
    assert.deepEqual(servers, [{ url: 'https://example.org/api' }])
    assert.deepEqual(describeApi(shop).servers, [{ url: '/' }])
  })

  it('names every error code with its status', () => {
    const atomic = { actions: false, maxOperations: 100, idMismatch: 'conflict' } as const
    const { responses } = describeApi(
      { ...shop, atomic },
      { security: { schemes: {}, isOptional: false } },
    ).components
    for (const [code, { status }] of Object.entries(errorCodes)) {
      const isOwn = ['invalid_operation', 'too_many_operations', 'unknown_lid', 'repeated_lid']
      const ofClient = isOwn.includes(code) ? 'operationError' : 'writeError'
      const { description } = Object(responses[status < 500 ? ofClient : 'serverError'])
      assert.ok(String(description).includes(`- ${status} \`${code}\``), code)
    }
    assert.ok(!JSON.stringify(responses.readError).includes('invalid_json'))
    assert.ok(JSON.stringify(responses.readError).includes('- 401'))
  })

  it('has the version of JSON:API, and the header fields of several writes', () => {
    const atomic = { actions: false, maxOperations: 100, idMismatch: 'conflict' } as const
    const { components, paths } = describeApi({ ...shop, jsonapi: '1.1', atomic })
    const { version } = Object(components.schemas['jsonapi.object']).properties
    assert.deepEqual(version, { const: '1.1' })
    const { parameters, responses } = Object(paths['/operations']).post
    // Without a result that has data, `return=minimal` is applied.
    assert.deepEqual(Object.keys(responses), ['200', '204', '4XX', '5XX'])
    assert.deepEqual(
      parameters.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1)),
      ['idempotencyKey', 'prefer'],
    )
    assert.ok('prefer' in components.parameters)
  })

  it('has the header fields that a type demands, and conditions only where one may hold', () => {
    const run = async () => {}
    const guarded = resource('order', {
      ...{ path: '/orders', table: 'purchase', conditions: 'required', idempotency: 'required' },
      id: { kind: uuid, client: 'optional' },
      fields: { status: attribute(text), lines: toMany('line', { column: 'order_id' }) },
      actions: {
        import: action({ on: 'collection', idempotency: 'optional', dryRun: true, run }),
        close: action({ on: 'resource', run }),
      },
    })
    const line = resource('line', { path: '/lines', table: 'line', fields: {} })
    const { paths, components } = describeApi(
      defineModel([guarded, line], { principal: () => 'all' }),
    )
    const parameters = Object(components.parameters)
    const headersOf = (path: string, method: string) =>
      [Object(paths[path])[method], Object(paths[path])]
        .flatMap(({ parameters: listed = [] }) => listed)
        .map(({ $ref }: { $ref: string }) => parameters[$ref.split('/').at(-1) ?? ''])
        .filter((each: { in: string }) => each.in === 'header')
        .map(({ name, required }: { name: string; required?: boolean }) =>
          required ? `${name}!` : name,
        )
        .toSorted()
        .join(' ')
    const [ifMatch, key] = ['If-Match!', 'Idempotency-Key!']
    const linked = '/orders/{id}/relationships/lines'
    const conditions = `${ifMatch} If-None-Match`
    const expected = [
      ['/orders', 'post', `${key} If-None-Match Prefer`],
      ['/orders/{id}', 'patch', `${key} ${conditions} Prefer`],
      ['/orders/{id}', 'delete', `${key} ${conditions} Prefer`],
      ['/orders/{id}/lines', 'post', 'Idempotency-Key Prefer'],
      [linked, 'patch', `${key} ${conditions} Prefer`],
      [linked, 'post', `${key} If-Match If-None-Match Prefer`],
      [linked, 'delete', `${key} ${conditions} Prefer`],
      ['/orders/actions/import', 'post', 'Idempotency-Key Prefer'],
      ['/orders/{id}/actions/close', 'post', `${key} If-Match If-None-Match Prefer`],
      ['/lines', 'post', 'Idempotency-Key Prefer'],
      ['/lines/{id}', 'patch', 'Idempotency-Key If-Match If-None-Match Prefer'],
      ['/lines/{id}', 'get', 'If-None-Match Prefer'],
    ] as const
    for (const [path, method, fields] of expected)
      assert.equal(headersOf(path, method), fields, `${method} ${path}`)
  })

  it('has the header fields of responses, each described once', () => {
    const { paths, components } = describeApi(shop)
    assert.deepEqual(Object.keys(components.headers), [
      ...['ETag', 'Accept-Query', 'Location', 'Idempotency-Replayed'],
      ...['Preference-Applied', 'Retry-After'],
    ])
    const headersOf = (path: string, method: string, status: string) => {
      const { $ref } = Object(paths[path])[method].responses[status]
      const { headers = {} } = Object(components.responses)[$ref.split('/').at(-1)]
      for (const [name, { $ref }] of Object.entries<{ $ref?: string }>(headers))
        assert.equal($ref, `#/components/headers/${name}`)
      return Object.keys(headers).join(' ')
    }
    const written = 'Idempotency-Replayed Preference-Applied'
    assert.equal(
      headersOf('/persons', 'get', '200'),
      'ETag Preference-Applied Accept-Query Location Idempotency-Replayed',
    )
    assert.equal(headersOf('/persons', 'post', '201'), `Location ETag ${written}`)
    assert.equal(headersOf('/persons', 'post', '4XX'), 'Retry-After Location')
    assert.equal(
      headersOf('/persons/{id}', 'patch', '200'),
      'ETag Preference-Applied Idempotency-Replayed',
    )
    assert.equal(headersOf('/persons/{id}', 'patch', '204'), `Location ETag ${written}`)
    assert.equal(headersOf('/persons/{id}', 'delete', '200'), written)
    assert.equal(
      headersOf('/persons/{id}', 'get', '304'),
      'ETag Preference-Applied Accept-Query Location',
    )
    assert.equal(headersOf('/persons/{id}', 'get', '5XX'), 'Retry-After')
  })

  it('gives each type names of its own, whatever characters the type has', () => {
    const { components, paths } = describeApi(unusualNames)
    const { schemas } = components
    assert.ok('gr__e' in schemas && 'gr__e-2' in schemas)
    const all = Object.values(components).flatMap((each) => Object.keys(each))
    for (const name of all) assert.match(name, /^[A-Za-z0-9._-]+$/)
    assert.ok(Object.keys(paths).includes(`/gr~o_-ss3/{id}/${encodeURIComponent('größen')}`))
  })

  it('of 100 types has less than 2.6 MB', () => {
    const model = createLargeModel(100)
    const { length } = JSON.stringify(describeApi(model))
    assert.ok(length < 2_600_000, `${length} bytes`)
  })
})

describe('The description of filters', () => {
  /** Each kind with the values of its filters. */
  const allKinds = {
    ...kinds,
    integer64: parametricKinds.integer64(),
    decimal: parametricKinds.decimal({ precision: 5, scale: 2 }),
    enumeration: parametricKinds.enumeration(['a', 'b']),
    'array of text': array(text),
  }

  for (const [name, kind] of Object.entries(allKinds)) {
    it(`has the operators of the kind ${name}, and no others`, () => {
      const fields = { value: attribute<unknown>(kind) }
      const model: Model = defineModel([resource('thing', { path: '/t', table: 't', fields })])
      const validate = validatorOf(describeApi(model), 'thing.term')
      const operands: Readonly<Record<string, unknown>> = {
        ...{ in_: [null], notin_: [null], between: [null, null] },
      }
      const found = Object.keys(operators).filter((op) =>
        validate({ name: 'value', op, val: operands[op] ?? null }),
      )
      assert.deepEqual(found.sort(), listOperators(kind))
      const byField = found.filter((op) => !(op in operands))
      for (const op of byField)
        assert.equal(validate({ name: 'value', op, field: 'id' }), isSortable(kind), op)
    })
  }

  it('has the grammar: groups, nested filters, paths, relationships without any', () => {
    const validate = validatorOf(describeApi(defineModel(resources)), 'person.filter')
    const serial = { name: 'serial', op: 'eq', val: 'x' }
    const accepted = [
      [],
      [
        {
          or: [
            { not: { name: 'name', op: 'ilike', val: 'a' } },
            { and: [{ name: 'id', op: 'gt', val: 5 }] },
          ],
        },
      ],
      [{ name: 'computers', op: 'any', val: serial }],
      [{ name: 'computers', op: 'any', val: [serial, { name: 'owner', op: 'has' }] }],
      [{ name: 'computers', op: 'is_', val: null }],
      [{ name: 'computers__serial', op: 'in_', val: ['x'] }],
      [{ name: 'name', op: 'lt', field: 'gender' }],
    ]
    const rejected = [
      {},
      [{}],
      [{ or: [] }],
      [{ name: 'display_name', op: 'eq', val: 'x' }],
      [{ name: 'computers', op: 'any', val: { name: 'name', op: 'eq', val: 'x' } }],
      [{ name: 'computers', op: 'has', val: null }],
      [{ name: 'computers', op: 'eq', val: 'x' }],
      [{ name: 'name', op: 'between', val: ['a'] }],
      [{ name: 'birth_date', op: 'like', val: 'x' }],
      [{ name: 'nobody__name', op: 'eq', val: 'x' }],
    ]
    for (const filter of accepted) assert.ok(validate(filter), JSON.stringify(filter))
    for (const filter of rejected) assert.ok(!validate(filter), JSON.stringify(filter))
  })

  it('lists only attributes that clients may filter by', () => {
    const description = describeApi(defineModel(resources))
    const { get } = Object(description.paths['/persons'])
    const names = get.parameters.flatMap(
      ({ name = '' }) => /^filter\[(.*)\]$/.exec(name)?.[1] ?? [],
    )
    assert.deepEqual(names, ['id', 'name', 'email', 'birth_date', 'gender'])
    assert.ok(getSchema(description, 'person.term'))
  })
})
