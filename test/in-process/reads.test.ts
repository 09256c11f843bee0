import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cursorOf, hasMore } from 'lapidary'
import type { Document, Resource } from '../test-response.ts'
import { inProcess, tagIds, withApi } from './shop.ts'

/** The parameters of a read in process, and the same parameters over HTTP. */
interface ReadCase {
  readonly type: 'item' | 'shop' | 'tag' | 'total'
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  readonly search: string
}

const items = { type: 'item', path: '/items' } as const
const nested = [
  { name: 'stock', op: 'between', val: [1, 5] },
  {
    or: [
      { name: 'shop__name', op: 'eq', val: 'North' },
      { not: { name: 'parts', op: 'any', val: { name: 'name', op: 'like', val: 'o' } } },
    ],
  },
]
const crowded = [{ name: 'items', op: 'count_ge', val: 1 }]
const long = [{ name: 'serial', op: 'eq', val: 9007199254740993n }]

// biome-ignore format: a table, one read a row
const lists: readonly ReadCase[] = [
  { ...items, query: {}, search: '' },
  { ...items, query: { sort: ['-stock', 'name'] }, search: 'sort=-stock,name' },
  { ...items, query: { sort: [] }, search: '' },
  { ...items, query: { page: { number: 2, size: 2 } }, search: 'page[number]=2&page[size]=2' },
  { ...items, query: { page: { size: undefined, number: 1 } }, search: 'page[number]=1' },
  { ...items, query: { filter: { name: 'wheel' } }, search: 'filter[name]=wheel' },
  { ...items, query: { filter: { stock: 8, shop__name: 'North' } }, search: 'filter[stock]=8&filter[shop__name]=North' },
  { ...items, query: { filter: nested }, search: `filter=${JSON.stringify(nested)}` },
  { ...items, query: { filter: long }, search: 'filter=[{"name":"serial","op":"eq","val":9007199254740993}]' },
  { ...items, query: { filter: [{ name: 'contact', op: 'endswith', val: '&=+%#' }] }, search: `filter=${encodeURIComponent('[{"name":"contact","op":"endswith","val":"&=+%#"}]')}` },
  { ...items, query: { fields: { item: ['name', 'shop', 'tags'] } }, search: 'fields[item]=name,shop,tags' },
  { ...items, query: { fields: { item: [] } }, search: 'fields[item]=' },
  { ...items, query: { include: [] }, search: 'include=' },
  { ...items, query: { include: ['parts', 'parts.whole', 'shop.items.tags'] }, search: 'include=parts,parts.whole,shop.items.tags' },
  { ...items, query: { include: ['tags', 'whole'], fields: { item: ['name', 'tags'], tag: ['word', 'items'] } }, search: 'include=tags,whole&fields[item]=name,tags&fields[tag]=word,items' },
  { ...items, query: { include: ['first_tags'], page: { size: 1 } }, search: 'include=first_tags&page[size]=1' },
  { type: 'tag', path: '/tags', query: { include: ['items.tags'] }, search: 'include=items.tags' },
  { type: 'total', path: '/totals', query: {}, search: '' },
  { type: 'shop', path: '/shops', query: { withCount: ['items'], sort: ['-items.count'] }, search: 'withCount=items&sort=-items.count' },
  { type: 'shop', path: '/shops', query: { withCount: ['items'], filter: crowded, include: ['items'] }, search: `withCount=items&filter=${JSON.stringify(crowded)}&include=items` },
]

// biome-ignore format: a table, one read a row
const ones: readonly (ReadCase & { readonly id: string })[] = [
  { ...items, id: '1', query: {}, search: '' },
  { ...items, id: '2', query: { include: ['whole.parts'] }, search: 'include=whole.parts' },
  { type: 'shop', path: '/shops', id: 'north/1', query: { include: ['items'] }, search: 'include=items' },
  { type: 'tag', path: '/tags', id: tagIds[0], query: {}, search: '' },
]

