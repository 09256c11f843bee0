import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createHandler } from 'lapidary'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { generateSql } from '../../examples/chinook/data/generate-sql.ts'
import { model } from '../../examples/chinook/start-server.ts'

const origin = 'http://music.test'

/** Lists the addresses of the API to which a page links. */
function listLinks(html: string): string[] {
  const links = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)]
  const targets = links.map(([, href = '']) => href.replaceAll('&amp;', '&').replace(origin, ''))
  return targets.filter((href) => href.startsWith('/api'))
}

describe('The pages of a whole API', () => {
  const store = openSqlite(model, ':memory:')
  const handle = createHandler({ model, store, prefix: '/api', html: createPages() })
  before(() => store.migrate([{ version: 1, sql: generateSql('sqlite') }]))
  after(() => store.close())

  it('given the landing page, when every link is followed, then each leads to a page', async () => {
    const paths = new Set(['/api/'])
    const shapes = new Set<string>()
    for (const path of paths) {
      // An address without its values: one resource of each type is read, and one page of each list.
      const shape = path.replaceAll(/\d+|=[^&]*/g, '')
      if (shapes.has(shape)) continue
      shapes.add(shape)
      const response = await handle(
        new Request(origin + path, { headers: { accept: 'text/html' } }),
      )
      assert.equal(response.status, 200, path)
      const html = await response.text()
      assert.match(html, /^<!doctype html><html lang="en">.*<\/html>$/s, path)
      for (const link of listLinks(html)) paths.add(link)
    }
    assert.ok(shapes.size > 100, String(shapes.size))
    const kinds = [/^\/api\/\w+$/, /sort=/, /page/, /\/\d+$/, /relationships/, /filter=/]
    for (const kind of kinds)
      assert.ok(
        [...paths].some((path) => kind.test(path)),
        String(kind),
      )
  })
})
