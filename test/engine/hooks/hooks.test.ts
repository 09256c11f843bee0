import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  attribute,
  defineModel,
  type HookContext,
  integer,
  RequestError,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids, type TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'

/** The hooks that ran and their arguments, in order. */
let seen: unknown[] = []
/** The hook that throws. */
let throwing: string | undefined
/** Every hook awaits this before it goes on. */
let waiting: () => Promise<unknown> = async () => undefined

const hookError = new RequestError({
  ...{ status: 402, code: 'too_poor', title: 'Pay first', detail: 'This is not free.' },
  ...{ pointer: '/data/attributes/price', headers: { 'x-price': '5' } },
})

/** Records a hook and its arguments, waits, and may throw. */
async function record(hook: string, context: HookContext, ...args: readonly unknown[]) {
  seen.push([hook, ...args])
  await waiting()
  if (throwing === hook) throw hookError
  if (throwing === `${hook}, internal`) throw new Error('secret text')
  return context
}

const rows = async ({ query }: HookContext) => {
  const found = await query(sql`select id, name, price, stamp from book order by id`)
  return found.map(({ id, name, price }) => `${id} ${name} ${price}`).join(', ')
}

const book = resource('book', {
  path: '/books',
  table: 'book',
  fields: {
    name: attribute(text, { required: true }),
    price: attribute(integer, { default: 7 }),
    stamp: attribute(text, { access: 'read-only' }),
    secret: attribute(text, { access: 'write-only' }),
    shelf: toOne('shelf', { column: 'shelf_id' }),
    readers: toMany('reader', { through: { table: 'reading', from: 'book_id', to: 'reader_id' } }),
    sequel: toOne('book', { column: 'first_id', foreignKey: 'other' }),
  },
  hooks: {
    async beforeCreate({ attributes, relationships }, context) {
      await record('beforeCreate', context, attributes, relationships, await rows(context))
      if (attributes.name === 'plain') return
      return { stamp: `made by ${context.auth}`, name: attributes.name?.trim() ?? null }
    },
    async afterCreate(created, context) {
      await record('afterCreate', context, created, await rows(context))
    },
    async beforeUpdate(current, { attributes, relationships }, context) {
      await record('beforeUpdate', context, current, attributes, relationships)
      return attributes.price === 1 ? { price: 2, stamp: 'corrected' } : undefined
    },
    async afterUpdate(updated, before, context) {
      await record('afterUpdate', context, updated.attributes.price, before.attributes.price)
    },
    async beforeDelete(current, context) {
      await record('beforeDelete', context, current.attributes.secret, await rows(context))
    },
    async afterDelete(deleted, context) {
      await record('afterDelete', context, deleted.id, await rows(context))
    },
  },
})
const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  fields: {
    name: attribute(text),
    books: toMany('book', { column: 'shelf_id' }),
  },
  hooks: {
    beforeUpdate: async (_, change, context) => void (await record('shelf', context, change)),
  },
})
const reader = resource('reader', {
  path: '/readers',
  table: 'reader',
  fields: {
    name: attribute(text),
    books: toMany('book', { through: { table: 'reading', from: 'reader_id', to: 'book_id' } }),
  },
})

const served = {
  model: defineModel([book, shelf, reader]),
  tables: ({ newId }: ColumnTypes) => `
    create table shelf (id ${newId}, name text);
    create table reader (id ${newId}, name text);
    create table book (id ${newId}, name text not null, price integer, stamp text, secret text,
      shelf_id integer references shelf (id), first_id integer unique references book (id));
    create table reading (book_id integer references book (id) on delete cascade, reader_id integer references reader (id));
    insert into shelf values (1, 's1'), (2, 's2');
    insert into reader values (1, 'r1'), (2, 'r2');
    insert into book (id, name, price, secret) values (1, 'old', 5, 'hush')`,
  server: { authenticate: () => 'somebody' },
}

const member = (type: string, id = '1') => ({ type, id })

