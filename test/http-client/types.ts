import { expectTypeOf } from 'expect-type'
import type {
  ApiDocument,
  DryRun,
  Identifier,
  Json,
  Model,
  NewResource,
  NoFieldsets,
  ResourceObject,
  ResourceUpdate,
  Store,
  TypeName,
  UntypedResource,
} from 'lapidary'
import {
  array,
  attribute,
  bytes,
  createApi,
  date,
  defineModel,
  integer,
  integer64,
  nullable,
  resource,
  sql,
  tableFunction,
  text,
  withDefault,
} from 'lapidary'
import type {
  ErrorObject,
  HttpClient,
  ResourcePage,
  ResponseError,
  SourceDeclarations,
} from 'lapidary/client'
import { createClient } from 'lapidary/client'
import type { ShopApi, shopModel } from '../in-process/shop.ts'

// The types of the client over HTTP. Nothing here runs: `types.test.ts` counts the cases, and the type check verifies them.

type Types = (typeof shopModel)['declarations']
type Client = HttpClient<Types>
type Linked<Type extends string> = string | Identifier<Type>
type Large = number | bigint | string

interface Tag {
  readonly type: 'tag'
  readonly id: string
  readonly word: string
}
interface Shop {
  readonly type: 'shop'
  readonly id: string
  readonly name: string
  readonly 'items.count'?: number
}
interface Item {
  readonly type: 'item'
  readonly id: string
  readonly name: string
  readonly price: string | null
  readonly stock: number
  readonly serial: Large | null
  readonly state: 'new' | 'used' | null
  readonly made_on: string | null
  readonly options: Json | null
  readonly changed_by: string | null
  readonly label: string | null
  readonly worth: number | null
}
interface ItemUpdate {
  readonly name?: string | undefined
  readonly price?: string | null | undefined
  readonly stock?: number | undefined
  readonly contact?: string | null | undefined
  readonly state?: 'new' | 'used' | null | undefined
  readonly made_on?: string | null | undefined
  readonly options?: Json | null | undefined
  readonly shop?: Linked<'shop'> | null | undefined
  readonly parts?: readonly Linked<'item'>[] | undefined
  readonly whole?: Linked<'item'> | null | undefined
  readonly tags?: readonly Linked<'tag'>[] | undefined
}

/** The clients of an API. */
export function clients(api: ShopApi['api'], model: typeof shopModel): void {
  const options = { url: 'https://shop.example.org' }
  expectTypeOf(createClient<typeof api>(options)).toEqualTypeOf<Client>()
  expectTypeOf(createClient<typeof model>(options)).toEqualTypeOf<Client>()
  expectTypeOf<SourceDeclarations<typeof api>>().toEqualTypeOf<Types>()
  expectTypeOf<keyof Client>().toEqualTypeOf<'shop' | 'item' | 'tag' | 'total' | 'atomic'>()
  expectTypeOf<keyof Client>().toEqualTypeOf<TypeName<Types> | 'atomic'>()
  expectTypeOf<keyof Client['total']>().toEqualTypeOf<
    'list' | 'pages' | 'each' | 'get' | 'related' | 'relate'
  >()
  expectTypeOf<keyof Client['tag']>().toEqualTypeOf<
    keyof Client['total'] | 'create' | 'update' | 'remove'
  >()
  expectTypeOf(createClient).parameter(0).toHaveProperty('root')
  expectTypeOf(
    createClient<Model>(options).anything?.get,
  ).returns.resolves.toEqualTypeOf<UntypedResource>()
  expectTypeOf(createClient(options).anything?.create)
    .parameter(0)
    .toEqualTypeOf<Readonly<Record<string, unknown>>>()
  // @ts-expect-error the address is missing
  createClient<typeof api>({})
  // @ts-expect-error no option
  createClient<typeof api>({ ...options, token: 'x' })
  // @ts-expect-error header fields are texts
  createClient<typeof api>({ ...options, headers: { 'x-count': 1 } })
  // @ts-expect-error not an API
  createClient<string>(options)
  // @ts-expect-error a function, not the name of one
  createClient<typeof api>({ ...options, fetch: 'fetch' })
  createClient<typeof api>({ url: new URL(options.url), fetch, headers: async () => ({ a: 'b' }) })
}

