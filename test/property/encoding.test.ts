import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseQuery } from '../../src/parse/query.ts'
import { scale, seed } from './seed.ts'

/** The parts of random queries, valid and invalid: characters, bytes of characters, and percent signs without digits. */
const bits = [
  ...['a', '+', '=', '%', '%2', '%zz', '%25', '%20', '%00', '%7f', '%5B', '%2B', '%26'],
  ...['%C3%A4', '%c3%a4', '%C3', '%A4', '%E2%82%AC', '%E2%82', '%F0%9F%98%80', '%EF%BB%BF'],
  ...[
    '%C0%80',
    '%ED%A0%80',
    '%F4%90%80%80',
    '%FF',
    '\u00e9',
    '\u00c3\u00a4',
    '\u00c3',
    '%EF%BF%BD',
  ],
]

/** Decodes a value of a query byte by byte. `undefined` if the bytes are not UTF-8. */
function meantBy(sent: string): string | undefined {
  const bytes: number[] = []
  for (let at = 0; at < sent.length; at += 1) {
    const hex = /^%([0-9a-f]{2})/i.exec(sent.slice(at, at + 3))?.[1]
    if (hex !== undefined) at += 2
    bytes.push(hex === undefined ? sent.charCodeAt(at) : Number.parseInt(hex, 16))
  }
  const complete = Buffer.from(bytes)
  return isUtf8(complete) ? complete.toString() : undefined
}

describe('A query string', () => {
  it('is decoded to the bytes that it encodes, and rejected if they are not UTF-8', () => {
    const texts = fc.array(fc.constantFrom(...bits), { maxLength: 6 }).map((some) => some.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        const { pairs, errors } = parseQuery(`filter[name]=${text}`)
        const meant = meantBy(text.replaceAll('+', ' '))
        if (meant === undefined)
          assert.deepEqual(
            errors.errors.map(({ code }) => code),
            ['invalid_encoding'],
          )
        else assert.deepEqual(pairs, [['filter[name]', meant]])
      }),
      { numRuns: 1000 * scale, seed },
    )
  })
})
