import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { folder } from '../service/child.ts'

const program = fileURLToPath(new URL('without-descriptors.ts', import.meta.url))

const onUnix = { skip: process.platform === 'win32' && 'Windows has no limit of descriptors' }

it(
  'given no free file descriptor, expensive reads get 503, and are served when there are some again',
  onUnix,
  async (test) => {
    const path = join(await folder(test), 'numbers.db')
    const limited = 'ulimit -n 100; exec "$@"'
    const { stdout } = await promisify(execFile)(
      'sh',
      [
        '-c',
        limited,
        'sh',
        process.execPath,
        '--disable-warning=ExperimentalWarning',
        program,
        path,
      ],
      { timeout: 60_000 },
    )
    const { opened, during, after } = JSON.parse(stdout)
    assert.ok(opened > 0)
    assert.deepEqual(during, [503, 503, 503, 503, 503])
    assert.equal(after, 200)
  },
)
