import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { absolutePath, readPage } from './pages.ts'

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/chinook/README.md'],
  ...readdirSync(absolutePath('docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

const decisions = readdirSync(absolutePath('docs/decisions')).sort()

describe('the documentation', () => {
  it('has no broken link within the repository', () => {
    for (const path of pages) {
      for (const [, link = ''] of readPage(path).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue
        const [file = ''] = link.split('#')
        assert.ok(existsSync(absolutePath(join(dirname(path), file))), `${path}: ${link}`)
      }
    }
  })

  it('names only files that exist', () => {
    for (const path of pages) {
      for (const [, file = ''] of readPage(path).matchAll(/`((?:src|service|test)\/[\w./-]+)`/g)) {
        assert.ok(existsSync(absolutePath(file)), `${path}: ${file}`)
      }
    }
  })

  it('numbers the decisions without a gap, and repeats each number in the title', () => {
    for (const [index, file] of decisions.entries()) {
      const number = String(index + 1).padStart(4, '0')
      assert.match(file, new RegExp(`^${number}-[a-z0-9-]+\\.md$`))
      const text = readPage(`docs/decisions/${file}`)
      assert.match(text, new RegExp(`^# ${number}\\. .+\n`))
      const headings = text.match(/^## .+$/gm)
      assert.deepEqual(headings, ['## Context', '## Decision', '## Consequences'], file)
    }
  })
})
