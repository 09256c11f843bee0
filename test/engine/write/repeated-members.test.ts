import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { toErrorList } from '../../../src/errors/collector.ts'
import { BodyError } from '../../../src/errors/errors.ts'
import { parseJsonBody } from '../../../src/parse/body.ts'
import { scale, seed } from '../../property/seed.ts'
import { office } from '../batch/office.ts'
import { batchType, describeBatches, summarize } from '../batch/send-batch.ts'

/** A JSON value whose objects may have a name more than once. */
type Tree =
  | Readonly<{ is: 'scalar'; text: string }>
  | Readonly<{ is: 'array'; elements: readonly Tree[] }>
  | Readonly<{ is: 'object'; members: readonly (readonly [Spelled, Tree])[] }>

/** A name, and the characters of it that the text escapes. */
interface Spelled {
  readonly name: string
  readonly escaped: readonly boolean[]
}

// V8 reads an escaped name as one with a backslash that it has met at this place before (nodejs/node#63785).
const names = [
  ...['ma', 'mb', 'm:b', 'm"', 'mé', 'm😀', '__proto__', 'toJSON', '10', 'm{', 'm,'],
  ...['\\', '\\\\', 'm\\', 'é', '\n', 'm\\u00e9'],
]
const texts = ['x', ':', '":1,"a"', '\\', '\\"', '{"a":1,"a":2}', '\n', '1815-12-10T00:00:00Z']
const space = fc.constantFrom('', '', ' ', '\n\t')

const scalar: fc.Arbitrary<Tree> = fc
  .oneof(
    fc.constantFrom('null', 'true', '-1.5e3', '12345678901234567890', '"\\u003a\\/"'),
    fc.constantFrom(...texts).map((text) => JSON.stringify(text)),
  )
  .map((text) => ({ is: 'scalar', text }))

const spelled = fc.record({
  name: fc.constantFrom(...names),
  escaped: fc.array(fc.boolean(), { maxLength: 3 }),
})

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }).map((elements): Tree => ({ is: 'array', elements })),
    fc
      .array(fc.tuple(spelled, tie('tree')), { maxLength: 5 })
      .map((members): Tree => ({ is: 'object', members })),
  ),
}))

function write(value: Tree, gap: string): string {
  switch (value.is) {
    case 'scalar':
      return value.text
    case 'array':
      return `[${gap}${value.elements.map((each) => write(each, gap)).join(`${gap},`)}]`
    case 'object': {
      const members = value.members.map(
        ([name, each]) => `${spell(name)}${gap}:${write(each, gap)}`,
      )
      return `{${gap}${members.join(`,${gap}`)}${gap}}`
    }
  }
}

function spell({ name, escaped }: Spelled): string {
  const units = Array.from({ length: name.length }, (_, index) => {
    const code = name.charCodeAt(index).toString(16).padStart(4, '0')
    return escaped[index % escaped.length] ? `\\u${code}` : JSON.stringify(name[index]).slice(1, -1)
  })
  return `"${units.join('')}"`
}

/** The pointers to the members that are repeated in their object. */
function listRepeated(value: Tree, pointer = ''): readonly string[] {
  if (value.is === 'scalar') return []
  if (value.is === 'array')
    return value.elements.flatMap((each, index) => listRepeated(each, `${pointer}/${index}`))
  const seen = new Set<string>()
  return value.members.flatMap(([{ name }, each]) => {
    const here = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const isRepeated = seen.has(name)
    seen.add(name)
    return [...(isRepeated ? [here] : []), ...listRepeated(each, here)]
  })
}

function parse(text: string): readonly string[] {
  try {
    parseJsonBody(Buffer.from(text))
    return []
  } catch (error) {
    return (toErrorList(error)?.errors ?? []).map((each): string => {
      assert.ok(each instanceof BodyError && each.code === 'invalid_document', String(each))
      return each.pointer
    })
  }
}

describe('A body whose objects have members', () => {
  it('is refused with the pointer of each that is repeated, however its name is written', () => {
    let refused = 0
    fc.assert(
      fc.property(tree, space, (value, gap) => {
        const expected = [...new Set(listRepeated(value))]
        assert.deepEqual(parse(write(value, gap)), expected)
        if (expected.length > 0) refused += 1
      }),
      { numRuns: 2000 * scale, seed },
    )
    assert.ok(refused > 100, `${refused} of the bodies were refused`)
  })

  it('is refused with at most 100 pointers, also where two of very many are equal', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => `"${index}":{"a":":"}`)
    assert.deepEqual(parse(`{${many.join()}}`), [])
    assert.deepEqual(parse(`{${many.join()},"7":0}`), ['/7'])
    assert.equal(parse(`{${[...many, ...many].join()}}`).length, 100)
  })
})

