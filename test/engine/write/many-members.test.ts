import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { attribute, defineModel, integer, resource, toMany, toOne } from 'lapidary'
import { statementsOf } from '../../service/statements.ts'
import { type Engine, engine } from '../engine.ts'

const box = resource('box', {
  path: '/boxes',
  id: { client: 'required' },
  table: 'box',
  fields: {
    items: toMany('item', { column: 'box_id' }),
    tags: toMany('item', { through: { table: 'box_tag', from: 'box_id', to: 'item_id' } }),
  },
})
const item = resource('item', {
  path: '/items',
  id: { client: 'required' },
  table: 'item',
  fields: { number: attribute(integer), box: toOne('box', { column: 'box_id' }) },
})

const all = 2500
/** The item that no box accepts: it is in the last part. */
const rejected = 2499

const served = {
  model: defineModel([box, item]),
  tables: `create table box (id integer primary key);
    create table item (id integer primary key, number integer, box_id integer references box (id),
      check (number <> ${rejected} or box_id is null));
    create index item_box on item (box_id);
    create table box_tag (box_id integer references box (id), item_id integer references item (id),
      primary key (box_id, item_id), check (item_id <> ${rejected}));
    create index box_tag_item on box_tag (item_id);
    insert into box values (1), (2);
    with recursive n (id) as (select 1 union all select id + 1 from n where id < ${all})
      insert into item (id, number) select id, id from n`,
}

/** Items by their numbers, without the rejected one. */
const items = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
    .filter((id) => id !== String(rejected))
    .map((id) => ({ type: 'item', id }))

engine('Changes of thousands of members', served, (app) => {
  for (const [relationship, table] of [
    ['items', 'item'],
    ['tags', 'box_tag'],
  ] as const) {
    const path = `/boxes/1/relationships/${relationship}`
    /** Sends a change. @returns the number of statements that wrote */
    const change = async (method: string, data: unknown, status = 200) => {
      const statements = await statementsOf(async () => {
        assert.equal((await app.call(method, path, { body: { data } })).status, status)
      })
      const writes = new RegExp(`^(?:update|insert into|delete from) "${table}"`)
      return statements.filter((sql) => writes.test(sql)).length
    }

    it(`given ${relationship}, then SQLite changes 1,000 at once`, async () => {
      const parts = app.dialect === 'sqlite' ? 3 : 1
      assert.equal(await change('POST', items(1, all)), parts)
      assert.equal(await countMembers(app, path), all - 1)
      assert.equal(await change('DELETE', items(1, 2200)), parts)
      assert.equal(await countMembers(app, path), 299)
      assert.equal(await change('PATCH', items(1, 2300)), 1 + parts)
      assert.equal(await countMembers(app, path), 2300)
      assert.equal(await change('PATCH', items(5, 6)), 2)
      assert.equal(await countMembers(app, path), 2)
    })

    it(`given ${relationship} of which the last part is rejected, then none is changed`, async () => {
      await change('POST', items(1, 3))
      const [first, ...others] = items(1, all)
      const data = [first, ...others, { type: 'item', id: String(rejected) }]
      await change('PATCH', data, 422)
      assert.equal(await countMembers(app, path), 3)
    })
  }
})

const onSqlite = { ...served, only: 'sqlite' } as const

engine('Changes of thousands of members that wait', onSqlite, (app) => {
  // No other process can lock a database in memory.
  if (app.database === 'SQLite in memory') return

  it('given a small write after them, then it is carried out before', async () => {
    const other = new DatabaseSync(app.databaseUrl.replace('sqlite:', ''))
    const carriedOut: string[] = []
    const writes: Promise<unknown>[] = []
    const send = async (name: string, members: readonly unknown[]) => {
      const path = '/boxes/1/relationships/items'
      const response = app.call('PATCH', path, { body: { data: members } })
      writes.push(response.then(({ status }) => carriedOut.push(`${name}: ${status}`)))
      // The next request is sent when this one waits.
      await pause(100)
    }
    other.exec('begin immediate')
    await send('first', [])
    await send('large', items(1, 1001))
    await send('small', items(1, 2))
    other.close()
    await Promise.all(writes)
    assert.deepEqual(carriedOut, ['first: 200', 'small: 200', 'large: 200'])
  })
})

async function countMembers(app: Engine, path: string): Promise<number> {
  const { body } = await app.get(path)
  assert.ok(Array.isArray(body.data))
  return body.data.length
}
