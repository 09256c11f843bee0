import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { savedResults, withTables } from '../../bench/document.ts'

describe('docs/performance.md', () => {
  it('tells what was measured, as it was saved', () => {
    const path = new URL('../../docs/performance.md', import.meta.url)
    const text = readFileSync(path, 'utf8')
    assert.equal(withTables(text, savedResults()), text)
    assert.ok(/\| list \| \d/.test(text))
  })
})
