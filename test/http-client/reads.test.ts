import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cursorOf, hasMore, ResponseError } from 'lapidary/client'
import { inProcess, tagIds } from '../in-process/shop.ts'
import { connectClient } from './shop-client.ts'

const [heavy, round] = tagIds

inProcess('Reads of the client over HTTP', (engine) => {
  it('finds the paths of the types in the root document, which it reads once', async () => {
    const { client, requests } = connectClient(engine)
    const [shops, tags] = await Promise.all([client.shop.list(), client.tag.list()])
    assert.deepEqual(shops.data, [
      { type: 'shop', id: 'north/1', name: 'North' },
      { type: 'shop', id: 'south', name: 'South' },
    ])
    assert.deepEqual(tags.meta, { count: 2 })
    assert.deepEqual(requests.sort(), ['GET /', 'GET /shops', 'GET /tags'])
  })

  it('reads no root document that is passed to it', async () => {
    const root = JSON.parse((await engine.get('/')).text)
    const { client, requests } = connectClient(engine, { root } as object)
    await client.item.get('1')
    assert.deepEqual(requests, ['GET /items/1'])
  })

  it('returns values as JSON has them, with all digits of integers', async () => {
    const { client } = connectClient(engine)
    const { serial, price, stock, options, label, worth } = await client.item.get('1')
    assert.deepEqual([serial, price, stock, worth], [9007199254740993n, '100.50', 3, 6])
    assert.deepEqual([options, label], [{ a: [1, null] }, 'engine <e@example.org>'])
    assert.equal((await client.item.get('2')).serial, 5)
  })

  for (const length of [400, 3000])
    for (const page of [{ size: 1 }, { size: 1, total: 'exact' }, undefined] as const)
      it(`sends ${length} ids as the body of a QUERY, also for further pages: ${JSON.stringify(page)}`, async () => {
        const { client, requests } = connectClient(engine)
        const others = Array.from({ length }, (_, index) => `a shop without a name ${index}`)
        const ids: string[] = []
        const filter = { id: { in_: [...others, 'north/1', 'south'] } }
        for await (const { id } of client.shop.each({ filter, ...(page && { page }) })) ids.push(id)
        assert.deepEqual(ids, ['north/1', 'south'])
        const sent = requests.filter((request) => request !== 'GET /')
        const count = page === undefined ? 1 : 2
        assert.deepEqual(
          sent,
          Array.from({ length: count }, () => 'QUERY /shops'),
        )
      })

  it('sends the GET of a long query if QUERY is not allowed on the way', async () => {
    const { client, requests } = connectClient(engine, {}, 'QUERY')
    const filter = { id: { in_: Array.from({ length: 400 }, (_, index) => `shop ${index}`) } }
    assert.deepEqual((await client.shop.list({ filter })).data, [])
    assert.match(requests.at(-1) ?? '', /^GET \/shops\?filter=/)
  })

  it('reads pages of included resources, and says whether there are more', async () => {
    const { client, requests } = connectClient(engine)
    const { data } = await client.shop.list({
      include: ['items'],
      includePage: { items: { size: 1 } },
      includeSort: { items: ['-name'] },
      includeFilter: { items: { name: { ne: 'none' } } },
    })
    assert.deepEqual(
      data.map((shop) => [shop.items.length, hasMore(shop, 'items')]),
      [
        [1, true],
        [0, false],
      ],
    )
    assert.equal(hasMore(await client.shop.get('south'), 'items'), undefined)
    const search = new URLSearchParams({
      include: 'items',
      'includePage[items][size]': '1',
      'includeSort[items]': '-name',
      'includeFilter[items]': '[{"name":"name","op":"ne","val":"none"}]',
    })
    const [path = ''] = requests.filter((request) => request.startsWith('GET /shops?'))
    assert.deepEqual([...new URLSearchParams(path.split('?')[1])], [...search])
  })

  it('returns the cursors of resources, behind which lists and included members start', async () => {
    const { client } = connectClient(engine)
    const sorted = { sort: ['-name'] } as const
    const { data } = await client.item.list({ ...sorted, page: { cursors: true } })
    const after = cursorOf(data[0] ?? {})
    assert.ok(after)
    const rest = await client.item.list({ ...sorted, page: { after } })
    assert.deepEqual(
      rest.data.map(({ id }) => id),
      data.slice(1).map(({ id }) => id),
    )
    assert.deepEqual(
      rest.data.map(cursorOf),
      data.slice(1).map(() => undefined),
    )
    const { items } = await client.shop.get('north/1', {
      include: ['items'],
      includePage: { items: { after } },
      includeSort: { items: ['-name'] },
    })
    assert.ok(items.length > 0 && !items.some(({ id }) => id === data[0]?.id))
  })

  it('encodes ids, and rejects those that a URL cannot contain', async () => {
    const { client } = connectClient(engine)
    assert.equal((await client.shop.get('north/1')).name, 'North')
    for (const id of ['', '.', '..'])
      await assert.rejects(client.shop.get(id), { name: 'TypeError' }, id)
  })

  it('counts related resources', async () => {
    const { client } = connectClient(engine)
    const { data } = await client.shop.list({ withCount: ['items'], sort: ['-items.count'] })
    const counts = (await client.shop.list({ include: ['items'] })).data.map(({ id, items }) => [
      id,
      items.length,
    ])
    assert.deepEqual(
      data.map((shop) => [shop.id, shop['items.count']]),
      counts.toSorted(([, one], [, other]) => Number(other) - Number(one)),
    )
    const most = Math.max(...counts.map(([, count]) => Number(count)))
    const crowded = await client.shop.list({
      filter: { items: { count_ge: most, count_lt: most + 1 } },
    })
    assert.deepEqual(
      crowded.data.map(({ id }) => id),
      counts.filter(([, count]) => count === most).map(([id]) => id),
    )
  })

  it('links included resources: each is one object', async () => {
    const { client, requests } = connectClient(engine)
    const { data } = await client.item.list({
      filter: { shop: { has: { name: 'North' } }, id: { in_: ['1', '2'] } },
      include: ['tags', 'shop.items'],
      sort: ['id'],
    })
    const [engineItem, wheel] = data
    assert.deepEqual(
      wheel?.tags.map(({ word }) => word),
      ['heavy', 'round'],
    )
    assert.equal(engineItem?.tags[0], wheel?.tags[0])
    assert.equal(engineItem?.shop, wheel?.shop)
    assert.equal(engineItem?.shop?.items[1], wheel)
    assert.equal(
      requests.at(-1),
      'GET /items?filter=[{"name":"shop","op":"has","val":[{"name":"name","op":"eq","val":"North"}]},{"name":"id","op":"in_","val":["1","2"]}]&include=tags,shop.items&sort=id',
    )
  })

  it('adds included relationships to the fieldsets, so that their resources are linked', async () => {
    const { client, requests } = connectClient(engine)
    const shop = await client.shop.get('north/1', {
      include: ['items.tags', 'items.whole'],
      fields: { shop: [], item: ['name'], tag: ['word'] },
    })
    assert.deepEqual(shop.items[1], {
      type: 'item',
      id: '2',
      name: 'wheel',
      tags: [
        { type: 'tag', id: heavy, word: 'heavy' },
        { type: 'tag', id: round, word: 'round' },
      ],
      whole: shop.items[0],
    })
    assert.match(requests.at(-1) ?? '', /fields\[shop\]=items&fields\[item\]=name,tags,whole&/)
  })

  it('returns identifiers for relationships of a fieldset that are not included', async () => {
    const { client } = connectClient(engine)
    const { tags, shop } = await client.item.get('3', { fields: { item: ['tags', 'shop'] } })
    assert.deepEqual([tags, shop], [[], null])
    const { tags: two } = await client.item.get('2', { fields: { item: ['tags'] } })
    assert.deepEqual(two, [
      { type: 'tag', id: heavy },
      { type: 'tag', id: round },
    ])
  })

  // biome-ignore format: a table, one filter a row
  const filters = [
    { filter: { name: 'wheel' }, names: ['wheel'] },
    { filter: { price: null }, names: ['bolt'] },
    { filter: { stock: { ge: 3, lt: 8 } }, names: ['engine'] },
    { filter: { stock: { between: [0, 3] } }, names: ['bolt', 'engine'] },
    { filter: { serial: { ge: 9007199254740993n } }, names: ['engine'] },
    { filter: { state: { ne: 'new' } }, names: ['wheel'] },
    { filter: { worth: { gt: { field: 'stock' } } }, names: ['engine', 'wheel'] },
    { filter: { tags: { any: { word: { startswith: 'r' } } } }, names: ['wheel'] },
    { filter: { tags: { any: {} } }, names: ['engine', 'wheel'] },
    { filter: { tags: null }, names: ['bolt'] },
    { filter: { whole: { has: { name: 'engine', tags: { any: { word: 'heavy' } } } } }, names: ['bolt', 'wheel'] },
    { filter: { or: [{ name: 'bolt' }, { stock: 8, state: 'used' }] }, names: ['bolt', 'wheel'] },
    { filter: { not: { name: 'bolt', stock: 0 }, price: { isnot: null } }, names: ['engine', 'wheel'] },
    { filter: { shop__name: 'North', name: { ilike: '%E%' } }, names: ['engine', 'wheel'] },
    { filter: { name: undefined, state: { eq: undefined } }, names: ['bolt', 'engine', 'wheel'] },
    { filter: [{ name: 'name', op: 'eq', val: 'bolt' }], names: ['bolt'] },
    { filter: {}, names: ['bolt', 'engine', 'wheel'] },
  ] as const

  for (const { filter, names } of filters)
    it(`filters by ${JSON.stringify(filter, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))}`, async () => {
      const { client } = connectClient(engine)
      const { data } = await client.item.list({ filter: filter as never, sort: ['name'] })
      assert.deepEqual(
        data.map(({ name }) => name),
        names,
      )
    })

  it('reads page after page while a loop asks for them', async () => {
    const { client, requests } = connectClient(engine)
    const names: string[][] = []
    for await (const { data, meta } of client.item.pages({ sort: ['name'], page: { size: 2 } })) {
      assert.equal(meta.count, 3)
      names.push(data.map(({ name }) => name))
    }
    assert.deepEqual(names, [['bolt', 'engine'], ['wheel']])
    const each: string[] = []
    for await (const { name } of client.item.each({ sort: ['-name'], page: { size: 1 } })) {
      each.push(name)
      if (each.length === 2) break
    }
    assert.deepEqual(each, ['wheel', 'engine'])
    const sent = requests.filter((request) => request.includes('page[size]=1'))
    assert.equal(sent.length, 2)
    for (const request of sent) assert.match(request, /page\[total\]=none/)
  })

  it('loses and repeats no resource while others are deleted and created before it', async () => {
    const { client } = connectClient(engine)
    const all = (await client.item.list({ sort: ['name'] })).data.map(({ name }) => name)
    const names: string[] = []
    for await (const { name } of client.item.each({ sort: ['name'], page: { size: 1 } })) {
      names.push(name)
      const added = await client.item.create({ name: `a${names.length}`, serial: 77 })
      if (names.length === 2) await client.item.remove(added.id)
    }
    assert.deepEqual(names, all)
    const numbered: string[] = []
    for await (const { name } of client.item.each({ sort: ['name'], page: { size: 1, number: 3 } }))
      numbered.push(name)
    assert.equal(numbered.length, 3)
  })

  it('reads the related resources of a relationship', async () => {
    const { client } = connectClient(engine)
    const { data, meta } = await client.shop.related('north/1', 'items', {
      filter: { stock: { gt: 3 } },
      include: ['tags'],
      fields: { item: ['name'] },
    })
    assert.deepEqual(meta, { count: 1 })
    assert.deepEqual([data[0]?.name, data[0]?.tags.length], ['wheel', 2])
    const complete = await client.item.related('2', 'whole')
    assert.equal(complete?.name, 'engine')
    assert.equal(await client.item.related('1', 'whole'), null)
  })

  it('throws the errors of the document, with their parameter', async () => {
    const { client } = connectClient(engine)
    const wrong = { sort: ['label'], include: ['part'] } as never
    await assert.rejects(client.item.list(wrong), (error: unknown) => {
      assert.ok(error instanceof ResponseError)
      assert.equal(error.status, 400)
      assert.deepEqual(
        error.errors.map(({ source }) => source?.parameter),
        ['sort', 'include'],
      )
      assert.match(error.message, /^GET http:\/\/shop\.test\/items: 400, .*label.*/s)
      return true
    })
    await assert.rejects(client.item.get('77'), { status: 404, code: 'not_found' })
  })

  it('names the types of the API for one that it does not have', async () => {
    const { client } = connectClient(engine)
    await assert.rejects((client as never as { itm: typeof client.item }).itm.list(), {
      message:
        'The API at http://shop.test has no resource type "itm"; it has shop, item, tag, total.',
    })
  })

  it('can be awaited, and keeps its operations', async () => {
    const { client } = connectClient(engine)
    assert.equal(await Promise.resolve(client), client)
    assert.equal(client.item, client.item)
  })
})
