import assert from 'node:assert/strict'
import { it } from 'node:test'
import type {
  Client,
  Identifier,
  Json,
  Model,
  NewResourceOf,
  ResourceOf,
  ResourceUpdateOf,
  UntypedResource,
} from 'lapidary'
import { createApi, type Store, sql } from 'lapidary'
import { type ShopClient, type shopModel, tagIds } from './shop.ts'

/** True if two types are the same. */
type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
/** The same object type with its members evaluated. */
type Plain<Type> = Type extends readonly (infer Element)[]
  ? readonly Plain<Element>[]
  : Type extends object
    ? { [Key in keyof Type]: Plain<Type[Key]> }
    : Type
const same = <_ extends true>(): void => {}

interface Tag {
  readonly type: 'tag'
  readonly id: string
  readonly word: string
}

interface Item {
  readonly type: 'item'
  readonly id: string
  readonly name: string
  readonly price: string | null
  readonly stock: number
  readonly serial: bigint | null
  readonly state: 'new' | 'used' | null
  readonly made_on: string | null
  readonly options: Json | null
  readonly changed_by: string | null
  readonly label: string | null
  readonly worth: number | null
}

type Linked<Type extends string> = string | Identifier<Type>

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

interface NewItem extends Omit<ItemUpdate, 'name'> {
  readonly name: string
  readonly serial?: bigint | null | undefined
}

type M = typeof shopModel

/** The types of resources and inputs. */
function named(): void {
  same<Same<Plain<ResourceOf<M, 'tag'>>, Plain<Tag>>>()
  same<Same<Plain<ResourceOf<M, 'item'>>, Plain<Item>>>()
  same<
    Same<
      Plain<ResourceOf<M, 'item', 'tags' | 'whole.shop'>>,
      Plain<
        Item & {
          readonly tags: readonly Tag[]
          readonly whole:
            | (Item & {
                readonly shop: {
                  readonly type: 'shop'
                  readonly id: string
                  readonly name: string
                  readonly 'items.count'?: number
                } | null
              })
            | null
        }
      >
    >
  >()
  same<Same<Plain<NewResourceOf<M, 'item'>>, Plain<NewItem>>>()
  same<Same<Plain<ResourceUpdateOf<M, 'item'>>, Plain<ItemUpdate>>>()
  same<Same<NewResourceOf<M, 'shop'>['id'], string>>()
  same<Same<NewResourceOf<M, 'tag'>['id'], string | undefined>>()
  same<Same<ResourceOf<Model, string>, UntypedResource>>()
}

/** The types of results. Nothing here runs: a comment marks each line that must not compile. */
async function results(client: ShopClient): Promise<void> {
  const item = await client.get('item', '1')
  same<Same<Plain<typeof item>, Plain<Item>>>()
  // @ts-expect-error write-only
  item.contact
  // @ts-expect-error neither included nor in a fieldset
  item.shop
  const { shop, tags } = await client.get('item', '1', { include: ['shop.items', 'tags'] })
  const names: readonly string[] | undefined = shop?.items.map(({ name }) => name)
  const words: readonly string[] = tags.map(({ word }) => word)
  // @ts-expect-error this path ends at the items
  shop?.items[0]?.tags
  const { data, meta } = await client.list('item', {
    include: ['whole', 'whole.tags'],
    fields: { item: ['stock', 'whole', 'tags', 'parts'], tag: [] },
  })
  const [first] = data
  const whole:
    | Readonly<{ stock: number; tags: readonly { readonly id: string }[] }>
    | null
    | undefined = first?.whole
  const parts: readonly Identifier<'item'>[] | undefined = first?.parts
  // @ts-expect-error not in the fieldset
  first?.name
  // @ts-expect-error no field of tags is in a fieldset
  first?.whole?.tags[0]?.word
  const count: number = meta.count
  for await (const { serial } of client.each('item', { sort: ['-stock', 'shop.name'] })) {
    const exact: bigint | null = serial
    assert.ok(exact)
  }
  const created = await client.create('tag', { word: 'x', items: ['1', { type: 'item', id: '2' }] })
  same<Same<Plain<typeof created>, Plain<Tag>>>()
  const updated = await client.update(
    'item',
    '1',
    { ...item, tags: [created] },
    { include: ['tags'] },
  )
  same<Same<typeof updated.tags, readonly ResourceOf<M, 'tag'>[]>>()
  const removed: undefined = (await client.remove('item', '1')) as undefined
  assert.ok([names, words, whole, parts, count, removed])
}

