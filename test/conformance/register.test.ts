import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, it } from 'node:test'
import { areas, rules, unspecified, withoutTest } from './register.ts'

/** The ids that a test's source claims to prove: those of its `rule('ID', …)` and `rule(['ID', …], …)`. */
function claimedIn(source: string): string[] {
  const calls = source.matchAll(/^\s*rule\(\s*(\[[^\]]*\]|'[^']*')/gm)
  return [...calls].flatMap(([, claim = '']) => [...claim.matchAll(/'([^']*)'/g)].map(idOf))
}

function idOf([, id = '']: RegExpMatchArray): string {
  return id
}

function claimed(): Set<string> {
  const files = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith('.test.ts') && name !== basename(import.meta.filename),
  )
  const sources = files.map((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8'))
  return new Set(sources.flatMap(claimedIn))
}

function idsOf(area: string): string[] {
  return Object.keys(rules).filter((id) => id.startsWith(`${area}-`))
}

describe('the register of conformance rules', () => {
  it('finds the ids of a test, one or several, on one line or many', () => {
    const source = `
  rule('NEG-1', 'answers …', async () => {})
  rule(
    ['REL-3', 'REL-4'],
    'relationships …',`
    assert.deepEqual(claimedIn(source), ['NEG-1', 'REL-3', 'REL-4'])
  })

  it('holds a test or a reason for every rule', () => {
    const answered = claimed()
    const open = Object.keys(rules).filter((id) => !answered.has(id) && !(id in withoutTest))
    assert.deepEqual(open, [])
  })

  it('excuses no rule that has a test, nor one that does not exist, nor any without a reason', () => {
    const answered = claimed()
    const wrong = Object.entries(withoutTest).filter(
      ([id, reason]) => answered.has(id) || !(id in rules) || reason.trim() === '',
    )
    assert.deepEqual(wrong, [])
  })

  it('holds a test for each of the derived checks', () => {
    const answered = claimed()
    assert.deepEqual(
      unspecified.filter((id) => !answered.has(id)),
      [],
    )
  })

  it('knows every id that a test claims', () => {
    const unknown = [...claimed()].filter((id) => !(id in rules) && !unspecified.includes(id))
    assert.deepEqual(unknown, [])
  })

  it('counts 164 rules: 114 of MUST, 12 of SHOULD, 36 of MAY and 2 notes', () => {
    const sum = (count: 'rules' | 'must' | 'should' | 'may' | 'note') =>
      Object.values(areas).reduce((total, area) => total + area[count], 0)
    assert.equal(Object.keys(rules).length, 164)
    assert.deepEqual(
      [sum('rules'), sum('must'), sum('should'), sum('may'), sum('note')],
      [164, 114, 12, 36, 2],
    )
  })

  for (const [area, count] of Object.entries(areas)) {
    it(`counts ${count.rules} rules on ${area}, ${count.title}, numbered without a gap`, () => {
      const ids = idsOf(area)
      const strength = (...levels: string[]) =>
        ids.filter((id) => levels.includes(rules[id] ?? '')).length
      assert.deepEqual(
        ids,
        Array.from({ length: count.rules }, (_, at) => `${area}-${at + 1}`),
      )
      assert.deepEqual(
        {
          must: strength('MUST', 'MUST NOT'),
          should: strength('SHOULD', 'SHOULD NOT', 'RECOMMENDED'),
          may: strength('MAY'),
          note: strength('note'),
        },
        { must: count.must, should: count.should, may: count.may, note: count.note },
      )
    })
  }
})
