import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ResponseError } from 'lapidary/client'
import { inProcess, tagIds } from '../in-process/shop.ts'
import { connectClient } from './shop-client.ts'

const [heavy, round] = tagIds

inProcess('Writes of the client over HTTP', (engine) => {
  it('creates a resource with relationships, from ids and from resources', async () => {
    const { client } = connectClient(engine)
    const { data: tags } = await client.tag.list({ sort: ['word'] })
    const created = await client.item.create(
      {
        name: 'axle',
        price: '8',
        serial: 9007199254740995n,
        options: { sizes: [1, 2n ** 60n] },
        shop: 'north/1',
        tags,
        whole: undefined,
      },
      { include: ['shop', 'tags'] },
    )
    assert.deepEqual(
      [created.price, created.stock, created.serial, created.options, created.changed_by],
      ['8.00', 0, 9007199254740995n, { sizes: [1, 2n ** 60n] }, 'tester'],
    )
    assert.equal(created.shop?.name, 'North')
    assert.deepEqual(
      created.tags.map(({ word }) => word),
      ['heavy', 'round'],
    )
  })

  it('creates a resource with an id of the client', async () => {
    const { client } = connectClient(engine)
    const { id } = await client.shop.create({ id: 'west 1', name: 'West', items: ['3'] })
    assert.equal(id, 'west 1')
    const { items } = await client.shop.get(id, { fields: { shop: ['items'] } })
    assert.deepEqual(items, [{ type: 'item', id: '3' }])
  })

  it('updates attributes and relationships, and returns the resource', async () => {
    const { client } = connectClient(engine)
    const read = await client.item.get('2', { include: ['tags'] })
    const updated = await client.item
      .update(
        '2',
        { stock: 9, whole: null, tags: read.tags.slice(1), made_on: new Date(0) as never },
        { include: ['whole', 'tags'] },
      )
      .catch((error: unknown) => error)
    // A date with a time is not a date.
    assert.ok(updated instanceof ResponseError)
    assert.match(updated.at('/data/attributes/made_on')[0]?.detail ?? '', /1970-01-01T00:00:00/)
    const changed = await client.item.update(
      '2',
      { stock: 9, whole: null, tags: read.tags.slice(1) },
      { include: ['whole', 'tags'] },
    )
    assert.deepEqual([changed.stock, changed.whole, changed.tags.length], [9, null, 1])
  })

  it('changes relationships', async () => {
    const { client } = connectClient(engine)
    const tagsOf = async () => {
      const { data } = await client.item.related('3', 'tags', { sort: ['word'] })
      return data.map(({ id }) => id)
    }
    await client.item.relate('3', 'tags', { add: [heavy, { type: 'tag', id: round }] })
    assert.deepEqual(await tagsOf(), [heavy, round])
    await client.item.relate('3', 'tags', { remove: [heavy] })
    assert.deepEqual(await tagsOf(), [round])
    await client.item.relate('3', 'tags', { replace: [] })
    assert.deepEqual(await tagsOf(), [])
    await client.item.relate('3', 'whole', { replace: '2' })
    assert.equal((await client.item.related('3', 'whole'))?.id, '2')
    await client.item.relate('3', 'whole', { replace: null })
    assert.equal(await client.item.related('3', 'whole'), null)
  })

  it('replaces no relationship by the part of it that was read', async () => {
    const { client } = connectClient(engine)
    const queries = [
      { include: ['items'], includePage: { items: { size: 1 } } },
      { include: ['items'], includeFilter: { items: { id: '1' } } },
    ] as const
    const count = async () =>
      (await client.item.list({ filter: { shop__id: 'north/1' } })).meta.count
    const before = await count()
    for (const query of queries) {
      const { items } = await client.shop.get('north/1', query)
      assert.equal(items.length < before, true)
      const refused = { status: 400 }
      await assert.rejects(client.shop.update('north/1', { items }), refused)
      await assert.rejects(client.shop.relate('north/1', 'items', { replace: items }), refused)
      await client.shop.relate('north/1', 'items', { add: items })
    }
    assert.equal(await count(), before)
    for (const query of queries) {
      const shop = await client.shop.get('north/1', query)
      const added = { ...shop, items: [...shop.items, '4'] }
      for (const copy of [structuredClone(shop), added])
        await assert.rejects(client.shop.update('north/1', copy), { status: 400 })
    }
    const whole = await client.shop.get('north/1', { include: ['items'] })
    await client.shop.update('north/1', { items: whole.items })
    assert.equal(await count(), before)
  })

  it('removes a resource', async () => {
    const { client } = connectClient(engine)
    assert.equal(await client.item.remove('3'), undefined)
    await assert.rejects(client.item.get('3'), { status: 404 })
  })

  it('throws all errors of a write, by their pointers', async () => {
    const { client } = connectClient(engine)
    const wrong = { stock: 1.5, state: 'old', options: { '-': 1 }, shop: 'east' } as never
    const error = await client.item.create(wrong).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof ResponseError)
    const { errors, code, status } = error
    assert.deepEqual([errors.length, status, code], [5, 400, errors[0]?.code])
    assert.equal(error.at('/data/attributes/stock')[0]?.code, 'invalid_value')
    assert.equal(error.at('/data').length, errors.length)
    assert.deepEqual(error.at('/data/attributes/sto'), [])
    for (const { detail = '' } of errors) assert.ok(error.message.includes(detail), error.message)
  })

  it('rejects a value that JSON does not have before it sends a request', async () => {
    const { client, requests } = connectClient(engine)
    await client.item.get('1')
    await assert.rejects(client.item.update('1', { stock: Number.NaN }), {
      name: 'TypeError',
      message: 'The fields: NaN is not a JSON value.',
    })
    assert.equal(requests.length, 2)
    await assert.rejects(client.item.relate('1', 'tags', { add: [], remove: [] } as never), {
      name: 'TypeError',
    })
  })
})
