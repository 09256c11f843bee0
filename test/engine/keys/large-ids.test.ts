import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, boolean, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const tree = resource('tree', {
  path: '/trees',
  table: 'tree',
  id: { client: 'optional' },
  fields: {
    name: attribute(text),
    stands: attribute(boolean),
    parent: toOne('tree', { column: 'parent_id' }),
    children: toMany('tree', { column: 'parent_id' }),
  },
})

/** The smallest whole number that no double distinguishes from its neighbour, and the largest that a database keeps. */
const [first, last] = ['9007199254740993', '9223372036854775807']

const served = {
  model: defineModel([tree], { maxPageSize: null }),
  tables: ({ newId, boolean }: ColumnTypes) => `
    create table tree (id ${newId}, name text, stands ${boolean}, parent_id bigint references tree (id))`,
}

const byNumber = (one: string, other: string) => (BigInt(one) < BigInt(other) ? -1 : 1)

engine('Ids beyond 2^53', served, (app) => {
  const fill = async (small: number) => {
    const rows = Array.from(
      { length: small },
      (_, at) => `(${at + 1}, 'small', ${isTrue(at)}, null)`,
    )
    const large = [
      `(${first}, 'first', ${isTrue(1)}, 1)`,
      `(${last}, 'last', ${isTrue(0)}, ${first})`,
    ]
    await app.execute(
      `insert into tree (id, name, stands, parent_id) values ${[...rows, ...large].join(', ')}`,
    )
  }
  const isTrue = (at: number) => {
    const is = at % 2 === 0
    return app.dialect === 'sqlite' ? Number(is) : is
  }

  it('are returned with all digits in lists that also have small ids, in linkage and in included resources', async () => {
    await fill(3)
    for (const _ of ['the first time', 'again']) {
      const all = await app.get('/trees', { include: 'parent,children' })
      assert.deepEqual(ids(all), ['1', '2', '3', first, last])
      assert.deepEqual(
        all.many.map(({ attributes }) => attributes?.stands),
        [true, false, true, false, true],
      )
      const linked = all.many.map(({ relationships: { parent, children } = {} }) => [parent?.data, children?.data]) // biome-ignore format: a row
      const to = (id: string) => ({ type: 'tree', id })
      assert.deepEqual(linked, [
        [null, [to(first)]],
        [null, []],
        [null, []],
        [to('1'), [to(last)]],
        [to(first), []],
      ])
      assert.deepEqual(all.body.included, [])
    }
    const one = await app.get(`/trees/${last}`, { include: 'parent.parent' })
    assert.deepEqual(one.body.included?.map(({ id }) => id), [first, '1']) // biome-ignore format: ids
  })

  it('are returned with all digits at the end of a streamed list', async () => {
    await fill(700)
    for (const _ of ['the first time', 'again']) {
      const all = await app.get('/trees', { 'page[size]': '0', include: 'parent' })
      assert.equal(all.many.length, 702)
      assert.deepEqual(new Set(ids(all)).size, 702)
      assert.deepEqual(ids(all).slice(-2), [first, last])
      assert.deepEqual(all.many.at(-2)?.attributes?.stands, false)
      assert.deepEqual(all.many.at(-1)?.relationships?.parent?.data, { type: 'tree', id: first })
    }
  })

  it('are linked', async () => {
    await fill(1)
    const data = { type: 'tree', id: last }
    await app.patch('/trees/1/relationships/parent', { data })
    assert.equal((await app.get('/trees/1/parent')).one.id, last)
    await app.post(`/trees/${first}/relationships/children`, {
      data: [{ type: 'tree', id: '1' }],
    })
    assert.deepEqual(ids(await app.get(`/trees/${first}/children`)), ['1', last])
  })
})

const branch = resource('branch', {
  path: '/branches',
  table: 'branch',
  fields: { leaves: toMany('leaf', { column: 'branch_id' }) },
})
const leaf = resource('leaf', {
  path: '/leaves',
  table: 'leaf',
  fields: { branch: toOne('branch', { column: 'branch_id' }) },
})
const grown = {
  model: defineModel([branch, leaf]),
  tables: ({ newId }: ColumnTypes) => `
    create table branch (id ${newId});
    create table leaf (id ${newId}, branch_id bigint references branch (id));
    create index leaf_branch on leaf (branch_id);
    insert into branch (id) values (1), (2)`,
}

engine('Included ids of any size', grown, (app) => {
  // On SQLite, the included rows of a list are sorted in three ways: with n rows, ids up to about 2^32 / n and 2^53 / n are
  // packed with their positions, and larger ones are compared.
  const powers = [28n, 29n, 30n, 31n, 49n, 50n, 51n, 52n].map((bits) => 2n ** bits)
  const leaves = [...powers.flatMap((id) => [id - 1n, id]).map(String), first, '-7', last]

  it('are in order, whichever of two resources they belong to', async () => {
    const expected: string[] = []
    for (const [at, id] of leaves.entries()) {
      await app.execute(`insert into leaf (id, branch_id) values (${id}, ${2 - (at % 2)})`)
      expected.push(id)
      const { body } = await app.get('/branches', { include: 'leaves' })
      assert.deepEqual(body.included?.map((each) => each.id), expected.toSorted(byNumber)) // biome-ignore format: ids
    }
  })
})
