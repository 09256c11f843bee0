import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

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
