import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { databases } from '../databases.ts'
import { absolutePath } from '../docs/pages.ts'
import { filled, isPostgres } from '../filled.ts'
import { long, longOnOthers } from '../long-tests.ts'
import { folder } from '../service/child.ts'

/** Starts the example as a child process in a folder of its own. */
async function start(test: TestContext, environment: Readonly<Record<string, string>>) {
  const cwd = await folder(test)
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [absolutePath('examples/chinook/main.ts')], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  test.after(() => child.kill('SIGKILL'))
  return { cwd, child }
}

describe('The music store process', () => {
  for (const database of databases) {
    it(
      `fills ${database.name}, prints URLs that return 200, and exits on SIGTERM with code 0`,
      longOnOthers(database.dialect),
      async (test) => {
        const url = await filled(test, database, '')
        // Without DATABASE_URL the example creates an SQLite file.
        const { cwd, child } = await start(test, {
          PORT: '0',
          ...(isPostgres(url) && { DATABASE_URL: url }),
        })
        const lines: string[] = []
        for await (const line of createInterface({ input: child.stdout })) {
          if (lines.push(line) === 4) break
        }
        assert.equal(existsSync(join(cwd, 'data/chinook.db')), !isPostgres(url))
        for (const line of lines.slice(1)) {
          assert.equal((await fetch(line.trim())).status, 200, line)
        }
        child.kill('SIGTERM')
        assert.deepEqual(await once(child, 'exit'), [0, null])
      },
    )
  }

  // `test/service/process/startup.test.ts` shows it of the service.
  for (const invalid of [{ PORT: 'many' }, { DATABASE_URL: 'chinook.db' }]) {
    it(
      `given an invalid ${Object.keys(invalid)}, prints one line and exits with code 2`,
      long,
      async (test) => {
        const { child } = await start(test, invalid)
        const [message, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
        assert.equal(code, 2)
        assert.match(message, /^chinook: .+\n$/)
      },
    )
  }
})
