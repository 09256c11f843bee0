import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  bytes,
  computed,
  DeclarationError,
  date,
  decimal,
  defineModel,
  enumeration,
  expression,
  integer,
  integer64,
  json,
  type Model,
  notNull,
  type Sql,
  sql,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import { z } from 'zod'
import type { DialectName } from '../../src/model/dialect.ts'
import { databases } from '../databases.ts'
import { bookshop, bookshopTables } from './bookshop.ts'
import { openStore } from './engine.ts'

type Patch = Readonly<Record<string, unknown>>
/** What types say otherwise than the bookshop, by type; of its fields only those that differ. */
type Patches = Readonly<Record<string, Patch & { readonly fields?: Patch }>>

/** The declarations of the bookshop, with some words said otherwise, be they what TypeScript takes or not. */
function patched(patches: Patches): unknown[] {
  return Object.entries(bookshop).map(([type, resource]) => {
    const { fields, ...other } = patches[type] ?? {}
    return { ...resource, ...other, fields: { ...resource.fields, ...fields } }
  })
}

/** Calls as JavaScript does, which has no compiler to refuse anything. */
function untyped<Result>(work: (...words: never[]) => Result, ...words: unknown[]): Result {
  return Reflect.apply(work, undefined, words)
}

const field = (name: string, declaration: unknown) => ({
  book: { fields: { [name]: declaration } },
})
const through = { table: 'book_tag', from: 'book_id', to: 'tag_id' }
const throws = () => {
  throw new Error('no\nidea')
}

