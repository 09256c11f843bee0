import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { insertTables } from '../../bench/performance-tables.ts'
import { readSavedResults } from '../../bench/saved-results.ts'

describe('bench/RESULTS.md', () => {
  it('shows the results that are saved in bench/results', () => {
    const path = new URL('../../bench/RESULTS.md', import.meta.url)
    const text = readFileSync(path, 'utf8')
    assert.equal(insertTables(text, readSavedResults()), text)
    assert.ok(/\| list \| \d/.test(text))
  })
})
