/** A write, and its statements on SQLite and PostgreSQL in order; parameters are `?`. */
type WriteRow = readonly [
  sentence: string,
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body: unknown,
  sqlite: readonly string[],
  postgres: readonly string[],
]

/** Whether the table still has no rows of other tables, no rules and no policies: a write in one round trip is committed at once. */
const staysPlain = `(select not (relhassubclass or relhasrules or relrowsecurity) from pg_class where oid = '"book"'::regclass)`

/** Writes to the library. Responses contain no fields. */
// biome-ignore format: a table, one statement a line
export const writes: readonly WriteRow[] = [
  ['a create with relationships: are they there, the row, the links', 'POST', '/authors', { data: { type: 'author', attributes: { name: 'x', born: null }, relationships: { teacher: { data: { type: 'author', id: '1' } }, books: { data: [{ type: 'book', id: '1' }, { type: 'book', id: '2' }] } } } }, [
    'select "t0"."writer_no" from "writer" as "t0" where "t0"."writer_no" in (select value from json_each(?))',
    'select "t0"."id" from "book" as "t0" where "t0"."id" in (select value from json_each(?))',
    'insert into "writer" ("name", "born", "taught_by") values (?, ?, ?) returning cast("writer_no" as text)',
    'update "book" as "t0" set "by" = ? where "t0"."id" in (select value from json_each(?)) and not ("t0"."by" is ?)',
    'select "t0"."writer_no", concat_ws(\',\', quote("t0"."writer_no"), quote("t0"."name"), quote("t0"."e_mail"), quote("t0"."born"), quote("t0"."taught_by")) from "writer" as "t0" where "t0"."writer_no" = ?',
  ], [
    'select "t0"."writer_no"::text from "writer" as "t0" where "t0"."writer_no" = any(?::bigint[])',
    'select "t0"."id"::text from "book" as "t0" where "t0"."id" = any(?::bigint[])',
    'insert into "writer" ("name", "born", "taught_by") values (?, ?, ?::bigint) returning set_config(\'lapidary.last_insert_id\', "writer_no"::text, true)',
    'update "book" as "t0" set "by" = nullif(current_setting(\'lapidary.last_insert_id\', true), \'\')::bigint where "t0"."id" = any(?::bigint[]) and not ("t0"."by" is not distinct from nullif(current_setting(\'lapidary.last_insert_id\', true), \'\')::bigint)',
    'select null, true, json_build_array(json_build_array("t0"."writer_no"::text, md5(row("t0"."writer_no", "t0"."name", "t0"."e_mail", "t0"."born", "t0"."taught_by")::text)::text)) from (select "t0"."writer_no", "t0"."name", "t0"."e_mail", "t0"."born", "t0"."taught_by" from "writer" as "t0" where "t0"."writer_no" = nullif(current_setting(\'lapidary.last_insert_id\', true), \'\')::bigint) as "t0"',
  ]],
  ['a create of nothing but the id', 'POST', '/books', { data: { type: 'book' } }, [
    'insert into "book" default values returning "id", concat_ws(\',\', quote("id"), quote("title"), quote("pages"), quote("price"), quote("lent"), quote("by"))',
  ], [
    'insert into "book" default values returning "id"::text, md5(row("id", "title", "pages", "price", "lent", "by")::text)::text',
  ]],
  ['a create under its parent', 'POST', '/authors/1/books', { data: { type: 'book', attributes: { title: 'x', pages: 5, lent: true, price: 1.5 } } }, [
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?',
    'insert into "book" ("title", "pages", "lent", "price", "by") values (?, ?, ?, ?, ?) returning "id", concat_ws(\',\', quote("id"), quote("title"), quote("pages"), quote("price"), quote("lent"), quote("by"))',
  ], [
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?::bigint for no key update',
    'insert into "book" ("title", "pages", "lent", "price", "by") values (?, ?, ?, ?, ?::bigint) returning "id"::text, md5(row("id", "title", "pages", "price", "lent", "by")::text)::text',
  ]],
  ['an update of columns', 'PATCH', '/books/1', { data: { type: 'book', id: '1', attributes: { title: null }, relationships: { author: { data: { type: 'author', id: '2' } } } } }, [
    'select 1 from "book" as "t0" where "t0"."id" = ?',
    'select "t0"."writer_no" from "writer" as "t0" where "t0"."writer_no" in (select value from json_each(?))',
    'update "book" as "t0" set "title" = ?, "by" = ? where "t0"."id" = ? returning "id", concat_ws(\',\', quote("id"), quote("title"), quote("pages"), quote("price"), quote("lent"), quote("by"))',
  ], [
    'select 1 from "book" as "t0" where "t0"."id" = ?::bigint for no key update',
    'select "t0"."writer_no"::text from "writer" as "t0" where "t0"."writer_no" = any(?::bigint[])',
    'update "book" as "t0" set "title" = ?, "by" = ?::bigint where "t0"."id" = ?::bigint returning "id"::text, md5(row("id", "title", "pages", "price", "lent", "by")::text)::text',
  ]],
  ['an update of links', 'PATCH', '/authors/1', { data: { type: 'author', id: '1', relationships: { pupils: { data: [] } } } }, [
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?',
    'update "writer" as "t0" set "taught_by" = null where "t0"."taught_by" = ? and not ("t0"."writer_no" in (select value from json_each(?)))',
    'update "writer" as "t0" set "taught_by" = ? where "t0"."writer_no" in (select value from json_each(?)) and not ("t0"."taught_by" is ?)',
    'select "t0"."writer_no", concat_ws(\',\', quote("t0"."writer_no"), quote("t0"."name"), quote("t0"."e_mail"), quote("t0"."born"), quote("t0"."taught_by")) from "writer" as "t0" where "t0"."writer_no" = ?',
  ], [
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?::bigint for no key update',
    'update "writer" as "t0" set "taught_by" = null where "t0"."taught_by" = ?::bigint and not ("t0"."writer_no" = any(?::bigint[]))',
    'update "writer" as "t0" set "taught_by" = ?::bigint where "t0"."writer_no" = any(?::bigint[]) and not ("t0"."taught_by" is not distinct from ?::bigint)',
    'select null, true, json_build_array(json_build_array("t0"."writer_no"::text, md5(row("t0"."writer_no", "t0"."name", "t0"."e_mail", "t0"."born", "t0"."taught_by")::text)::text)) from (select "t0"."writer_no", "t0"."name", "t0"."e_mail", "t0"."born", "t0"."taught_by" from "writer" as "t0" where "t0"."writer_no" = ?::bigint) as "t0"',
  ]],
  ['an update of nothing', 'PATCH', '/books/1', { data: { type: 'book', id: '1' } }, [
    'select 1 from "book" as "t0" where "t0"."id" = ?',
    'select "t0"."id", concat_ws(\',\', quote("t0"."id"), quote("t0"."title"), quote("t0"."pages"), quote("t0"."price"), quote("t0"."lent"), quote("t0"."by")) from "book" as "t0" where "t0"."id" = ?',
  ], [
    'select 1 from "book" as "t0" where "t0"."id" = ?::bigint for no key update',
    'select null, true, json_build_array(json_build_array("t0"."id"::text, md5(row("t0"."id", "t0"."title", "t0"."pages", "t0"."price", "t0"."lent", "t0"."by")::text)::text)) from (select "t0"."id", "t0"."title", "t0"."pages", "t0"."price", "t0"."lent", "t0"."by" from "book" as "t0" where "t0"."id" = ?::bigint) as "t0"',
  ]],
  ['members added', 'POST', '/authors/1/relationships/books', { data: [{ type: 'book', id: '1' }] }, [
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?',
    'select "t0"."id" from "book" as "t0" where "t0"."id" in (select value from json_each(?))',
    'update "book" as "t0" set "by" = ? where "t0"."id" in (select value from json_each(?)) and not ("t0"."by" is ?)',
  ], [
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?::bigint for no key update',
    'select "t0"."id"::text from "book" as "t0" where "t0"."id" = any(?::bigint[])',
    'update "book" as "t0" set "by" = ?::bigint where "t0"."id" = any(?::bigint[]) and not ("t0"."by" is not distinct from ?::bigint)',
  ]],
  ['members removed', 'DELETE', '/authors/1/relationships/books', { data: [{ type: 'book', id: '1' }] }, [
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?',
    'update "book" as "t0" set "by" = null where "t0"."by" = ? and "t0"."id" in (select value from json_each(?))',
  ], [
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?::bigint for no key update',
    'update "book" as "t0" set "by" = null where "t0"."by" = ?::bigint and "t0"."id" = any(?::bigint[])',
  ]],
  ['members replaced', 'PATCH', '/authors/1/relationships/books', { data: [{ type: 'book', id: '1' }] }, [
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?',
    'select "t0"."id" from "book" as "t0" where "t0"."id" in (select value from json_each(?))',
    'update "book" as "t0" set "by" = null where "t0"."by" = ? and not ("t0"."id" in (select value from json_each(?)))',
    'update "book" as "t0" set "by" = ? where "t0"."id" in (select value from json_each(?)) and not ("t0"."by" is ?)',
  ], [
    'select 1 from "writer" as "t0" where "t0"."writer_no" = ?::bigint for no key update',
    'select "t0"."id"::text from "book" as "t0" where "t0"."id" = any(?::bigint[])',
    'update "book" as "t0" set "by" = null where "t0"."by" = ?::bigint and not ("t0"."id" = any(?::bigint[]))',
    'update "book" as "t0" set "by" = ?::bigint where "t0"."id" = any(?::bigint[]) and not ("t0"."by" is not distinct from ?::bigint)',
  ]],
  ['a key set', 'PATCH', '/books/1/relationships/author', { data: { type: 'author', id: '1' } }, [
    'select 1 from "book" as "t0" where "t0"."id" = ?',
    'select "t0"."writer_no" from "writer" as "t0" where "t0"."writer_no" in (select value from json_each(?))',
    'update "book" as "t0" set "by" = ? where "t0"."id" = ?',
  ], [
    'select 1 from "book" as "t0" where "t0"."id" = ?::bigint for no key update',
    'select "t0"."writer_no"::text from "writer" as "t0" where "t0"."writer_no" = any(?::bigint[])',
    'update "book" as "t0" set "by" = ?::bigint where "t0"."id" = ?::bigint',
  ]],
  ['a key cleared', 'PATCH', '/books/1/relationships/author', { data: null }, [
    'select 1 from "book" as "t0" where "t0"."id" = ?',
    'update "book" as "t0" set "by" = ? where "t0"."id" = ?',
  ], [
    `update "book" as "t0" set "by" = ?::bigint where "t0"."id" = ?::bigint and ${staysPlain}`,
  ]],
  ['a key cleared if it is this one', 'DELETE', '/books/1/relationships/author', { data: { type: 'author', id: '1' } }, [
    'select 1 from "book" as "t0" where "t0"."id" = ?',
    'update "book" as "t0" set "by" = null where "t0"."id" = ? and "t0"."by" in (select value from json_each(?))',
  ], [
    'select 1 from "book" as "t0" where "t0"."id" = ?::bigint for no key update',
    'update "book" as "t0" set "by" = null where "t0"."id" = ?::bigint and "t0"."by" = any(?::bigint[])',
  ]],
  ['a deletion', 'DELETE', '/books/1', undefined, [
    'delete from "book" as "t0" where "t0"."id" = ?',
  ], [
    `delete from "book" as "t0" where "t0"."id" = ?::bigint and ${staysPlain}`,
  ]],
]
