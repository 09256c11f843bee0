import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Query } from '../../client.ts'
import { statementsOf } from '../../service/statements.ts'
import { engine } from '../engine.ts'
import { library, libraryTables } from '../library.ts'
import { filters, reads } from '../sql-reads.ts'
import { writes } from '../sql-writes.ts'

/** No fields, so that the response to a write is as short as possible. */
const bare = { 'fields[author]': '', 'fields[book]': '' }

engine('SQL', { model: library, tables: libraryTables, resets: true }, (app) => {
  /** Returns every statement of a successful request, with parameters as `?`. */
  async function statements(
    method: string,
    path: string,
    { query, body }: { query?: Query; body?: unknown },
  ): Promise<string[]> {
    const run = await statementsOf(async () => {
      const answer = await app.call(method, path, { query, body })
      assert.ok(answer.status < 300, answer.text)
    })
    return run.map((statement) =>
      statement
        .replace(/\$\d+/g, '?')
        .replace(/\s+/g, ' ')
        // Before version 18 PostgreSQL folds case by ICU.
        .replaceAll('"und-x-icu"', '"pg_unicode_fast"'),
    )
  }

  for (const [sentence, path, query, sqlite, postgres] of reads) {
    it(`reads: ${sentence}`, async () => {
      const expected = { sqlite, postgres: [postgres] }
      // A full page does not show the count.
      const full = { 'page[size]': '1', ...query }
      assert.deepEqual(await statements('GET', path, { query: full }), expected[app.dialect])
    })
  }

  for (const path of ['/books', '/authors/2/books', '/authors/2/relationships/books'])
    it(`given the unpaged list ${path}, then its SQL is that of a page without the page`, async () => {
      const all = await statements('GET', path, { query: { 'page[size]': '0' } })
      const [page = ''] = await statements('GET', path, { query: { 'page[size]': '5' } })
      // One row more than the limit shows that there are too many; they are not counted.
      if (app.dialect === 'sqlite') {
        const short = page.replace(' limit ? + 0 offset ?', ' limit 501')
        assert.ok(all.includes(short), all.join('\n'))
        assert.ok(!all.join().includes('count(*)'))
      } else {
        const count = /case when count\(\*\) .*? end(?=, (?:true|exists))/
        const short = page
          .replace(' limit ? offset ?', ' limit 501')
          .replace(count, 'null')
          .replace(' 16777216 / nullif(?::bigint, 0)', ` ${Math.floor(2 ** 24 / 500)}`)
        assert.deepEqual(all, [short])
      }
    })

  for (const [path, filter, sqlite, postgres] of filters)
    it(`given a filter of ${path}, then its SQL is exact: ${JSON.stringify(filter)}`, async () => {
      // The complete list, and a page behind the last one, which does not show the count.
      const all = await statements('GET', path, { query: { filter, 'page[size]': '0' } })
      const past = await statements('GET', path, { query: { filter, 'page[number]': '9' } })
      const run = app.dialect === 'sqlite' ? [...all, ...past] : past
      const table = path === '/books' ? 'book' : 'writer'
      const from = ` from "${table}" as "t0" where ${{ sqlite, postgres }[app.dialect]}`
      const parts = {
        sqlite: run,
        postgres: run.flatMap((each) =>
          each.split(/(?<= offset \?)|\) end(?=, true, )/).slice(0, 2),
        ),
      }
      // The rows and the count, unless SQLite has cached the count of an equal filter.
      const strange = parts[app.dialect].filter((part) => !part.endsWith(from))
      assert.equal(strange.length, 1, JSON.stringify(filter))
      assert.ok(
        strange.every((part) => part.includes(`${from} order by `)),
        `${JSON.stringify(filter)}\n${strange}\nis not\n…${from}`,
      )
    })

  for (const [sentence, method, path, body, sqlite, postgres] of writes) {
    it(`writes: ${sentence}`, async () => {
      const query = path.includes('/relationships/') ? {} : bare
      const expected = { sqlite, postgres }
      assert.deepEqual(await statements(method, path, { query, body }), expected[app.dialect])
    })
  }
})
