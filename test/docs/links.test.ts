import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { absolutePath, readPage } from './pages.ts'

const pages = [
  ...[
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'bench/README.md',
    'bench/NOTES.md',
    'bench/RESULTS.md',
  ],
  ...['examples/chinook/README.md', 'examples/tracker/README.md'],
  ...readdirSync(absolutePath('docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

const decisions = readdirSync(absolutePath('docs/decisions'))
  .filter((file) => file !== 'README.md')
  .sort()

describe('the documentation', () => {
  for (const path of pages)
    it(`${path} has no broken link within the repository`, () => {
      for (const [, link = ''] of readPage(path).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue
        const [file = ''] = link.split('#')
        assert.ok(existsSync(absolutePath(join(dirname(path), file))), `${path}: ${link}`)
      }
    })

  for (const path of pages)
    it(`${path} links to headings that exist`, () => {
      for (const [, link = ''] of readPage(path).matchAll(/\]\(([^)\s]*#[^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue
        const [file = '', anchor = ''] = link.split('#')
        const target = file === '' ? path : join(dirname(path), file)
        assert.ok(listAnchors(target).includes(anchor), `${path}: ${link}`)
      }
    })

  it('is reachable from the README', () => {
    const reached = new Set(['README.md'])
    for (const path of reached)
      for (const [, link = ''] of readPage(path).matchAll(/\]\(([^)\s#]+\.md)[^)\s]*\)/g))
        if (!/^https?:/.test(link)) reached.add(join(dirname(path), link))
    assert.deepEqual(
      pages.filter((path) => !reached.has(path)),
      [],
    )
  })

  it('names many files, which the next tests find', () => {
    assert.ok(namedPaths(readPage('docs/architecture.md')).length > 100)
  })

  for (const path of pages)
    it(`${path} names only files and folders that exist`, () => {
      const missing = namedPaths(readPage(path)).filter((each) => !existsSync(absolutePath(each)))
      assert.deepEqual(missing, [])
    })

  for (const path of pages.filter((page) => /^(?:bench|examples)\//.test(page)))
    it(`${path} names only source files of its folder that exist`, () => {
      const names = [...readPage(path).matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
      const folders = [dirname(path), join(dirname(path), 'resources'), '.']
      const missing = names.filter((name) =>
        folders.every((folder) => !existsSync(absolutePath(join(folder, name)))),
      )
      assert.deepEqual(missing, [])
    })

  it('numbers each decision once, and repeats the number in the title', () => {
    const numbers = decisions.map((file) => file.slice(0, 4))
    assert.equal(new Set(numbers).size, decisions.length)
    for (const file of decisions) {
      const [, number = ''] = /^(\d{4})-[a-z0-9-]+\.md$/.exec(file) ?? []
      assert.notEqual(number, '', file)
      const text = readPage(`docs/decisions/${file}`)
      assert.match(text, new RegExp(`^# ${number}\\. .+\n`))
      const headings = text.match(/^## .+$/gm)
      assert.deepEqual(headings, ['## Context', '## Decision', '## Consequences'], file)
    }
  })

  it('lists every decision once, with its title', () => {
    const index = readPage('docs/decisions/README.md')
    const listed = [...index.matchAll(/^- \[(\d{4})\]\((.+)\) (.+)$/gm)]
    const lines = listed.map(([, number, file, title]) => `${file}: ${number}. ${title}`)
    const titles = decisions.map((file) => {
      const [heading = ''] = readPage(`docs/decisions/${file}`).split('\n')
      return `${file}: ${heading.replace('# ', '')}`
    })
    assert.deepEqual(lines.sort(), titles)
  })
})

/** Lists the paths in backticks that begin with a folder of the repository. A pattern counts as its folder. */
function namedPaths(text: string): string[] {
  const path =
    /`((?:\.ci|\.githooks|bench|cli|docs|examples|process|service|src|test|tools)\/[\w./*-]*)`/g
  return [...text.matchAll(path)].map(([, name = '']) => name.replace(/\*.*$/, ''))
}

/** Lists the anchors of the headings of a page, as GitHub makes them. */
function listAnchors(path: string): string[] {
  const text = readPage(path).replaceAll(/^```.*?^```/gms, '')
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
