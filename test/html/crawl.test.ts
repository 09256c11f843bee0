import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  attribute,
  createHandler,
  defineModel,
  integer,
  type Model,
  resource,
  text,
  toOne,
} from 'lapidary'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { generateSql } from '../../examples/chinook/data/generate-sql.ts'
import { model as musicStore } from '../../examples/chinook/start-server.ts'

const origin = 'http://pages.test'

/** Lists the addresses of the API to which a page links. */
function listLinks(html: string): string[] {
  const links = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)]
  const targets = links.map(([, href = '']) => href.replaceAll('&amp;', '&').replace(origin, ''))
  return targets.filter((href) => href.startsWith('/api'))
}

/**
 * Follows every link from the landing page. Of addresses that differ only in values, it follows the first one: one resource of each
 * type, and one page of each list.
 * @returns the addresses that were found
 */
async function crawl(test: TestContext, model: Model, sql: string): Promise<readonly string[]> {
  const store = openSqlite(model, ':memory:')
  test.after(() => store.close())
  await store.migrate([{ version: 1, sql }])
  const handle = createHandler({
    model,
    store,
    prefix: '/api',
    html: createPages({ explain: true }),
  })
  const paths = new Set(['/api/'])
  const shapes = new Set<string>()
  for (const path of paths) {
    const shape = path.replaceAll(/\d+|=[^&]*/g, '')
    if (shapes.has(shape)) continue
    shapes.add(shape)
    const response = await handle(new Request(origin + path, { headers: { accept: 'text/html' } }))
    assert.equal(response.status, 200, path)
    const html = await response.text()
    assert.match(html, /^<!doctype html><html lang="en">.*<\/html>$/s, path)
    for (const link of listLinks(html)) paths.add(link)
  }
  return [...paths]
}

describe('The pages of a whole API', () => {
  it('given the music store, when every link is followed, then each leads to a page', async (test) => {
    const paths = await crawl(test, musicStore, generateSql('sqlite'))
    assert.ok(paths.length > 100, String(paths.length))
    const kinds = [/^\/api\/\w+$/, /sort=/, /page/, /\/\d+$/, /relationships/, /filter=/, /explain/]
    for (const kind of kinds)
      assert.ok(
        paths.some((path) => kind.test(path)),
        String(kind),
      )
  })

  it('given ids over several columns with any text, when every link is followed, then each leads to a page', async (test) => {
    const shelf = resource('shelf', {
      path: '/shelves',
      table: 'shelf',
      id: { column: ['floor', 'label'], kind: [integer, text], client: 'required' },
      fields: { width: attribute(integer) },
    })
    const book = resource('book', {
      path: '/books',
      table: 'book',
      fields: {
        title: attribute(text),
        shelf: toOne('shelf', { column: ['floor', 'label'] }),
      },
    })
    const paths = await crawl(
      test,
      defineModel([shelf, book]),
      `create table shelf (floor integer not null, label text not null, width integer, primary key (floor, label));
        create table book (id integer primary key, title text, floor integer, label text,
          foreign key (floor, label) references shelf (floor, label));
        insert into shelf values (2, 'A/3', 1), (2, 'Q,~"<&', 2);
        insert into book values (1, 'A title', 2, 'Q,~"<&')`,
    )
    assert.ok(paths.includes('/api/shelves/2%2CQ~1~0%22%3C%26'), paths.join('\n'))
  })
})
