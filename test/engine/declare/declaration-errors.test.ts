import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  bytes,
  computed,
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
  resource,
  type Sql,
  sql,
  text,
  toMany,
  toOne,
  url,
  uuid,
} from 'lapidary'
import { z } from 'zod'
import type { DialectName } from '../../../src/model/dialect.ts'
import { databases } from '../../databases.ts'
import type { OpenDatabase } from '../../open-database.ts'
import { bookshop, bookshopTables } from '../bookshop.ts'
import { catchDeclarationErrors, findStartErrors, openStore } from '../engine.ts'

type Patch = Readonly<Record<string, unknown>>
/** The declarations that differ from the bookshop, by type; of the fields only those that differ. */
type Patches = Readonly<Record<string, Patch & { readonly fields?: Patch }>>

/** The declarations of the bookshop with some options replaced, whether TypeScript accepts them or not. */
function patched(patches: Patches): unknown[] {
  return Object.entries(bookshop).map(([type, resource]) => {
    const { fields, ...other } = patches[type] ?? {}
    return { ...resource, ...other, fields: { ...resource.fields, ...fields } }
  })
}

/** Calls a function without type checks, as plain JavaScript does. */
function untyped<Result>(run: (...args: never[]) => Result, ...args: unknown[]): Result {
  return Reflect.apply(run, undefined, args)
}

const field = (name: string, declaration: unknown) => ({
  book: { fields: { [name]: declaration } },
})
const through = { table: 'book_tag', from: 'book_id', to: 'tag_id' }
const throws = () => {
  throw new Error('no\nidea')
}

