import {
  attribute,
  boolean,
  computed,
  date,
  defineModel,
  email,
  integer,
  type Model,
  number,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'

/** A small library; the names on the wire are not those of the tables. */
export const library: Model = defineModel(
  [
    resource('author', {
      path: '/authors',
      table: 'writer',
      id: 'writer_no',
      fields: {
        name: attribute(text, { required: true }),
        mail: attribute(email, { column: 'e_mail' }),
        born: attribute(date),
        label: computed(text, { name: text, born: date }, ({ name, born }) => `${name} ${born}`),
        books: toMany('book', { column: 'by' }),
        pupils: toMany('author', { column: 'taught_by' }),
        teacher: toOne('author', { column: 'taught_by' }),
      },
    }),
    resource('book', {
      path: '/books',
      table: 'book',
      fields: {
        title: attribute(text),
        pages: attribute(integer),
        price: attribute(number),
        lent: attribute(boolean),
        author: toOne('author', { column: 'by' }),
      },
    }),
  ],
  { maxPageSize: null },
)

/** The tables of the library, and a few authors and books. */
export const libraryTables = ({ newId, date, number, boolean }: ColumnTypes) => `
  create table writer (writer_no ${newId}, name text not null, e_mail text, born ${date},
    taught_by integer references writer (writer_no));
  create table book (id ${newId}, title text, pages integer, price ${number}, lent ${boolean},
    "by" integer references writer (writer_no));
  insert into writer (writer_no, name, taught_by) values (1, 'Ada', null), (2, 'Bob', 1), (3, 'Cyd', 2);
  insert into book (id, title, "by") values (1, 'A', 1), (2, 'B', 2), (3, 'C', 2), (4, 'D', null)`
