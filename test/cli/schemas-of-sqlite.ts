import type { Case } from './schemas.ts'

/** Schemas that only SQLite takes, or takes so. */
export const casesOfSqlite: readonly Case[] = [
  [
    'a type that says too little is left out',
    'create table a (id integer primary key, x, y geometry)',
    '// x is left out: it has no type',
    '// y is left out: no kind is known for geometry',
  ],
  [
    'a view is read-only',
    'create table a (id integer primary key, x text); create view b as select id, x, 1 + 1 as two from a',
    '/** Rows of the view `b`. Read-only: it is a view. */',
    "access: 'read-only',",
    'x: attribute(text),',
    '// two is left out: it has no type',
  ],
  [
    'ids are of the key’s kind, and given where nothing makes them',
    `create table by_text (code text primary key); create table by_uuid (id uuid primary key not null);
     create table numbered (id integer primary key) without rowid;
     create table by_other (a int, b int, code text not null unique default 'x', primary key (a, b))`,
    "id: { column: 'code', kind: text },",
    'a: attribute(integer, { required: true }),',
    "id: { column: 'code', kind: text, client: 'required' },",
    'id: { kind: uuid },',
    "id: { client: 'required' },",
  ],
  [
    'a foreign key whose type does not keep what it refers to is told as its column',
    `create table country (id integer primary key);
     create table city (id integer primary key, country_id real references country)`,
    'country_id: attribute(number),',
    '// country_id leads to country, but its type does not keep every id',
  ],
  [
    'a table that would only link, by a column that does not keep the ids, is a resource',
    `create table post (id integer primary key); create table tag (id integer primary key);
     create table post_tag (id integer primary key, post_id integer references post, tag_id real references tag,
       unique (post_id, tag_id))`,
    "post_tags: toMany('post_tag', { column: 'post_id' }),",
    '// tag_id leads to tag, but its type does not keep every id',
  ],
]
