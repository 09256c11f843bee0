import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createApi } from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import { engine, openStore } from '../engine/engine.ts'
import { longOnOthers } from '../long-tests.ts'
import { shopModel, shopTables } from './shop.ts'

const rows = 10_000
/** The length of a text in each row. */
const longText = 1000
const tables = (types: ColumnTypes) => `${shopTables(types)}
  insert into item (name, stock, changed_by)
    with recursive n (i) as (select 4 union all select i + 1 from n where i < ${rows})
    select 'item ' || i, i, '${'x'.repeat(longText)}' from n`

engine('Reading each resource in process', { model: shopModel, tables }, (engine) => {
  const open = async () => {
    const store = await openStore(shopModel, engine.databaseUrl, { poolSize: 4 })
    return { store, client: createApi({ model: shopModel, store }).with() }
  }

  it('returns all resources in order, beyond the maximum page size', async () => {
    const { store, client } = await open()
    const ids: string[] = []
    for await (const { id } of client.each('item', { sort: ['-id'] })) ids.push(id)
    assert.deepEqual(
      ids,
      Array.from({ length: rows }, (_, at) => String(rows - at)),
    )
    await store.close()
  })

  it('returns the fields and the rows that its query selects', async () => {
    const { store, client } = await open()
    const filter = [{ name: 'stock', op: 'between', val: [700, 701] }] as const
    const found: unknown[] = []
    for await (const item of client.each('item', { filter, fields: { item: ['name'] } }))
      found.push(item)
    assert.deepEqual(found, [
      { type: 'item', id: '700', name: 'item 700' },
      { type: 'item', id: '701', name: 'item 701' },
    ])
    await store.close()
  })

  it('sees one snapshot while others write', async () => {
    const { store, client } = await open()
    let count = 0
    for await (const item of client.each('item', { sort: ['id'] })) {
      if (count === 0) {
        await client.remove('item', '3')
        await client.create('item', { name: 'late' })
      }
      assert.notEqual(item.name, 'late')
      count += 1
    }
    assert.equal(count, rows)
    await store.close()
  })

  it('releases its connection when the loop ends early', async () => {
    const { store, client } = await open()
    for (let round = 0; round < 10; round += 1)
      for await (const { id } of client.each('item')) if (id !== '') break
    assert.equal((await client.get('item', '1')).name, 'engine')
    await store.close()
  })

  it('holds a bounded part of the list in memory', longOnOthers(engine.dialect), async () => {
    const { store, client } = await open()
    const before = usedMemory()
    let count = 0
    let most = 0
    for await (const { changed_by } of client.each('item', { fields: { item: ['changed_by'] } })) {
      count += changed_by?.length ?? 0
      if (count % (2000 * longText) === 0) most = Math.max(most, usedMemory() - before)
    }
    assert.equal(count, (rows - 3) * longText)
    assert.ok(most < count / 4, `${most} bytes of ${count}`)
    await store.close()
  })
})

/** Returns the memory that JavaScript uses after a garbage collection, in bytes. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