/** Wrong declarations that are found without a database, each with its one error. */
// biome-ignore format: a table, one error a row
const withoutDatabase: readonly (readonly [sentence: string, patches: Patches, line: string])[] = [
  // Unknown options, and values of the wrong type.
  ['a misspelled option of a type', { tag: { acess: 'read-only' } }, 'tag.acess: there is no such option; did you mean "access"?'],
  ['a misspelled option of an attribute', field('title', { ...attribute(text), requird: true }), 'book.fields.title.requird: there is no such option; did you mean "required"?'],
  ['an option that expressions do not have', field('stock', { ...expression(integer, () => sql`1`), required: true }), 'book.fields.stock.required: there is no such option; the options are "kind", "expression", "filter", "sort", "invalidValues", "readable", "filterable", "sortable", "description".'],
  ['a description of an attribute that is not a string', field('stock', { ...attribute(integer), description: 5 }), 'book.fields.stock.description: must be a string; it is 5'],
  ['a description of a relationship that is not a string', field('author', { ...toOne('author', { column: 'author_id' }), description: ['x'] }), 'book.fields.author.description: must be a string; it is an array'],
  ['an option that relationships do not have', field('loans', { ...toMany('loan', { column: 'isbn' }), required: true }), 'book.fields.loans.required: there is no such option; the options are "to", "column", "references", "access", "readable", "writable", "link", "unlink", "description", "through", "count", "include".'],
  ['foreignKey on a to-many relationship', field('loans', { ...toMany('loan', { column: 'isbn' }), foreignKey: 'other' }), 'book.fields.loans.foreignKey: there is no such option; the options are "to", "column", "references", "access", "readable", "writable", "link", "unlink", "description", "through", "count", "include".'],
  ['a misspelled option of the ids', { country: { id: { column: 'code', kinds: text } } }, 'country.id.kinds: there is no such option; did you mean "kind"?'],
  ['a misspelled option of a join table', field('tags', toMany('tag', untyped(Object, { through: { ...through, form: 'x' } }))), 'book.fields.tags.through.form: there is no such option; did you mean "from"?'],
  ['a misspelled hook', { tag: { hooks: { beforeUdpate: () => {} } } }, 'tag.hooks.beforeUdpate: there is no such option; did you mean "beforeUpdate"?'],
  ['a hook that is not a function', { tag: { hooks: { beforeRead: true } } }, 'tag.hooks.beforeRead: must be a function; it is true'],
  ['a type without a path', { tag: { path: undefined } }, 'tag.path: must be a string; it is missing'],
  ['a type without a table', { tag: { table: '' } }, 'tag.table: must be a name; it is ""'],
  ['a type whose name is a number', { tag: { type: 5 } }, 'resources[5].type: must be a string; it is 5'],
  ['a string instead of a boolean', field('title', { ...attribute(text), required: 'yes' }), 'book.fields.title.required: must be true or false; it is "yes"'],
  ['a misspelled access', field('isbn', { ...attribute(text), access: 'readonly' }), 'book.fields.isbn.access: "readonly" is not allowed; did you mean "read-only"?'],
  ['an access that relationships do not have', field('author', { ...toOne('author', { column: 'author_id' }), access: 'write-only' }), 'book.fields.author.access: "write-only" is not allowed; the choices are "read-write", "read-only", "immutable".'],
  ['a misspelled foreignKey', { author: { fields: { profile: { ...toOne('profile', { column: 'author_id' }), foreignKey: 'othre' } } } }, 'author.fields.profile.foreignKey: "othre" is not allowed; did you mean "other"?'],
  ['a boolean instead of optional or required', { book: { id: { kind: uuid, client: true } } }, 'book.id.client: must be "optional" or "required"; it is true'],
  ['the name of a kind instead of the kind', field('isbn', { ...attribute(text), kind: 'text' }), 'book.fields.isbn.kind: must be an attribute kind, such as text; it is "text"'],
  ['a kind that was not called', field('price', { ...attribute(text), kind: decimal }), 'book.fields.price.kind: must be an attribute kind; call the function that returns it, as in decimal(); it is a function'],
  ['a kind instead of a field', field('isbn', text), 'book.fields.isbn: must be created by attribute, expression, computed, toOne or toMany; it is an attribute kind: write attribute(…)'],
  ['a field as a plain object', field('isbn', { kind: text }), 'book.fields.isbn: must be created by attribute, expression, computed, toOne or toMany; it is an object'],
  ['a relationship without a column', field('author', { is: 'toOne', to: 'author' }), 'book.fields.author.column: must be a name; it is missing'],
  ['a foreign key and a join table', field('tags', { ...toMany('tag', { through }), column: 'book_id' }), 'book.fields.tags.column: not allowed with "through", whose join table holds the keys'],
  ['a join table without a column', field('tags', { ...toMany('tag', { through }), through: { table: 'book_tag', from: 'book_id' } }), 'book.fields.tags.through.to: must be a name; it is missing'],
  ['a function instead of a validator', field('title', { ...attribute(text), validate: () => true }), 'book.fields.title.validate: must be a validator with the Standard Schema interface; it is a function'],
  ['a column without a kind in a computed attribute', field('label', untyped(computed, text, { title: 'text' }, () => '')), 'book.fields.label.columns.title.kind: must be an attribute kind, such as text; it is "text"'],
  ['a computed attribute that is async', field('label', untyped(computed, text, { title: text }, async () => '')), 'book.fields.label.compute: must not be async, because its result is needed at once'],
  ['a computed attribute without a function', field('label', untyped(computed, text, { title: text })), 'book.fields.label.compute: must be a function; it is missing'],
  ['an insert default that no column can store', { book: { insertDefaults: { kind: new Date(0) } } }, 'book.insertDefaults.kind: must be a string, a number, true, false, null or bytes; it is an object'],
  // SQL expressions.
  ['a scope that is not a function', { book: { scope: "kind = 'paper'" } }, `book.scope: must be a function; it is "kind = 'paper'"`],
  ['a scope that returns a string', { book: { scope: () => "kind = 'paper'" } }, `book.scope: must return sql\`…\`; it returns "kind = 'paper'"`],
  ['a scope that returns nothing', { book: { scope: () => {} } }, 'book.scope: must return sql`…`; it returns nothing'],
  ['a scope that throws', { book: { scope: throws } }, 'book.scope: must return sql`…`; it throws "Error: no\\nidea"'],
  ['an expression that throws', field('stock', expression(integer, throws)), 'book.fields.stock.expression: must return sql`…`; it throws "Error: no\\nidea"'],
  // Names and types.
  ['a relationship to a misspelled type', field('author', toOne('auther', { column: 'author_id' })), 'book.fields.author.to: there is no resource type "auther"; did you mean "author"?'],
  ['two types with the same name', { ebook: { type: 'book' } }, 'book.type: another resource type has the same type "book"'],
  ['two types with the same path', { ebook: { path: '/books' } }, 'ebook.path: another resource type has the same path "/books"'],
  ['ids of a kind that is not unique in paths', { tag: { id: { kind: url } } }, 'tag.id.kind: must be uuid, text, enumeration, boolean, decimal, date, time, datetime, storedAs(datetime, …), databaseText or, by default, a 64-bit integer; it is url'],
  // Contradictions.
  ['a join table with one column for both sides', field('tags', toMany('tag', { through: { ...through, to: 'book_id' } })), 'book.fields.tags.through.to: must differ from "from"; both are "book_id"'],
  ['a required read-only attribute', field('copies', attribute(integer, { access: 'read-only', required: true })), 'book.fields.copies.required: a read-only attribute cannot be required, because clients cannot send it'],
  ['a validator of a read-only attribute', field('copies', attribute(integer, { access: 'read-only', validate: z.any() })), 'book.fields.copies.validate: has no effect, because clients cannot send a read-only attribute; remove it'],
  ['a default of another kind', field('lent', attribute(date, { default: 'soon' })), 'book.fields.lent.default: must be a calendar date, written YYYY-MM-DD; it is "soon"'],
  ['a null default of a required attribute', field('title', { ...attribute(text, { required: true }), default: null }), 'book.fields.title.default: must not be null, because the attribute is required'],
  ['sort on a kind that cannot be sorted', field('isbn', attribute(json, { sort: true })), 'book.fields.isbn.sort: values of the kind json cannot be sorted'],
  ['sort on an expression that cannot be sorted', field('stock', expression(bytes, () => sql`x'00'`, { sort: true })), 'book.fields.stock.sort: values of the kind bytes cannot be sorted'],
  ['an insert default for the column of a field', { book: { insertDefaults: { kind: 'paper', isbn: 'none' } } }, 'book.insertDefaults.isbn: the field "isbn" writes this column'],
  ['an insert default for the column of a field with a default', { book: { insertDefaults: { kind: 'paper', price: '5' } } }, 'book.insertDefaults.price: the field "price" writes this column'],
  ['an insert default for the id', { loan: { insertDefaults: { id: 5 } } }, 'loan.insertDefaults.id: "id" is the id column'],
  ['insert defaults of a read-only type', { ebook: { insertDefaults: { kind: 'file' } } }, 'ebook.insertDefaults: has no effect, because the type is read-only; remove it'],
  ['client-generated ids of a read-only type', { ebook: { id: { kind: uuid, client: 'required' } } }, 'ebook.id.client: has no effect, because the type is read-only; remove it'],
  ['a write hook of a read-only type', { ebook: { hooks: { beforeDelete: () => {} } } }, 'ebook.hooks.beforeDelete: has no effect, because the type is read-only; remove it'],
  ['a validator of a read-only type', { ebook: { validate: z.any() } }, 'ebook.validate: has no effect, because the type is read-only; remove it'],
  ['a writable attribute over the id column', field('number', attribute(text, { column: 'id' })), 'book.fields.number.column: "id" is the id column, which fields cannot write'],
  ['a column with two kinds', field('label', computed(text, { copies: text }, () => '')), 'book.fields.label.columns.copies: has the kind text here but integer in the field "copies"'],
]

