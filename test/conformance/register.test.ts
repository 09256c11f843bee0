import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, it } from 'node:test'
import { areas, rules, unspecified, withoutTest } from './register.ts'

/** Finds the ids in the calls `rule('ID', …)` and `rule(['ID', …], …)` of a source. */
function findIds(source: string): string[] {
  const calls = source.matchAll(/^\s*rule\(\s*(\[[^\]]*\]|'[^']*')/gm)
  return [...calls].flatMap(([, ids = '']) => ids.match(/(?<=')[^',]+(?=')/g) ?? [])
}

/** The ids of all rules that a test claims to prove. */
function provenIds(): Set<string> {
  const files = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith('.test.ts') && name !== basename(import.meta.filename),
  )
  const sources = files.map((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8'))
  return new Set(sources.flatMap(findIds))
}

describe('The register of conformance rules', () => {
  it('finds one or several ids in a test, on one or several lines', () => {
    const source = `
  rule('NEG-1', 'answers …', async () => {})
  rule(
    ['REL-3', 'REL-4'],
    'relationships …',`
    assert.deepEqual(findIds(source), ['NEG-1', 'REL-3', 'REL-4'])
  })

  it('has a test, or a reason for its absence, for every rule', () => {
    const proven = provenIds()
    const unproven = Object.keys(rules).filter((id) => !proven.has(id) && !(id in withoutTest))
    assert.deepEqual(unproven, [])
  })

  it('gives reasons only for existing rules without a test', () => {
    const proven = provenIds()
    const invalid = Object.entries(withoutTest).filter(
      ([id, reason]) => proven.has(id) || !(id in rules) || reason.trim() === '',
    )
    assert.deepEqual(invalid, [])
  })

  it('has a test for every case that the specification does not define', () => {
    const proven = provenIds()
    const unproven = Object.keys(unspecified).filter((id) => !proven.has(id))
    assert.deepEqual(unproven, [])
  })

  it('contains every id that a test claims to prove', () => {
    const unknown = [...provenIds()].filter((id) => !(id in rules) && !(id in unspecified))
    assert.deepEqual(unknown, [])
  })

  it('has 164 rules: 114 MUST, 12 SHOULD, 36 MAY and 2 notes', () => {
    const sum = (count: 'rules' | 'must' | 'should' | 'may' | 'note') =>
      Object.values(areas).reduce((total, area) => total + area[count], 0)
    assert.equal(Object.keys(rules).length, 164)
    assert.deepEqual(
      [sum('rules'), sum('must'), sum('should'), sum('may'), sum('note')],
      [164, 114, 12, 36, 2],
    )
  })

  it('has 20 cases that the specification does not define', () => {
    const ids = Array.from({ length: 20 }, (_, index) => `D-${index + 1}`)
    assert.deepEqual(Object.keys(unspecified), ids)
  })

  for (const [prefix, area] of Object.entries(areas)) {
    it(`has ${area.rules} rules for ${prefix}, ${area.title}, numbered without a gap`, () => {
      const ids = Object.keys(rules).filter((id) => id.startsWith(`${prefix}-`))
      const countLevels = (...levels: string[]) =>
        ids.filter((id) => levels.includes(rules[id]?.[0] ?? '')).length
      assert.deepEqual(
        ids,
        Array.from({ length: area.rules }, (_, index) => `${prefix}-${index + 1}`),
      )
      assert.deepEqual(
        {
          must: countLevels('MUST', 'MUST NOT'),
          should: countLevels('SHOULD', 'SHOULD NOT', 'RECOMMENDED'),
          may: countLevels('MAY'),
          note: countLevels('note'),
        },
        { must: area.must, should: area.should, may: area.may, note: area.note },
      )
    })
  }
})
