import type { SchemaCase } from './schemas.ts'

/** Schemas that only PostgreSQL accepts, or that mean something else on SQLite. */
export const postgresCases: readonly SchemaCase[] = [
  [
    'the client gives ids that no identity, sequence or default generates',
    `create table a (id bigint generated always as identity primary key);
     create table b (id serial primary key); create table c (id bigserial primary key);
     create table d (id uuid primary key default gen_random_uuid()); create table e (code text primary key);
     create table f (id integer primary key); create table g (id uuid primary key);
     create sequence steps; create table h (id bigint primary key default nextval('steps'))`,
    "table: 'a',\n  fields: {",
    "table: 'b',\n  fields: {",
    "table: 'c',\n  fields: {",
    "table: 'd',\n  id: { kind: uuid },",
    "table: 'e',\n  id: { column: 'code', kind: text, client: 'required' },",
    "table: 'f',\n  id: { client: 'required' },",
    "table: 'g',\n  id: { kind: uuid },",
    "table: 'h',\n  fields: {",
  ],
  [
    'the id is the first unique column with a usable type, even if only an index makes it unique',
    `create table a (x int, y int, code varchar(9) not null unique, primary key (x, y));
     create table b (at interval primary key, no int not null); create unique index on b (no);
     create table c (at interval primary key, no int not null, x text not null);
     create unique index on c (no) where no > 0; create unique index on c (lower(x));
     create unique index on c (x) include (no)`,
    "id: { column: 'code', kind: text, client: 'required' },",
    "id: { column: 'no', client: 'required' },",
    "id: { column: 'x', kind: text, client: 'required' },",
  ],
  [
    'an enum type becomes an enumeration, and so does a CHECK that lists the values, in every notation',
    `create type mood as enum ('sad', 'it''s fine', 'happy'); create domain letter as char(1) check (value in ('a', 'b'));
     create domain feeling as mood not null default 'sad';
     create table a (id serial primary key, a mood, b mood not null check (b in ('sad', 'happy')),
       c text check (c in ('x', 'y''s', 'b\\z', '(1), 2')), d varchar(9) not null check (d = any (array['x', 'y'])),
       e char(3) check (e in ('abc', 'de')), f text check (f is null or f in ('x', 'y')), g letter, h feeling,
       i text constraint alone check (i = 'x'), "J" text check ("J" in ('x')), k text check (k in ('x', 'y') and k <> ''),
       l text check (lower(l) in ('x')), m text check (m not in ('x')), n text, o text, check (n in (o, 'x')))`,
    `a: attribute(enumeration(['sad', "it's fine", 'happy'])),`,
    "b: attribute(enumeration(['sad', 'happy']), { required: true }),",
    `c: attribute(enumeration(['x', "y's", 'b\\\\z', '(1), 2'])),`,
    "d: attribute(enumeration(['x', 'y']), { required: true }),",
    "e: attribute(enumeration(['abc', 'de'])),",
    "f: attribute(enumeration(['x', 'y'])),",
    "g: attribute(enumeration(['a', 'b'])),",
    `h: attribute(enumeration(['sad', "it's fine", 'happy']), { nullable: false }),`,
    "i: attribute(enumeration(['x'])),",
    "j: attribute(enumeration(['x']), { column: 'J' }),",
    'k: attribute(text),',
    'l: attribute(text),',
    'm: attribute(text),',
    'n: attribute(text),',
  ],
  [
    'a domain has the kind of its base type and is required if it is not null',
    `create domain amount as numeric(12, 2) not null; create domain price as amount check (value >= 0);
     create domain word as varchar(9); create domain count as int default 0 not null;
     create domain tags as text[];
     create table a (id serial primary key, a price, b word, c count, d tags)`,
    'a: attribute(decimal({ precision: 12, scale: 2 }), { required: true }),',
    'b: attribute(text),',
    'c: attribute(integer, { nullable: false }),',
    'd: attribute(array(text, { nullElements: true })),',
  ],
  [
    'each supported column type becomes its attribute kind',
    `create extension citext;
     create table a (id serial primary key, a smallint, b bigint, c numeric(10, 2), d numeric(5), e numeric, f real,
       g double precision, h boolean, i date, j timestamptz, k timestamp(3), l time, m uuid, n json, o jsonb, p bytea,
       q text, r varchar, s char(2), t bpchar, u citext)`,
    'a: attribute(integer),',
    'b: attribute(integer64()),',
    'c: attribute(decimal({ precision: 10, scale: 2 })),',
    'd: attribute(decimal({ precision: 5, scale: 0 })),',
    'e: attribute(decimal()),',
    'f: attribute(number),',
    'g: attribute(number),',
    'h: attribute(boolean),',
    'i: attribute(date),',
    'j: attribute(datetime),',
    'k: attribute(datetime),',
    'l: attribute(time),',
    'm: attribute(uuid),',
    'n: attribute(json),',
    'o: attribute(json),',
    'p: attribute(bytes),',
    'q: attribute(text),',
    'r: attribute(text),',
    's: attribute(text),',
    't: attribute(text),',
    'u: attribute(text),',
  ],
  [
    'an array has the kind of its elements, which may be null',
    `create extension citext; create type mood as enum ('sad', 'ok'); create type pair as (a int, b int);
     create domain amount as numeric(12, 2); create domain moods as mood[] not null;
     create table a (id serial primary key, a text[], b varchar(9)[] not null, c numeric(5, 1)[], d timestamptz[], e mood[],
       f amount[], g citext[], h jsonb[], i inet[], j moods, k pair[], l tsvector[], m bigint[][])`,
    'a: attribute(array(text, { nullElements: true })),',
    'b: attribute(array(text, { nullElements: true }), { required: true }),',
    'c: attribute(array(decimal({ precision: 5, scale: 1 }), { nullElements: true })),',
    'd: attribute(array(datetime, { nullElements: true })),',
    "e: attribute(array(enumeration(['sad', 'ok']), { nullElements: true })),",
    'f: attribute(array(decimal({ precision: 12, scale: 2 }), { nullElements: true })),',
    'g: attribute(array(text, { nullElements: true })),',
    'h: attribute(array(json, { nullElements: true })),',
    'i: attribute(array(databaseText, { nullElements: true })),',
    "j: attribute(array(enumeration(['sad', 'ok']), { nullElements: true }), { required: true }),",
    "k: attribute(databaseJson, { access: 'read-only' }),",
    '// l is omitted: it is for searches in texts',
    'm: attribute(array(integer64(), { nullElements: true })),',
  ],
  [
    'a type without a kind is served as text or JSON, read-only where its text depends on settings or is not known',
    `create extension hstore; create type pair as (a int, b int); create type "Shape" as enum ();
     create table a (id serial primary key, b tsvector, c point, d int4range, e interval, f inet, g money,
       h timetz, i xml, j bit(3), k name, l oid, m pair, n "Shape", o hstore, p int4multirange, q macaddr not null)`,
    '// b is omitted: it is for searches in texts',
    'c: attribute(databaseText),',
    'd: attribute(databaseText),',
    'e: attribute(databaseText),',
    'f: attribute(databaseText),',
    "g: attribute(databaseText, { access: 'read-only' }),",
    'h: attribute(databaseText),',
    'i: attribute(databaseText),',
    'j: attribute(databaseText),',
    "k: attribute(databaseText, { access: 'read-only' }),",
    "l: attribute(databaseText, { access: 'read-only' }),",
    "m: attribute(databaseJson, { access: 'read-only' }),",
    "n: attribute(databaseText, { access: 'read-only' }),",
    "o: attribute(databaseJson, { access: 'read-only' }),",
    'p: attribute(databaseText),',
    'q: attribute(databaseText, { required: true }),',
  ],
  [
    'a table without a usable key is omitted, and foreign keys to it become attributes',
    `create table bare (x text); create table dated (at interval primary key);
     create table kept (id integer primary key, at interval references dated)`,
    'at: attribute(databaseText',
    'bare is omitted: it has no primary key',
    'dated is omitted: its key at has the type interval',
  ],
  [
    'a key may have any type whose values have one spelling each, and the reason names the others',
    `create type kind as enum ('a', 'b'); create table a (id numeric(38,0) primary key);
     create table b (at timestamptz primary key); create table c (k kind, n int, d time, b boolean, primary key (k, n, d, b));
     create table d (id boolean primary key default true); create table e (ip inet primary key); create table f (bin bytea primary key)`,
    "id: { kind: decimal({ precision: 38, scale: 0 }), client: 'required' },",
    "id: { column: 'at', kind: datetime, client: 'required' },",
    "id: { column: ['k', 'n', 'd', 'b'], kind: [enumeration(['a', 'b']), integer, time, boolean] },",
    "k: attribute(enumeration(['a', 'b']), { required: true }),",
    "id: { kind: boolean, client: 'optional' },",
    'e is omitted: its key ip has the type inet; ids must be integers, decimal numbers, UUIDs, text, enumerations, booleans, dates, times or timestamps',
    'f is omitted: its key bin has the type bytea; ids must be integers, decimal numbers, UUIDs, text, enumerations, booleans, dates, times or timestamps',
  ],
  [
    'a column of words that must not be null makes a type read-only, unless a default or a trigger sets it',
    `create function fill() returns trigger language plpgsql as 'begin new.words = to_tsvector(new.name); return new; end';
     create table a (id serial primary key, name text, words tsvector not null);
     create trigger fill before insert or update on a for each row execute function fill();
     create table b (id serial primary key, name text, words tsvector not null default '');
     create table c (id serial primary key, name text, words tsvector not null)`,
    '/** Rows of the table `a`. */',
    'name: attribute(text),',
    '// words is omitted: it is for searches in texts',
    '/** Rows of the table `b`. */',
    '/** Rows of the table `c`. Read-only: no field writes words, which must not be null. */',
  ],
  [
    'a type is read-only when a column whose values cannot be written must not be null',
    'create type pair as (a int, b int); create table a (id serial primary key, name text not null, place pair not null)',
    '/** Rows of the table `a`. Read-only: no field writes place, which must not be null. */',
    "access: 'read-only',",
    'name: attribute(text, { nullable: false }),',
    'place: attribute(databaseJson, { nullable: false }),',
  ],
  [
    'a generated column and a GENERATED ALWAYS identity are read-only',
    `create table a (id serial primary key, x int not null, y int generated always as (x * 2) stored,
       z int generated always as identity, v int generated by default as identity)`,
    'x: attribute(integer, { required: true }),',
    "y: attribute(integer, { access: 'read-only' }),",
    "z: attribute(integer, { nullable: false, access: 'read-only' }),",
    'v: attribute(integer, { nullable: false }),',
  ],
  [
    'views that PostgreSQL updates can be written, a materialized view is read-only and may have its ids in a unique column',
    `create table a (id serial primary key, x text not null); create view b as select id, x, 1 + 1 as two from a;
     create materialized view c as select x as name, count(*) as many from a group by 1; create unique index on c (name);
     create materialized view d as select x from a`,
    '/** Rows of the view `b`. */',
    "id: { client: 'optional' },",
    'x: attribute(text),',
    "two: attribute(integer, { access: 'read-only' }),",
    '/** Rows of the view `c`. Read-only: it is a view. */',
    "id: { column: 'name', kind: text },",
    'many: attribute(integer64()),',
    'd is omitted: it is a view without a column "id"',
  ],
  [
    'comments on tables and columns become descriptions and doc comments',
    `create table a (id serial primary key, x text); comment on table a is 'What we sell.';
     comment on column a.x is 'What it is called'`,
    '/** What we sell. */',
    "description: 'What we sell.',",
    '/** What it is called */',
    'x: attribute(text),',
  ],
  [
    'a table in another schema declares its schema and may reference tables outside of it',
    `create schema stock;
     create table item (id serial primary key); create table tag (id serial primary key);
     create table stock.item (id serial primary key, item_id int references public.item);
     create table stock.item_tag (item_id int references stock.item, tag_id int references tag, primary key (item_id, tag_id))`,
    "export const item = resource('item', {",
    "stock_items: toMany('stock_item', { column: 'item_id' }),",
    "resource('stock_item', {",
    "table: 'item',\n  schema: 'stock',",
    "item: toOne('item', { column: 'item_id' }),",
    "through: { table: 'item_tag', schema: 'stock', from: 'item_id', to: 'tag_id' },",
    'export const resources = [item, tag, stockItem] as const',
  ],
  [
    'the tables of the default schema get their names before those of a schema that sorts before it',
    `create schema archive; create table archive.item (id serial primary key); create table archive.people (id serial primary key);
     create table item (id serial primary key); create table person (id serial primary key)`,
    "resource('archive_item', {\n  path: '/archive-items',\n  table: 'item',\n  schema: 'archive',",
    "resource('archive_person', {\n  path: '/archive-persons',\n  table: 'people',\n  schema: 'archive',",
    "resource('item', {\n  path: '/items',\n  table: 'item',\n",
    "resource('person', {\n  path: '/persons',\n  table: 'person',\n",
  ],
  [
    'a partitioned table becomes a resource type, and its partitions do not',
    `create table event (id bigint primary key, at date) partition by range (id);
     create table event_1 partition of event for values from (0) to (10);
     create table event_2 partition of event for values from (10) to (20);
     create table tag (id serial primary key);
     create table event_tag (event_id bigint references event, tag_id int references tag, primary key (event_id, tag_id))`,
    "tags: toMany('tag', { through: { table: 'event_tag', from: 'event_id', to: 'tag_id' } }),",
    "events: toMany('event', { through: { table: 'event_tag', from: 'tag_id', to: 'event_id' } }),",
    'export const resources = [event, tag] as const',
  ],
  [
    'the columns of a foreign key over periods are attributes: their ranges need not be equal',
    `create extension btree_gist;
     create table room (id serial primary key, no int not null, during daterange not null, unique (no, during without overlaps));
     create table stay (id serial primary key, room_no int, nights daterange,
       foreign key (room_no, period nights) references room (no, period during))`,
    'room_no: attribute(integer),',
    'nights: attribute(databaseText),',
    'export const resources = [room, stay] as const',
  ],
  [
    'a foreign key may have another type or size than the key if it can store its values',
    `create table country (code char(2) primary key); create table city (id uuid primary key,
       country_code varchar(9) references country); create table stamp (id bigserial primary key, no numeric(10) unique not null);
     create table seen (id serial primary key, city_id uuid unique references city, stamp_id int references stamp)`,
    "country_code: toOne('country', { column: 'country_code' }),",
    "seen: toOne('seen', { column: 'city_id', foreignKey: 'other' }),",
    "cities: toMany('city', { column: 'country_code' }),",
    "city: toOne('city', { column: 'city_id' }),",
    "stamp: toOne('stamp', { column: 'stamp_id' }),",
    'no: attribute(decimal({ precision: 10, scale: 0 }), { required: true }),',
  ],
]