engine('Write hooks', served, (app) => {
  beforeEach(() => {
    seen = []
    throwing = undefined
    waiting = async () => undefined
  })
  const create = (attributes: object, relationships: object = {}) =>
    app.post('/books', { data: { type: 'book', attributes, relationships } })
  const update = (attributes: object, relationships: object = {}) =>
    app.patch('/books/1', { data: { ...member('book'), attributes, relationships } })
  const all = async () => {
    const { text } = await app.get('/books', { 'fields[book]': 'name,price,stamp,shelf,readers' })
    return text
  }

  it('given a create, when its hooks run, then beforeCreate receives sent and default values and afterCreate the uncommitted row', async () => {
    const relationships = {
      shelf: { data: member('shelf') },
      readers: { data: [member('reader', '2'), member('reader')] },
    }
    const { one } = await create({ name: ' new ', secret: 'psst' }, relationships)
    assert.deepEqual(seen, [
      [
        'beforeCreate',
        { name: ' new ', secret: 'psst', price: 7 },
        {
          shelf: '1',
          readers: { change: 'add', ids: ['2', '1'] },
        },
        '1 old 5',
      ],
      [
        'afterCreate',
        {
          id: '2',
          attributes: { name: 'new', price: 7, stamp: 'made by somebody', secret: 'psst' },
          relationships: { shelf: '1', sequel: null },
        },
        '1 old 5, 2 new 7',
      ],
    ])
    assert.deepEqual(one.attributes, { name: 'new', price: 7, stamp: 'made by somebody' })
    assert.equal((await create({ name: 'plain' })).one.attributes?.stamp, null)
  })

  it('given a create in a related collection, when beforeCreate runs, then the change has the link to the parent', async () => {
    const data = { type: 'book', attributes: { name: 'new' } }
    await app.post('/shelves/2/books', { data })
    const [[, , change] = []] = seen as [unknown, unknown, unknown][]
    assert.deepEqual(change, { shelf: '2' })
    seen = []
    const readers = { readers: { data: [member('reader')] } }
    await app.post('/readers/2/books', { data: { ...data, relationships: readers } })
    const [[, , links] = []] = seen as [unknown, unknown, unknown][]
    assert.deepEqual(links, { readers: { change: 'add', ids: ['1', '2'] } })
    assert.deepEqual(ids(await app.get('/books/3/readers')), ['1', '2'])
  })

  it('given an update, when its hooks run, then beforeUpdate receives the stored and sent values and afterUpdate both states', async () => {
    const { one } = await update(
      { price: 1, stamp: 'discarded' },
      { shelf: { data: null }, readers: { data: [] }, sequel: { data: null } },
    )
    assert.deepEqual(seen, [
      [
        'beforeUpdate',
        {
          id: '1',
          attributes: { name: 'old', price: 5, stamp: null, secret: 'hush' },
          relationships: { shelf: null, sequel: null },
        },
        { price: 1 },
        { shelf: null, readers: { change: 'replace', ids: [] }, sequel: null },
      ],
      ['afterUpdate', 2, 5],
    ])
    assert.deepEqual([one.attributes?.price, one.attributes?.stamp], [2, 'corrected'])
  })

  for (const [method, path, data, change, hooks = 2] of [
    ['POST', 'readers', [member('reader')], { readers: { change: 'add', ids: ['1'] } }],
    // Nothing is linked, so nothing changes.
    ['PATCH', 'readers', [], { readers: { change: 'replace', ids: [] } }, 1],
    ['DELETE', 'readers', [member('reader')], { readers: { change: 'remove', ids: ['1'] } }, 1],
    ['PATCH', 'shelf', member('shelf'), { shelf: '1' }],
    ['DELETE', 'shelf', member('shelf', '2'), {}, 1],
    ['DELETE', 'shelf', member('shelf'), { shelf: null }],
  ] as const)
    it(`given ${method} of ${path} with ${JSON.stringify(data)}, when hooks run, then they are those of an update without attributes`, async () => {
      if (method === 'DELETE' && path === 'shelf')
        await app.patch('/books/1/relationships/shelf', { data: member('shelf') })
      seen = []
      const answer = await app.call(method, `/books/1/relationships/${path}`, { body: { data } })
      assert.equal(answer.status, 200, answer.text)
      const [[hook, , attributes, relationships] = []] = seen as unknown[][]
      assert.deepEqual([hook, attributes, relationships], ['beforeUpdate', {}, change])
      assert.equal(seen.length, hooks)
    })

  it('given a write from the side without the foreign key, when hooks run, then those of the members run after that of the owner', async () => {
    const hooks = () => (seen as unknown[][]).map(([hook, , , change]) => [hook, change])
    await app.patch('/shelves/1/relationships/books', { data: [member('book')] })
    assert.deepEqual(seen[0], [
      'shelf',
      { attributes: {}, relationships: { books: { change: 'replace', ids: ['1'] } } },
    ])
    const [, [, current, ...change] = [], after] = seen as unknown[][]
    assert.deepEqual(current, {
      id: '1',
      attributes: { name: 'old', price: 5, stamp: null, secret: 'hush' },
      relationships: { shelf: null, sequel: null },
    })
    assert.deepEqual(
      [change, after],
      [
        [{}, { shelf: '1' }],
        ['afterUpdate', 5, 5],
      ],
    )
    seen = []
    // The book is its own sequel: as the owner of the relationship, and as the book whose foreign key changes.
    await app.post('/books/1/relationships/sequel', { data: member('book') })
    assert.deepEqual(hooks(), [
      ['beforeUpdate', { sequel: '1' }],
      ['beforeUpdate', {}],
      ['afterUpdate', undefined],
      ['afterUpdate', undefined],
    ])
  })

  it('given a deletion, when its hooks run, then the row exists in beforeDelete and not in afterDelete', async () => {
    assert.equal((await app.delete('/books/1')).status, 200)
    assert.deepEqual(seen, [
      ['beforeDelete', 'hush', '1 old 5'],
      ['afterDelete', '1', ''],
    ])
  })

  for (const [method, path, body, status] of [
    ['POST', '/books', { data: { type: 'book', attributes: {} } }, 422],
    [
      'POST',
      '/books',
      {
        data: {
          type: 'book',
          attributes: { name: 'x' },
          relationships: { shelf: { data: member('shelf', '9') } },
        },
      },
      404,
    ],
    ['PATCH', '/books/9', { data: { type: 'book', id: '9' } }, 404],
    ['PATCH', '/books/1', { data: { ...member('book'), attributes: { price: 'x' } } }, 422],
    ['PATCH', '/books/9/relationships/readers', { data: [] }, 404],
    ['DELETE', '/books/9', undefined, 404],
  ] as const)
    it(`given ${method} ${path} that is not valid, when it is rejected with ${status}, then no hook runs`, async () => {
      assert.equal((await app.call(method, path, { body })).status, status)
      assert.deepEqual(seen, [], `${method} ${path}`)
    })

  const throwers = [
    ['beforeCreate', () => create({ name: 'new' })],
    ['afterCreate', () => create({ name: 'new' }, { readers: { data: [member('reader')] } })],
    ['beforeUpdate', () => update({ name: 'changed' })],
    ['afterUpdate', () => update({ name: 'changed' }, { readers: { data: [member('reader')] } })],
    ['afterUpdate', () => app.post('/books/1/relationships/readers', { data: [member('reader')] })],
    ['beforeDelete', () => app.delete('/books/1')],
    ['afterDelete', () => app.delete('/books/1')],
  ] as const satisfies readonly (readonly [string, () => Promise<TestResponse>])[]

  for (const [index, [hook, request]] of throwers.entries()) {
    it(`given ${hook} that throws, when the request is sent (${index}), then its error is the response and the write is rolled back`, async () => {
      const before = await all()
      throwing = hook
      const rejected = await request()
      assert.equal(rejected.status, 402)
      assert.equal(rejected.headers['x-price'], '5')
      assert.deepEqual(rejected.body.errors, [
        {
          ...{ status: '402', code: 'too_poor', title: 'Pay first', detail: 'This is not free.' },
          source: { pointer: '/data/attributes/price' },
        },
      ])
      throwing = `${hook}, internal`
      const failed = await request()
      assert.deepEqual([failed.status, failed.error.code], [500, 'internal_error'])
      assert.ok(!failed.text.includes('secret'))
      assert.equal(await all(), before)
      throwing = undefined
      assert.ok((await request()).status < 300)
    })
  }

  it('given a hook that waits, when others read and write, then reads do not wait and see nothing of it, and only SQLite makes writes wait', async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    waiting = () => gate
    const order: string[] = []
    const done = (what: string) => (answer: TestResponse) => {
      order.push(what)
      return answer
    }
    const first = create({ name: 'first' }).then(done('first'))
    while (seen.length === 0) await setTimeout(1)
    const second = app.post('/readers', { data: { type: 'reader' } }).then(done('second'))
    const third = create({ name: 'third' }).then(done('third'))
    const read = app.get('/books').then(done('read'))
    if (app.database !== 'SQLite in memory') assert.deepEqual(ids(await read), ['1'])
    if (app.dialect === 'postgres') await second
    await setTimeout(20)
    const early = order.filter((each) => each !== 'read')
    assert.deepEqual(early, app.dialect === 'postgres' ? ['second'] : [])
    open()
    for (const each of [first, second, third, read]) assert.ok((await each).status < 300)
    if (app.dialect === 'sqlite')
      assert.deepEqual(
        order.filter((each) => each !== 'read'),
        ['first', 'second', 'third'],
      )
    assert.deepEqual(ids(await app.get('/books')), ['1', '2', '3'])
  })

  it('given hooks that wait, when many writes run at once, then none is lost', async () => {
    waiting = () => setTimeout(Math.random() * 3)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => create({ name: `n${at}`, price: at })),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(20).fill(201),
    )
    const { many } = await app.get('/books')
    const names = many.map(({ attributes }) => attributes?.name).sort()
    assert.deepEqual(names, ['old', ...answers.map((_, at) => `n${at}`)].sort())
  })
})
