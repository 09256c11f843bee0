import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  auth,
  createApi,
  DeclarationError,
  defineModel,
  type ModelOptions,
  type ResourceAccess,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'

interface User {
  readonly id: string
}

const author = resource('author', {
  path: '/authors',
  table: 'author',
  fields: { name: attribute(text), books: toMany('book', { column: 'author_id' }) },
})

function bookWith(access: unknown, fields: object = {}) {
  return resource('book', {
    path: '/books',
    table: 'book',
    // Declarations in JavaScript are not checked by a compiler.
    access: access as ResourceAccess,
    fields: { title: attribute(text), author: toOne('author', { column: 'author_id' }), ...fields },
  })
}

const id = auth((user: User) => user.id)
const compare = (name: string, op: string, val: unknown) => ({ filter: [{ name, op, val }] })

// biome-ignore format: a table, one declaration a row
const wrong: readonly (readonly [title: string, access: unknown, message: RegExp])[] = [
  ['an operation that does not exist', { reed: true }, /^book\.access\.reed: there is no such option; did you mean "read"\?$/],
  ['a rule of another type', { read: 'all' }, /^book\.access\.read: must be true, false, a function of the auth context, or \{ filter \}/],
  ['a rule without a condition', { read: {} }, /^book\.access\.read: must have one of the members filter, sql, any, all; it has 0$/],
  ['a rule with two conditions', { read: { any: [], all: [true] } }, /it has 2$/],
  ['a nested rule', { update: { any: [true, { fillter: [] }] } }, /^book\.access\.update\.any\[1\]\.fillter: there is no such option; did you mean "filter"\?/],
  ['an unknown operation of anonymous requests', { anonymous: ['reed'] }, /^book\.access\.anonymous\[0\]: "reed" is not allowed; did you mean "read"\?/],
  ['SQL that is not a function', { read: { sql: 'true' } }, /^book\.access\.read\.sql: must be a function/],
  ['a field that does not exist', { read: compare('titel', 'eq', 'x') }, /^book\.access\.read\.filter\[0\]\.name: book has no field "titel"; did you mean "title"\?$/],
  ['a path that does not exist', { delete: compare('author__nam', 'eq', 'x') }, /^book\.access\.delete\.filter\[0\]\.name: author has no field "nam"; did you mean "name"\?$/],
  ['an operator that does not exist', { read: compare('title', 'equals', id) }, /^book\.access\.read\.filter\[0\]\.op: title has no operator "equals"/],
  ['a null-safe operator', { read: compare('title', 'is_', id) }, /\.val: "is_" matches null, and a value of the auth context may be null; use "eq" or "ne"$/],
  ['a list without conditions', { read: { filter: [] } }, /^book\.access\.read\.filter: must not be empty, because no condition allows every row; write true for that$/],
  ['a list without rules', { read: { any: [false, { all: [] }] } }, /^book\.access\.read\.any\[1\]\.all: must not be empty/],
  ['a list of no values', { read: compare('title', 'notin_', []) }, /^book\.access\.read\.filter\[0\]\.val: must not be empty; it is the operand of "notin_"$/],
  ['a nested list of no values', { read: { filter: [{ not: { or: [{ name: 'title', op: 'in_', val: [] }] } }] } }, /^book\.access\.read\.filter\[0\]\.not\.or\[0\]\.val: must not be empty/],
  ['a nested filter without conditions', { read: compare('author', 'has', []) }, /^book\.access\.read\.filter\[0\]\.val: must not be empty; it is the operand of "has"$/],
  ['an empty list inside of a nested filter', { read: compare('author', 'has', [{ name: 'name', op: 'in_', val: [] }]) }, /\.filter\[0\]\.val\[0\]\.val: must not be empty/],
  ['a value of another kind', { read: compare('id', 'eq', true) }, /^book\.access\.read\.filter\[0\]\.val: id must be compared with/],
]

describe('The declaration of access rules', () => {
  for (const [title, access, message] of wrong)
    it(`rejects ${title}`, () => {
      assert.throws(() => start(bookWith(access)), reports(message))
    })

  it('rejects rules of fields, of set and of the tenant that are not functions', () => {
    const fields = { secret: { ...attribute(text), readable: 'no' } }
    assert.throws(
      () => defineModel([author, bookWith({}, fields)]),
      reports(/^book\.fields\.secret\.readable: must be true, false or a function of the auth/),
    )
    const set = { secret: attribute(text, { required: true, set: id }) }
    assert.throws(
      () => defineModel([author, bookWith({}, set)]),
      reports(/^book\.fields\.secret\.required: has no effect with "set"/),
    )
    const tenant = { column: 'title', value: id }
    assert.throws(
      () => defineModel([author, bookWith({})], { tenant }),
      reports(/^book\.fields\.title\.access: must be "read-only", because the column "title"/),
    )
    const setTenant = { org: attribute(text, { access: 'read-only', set: id }) }
    assert.throws(
      () =>
        defineModel([author, bookWith({}, setTenant)], { tenant: { column: 'org', value: id } }),
      reports(
        /^book\.fields\.org\.set: the column "org" stores the tenant of the row; remove "set"$/,
      ),
    )
    const twice = {
      editor: attribute(text, { access: 'read-only', set: id }),
      other: attribute(text, { column: 'editor' }),
    }
    assert.throws(
      () => defineModel([author, bookWith({}, twice)]),
      reports(/^book\.fields\.other\.column: "editor" is written by "editor" and "other"/),
    )
    assert.throws(
      () =>
        defineModel([author, bookWith({}, setTenant)], {
          access: 'deny',
        } as unknown as ModelOptions),
      reports(/^options\.access: "deny" is not allowed; /),
    )
  })

  it('rejects a writable composite foreign key whose related type has not the same tenant', () => {
    const reader = resource('reader', {
      ...{ path: '/readers', table: 'reader', id: ['org', 'number'], tenant: false },
      fields: { lent: toMany('book', { column: ['org', 'reader_number'] }) },
    })
    const lent = { reader: toOne('reader', { column: ['org', 'reader_number'] }) }
    const reason = 'must be "read-only", because the column "org" stores the tenant of the row'
    assert.throws(
      () =>
        defineModel([author, reader, bookWith({}, lent)], { tenant: { column: 'org', value: id } }),
      (error) =>
        error instanceof DeclarationError &&
        error.message ===
          [`reader.fields.lent.access: ${reason}`, `book.fields.reader.access: ${reason}`].join(
            '\n',
          ),
    )
  })

  it('is checked by the database', async () => {
    const access: ResourceAccess = {
      read: true,
      update: { any: [false, { sql: (column) => sql`${column('missing')} = ${id}` }] },
    }
    const model = defineModel([author, bookWith(access)])
    const store = openSqlite(model, ':memory:')
    const tables = `create table author (id integer primary key, name text);
      create table book (id integer primary key, title text, author_id integer references author (id));
      create index book_author on book (author_id)`
    await store.migrate([{ version: 1, sql: tables }])
    const message =
      /^book\.access\.update: the database rejects its SQL: no such column: t0\.missing/
    await assert.rejects(store.verify(), reports(message))
    await store.close()
  })
})

function start(book: ReturnType<typeof bookWith>) {
  const model = defineModel([author, book])
  const store = openSqlite(model, ':memory:')
  try {
    createApi({ model, store })
  } finally {
    void store.close()
  }
}

function reports(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof DeclarationError)
    assert.match(
      error.message.split('\n').find((line) => message.test(line.trim())) ?? error.message,
      message,
    )
    return true
  }
}
