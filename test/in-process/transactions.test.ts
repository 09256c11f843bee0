import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createApi, createHandler, sql, type TransactionClient } from 'lapidary'
import { mediaType } from '../client.ts'
import { inProcess, type ShopClient, shopModel, tagIds, withApi } from './shop.ts'

const names = async (client: Pick<ShopClient, 'list'>) =>
  (await client.list('item', { sort: ['id'] })).data.map(({ name }) => name)
const stored = ['engine', 'wheel', 'bolt']
const ignore = () => {}
const silent = {
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
}

inProcess('A transaction in process', (engine) => {
  it('commits its calls and its SQL together, and returns the result of its work', () =>
    withApi(engine, async ({ client }) => {
      const id = await client.transaction(async (tx) => {
        const item = await tx.create('item', { name: 'nut', shop: 'south' })
        await tx.relate('item', item.id, 'tags', { add: [tagIds[0]] })
        await tx.update('item', '1', { stock: 1 })
        await tx.remove('item', '3')
        await tx.sql(sql`insert into audit (note) values (${`sold ${item.id}`})`)
        assert.deepEqual(await names(tx), ['engine', 'wheel', 'nut'])
        return item.id
      })
      assert.deepEqual(await names(client), ['engine', 'wheel', 'nut'])
      const notes = await client.transaction((tx) => tx.sql(sql`select note from audit`))
      assert.deepEqual(notes, [{ note: `sold ${id}` }])
      const { one } = await engine.get(`/items/${id}`, { include: 'tags' })
      assert.deepEqual(one.relationships?.tags?.data, [{ type: 'tag', id: tagIds[0] }])
    }))

  it('rolls everything back when its work throws, whatever it throws', () =>
    withApi(engine, async ({ client }) => {
      const failing = client.transaction(async (tx) => {
        await tx.create('item', { name: 'nut' })
        await tx.sql(sql`insert into audit (note) values ('gone')`)
        throw new RangeError('no')
      })
      await assert.rejects(failing, RangeError)
      const rejected = client.transaction(async (tx) => {
        await tx.remove('item', '3')
        return tx.create('item', { name: 'wheel' })
      })
      await assert.rejects(rejected, { code: 'constraint_conflict', status: 409 })
      assert.deepEqual(await names(client), stored)
      const notes = await client.transaction((tx) => tx.sql(sql`select note from audit`))
      assert.deepEqual(notes, [])
    }))

  it('continues after a call that failed, of which nothing is left', () =>
    withApi(engine, async ({ client }) => {
      await client.transaction(async (tx) => {
        await tx.sql(sql`insert into audit (note) values ('before')`)
        await tx.create('item', { name: 'nut' })
        // The row is written before the relationship and the constraint fail.
        await assert.rejects(tx.create('item', { name: 'half', tags: ['y'] }))
        await assert.rejects(tx.update('item', '3', { stock: 5, name: 'wheel' }))
        await assert.rejects(tx.update('item', '3', { stock: 6, name: 'forbidden' }))
        await assert.rejects(tx.sql(sql`insert into audit (note) values (null)`))
        await assert.rejects(tx.get('item', '77'))
        await tx.sql(sql`insert into audit (note) values ('after')`)
        await tx.update('item', '2', { name: 'disc' })
      })
      assert.deepEqual(await names(client), ['engine', 'disc', 'bolt', 'nut'])
      assert.equal((await client.get('item', '3')).stock, 0)
      const notes = await client.transaction((tx) => tx.sql(sql`select note from audit order by 1`))
      assert.deepEqual(notes, [{ note: 'after' }, { note: 'before' }])
    }))

  it('runs its calls one after the other, also those that are made at the same time', () =>
    withApi(engine, async ({ client }) => {
      const words = Array.from({ length: 20 }, (_, at) => `item ${at}`)
      await client.transaction(async (tx) => {
        const results = await Promise.allSettled([
          ...words.map((name) => tx.create('item', { name })),
          tx.create('item', { name: 'wheel' }),
          tx.sql(sql`insert into audit (note) values ('x')`),
        ])
        assert.deepEqual(
          results.flatMap(({ status }, at) => (status === 'rejected' ? [at] : [])),
          [20],
        )
      })
      assert.deepEqual(await names(client), [...stored, ...words])
    }))

  it('waits for calls that its work does not await, and rejects later ones', () =>
    withApi(engine, async ({ client }) => {
      let kept: TransactionClient<typeof shopModel.declarations> | undefined
      await client.transaction(async (tx) => {
        kept = tx
        void tx.create('item', { name: 'nut' })
      })
      assert.deepEqual(await names(client), [...stored, 'nut'])
      const ended = /The transaction has ended/
      await assert.rejects(async () => kept?.create('item', { name: 'late' }), ended)
      await assert.rejects(async () => kept?.list('item'), ended)
      await assert.rejects(async () => kept?.sql(sql`delete from item`), ended)
      assert.deepEqual(await names(client), [...stored, 'nut'])
    }))

  it('rejects calls past it, and other transactions within it', () =>
    withApi(engine, async ({ client, api }) => {
      const past = /This call is made inside a transaction/
      await client.transaction(async (tx) => {
        await assert.rejects(client.create('item', { name: 'past' }), past)
        await assert.rejects(api.with({ auth: 'other' }).list('item'), past)
        await assert.rejects(
          client.transaction(async () => 1),
          past,
        )
        await assert.rejects(client.each('item').next(), past)
        await tx.create('item', { name: 'nut' })
      })
      assert.deepEqual(await names(client), [...stored, 'nut'])
    }))

  it('rejects writes of another API and of requests within it, instead of waiting for them forever', () =>
    withApi(engine, async ({ client, store }) => {
      const other = createApi({ model: shopModel, store }).with({ auth: 'other' })
      const errors: string[] = []
      const log = { ...silent, error: (fields: unknown) => errors.push(String(Object(fields).err)) }
      const handle = createHandler({ model: shopModel, store, log })
      const request = {
        method: 'POST',
        headers: { 'content-type': mediaType },
        body: JSON.stringify({ data: { type: 'item', attributes: { name: 'past' } } }),
      }
      const past = /This write is made inside a transaction, but not through it: .* `tx`/
      await client.transaction(async (tx) => {
        await assert.rejects(other.create('item', { name: 'past' }), past)
        const response = await handle(new Request('http://localhost/items', request))
        assert.equal(response.status, 500)
        assert.match(errors.join(), past)
        assert.equal((await other.get('item', '1')).name, 'engine')
        await tx.create('item', { name: 'nut' })
      })
      await other.create('item', { name: 'after' })
      assert.deepEqual(await names(client), [...stored, 'nut', 'after'])
    }))

  it('is invisible to others until it commits', () =>
    withApi(engine, async ({ client }) => {
      const seen = await client.transaction(async (tx) => {
        await tx.create('item', { name: 'nut' })
        return (await engine.get('/items')).many.length
      })
      assert.equal(seen, 3)
      assert.equal((await engine.get('/items')).many.length, 4)
    }))

  it('runs hooks with the auth context of the client, and reads what they wrote', () =>
    withApi(engine, async ({ api }) => {
      const changed = await api.with({ auth: 'Mary' }).transaction(async (tx) => {
        await tx.update('item', '1', { stock: 1 })
        return tx.get('item', '1')
      })
      assert.equal(changed.changed_by, 'Mary')
      const blocked = api.with({ auth: 'blocked' }).transaction((tx) => tx.list('item'))
      await assert.rejects(blocked, { code: 'refused' })
    }))

  it('returns documents', () =>
    withApi(engine, async ({ client }) => {
      const { data, included } = await client.transaction(async (tx) => {
        const created = await tx.documents.create('tag', { word: 'x', items: ['1'] })
        return tx.documents.get('tag', created.data.id, { include: ['items'] })
      })
      assert.deepEqual(data, (await engine.get(`/tags/${data.id}`, { include: 'items' })).one)
      assert.deepEqual(
        included?.map(({ id }) => id),
        ['1'],
      )
    }))

  it('checks deferred constraints when it commits', () =>
    withApi(engine, async ({ client }) => {
      await engine.execute(
        'create table pledge (item integer references item (id) deferrable initially deferred)',
      )
      const pledge = (id: number) =>
        client.transaction(async (tx) => {
          await tx.create('item', { name: `for ${id}` })
          await tx.sql(sql`insert into pledge values (${id})`)
        })
      await assert.rejects(pledge(999), { code: 'constraint_conflict' })
      await pledge(1)
      assert.deepEqual(await names(client), [...stored, 'for 1'])
    }))

  it('shares the database with many others, and with requests', () =>
    withApi(engine, async ({ client }) => {
      const move = (at: number) =>
        client.transaction(async (tx) => {
          const { stock } = await tx.get('item', '1')
          await tx.update('item', '1', { stock: stock + 1 })
          await tx.create('item', { name: `item ${at}` })
          if (at % 3 === 0) throw new Error('no')
        })
      // On PostgreSQL the first statement locks the row, so that no update is lost.
      const locked = (at: number) =>
        client.transaction(async (tx) => {
          await tx.sql(sql`update item set stock = stock + 1 where id = 1`)
          await tx.create('item', { name: `item ${at}` })
          if (at % 3 === 0) throw new Error('no')
        })
      const work = engine.dialect === 'sqlite' ? move : locked
      const requests = Array.from({ length: 10 }, () =>
        engine.post('/tags', { data: { type: 'tag', attributes: { word: 'x' } } }),
      )
      const results = await Promise.allSettled([
        ...Array.from({ length: 30 }, (_, at) => work(at)),
        ...requests,
      ])
      assert.equal(results.filter(({ status }) => status === 'rejected').length, 10)
      assert.equal((await client.get('item', '1')).stock, 3 + 20)
      assert.equal((await client.list('item')).meta.count, 3 + 20)
      assert.equal((await client.list('tag')).meta.count, 2 + 10)
    }))

  // SQLite has one writer: its transactions have no conflicts.
  if (engine.dialect !== 'sqlite')
    it('runs again after a conflict with another transaction', () =>
      withApi(engine, async ({ client }) => {
        let [runs, locked] = [0, 0]
        const both = Promise.withResolvers<void>()
        // Two transactions that lock two rows in opposite order, each after both have locked one: PostgreSQL ends one of them.
        const swap = (first: string, second: string) =>
          client.transaction(async (tx) => {
            runs += 1
            await tx.update('item', first, { state: 'used' })
            locked += 1
            if (locked === 2) both.resolve()
            await both.promise
            await tx.update('item', second, { state: 'new' })
          })
        await Promise.all([swap('1', '2'), swap('2', '1')])
        assert.ok(runs > 2, `${runs} runs`)
      }))
})
