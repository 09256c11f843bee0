/** A sentence, the tables, and lines that stand in the declarations one after the other. */
export type Case = readonly [sentence: string, sql: string, ...lines: string[]]

/** Schemas that every database takes; PostgreSQL gives ids to an `integer primary key` that says so. */
export const cases: readonly Case[] = [
  [
    'types are singular, paths are plural, whatever the table is',
    `create table people (id integer primary key); create table order_items (id integer primary key);
     create table "MediaType" (id integer primary key)`,
    "export const mediaType = resource('mediaType', {",
    "path: '/media-types',",
    "export const orderItem = resource('order_item', {",
    "path: '/order-items',",
    "export const person = resource('person', {",
    "path: '/people',",
  ],
  [
    'names of columns with capitals are written as JSON:API recommends, others as they are',
    'create table a (id integer primary key, "UnitPrice" real, unit_price_2 real, "TAX_RATE" real)',
    "unitPrice: attribute(number, { column: 'UnitPrice' }),",
    'unit_price_2: attribute(number),',
    "taxRate: attribute(number, { column: 'TAX_RATE' }),",
  ],
  [
    'what the database generates is read-only',
    'create table a (id integer primary key, x integer, y integer generated always as (x * 2) stored)',
    'x: attribute(integer),',
    "y: attribute(integer, { access: 'read-only' }),",
  ],
  [
    'names that only JavaScript or the file itself has already keep their place on the wire',
    'create table text (id integer primary key); create table class (id integer primary key)',
    "export const classResource = resource('class', {",
    "export const textResource = resource('text', {",
  ],
  [
    'names that documents keep for themselves are mended',
    'create table animal (no integer primary key, id text, type text, links text, a__b text, _x text, "2020" text)',
    "id: 'no',",
    "animal_id: attribute(text, { column: 'id' }),",
    "animal_type: attribute(text, { column: 'type' }),",
    "animal_links: attribute(text, { column: 'links' }),",
    "a_b: attribute(text, { column: 'a__b' }),",
    "x: attribute(text, { column: '_x' }),",
    "column_2020: attribute(text, { column: '2020' }),",
  ],
  [
    'what must not be null and has no default is required',
    "create table a (id integer primary key, x text not null, y text not null default 'y', z text)",
    'x: attribute(text, { required: true }),',
    'y: attribute(text),',
    'z: attribute(text),',
  ],
  [
    'a list of values is an enumeration',
    "create table a (id integer primary key, state text not null check (state in ('open', 'it''s over')))",
    `state: attribute(enumeration(['open', "it's over"]), { required: true }),`,
  ],
  [
    'what looks secret is left out, and when it was set is told',
    'create table a (id integer primary key, password_hash text, "apiKey" text, password_set_at timestamp, design text)',
    '// password_hash is left out: it looks secret',
    '// apiKey is left out: it looks secret',
    'password_set_at: attribute(datetime),',
    'design: attribute(text),',
  ],
  [
    'where a secret must be filled nothing can be created',
    'create table a (id integer primary key, name text not null, secret text not null)',
    '/** Rows of the table `a`. Read-only: nothing here fills secret, which must not be null. */',
    "access: 'read-only',",
    'name: attribute(text),',
    '// secret is left out: it looks secret',
  ],
  [
    'a foreign key is a relationship both ways',
    `create table author (id integer primary key);
     create table book (id integer primary key, author_id integer references author (id))`,
    "books: toMany('book', { column: 'author_id' }),",
    "author: toOne('author', { column: 'author_id' }),",
  ],
  [
    'a unique foreign key is one-to-one',
    `create table "user" (id integer primary key);
     create table profile (id integer primary key, user_id integer unique references "user")`,
    "user: toOne('user', { column: 'user_id' }),",
    "profile: toOne('profile', { column: 'user_id', key: 'there' }),",
  ],
  [
    'a key that is a foreign key too is read-only, and the client gives it',
    `create table "user" (id integer primary key);
     create table profile (user_id integer primary key references "user", bio text)`,
    "id: { column: 'user_id', client: 'required' },",
    "user: toOne('user', { column: 'user_id', access: 'read-only' }),",
    "profile: toOne('profile', { column: 'user_id', key: 'there', access: 'read-only' }),",
  ],
  [
    'a foreign key may refer to another unique column',
    `create table country (id integer primary key, code text not null unique);
     create table city (id integer primary key, country text references country (code))`,
    "country: toOne('country', { column: 'country', references: 'code' }),",
    'code: attribute(text, { required: true }),',
    "cities: toMany('city', { column: 'country', references: 'code' }),",
  ],
  [
    'a foreign key to what may be null cannot be written: a row without it could not be linked',
    `create table country (id integer primary key, code text unique);
     create table city (id integer primary key, country text references country (code))`,
    "country: toOne('country', { column: 'country', references: 'code', access: 'read-only' }),",
    "cities: toMany('city', { column: 'country', references: 'code', access: 'read-only' }),",
  ],
  [
    'a tree has parents and children',
    'create table folder (id integer primary key, parent_id integer references folder)',
    "parent: toOne('folder', { column: 'parent_id' }),",
    "children: toMany('folder', { column: 'parent_id' }),",
  ],
  [
    'another reference to oneself says by what',
    'create table person (id integer primary key, manager_id integer references person)',
    "manager: toOne('person', { column: 'manager_id' }),",
    "persons_by_manager: toMany('person', { column: 'manager_id' }),",
  ],
  [
    'several foreign keys between two tables have names of their own',
    `create table "user" (id integer primary key); create table message (id integer primary key,
       sender_id integer references "user", recipient_id integer references "user")`,
    "sender: toOne('user', { column: 'sender_id' }),",
    "recipient: toOne('user', { column: 'recipient_id' }),",
    "messages_by_sender: toMany('message', { column: 'sender_id' }),",
    "messages_by_recipient: toMany('message', { column: 'recipient_id' }),",
  ],
  [
    'a name that an attribute has already goes to no relationship',
    `create table customer (id integer primary key, invoices text);
     create table invoice (id integer primary key, customer text, customer_id integer references customer)`,
    'invoices: attribute(text),',
    "invoices_by_customer: toMany('invoice', { column: 'customer_id' }),",
    'customer: attribute(text),',
    "related_customer: toOne('customer', { column: 'customer_id' }),",
  ],
  [
    'a join table is a relationship of many to many, on both sides',
    `create table post (id integer primary key); create table tag (id integer primary key);
     create table post_tag (post_id integer not null references post, tag_id integer not null references tag,
       position integer, primary key (post_id, tag_id))`,
    '// post_tag has more than links: position',
    "tags: toMany('tag', { through: { table: 'post_tag', from: 'post_id', to: 'tag_id' } }),",
    "posts: toMany('post', { through: { table: 'post_tag', from: 'tag_id', to: 'post_id' } }),",
    'export const resources = [post, tag] as const',
  ],
  [
    'a join table may have a key of its own, and join a table with itself',
    `create table "user" (id integer primary key);
     create table follow (id integer primary key, follower_id integer not null references "user",
       followed_id integer not null references "user", unique (followed_id, follower_id))`,
    'followeds: toMany(',
    "through: { table: 'follow', from: 'follower_id', to: 'followed_id' },",
    'followers: toMany(',
    'export const resources = [user] as const',
  ],
  [
    'a join table with something to say is a resource',
    `create table post (id integer primary key); create table tag (id integer primary key);
     create table post_tag (id integer primary key, post_id integer references post, tag_id integer references tag,
       why text not null, unique (post_id, tag_id))`,
    "post_tags: toMany('post_tag', { column: 'post_id' }),",
    "resource('post_tag', {",
  ],
  [
    'a foreign key of two columns is told as its columns',
    `create table line (id integer primary key, a integer, b integer, unique (a, b));
     create table note (id integer primary key, a integer, b integer, foreign key (a, b) references line (a, b))`,
    'a: attribute(integer),',
    '// a, b lead to line together, which no relationship can',
  ],
  [
    'a table without a key of one column is left out, and what led to it is told as columns',
    `create table pair (a integer, b integer, c integer, primary key (a, b)); create table bare (x text);
     create table dated (day date primary key not null); create table session (token text primary key not null);
     create view loose as select x from bare;
     create table kept (id integer primary key, day date references dated)`,
    'day: attribute(date),',
    '// bare is left out: it has no key',
    '// dated is left out: its key day is of the type date; ids are whole numbers, uuids or texts',
    '// loose is left out: it is a view without a column "id"',
    '// pair is left out: its key has 2 columns: a, b',
    '// session is left out: its key token looks secret',
  ],
]