/** The resources of responses. */
export async function resources({ item, shop, tag, total }: Client): Promise<void> {
  expectTypeOf(await item.get('1')).branded.toEqualTypeOf<Item>()
  expectTypeOf(await tag.get('1')).branded.toEqualTypeOf<Tag>()
  expectTypeOf(await shop.get('1')).branded.toEqualTypeOf<Shop>()
  const page = await item.list()
  expectTypeOf(page.data).branded.toEqualTypeOf<readonly Item[]>()
  expectTypeOf(page.meta.count).toEqualTypeOf<number>()
  expectTypeOf(page.links.next).toEqualTypeOf<string | null | undefined>()
  expectTypeOf(page).toExtend<ResourcePage<Item>>()
  expectTypeOf(await total.list()).toHaveProperty('data')
  const one = await item.get('1')
  expectTypeOf(one.type).toEqualTypeOf<'item'>()
  expectTypeOf(one.id).toEqualTypeOf<string>()
  expectTypeOf(one.name).toEqualTypeOf<string>()
  expectTypeOf(one.price).toEqualTypeOf<string | null>()
  expectTypeOf(one.stock).toEqualTypeOf<number>()
  expectTypeOf(one.serial).toEqualTypeOf<Large | null>()
  expectTypeOf(one.state).toEqualTypeOf<'new' | 'used' | null>()
  expectTypeOf(one.made_on).toEqualTypeOf<string | null>()
  expectTypeOf(one.options).toEqualTypeOf<Json | null>()
  expectTypeOf(one.label).toEqualTypeOf<string | null>()
  expectTypeOf(one.worth).toEqualTypeOf<number | null>()
  expectTypeOf(one).not.toHaveProperty('contact')
  expectTypeOf(one).not.toHaveProperty('shop')
  expectTypeOf(one).not.toHaveProperty('tags')
  expectTypeOf(one).toEqualTypeOf<ResourceObject<Types, 'item', never, NoFieldsets, 'json'>>()
  // @ts-expect-error write-only
  one.contact
  // @ts-expect-error not included
  one.shop
  // @ts-expect-error no field
  one.nam
  // @ts-expect-error an id is a text
  item.get(1)
  // @ts-expect-error the id is missing
  item.get()
  // @ts-expect-error resources do not change
  one.name = 'x'
  // @ts-expect-error a list has pages, a resource has not
  item.get('1', { page: { size: 1 } })
}

/** The members that `include` adds. */
export async function includes({ item, shop, tag }: Client): Promise<void> {
  const one = await item.get('1', { include: ['shop.items.tags', 'tags', 'whole'] })
  expectTypeOf<NonNullable<typeof one.shop>['name']>().toEqualTypeOf<string>()
  expectTypeOf<NonNullable<typeof one.shop>['items'][0]['tags'][0]>().branded.toEqualTypeOf<Tag>()
  expectTypeOf(one.tags).branded.toEqualTypeOf<readonly Tag[]>()
  expectTypeOf(one.whole).branded.toEqualTypeOf<Item | null>()
  expectTypeOf(one.stock).toEqualTypeOf<number>()
  const { data } = await shop.list({ include: ['items'] })
  expectTypeOf(data).items.toHaveProperty('items')
  expectTypeOf<(typeof data)[0]['items']>().branded.toEqualTypeOf<readonly Item[]>()
  expectTypeOf((await tag.list({ include: ['items.shop'] })).data).items.toExtend<Tag>()
  for await (const { items } of tag.each({ include: ['items'] }))
    expectTypeOf(items).branded.toEqualTypeOf<readonly Item[]>()
  for await (const { data: tags } of tag.pages())
    expectTypeOf(tags).branded.toEqualTypeOf<readonly Tag[]>()
  expectTypeOf(await item.get('1', { include: [] })).branded.toEqualTypeOf<Item>()
  // @ts-expect-error ends at the items
  one.shop?.items[0]?.shop
  // @ts-expect-error not included
  one.parts
  // @ts-expect-error no relationship
  item.list({ include: ['shops'] })
  // @ts-expect-error an attribute
  item.list({ include: ['name'] })
  // @ts-expect-error no relationship of shops
  item.list({ include: ['shop.item'] })
  // @ts-expect-error no relationship of items of shops
  shop.list({ include: ['items', 'items.tag'] })
  // @ts-expect-error a list of paths
  item.list({ include: 'shop' })
  // @ts-expect-error shops may be missing
  one.shop.name
}

