/** A test case: its title, the tables, and lines that the declarations contain in this order. */
export type SchemaCase = readonly [title: string, sql: string, ...lines: string[]]

/** Schemas for every database. On PostgreSQL, `schemas.test.ts` replaces `integer primary key` by an identity column. */
export const sharedCases: readonly SchemaCase[] = [
  [
    'types are singular and paths are plural, whether the table name is singular or plural',
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
    'a table whose own name is a wanted name gets it before a table with the plural of the name',
    `create table people (id integer primary key); create table person (id integer primary key);
     create table tag (id integer primary key); create table tags (id integer primary key)`,
    "export const people = resource('people', {\n  path: '/people',",
    "export const person = resource('person', {\n  path: '/persons',",
    "export const tag = resource('tag', {\n  path: '/tag',",
    "export const tags = resource('tags', {\n  path: '/tags',",
  ],
  [
    'a table called index keeps its name: only the file of its declaration has another one',
    'create table "index" (id integer primary key, n text)',
    "export const index = resource('index', {",
    "path: '/indices',",
  ],
  [
    'the path /health is that of the server',
    'create table health (id integer primary key)',
    "path: '/all-health',",
  ],
  [
    'column names with capital letters become camel case, as JSON:API recommends; others stay as they are',
    'create table a (id integer primary key, "UnitPrice" real, unit_price_2 real, "TAX_RATE" real)',
    "unitPrice: attribute(number, { column: 'UnitPrice' }),",
    'unit_price_2: attribute(number),',
    "taxRate: attribute(number, { column: 'TAX_RATE' }),",
  ],
  [
    'a generated column is read-only',
    'create table a (id integer primary key, x integer, y integer generated always as (x * 2) stored)',
    'x: attribute(integer),',
    "y: attribute(integer, { access: 'read-only' }),",
  ],
  [
    'a table named like a JavaScript keyword or an import keeps its JSON:API type, but its constant is renamed',
    'create table text (id integer primary key); create table class (id integer primary key)',
    "export const classResource = resource('class', {",
    "export const textResource = resource('text', {",
  ],
  [
    'a column named like a reserved or invalid member name gets another field name',
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
    'a column that is not null and has no default is required',
    "create table a (id integer primary key, x text not null, y text not null default 'y', z text)",
    'x: attribute(text, { required: true }),',
    'y: attribute(text, { nullable: false }),',
    'z: attribute(text),',
  ],
  [
    'a text column with a CHECK that lists its values is an enumeration',
    "create table a (id integer primary key, state text not null check (state in ('open', 'it''s over')))",
    `state: attribute(enumeration(['open', "it's over"]), { required: true }),`,
  ],
  [
    'a column whose name suggests a secret is omitted, but not the time when the secret was set',
    'create table a (id integer primary key, password_hash text, "apiKey" text, password_set_at timestamp, design text)',
    '// password_hash is omitted: it looks secret',
    '// apiKey is omitted: it looks secret',
    'password_set_at: attribute(datetime),',
    'design: attribute(text),',
  ],
  [
    'a type is read-only when an omitted secret column must not be null',
    'create table a (id integer primary key, name text not null, secret text not null)',
    '/** Rows of the table `a`. Read-only: no field writes secret, which must not be null. */',
    "access: 'read-only',",
    'name: attribute(text, { nullable: false }),',
    '// secret is omitted: it looks secret',
  ],
  [
    'a foreign key becomes a to-one relationship and its to-many inverse',
    `create table author (id integer primary key);
     create table book (id integer primary key, author_id integer references author (id))`,
    "books: toMany('book', { column: 'author_id' }),",
    "author: toOne('author', { column: 'author_id' }),",
  ],
  [
    'a foreign key that is not null is required, or never null if the column has a default',
    `create table author (id integer primary key);
     create table book (id integer primary key, author_id integer not null references author,
       editor_id integer not null default 1 references author)`,
    "author: toOne('author', { column: 'author_id', required: true }),",
    "editor: toOne('author', { column: 'editor_id', nullable: false }),",
  ],
  [
    'a unique foreign key becomes a to-one relationship in both directions',
    `create table "user" (id integer primary key);
     create table profile (id integer primary key, user_id integer unique references "user")`,
    "user: toOne('user', { column: 'user_id' }),",
    "profile: toOne('profile', { column: 'user_id', foreignKey: 'other' }),",
  ],
  [
    'a primary key that is also a foreign key is a client-generated id, and its relationship is read-only',
    `create table "user" (id integer primary key);
     create table profile (user_id integer primary key references "user", bio text)`,
    "id: { column: 'user_id', client: 'required' },",
    "user: toOne('user', { column: 'user_id', nullable: false, access: 'read-only' }),",
    "profile: toOne('profile', { column: 'user_id', foreignKey: 'other', access: 'read-only' }),",
  ],
  [
    'a foreign key to a unique column that is not the id declares the column as references',
    `create table country (id integer primary key, code text not null unique);
     create table city (id integer primary key, country text references country (code))`,
    "country: toOne('country', { column: 'country', references: 'code' }),",
    'code: attribute(text, { required: true }),',
    "cities: toMany('city', { column: 'country', references: 'code' }),",
  ],
  [
    'a foreign key to a column that may be null becomes a read-only relationship',
    `create table country (id integer primary key, code text unique);
     create table city (id integer primary key, country text references country (code))`,
    "country: toOne('country', { column: 'country', references: 'code', access: 'read-only' }),",
    "cities: toMany('city', { column: 'country', references: 'code', access: 'read-only' }),",
  ],
  [
    'a self-referencing parent_id becomes parent and children',
    'create table folder (id integer primary key, parent_id integer references folder)',
    "parent: toOne('folder', { column: 'parent_id' }),",
    "children: toMany('folder', { column: 'parent_id' }),",
  ],
  [
    'the inverse of another self-reference is named after the foreign key',
    'create table person (id integer primary key, manager_id integer references person)',
    "manager: toOne('person', { column: 'manager_id' }),",
    "persons_by_manager: toMany('person', { column: 'manager_id' }),",
  ],
  [
    'inverses of several foreign keys between two tables are named after their foreign keys',
    `create table "user" (id integer primary key); create table message (id integer primary key,
       sender_id integer references "user", recipient_id integer references "user")`,
    "sender: toOne('user', { column: 'sender_id' }),",
    "recipient: toOne('user', { column: 'recipient_id' }),",
    "messages_by_sender: toMany('message', { column: 'sender_id' }),",
    "messages_by_recipient: toMany('message', { column: 'recipient_id' }),",
  ],
  [
    'a relationship gets another name when an attribute has its name',
    `create table customer (id integer primary key, invoices text);
     create table invoice (id integer primary key, customer text, customer_id integer references customer)`,
    'invoices: attribute(text),',
    "invoices_by_customer: toMany('invoice', { column: 'customer_id' }),",
    'customer: attribute(text),',
    "related_customer: toOne('customer', { column: 'customer_id' }),",
  ],
  [
    'a join table becomes a many-to-many relationship on both sides',
    `create table post (id integer primary key); create table tag (id integer primary key);
     create table post_tag (post_id integer not null references post, tag_id integer not null references tag,
       primary key (post_id, tag_id))`,
    "tags: toMany('tag', { through: { table: 'post_tag', from: 'post_id', to: 'tag_id' } }),",
    "posts: toMany('post', { through: { table: 'post_tag', from: 'tag_id', to: 'post_id' } }),",
    'export const resources = [post, tag] as const',
  ],
  [
    'a join table with further columns and without a key of one column is omitted, with the columns that are not served',
    `create table post (id integer primary key); create table tag (id integer primary key);
     create table post_tag (post_id integer not null references post, tag_id integer not null references tag,
       position integer, primary key (post_id, tag_id))`,
    "post_tags: toMany('post_tag', { column: 'post_id', access: 'read-only' }),",
    "tags: toMany('tag', { through: { table: 'post_tag', from: 'post_id', to: 'tag_id' } }),",
    "resource('post_tag', {",
    "id: ['post_id', 'tag_id'],",
    'position: attribute(integer),',
    "post: toOne('post', { column: 'post_id', required: true }),",
    "tag: toOne('tag', { column: 'tag_id', required: true }),",
    "posts: toMany('post', { through: { table: 'post_tag', from: 'tag_id', to: 'post_id' } }),",
    'export const resources = [post, postTag, tag] as const',
  ],
  [
    'a relationship through a join table is read-only if a link needs a further column',
    `create table orders (id integer primary key); create table product (id integer primary key);
     create table order_details (order_id integer references orders, product_id integer references product,
       quantity integer not null, primary key (order_id, product_id))`,
    "id: ['order_id', 'product_id'],",
    'quantity: attribute(integer, { required: true }),',
    "order: toOne('order', { column: 'order_id', required: true }),",
    "product: toOne('product', { column: 'product_id', required: true }),",
    "order_details: toMany('order_detail', { column: 'order_id', access: 'read-only' }),",
    'products: toMany(',
    "through: { table: 'order_details', from: 'order_id', to: 'product_id' },\n      access: 'read-only',",
    'orders: toMany(',
    "through: { table: 'order_details', from: 'product_id', to: 'order_id' },\n      access: 'read-only',",
  ],
  [
    'a join table with further columns and a key of its own becomes a resource type too',
    `create table post (id integer primary key); create table tag (id integer primary key);
     create table post_tag (id integer primary key, post_id integer references post, tag_id integer references tag,
       why text, unique (post_id, tag_id))`,
    "post_tags: toMany('post_tag', { column: 'post_id' }),",
    "tags: toMany('tag', { through: { table: 'post_tag', from: 'post_id', to: 'tag_id' } }),",
    "resource('post_tag', {",
    'why: attribute(text),',
    "post: toOne('post', { column: 'post_id' }),",
    "posts: toMany('post', { through: { table: 'post_tag', from: 'tag_id', to: 'post_id' } }),",
    'export const resources = [post, postTag, tag] as const',
  ],
  [
    'a join table that another table references becomes a resource type too',
    `create table post (id integer primary key); create table tag (id integer primary key);
     create table post_tag (id integer primary key, post_id integer references post, tag_id integer references tag,
       unique (post_id, tag_id));
     create table vote (id integer primary key, post_tag_id integer references post_tag)`,
    "tags: toMany('tag', { through: { table: 'post_tag', from: 'post_id', to: 'tag_id' } }),",
    "votes: toMany('vote', { column: 'post_tag_id' }),",
    "post_tag: toOne('post_tag', { column: 'post_tag_id' }),",
  ],
  [
    'a join table may have a third foreign key',
    `create table post (id integer primary key); create table tag (id integer primary key);
     create table author (id integer primary key);
     create table post_tag (id integer primary key, author_id integer references author, post_id integer references post,
       tag_id integer references tag, unique (post_id, tag_id))`,
    "tags: toMany('tag', { through: { table: 'post_tag', from: 'post_id', to: 'tag_id' } }),",
    "author: toOne('author', { column: 'author_id' }),",
  ],
  [
    'a join table may have its own primary key and may link a table to itself',
    `create table "user" (id integer primary key);
     create table follow (id integer primary key, follower_id integer not null references "user",
       followed_id integer not null references "user", unique (followed_id, follower_id))`,
    'followed: toMany(',
    "through: { table: 'follow', from: 'follower_id', to: 'followed_id' },",
    'followers: toMany(',
    'export const resources = [user] as const',
  ],
  [
    'a join table with a key of its own and a further required column becomes a resource type, too',
    `create table post (id integer primary key); create table tag (id integer primary key);
     create table post_tag (id integer primary key, post_id integer references post, tag_id integer references tag,
       why text not null, unique (post_id, tag_id))`,
    "post_tags: toMany('post_tag', { column: 'post_id' }),",
    "through: { table: 'post_tag', from: 'post_id', to: 'tag_id' },\n      access: 'read-only',",
    "resource('post_tag', {",
  ],
  [
    'a composite foreign key becomes a relationship; if its columns can be null where it leads, they are attributes too',
    `create table line (id integer primary key, a integer, b integer, unique (a, b));
     create table note (id integer primary key, a integer, b integer, foreign key (a, b) references line (a, b))`,
    "notes: toMany('note', { column: ['a', 'b'], references: ['a', 'b'], access: 'read-only' }),",
    'a: attribute(integer),',
    "line: toOne('line', { column: ['a', 'b'], references: ['a', 'b'], access: 'read-only' }),",
  ],
  [
    'a composite primary key is an id, whose columns are attributes unless they are foreign keys',
    `create table shelf (room integer not null, label varchar(9) not null, width integer, primary key (room, label));
     create table box (shelf_room integer not null, shelf_label varchar(9) not null, no integer not null, note varchar(9),
       primary key (shelf_room, shelf_label, no), foreign key (shelf_label, shelf_room) references shelf (label, room));
     create table item (id integer primary key, room integer, label varchar(9),
       foreign key (room, label) references shelf (room, label))`,
    "id: { column: ['shelf_room', 'shelf_label', 'no'], kind: [integer, text, integer] },",
    'no: attribute(integer, { required: true }),',
    "shelf: toOne('shelf', { column: ['shelf_room', 'shelf_label'], required: true }),",
    "shelf: toOne('shelf', { column: ['room', 'label'] }),",
    "id: { column: ['room', 'label'], kind: [integer, text] },",
    'room: attribute(integer, { required: true }),',
    'label: attribute(text, { required: true }),',
    "boxes: toMany('box', { column: ['shelf_room', 'shelf_label'], access: 'read-only' }),",
    "items: toMany('item', { column: ['room', 'label'] }),",
  ],
  [
    'foreign keys that share the column of a tenant with the id',
    `create table tenant (id integer primary key);
     create table author (tenant_id integer not null references tenant, no integer not null, name varchar(9),
       primary key (tenant_id, no));
     create table book (tenant_id integer not null references tenant, no integer not null, author_no integer,
       primary key (tenant_id, no), foreign key (tenant_id, author_no) references author (tenant_id, no))`,
    "books: toMany('book', { column: ['tenant_id', 'author_no'] }),",
    "resource('book', {",
    "id: ['tenant_id', 'no'],",
    'no: attribute(integer, { required: true }),',
    "tenant: toOne('tenant', { column: 'tenant_id', required: true }),",
    "author: toOne('author', { column: ['tenant_id', 'author_no'] }),",
  ],
  [
    'a join table of composite keys',
    `create table shelf (room integer not null, label integer not null, primary key (room, label));
     create table tag (id integer primary key);
     create table shelf_tag (tag_id integer not null references tag, room integer not null, label integer not null,
       primary key (tag_id, label, room), foreign key (label, room) references shelf (label, room))`,
    'tags: toMany(',
    "through: { table: 'shelf_tag', from: ['room', 'label'], to: 'tag_id' }",
    'shelves: toMany(',
    "through: { table: 'shelf_tag', from: 'tag_id', to: ['room', 'label'] }",
  ],
  [
    'a numeric key without a fraction is an integer id',
    `create table a (no numeric(10) primary key not null); create table b (id numeric(18, 0) primary key not null,
       a_no numeric(10) references a)`,
    "id: { column: 'no', client: 'required' },",
    "bs: toMany('b', { column: 'a_no' }),",
    "id: { client: 'required' },",
    "a_no: toOne('a', { column: 'a_no' }),",
  ],
  [
    'clients may send the ids of a key whose default is the same for every row',
    `create table cache (cid varchar(99) default '' not null primary key); create table setting (no bigint default 0 not null primary key);
     create table site (id numeric(9) default -1 not null primary key)`,
    "id: { column: 'cid', kind: text, client: 'optional' },",
    "id: { column: 'no', client: 'optional' },",
    "id: { client: 'optional' },",
  ],
  [
    'a table whose key suggests a secret is omitted, and so is a view without a key',
    `create table bare (x text);
     create table session (token text primary key not null);
     create view loose as select x from bare`,
    'loose is omitted: it is a view without a column "id"',
    'session is omitted: its key token looks secret',
  ],
]
