import type { SchemaCase } from './schemas.ts'

/** Schemas that only SQLite accepts, or that mean something else on PostgreSQL. */
export const sqliteCases: readonly SchemaCase[] = [
  [
    'a column without a type is omitted, and one whose type no kind fits is read-only text',
    'create table a (id integer primary key, x, y geometry)',
    '// x is omitted: it has no type',
    "y: attribute(databaseText, { access: 'read-only' }),",
  ],
  [
    'a view is read-only',
    'create table a (id integer primary key, x text); create view b as select id, x, 1 + 1 as two from a',
    '/** Rows of the view `b`. Read-only: it is a view. */',
    "access: 'read-only',",
    'x: attribute(text),',
    '// two is omitted: it has no type',
  ],
  [
    'ids have the kind of the key column, and the client gives those that nothing generates',
    `create table by_text (code text primary key); create table by_uuid (id uuid primary key not null);
     create table numbered (id integer primary key) without rowid;
     create table by_other (a int not null, b int, code text not null unique default (lower(hex(randomblob(8)))), primary key (a, b))`,
    "id: { column: 'code', kind: text },",
    'a: attribute(integer, { required: true }),',
    'b: attribute(integer),',
    "id: { column: 'code', kind: text, client: 'required' },",
    'id: { kind: uuid },',
    "id: { client: 'required' },",
  ],
  [
    'a key may be a number of any size or a boolean; tables with keys of other types have the rowid as the id',
    `create table a (id numeric(38,0) primary key not null); create table b (on_off boolean not null, n int not null, primary key (on_off, n));
     create table c (at time primary key not null); create table d (bin blob primary key not null);
     create table e (id numeric(9, 2) primary key not null)`,
    "id: { client: 'required' },",
    "id: { column: ['on_off', 'n'], kind: [boolean, integer] },",
    "id: 'rowid',",
    "id: 'rowid',",
    "id: 'rowid',",
  ],
  [
    'a foreign key column that cannot store every referenced value becomes an attribute',
    `create table country (id integer primary key);
     create table city (id integer primary key, country_id real references country)`,
    'country_id: attribute(number),',
    '// country_id references country, but its type cannot store every id',
  ],
  [
    'a join table with a column that cannot store every id becomes a resource type',
    `create table post (id integer primary key); create table tag (id integer primary key);
     create table post_tag (id integer primary key, post_id integer references post, tag_id real references tag,
       unique (post_id, tag_id))`,
    "post_tags: toMany('post_tag', { column: 'post_id' }),",
    '// tag_id references tag, but its type cannot store every id',
  ],
]