inProcess('Reads in process', (engine) => {
  const get = async (path: string, search: string) => {
    const { text, status } = await engine.call('GET', path, { query: search })
    assert.equal(status, 200)
    return parseExact(text)
  }

  it('return pages of included resources, and say whether there are more', () =>
    withApi(engine, async ({ client }) => {
      const query = {
        include: ['items.tags'],
        includePage: { items: { size: 1 } },
        includeSort: { items: ['-name'] },
        includeFilter: { items: [{ name: 'name', op: 'ne', val: 'none' }] },
      } as const
      const { data } = await client.list('shop', query)
      assert.deepEqual(
        data.map((shop) => [shop.items.length, hasMore(shop, 'items')]),
        [
          [1, true],
          [0, false],
        ],
      )
      const search =
        'include=items.tags&includePage[items][size]=1&includeSort[items]=-name&includeFilter[items]=[{"name":"name","op":"ne","val":"none"}]'
      const expected = await get('/shops', search)
      assert.deepEqual(await client.documents.list('shop', query), withoutOrigin(expected))
    }))

  it('return the cursors of resources, behind which lists start', () =>
    withApi(engine, async ({ client }) => {
      const sorted = { sort: ['-name'] } as const
      const { data } = await client.list('item', { ...sorted, page: { cursors: true, size: 2 } })
      const [first, second] = data
      const after = cursorOf(first ?? {})
      assert.ok(after && second)
      const next = await client.list('item', { ...sorted, page: { after, size: 1 } })
      assert.deepEqual(
        next.data.map(({ id }) => id),
        [second.id],
      )
      assert.equal(cursorOf(next.data[0] ?? {}), undefined)
    }))

  for (const { type, path, query, search } of lists) {
    it(`return the document of GET ${path}?${search}`, () =>
      withApi(engine, async ({ client }) => {
        const expected = await get(path, search)
        assert.deepEqual(await client.documents.list(type, query), withoutOrigin(expected))
      }))

    it(`return the resources of GET ${path}?${search} as objects`, () =>
      withApi(engine, async ({ client }) => {
        const expected = await get(path, search)
        const { data, meta } = await client.list(type, query)
        assert.deepEqual(data, flatten(expected, query.include))
        assert.deepEqual(meta, expected.meta)
      }))
  }

  for (const { type, path, id, query, search } of ones) {
    it(`return the resource ${type} ${id} as GET does`, () =>
      withApi(engine, async ({ client }) => {
        const expected = await get(`${path}/${encodeURIComponent(id)}`, search)
        assert.deepEqual(await client.documents.get(type, id, query), withoutOrigin(expected))
        assert.deepEqual([await client.get(type, id, query)], flatten(expected, query.include))
      }))
  }

  it('walk through a list by cursors, in both directions', () =>
    withApi(engine, async ({ client }) => {
      const sort = ['-name'] as const
      const { data: all } = await client.list('item', { sort })
      const names: string[] = []
      let after: string | null | undefined
      do {
        const page = { size: 2, total: 'none', ...(after && { after }) } as const
        const { data, meta } = await client.list('item', { sort, page })
        assert.deepEqual(Object.keys(meta), ['page'])
        names.push(...data.map(({ name }) => name))
        after = meta.page?.after
      } while (after)
      assert.deepEqual(
        names,
        all.map(({ name }) => name),
      )
      const [first, last] = [names.slice(0, 1), names.slice(-1)]
      const start = await client.list('item', { sort, page: { size: 1, total: 'capped' } })
      assert.equal(start.meta.count, all.length)
      assert.equal(start.meta.page?.before, null)
      const pages = [
        [first, { after: start.meta.page.first }],
        [last, { before: start.meta.page.last }],
      ] as const
      for (const [expected, position] of pages) {
        const { data } = await client.list('item', { sort, page: { size: 1, ...position } })
        assert.deepEqual(
          data.map(({ name }) => name),
          expected,
        )
      }
      const document = await client.documents.list('item', {
        sort,
        page: { size: 1, cursors: true },
      })
      const search = 'sort=-name&page[size]=1&page[cursors]=true'
      assert.deepEqual(document, withoutOrigin(await get('/items', search)))
    }))

  it('reject a cursor of another list, with all errors', () =>
    withApi(engine, async ({ client }) => {
      const { meta } = await client.list('item', { page: { size: 1, total: 'none' } })
      const page = { after: meta.page?.first ?? '', number: 2 }
      const rejected = client.list('item', { sort: ['name'], page })
      await assert.rejects(rejected, ({ errors }: { errors: readonly { code: string }[] }) => {
        assert.deepEqual(
          errors.map(({ code }) => code),
          ['invalid_page', 'invalid_cursor'],
        )
        return true
      })
    }))

  it('return the values of the kinds: exact integers and all digits of decimals', () =>
    withApi(engine, async ({ client }) => {
      const { serial, price, stock, options } = await client.get('item', '1')
      assert.deepEqual([serial, price, stock], [9007199254740993n, '100.50', 3])
      assert.deepEqual(options, { a: [1, null] })
      const { serial: small } = await client.get('item', '2')
      assert.equal(small, 5n)
    }))

  it('share one object for each resource at the end of a path, and never contain themselves', () =>
    withApi(engine, async ({ client }) => {
      const { data } = await client.list('item', {
        include: ['tags', 'tags.items', 'whole'],
        fields: { item: ['name', 'tags', 'whole'] },
      })
      const [engineItem, wheel] = data
      assert.equal(engineItem?.tags[0], wheel?.tags[0])
      assert.ok(JSON.stringify(data).includes('"items":[{"type":"item","id":"1","name":"engine"'))
    }))

  it('run read hooks with the auth context of the client', () =>
    withApi(engine, async ({ api }) => {
      const blocked = api.with({ auth: 'blocked' })
      await assert.rejects(blocked.list('item'), { name: 'RequestError', status: 403 })
      await assert.rejects(blocked.list('shop', { include: ['items'] }), { code: 'refused' })
      assert.equal((await blocked.list('shop')).data.length, 2)
    }))

  it('are cancelled by the signal of the client', () =>
    withApi(engine, async ({ api }) => {
      const controller = new AbortController()
      const client = api.with({ signal: controller.signal })
      assert.equal((await client.list('item')).data.length, 3)
      controller.abort(new Error('enough'))
      await assert.rejects(client.list('item'), /enough/)
    }))

  it('can run at the same time', () =>
    withApi(engine, async ({ api }) => {
      const client = api.with({ signal: new AbortController().signal })
      const reads = Array.from({ length: 50 }, (_, at) => client.get('item', String((at % 3) + 1)))
      const ids = (await Promise.all(reads)).map(({ id }) => id)
      assert.deepEqual(
        ids,
        Array.from({ length: 50 }, (_, at) => String((at % 3) + 1)),
      )
    }))
})

