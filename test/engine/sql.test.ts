import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Query } from '../client.ts'
import { statementsOf } from '../service/statements.ts'
import { engine } from './engine.ts'
import { library, libraryTables } from './library.ts'
import { filters, reads } from './sql-reads.ts'
import { writes } from './sql-writes.ts'

/** Resources without any field, so that a write's answer adds as little as it can. */
const bare = { 'fields[author]': '', 'fields[book]': '' }

engine('SQL', { model: library, tables: libraryTables }, (world) => {
  /** Every statement that ran for a request that succeeded. */
  async function statements(
    method: string,
    path: string,
    { query, body }: { query?: Query; body?: unknown },
  ): Promise<string[]> {
    return statementsOf(async () => {
      const answer = await world.call(method, path, { query, body })
      assert.ok(answer.status < 300, answer.text)
    })
  }

  for (const [sentence, path, query, expected] of reads) {
    it(`reads: ${sentence}`, async () => {
      // A page that is full does not say how many there are.
      const full = { 'page[size]': '1', ...query }
      assert.deepEqual(await statements('GET', path, { query: full }), expected)
    })
  }

  it('reads all of a list as a page of it, but for the page', async () => {
    for (const path of ['/books', '/authors/2/books', '/authors/2/relationships/books']) {
      const all = await statements('GET', path, { query: { 'page[size]': '0' } })
      const [page = ''] = await statements('GET', path, { query: { 'page[size]': '5' } })
      assert.ok(all.includes(page.replace(' limit ? offset ?', '')), all.join('\n'))
      assert.ok(!all.join().includes('limit'))
    }
  })

  it('filters: every form', async () => {
    for (const [path, filter, condition] of filters) {
      // All of a list is counted before it is read, unless an equal condition was counted before.
      const run = await statements('GET', path, { query: { filter, 'page[size]': '0' } })
      const table = path === '/books' ? 'book' : 'writer'
      const from = ` from "${table}" as "t0" where ${condition}`
      assert.doesNotMatch(run.at(-1) ?? 'count(*)', /count/)
      for (const statement of run) {
        const isWhole = statement.endsWith(from) || statement.includes(`${from} order by `)
        assert.ok(isWhole, `${JSON.stringify(filter)}\n${statement}\nis not\n…${from}`)
      }
    }
  })

  for (const [sentence, method, path, body, expected] of writes) {
    it(`writes: ${sentence}`, async () => {
      const query = path.includes('/relationships/') ? {} : bare
      assert.deepEqual(await statements(method, path, { query, body }), expected)
    })
  }
})
