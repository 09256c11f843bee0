import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseExactJson } from '../../../src/model/kinds/json.ts'

/** The least CPU time of several runs, in milliseconds. */
function measure(run: () => unknown): number {
  const times = [1, 2, 3, 4, 5].map(() => {
    const start = process.cpuUsage()
    run()
    return process.cpuUsage(start).user / 1000
  })
  return Math.min(...times)
}

/** What JSON.parse reads otherwise than it was sent. */
const inexact = ['12345678901234567890', '{"\\u00e9":1}', '{"\\\\":-12345678901234567890}']

describe('JSON with long integers and escaped names', () => {
  // biome-ignore format: a table
  const texts: readonly (readonly [text: string, value: unknown])[] = [
    ['[9007199254740991,9007199254740993,-9007199254740993]', [9007199254740991, 9007199254740993n, -9007199254740993n]],
    ['[1.12345678901234567890,12345678901234567890.0,12345678901234567890e1]', [1.1234567890123457, Number('12345678901234567890'), Number('123456789012345678900')]],
    ['[1e-1234567890123456789,1E+0000000000000000001,-0]', [0, 10, -0]],
    ['["12345678901234567890","\\"12345678901234567890"]', ['12345678901234567890', '"12345678901234567890']],
    [' 12345678901234567890 ', 12345678901234567890n],
    ['{"\\u0061" :12345678901234567890,"\\\\":{"\\\\":"\\\\"}}', { a: 12345678901234567890n, '\\': { '\\': '\\' } }],
    ['{"12345678901234567890":"\\u0061","\\u0031":[{}]}', { 1: [{}], '12345678901234567890': 'a' }],
    ['{"__proto__":12345678901234567890,"\\u0061":{"__proto__":1}}', Object.fromEntries([['__proto__', 12345678901234567890n], ['a', Object.fromEntries([['__proto__', 1]])]])],
  ]
  for (const [text, value] of texts)
    it(`given ${text}, has every digit and every name`, () => {
      assert.deepEqual(parseExactJson(text), value)
    })

  for (const text of [
    '"',
    '["\\n',
    '[12345678901234567890',
    '{"\\u0061":1,}',
    '\\',
    '01234567890123456',
  ])
    it(`given ${text}, has the error of the text that was sent`, () => {
      const errorOf = (parse: (text: string) => unknown): string => {
        try {
          return assert.fail(`${parse(text)}`)
        } catch (error) {
          return String(error)
        }
      }
      assert.equal(errorOf(parseExactJson), errorOf(JSON.parse))
    })

  for (const last of inexact) {
    it(`given ${last} in 3,000 arrays, is read like any other`, () => {
      const nested = (value: string) => `${'['.repeat(3000)}${value}${']'.repeat(3000)}`
      assert.ok(Array.isArray(parseExactJson(nested(last))))
    })

    it(`given ${last} behind 1 MiB of values, takes less than 30 times as long as without it`, () => {
      const values = '1,'.repeat(500_000)
      const time = measure(() => parseExactJson(`[${values}${last}]`))
      const shortest = measure(() => parseExactJson(`[${values}1]`))
      assert.ok(time < 30 * shortest + 20, `${time} ms, and ${shortest} ms`)
    })
  }
})
