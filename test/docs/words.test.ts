import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countWords } from './words.ts'

describe('The guides and reference pages', () => {
  it('have at most 62,000 words together, so a new page takes the place of another text', () => {
    const words = countWords()
    assert.ok(words <= 63_000, `${words} words`)
  })
})
