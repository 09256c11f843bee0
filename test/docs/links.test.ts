import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { page, placeOf } from './pages.ts'

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/chinook/README.md'],
  ...readdirSync(placeOf('docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

const decisions = readdirSync(placeOf('docs/decisions')).sort()

describe('the documentation', () => {
  it('has no link within the repository that leads nowhere', () => {
    for (const path of pages) {
      for (const [, link = ''] of page(path).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue
        const [file = ''] = link.split('#')
        assert.ok(existsSync(placeOf(join(dirname(path), file))), `${path}: ${link}`)
      }
    }
  })

  it('names no file of the sources that is not there', () => {
    for (const path of pages) {
      for (const [, file = ''] of page(path).matchAll(/`((?:src|service|test)\/[\w./-]+)`/g)) {
        assert.ok(existsSync(placeOf(file)), `${path}: ${file}`)
      }
    }
  })

  it('numbers its decisions without a gap, and gives each its number as a title', () => {
    for (const [index, file] of decisions.entries()) {
      const number = String(index + 1).padStart(4, '0')
      assert.match(file, new RegExp(`^${number}-[a-z0-9-]+\\.md$`))
      const text = page(`docs/decisions/${file}`)
      assert.match(text, new RegExp(`^# ${number}\\. .+\n`))
      const headings = text.match(/^## .+$/gm)
      assert.deepEqual(headings, ['## Context', '## Decision', '## Consequences'], file)
    }
  })
})
