import { after } from 'node:test'
import type { Api, Client, Model, Store } from 'lapidary'
import {
  attribute,
  computed,
  createApi,
  date,
  decimal,
  defineModel,
  email,
  enumeration,
  expression,
  integer,
  integer64,
  json,
  RequestError,
  resource,
  sql,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import { type Engine, engine, openStore } from '../engine/engine.ts'

const shop = resource('shop', {
  path: '/shops',
  table: 'shop',
  id: { kind: text, client: 'required' },
  fields: {
    name: attribute(text, { required: true }),
    items: toMany('item', { column: 'shop', count: true }),
  },
})

const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: {
    name: attribute(text, { required: true }),
    price: attribute(decimal({ precision: 10, scale: 2 })),
    stock: attribute(integer, { required: true, default: 0 }),
    serial: attribute(integer64(), { access: 'immutable' }),
    contact: attribute(email, { access: 'write-only', filter: true }),
    state: attribute(enumeration(['new', 'used'])),
    made_on: attribute(date),
    options: attribute(json),
    changed_by: attribute(text, { access: 'read-only' }),
    label: computed(text, { name: text, contact: email }, ({ name, contact }) =>
      contact === null ? name : `${name} <${contact}>`,
    ),
    worth: expression(integer, (column) => sql`${column('stock')} * 2`),
    shop: toOne('shop', { column: 'shop' }),
    parts: toMany('item', { column: 'whole_id' }),
    whole: toOne('item', { column: 'whole_id' }),
    tags: toMany('tag', { through: { table: 'item_tag', from: 'item_id', to: 'tag_id' } }),
    first_tags: toMany('tag', {
      access: 'read-only',
      through: { table: 'item_tag', from: 'item_id', to: 'tag_id' },
    }),
  },
  hooks: {
    beforeCreate: (_change, { auth }) => ({ changed_by: nameOf(auth) }),
    beforeUpdate: (_current, { attributes }, { auth }) => {
      if (attributes.name === 'forbidden')
        throw new RequestError({ detail: 'This name is taken.', pointer: '/data/attributes/name' })
      return { changed_by: nameOf(auth) }
    },
    beforeRead: ({ auth }) => {
      if (auth === 'blocked') throw new RequestError({ detail: 'You cannot read items.' })
    },
  },
})

const tag = resource('tag', {
  path: '/tags',
  table: 'tag',
  id: { kind: uuid, client: 'optional' },
  fields: {
    word: attribute(text, { required: true }),
    items: toMany('item', { through: { table: 'item_tag', from: 'tag_id', to: 'item_id' } }),
  },
})

const total = resource('total', {
  path: '/totals',
  table: 'total',
  access: 'read-only',
  fields: { items: attribute(integer), name: attribute(text) },
})

const nameOf = (auth: unknown) => (typeof auth === 'string' ? auth : 'nobody')

/** A model with every kind of field, access right and relationship. */
export const shopModel = defineModel([shop, item, tag, total], {
  maxPageSize: 50,
  idMismatch: 'conflict',
})

/** The tables of the model, with rows. */
export const shopTables = (types: ColumnTypes) => `
  create table shop (id text primary key not null, name text not null unique);
  create table item (id ${types.newId}, name text not null unique, price ${types.decimal}, stock ${types.integer} not null,
    serial ${types.integer64}, contact text, state text, made_on ${types.date}, options ${types.json}, changed_by text,
    shop text references shop (id), whole_id integer references item (id) on delete set null);
  create table tag (id ${types.uuid} primary key not null, word text not null);
  create table item_tag (item_id integer not null references item (id) on delete cascade,
    tag_id ${types.uuid} not null references tag (id), primary key (item_id, tag_id));
  create table audit (note text not null);
  create view total as select 1 as id, count(*) as items, cast('all' as text) as name from item;
  insert into shop values ('north/1', 'North'), ('south', 'South');
  insert into item (name, price, stock, serial, contact, state, made_on, options, shop, whole_id) values
    ('engine', 100.5, 3, 9007199254740993, 'e@example.org', 'new', '2020-01-31', '{"a":[1,null]}', 'north/1', null),
    ('wheel', 20, 8, 5, null, 'used', null, null, 'north/1', 1),
    ('bolt', null, 0, null, 'b@example.org', null, null, null, null, 1);
  insert into tag values ('${tagIds[0]}', 'heavy'), ('${tagIds[1]}', 'round');
  insert into item_tag values (1, '${tagIds[0]}'), (2, '${tagIds[0]}'), (2, '${tagIds[1]}');
`

/** The ids of the stored tags. */
export const tagIds = [
  '0f7e6d5c-0000-4000-8000-000000000001',
  '0f7e6d5c-0000-4000-8000-000000000002',
] as const

type Types = typeof shopModel extends Model<infer Declared> ? Declared : never

/** A client of the model. */
export type ShopClient = Client<Types>

/** The API in process on the database that a server serves. */
export interface ShopApi {
  readonly store: Store
  readonly api: Api<Types>
  readonly client: ShopClient
}

/** The stores of the suite that runs, by the URLs of their databases. */
const stores = new Map<string, Store>()

/**
 * Runs work with the API in process on the database of a server. Its calls have the auth context `tester`, as requests.
 * All tests of a suite use one store.
 */
export async function withApi<Result>(
  { databaseUrl }: Engine,
  work: (shop: ShopApi) => Promise<Result>,
): Promise<Result> {
  const store = stores.get(databaseUrl) ?? (await openStore(shopModel, databaseUrl))
  stores.set(databaseUrl, store)
  const api = createApi({ model: shopModel, store })
  return work({ store, api, client: api.with({ auth: 'tester' }) })
}

/** A suite of tests on each database, with a server beside the API in process. */
export function inProcess(title: string, body: (engine: Engine) => void): void {
  const server = { authenticate: () => 'tester' }
  const served = { model: shopModel, tables: shopTables, server, keepsTables: true }
  engine(title, served, (app) => {
    after(async () => {
      for (const store of stores.values()) await store.close()
      stores.clear()
    })
    body(app)
  })
}