/** The types of queries and inputs. */
function inputs(client: ShopClient): readonly unknown[] {
  return [
    client.list('shop', { sort: ['-items.count'], withCount: ['items'] }),
    client.list('shop', { filter: [{ name: 'items', op: 'count_ge', val: 1 }] }),
    client.list('shop', { filter: { items: { count_ge: 1, any: { id: '1' } } } }),
    // @ts-expect-error not declared with `count`
    client.list('item', { filter: { tags: { count_ge: 1 } } }),
    // @ts-expect-error a number of resources is a number
    client.list('shop', { filter: { items: { count_ge: '1' } } }),
    // @ts-expect-error not declared with `count`
    client.list('item', { withCount: ['tags'] }),
    // @ts-expect-error not declared with `count`
    client.list('item', { sort: ['tags.count'] }),
    // @ts-expect-error no such type
    client.list('items'),
    // @ts-expect-error an id is a text
    client.get('item', 1),
    // @ts-expect-error no such relationship
    client.list('item', { include: ['shops'] }),
    // @ts-expect-error no such relationship of the second type
    client.list('item', { include: ['shop', 'shop.item'] }),
    // @ts-expect-error an attribute
    client.list('item', { include: ['name'] }),
    // @ts-expect-error write-only
    client.list('item', { fields: { item: ['contact'] } }),
    // @ts-expect-error no such type
    client.list('item', { fields: { item: ['name'], tags: ['word'] } }),
    // @ts-expect-error computed by JavaScript
    client.list('item', { sort: ['label'] }),
    // @ts-expect-error a to-many relationship
    client.list('item', { sort: ['tags.word'] }),
    client.list('item', { sort: ['worth', '-id', '-whole.stock'] }),
    client.list('item', {
      filter: [{ not: { or: [{ name: 'tags__word', op: 'eq', val: 'x' }] } }],
    }),
    // @ts-expect-error no such name in a nested filter
    client.list('item', { filter: [{ not: { or: [{ name: 'nam', op: 'eq', val: 'x' }] } }] }),
    // @ts-expect-error no such operator
    client.list('item', { filter: [{ name: 'name', op: '=', val: 'x' }] }),
    client.list('item', { filter: { name: 'x', stock: 5, serial: 5n, shop__name: 'y' } }),
    // @ts-expect-error no such name
    client.list('item', { filter: { nam: 'x' } }),
    client.list('total', { filter: { id: '1' } }),
    client.list('total', { filter: { not: { or: [{ id: '1' }] } } }),
    client.list('total', { filter: {} }),
    // @ts-expect-error a text, of a type without relationships
    client.list('total', { filter: 'x' }),
    // @ts-expect-error a number
    client.list('total', { filter: 1 }),
    // @ts-expect-error a boolean in a combination
    client.list('total', { filter: { not: true } }),
    // @ts-expect-error an object of another class
    client.list('total', { filter: new Date() }),
    // @ts-expect-error a condition that is not written here, so that it has no excess members
    client.list('total', { filter: Object.freeze({ nam: 'x' }) }),
    // @ts-expect-error a text, of a type with relationships
    client.list('item', { filter: 'x' }),
    // @ts-expect-error no such parameter of one resource
    client.get('item', '1', { page: { size: 1 } }),
    // @ts-expect-error each reads all pages
    client.each('item', { page: { size: 1 } }),
    // @ts-expect-error the name is missing
    client.create('item', {}),
    client.create('item', { name: 'x', stock: undefined }),
    // @ts-expect-error required
    client.create('item', { name: null }),
    // @ts-expect-error required, though it has a default
    client.create('item', { name: 'x', stock: null }),
    // @ts-expect-error not among its values
    client.create('item', { name: 'x', state: 'old' }),
    // @ts-expect-error a 64-bit integer
    client.create('item', { name: 'x', serial: 5 }),
    // @ts-expect-error read-only
    client.create('item', { name: 'x', changed_by: 'me' }),
    // @ts-expect-error computed
    client.create('item', { name: 'x', worth: 5 }),
    // @ts-expect-error a read-only relationship
    client.create('item', { name: 'x', first_tags: [] }),
    // @ts-expect-error a resource of another type
    client.create('item', { name: 'x', shop: { type: 'tag', id: '1' } }),
    // @ts-expect-error one resource for a to-many relationship
    client.create('item', { name: 'x', tags: tagIds[0] }),
    // @ts-expect-error the id is missing
    client.create('shop', { name: 'x' }),
    // @ts-expect-error the database generates the ids
    client.create('item', { id: '5', name: 'x' }),
    // @ts-expect-error a read-only type
    client.create('total', {}),
    // @ts-expect-error a read-only type
    client.remove('total', '1'),
    // @ts-expect-error immutable
    client.update('item', '1', { serial: 5n }),
    // @ts-expect-error no such relationship
    client.relate('item', '1', 'name', { replace: null }),
    // @ts-expect-error a to-one relationship is replaced
    client.relate('item', '1', 'shop', { add: ['south'] }),
    // @ts-expect-error a to-many relationship has no null
    client.relate('item', '1', 'tags', { replace: null }),
    client.transaction(async (tx) => {
      const rows: readonly Readonly<Record<string, unknown>>[] = await tx.sql(sql`select 1`)
      // @ts-expect-error transactions are not nested
      tx.transaction
      // @ts-expect-error a transaction reads no streams
      tx.each
      return rows
    }),
  ]
}

/** The types of documents. */
async function documents(client: ShopClient): Promise<void> {
  const { data, included, links } = await client.documents.get('item', '1', {
    include: ['tags'],
    fields: { item: ['serial', 'tags', 'name'] },
  })
  const serial: number | bigint | string | null = data.attributes.serial
  // @ts-expect-error not in the fieldset
  data.attributes.stock
  // @ts-expect-error a relationship
  data.attributes.tags
  assert.ok([serial, included?.[0]?.attributes, links.self, data.relationships.tags?.data])
}

/** A model whose declarations are not known accepts any name. */
async function untyped(model: Model, store: Store): Promise<void> {
  const client: Client = createApi({ model, store }).with()
  const { name } = await client.get('item', '1', { include: ['a.b'], fields: { x: ['y'] } })
  // @ts-expect-error unknown
  name.length
  await client.create('item', { anything: 1 })
  await client.list('item', { sort: ['-a'], filter: [{ name: 'a', op: 'eq', val: 1 }] })
}

it('the file compiles', () => {
  for (const each of [named, results, inputs, documents, untyped])
    assert.equal(typeof each, 'function')
})
