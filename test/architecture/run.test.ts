import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
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

/** Runs a file of tests in a process of its own. Returns its exit code. */
async function runFile(test: TestContext, name: string, text: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'lapidary-'))
  test.after(() => rm(folder, { recursive: true }))
  const file = join(folder, name)
  await writeFile(file, text)
  // Within a run of tests, another would report to it.
  const { NODE_TEST_CONTEXT: _outer, ...env } = process.env
  const run = spawn(process.execPath, ['--test', `--test-global-setup=${setup}`, file], {
    env,
    stdio: 'ignore',
  })
  const [code] = await once(run, 'exit')
  return code
}

describe('A run of the tests', () => {
  const cases = [
    { name: 'ends well when all have passed', body: '', code: 0 },
    { name: 'fails when one has failed', body: "throw new Error('as meant')", code: 1 },
  ]
  for (const { name, body, code } of cases) {
    it(name, async (test) => {
      const text = `require('node:test')('one', () => { ${body} })`
      assert.equal(await runFile(test, 'one.test.js', text), code)
    })
  }

  const uncaught = [
    { name: 'a rejected promise', body: "void Promise.reject(new Error('as meant'))" },
    {
      name: 'a callback',
      body: "await new Promise((done) => setTimeout(() => { done(); throw new Error('as meant') }))",
    },
  ]
  for (const { name, body } of uncaught) {
    it(`of a batch fails when ${name} has an error that nothing catches`, async (test) => {
      const batches = new URL('../import-tests.ts', import.meta.url)
      const text = `import { importRunner } from '${batches}'
        await importRunner()
        const { it } = await import('node:test')
        it('one', async () => { ${body} })`
      assert.equal(await runFile(test, 'one.test.mjs', text), 1)
    })
  }
})

/** The folders of tests whose packages have a manifest of their own. */
const folders = globSync('test/*/package.json', { cwd: root }).map(dirname)

describe('npm test', () => {
  it('runs every test file once, in a batch or in a process of its own', () => {
    const files = filesOf(String(scripts.test)).flatMap((file) =>
      dirname(file) === 'test/batches' ? listTests(file).map((each) => `test/${each}`) : [file],
    )
    const all = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules'] }).filter(
      (file) => !folders.includes(dirname(file)),
    )
    const missing = new Set(all).difference(new Set(files))
    assert.deepEqual([...missing], [], 'a folder of tests needs a file in test/batches/')
    assert.equal(files.length, all.length)
  })
})

describe('npm run test:tagged', () => {
  it('runs the tests of the same files that npm test leaves out', () => {
    const filter = '--experimental-test-tag-filter='
    assert.equal(
      String(scripts.test).replace(`${filter}!long`, `${filter}long`),
      String(scripts['test:tagged']),
    )
    assert.notEqual(scripts.test, scripts['test:tagged'])
  })
})

describe('npm run test:long', () => {
  it('runs every file of test/long/', () => {
    const files = filesOf(String(scripts['test:long']))
    assert.ok(files.length > 0)
    assert.deepEqual(files.sort(), globSync('test/long/*.ts', { cwd: root }).sort())
  })

  it('also runs the tests that npm test leaves out, with the packages that they need', () => {
    assert.match(String(scripts['test:long']), /^npm run test:install && npm run test:tagged && /)
    for (const folder of folders)
      if (globSync(`${folder}/*.test.ts`, { cwd: root }).length > 0)
        assert.ok(existsSync(join(root, `test/long/${basename(folder)}.long.ts`)), folder)
  })
})
