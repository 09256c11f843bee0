import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { sqliteCodecs } from '../../src/sqlite/codecs.ts'
import { absolutePath, readPage, section, tableRows } from './pages.ts'

const guide = readPage('docs/adding-a-database.md')
const edits = tableRows(section(guide, '## Edits outside the folder')).flatMap(([files = '']) =>
  files.replaceAll('`', '').split(', '),
)
const [, unchanged = ''] = /^These files name a database (.*)\.$/m.exec(guide) ?? []
const mayStay = [...unchanged.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)
const testEdits = tableRows(section(guide, '## Tests'))

/** The files of these folders that name a database in their code, and not in a comment alone. */
function filesThatNameADatabase(): string[] {
  return ['src', 'service', 'cli', 'process']
    .flatMap((folder) =>
      readdirSync(absolutePath(folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
    )
    .filter(
      (file) => !/^src\/(?:sqlite|postgres)\/|^cli\/databases\/(?:sqlite|postgres)\./.test(file),
    )
    .filter((file) => /sqlite|postgres/i.test(withoutComments(readPage(file))))
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
}

describe('docs/adding-a-database.md', () => {
  it('lists every file that names a database', () => {
    const others = ['package.json', 'tools/build.ts']
    assert.deepEqual(
      [...edits.filter((file) => !others.includes(file)), ...mayStay].sort(),
      filesThatNameADatabase().sort(),
    )
  })

  it('counts the edits and the codecs', () => {
    assert.ok(guide.includes(`edits in ${edits.length} other files`))
    assert.equal(testEdits.length, 4)
    assert.ok(guide.includes(`each of the ${Object.keys(sqliteCodecs).length} codecs`))
  })

  it('lists the files that both databases have', () => {
    const part = section(guide, '## The folder')
    const required = tableRows(part).flatMap(([files = '']) =>
      files.replaceAll('`', '').split(', '),
    )
    const [, others = ''] = /^Both folders also have (.*), which/m.exec(part) ?? []
    const optional = others.match(/[\w/-]+\.ts/g) ?? []
    const [sqlite = [], postgres = []] = ['sqlite', 'postgres'].map((name) =>
      readdirSync(absolutePath(`src/${name}`), { recursive: true, encoding: 'utf8' }).filter(
        (file) => file.endsWith('.ts'),
      ),
    )
    const shared = sqlite.filter((file) => postgres.includes(file))
    assert.deepEqual([...required, ...optional].sort(), shared.sort())
    assert.ok(guide.includes(`at least ${required.length} files`))
  })

  it('names files in which the shared SQL has the listed constructs', () => {
    const rows = tableRows(section(guide, '## What the database must be able to do'))
    for (const [constructs = '', file = ''] of rows.slice(0, 4)) {
      const [, word = ''] = /… (\w+)/.exec(constructs) ?? []
      assert.ok(readPage(file.replaceAll('`', '')).includes(word), `${file}: ${word}`)
    }
  })
})
