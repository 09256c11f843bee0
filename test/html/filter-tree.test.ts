import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  createHandler,
  defineModel,
  integer64,
  json,
  number,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'

const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: {
    total: attribute(integer64()),
    weight: attribute(number),
    more: attribute(json, { paths: { 'address.city': text, size: number } }),
    other: attribute(json, { filter: false, paths: { size: number } }),
    parts: toMany('item', { column: 'parent_id', count: true }),
    parent: toOne('item', { column: 'parent_id' }),
  },
})
const model = defineModel([item])

/** The module of the script that reads and writes filters. */
const filterTree = String(new URL('../../src/html/assets/filter-tree.js', import.meta.url))

/** Filters that the builder shows without JSON. */
const filters: readonly string[] = [
  '[{"name":"total","op":"eq","val":9007199254740993}]',
  '[{"name":"total","op":"in_","val":[9007199254740993,1]}]',
  '[{"name":"weight","op":"ge","val":1e-7}]',
  '[{"name":"weight","op":"between","val":[-1.5E+3,0.1]}]',
  '[{"name":"more__address__city","op":"startswith","val":"Ge"}]',
  '[{"name":"more__size","op":"lt","val":3}]',
  '[{"name":"parts","op":"count_ge","val":2}]',
  '[{"name":"parts","op":"any","val":{"name":"parts","op":"count_eq","val":0}}]',
]

describe('The filter builder', () => {
  const store = openSqlite(model, ':memory:')
  const handle = createHandler({ model, store, html: createPages() })
  const get = (path: string) => handle(new Request(new URL(path, 'http://x')))

  before(() =>
    store.migrate([
      {
        version: 1,
        sql: `create table item (id integer primary key, total integer, weight real, more text, other text, parent_id integer references item (id));
          create index item_parent_id on item (parent_id)`,
      },
    ]),
  )
  after(() => store.close())

  for (const filter of filters)
    it(`given ${filter}, when the builder shows it, then it is not changed`, async () => {
      const described = await (await get('/html.model.json')).json()
      const { readFilter, writeFilter } = await import(filterTree)
      const group = readFilter(filter, described, 'item')
      assert.doesNotMatch(JSON.stringify(group), /"is":"json"/)
      const written = writeFilter(group, described, 'item')
      assert.equal(written, filter)
      assert.equal((await get(`/items?filter=${encodeURIComponent(written)}`)).status, 200)
    })

  it('given JSON that filters may not name, when the builder opens, then it does not offer the paths into it', async () => {
    const { item: described } = await (await get('/html.model.json')).json()
    const names = described.fields.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('more__size'))
    assert.deepEqual(
      names.filter((name: string) => name.startsWith('other')),
      [],
    )
  })

  it('given digits that a number of JavaScript loses, when they are inside JSON, then they are kept', async () => {
    const described = await (await get('/html.model.json')).json()
    const { readFilter, writeFilter } = await import(filterTree)
    const filter = '[{"name":"parent__total","op":"eq","val":9007199254740993}]'
    assert.equal(writeFilter(readFilter(filter, described, 'item'), described, 'item'), filter)
  })

  it('given a type that an identity may not use, when a filter is built, then neither its relationship nor its number is offered', async (test) => {
    const parts = toMany('item', { column: 'parent_id', count: true })
    const shelf = resource('shelf', {
      ...{ path: '/shelves', table: 'item', access: { read: true } },
      fields: { parts },
    })
    const partly = defineModel([shelf, item], { access: 'deny by default' })
    const partlyStore = openSqlite(partly, ':memory:')
    test.after(() => partlyStore.close())
    const options = { model: partly, store: partlyStore, html: createPages() }
    const handlePartly = createHandler({ ...options, authenticate: () => ({ id: '1' }) })
    const response = await handlePartly(new Request('http://x/html.model.json'))
    const described: Record<string, { fields: { name: string }[] }> = await response.json()
    assert.deepEqual(Object.keys(described), ['shelf'])
    assert.deepEqual(
      described.shelf?.fields.map(({ name }) => name),
      ['id'],
    )
  })
})