/** An error that quotes the database. */
type Line = Readonly<Record<DialectName, string>>

/** A column that cannot store the values of a codec. */
function wrongType(
  location: string,
  tableColumn: string,
  type: 'TEXT' | 'REAL',
  codec: string,
): Line {
  const [table, column] = tableColumn.split('.')
  const line = (name: string) =>
    `${location}: the column "${column}" of the table "${table}" has the type "${name}", which cannot store all ${codec} values exactly`
  return { sqlite: line(type), postgres: line(type.toLowerCase()) }
}

/** SQL that each database rejects with its own message. */
function rejectedSql(location: string, sqlite: string, postgres: string): Line {
  const start = `${location}: the database rejects its SQL: `
  return { sqlite: start + sqlite, postgres: start + postgres }
}

/** Declarations that do not match the tables, each with its one error. */
// biome-ignore format: a table, one error a row
const againstTables: readonly (readonly [sentence: string, patches: Patches, line: string | Line])[] = [
  ['a misspelled table', { tag: { table: 'tags' } }, 'tag.table: the database has no table "tags"; did you mean "tag"?'],
  ['a table in a missing schema', { tag: { schema: 'old' } }, 'tag.table: the schema "old" has no table "tag"; there are no tables.'],
  ['an attribute over a missing column', field('isbn', attribute(text, { column: 'isnb' })), 'book.fields.isbn.column: the table "book" has no column "isnb"; did you mean "isbn"?'],
  ['an attribute over a column of another type', field('isbn', attribute(integer)), wrongType('book.fields.isbn.column', 'book.isbn', 'TEXT', 'integer')],
  ['notNull on a nullable column', field('label', computed(text, { price: notNull(decimal({ precision: 10, scale: 2 })) }, () => '')), 'book.fields.label.columns.price: the column "price" of the table "book" is nullable'],
  ['an optional attribute over a required column', { tag: { fields: { word: attribute(text) } } }, 'tag.fields.word.required: the column "word" of the table "tag" must not be null and has no default; set required: true'],
  ['a scope with a missing column', { ebook: { scope: (column: (name: string) => Sql) => sql`${column('kinds')} = 1` } }, 'ebook.scope: the table "book" has no column "kinds"; did you mean "kind"?'],
  ['an expression with a missing column', field('stock', expression(integer, (column) => sql`${column('copie')}`)), 'book.fields.stock: the table "book" has no column "copie"; did you mean "copies"?'],
  ['an insert default for a missing column', { book: { insertDefaults: { kind: 'paper', colour: 'red' } } }, 'book.insertDefaults.colour: the table "book" has no column "colour"; the columns are "id", "kind", "isbn", "title", "price", "copies", "lent", "author_id", "maker_id", "initial".'],
  ['a null insert default for a not-null column', { book: { insertDefaults: { kind: null } } }, 'book.insertDefaults.kind: the column "kind" of the table "book" must not be null'],
  ['an insert default for a generated column', { book: { insertDefaults: { kind: 'paper', initial: 'A' } } }, 'book.insertDefaults.initial: the column "initial" of the table "book" is generated by the database'],
  ['a required column that no field writes', { book: { insertDefaults: {} } }, 'book.insertDefaults: no field writes the column "kind" of the table "book", which must not be null and has no default'],
  ['a writable view', { sum: { access: 'read-write', fields: { author: toOne('author', { column: 'id', access: 'read-only' }) } } }, 'sum.access: "author_sums" is a view; set access: "read-only"'],
  ['a writable generated column', field('initial', attribute(text)), 'book.fields.initial.access: the column "initial" of the table "book" is generated by the database; set access: "read-only"'],
  ['a default for a generated column', field('initial', attribute(text, { access: 'read-only', default: 'A' })), 'book.fields.initial.access: the column "initial" of the table "book" is generated by the database; set access: "read-only"'],
  ['ids without a default', { country: { id: { column: 'code', kind: text } } }, 'country.id: the column "code" of the table "country" has no default, so new rows would have no id; set client: "required"'],
  ['ids that are not unique', { loan: { id: { column: 'place', kind: text, client: 'required' } } }, 'loan.id: the column "place" of the table "loan" is not unique; the unique columns are "id".'],
  ['nullable ids', { profile: { id: { column: 'words', kind: text, client: 'required' }, fields: { words: attribute(text, { access: 'read-only' }) } } }, 'profile.id: the column "words" of the table "profile" is nullable'],
  ['ids of another type', { country: { id: { column: 'code', client: 'required' } } }, wrongType('country.id', 'country.code', 'TEXT', 'id')],
  ['a misspelled foreign key', field('author', toOne('author', { column: 'autor_id' })), 'book.fields.author.column: the table "book" has no column "autor_id"; did you mean "author_id"?'],
  ['a foreign key of another type than the ids', field('author', toOne('author', { column: 'title', access: 'read-only' })), wrongType('book.fields.author.column', 'book.title', 'TEXT', 'id')],
  ['a foreign key in the other table of another type than the ids', { author: { fields: { books: toMany('book', { column: 'title' }) } } }, wrongType('author.fields.books.column', 'book.title', 'TEXT', 'id')],
  ['a foreign key that references a column that is not unique', { loan: { fields: { book: toOne('book', { column: 'isbn', references: 'title' }) } } }, 'loan.fields.book.references: the column "title" of the table "book" is not unique'],
  ['a foreign key that references a nullable column', { loan: { fields: { book: toOne('tag', { column: 'isbn', references: 'nick' }) } } }, 'loan.fields.book.references: the column "nick" of the table "tag" is nullable, and a row with null cannot be linked; set access: "read-only"'],
  ['a foreign key that references a missing column', { loan: { fields: { book: toOne('book', { column: 'isbn', references: 'isbm' }) } } }, 'loan.fields.book.references: the table "book" has no column "isbm"; did you mean "isbn"?'],
  ['a to-one relationship over a column that is not unique', { author: { fields: { book: toOne('book', { column: 'maker_id', foreignKey: 'other' }) } } }, 'author.fields.book.column: the column "maker_id" of the table "book" is not unique, so there can be several related resources; use toMany'],
  ['a generated foreign key', field('author', toOne('country', { column: 'initial' })), 'book.fields.author.access: the column "initial" of the table "book" is generated by the database; set access: "read-only"'],
  ['a misspelled join table', field('tags', toMany('tag', { through: { ...through, table: 'book_tags' } })), 'book.fields.tags.through.table: the database has no table "book_tags"; did you mean "book_tag"?'],
  ['a misspelled column of a join table', field('tags', toMany('tag', { through: { ...through, to: 'tags_id' } })), 'book.fields.tags.through.to: the table "book_tag" has no column "tags_id"; did you mean "tag_id"?'],
  ['a column of a join table of another type than the ids', field('tags', toMany('tag', { through: { table: 'dated_tag', from: 'book_id', to: 'weight' }, access: 'read-only' })), wrongType('book.fields.tags.through.to', 'dated_tag.weight', 'REAL', 'id')],
  ['a writable join table with another required column', field('tags', toMany('tag', { through: { ...through, table: 'dated_tag' } })), 'book.fields.tags.through: no row can be inserted, because the column "since" of the table "dated_tag" must not be null and has no default; set access: "read-only"'],
  ['a writable join table that is a view', field('tags', toMany('tag', { through: { ...through, table: 'linked' } })), 'book.fields.tags.access: "linked" is a view; set access: "read-only"'],
  // SQL that the database rejects.
  ['an expression with a missing function', field('stock', expression(integer, (column) => sql`lenght(${column('title')})`)), rejectedSql('book.fields.stock', 'no such function: lenght', 'function lenght(text) does not exist')],
  ['a scope with a syntax error', { ebook: { scope: () => sql`1 +` } }, rejectedSql('ebook.scope', 'near ")": syntax error', 'syntax error at or near ")"')],
  ['a scope with a misspelled column in raw SQL', { ebook: { scope: () => sql`knid = 1` } }, rejectedSql('ebook.scope', 'no such column: knid', 'column "knid" does not exist')],
  ['a scope with an aggregate function', { ebook: { scope: () => sql`count(*) > 1` } }, rejectedSql('ebook.scope', 'misuse of aggregate function count()', 'aggregate functions are not allowed in WHERE')],
  ['a scope with a value that cannot be bound', { ebook: { scope: () => sql`1 < ${new Date(0)}` } }, 'ebook.scope: "1970-01-01T00:00:00.000Z" cannot be bound in SQL'],
  ['an expression with an undefined value', field('stock', expression(integer, () => sql`coalesce(${undefined}, 1)`)), 'book.fields.stock: undefined cannot be bound in SQL'],
]