/** The members that `fields` selects. */
export async function fieldsets({ item, shop }: Client): Promise<void> {
  const named = await item.get('1', { fields: { item: ['name'] } })
  expectTypeOf<keyof typeof named>().toEqualTypeOf<'type' | 'id' | 'name'>()
  expectTypeOf(named.name).toEqualTypeOf<string>()
  const bare = await item.get('1', { fields: { item: [] } })
  expectTypeOf<keyof typeof bare>().toEqualTypeOf<'type' | 'id'>()
  const linked = await item.get('1', { fields: { item: ['tags', 'shop'] } })
  expectTypeOf(linked.tags).branded.toEqualTypeOf<readonly Identifier<'tag'>[]>()
  expectTypeOf(linked.shop).branded.toEqualTypeOf<Identifier<'shop'> | null>()
  const both = await shop.get('1', {
    include: ['items.tags'],
    fields: { shop: ['name'], item: ['stock'], tag: [] },
  })
  expectTypeOf<keyof typeof both>().toEqualTypeOf<
    'type' | 'id' | 'name' | 'items' | 'items.count'
  >()
  expectTypeOf<keyof (typeof both)['items'][0]>().toEqualTypeOf<'type' | 'id' | 'stock' | 'tags'>()
  expectTypeOf<keyof (typeof both)['items'][0]['tags'][0]>().toEqualTypeOf<'type' | 'id'>()
  const other = await item.get('1', { fields: { tag: ['word'] } })
  expectTypeOf(other).branded.toEqualTypeOf<Item>()
  // @ts-expect-error not in the fieldset
  named.price
  // @ts-expect-error not in the fieldset of tags
  both.items[0]?.tags[0]?.word
  // @ts-expect-error write-only
  item.get('1', { fields: { item: ['contact'] } })
  // @ts-expect-error no field
  item.get('1', { fields: { item: ['nam'] } })
  // @ts-expect-error no type
  item.get('1', { fields: { items: ['name'] } })
  // @ts-expect-error a list of names
  item.get('1', { fields: { item: 'name' } })
}

