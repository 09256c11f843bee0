import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createErrorResponse } from 'lapidary'
import type { TestResponse } from '../test-response.ts'
import { inProcess, type ShopClient, tagIds, withApi } from './shop.ts'

const json = (value: unknown) => ({ data: value })

/** A call that must fail, and the request that fails in the same way. */
interface ErrorCase {
  readonly title: string
  readonly call: (client: ShopClient) => Promise<unknown>
  readonly request: readonly [method: string, path: string, body?: unknown]
}

/** Values that the types reject: applications in JavaScript may pass them. */
const wrong = (value: unknown) => value as never

// biome-ignore format: a table, one error a row
const errorCases: readonly ErrorCase[] = [
  { title: 'an unknown resource', call: (client) => client.get('item', '77'), request: ['GET', '/items/77'] },
  { title: 'an id that cannot exist', call: (client) => client.get('item', 'x'), request: ['GET', '/items/x'] },
  { title: 'an unknown filter name', call: (client) => client.list('item', { filter: [{ name: wrong('nam'), op: 'eq', val: 1 }] }), request: ['GET', '/items?filter=[{"name":"nam","op":"eq","val":1}]'] },
  { title: 'a filter value of another kind', call: (client) => client.list('item', { filter: { stock: wrong('many') } }), request: ['GET', '/items?filter[stock]=many'] },
  { title: 'several wrong parameters', call: (client) => client.list('item', wrong({ sort: ['label'], include: ['part'], fields: { item: ['nme'] }, page: { size: 0 } })), request: ['GET', '/items?sort=label&include=part&fields[item]=nme&page[size]=0'] },
  { title: 'an unknown parameter', call: (client) => client.list('item', wrong({ filters: [] })), request: ['GET', '/items?filters='] },
  { title: 'a page that is too large', call: (client) => client.list('item', { page: { size: 51 } }), request: ['GET', '/items?page[size]=51'] },
  { title: 'a filter on one resource', call: (client) => client.get('item', '1', wrong({ filter: { name: 'x' } })), request: ['GET', '/items/1?filter[name]=x'] },
  { title: 'a create without required attributes', call: (client) => client.create('item', wrong({})), request: ['POST', '/items', json({ type: 'item' })] },
  { title: 'several invalid values', call: (client) => client.create('item', wrong({ name: null, stock: 1.5, state: 'old', colour: 'red' })), request: ['POST', '/items', json({ type: 'item', attributes: { name: null, stock: 1.5, state: 'old', colour: 'red' } })] },
  { title: 'an unknown relationship', call: (client) => client.create('shop', wrong({ id: 'x', name: 'X', items: ['1'], owner: { type: 'item', id: '1' } })), request: ['POST', '/shops', json({ type: 'shop', id: 'x', attributes: { name: 'X', owner: { type: 'item', id: '1' } }, relationships: { items: { data: [{ type: 'item', id: '1' }] } } })] },
  { title: 'related resources that do not exist', call: (client) => client.create('item', { name: 'x', shop: 'west', tags: [tagIds[0], 'y'] }), request: ['POST', '/items', json({ type: 'item', attributes: { name: 'x' }, relationships: { shop: { data: { type: 'shop', id: 'west' } }, tags: { data: [{ type: 'tag', id: tagIds[0] }, { type: 'tag', id: 'y' }] } } })] },
  { title: 'a related resource of another type', call: (client) => client.update('item', '1', { shop: wrong({ type: 'tag', id: '1' }) }), request: ['PATCH', '/items/1', json({ type: 'item', id: '1', relationships: { shop: { data: { type: 'tag', id: '1' } } } })] },
  { title: 'a related resource that is not an id', call: (client) => client.update('item', '1', { shop: wrong(5) }), request: ['PATCH', '/items/1', json({ type: 'item', id: '1', relationships: { shop: { data: 5 } } })] },
  { title: 'a list for a to-one relationship', call: (client) => client.update('item', '1', { shop: wrong(['south']) }), request: ['PATCH', '/items/1', json({ type: 'item', id: '1', relationships: { shop: { data: [{ type: 'shop', id: 'south' }] } } })] },
  { title: 'a value that is taken', call: (client) => client.create('item', { name: 'bolt' }), request: ['POST', '/items', json({ type: 'item', attributes: { name: 'bolt' } })] },
  { title: 'an id that is taken', call: (client) => client.create('shop', { id: 'south', name: 'x' }), request: ['POST', '/shops', json({ type: 'shop', id: 'south', attributes: { name: 'x' } })] },
  { title: 'a missing id', call: (client) => client.create('shop', wrong({ name: 'x' })), request: ['POST', '/shops', json({ type: 'shop', attributes: { name: 'x' } })] },
  { title: 'a resource of another type', call: (client) => client.create('item', wrong({ type: 'tag', name: 'x' })), request: ['POST', '/items', json({ type: 'tag', attributes: { name: 'x' } })] },
  { title: 'an immutable attribute', call: (client) => client.update('item', '2', wrong({ serial: 6 })), request: ['PATCH', '/items/2', json({ type: 'item', id: '2', attributes: { serial: 6 } })] },
  { title: 'a change that a hook rejects', call: (client) => client.update('item', '1', { name: 'forbidden' }), request: ['PATCH', '/items/1', json({ type: 'item', id: '1', attributes: { name: 'forbidden' } })] },
  { title: 'an update of an unknown resource', call: (client) => client.update('item', '77', { stock: 1 }), request: ['PATCH', '/items/77', json({ type: 'item', id: '77', attributes: { stock: 1 } })] },
  { title: 'a delete of an unknown resource', call: (client) => client.remove('item', '77'), request: ['DELETE', '/items/77'] },
  { title: 'a delete that other rows prevent', call: (client) => client.remove('tag', tagIds[0]), request: ['DELETE', `/tags/${tagIds[0]}`] },
  { title: 'a member that does not exist', call: (client) => client.relate('item', '1', 'tags', { add: ['0f7e6d5c-0000-4000-8000-000000000009'] }), request: ['POST', '/items/1/relationships/tags', json([{ type: 'tag', id: '0f7e6d5c-0000-4000-8000-000000000009' }])] },
  { title: 'one member for a to-many relationship', call: (client) => client.relate('item', '1', 'tags', wrong({ replace: tagIds[0] })), request: ['PATCH', '/items/1/relationships/tags', json({ type: 'tag', id: tagIds[0] })] },
  { title: 'a relationship of an unknown resource', call: (client) => client.relate('item', '77', 'shop', { replace: 'south' }), request: ['PATCH', '/items/77/relationships/shop', json({ type: 'shop', id: 'south' })] },
]

