import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'

it('nothing listens to requests without an SDK, and after the measurement has ended', async () => {
  const program = join(import.meta.dirname, 'count-listeners.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  assert.deepEqual(JSON.parse(stdout), {
    'at the start': false,
    'OpenTelemetry without an SDK': false,
    'metrics are served': true,
    'metrics are no longer served': false,
    'meters run': true,
    'meters have stopped': false,
  })
})
