import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, json, resource, text, toMany, toOne } from 'lapidary'
import { quote } from '../../../src/errors/quote.ts'
import { NestingError, parseJson } from '../../../src/parse/json.ts'
import { engine } from '../engine.ts'
import { jsonApi } from '../things.ts'

const model = defineModel([
  resource('thing', {
    path: '/things',
    table: 'thing',
    fields: {
      name: attribute(text),
      options: attribute(json),
      parts: toMany('thing', { column: 'whole_id' }),
      whole: toOne('thing', { column: 'whole_id' }),
    },
  }),
])

/** The maximum nesting depth of arrays and objects, the outermost one counted. */
const maxDepth = 256

const nested = (levels: number, open: string, inner: string, close: string) =>
  open.repeat(levels) + inner + close.repeat(levels)

/** Nested structures: the levels of each repetition, and the opening and closing text. */
const nestings = [
  [1, '[', ']'],
  [1, '{"a":', '}'],
  [2, '[{"a":', '}]'],
] as const

engine(
  'Deeply nested values',
  {
    isLongOnOthers: true,
    model,
    tables: ({ newId, json }) =>
      `create table thing (id ${newId}, name text, options ${json}, whole_id bigint references thing (id));
       create index on_whole on thing (whole_id)`,
  },
  (app) => {
    const bodies: Readonly<Record<string, (value: string) => string>> = {
      'an attribute of the kind json': (value) =>
        `{"data":{"type":"thing","attributes":{"options":${value}}}}`,
      'an attribute of another kind': (value) =>
        `{"data":{"type":"thing","attributes":{"name":${value}}}}`,
      'an unknown attribute': (value) => `{"data":{"type":"thing","attributes":{"x":${value}}}}`,
      'an id': (value) => `{"data":{"type":"thing","id":${value}}}`,
      'the id of an identifier': (value) =>
        `{"data":{"type":"thing","relationships":{"parts":{"data":[{"type":"thing","id":${value}}]}}}}`,
      'an ignored member': (value) => `{"data":{"type":"thing","meta":${value}}}`,
    }

    it('given an integer of more than 2,000 digits, when sent, then it is not parsed', async () => {
      const send = (digits: number) =>
        app.call('POST', '/things', jsonApi(bodies['an id']?.('9'.repeat(digits)) ?? ''))
      assert.notEqual((await send(2000)).body.errors?.[0]?.code, 'invalid_json')
      for (const digits of [2001, 1_000_000]) {
        const { status, error } = await send(digits)
        assert.deepEqual([status, error.code], [400, 'invalid_json'])
        assert.match(error.detail, new RegExp(`an integer has ${digits} digits`))
      }
      const filter = `[{"name":"name","op":"eq","val":-${'9'.repeat(2001)}}]`
      const { status, error } = await app.get('/things', { filter })
      assert.deepEqual([status, error.code], [400, 'invalid_filter'])
    })

    for (const [position, body] of Object.entries(bodies)) {
      for (const [levels, open, close] of nestings)
        it(`given ${position} nested too deep by ${open}, when sent, then the body is invalid`, async () => {
          for (const times of [maxDepth, 3000, 60_000].map((each) => Math.ceil(each / levels))) {
            const raw = body(nested(times, open, '1', close))
            const response = await app.call('POST', '/things', jsonApi(raw))
            assert.equal(response.status, 400, response.text)
            assert.equal(response.error.code, 'invalid_json')
            assert.match(response.error.detail, /nested more than 256 levels/)
          }
        })

      for (const [levels, open, close] of nestings)
        for (const [extra, isTooDeep] of [
          [0, false],
          [1, true],
        ] as const)
          it(`given ${position} nested ${isTooDeep ? 'beyond' : 'to'} the limit by ${open}, when sent, then the parser decides and the server does not fail`, async () => {
            const outer = /^[^1]*/.exec(body('1'))?.[0].replace(/[^[{]/g, '').length ?? 0
            const times = Math.floor((maxDepth - outer) / levels) + extra
            const raw = body(nested(times, open, '1', close))
            const response = await app.call('POST', '/things', jsonApi(raw))
            assert.ok(response.status < 500, response.text)
            assert.equal(
              response.body.errors?.[0]?.code === 'invalid_json',
              isTooDeep,
              response.text,
            )
          })
    }

    const deep = nested(100_000, '[', '', ']')

    for (const [path, raw] of [
      ['/things/1', `{"data":{"type":"thing","id":"1","attributes":{"options":${deep}}}}`],
      ['/things/1/relationships/parts', `{"data":${deep}}`],
    ] as const)
      it(`given a value nested too deep, when a PATCH of ${path} contains it, then the body is invalid`, async () => {
        const response = await app.call('PATCH', path, jsonApi(raw))
        assert.equal(response.status, 400, response.text)
        assert.equal(response.error.code, 'invalid_json')
      })

    const filters: Readonly<Record<string, (levels: number) => string>> = {
      'a value': (levels) => `[{"name":"name","op":"eq","val":${nested(levels, '[', '', ']')}}]`,
      'a list': (levels) => `[{"name":"name","op":"in_","val":${nested(levels, '[', '', ']')}}]`,
      'nested and': (levels) =>
        `[${nested(levels, '{"and":[', '{"name":"id","op":"eq","val":1}', ']}')}]`,
      'nested not': (levels) =>
        `[${nested(levels, '{"not":', '{"name":"id","op":"eq","val":1}', '}')}]`,
      'nested any': (levels) =>
        `[${nested(levels, '{"name":"parts","op":"any","val":', 'null', '}')}]`,
      'lists instead of filter objects': (levels) => nested(levels, '[', '', ']'),
      'an unknown member': (levels) => `[{"x":${nested(levels, '[', '', ']')}}]`,
    }
    for (const [position, filter] of Object.entries(filters)) {
      const all = [150, 253, 254, 255, 256, 257, 900, 3000, 14_000]
      for (const levels of all.filter((each) => filter(each).length <= 32_000))
        it(`given ${position} nested ${levels} levels deep in a filter, when sent, then the filter is invalid`, async () => {
          const response = await app.call('GET', '/things', { query: `filter=${filter(levels)}` })
          assert.equal(response.status, 400, response.text)
          assert.equal(response.error.code, 'invalid_filter')
          if (levels > maxDepth)
            assert.equal(response.error.detail, 'filter: is nested more than 256 levels deep.')
        })
    }
  },
)

describe('parseJson', () => {
  it('given brackets in strings or beside each other, when parsed, then only nested ones count', () => {
    const inString = JSON.stringify(['['.repeat(3000), '\\"[{"\\'.repeat(500), '"'.repeat(300)])
    const siblings = `[${'[],{},'.repeat(3000)}[]]`
    for (const text of [inString, siblings]) assert.deepEqual(parseJson(text), JSON.parse(text))
    const deep = nested(maxDepth, '[', '', ']')
    assert.deepEqual(parseJson(deep), JSON.parse(deep))
    assert.throws(() => parseJson(`[${deep}]`), NestingError)
    assert.throws(() => parseJson(nested(100_000, '{"[":[', '', ']}')), NestingError)
  })

  it('given a text that is not JSON, when parsed, then the error is a syntax error', () => {
    for (const text of [`"${'['.repeat(1000)}`, `"${'\\'.repeat(1001)}`, `${']'.repeat(1000)}[`])
      assert.throws(() => parseJson(text), SyntaxError)
  })
})

describe('quote', () => {
  for (const [value, expected] of [
    ['Ada', '"Ada"'],
    ['x'.repeat(78), `"${'x'.repeat(78)}"`],
    ['x'.repeat(79), `"${'x'.repeat(76)}…"`],
    [
      { a: [1, 'b', null, true, 12345678901234567890n] },
      '{"a":[1,"b",null,true,"12345678901234567890"]}',
    ],
    [12345678901234567890n, '12345678901234567890'],
    [undefined, 'nothing'],
    [{}, '{}'],
    [Array(40).fill(1), `[${'1,'.repeat(38)}…`],
  ] as const)
    it(`given a value, when quoted, then the result is JSON, truncated if it is long: ${expected}`, () => {
      assert.equal(quote(value), expected)
    })

  it('given a huge value, when quoted, then only the part that fits is visited', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    assert.equal(quote(deep), `${'['.repeat(77)}…`)
    let visited = 0
    const wide = new Proxy(Array(1_000_000).fill(1), {
      get: (target, key, receiver) => {
        visited += 1
        return Reflect.get(target, key, receiver)
      },
    })
    assert.equal(quote(wide), `[${'1,'.repeat(38)}…`)
    assert.ok(visited < 1000, `${visited} elements were visited`)
  })
})