/** The value of a text without repeated members. */
function readTree(value: Tree): unknown {
  if (value.is === 'scalar')
    return /^\d{16}/.test(value.text) ? BigInt(value.text) : JSON.parse(value.text)
  if (value.is === 'array') return value.elements.map(readTree)
  return Object.fromEntries(value.members.map(([{ name }, each]) => [name, readTree(each)]))
}

describe('A body whose names are written with escapes', () => {
  it('has the names that it was sent with, whatever was parsed before', () => {
    let parsed = 0
    fc.assert(
      fc.property(tree, space, (value, gap) => {
        if (listRepeated(value).length > 0) return
        const text = write(value, gap)
        assert.deepEqual(parseJsonBody(Buffer.from(text)), readTree(value))
        if (text.includes('\\')) parsed += 1
      }),
      { numRuns: 2000 * scale, seed },
    )
    assert.ok(parsed > 100, `${parsed} of the bodies had escapes`)
  })

  for (const [text, reason] of [
    ['{"a\\x":1}', /escape/i],
    ['{"\\u00e9":1,}', /position 12/],
    ['{"\\u00e9":', /end of JSON/],
    ['{"\\u00e9', /Unterminated/],
  ] as const)
    it(`is refused as the text that was sent, if it is not JSON: ${text}`, () => {
      assert.throws(
        () => parseJsonBody(Buffer.from(text)),
        (error) => error instanceof BodyError && reason.test(error.message),
      )
    })
})

describeBatches('A member that is repeated in its object', office, ({ send, rows }) => {
  const twice = '"name":"Eve","n\\u0061me":"Ida"'
  const refused = ({ status, errors }: Awaited<ReturnType<typeof send>>) => [
    status,
    summarize({ errors } as never),
  ]
  for (const [method, path, body, at, type] of [
    [
      'POST',
      '/persons',
      `{"data":{"type":"person","attributes":{${twice}}}}`,
      '/data/attributes/name',
    ],
    [
      'PATCH',
      '/persons/1',
      `{"data":{"type":"person","id":"1","attributes":{${twice}}}}`,
      '/data/attributes/name',
    ],
    [
      'PATCH',
      '/persons/1',
      '{"data":{"type":"person","id":"1"},"data":{"type":"person","id":"1"}}',
      '/data',
    ],
    [
      'PATCH',
      '/computers/1/relationships/owner',
      '{"data":{"type":"person","id":"1","id":"2"}}',
      '/data/id',
    ],
    [
      'POST',
      '/persons/1/relationships/groups',
      '{"data":[{"type":"team","type":"team","id":"1"}]}',
      '/data/0/type',
    ],
    [
      'PATCH',
      '/persons/1/relationships/groups',
      '{"data":[],"data":[{"type":"team","id":"1"}]}',
      '/data',
    ],
    [
      'DELETE',
      '/persons/1/relationships/groups',
      '{"data":[{"type":"team","id":"1","id":"2"}]}',
      '/data/0/id',
    ],
    ['POST', '/persons/1/actions/rename', '{"meta":{"to":"Eve","to":"Ida"}}', '/meta/to'],
    [
      'POST',
      '/operations',
      `{"atomic:operations":[{"op":"add","data":{"type":"team"}},{"op":"add","data":{"type":"person","attributes":{${twice}}}}]}`,
      '/atomic:operations/1/data/attributes/name',
      batchType,
    ],
    [
      'POST',
      '/operations',
      '{"atomic:operations":[{"op":"remove","op":"update","ref":{"type":"person","id":"1"}}]}',
      '/atomic:operations/0/op',
      batchType,
    ],
  ] as const)
    it(`of a ${method} to ${path} is refused at ${at}, and nothing is written`, async () => {
      const before = await rows('select name from person union all select name from team')
      const response = await send(method, path, body, type && { 'content-type': type })
      assert.deepEqual(refused(response), [400, [`400 invalid_document ${at}`]])
      assert.match(String(response.errors[0]?.detail), / is sent more than once in its object; /)
      assert.deepEqual(
        await rows('select name from person union all select name from team'),
        before,
      )
    })
})