/** Wrong options of kinds; the function that creates the kind throws. */
const wrongKinds: readonly (readonly [sentence: string, create: () => unknown, line: string])[] = [
  [
    'an enumeration without values',
    () => enumeration([]),
    'enumeration: at least one value is required',
  ],
  [
    'an enumeration with a duplicate',
    () => enumeration(['a', 'b', 'a']),
    'enumeration: "a" is listed twice',
  ],
  [
    'an enumeration with a number',
    () => untyped(enumeration, ['a', 5]),
    'enumeration: the values must be an array of strings',
  ],
  [
    'an enumeration of a string',
    () => untyped(enumeration, 'open'),
    'enumeration: the values must be an array of strings',
  ],
  [
    'a scale larger than the precision',
    () => decimal({ precision: 4, scale: 5 }),
    'decimal: the scale must be a whole number from 0 to 4; it is 5',
  ],
  [
    'a precision of 0',
    () => decimal({ precision: 0 }),
    'decimal: the precision must be a whole number from 1 to 1000; it is 0',
  ],
  [
    'a misspelled option of decimal',
    () => untyped(decimal, { precison: 4 }),
    'decimal: there is no option "precison"; did you mean "precision"?',
  ],
  [
    'an unknown serialization of large integers',
    () => untyped(integer64, { largeValuesAs: 'double' }),
    'integer64: largeValuesAs must be "number" or "string"; it is "double"',
  ],
]

