import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createSchemaCompiler } from '../../cli/doctor/exchange/json-schema.ts'

const $defs = {
  text: { type: 'string' },
  list: { type: 'object', properties: { next: { $ref: '#/$defs/list' } }, required: ['next'] },
  named: { type: 'object', required: ['name'], properties: { name: { $ref: '#/$defs/text' } } },
}
const resolve = (reference: string) => Reflect.get($defs, reference.slice('#/$defs/'.length))
const compile = createSchemaCompiler(resolve, true)

/** Values of every type, which every schema is tried on. */
const values: readonly unknown[] = [
  ...[null, true, false, 0, 1, 2, 1.5, -1, '', 'a', 'ab', 'abc', '𝒳𝒳', 'A1'],
  ...[[], [1], [1, 2], ['a', 'a'], ['a', null], [[1]], [{ a: 1 }]],
  ...[{}, { a: 1 }, { a: 'a' }, { b: 1 }, { a: 1, b: 1 }, { a: { a: 1 } }, { name: 'a' }],
  ...[{ name: 1 }, { name: 'a', a: 1 }, { name: 'a', b: 1 }, { next: null }, { next: {} }],
  ...[{ next: { next: 1 } }, JSON.parse('{"__proto__":1}'), { isPrototypeOf: 1 }],
]

const schemas: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  'a type': { type: 'integer' },
  types: { type: ['string', 'null', 'array'] },
  'object and boolean': { type: ['object', 'boolean'] },
  number: { type: 'number' },
  enum: { enum: ['a', 1, null, [1, 2]] },
  const: { const: { a: 1 } },
  minimum: { minimum: 1 },
  maximum: { maximum: 1 },
  pattern: { pattern: '^[a-z]{2}$' },
  minLength: { minLength: 2 },
  maxLength: { maxLength: 2 },
  minItems: { minItems: 2 },
  maxItems: { maxItems: 1 },
  minProperties: { minProperties: 1 },
  maxProperties: { maxProperties: 1 },
  items: { items: { type: 'string' } },
  required: { required: ['a'] },
  'a required member with the name of an inherited one': { required: ['isPrototypeOf'] },
  properties: { properties: { a: { type: 'integer' }, b: false } },
  'a property with the name of an inherited one': {
    properties: { isPrototypeOf: { type: 'string' } },
  },
  'additionalProperties: false': { properties: { a: {} }, additionalProperties: false },
  'additionalProperties of a type': { additionalProperties: { type: 'integer' } },
  allOf: { allOf: [{ required: ['a'] }, { properties: { a: { type: 'string' } } }] },
  anyOf: { anyOf: [{ type: 'string' }, { required: ['a'] }] },
  not: { not: { type: 'object' } },
  'a reference': { $ref: '#/$defs/named' },
  'a schema that contains itself': { $ref: '#/$defs/list' },
  unevaluatedProperties: {
    allOf: [{ $ref: '#/$defs/named' }],
    properties: { a: {} },
    unevaluatedProperties: false,
  },
  annotations: { title: 'a', description: 'b', examples: [1], format: 'email' },
}

describe('The JSON Schemas of descriptions', () => {
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    allErrors: true,
    validateFormats: false,
  })
  for (const [name, schema] of Object.entries(schemas)) {
    it(`are validated as Ajv does: ${name}`, () => {
      const expected = ajv.compile(
        typeof schema === 'boolean' ? schema : { ...Object(schema), $defs },
      )
      const validate = compile(schema)
      for (const value of values) {
        const found = validate(value, '')
        assert.equal(found.length === 0, expected(value), `${JSON.stringify(value)}: ${found}`)
      }
    })
  }

  it('have only keywords that are validated', () => {
    assert.throws(() => compile({ contains: {} }), /the keyword contains is not implemented/)
  })
})