/** Filters and orders. */
export function queries({ item, shop, tag, total }: Client): void {
  const list = item.list
  type Filter = NonNullable<NonNullable<Parameters<typeof list>[0]>['filter']>
  expectTypeOf<{ name: string }>().toExtend<Filter>()
  expectTypeOf<{ name: { startswith: string; notlike: string } }>().toExtend<Filter>()
  expectTypeOf<{ name: { in_: readonly string[] } }>().toExtend<Filter>()
  expectTypeOf<{ name: { eq: { field: 'changed_by' } } }>().toExtend<Filter>()
  expectTypeOf<{ price: null }>().toExtend<Filter>()
  expectTypeOf<{ price: { between: readonly [string, string] } }>().toExtend<Filter>()
  expectTypeOf<{ stock: { ge: number; lt: number } }>().toExtend<Filter>()
  expectTypeOf<{ stock: number }>().toExtend<Filter>()
  expectTypeOf<{ serial: bigint }>().toExtend<Filter>()
  expectTypeOf<{ serial: { gt: number } }>().toExtend<Filter>()
  expectTypeOf<{ state: 'new' }>().toExtend<Filter>()
  expectTypeOf<{ state: { in_: readonly ('new' | 'used')[] } }>().toExtend<Filter>()
  expectTypeOf<{ made_on: { le: string } }>().toExtend<Filter>()
  expectTypeOf<{ options: null }>().toExtend<Filter>()
  expectTypeOf<{ options: { isnot: null } }>().toExtend<Filter>()
  expectTypeOf<{ contact: { endswith: string } }>().toExtend<Filter>()
  expectTypeOf<{ worth: { gt: { field: 'stock' } } }>().toExtend<Filter>()
  expectTypeOf<{ id: string }>().toExtend<Filter>()
  expectTypeOf<{ id: { in_: readonly string[] } }>().toExtend<Filter>()
  expectTypeOf<{ shop: null }>().toExtend<Filter>()
  expectTypeOf<{ shop: { ne: null } }>().toExtend<Filter>()
  expectTypeOf<{ shop: { has: { name: { ilike: string } } } }>().toExtend<Filter>()
  expectTypeOf<{
    tags: { any: { word: string; items: { any: { stock: { gt: number } } } } }
  }>().toExtend<Filter>()
  expectTypeOf<{ tags: { any: null } }>().toExtend<Filter>()
  expectTypeOf<{ or: readonly [{ name: string }, { stock: number }] }>().toExtend<Filter>()
  expectTypeOf<{ not: { and: readonly [{ name: string }] }; stock: number }>().toExtend<Filter>()
  expectTypeOf<{ shop__name: string; tags__word: { startswith: string } }>().toExtend<Filter>()
  expectTypeOf<readonly [{ name: 'name'; op: 'eq'; val: string }]>().toExtend<Filter>()
  expectTypeOf<{ stock: string }>().not.toExtend<Filter>()
  expectTypeOf(item.list({ sort: ['-worth', 'shop.name', 'id'] })).resolves.toHaveProperty('data')
  expectTypeOf(item.list({ page: { number: 2, size: 5 } })).resolves.toHaveProperty('meta')
  expectTypeOf(item.list({}, { signal: new AbortController().signal })).resolves.toHaveProperty(
    'links',
  )
  expectTypeOf(shop.each({ sort: ['name'] }, { headers: { a: 'b' } })).toHaveProperty('next')
  // @ts-expect-error no field
  item.list({ filter: { nam: 'x' } })
  // @ts-expect-error computed by JavaScript
  item.list({ filter: { label: 'x' } })
  // @ts-expect-error a number
  item.list({ filter: { stock: '5' } })
  // @ts-expect-error numbers are not searched
  item.list({ filter: { stock: { startswith: 5 } } })
  // @ts-expect-error dates have an order, and are not searched
  item.list({ filter: { made_on: { like: '2020%' } } })
  // @ts-expect-error an enumeration has no order
  item.list({ filter: { state: { gt: 'new' } } })
  // @ts-expect-error not among the values
  item.list({ filter: { state: 'old' } })
  // @ts-expect-error JSON is only compared with null
  item.list({ filter: { options: { eq: {} } } })
  // @ts-expect-error no operator
  item.list({ filter: { name: { equals: 'x' } } })
  // @ts-expect-error two values
  item.list({ filter: { stock: { between: [1] } } })
  // @ts-expect-error a list
  item.list({ filter: { stock: { in_: 1 } } })
  // @ts-expect-error no field to compare with
  item.list({ filter: { stock: { gt: { field: 'stok' } } } })
  // @ts-expect-error one resource has, many have any
  item.list({ filter: { shop: { any: { name: 'x' } } } })
  // @ts-expect-error many have any
  item.list({ filter: { tags: { has: { word: 'x' } } } })
  // @ts-expect-error no field of tags
  item.list({ filter: { tags: { any: { wrd: 'x' } } } })
  // @ts-expect-error no field in a nested condition
  item.list({ filter: { or: [{ nam: 'x' }] } })
  // @ts-expect-error no name in a filter object
  item.list({ filter: [{ name: 'nam', op: 'eq', val: 'x' }] })
  void total.list({ filter: { id: '1', items: { ge: 1 } } })
  // @ts-expect-error a text, of a type without relationships
  total.list({ filter: 'x' })
  // @ts-expect-error a boolean in a combination
  total.list({ filter: { not: true } })
  // @ts-expect-error computed by JavaScript
  item.list({ sort: ['label'] })
  // @ts-expect-error through a to-many relationship
  item.list({ sort: ['tags.word'] })
  // @ts-expect-error no attribute
  tag.list({ sort: ['-wrd'] })
  // @ts-expect-error no parameter
  total.list({ filters: {} })
  // @ts-expect-error no member of a page
  total.list({ page: { limit: 5 } })
  // @ts-expect-error no type
  total.itm
}

