import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { absolutePath, readPage } from './pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
const skip = process.platform === 'win32' && 'Windows has no sh'

/** Runs the hook on a message, as Git does: with the path of a file. */
function runHook(message: string) {
  const file = join(folder, 'COMMIT_EDITMSG')
  writeFileSync(file, message)
  const { status, stderr } = spawnSync('sh', [absolutePath('.githooks/commit-msg'), file], {
    encoding: 'utf8',
  })
  return { status, stderr }
}

const accepted = [
  'Add group commit to SQLite writes',
  'Pass the settings of bounded reads to SQLite\n\nReads had no deadline before.\n',
  'Bring both counts down by a third',
  'Speed up the first request',
  `Add ${'ü'.repeat(68)}`,
  '# A comment of the editor\n\nFix the prefix of links',
  "Merge branch 'main' into pg",
  'Revert "Added this by mistake."',
  'fixup! Add group commit to SQLite writes',
]

const rejected = [
  [`Add ${'x'.repeat(69)}`, /73 characters; 72 are allowed/],
  ['add group commit', /capital letter/],
  ['"Add" is quoted', /capital letter/],
  ['Add group commit.', /ends with a period/],
  ['Added group commit', /"Added" is not an imperative/],
  ['Adding group commit', /"Adding" is not an imperative/],
  ['Adds group commit', /"Adds" is not an imperative/],
] as const

describe('the commit-msg hook', { skip }, () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const message of accepted) {
    it(`accepts ${JSON.stringify(message)}`, () => {
      assert.deepEqual(runHook(message), { status: 0, stderr: '' })
    })
  }

  for (const [message, problem] of rejected) {
    it(`rejects ${JSON.stringify(message)}`, () => {
      const { status, stderr } = runHook(message)
      assert.equal(status, 1)
      assert.match(stderr, problem)
    })
  }

  it('reports all problems of a subject together', () => {
    const { stderr } = runHook('added this.')
    assert.equal(stderr.match(/^ {2}- /gm)?.length, 3, stderr)
  })

  it('is enabled by the command in CONTRIBUTING.md', () => {
    assert.ok(readPage('CONTRIBUTING.md').includes('git config core.hooksPath .githooks'))
  })
})
