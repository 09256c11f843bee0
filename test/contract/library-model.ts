import {
  attribute,
  defineModel,
  integer,
  type Migration,
  type Model,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'

const toTags = { table: 'book_tag', from: 'book_id', to: 'tag_id' }
const toBooks = { table: 'book_tag', from: 'tag_id', to: 'book_id' }

/** A library with every kind of relationship and of id. */
export const library: Model = defineModel(
  [
    resource('author', {
      path: '/authors',
      table: 'author',
      fields: {
        name: attribute(text),
        email: attribute(text),
        books: toMany('book', { column: 'author_id' }),
        notes: toMany('note', { column: 'author_id' }),
        biography: toOne('biography', { column: 'author_id', foreignKey: 'other' }),
      },
    }),
    resource('book', {
      path: '/books',
      table: 'book',
      fields: {
        title: attribute(text),
        pages: attribute(integer),
        author: toOne('author', { column: 'author_id' }),
        tags: toMany('tag', { through: toTags }),
      },
    }),
    // The server generates an id that the client does not send.
    resource('note', {
      path: '/notes',
      table: 'note',
      id: { kind: uuid, client: 'optional' },
      fields: { body: attribute(text), author: toOne('author', { column: 'author_id' }) },
    }),
    resource('tag', {
      path: '/tags',
      table: 'tag',
      id: { kind: text, client: 'required' },
      fields: { label: attribute(text), books: toMany('book', { through: toBooks }) },
    }),
    resource('biography', {
      path: '/biographies',
      table: 'biography',
      fields: { summary: attribute(text), author: toOne('author', { column: 'author_id' }) },
    }),
  ],
  { maxPageSize: null },
)

/** The ids of the stored notes. */
export const noteIds = ['1', '2', '3'].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`)

/**
 * The tables of the library, and its rows. No index serves `note.author_id` and `book_tag.tag_id`.
 * @param books - further books without an author
 */
export function listLibraryMigrations(types: ColumnTypes, books = 0): readonly Migration[] {
  const { newId, id, integer: number, uuid: uuidType } = types
  const tables = `
    create table author (id ${newId}, name text not null default '', email text unique);
    create table book (id ${newId}, title text, pages ${number} check (pages > 0),
      author_id ${id} references author (id));
    create index book_author on book (author_id);
    create table note (id ${uuidType} not null primary key, body text,
      author_id ${id} not null references author (id));
    create table tag (id text not null primary key, label text);
    create table book_tag (
      book_id ${id} not null references book (id) on delete cascade,
      tag_id text not null references tag (id) on delete cascade, primary key (book_id, tag_id));
    create table biography (id ${newId}, summary text, author_id ${id} unique references author (id));`
  const [first, second, third] = noteIds
  const rows = `
    insert into author (name, email) values ('Ada', 'ada@x.org'), ('Bob', null), ('Cyd', null);
    insert into book (title, pages, author_id)
      values ('A', 100, 1), ('B', 200, 2), ('C', 300, 2), ('D', null, null);
    insert into note (id, body, author_id)
      values ('${first}', 'n1', 1), ('${second}', 'n2', 2), ('${third}', 'n3', 2);
    insert into tag (id, label) values ('x', 'X'), ('y', 'Y');
    insert into book_tag (book_id, tag_id) values (1, 'x'), (2, 'x'), (2, 'y');
    insert into biography (summary, author_id) values ('of Ada', 1), ('of nobody', null);`
  const more = `insert into book (title, pages)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${books})
    select 'Book ' || i, i from n`
  return [tables, rows, ...(books > 0 ? [more] : [])].map((sql, index) => ({
    version: index + 1,
    sql,
  }))
}