/** Planted mistakes that no database is needed to find, each with the one line that tells it. */
// biome-ignore format: a table, one mistake a row
const said: readonly (readonly [sentence: string, patches: Patches, line: string])[] = [
  // Options that are not there, and values of the wrong type.
  ['an option of a type misspelt', { tag: { acess: 'read-only' } }, 'tag.acess: there is no such option; did you mean "access"?'],
  ['an option of an attribute misspelt', field('title', { ...attribute(text), requird: true }), 'book.fields.title.requird: there is no such option; did you mean "required"?'],
  ['an option that expressions do not have', field('stock', { ...expression(integer, () => sql`1`), required: true }), 'book.fields.stock.required: there is no such option; the options are "kind", "expression", "filter", "sort".'],
  ['an option that relationships do not have', field('author', { ...toOne('author', { column: 'author_id' }), required: true }), 'book.fields.author.required: there is no such option; the options are "to", "column", "references", "access", "key".'],
  ['a key of another side over many', field('loans', { ...toMany('loan', { column: 'isbn' }), foreignKey: 'other' }), 'book.fields.loans.key: there is no such option; the options are "to", "column", "references", "access", "through".'],
  ['an option of the ids misspelt', { country: { id: { column: 'code', kinds: text } } }, 'country.id.kinds: there is no such option; did you mean "kind"?'],
  ['an option of a join table misspelt', field('tags', toMany('tag', untyped(Object, { through: { ...through, form: 'x' } }))), 'book.fields.tags.through.form: there is no such option; did you mean "from"?'],
  ['a hook that nobody calls', { tag: { hooks: { beforeUdpate: () => {} } } }, 'tag.hooks.beforeUdpate: there is no such option; did you mean "beforeUpdate"?'],
  ['a hook that is no function', { tag: { hooks: { beforeRead: true } } }, 'tag.hooks.beforeRead: must be a function; it is true'],
  ['no path', { tag: { path: undefined } }, 'tag.path: must be a string; it is missing'],
  ['no table', { tag: { table: '' } }, 'tag.table: must be a name; it is ""'],
  ['no type', { tag: { type: 5 } }, 'resources[5].type: must be a string; it is 5'],
  ['a truth that is a word', field('title', { ...attribute(text), required: 'yes' }), 'book.fields.title.required: must be true or false; it is "yes"'],
  ['an access misspelt', field('isbn', { ...attribute(text), access: 'readonly' }), 'book.fields.isbn.access: there is no "readonly"; did you mean "read-only"?'],
  ['an access that relationships do not have', field('author', { ...toOne('author', { column: 'author_id' }), access: 'write-only' }), 'book.fields.author.access: there is no "write-only"; the choices are "read-write", "read-only".'],
  ['a side of the key that is none', { author: { fields: { profile: { ...toOne('profile', { column: 'author_id' }), key: 'their' } } } }, 'author.fields.profile.key: there is no "their"; did you mean "there"?'],
  ['a client’s ids that are neither', { book: { id: { kind: uuid, client: true } } }, 'book.id.client: must be "optional" or "required"; it is true'],
  ['the name of a kind', field('isbn', { ...attribute(text), kind: 'text' }), 'book.fields.isbn.kind: must be a kind, such as text; it is "text"'],
  ['a kind that was not called', field('price', { ...attribute(text), kind: decimal }), 'book.fields.price.kind: must be a kind, so call it, as in decimal(); it is a function'],
  ['a kind for a field', field('isbn', text), 'book.fields.isbn: must be made by attribute, expression, computed, toOne or toMany; it is a kind, so say attribute(…)'],
  ['a field that nothing has made', field('isbn', { kind: text }), 'book.fields.isbn: must be made by attribute, expression, computed, toOne or toMany; it is an object'],
  ['a relationship without a column', field('author', { is: 'toOne', to: 'author' }), 'book.fields.author.column: must be a name; it is missing'],
  ['a key and a join table', field('tags', { ...toMany('tag', { through }), column: 'book_id' }), 'book.fields.tags.column: the keys are in the join table; say "column" or "through", not both'],
  ['a join table without a side', field('tags', { ...toMany('tag', { through }), through: { table: 'book_tag', from: 'book_id' } }), 'book.fields.tags.through.to: must be a name; it is missing'],
  ['a function for a validator', field('title', { ...attribute(text), validate: () => true }), 'book.fields.title.validate: must be a validator with the interface of Standard Schema; it is a function'],
  ['a column of no kind in what is computed', field('label', untyped(computed, text, { title: 'text' }, () => '')), 'book.fields.label.columns.title.kind: must be a kind, such as text; it is "text"'],
  ['nothing to compute with', field('label', untyped(computed, text, { title: text })), 'book.fields.label.compute: must be a function; it is missing'],
  ['a value for new rows that no column holds', { book: { insertDefaults: { kind: new Date(0) } } }, 'book.insertDefaults.kind: must be a text, a number, true, false, null or bytes; it is an object'],
  // SQL that declarations write.
  ['a condition that is no function', { book: { where: "kind = 'paper'" } }, `book.where: must be a function; it is "kind = 'paper'"`],
  ['a condition that is no SQL', { book: { where: () => "kind = 'paper'" } }, `book.where: must return sql\`…\`; it returns "kind = 'paper'"`],
  ['a condition that returns nothing', { book: { where: () => {} } }, 'book.where: must return sql`…`; it returns nothing'],
  ['a condition that throws', { book: { where: throws } }, 'book.where: must return sql`…`; it throws "Error: no\\nidea"'],
  ['an expression that throws', field('stock', expression(integer, throws)), 'book.fields.stock.expression: must return sql`…`; it throws "Error: no\\nidea"'],
  // Names and types.
  ['a relationship to a type misspelt', field('author', toOne('auther', { column: 'author_id' })), 'book.fields.author.to: there is no resource type "auther"; did you mean "author"?'],
  ['a type of another’s name', { ebook: { type: 'book' } }, 'book.type: another resource type has the type "book" too'],
  ['a path of another’s', { ebook: { path: '/books' } }, 'ebook.path: another resource type has the path "/books" too'],
  ['ids of a kind that no path bears', { tag: { id: { kind: date } } }, 'tag.id.kind: ids are whole numbers, uuids or texts; this is date'],
  // What contradicts itself.
  ['both sides in one column of a join table', field('tags', toMany('tag', { through: { ...through, to: 'book_id' } })), 'book.fields.tags.through.to: "book_id" is the column of this side already'],
  ['a required attribute that nobody may send', field('copies', attribute(integer, { access: 'read-only', required: true })), 'book.fields.copies.required: a read-only attribute cannot be required, nobody may send it'],
  ['a validator that never sees a value', field('copies', attribute(integer, { access: 'read-only', validate: z.any() })), 'book.fields.copies.validate: nobody may send a read-only attribute, so nothing is checked'],
  ['a default that is none of the kind', field('lent', attribute(date, { default: 'soon' })), 'book.fields.lent.default: must be a date of the calendar, written YYYY-MM-DD; it is "soon"'],
  ['a default that is refused', field('title', { ...attribute(text, { required: true }), default: null }), 'book.fields.title.default: must not be null, as the attribute is required'],
  ['a sort of what has no order', field('isbn', attribute(json, { sort: true })), 'book.fields.isbn.sort: values of the kind json have no order'],
  ['a sort of an expression that has no order', field('stock', expression(bytes, () => sql`x'00'`, { sort: true })), 'book.fields.stock.sort: values of the kind bytes have no order'],
  ['new rows that hold something in the column of a field', { book: { insertDefaults: { kind: 'paper', isbn: 'none' } } }, 'book.insertDefaults.isbn: the field "isbn" writes it'],
  ['new rows that hold something in a column with a default', { book: { insertDefaults: { kind: 'paper', price: '5' } } }, 'book.insertDefaults.price: the field "price" writes it'],
  ['new rows that hold an id', { loan: { insertDefaults: { id: 5 } } }, 'loan.insertDefaults.id: "id" is the column of the ids'],
  ['new rows of a type that nobody writes', { ebook: { insertDefaults: { kind: 'file' } } }, 'ebook.insertDefaults: nothing writes a read-only type'],
  ['ids by the client of a type that nobody writes', { ebook: { id: { kind: uuid, client: 'required' } } }, 'ebook.id.client: nothing writes a read-only type'],
  ['a hook of writes that never come', { ebook: { hooks: { beforeDelete: () => {} } } }, 'ebook.hooks.beforeDelete: nothing writes a read-only type'],
  ['a validator of writes that never come', { ebook: { validate: z.any() } }, 'ebook.validate: nothing writes a read-only type'],
  ['an attribute over the ids', field('number', attribute(text, { column: 'id' })), 'book.fields.number.column: "id" is the column of the ids, which the database writes'],
  ['a column of two kinds', field('label', computed(text, { copies: text }, () => '')), 'book.fields.label.columns.copies: is text here and integer in the field "copies"'],
]

