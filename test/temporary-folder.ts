import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []

/** Creates a folder that is deleted when the process ends, also if a filter leaves out every test of a suite. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
  if (folders.push(folder) === 1)
    process.once('exit', () => {
      for (const each of folders) rmSync(each, { recursive: true, force: true })
    })
  return folder
}
