import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { listTests } from '../import-tests.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** The files that a command runs: those that its quoted patterns match. */
function filesOf(command: string): string[] {
  const patterns = [...command.matchAll(/"([^"]+)"/g)].map(([, pattern = '']) => pattern)
  return globSync(patterns, { cwd: root })
}

const setup = fileURLToPath(new URL('../start-postgres.ts', import.meta.url))

describe('A run of the tests', () => {
  const cases = [
    { name: 'ends well when all have passed', body: '', code: 0 },
    { name: 'fails when one has failed', body: "throw new Error('as meant')", code: 1 },
  ]
  for (const { name, body, code } of cases) {
    it(name, async (test) => {
      const folder = await mkdtemp(join(tmpdir(), 'lapidary-'))
      test.after(() => rm(folder, { recursive: true }))
      const file = join(folder, 'one.test.js')
      await writeFile(file, `require('node:test')('one', () => { ${body} })`)
      // Within a run of tests, another would report to it.
      const { NODE_TEST_CONTEXT: _outer, ...env } = process.env
      const run = spawn(process.execPath, ['--test', `--test-global-setup=${setup}`, file], {
        env,
        stdio: 'ignore',
      })
      assert.deepEqual(await once(run, 'exit'), [code, null])
    })
  }
})

describe('npm test', () => {
  it('runs every test file once, in a batch or in a process of its own', () => {
    const files = filesOf(String(scripts.test)).flatMap((file) =>
      dirname(file) === 'test/batches' ? listTests(file).map((each) => `test/${each}`) : [file],
    )
    const all = globSync('test/**/*.test.ts', { cwd: root })
    const missing = new Set(all).difference(new Set(files))
    assert.deepEqual([...missing], [], 'a folder of tests needs a file in test/batches/')
    assert.equal(files.length, all.length)
  })
})

describe('npm run test:long', () => {
  it('runs every file of test/long/', () => {
    const files = filesOf(String(scripts['test:long']))
    assert.ok(files.length > 0)
    assert.deepEqual(files.sort(), globSync('test/long/*.ts', { cwd: root }).sort())
  })
})
