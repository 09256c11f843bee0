import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { Cleanup, type Scope } from '../cleanup.ts'
import { databases } from '../databases.ts'
import { execute, filled, isPostgres } from '../filled.ts'
import { type Child, folder, startProgram } from '../service/child.ts'
import { createSqliteDatabase } from './generated-project.ts'
import { main, send, tables, testSettings } from './serve-settings.ts'

/** Starts `lapidary serve` and waits until it responds. It is stopped when the test ends. */
async function serve(test: Scope, url: string, ...args: readonly string[]): Promise<Child> {
  return startProgram(test, main, {
    cwd: await folder(test),
    args: ['serve', url, '--port', '0', '--log-level', 'warn', ...args],
  })
}

/** The names of the stored artists. */
async function namesIn(url: string): Promise<unknown[]> {
  const rows = await execute(url, 'select name from artist order by id')
  return rows.map(({ name }) => name)
}

for (const database of databases) {
  describe(`lapidary serve · ${database.name}`, () => {
    const cleanup = new Cleanup()
    let url: string
    let child: Child
    before(async () => {
      url = await filled(cleanup, database, tables)
      child = await serve(cleanup, url)
    })
    after(() => cleanup.run())

    it('serves the tables with plural types, and says what it omits and why', async () => {
      const album = await send(child.url, 'GET', '/albums?include=artist')
      assert.equal(album.status, 200, album.text)
      assert.partialDeepStrictEqual(JSON.parse(album.text), {
        data: [{ type: 'albums', id: '1', attributes: { title: 'Notes' } }],
        included: [{ type: 'artists', id: '1', attributes: { name: 'Ada' } }],
      })
      const printed = child.printed().split('\n')
      assert.match(printed[0] ?? '', /^entry is omitted: it is a view without a column "id"/)
      const lines = printed.slice(1)
      assert.match(
        lines[0] ?? '',
        /^Lapidary serves \S+ at \S+, read-only, at http:\/\/127\.0\.0\.1:\d+\. Try:$/,
      )
      assert.deepEqual(lines.slice(1, 4), [
        `  ${child.url}`,
        `  ${child.url}/albums?include=artist`,
        `  ${child.url}/albums?page[size]=5&sort=-title`,
      ])
      for (const line of [
        '3 collections: albums, artists, customers',
        'Omitted because they look secret; --show <table>.<column> serves one:',
        '  customer: password_hash, api_key',
        'With --write, clients can also create, update and delete.',
      ])
        assert.ok(lines.includes(line), `${line} in ${child.printed()}`)
      for (const line of lines.slice(1, 4))
        assert.equal(
          (await send(child.url, 'GET', line.trim().slice(child.url.length) || '/')).status,
          200,
        )
    })

    it('does not serve secrets, not even by their names', async () => {
      const customers = await send(child.url, 'GET', '/customers')
      assert.deepEqual(JSON.parse(customers.text).data[0].attributes, { email: 'ada@example.org' })
      for (const name of ['password_hash', 'api_key', 'absent']) {
        const filtered = await send(child.url, 'GET', `/customers?filter[${name}]=x`)
        assert.equal(filtered.status, 400, name)
      }
    })

    it('rejects writes without --write', async () => {
      const body = { data: { type: 'artists', id: '2', attributes: { name: 'Grace' } } }
      for (const [method, path] of [
        ['POST', '/artists'],
        ['PATCH', '/artists/1'],
        ['DELETE', '/artists/1'],
        ['PATCH', '/albums/1/relationships/artist'],
      ] as const) {
        const rejected = await send(child.url, method, path, { body })
        assert.equal(rejected.status, 403, `${method} ${path}: ${rejected.text}`)
      }
      assert.deepEqual(await namesIn(url), ['Ada'])
    })

    describe('with --write', () => {
      let writable: Child
      before(async () => {
        await execute(
          url,
          "create table cache_entry (cid varchar(99) default '' not null primary key, size integer)",
        )
        writable = await serve(cleanup, url, '--write')
      })

      it('accepts writes', async () => {
        const attributes = { name: 'Grace' }
        const id = isPostgres(url) ? '2' : undefined
        const created = await send(writable.url, 'POST', '/artists', {
          body: { data: { type: 'artists', id, attributes } },
        })
        assert.equal(created.status, 201, created.text)
        assert.deepEqual(await namesIn(url), ['Ada', 'Grace'])
      })

      it('creates resources of a table whose key has a constant default, as programs for MySQL declare it', async () => {
        for (const id of ['page:1', 'page:2']) {
          const body = { data: { type: 'cache-entries', id, attributes: { size: 5 } } }
          const created = await send(writable.url, 'POST', '/cache-entries', { body })
          assert.equal(created.status, 201, created.text)
          assert.equal(created.headers.location, `/cache-entries/${encodeURIComponent(id)}`)
        }
      })
    })
  })
}

describe('lapidary serve · a SQLite file', () => {
  it('is not changed, no file appears beside it, and its warnings are printed with --warnings', async (test) => {
    const cwd = await folder(test)
    const path = createSqliteDatabase(cwd, 'music', tables)
    const before = readFileSync(path)
    const args = ['serve', 'sqlite:music.db', '--port', '0']
    const child = await startProgram(test, main, { cwd, args })
    assert.equal((await send(child.url, 'GET', '/albums')).status, 200)
    assert.match(child.printed(), /^1 warning about indexes or types; --warnings prints them$/m)
    assert.equal((await child.end('SIGINT')).code, 0)
    assert.deepEqual(readFileSync(path), before)
    assert.deepEqual(readdirSync(cwd), ['music.db'])
    const full = await startProgram(test, main, { cwd, args: [...args, '--warnings'] })
    assert.match(full.printed(), /^warning: .*create index/m)
  })
})

// `npm run test:long` starts the workers on every other database.
for (const database of databases.slice(0, 1)) testSettings(database)
