import {
  attribute,
  boolean,
  computed,
  date,
  datetime,
  decimal,
  declare,
  email,
  enumeration,
  expression,
  idQuery,
  integer,
  integer64,
  json,
  nullable,
  number,
  RequestError,
  sql,
  tableFunction,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'

/** The identity of a request: the header field `x-user` is `id:role`. */
interface User {
  readonly id: string
  readonly role: string
}

const { action, auth, defineModel, resource } = declare<{ auth: User | undefined }>()
const userId = auth((user) => user?.id)
const isAdmin = auth((user) => user?.role === 'admin')

const author = resource('author', {
  path: '/authors',
  table: 'writer',
  id: 'writer_no',
  description: 'Who writes.',
  queries: {
    prolific: idQuery(
      { least: integer },
      ({ least }) => sql`select "by" from book group by "by" having count(*) >= ${least}`,
    ),
  },
  fields: {
    name: attribute(text, { required: true }),
    mail: attribute(email, { column: 'e_mail' }),
    born: attribute(date),
    password: attribute(text, { access: 'write-only' }),
    label: computed(text, { name: text, born: date }, ({ name, born }) => `${name} ${born}`),
    initial: expression(text, (column) => sql`substr(${column('name')}, 1, 1)`),
    books: toMany('book', { column: 'by', count: true }),
    pupils: toMany('author', { column: 'taught_by' }),
    teacher: toOne('author', { column: 'taught_by' }),
  },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  hooks: {
    beforeCreate: ({ attributes: { title } }) => {
      if (title === 'refused') throw new RequestError({ detail: 'No book has this title.' })
      if (title === 'broken') throw new TypeError('A bug.')
    },
  },
  fields: {
    title: attribute(text),
    isbn: attribute(text, { access: 'immutable' }),
    pages: attribute(integer),
    words: attribute(integer64()),
    price: attribute(number),
    cost: attribute(decimal()),
    lent: attribute(boolean),
    added: attribute(datetime),
    genre: attribute(enumeration(['prose', 'verse'])),
    data: attribute(json),
    author: toOne('author', { column: 'by' }),
    tags: toMany('tag', { through: { table: 'book_tag', from: 'book_id', to: 'tag_id' } }),
    marks: toMany('mark', { column: 'book_id' }),
    chapters: toMany('chapter', { column: 'book_id', access: 'read-only' }),
  },
})
const tag = resource('tag', {
  path: '/tags',
  table: 'tag',
  id: { kind: uuid, client: 'optional' },
  fields: {
    name: attribute(text, { required: true }),
    books: toMany('book', { through: { table: 'book_tag', from: 'tag_id', to: 'book_id' } }),
  },
})
const chapter = resource('chapter', {
  path: '/chapters',
  table: 'chapter',
  id: { column: ['book_id', 'number'], client: 'required' },
  fields: {
    title: attribute(text, { required: true }),
    book: toOne('book', { column: 'book_id' }),
  },
})
/** A view, which clients only read. */
const total = resource('total', {
  path: '/totals',
  table: 'total',
  id: 'writer_no',
  access: 'read-only',
  fields: { books: attribute(integer64()), author: toOne('author', { column: 'writer_no' }) },
})
/** A part of a table, whose rows a DELETE marks. */
const draft = resource('draft', {
  path: '/drafts',
  table: 'draft',
  softDelete: 'deleted_at',
  scope: (column) => sql`${column('published')} = 0`,
  insertDefaults: { published: 0 },
  fields: { text: attribute(text, { default: 'empty' }) },
})
const year = resource('year', {
  path: '/years',
  table: tableFunction(
    { first: integer },
    ({ first }) => sql`select cast(${first} as integer) as number union all select 2000`,
  ),
  id: 'number',
  access: 'read-only',
  fields: { number: attribute(integer64()) },
})
/** So many rows that a list of all is a stream. */
const mark = resource('mark', {
  path: '/marks',
  table: 'mark',
  access: {
    read: { any: [isAdmin, { filter: [{ name: 'label', op: 'ne', val: 'm7' }] }] },
    anonymous: ['read'],
  },
  fields: { label: attribute(text), book: toOne('book', { column: 'book_id' }) },
})
const team = resource('team', {
  path: '/teams',
  table: 'team',
  access: {
    read: { any: [isAdmin, { filter: [{ name: 'members__id', op: 'eq', val: userId }] }] },
    update: isAdmin,
    delete: { sql: (column) => sql`${column('owner_id')} = ${userId}` },
    call: true,
  },
  fields: {
    name: attribute(text),
    members: toMany('author', { through: { table: 'member', from: 'team_id', to: 'writer_no' } }),
    notes: toMany('note', { column: 'team_id' }),
  },
  actions: {
    open: action({
      on: 'collection',
      returns: { resources: 'note' },
      sql: () => sql`select id from note where not done`,
    }),
    statistics: action({
      on: 'collection',
      parameters: { done: boolean },
      returns: { meta: { count: integer } },
      run: async ({ parameters: { done }, tx }) => ({
        count: (await tx.list('note', { filter: { done } })).meta.count,
      }),
    }),
  },
})
const note = resource('note', {
  path: '/notes',
  table: 'note',
  databaseMessages: true,
  access: {
    read: { any: [isAdmin, { filter: [{ name: 'team__members__id', op: 'eq', val: userId }] }] },
    create: { filter: [{ name: 'team__members__id', op: 'eq', val: userId }] },
    update: { any: [isAdmin, { filter: [{ name: 'owner__id', op: 'eq', val: userId }] }] },
    delete: false,
    call: { filter: [{ name: 'done', op: 'eq', val: false }] },
  },
  fields: {
    text: attribute(text, { required: true }),
    done: attribute(boolean, { required: true, default: false }),
    secret: attribute(text, { readable: isAdmin, writable: isAdmin }),
    team: toOne('team', { column: 'team_id' }),
    owner: toOne('author', { column: 'owner_id', set: userId }),
  },
  actions: {
    finish: action({
      parameters: { text: nullable(text) },
      returns: { resource: 'note' },
      async run({ id, parameters, tx, query }) {
        await tx.update('note', id, { done: true, ...(parameters.text !== null && parameters) })
        await query(sql`insert into job (task) values (${`mail ${id}`})`)
        return id
      },
    }),
    rename: action({
      parameters: { text },
      returns: { resource: 'note' },
      callable: isAdmin,
      sql: ({ text: name }, id) =>
        sql`update note set text = ${name} where id = ${id} returning id`,
    }),
    touch: action({ sql: (_parameters, id) => sql`insert into job (task) values (${id})` }),
  },
})

/** The model of the golden files: what the engine has of each, once. */
export const model = defineModel(
  [author, book, tag, chapter, total, draft, year, mark, team, note],
  {
    pageSize: 3,
    maxPageSize: null,
    clientIds: 'forbid',
    idMismatch: 'conflict',
    secret: 'the secret of the golden files',
  },
)

/** The tables of the model, with a few rows. */
export const tables = ({
  newId,
  id,
  date,
  number,
  boolean,
  datetime,
  decimal,
  json,
  uuid,
}: ColumnTypes) => `
  create table writer (writer_no ${newId}, name text not null, e_mail text, born ${date}, password text,
    taught_by integer references writer (writer_no));
  create table book (id ${newId}, title text, isbn text unique, pages integer, words bigint, price ${number}, cost ${decimal},
    lent ${boolean}, added ${datetime}, genre text, data ${json}, "by" integer references writer (writer_no));
  create index book_by on book ("by");
  create table tag (id ${uuid} primary key, name text not null unique);
  create table book_tag (book_id integer not null references book (id), tag_id ${uuid} not null references tag (id),
    primary key (book_id, tag_id));
  create table chapter (book_id ${id} not null references book (id), number ${id} not null, title text not null,
    primary key (book_id, number));
  create view total as select "by" as writer_no, count(*) as books from book where "by" is not null group by "by";
  create table draft (id ${newId}, text text, published integer not null, deleted_at ${datetime});
  create table mark (id ${newId}, label text, book_id integer references book (id));
  create table team (id ${newId}, name text, owner_id integer references writer (writer_no));
  create table member (team_id integer not null references team (id), writer_no integer not null references writer (writer_no),
    primary key (team_id, writer_no));
  create table note (id ${newId}, text text not null, done ${boolean} not null, secret text,
    team_id integer references team (id), owner_id integer references writer (writer_no));
  create table job (task text not null);
  insert into writer (writer_no, name, born, taught_by) values (1, 'Ada', '1815-12-10', null), (2, 'Bob', null, 1),
    (3, 'Cyd', null, 2), (4, 'Dee', '1990-01-01', 1);
  insert into book (id, title, isbn, pages, words, price, lent, genre, "by") values
    (1, 'A', '1-1', 10, 9007199254740993, 1.5, true, 'prose', 1), (2, 'B', '1-2', 20, null, 2.25, false, 'verse', 2),
    (3, 'C', '1-3', null, null, null, null, null, 2), (4, 'D', null, 40, 4, 0.1, false, null, null);
  insert into tag (id, name) values ('00000000-0000-4000-8000-000000000001', 'old'),
    ('00000000-0000-4000-8000-000000000002', 'new');
  insert into book_tag (book_id, tag_id) values (1, '00000000-0000-4000-8000-000000000001'),
    (2, '00000000-0000-4000-8000-000000000001'), (2, '00000000-0000-4000-8000-000000000002');
  insert into chapter (book_id, number, title) values (1, 1, 'I'), (1, 2, 'II'), (2, 1, 'One');
  insert into draft (id, text, published) values (1, 'first', 0), (2, 'second', 1), (3, 'third', 0);
  with recursive n (n) as (select 1 union all select n + 1 from n where n < 600)
    insert into mark (id, label, book_id) select n, 'm' || n, n % 2 + 1 from n;
  insert into team (id, name, owner_id) values (1, 'Apollo', 1), (2, 'Borealis', 2);
  insert into member (team_id, writer_no) values (1, 1), (1, 2), (2, 2);
  insert into note (id, text, done, secret, team_id, owner_id) values
    (1, 'a', false, 's1', 1, 1), (2, 'b', true, 's2', 1, 2), (3, 'c', false, 's3', 2, 2)`

/** Reads the identity from a header field. */
export function readUser(header: (name: string) => string | undefined): User | undefined {
  const [id = '', role = ''] = (header('x-user') ?? '').split(':')
  return id === '' ? undefined : { id, role }
}