/** Writes and their results. */
export async function writes({ atomic, item, shop, tag, total }: Client): Promise<void> {
  expectTypeOf<Parameters<typeof item.update>[1]>().toEqualTypeOf<
    ResourceUpdate<Types, 'item', 'json'>
  >()
  expectTypeOf<Parameters<typeof item.update>[1]>().branded.toEqualTypeOf<ItemUpdate>()
  expectTypeOf<Parameters<typeof item.create>[0]>().toEqualTypeOf<
    NewResource<Types, 'item', 'json'>
  >()
  expectTypeOf<Parameters<typeof item.create>[0]['name']>().toEqualTypeOf<string>()
  expectTypeOf<Parameters<typeof item.create>[0]['serial']>().toEqualTypeOf<
    Large | null | undefined
  >()
  expectTypeOf<Parameters<typeof shop.create>[0]['id']>().toEqualTypeOf<string>()
  expectTypeOf<Parameters<typeof tag.create>[0]['id']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<NonNullable<Parameters<typeof tag.create>[0]['items']>[0]>().toEqualTypeOf<
    Linked<'item'>
  >()
  expectTypeOf(await tag.create({ word: 'x' })).branded.toEqualTypeOf<Tag>()
  expectTypeOf(await item.update('1', { name: 'x' })).branded.toEqualTypeOf<Item>()
  expectTypeOf(
    (await tag.create({ word: 'x' }, { include: ['items'] })).items,
  ).branded.toEqualTypeOf<readonly Item[]>()
  expectTypeOf(await tag.update('1', {}, { fields: { tag: [] } })).not.toHaveProperty('word')
  expectTypeOf(await item.remove('1')).toEqualTypeOf<void>()
  expectTypeOf(await item.relate('1', 'shop', { replace: null })).toEqualTypeOf<void>()
  expectTypeOf(await item.remove('1', { dryRun: true })).toEqualTypeOf<DryRun<undefined>>()
  expectTypeOf((await tag.create({ word: 'x' }, {}, { dryRun: true })).result).not.toHaveProperty(
    'id',
  )
  expectTypeOf(
    (await item.update('1', { name: 'x' }, {}, { dryRun: true })).result,
  ).branded.toEqualTypeOf<Item>()
  const tried = await atomic(
    (batch) => {
      const made = batch.create('tag', { word: 'x' })
      return { made: batch.update('tag', made, {}), known: batch.update('tag', '1', {}) }
    },
    { dryRun: true },
  )
  expectTypeOf(tried.result.made).not.toHaveProperty('id')
  expectTypeOf(tried.result.made).toHaveProperty('word')
  expectTypeOf(tried.result.known).toHaveProperty('id')
  expectTypeOf(await item.related('1', 'shop')).branded.toEqualTypeOf<Shop | null>()
  expectTypeOf((await item.related('1', 'tags')).data).branded.toEqualTypeOf<readonly Tag[]>()
  expectTypeOf((await item.related('1', 'tags', { include: ['items'] })).data).items.toHaveProperty(
    'items',
  )
  const read = await item.get('1')
  expectTypeOf(read).toExtend<ResourceUpdate<Types, 'item', 'json'>>()
  void item.relate('1', 'tags', { add: ['1', { type: 'tag', id: '2' }] })
  void item.relate('1', 'shop', { replace: null })
  // @ts-expect-error the name is missing
  item.create({})
  // @ts-expect-error required
  item.create({ name: null })
  // @ts-expect-error required, though it has a default
  item.create({ name: 'x', stock: null })
  // @ts-expect-error a text
  item.create({ name: 1 })
  // @ts-expect-error read-only
  item.create({ name: 'x', changed_by: 'me' })
  // @ts-expect-error computed by the database
  item.create({ name: 'x', worth: 1 })
  // @ts-expect-error a read-only relationship
  item.create({ name: 'x', first_tags: [] })
  // @ts-expect-error no field
  item.create({ name: 'x', colour: 'red' })
  // @ts-expect-error a resource of another type
  item.create({ name: 'x', shop: { type: 'tag', id: '1' } })
  // @ts-expect-error one shop
  item.create({ name: 'x', shop: ['1'] })
  // @ts-expect-error many tags
  item.create({ name: 'x', tags: '1' })
  // @ts-expect-error the client has to send the id
  shop.create({ name: 'x' })
  // @ts-expect-error immutable
  item.update('1', { serial: 5 })
  // @ts-expect-error the id is missing
  item.update({ name: 'x' })
  // @ts-expect-error a read-only type
  total.create({ items: 1 })
  // @ts-expect-error a read-only type
  total.remove('1')
  // @ts-expect-error one resource is replaced, not added
  item.relate('1', 'shop', { add: ['1'] })
  // @ts-expect-error one change at a time
  item.relate('1', 'tags', {})
  // @ts-expect-error an attribute
  item.relate('1', 'name', { replace: 'x' })
  // @ts-expect-error no relationship
  item.related('1', 'tag')
  // @ts-expect-error one resource has no pages
  item.related('1', 'shop', { page: { size: 1 } })
}

/** Errors and options. */
export function errors(error: ResponseError, document: ApiDocument<Tag>): void {
  expectTypeOf(error).toExtend<Error>()
  expectTypeOf(error.status).toEqualTypeOf<number>()
  expectTypeOf(error.code).toEqualTypeOf<string | undefined>()
  expectTypeOf(error.errors).toEqualTypeOf<readonly ErrorObject[]>()
  expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>()
  expectTypeOf(error.at).parameters.toEqualTypeOf<[pointer: string]>()
  expectTypeOf(error.at).returns.toEqualTypeOf<readonly ErrorObject[]>()
  expectTypeOf(error.headers.get).returns.toEqualTypeOf<string | null>()
  expectTypeOf<ErrorObject['detail']>().toEqualTypeOf<string | undefined>()
  expectTypeOf(document.data).toEqualTypeOf<Tag>()
  // @ts-expect-error a pointer is a text
  error.at(['data'])
  // @ts-expect-error read-only
  error.status = 200
}

