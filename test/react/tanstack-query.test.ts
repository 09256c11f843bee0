import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { blocksOf } from '../docs/blocks.ts'
import { readPage } from '../docs/pages.ts'

const blocks = blocksOf(readPage('docs/guides/react.md'))
const sources: Readonly<Record<string, string>> = {
  lapidary: '../../../src/index.ts',
  'lapidary/client': '../../../src/client/index.ts',
  'lapidary/sqlite': '../../../src/sqlite/store.ts',
}
const inLanguage = (language: string) =>
  blocks.flatMap((block) => (block.language === language ? [block.text] : []))

it('the program of the guide for TanStack Query runs, and its assertions hold', async (test) => {
  // Beside the packages, which the program imports by their names.
  const folder = await mkdtemp(join(import.meta.dirname, 'guide-'))
  test.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'tasks.db')
  const database = new DatabaseSync(path)
  for (const sql of inLanguage('sql')) database.exec(sql)
  database.close()
  const file = join(folder, 'program.ts')
  const program = inLanguage('ts')
    .join('\n')
    .replaceAll("'tasks.db'", JSON.stringify(path))
    // The folder has a manifest of its own, where the package does not know itself.
    .replaceAll(/'lapidary[^']*'/g, (name) => JSON.stringify(sources[name.slice(1, -1)]))
  await writeFile(file, program)
  const { stderr } = await promisify(execFile)(process.execPath, [file])
  assert.equal(stderr.replaceAll(/.*ExperimentalWarning.*\n|\(Use `node.*\n/g, ''), '')
})
