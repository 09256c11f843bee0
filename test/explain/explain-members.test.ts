import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, explainRead, integer, resource, text, toMany } from 'lapidary'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled } from '../filled.ts'

const author = resource('author', {
  path: '/authors',
  table: 'author',
  fields: {
    books: toMany('book', { column: 'author_id', include: { size: 5, sort: '-year' } }),
    prizes: toMany('prize', {
      through: { table: 'award', from: 'author_id', to: 'prize_id' },
    }),
  },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  fields: { title: attribute(text), year: attribute(integer) },
})
const prize = resource('prize', {
  path: '/prizes',
  table: 'prize',
  fields: { name: attribute(text) },
})
const model = defineModel([author, book, prize])

for (const database of databases)
  describe(`The index of a page of included members · ${database.name}`, () => {
    const { newId, id, text: string, integer: whole } = database.columnTypes
    const tables = `
      create table author (id ${newId});
      create table book (id ${newId}, title ${string}, year ${whole}, author_id ${id});
      create table prize (id ${newId}, name ${string});
      create table award (author_id ${id}, prize_id ${id});
      create index award_author on award (author_id, prize_id);
      create index award_prize on award (prize_id);
      create index book_author on book (author_id)`
    const isPostgres = database.dialect === 'postgres'
    const begin = (name: string) =>
      isPostgres ? 'create index on "book"' : `create index "book_author_id_${name}_id" on "book"`
    const cause = (name: string) =>
      `a page of author.${name} reads and sorts all members of each resource`

    it('is named by an explanation and by the doctor until it is there', async (test) => {
      const url = await filled(test, database, tables)
      const missing = `${cause('books')}: no index is on its foreign key and sort keys`
      const fix = `${begin('year_desc')} ("author_id", "year" desc, "id")`
      const open = async () => {
        const store = await openStore(model, url)
        test.after(() => store.close())
        return store
      }
      const explain = async (search: string) => {
        const { warnings } = await explainRead({ model, store: await open() }, `/authors?${search}`)
        return warnings.map((warning) => [warning.message, warning.fix])
      }
      const verify = async () => {
        const { warnings } = await (await open()).verify()
        return warnings.filter((warning) => warning.includes('a page of'))
      }
      assert.deepEqual(await explain('include=books'), [[missing, fix]])
      assert.deepEqual(await verify(), [`author.fields.books: ${missing}; to fix it: ${fix}`])
      assert.deepEqual(await explain('include=books&includeSort[books]=title'), [
        [
          missing,
          `${begin('title')} ("author_id", "title"${isPostgres ? ' collate "C"' : ''}, "id")`,
        ],
      ])
      await execute(url, fix)
      assert.deepEqual(await explain('include=books'), [])
      assert.deepEqual(await verify(), [])
      assert.deepEqual(await explain('include=prizes'), [])
      assert.deepEqual(
        await explain('include=prizes&includePage[prizes][size]=1&includeSort[prizes]=name'),
        [[`${cause('prizes')}: no index of a join table has their sort keys`, undefined]],
      )
    })
  })
