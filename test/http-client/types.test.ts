import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'

it('The types of the client are checked by a hundred positive and fifty negative cases', () => {
  // `npm run types` verifies each of them.
  const cases = readFileSync(new URL('types.ts', import.meta.url), 'utf8')
  const count = (pattern: RegExp) => cases.match(pattern)?.length ?? 0
  const positive = count(/\bexpectTypeOf\b/g) - 1
  const negative = count(/@ts-expect-error/g)
  assert.ok(positive >= 100, `${positive} positive cases`)
  assert.ok(negative >= 50, `${negative} negative cases`)
})
