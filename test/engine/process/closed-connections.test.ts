import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SqliteConnection } from '../../../src/sqlite/connection/connection.ts'

it('given connections to SQLite that are closed, when the garbage is collected, then their memory is free', async (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
  test.after(() => rmSync(folder, { recursive: true }))
  const closed = Array.from({ length: 5 }, () => useConnection(join(folder, 'notes.db')))
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  // References that are weak are cleared after the turn in which they were made.
  await pause(10)
  collectGarbage()
  const kept = closed.filter((each) => each.deref() !== undefined)
  assert.equal(kept.length, 0)
})

/** Opens a connection, runs a statement that it keeps, and closes it. */
function useConnection(path: string): WeakRef<SqliteConnection> {
  const connection = new SqliteConnection(path, 'writer')
  connection.introspectCached('select 1')
  connection.close()
  return new WeakRef(connection)
}