/** A line that has words of the database's own. */
type Line = Readonly<Record<DialectName, string>>

/** A column that does not keep the values of a form. */
function misfit(place: string, tableColumn: string, type: 'TEXT' | 'REAL', form: string): Line {
  const [table, column] = tableColumn.split('.')
  const line = (name: string) =>
    `${place}: the column "${column}" of the table "${table}" is of the type "${name}", which does not keep values as ${form} exactly`
  return { sqlite: line(type), postgres: line(type.toLowerCase()) }
}

/** SQL of a declaration that each database refuses in its own words. */
function refusal(place: string, sqlite: string, postgres: string): Line {
  const start = `${place}: the database refuses its SQL: `
  return { sqlite: start + sqlite, postgres: start + postgres }
}

/** Planted mistakes that the tables do not bear out. */
// biome-ignore format: a table, one mistake a row
const borne: readonly (readonly [sentence: string, patches: Patches, line: string | Line])[] = [
  ['a table misspelt', { tag: { table: 'tags' } }, 'tag.table: the database has no table "tags"; did you mean "tag"?'],
  ['a table in no such schema', { tag: { schema: 'old' } }, 'tag.table: the schema "old" has no table "tag"; there are no tables.'],
  ['an attribute over no column', field('isbn', attribute(text, { column: 'isnb' })), 'book.fields.isbn.column: the table "book" has no column "isnb"; did you mean "isbn"?'],
  ['an attribute over a column of another type', field('isbn', attribute(integer)), misfit('book.fields.isbn.column', 'book.isbn', 'TEXT', 'integer')],
  ['a column that is never null, and may be', field('label', computed(text, { price: notNull(decimal({ precision: 10, scale: 2 })) }, () => '')), 'book.fields.label.columns.price: the column "price" of the table "book" may be null'],
  ['a column that is needed and that nobody must send', { tag: { fields: { word: attribute(text) } } }, 'tag.fields.word.required: the column "word" of the table "tag" must not be null and has no default; say required: true'],
  ['a condition over no column', { ebook: { where: (column: (name: string) => Sql) => sql`${column('kinds')} = 1` } }, 'ebook.where: the table "book" has no column "kinds"; did you mean "kind"?'],
  ['an expression over no column', field('stock', expression(integer, (column) => sql`${column('copie')}`)), 'book.fields.stock: the table "book" has no column "copie"; did you mean "copies"?'],
  ['new rows with no such column', { book: { insertDefaults: { kind: 'paper', colour: 'red' } } }, 'book.insertDefaults.colour: the table "book" has no column "colour"; the columns are "id", "kind", "isbn", "title", "price", "copies", "lent", "author_id", "maker_id", "initial".'],
  ['new rows with nothing where something must be', { book: { insertDefaults: { kind: null } } }, 'book.insertDefaults.kind: the column "kind" of the table "book" must not be null'],
  ['new rows with what the database generates', { book: { insertDefaults: { kind: 'paper', initial: 'A' } } }, 'book.insertDefaults.initial: the column "initial" of the table "book" is generated'],
  ['new rows without what they must have', { book: { insertDefaults: {} } }, 'book.insertDefaults: no field writes the column "kind" of the table "book", which has no default and must not be null'],
  ['a writable view', { sum: { access: 'read-write', fields: { author: toOne('author', { column: 'id', access: 'read-only' }) } } }, 'sum.access: "author_sums" is a view; say access: "read-only"'],
  ['a writable generated column', field('initial', attribute(text)), 'book.fields.initial.access: the column "initial" of the table "book" is generated; say access: "read-only"'],
  ['a default for a generated column', field('initial', attribute(text, { access: 'read-only', default: 'A' })), 'book.fields.initial.access: the column "initial" of the table "book" is generated; say access: "read-only"'],
  ['ids that nobody gives', { country: { id: { column: 'code', kind: text } } }, 'country.id: the column "code" of the table "country" has no default, so new rows would have no id; say client: "required"'],
  ['ids that are not unique', { loan: { id: { column: 'place', kind: text, client: 'required' } } }, 'loan.id: the column "place" of the table "loan" is not unique; the unique columns are "id".'],
  ['ids that may be null', { profile: { id: { column: 'words', kind: text, client: 'required' }, fields: { words: attribute(text, { access: 'read-only' }) } } }, 'profile.id: the column "words" of the table "profile" may be null'],
  ['ids of another type', { country: { id: { column: 'code', client: 'required' } } }, misfit('country.id', 'country.code', 'TEXT', 'id')],
  ['a key misspelt', field('author', toOne('author', { column: 'autor_id' })), 'book.fields.author.column: the table "book" has no column "autor_id"; did you mean "author_id"?'],
  ['a key of another type than the ids', field('author', toOne('author', { column: 'title', access: 'read-only' })), misfit('book.fields.author.column', 'book.title', 'TEXT', 'id')],
  ['a key of theirs of another type than the ids', { author: { fields: { books: toMany('book', { column: 'title' }) } } }, misfit('author.fields.books.column', 'book.title', 'TEXT', 'id')],
  ['a key that refers to what is not unique', { loan: { fields: { book: toOne('book', { column: 'isbn', references: 'title' }) } } }, 'loan.fields.book.references: the column "title" of the table "book" is not unique'],
  ['a key that refers to what may be null', { loan: { fields: { book: toOne('tag', { column: 'isbn', references: 'nick' }) } } }, 'loan.fields.book.references: the column "nick" of the table "tag" may be null, and such a row cannot be linked; say access: "read-only"'],
  ['a key that refers to no column', { loan: { fields: { book: toOne('book', { column: 'isbn', references: 'isbm' }) } } }, 'loan.fields.book.references: the table "book" has no column "isbm"; did you mean "isbn"?'],
  ['one of many', { author: { fields: { book: toOne('book', { column: 'maker_id', foreignKey: 'other' }) } } }, 'author.fields.book.column: the column "maker_id" of the table "book" is not unique, so there may be many; say toMany'],
  ['a key that the database generates', field('author', toOne('country', { column: 'initial' })), 'book.fields.author.access: the column "initial" of the table "book" is generated; say access: "read-only"'],
  ['a join table misspelt', field('tags', toMany('tag', { through: { ...through, table: 'book_tags' } })), 'book.fields.tags.through.table: the database has no table "book_tags"; did you mean "book_tag"?'],
  ['a side of a join table misspelt', field('tags', toMany('tag', { through: { ...through, to: 'tags_id' } })), 'book.fields.tags.through.to: the table "book_tag" has no column "tags_id"; did you mean "tag_id"?'],
  ['a side of a join table of another type than the ids', field('tags', toMany('tag', { through: { table: 'dated_tag', from: 'book_id', to: 'weight' }, access: 'read-only' })), misfit('book.fields.tags.through.to', 'dated_tag.weight', 'REAL', 'id')],
  ['links that lack something', field('tags', toMany('tag', { through: { ...through, table: 'dated_tag' } })), 'book.fields.tags.through: a link cannot be added, since the column "since" of the table "dated_tag" has no default and must not be null; say access: "read-only"'],
  ['links written in a view', field('tags', toMany('tag', { through: { ...through, table: 'linked' } })), 'book.fields.tags.access: "linked" is a view; say access: "read-only"'],
  // SQL that the database does not take.
  ['a function that the database does not have', field('stock', expression(integer, (column) => sql`lenght(${column('title')})`)), refusal('book.fields.stock', 'no such function: lenght', 'function lenght(text) does not exist')],
  ['SQL that is none', { ebook: { where: () => sql`1 +` } }, refusal('ebook.where', 'near ")": syntax error', 'syntax error at or near ")"')],
  ['a column that was not asked for by name', { ebook: { where: () => sql`knid = 1` } }, refusal('ebook.where', 'no such column: knid', 'column "knid" does not exist')],
  ['a sum where a row is meant', { ebook: { where: () => sql`count(*) > 1` } }, refusal('ebook.where', 'misuse of aggregate function count()', 'aggregate functions are not allowed in WHERE')],
  ['a value that the database cannot take', { ebook: { where: () => sql`1 < ${new Date(0)}` } }, 'ebook.where: "1970-01-01T00:00:00.000Z" cannot be bound in SQL'],
  ['a value that is missing', field('stock', expression(integer, () => sql`coalesce(${undefined}, 1)`)), 'book.fields.stock: undefined cannot be bound in SQL'],
]

