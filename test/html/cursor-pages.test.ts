import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, createHandler, defineModel, resource, text } from 'lapidary'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { databases } from '../databases.ts'
import { filled } from '../filled.ts'

const task = resource('task', {
  path: '/tasks',
  table: 'task',
  pages: { by: 'cursor', total: 'none' },
  fields: { title: attribute(text) },
})

it('given pages between cursors, then a page for browsers has their links, and a count only where there is one', async (test) => {
  const [database] = databases
  assert.ok(database)
  const url = await filled(
    test,
    database,
    `create table task (id integer primary key, title text); insert into task (title) values ('a'), ('b'), ('c')`,
  )
  const model = defineModel([task], { secret: 'the secret of the tests' })
  const store = openSqlite(model, url.slice('sqlite:'.length))
  test.after(() => store.close())
  const handle = createHandler({ model, store, html: createPages() })
  const get = async (query: string) => {
    const headers = { accept: 'text/html' }
    const response = await handle(new Request(`http://localhost/tasks${query}`, { headers }))
    assert.equal(response.status, 200)
    return response.text()
  }
  const first = await get('?page[size]=2')
  assert.match(first, /rel="next"/)
  assert.doesNotMatch(first, /rel="prev"|Page \d of|NaN|undefined resources/)
  assert.match(await get('?page[size]=2&page[total]=exact'), /3 resources/)
  // A cursor belongs to a sort: other sorts and filters lead to their first pages.
  const next = /rel="next"[^>]*|href="[^"]*"[^>]*rel="next"/.exec(first)?.[0] ?? ''
  const [, href = ''] = /href="[^"]*(\?[^"]*)"/.exec(next) ?? []
  const second = await get(href.replaceAll('&amp;', '&'))
  const [, sorted = ''] = /<th[^>]*><a href="[^"]*(\?[^"]*sort=title[^"]*)"/.exec(second) ?? []
  assert.notEqual(sorted, '', second)
  assert.doesNotMatch(sorted, /after|before/)
  assert.match(await get(sorted.replaceAll('&amp;', '&')), /rel="next"/)
})
