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
import { type Answer, ids } from '../answer.ts'
import type { ColumnTypes } from '../databases.ts'
import { engine } from './engine.ts'

/** What the hooks saw, in order. */
let seen: unknown[] = []
/** Where hooks throw, by their name. */
let throwing: string | undefined
/** What each hook waits for before it goes on. */
let waiting: () => Promise<unknown> = async () => undefined

const boom = new RequestError({
  ...{ status: 402, code: 'too_poor', title: 'Pay first', detail: 'This is not free.' },
  ...{ pointer: '/data/attributes/price', headers: { 'x-price': '5' } },
})

/** Notes that a hook runs, and what it sees; then waits, and may throw. */
async function note(hook: string, context: HookContext, ...what: readonly unknown[]) {
  seen.push([hook, ...what])
  await waiting()
  if (throwing === hook) throw boom
  if (throwing === `${hook}, ours`) throw new Error('secret words')
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
      await note('beforeCreate', context, attributes, relationships, await rows(context))
      if (attributes.name === 'plain') return
      return { stamp: `made by ${context.auth}`, name: attributes.name?.trim() ?? null }
    },
    async afterCreate(created, context) {
      await note('afterCreate', context, created, await rows(context))
    },
    async beforeUpdate(current, { attributes, relationships }, context) {
      await note('beforeUpdate', context, current, attributes, relationships)
      return attributes.price === 1 ? { price: 2, stamp: 'corrected' } : undefined
    },
    async afterUpdate(updated, before, context) {
      await note('afterUpdate', context, updated.attributes.price, before.attributes.price)
    },
    async beforeDelete(current, context) {
      await note('beforeDelete', context, current.attributes.secret, await rows(context))
    },
    async afterDelete(deleted, context) {
      await note('afterDelete', context, deleted.id, await rows(context))
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
    beforeUpdate: async (_, change, context) => void (await note('shelf', context, change)),
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

engine('Hooks of writes', served, (world) => {
  beforeEach(() => {
    seen = []
    throwing = undefined
    waiting = async () => undefined
  })
  const create = (attributes: object, relationships: object = {}) =>
    world.post('/books', { data: { type: 'book', attributes, relationships } })
  const update = (attributes: object, relationships: object = {}) =>
    world.patch('/books/1', { data: { ...member('book'), attributes, relationships } })
  const all = async () => {
    const { text } = await world.get('/books', { 'fields[book]': 'name,price,stamp,shelf,readers' })
    return text
  }

  it('a create: before it with what is sent and filled in, after it with what is stored, uncommitted', async () => {
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
          shelf: { change: 'replace', ids: ['1'] },
          readers: { change: 'add', ids: ['2', '1'] },
        },
        '1 old 5',
      ],
      [
        'afterCreate',
        {
          id: '2',
          attributes: { name: 'new', price: 7, stamp: 'made by somebody', secret: 'psst' },
        },
        '1 old 5, 2 new 7',
      ],
    ])
    assert.deepEqual(one.attributes, { name: 'new', price: 7, stamp: 'made by somebody' })
    assert.equal((await create({ name: 'plain' })).one.attributes?.stamp, null)
  })

  it('a create under its parent: the link to it is among what is changed', async () => {
    const data = { type: 'book', attributes: { name: 'new' } }
    await world.post('/shelves/2/books', { data })
    const [[, , change] = []] = seen as [unknown, unknown, unknown][]
    assert.deepEqual(change, { shelf: { change: 'replace', ids: ['2'] } })
    seen = []
    const readers = { readers: { data: [member('reader')] } }
    await world.post('/readers/2/books', { data: { ...data, relationships: readers } })
    const [[, , links] = []] = seen as [unknown, unknown, unknown][]
    assert.deepEqual(links, { readers: { change: 'add', ids: ['1', '2'] } })
    assert.deepEqual(ids(await world.get('/books/3/readers')), ['1', '2'])
  })

  it('an update: before it with what is stored and what is sent, after it with both states', async () => {
    const { one } = await update(
      { price: 1, stamp: 'discarded' },
      { shelf: { data: null }, readers: { data: [] }, sequel: { data: null } },
    )
    assert.deepEqual(seen, [
      [
        'beforeUpdate',
        { id: '1', attributes: { name: 'old', price: 5, stamp: null, secret: 'hush' } },
        { price: 1 },
        {
          shelf: { change: 'replace', ids: [] },
          readers: { change: 'replace', ids: [] },
          sequel: { change: 'replace', ids: [] },
        },
      ],
      ['afterUpdate', 2, 5],
    ])
    assert.deepEqual([one.attributes?.price, one.attributes?.stamp], [2, 'corrected'])
  })

  it('a write to a relationship is an update of links alone', async () => {
    for (const [method, path, data, change] of [
      ['POST', 'readers', [member('reader')], { readers: { change: 'add', ids: ['1'] } }],
      ['PATCH', 'readers', [], { readers: { change: 'replace', ids: [] } }],
      ['DELETE', 'readers', [member('reader')], { readers: { change: 'remove', ids: ['1'] } }],
      ['PATCH', 'shelf', member('shelf'), { shelf: { change: 'replace', ids: ['1'] } }],
      ['DELETE', 'shelf', member('shelf'), { shelf: { change: 'remove', ids: ['1'] } }],
      ['POST', 'sequel', member('book'), { sequel: { change: 'replace', ids: ['1'] } }],
    ] as const) {
      seen = []
      const answer = await world.call(method, `/books/1/relationships/${path}`, { body: { data } })
      assert.equal(answer.status, 200, answer.text)
      const [[hook, , attributes, relationships] = []] = seen as unknown[][]
      assert.deepEqual([hook, attributes, relationships], ['beforeUpdate', {}, change])
      assert.equal(seen.length, 2)
    }
    seen = []
    await world.patch('/shelves/1/relationships/books', { data: [member('book')] })
    assert.deepEqual(seen, [
      ['shelf', { attributes: {}, relationships: { books: { change: 'replace', ids: ['1'] } } }],
    ])
  })

  it('a deletion: before it, and after it when the row is gone', async () => {
    assert.equal((await world.delete('/books/1')).status, 200)
    assert.deepEqual(seen, [
      ['beforeDelete', 'hush', '1 old 5'],
      ['afterDelete', '1', ''],
    ])
  })

  it('none runs for what is not there, or not fit', async () => {
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
    ] as const) {
      assert.equal((await world.call(method, path, { body })).status, status)
      assert.deepEqual(seen, [], `${method} ${path}`)
    }
  })

  const throwers = [
    ['beforeCreate', () => create({ name: 'new' })],
    ['afterCreate', () => create({ name: 'new' }, { readers: { data: [member('reader')] } })],
    ['beforeUpdate', () => update({ name: 'changed' })],
    ['afterUpdate', () => update({ name: 'changed' }, { readers: { data: [member('reader')] } })],
    [
      'afterUpdate',
      () => world.post('/books/1/relationships/readers', { data: [member('reader')] }),
    ],
    ['beforeDelete', () => world.delete('/books/1')],
    ['afterDelete', () => world.delete('/books/1')],
  ] as const satisfies readonly (readonly [string, () => Promise<Answer>])[]

  for (const [index, [hook, request]] of throwers.entries()) {
    it(`${hook} refuses: told with its own words, and everything is undone (${index})`, async () => {
      const before = await all()
      throwing = hook
      const refused = await request()
      assert.equal(refused.status, 402)
      assert.equal(refused.headers['x-price'], '5')
      assert.deepEqual(refused.body.errors, [
        {
          ...{ status: '402', code: 'too_poor', title: 'Pay first', detail: 'This is not free.' },
          source: { pointer: '/data/attributes/price' },
        },
      ])
      throwing = `${hook}, ours`
      const failed = await request()
      assert.deepEqual([failed.status, failed.fault.code], [500, 'internal_error'])
      assert.ok(!failed.text.includes('secret'))
      assert.equal(await all(), before)
      throwing = undefined
      assert.ok((await request()).status < 300)
    })
  }

  it('readers do not wait for a hook, but in memory, and see nothing of it yet; writers do where there is one at a time', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    waiting = () => gate
    const order: string[] = []
    const done = (what: string) => (answer: Answer) => {
      order.push(what)
      return answer
    }
    const first = create({ name: 'first' }).then(done('first'))
    while (seen.length === 0) await setTimeout(1)
    const second = world.post('/readers', { data: { type: 'reader' } }).then(done('second'))
    const third = create({ name: 'third' }).then(done('third'))
    const read = world.get('/books').then(done('read'))
    if (world.database !== 'SQLite in memory') assert.deepEqual(ids(await read), ['1'])
    if (world.dialect === 'postgres') await second
    await setTimeout(20)
    const early = order.filter((each) => each !== 'read')
    assert.deepEqual(early, world.dialect === 'postgres' ? ['second'] : [])
    go()
    for (const each of [first, second, third, read]) assert.ok((await each).status < 300)
    if (world.dialect === 'sqlite')
      assert.deepEqual(
        order.filter((each) => each !== 'read'),
        ['first', 'second', 'third'],
      )
    assert.deepEqual(ids(await world.get('/books')), ['1', '2', '3'])
  })

  it('many writers at once, each with hooks that wait, lose nothing', async () => {
    waiting = () => setTimeout(Math.random() * 3)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => create({ name: `n${at}`, price: at })),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(20).fill(201),
    )
    const { many } = await world.get('/books')
    const told = many.map(({ attributes }) => attributes?.name).sort()
    assert.deepEqual(told, ['old', ...answers.map((_, at) => `n${at}`)].sort())
  })
})