/** Kinds that contradict themselves: they are told at once, where they are made. */
const kinds: readonly (readonly [sentence: string, make: () => unknown, line: string])[] = [
  ['an enumeration of nothing', () => enumeration([]), 'enumeration: there are no values'],
  ['a value twice', () => enumeration(['a', 'b', 'a']), 'enumeration: "a" is there twice'],
  [
    'a value that is no text',
    () => untyped(enumeration, ['a', 5]),
    'enumeration: the values must be texts in an array',
  ],
  [
    'values that are no list',
    () => untyped(enumeration, 'open'),
    'enumeration: the values must be texts in an array',
  ],
  [
    'more digits after the point than in all',
    () => decimal({ precision: 4, scale: 5 }),
    'decimal: the scale must be a whole number from 0 to 4; it is 5',
  ],
  [
    'no digits at all',
    () => decimal({ precision: 0 }),
    'decimal: the precision must be a whole number from 1 to 1000; it is 0',
  ],
  [
    'an option of decimals misspelt',
    () => untyped(decimal, { precison: 4 }),
    'decimal: there is no option "precison"; did you mean "precision"?',
  ],
  [
    'another way to write long numbers',
    () => untyped(integer64, { beyond: 'double' }),
    'integer64: beyond must be "number" or "string"; it is "double"',
  ],
]

