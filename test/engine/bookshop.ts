import {
  attribute,
  boolean,
  computed,
  date,
  decimal,
  enumeration,
  expression,
  integer,
  notNull,
  resource,
  sql,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'

/** Tables with every structure that declarations can use. */
export const bookshopTables = ({ newId, uuid, decimal, boolean, date }: ColumnTypes) => `
  create table country (code text primary key, name text not null);
  create table author (id ${newId}, name text not null, born ${date},
    country_code text references country (code));
  create table profile (id ${newId}, author_id integer not null unique references author (id), words text);
  create table book (id ${uuid} primary key, kind text not null, isbn text not null unique default 'none', title text not null, price ${decimal},
    copies integer, lent ${boolean}, author_id integer references author (id), maker_id integer,
    initial text generated always as (substr(title, 1, 1)) stored);
  create table tag (id ${newId}, word text not null, nick text unique);
  create table book_tag (book_id ${uuid} not null, tag_id integer not null, primary key (book_id, tag_id));
  create table dated_tag (book_id ${uuid} not null, tag_id integer not null, since text not null, weight real);
  create table loan (id ${newId}, isbn text references book (isbn), lent_on ${date} not null,
    place text not null default 'here');
  create view author_sums as select author_id as id, count(*) as books from book group by author_id;
  create view linked as select distinct book_id, tag_id from book_tag`

/** Declarations that match the tables, with every kind of field and every shape of relationship. */
export const bookshop = {
  country: resource('country', {
    path: '/countries',
    table: 'country',
    id: { column: 'code', kind: text, client: 'required' },
    fields: {
      name: attribute(text, { required: true }),
      authors: toMany('author', { column: 'country_code' }),
    },
  }),
  author: resource('author', {
    path: '/authors',
    table: 'author',
    fields: {
      name: attribute(text, { required: true }),
      born: attribute(date, { access: 'immutable' }),
      country: toOne('country', { column: 'country_code' }),
      profile: toOne('profile', { column: 'author_id', foreignKey: 'other' }),
      books: toMany('book', { column: 'author_id' }),
    },
  }),
  profile: resource('profile', {
    path: '/profiles',
    table: 'profile',
    fields: { words: attribute(text), author: toOne('author', { column: 'author_id' }) },
  }),
  book: resource('book', {
    path: '/books',
    table: 'book',
    id: { kind: uuid, client: 'optional' },
    scope: (column) => sql`${column('kind')} = ${'paper'}`,
    insertDefaults: { kind: 'paper' },
    hooks: { beforeCreate: () => ({ copies: 1 }) },
    fields: {
      isbn: attribute(text),
      title: attribute(text, { required: true }),
      price: attribute(decimal({ precision: 10, scale: 2 }), { default: '0' }),
      copies: attribute(integer, { access: 'read-only' }),
      lent: attribute(boolean),
      initial: attribute(text, { access: 'read-only' }),
      label: computed(text, { title: notNull(text) }, ({ title }) => title.toUpperCase()),
      stock: expression(integer, (column) => sql`coalesce(${column('copies')}, 0)`),
      author: toOne('author', { column: 'author_id' }),
      tags: toMany('tag', { through: { table: 'book_tag', from: 'book_id', to: 'tag_id' } }),
      loans: toMany('loan', { column: 'isbn', references: 'isbn' }),
    },
  }),
  ebook: resource('ebook', {
    path: '/ebooks',
    table: 'book',
    id: { kind: uuid },
    access: 'read-only',
    scope: (column) => sql`${column('kind')} = ${'file'}`,
    fields: {
      kind: attribute(enumeration(['paper', 'file'])),
      tags: toMany('tag', { through: { table: 'linked', from: 'book_id', to: 'tag_id' } }),
    },
  }),
  tag: resource('tag', {
    path: '/tags',
    table: 'tag',
    fields: {
      word: attribute(text, { required: true }),
      books: toMany('book', { through: { table: 'book_tag', from: 'tag_id', to: 'book_id' } }),
    },
  }),
  loan: resource('loan', {
    path: '/loans',
    table: 'loan',
    fields: {
      lent_on: attribute(date, { default: () => '2024-02-29', required: true }),
      book: toOne('book', { column: 'isbn', references: 'isbn' }),
    },
  }),
  sum: resource('sum', {
    path: '/sums',
    table: 'author_sums',
    access: 'read-only',
    fields: { books: attribute(integer), author: toOne('author', { column: 'id' }) },
  }),
} as const
