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

/** The beginnings of rows, and how their constructs are written in a template of SQL. */
const constructs: readonly (readonly [construct: string, written: RegExp])[] = [
  ['`returning`', /[ `]returning (?:\$\{|null|1)/],
  ['`insert … default values`', /default values/],
  ['`on conflict … do nothing`', /on conflict/],
  ['`last_insert_rowid()`', /last_insert_rowid\(\)/],
  ['`order by … nulls first`', /nulls \$\{/],
  ['`limit ? + 0`', /\} \+ 0/],
  ['`cast(… as bigint)`', / as bigint\)/],
  ['`value::type`', /sql`\$\{\w+\}::/],
  ['`a \\|\\| b`', /[`}] \|\| '/],
]

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

  for (const [construct, pattern] of constructs)
    it(`names the files in which the shared SQL has ${construct}`, () => {
      const row = tableRows(section(guide, '## What the database must be able to do')).find(
        ([cell = '']) => cell.startsWith(construct),
      )
      const files = readdirSync(absolutePath('src/sql'), { recursive: true, encoding: 'utf8' })
        .map((file) => `src/sql/${file.replaceAll('\\', '/')}`)
        .filter((file) => file.endsWith('.ts') && pattern.test(withoutComments(readPage(file))))
      assert.deepEqual(row?.[1]?.replaceAll('`', '').split(', '), files.sort())
    })
})