/** Options of a model that contradict themselves. */
const options: readonly (readonly [sentence: string, options: Patch, line: string])[] = [
  [
    'misspelt',
    { pagesize: 5 },
    'options.pagesize: there is no such option; did you mean "pageSize"?',
  ],
  [
    'of a choice that is not there',
    { clientIds: 'accept' },
    'options.clientIds: there is no "accept"; the choices are "discard", "forbid".',
  ],
  [
    'of pages larger than the largest',
    { pageSize: 50, maxPageSize: 20 },
    'options.pageSize: must not be above maxPageSize, 20; it is 50',
  ],
  [
    'of pages of nothing',
    { maxPageSize: 0 },
    'options.maxPageSize: must be a whole number from 1; it is 0',
  ],
]

function define(resources: unknown, chosen: Patch = {}): Model {
  return untyped(defineModel, resources, chosen)
}

describe('A planted mistake stops the start with one line', () => {
  for (const [sentence, patches, line] of said) {
    it(sentence, () => {
      assert.throws(() => define(patched(patches)), { name: 'DeclarationError', message: line })
    })
  }

  for (const [sentence, chosen, line] of options) {
    it(`an option of the model ${sentence}`, () => {
      assert.throws(() => define(patched({}), chosen), { name: 'DeclarationError', message: line })
    })
  }

  for (const [sentence, make, line] of kinds) {
    it(`in a kind: ${sentence}`, () => {
      assert.throws(make, { name: 'RangeError', message: line })
    })
  }

  it('what is no list of types at all', () => {
    assert.throws(() => define(bookshop), {
      message: 'model: must be an array of resource types; it is an object',
    })
  })
})

for (const database of databases) {
  describe(`A planted mistake against the tables stops the start · ${database.name}`, () => {
    async function mistakesOf(patches: Patches): Promise<readonly string[]> {
      const model = define(patched(patches))
      const { url, remove } = await database.create()
      const store = await openStore(model, url)
      try {
        await store.migrate([{ version: 1, sql: bookshopTables(database.columnTypes) }])
        await store.verify()
        return []
      } catch (error) {
        assert.ok(error instanceof DeclarationError, String(error))
        return error.errors
      } finally {
        await store.close()
        await remove()
      }
    }

    it('there is none in the bookshop as it is', async () => {
      assert.deepEqual(await mistakesOf({}), [])
    })

    for (const [sentence, patches, line] of borne) {
      it(sentence, async () => {
        const expected = typeof line === 'string' ? line : line[database.dialect]
        assert.deepEqual(await mistakesOf(patches), [expected])
      })
    }
  })
}
