import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  defineModel,
  explainRead,
  integer,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled } from '../filled.ts'

const author = resource('author', {
  path: '/authors',
  table: 'author',
  fields: {
    books: toMany('book', { column: 'author_id', include: { size: 5, sort: '-year' } }),
  },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  pages: { by: 'cursor' },
  fields: {
    title: attribute(text),
    year: attribute(integer),
    year_end: attribute(integer),
    end: attribute(integer),
    author: toOne('author', { column: 'author_id' }),
  },
})
const bookYear = resource('book_year', {
  path: '/book-years',
  table: 'book_year',
  pages: { by: 'cursor' },
  fields: { end: attribute(integer) },
})
const model = defineModel([author, book, bookYear])

/** Requests that need an index each, most of them another one. */
const requests = [
  ...['year', '-year', 'year_end', 'year,end', 'end,-year', '-year,-id', 'title', 'author.id'],
  ...['year_end,-end', 'end', '-end', '-title,year'],
].map((sort) => `/books?sort=${sort}`)
// By its table and its key, its name would be that of the index for `/books?sort=year_end`.
requests.push('/book-years?sort=end')
requests.push('/books?filter[year]=1', '/books?filter[end]=1', '/books?filter[title]=a')
requests.push('/authors?include=books', '/authors?include=books&includeSort[books]=end')
requests.push('/authors?include=books&includeSort[books]=year_end', '/authors/1/books')

for (const database of databases)
  describe(`The indexes that are proposed · ${database.name}`, () => {
    const { newId, id, text: string, integer: whole } = database.columnTypes
    const tables = `
      create table author (id ${newId});
      create table book (id ${newId}, title ${string}, year ${whole}, year_end ${whole}, "end" ${whole}, author_id ${id});
      create table book_year (id ${newId}, "end" ${whole});
      insert into author (id) values (1)`

    it('have names of their own, and the same statement in an explanation and by the doctor', async (test) => {
      const url = await filled(test, database, tables)
      const store = await openStore(model, url)
      test.after(() => store.close())
      const explained = new Set<string>()
      for (const request of requests) {
        const { warnings } = await explainRead({ model, store }, request)
        for (const { fix } of warnings) if (fix !== undefined) explained.add(fix)
      }
      const { warnings } = await store.verify()
      const verified = warnings.flatMap(
        (warning) => warning.match(/create index .*?\)(?=;|$)/g) ?? [],
      )
      const name = (statement: string) => statement.split(' on ', 1)[0]
      assert.ok(explained.size > 12, [...explained].join('\n'))
      assert.ok(verified.length > 4, warnings.join('\n'))
      for (const statement of verified) assert.ok(explained.has(statement), statement)
      const all = new Set([...explained, ...verified])
      if (database.dialect === 'sqlite') assert.equal(new Set([...all].map(name)).size, all.size)
      // A name that stands for two indexes would be an error.
      for (const statement of all) await execute(url, statement)
    })
  })
