import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { attribute, defineModel, resource, sql, text } from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import { compileStatement } from '../../../src/sql/statement.ts'
import { addFunctions, prefixUpperBound } from '../../../src/sqlite/connection/functions.ts'
import { sqliteDialect } from '../../../src/sqlite/dialect.ts'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const song = resource('song', {
  path: '/songs',
  table: 'song',
  fields: { title: attribute(text), words: attribute(text) },
})

const served = {
  model: defineModel([song]),
  tables: ({ newId }: ColumnTypes, dialect: DialectName) =>
    `create table song (id ${newId}, title text, words text ${dialect === 'sqlite' ? 'collate nocase' : ''})`,
}

/** The last character below the surrogates, the first above them, and the last of all. */
const [below, above, last] = ['\ud7ff', '\ue000', '\u{10ffff}']
const titles = [
  ...['', 'A', 'AZ', 'AZx', 'A[', 'Az', 'B', 'a', 'az', 'é', '%', 'a%b'],
  ...[below, `${below}x`, above, '\u{10000}', '\uffff', '\uffffx'],
  ...[last, `${last}x`, `a${last}`, `a${last}x`, `a${last}${last}`, `b${last}`],
]

engine('Texts that start with another', served, (app) => {
  it('startswith finds a text by each of its beginnings, up to U+10FFFF', async () => {
    const songs: string[] = []
    for (const title of titles) {
      const attributes = { title, words: title }
      const { one } = await app.post('/songs', { data: { type: 'song', attributes } })
      songs.push(one.id ?? '')
    }
    for (const start of titles)
      for (const name of ['title', 'words']) {
        const found = await app.get('/songs', {
          filter: [{ name, op: 'startswith', val: start }],
        })
        const wanted = songs.filter((_, at) => titles[at]?.startsWith(start))
        assert.deepEqual(ids(found), wanted, JSON.stringify(start))
        const others = await app.get('/songs', {
          filter: [{ not: { name, op: 'startswith', val: start } }],
        })
        assert.equal(others.many.length, titles.length - wanted.length)
      }
  })
})

it('the filter startswith uses an index on SQLite', () => {
  const database = new DatabaseSync(':memory:')
  addFunctions(database, {
    matchesPattern: () => false,
    matchesLike: () => false,
    countSearch: () => undefined,
  })
  database.exec('create table song (id integer primary key, title text)')
  database.exec('create index song_title on song (title)')
  const starts = sqliteDialect.startsWith(sql`title`, sql`'A'`)
  const written = compileStatement(
    sql`select count(*) from song where ${starts}`,
    sqliteDialect,
  ).sql
  const plan = database.prepare(`explain query plan ${written}`).all()
  assert.match(
    String(plan[0]?.detail),
    /SEARCH song USING COVERING INDEX song_title \(title>\? AND title<\?\)/,
  )
  database.close()
})

it('the upper bound of the texts that start with a text is the next text, or none', () => {
  assert.deepEqual(
    ['a', `a${last}`, `${below}${last}`, '\uffff', 'a\u{10fffe}'].map(prefixUpperBound),
    ['b', 'b', above, '\u{10000}', `a${last}`],
  )
  assert.deepEqual(
    ['', last, `${last}${last}`].map(prefixUpperBound),
    [0, 0, 0].map(() => new Uint8Array()),
  )
})
