import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, json, resource, text, toMany, toOne } from 'lapidary'
import { quoted } from '../../src/errors/errors.ts'
import { NestingError, parseJson } from '../../src/parse/json.ts'
import { engine } from './engine.ts'
import { jsonApi } from './things.ts'

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

/** The most levels of arrays and objects, the outermost counted. */
const deepest = 256

const nested = (levels: number, open: string, inner: string, close: string) =>
  open.repeat(levels) + inner + close.repeat(levels)

/** Nestings of every sort, by how many levels of JSON each repetition has. */
const nestings = [
  [1, '[', ']'],
  [1, '{"a":', '}'],
  [2, '[{"a":', '}]'],
] as const

engine(
  'Values nested too deep',
  {
    model,
    tables: ({ newId, json }) =>
      `create table thing (id ${newId}, name text, options ${json}, whole_id bigint references thing (id));
       create index on_whole on thing (whole_id)`,
  },
  (world) => {
    const bodies: Readonly<Record<string, (value: string) => string>> = {
      'an attribute of the kind json': (value) =>
        `{"data":{"type":"thing","attributes":{"options":${value}}}}`,
      'an attribute of another kind': (value) =>
        `{"data":{"type":"thing","attributes":{"name":${value}}}}`,
      'an unknown attribute': (value) => `{"data":{"type":"thing","attributes":{"x":${value}}}}`,
      'an id': (value) => `{"data":{"type":"thing","id":${value}}}`,
      'the id of an identifier': (value) =>
        `{"data":{"type":"thing","relationships":{"parts":{"data":[{"type":"thing","id":${value}}]}}}}`,
      'a member that is ignored': (value) => `{"data":{"type":"thing","meta":${value}}}`,
    }
    for (const [place, body] of Object.entries(bodies)) {
      it(`are refused as ${place}, however deep`, async () => {
        for (const [levels, open, close] of nestings)
          for (const times of [deepest, 3000, 60_000].map((each) => Math.ceil(each / levels))) {
            const raw = body(nested(times, open, '1', close))
            const answer = await world.call('POST', '/things', jsonApi(raw))
            assert.equal(answer.status, 400, answer.text)
            assert.equal(answer.fault.code, 'invalid_json')
            assert.match(answer.fault.detail, /nested more than 256 levels/)
          }
      })

      it(`are read as ${place} down to the limit, and never a failure of the server`, async () => {
        for (const [levels, open, close] of nestings) {
          for (const [spare, isTooDeep] of [
            [0, false],
            [1, true],
          ] as const) {
            const outer = /^[^1]*/.exec(body('1'))?.[0].replace(/[^[{]/g, '').length ?? 0
            const times = Math.floor((deepest - outer) / levels) + spare
            const raw = body(nested(times, open, '1', close))
            const answer = await world.call('POST', '/things', jsonApi(raw))
            assert.ok(answer.status < 500, answer.text)
            assert.equal(answer.body.errors?.[0]?.code === 'invalid_json', isTooDeep, answer.text)
          }
        }
      })
    }

    it('are refused where an update and a relationship write have them', async () => {
      const deep = nested(100_000, '[', '', ']')
      for (const [path, raw] of [
        ['/things/1', `{"data":{"type":"thing","id":"1","attributes":{"options":${deep}}}}`],
        ['/things/1/relationships/parts', `{"data":${deep}}`],
      ] as const) {
        const answer = await world.call('PATCH', path, jsonApi(raw))
        assert.equal(answer.status, 400, answer.text)
        assert.equal(answer.fault.code, 'invalid_json')
      }
    })

    const filters: Readonly<Record<string, (levels: number) => string>> = {
      'a value': (levels) => `[{"name":"name","op":"eq","val":${nested(levels, '[', '', ']')}}]`,
      'a list': (levels) => `[{"name":"name","op":"in_","val":${nested(levels, '[', '', ']')}}]`,
      'and, one inside the other': (levels) =>
        `[${nested(levels, '{"and":[', '{"name":"id","op":"eq","val":1}', ']}')}]`,
      'not, one inside the other': (levels) =>
        `[${nested(levels, '{"not":', '{"name":"id","op":"eq","val":1}', '}')}]`,
      'any, one inside the other': (levels) =>
        `[${nested(levels, '{"name":"parts","op":"any","val":', 'null', '}')}]`,
      'lists instead of filter objects': (levels) => nested(levels, '[', '', ']'),
      'an unknown member': (levels) => `[{"x":${nested(levels, '[', '', ']')}}]`,
    }
    for (const [what, filter] of Object.entries(filters)) {
      it(`are refused in a filter as ${what}`, async () => {
        for (const levels of [150, 253, 254, 255, 256, 257, 900, 3000, 14_000]) {
          const text = filter(levels)
          if (text.length > 32_000) continue
          const answer = await world.call('GET', '/things', { query: `filter=${text}` })
          assert.equal(answer.status, 400, answer.text)
          assert.equal(answer.fault.code, 'invalid_filter')
          if (levels > deepest)
            assert.equal(answer.fault.detail, 'filter: is nested more than 256 levels deep.')
        }
      })
    }
  },
)

describe('Reading JSON', () => {
  it('counts the levels of what nests, not brackets in strings or beside each other', () => {
    const inString = JSON.stringify(['['.repeat(3000), '\\"[{"\\'.repeat(500), '"'.repeat(300)])
    const beside = `[${'[],{},'.repeat(3000)}[]]`
    for (const text of [inString, beside]) assert.deepEqual(parseJson(text), JSON.parse(text))
    const deep = nested(deepest, '[', '', ']')
    assert.deepEqual(parseJson(deep), JSON.parse(deep))
    assert.throws(() => parseJson(`[${deep}]`), NestingError)
    assert.throws(() => parseJson(nested(100_000, '{"[":[', '', ']}')), NestingError)
  })

  it('leaves what is no JSON to the parser', () => {
    for (const text of [`"${'['.repeat(1000)}`, `"${'\\'.repeat(1001)}`, `${']'.repeat(1000)}[`])
      assert.throws(() => parseJson(text), SyntaxError)
  })
})

describe('A value in a detail', () => {
  it('is shown as JSON, and shortened where it is long', () => {
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
      assert.equal(quoted(value), expected)
  })

  it('costs no more than what is shown of it', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    assert.equal(quoted(deep), `${'['.repeat(77)}…`)
    let visited = 0
    const wide = new Proxy(Array(1_000_000).fill(1), {
      get: (target, key, receiver) => {
        visited += 1
        return Reflect.get(target, key, receiver)
      },
    })
    assert.equal(quoted(wide), `[${'1,'.repeat(38)}…`)
    assert.ok(visited < 1000, `${visited} elements were visited`)
  })
})