/** Parses JSON; integers beyond 2^53 are bigints. */
function parseExact(text: string): Document {
  return JSON.parse(text, (_key, value, context?: { readonly source?: string }) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value,
  )
}

/** Removes scheme and host from the links of a document: an API without `publicUrl` has none. */
function withoutOrigin(document: Document): unknown {
  const links = Object.entries(document.links ?? {})
  const paths = links.map(([name, link]) => [
    name,
    link === null ? link : link.replace(/^http:\/\/[^/]+/, ''),
  ])
  return { ...document, links: Object.fromEntries(paths) }
}

/** The primary resources of a document as plain objects; `include` are the paths of the request. */
function flatten({ data, included = [] }: Document, include: unknown): unknown[] {
  const primary = [data ?? []].flat()
  const all = [...primary, ...included]
  const paths = Array.isArray(include) ? include.map((path) => String(path).split('.')) : []
  const toObject = (resource: Resource, reached: readonly string[][]): unknown => {
    const members = Object.entries(resource.relationships ?? {}).flatMap(
      ([name, { data, meta }]) => {
        const counts = meta === undefined ? [] : [[`${name}.count`, meta.count]]
        if (data === undefined) return counts
        const following = reached.filter(([first]) => first === name)
        const resolve = (identifier: Resource) => {
          const found = all.find(({ type, id }) => type === identifier.type && id === identifier.id)
          const rest = following.map((path) => path.slice(1))
          return following.length > 0 && found ? toObject(found, rest) : identifier
        }
        return [...counts, [name, Array.isArray(data) ? data.map(resolve) : data && resolve(data)]]
      },
    )
    const { type, id, attributes } = resource
    return { type, id, ...toValues(type, attributes), ...Object.fromEntries(members) }
  }
  return primary.map((resource) => toObject(resource, paths))
}

/** The attributes of a document with the values of their kinds: `serial` is a 64-bit integer. */
function toValues(type: string, attributes: Readonly<Record<string, unknown>> = {}) {
  const { serial } = attributes
  return type === 'item' && typeof serial === 'number'
    ? { ...attributes, serial: BigInt(serial) }
    : { ...attributes }
}