/** Wrong options of a model. */
const wrongOptions: readonly (readonly [sentence: string, options: Patch, line: string])[] = [
  [
    'with a misspelled name',
    { pagesize: 5 },
    'options.pagesize: there is no such option; did you mean "pageSize"?',
  ],
  [
    'with an unknown value',
    { clientIds: 'accept' },
    'options.clientIds: "accept" is not allowed; the choices are "discard", "forbid".',
  ],
  [
    'with a page size above the maximum',
    { pageSize: 50, maxPageSize: 20 },
    'options.pageSize: must not be larger than maxPageSize, which is 20; it is 50',
  ],
  [
    'with a page size of 0',
    { maxPageSize: 0 },
    'options.maxPageSize: must be a whole number from 1; it is 0',
  ],
]

function define(resources: unknown, options: Patch = {}): Model {
  return untyped(defineModel, resources, options)
}

describe('defineModel reports one error for', () => {
  for (const [sentence, patches, line] of withoutDatabase) {
    it(sentence, () => {
      assert.throws(() => define(patched(patches)), { name: 'DeclarationError', message: line })
    })
  }

  for (const [sentence, options, line] of wrongOptions) {
    it(`a model option ${sentence}`, () => {
      assert.throws(() => define(patched({}), options), { name: 'DeclarationError', message: line })
    })
  }

  for (const [sentence, create, line] of wrongKinds) {
    it(sentence, () => {
      assert.throws(create, { name: 'RangeError', message: line })
    })
  }

  it('an object instead of an array of types', () => {
    assert.throws(() => define(bookshop), {
      message: 'model: must be an array of resource types; it is an object',
    })
  })
})