/** Calls without a valid request: no route has such a method, or no route at all. The types reject them. */
// biome-ignore format: a table, one error a row
const rejections: readonly (readonly [title: string, call: (client: ShopClient) => Promise<unknown>, code: string, status: number])[] = [
  ['an unknown type', (client) => client.list(wrong('itm')), 'route_not_found', 404],
  ['a create of a read-only type', (client) => client.create(wrong('total'), wrong({ items: 1 })), 'read_only', 403],
  ['an update of a read-only type', (client) => client.update(wrong('total'), '1', wrong({ items: 1 })), 'read_only', 403],
  ['a delete of a read-only type', (client) => client.remove(wrong('total'), '1'), 'read_only', 403],
  ['a change of a read-only relationship', (client) => client.relate('item', '1', wrong('first_tags'), wrong({ add: [] })), 'read_only', 403],
  ['a change of an unknown relationship', (client) => client.relate('item', '1', wrong('tag'), wrong({ add: [] })), 'route_not_found', 404],
]

it('An error that clients must not see has no response', () => {
  assert.equal(createErrorResponse(new Error('secret')), undefined)
  assert.equal(createErrorResponse(undefined), undefined)
})

inProcess('Writes in process', (engine) => {
  const read = async (path: string) => (await engine.get(path)).one

  for (const { title, call, request } of errorCases) {
    it(`fail as the request does: ${title}`, () =>
      withApi(engine, async ({ client }) => {
        const [method, path, body] = request
        const response = await engine.call(method, path, { body })
        assert.ok(response.status >= 400, response.text)
        await assert.rejects(call(client), (thrown) => {
          assert.deepEqual(describeThrown(thrown), describeErrors(response))
          assert.equal(Reflect.get(Object(thrown), 'status'), response.status)
          const { status, headers, body: text = '' } = createErrorResponse(thrown) ?? {}
          assert.deepEqual([status, JSON.parse(text)], [response.status, JSON.parse(response.text)])
          assert.equal(headers?.['content-type'], 'application/vnd.api+json')
          return true
        })
      }))
  }

  for (const [title, call, code, status] of rejections) {
    it(`are rejected: ${title}`, () =>
      withApi(engine, async ({ client }) => {
        await assert.rejects(call(client), { name: 'HttpError', code, status })
      }))
  }

  it('create a resource and return it as stored', () =>
    withApi(engine, async ({ client }) => {
      const created = await client.create(
        'item',
        {
          name: 'nut',
          price: '1.5',
          serial: 7n,
          contact: 'n@example.org',
          shop: 'south',
          tags: [tagIds[1]],
          whole: null,
          made_on: undefined,
        },
        {
          include: ['shop'],
          fields: {
            item: [
              'name',
              'price',
              'stock',
              'serial',
              'made_on',
              'changed_by',
              'label',
              'worth',
              'shop',
              'tags',
            ],
          },
        },
      )
      assert.deepEqual(created, {
        ...{
          type: 'item',
          id: created.id,
          name: 'nut',
          price: '1.50',
          stock: 0,
          serial: 7n,
          made_on: null,
        },
        ...{ changed_by: 'tester', label: 'nut <n@example.org>', worth: 0 },
        shop: { type: 'shop', id: 'south', name: 'South' },
        tags: [{ type: 'tag', id: tagIds[1] }],
      })
      const { attributes } = await read(`/items/${created.id}`)
      assert.equal(attributes?.label, 'nut <n@example.org>')
    }))

  it('create a resource with the id that the application sends, or a generated one', () =>
    withApi(engine, async ({ client }) => {
      const id = '0f7e6d5c-0000-4000-8000-000000000003'
      assert.deepEqual(await client.create('tag', { id, word: 'x' }), {
        type: 'tag',
        id,
        word: 'x',
      })
      const other = await client.create('tag', { word: 'y' })
      assert.equal((await read(`/tags/${other.id}`)).attributes?.word, 'y')
    }))

  it('update a resource and return it', () =>
    withApi(engine, async ({ client }) => {
      const updated = await client.update(
        'item',
        '2',
        { stock: 9, whole: null, tags: [] },
        { include: ['whole', 'tags'] },
      )
      assert.deepEqual(
        [updated.stock, updated.whole, updated.tags, updated.changed_by],
        [9, null, [], 'tester'],
      )
      const { relationships } = (await engine.get('/items/2', { include: 'whole,tags' })).one
      assert.deepEqual([relationships?.whole?.data, relationships?.tags?.data], [null, []])
    }))

  it('accept what was read, with its related resources, but not its read-only fields', () =>
    withApi(engine, async ({ client }) => {
      const wheel = await client.get('item', '2', { include: ['shop', 'tags'] })
      await assert.rejects(client.update('item', wheel.id, { ...wheel, stock: 1 }), (error) => {
        const errors: readonly object[] = Reflect.get(Object(error), 'errors')
        const names = ['changed_by', 'label', 'worth'].map((name) => `/data/attributes/${name}`)
        assert.deepEqual(
          errors.map((each) => Reflect.get(each, 'pointer')),
          names,
        )
        return true
      })
      const { changed_by: _by, label: _label, worth: _worth, ...writable } = wheel
      const same = await client.update(
        'item',
        wheel.id,
        { ...writable, stock: 1 },
        { include: ['shop', 'tags'] },
      )
      assert.deepEqual({ ...same, changed_by: null }, { ...wheel, stock: 1, worth: 2 })
      await assert.rejects(client.create('item', { ...writable, name: 'copy' }), {
        code: 'client_id_forbidden',
      })
      const { id: _id, ...fields } = writable
      const copy = await client.create('item', { ...fields, name: 'copy' }, { include: ['tags'] })
      assert.notEqual(copy.id, wheel.id)
      assert.deepEqual(copy.tags, wheel.tags)
    }))

  it('replace no relationship by the part of it that was read', () =>
    withApi(engine, async ({ client }) => {
      const count = async () =>
        (await client.list('item', { filter: { shop__id: 'north/1' } })).meta.count
      const before = await count()
      const queries = [
        { include: ['items'], includePage: { items: { size: 1 } } },
        { include: ['items'], includeFilter: { items: { id: '1' } } },
      ] as const
      for (const query of queries) {
        const shop = await client.get('shop', 'north/1', query)
        const { items } = shop
        assert.equal(items.length < before, true)
        const refused = { code: 'invalid_document' }
        const added = { ...shop, items: [...items, '4'] }
        for (const copy of [structuredClone(shop), added])
          await assert.rejects(client.update('shop', 'north/1', copy), refused)
        await assert.rejects(client.update('shop', 'north/1', { items }), refused)
        await assert.rejects(client.relate('shop', 'north/1', 'items', { replace: items }), refused)
        await client.relate('shop', 'north/1', 'items', { add: items })
      }
      assert.equal(await count(), before)
    }))

  it('remove a resource', () =>
    withApi(engine, async ({ client }) => {
      assert.equal(await client.remove('item', '3'), undefined)
      assert.equal((await engine.get('/items/3')).status, 404)
    }))

  it('change relationships', () =>
    withApi(engine, async ({ client }) => {
      const members = async () =>
        (await client.get('item', '1', { include: ['tags'] })).tags.map(({ id }) => id)
      assert.equal(
        await client.relate('item', '1', 'tags', { add: [{ type: 'tag', id: tagIds[1] }] }),
        undefined,
      )
      assert.deepEqual(await members(), [...tagIds])
      await client.relate('item', '1', 'tags', { remove: [tagIds[0]] })
      assert.deepEqual(await members(), [tagIds[1]])
      await client.relate('item', '1', 'tags', { replace: [] })
      assert.deepEqual(await members(), [])
      await client.relate('item', '3', 'shop', { replace: 'south' })
      assert.equal((await client.get('item', '3', { include: ['shop'] })).shop?.id, 'south')
      await client.relate('item', '3', 'shop', { replace: null })
      assert.equal((await client.get('item', '3', { include: ['shop'] })).shop, null)
      await assert.rejects(
        client.relate('item', '1', 'tags', wrong({ add: [], remove: [] })),
        TypeError,
      )
    }))

  it('return documents', () =>
    withApi(engine, async ({ client }) => {
      const { documents } = client
      const { data } = await documents.create('tag', { word: 'sharp' })
      assert.deepEqual(data, await read(`/tags/${data.id}`))
      const updated = await documents.update(
        'tag',
        data.id,
        { word: 'blunt' },
        { include: ['items'] },
      )
      assert.deepEqual([updated.data.attributes, updated.included], [{ word: 'blunt' }, []])
      const changed = await documents.relate('item', '1', 'tags', { add: [data.id] })
      assert.equal(changed.meta.message, 'Relationship successfully created')
      await documents.relate('item', '1', 'tags', { remove: [data.id] })
      assert.equal(
        (await documents.remove('tag', data.id)).meta.message,
        'Object successfully deleted',
      )
    }))

  it('reject values that JSON does not have, instead of changing them', () =>
    withApi(engine, async ({ client }) => {
      const invalid = { code: 'invalid_value' }
      await assert.rejects(client.create('item', { name: 'x', stock: Number.NaN }), invalid)
      await assert.rejects(client.create('item', wrong({ name: () => 'x' })), invalid)
      await assert.rejects(
        client.create('item', wrong({ name: 'x', made_on: new Date(0) })),
        invalid,
      )
      const cyclic: Record<string, unknown> = {}
      cyclic.self = cyclic
      await assert.rejects(client.create('item', wrong({ name: 'x', options: cyclic })), invalid)
      await assert.rejects(
        client.list('item', { filter: [{ name: 'stock', op: 'eq', val: Number.NaN }] }),
        TypeError,
      )
      await assert.rejects(client.list('item', { filter: wrong({ state: () => 1 }) }), TypeError)
    }))

  it('take conditions by name in filters, as the client over HTTP', () =>
    withApi(engine, async ({ client }) => {
      const { data: stateless } = await client.list('item', { filter: { state: null } })
      assert.deepEqual(
        stateless.map(({ name }) => name),
        ['bolt'],
      )
      const { data: round } = await client.list('item', {
        filter: { stock: { gt: 3 }, tags: { any: { word: { startswith: 'r' } } } },
      })
      assert.deepEqual(
        round.map(({ name }) => name),
        ['wheel'],
      )
    }))
})

/** The errors of a thrown value: code, location and detail of each. */
function describeThrown(thrown: unknown): unknown[] {
  const { errors = [thrown] } = Object(thrown)
  return errors.map((error: Readonly<Record<string, unknown>>) => {
    const { status, code, message, pointer, parameter } = error
    return { status: String(status), code, detail: message, pointer, parameter }
  })
}

function describeErrors({ body }: TestResponse): unknown[] {
  return (body.errors ?? []).map(({ status, code, detail, source }) => {
    return { status, code, detail, pointer: source?.pointer, parameter: source?.parameter }
  })
}
