import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { absolutePath } from '../docs/pages.ts'
import { long } from '../long-tests.ts'
import { folder } from '../service/child.ts'

it(
  'The process of the tracker prints a request that returns its administrator, and exits on SIGTERM with code 0',
  long,
  async (test) => {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
    const child = spawn(process.execPath, [absolutePath('examples/tracker/main.ts')], {
      cwd: await folder(test),
      env: { PATH, NODE_COMPILE_CACHE, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    test.after(() => child.kill('SIGKILL'))
    const lines: string[] = []
    for await (const line of createInterface({ input: child.stdout }))
      if (lines.push(line) === 2) break
    const [, authorization = '', url = ''] =
      /^curl -H 'Authorization: (.*)' (.*)$/.exec(lines[1] ?? '') ?? []
    const { data } = JSON.parse(await (await fetch(url, { headers: { authorization } })).text())
    assert.deepEqual([data.length, data[0].attributes.role], [1, 'admin'])
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  },
)