/** Arrays, also of integers beyond 2^53. */
export function arrays(): void {
  const list = resource('list', {
    path: '/lists',
    table: 'list',
    fields: {
      words: attribute(array(text), { required: true }),
      sizes: attribute(array(integer64(), { nullElements: true })),
      files: attribute(array(bytes)),
    },
  })
  const model = defineModel([list])
  const client = createClient<typeof model>({ url: 'http://localhost' })
  expectTypeOf(client.list.get)
    .returns.resolves.toHaveProperty('words')
    .toEqualTypeOf<readonly string[]>()
  expectTypeOf(client.list.get)
    .returns.resolves.toHaveProperty('sizes')
    .toEqualTypeOf<readonly (Large | null)[] | null>()
  void client.list.list({ filter: { words: { contains: ['a'] }, sizes: { overlaps: [1, 2n] } } })
  void client.list.list({ filter: { words: ['a', 'b'], files: null, sizes: { ne: null } } })
  // @ts-expect-error an array
  client.list.list({ filter: { words: { contains: 'a' } } })
  // @ts-expect-error arrays have no order
  client.list.list({ filter: { words: { gt: ['a'] } } })
  // @ts-expect-error bytes are only compared with null
  client.list.list({ filter: { files: { contains: ['YQ=='] } } })
}

/** The parameters of a table function. */
export function tableFunctions(): void {
  const sales = resource('sales', {
    path: '/sales',
    table: tableFunction(
      {
        since: date,
        sizes: array(integer64()),
        most: withDefault(integer, 3),
        label: nullable(text),
      },
      () => sql`select 1 as id`,
    ),
    access: 'read-only',
    fields: { total: attribute(integer) },
  })
  const all = resource('all', {
    path: '/all',
    table: tableFunction({ most: withDefault(integer, 3) }, () => sql`select 1 as id`),
    access: 'read-only',
    fields: {},
  })
  const model = defineModel([sales, all])
  const client = createClient<typeof model>({ url: 'http://localhost' })
  const filter = { since: '2024-01-01', sizes: [1, 2n] } as const
  void client.sales.list({ filter })
  void client.sales.pages({ filter: { ...filter, label: null, most: { eq: 1 }, total: { gt: 1 } } })
  void client.sales.each({ filter: [{ name: 'since', op: 'eq', val: '2024-01-01' }] })
  void client.all.list()
  void client.all.list({ sort: ['id'] })
  const page = client.all.list(undefined)
  expectTypeOf(page).resolves.toHaveProperty('data')
  void client.all.pages(undefined)
  void client.all.each(Math.random() > 0.5 ? { sort: ['id'] } : undefined)
  // @ts-expect-error the parameters are missing
  client.sales.list()
  // @ts-expect-error the parameters are missing
  client.sales.pages({})
  // @ts-expect-error the parameters are missing
  client.sales.list(undefined)
  // @ts-expect-error the parameters are missing
  client.sales.pages(undefined)
  // @ts-expect-error the parameters are missing
  client.sales.each(Math.random() > 0.5 ? { filter } : undefined)
  // @ts-expect-error the parameter sizes is missing
  client.sales.each({ filter: { since: '2024-01-01' } })
  // @ts-expect-error null is not a value of a parameter with a default
  client.sales.list({ filter: { ...filter, most: null } })
  // @ts-expect-error numbers
  client.sales.list({ filter: { ...filter, sizes: ['1'] } })
  const store = {} as Store
  const inProcess = createApi({ model, store }).with()
  void inProcess.list('sales', { filter })
  void inProcess.each('sales', { filter })
  expectTypeOf(inProcess.list('all', undefined)).resolves.toHaveProperty('meta')
  void inProcess.documents.list('all', undefined)
  void inProcess.each('all', undefined)
  // @ts-expect-error the parameters are missing
  inProcess.list('sales', undefined)
  // @ts-expect-error the parameters are missing
  inProcess.documents.list('sales', undefined)
  // @ts-expect-error the parameters are missing
  inProcess.each('sales', Math.random() > 0.5 ? { filter } : undefined)
}