for (const database of databases) {
  describe(`verify reports one error for · ${database.name}`, () => {
    let tables: OpenDatabase
    before(async () => {
      tables = await database.create()
      await tables.second?.execute(bookshopTables(database.columnTypes))
    })
    after(() => tables.remove())

    async function findErrors(patches: Patches): Promise<readonly string[]> {
      const store = await openStore(define(patched(patches)), tables.url)
      try {
        return await catchDeclarationErrors(() => store.verify())
      } finally {
        await store.close()
      }
    }

    it('nothing in the unchanged bookshop', async () => {
      assert.deepEqual(await findErrors({}), [])
    })

    it('an id that clients send although the database generates it', async () => {
      const word = resource('word', {
        ...{ path: '/words', table: 'word' },
        id: { column: 'code', kind: text, client: 'required' },
        fields: {},
      })
      const sql =
        'create table word (word text, code text generated always as (upper(word)) stored not null unique)'
      assert.deepEqual(await findStartErrors(database, defineModel([word]), sql), [
        'word.id.client: the column "code" of the table "word" is generated by the database; set client: "forbidden"',
      ])
    })

    for (const type of ['smallint', 'numeric(5,0)'])
      it(`a version in a ${type}, which cannot count`, async () => {
        const parcel = resource('parcel', {
          ...{ path: '/parcels', table: 'parcel', version: 'row_version' },
          fields: {},
        })
        const { newId } = database.columnTypes
        const sql = `create table parcel (id ${newId}, row_version ${type} not null)`
        const [error, ...others] = await findStartErrors(database, defineModel([parcel]), sql)
        assert.match(error ?? '', /^parcel\.version: the column "row_version" .* has the type/)
        assert.deepEqual(others, [])
      })

    for (const [sentence, patches, line] of againstTables) {
      it(sentence, async () => {
        const expected = typeof line === 'string' ? line : line[database.dialect]
        assert.deepEqual(await findErrors(patches), [expected])
      })
    }
  })
}
