import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as fc from 'fast-check'
import {
  createFindText,
  overlapsItself,
  toGlobPattern,
} from '../../../src/sqlite/connection/patterns.ts'
import { seed } from '../../property/seed.ts'

const few = fc.constantFrom('a', 'b')
const texts = fc.string({ unit: few, maxLength: 60 })
const parts = fc
  .tuple(fc.string({ unit: few, minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 6 }), few)
  .map(([part, times, end]) => part.repeat(times) + end)

it('given a text that overlaps with itself, when it is searched, then the position is that of indexOf', () => {
  fc.assert(
    fc.property(texts, parts, fc.nat(20), (text, part, position) => {
      const find = createFindText(part)
      assert.equal(find(text, position), text.indexOf(part, position))
      const around = text + part + text
      assert.equal(find(around, position), around.indexOf(part, position))
    }),
    { numRuns: 500, seed },
  )
})

it('given patterns, then SQLite evaluates only those that it searches in about linear time', () => {
  const isNative = (text: string) => typeof toGlobPattern({ is: 'like', text }) === 'string'
  for (const text of [
    'Ada',
    '%love%',
    '%a very long name of a person%',
    '%aaaaaaaa%',
    `%${'-'.repeat(9)}%`,
  ])
    assert.equal(isNative(text), true, text)
  for (const text of [`%${'a'.repeat(900)}b%`, `x%${'ab'.repeat(10)}%y`])
    assert.equal(isNative(text), false, text)
  assert.equal(overlapsItself(''), false)
})
