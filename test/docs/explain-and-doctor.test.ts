import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { runCommand } from '../cli/command-process.ts'
import { createPackageFolder } from '../package-folder.ts'
import { blocksOf } from './blocks.ts'
import { readPage } from './pages.ts'

/** Returns the arguments that a shell gives to `lapidary`. */
function argumentsOf(command: string): string[] {
  const shell = command.replace('npx lapidary', `printf '%s\\n'`)
  return execFileSync('sh', ['-c', shell], { encoding: 'utf8' }).trimEnd().split('\n')
}

describe('docs/guides/explain-and-doctor.md', () => {
  const blocks = blocksOf(readPage('docs/guides/explain-and-doctor.md'))
  const inLanguage = (language: string) =>
    blocks.flatMap((block) => (block.language === language ? [block.text] : []))
  let folder: string

  before(async () => {
    folder = await createPackageFolder('guide')
    const database = new DatabaseSync(join(folder, 'music.db'))
    for (const sql of inLanguage('sql')) database.exec(sql)
    database.close()
    // The first line of a block may name its file.
    for (const block of inLanguage('ts')) {
      const [, name = 'model.ts'] = /^\/\/ (\w+\.ts)\n/.exec(block) ?? []
      await writeFile(join(folder, name), block)
    }
  })
  after(() => rm(folder, { recursive: true }))

  const outputs = inLanguage('text')
  const withoutTimes = (text: string) => text.replaceAll(/\d+\.\d ms/g, '… ms').trim()

  for (const [index, command] of inLanguage('sh').entries())
    it(`shows what ${command.trim()} prints`, async () => {
      const { stdout, stderr, status } = await runCommand(folder, argumentsOf(command))
      assert.deepEqual([stderr, status], ['', command.includes('doctor') ? 1 : 0])
      assert.equal(withoutTimes(stdout), withoutTimes(outputs[index] ?? ''))
    })
})
