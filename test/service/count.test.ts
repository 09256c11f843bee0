import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Query } from '../client.ts'
import { chapter, ids, type World } from '../world.ts'
import { behind, isShared } from './beside.ts'
import { identifier } from './people.ts'
import { statementsOf } from './statements.ts'

/** What is counted by pages of one, which never say themselves how many there are. */
const one = { 'page[size]': '1' }

async function countOf(world: World, path: string, query: Query = {}): Promise<unknown> {
  return (await world.get(path, { ...one, ...query })).body.meta?.count
}

chapter('meta.count is remembered on SQLite', (world) => {
  if (world.database === 'PostgreSQL') return

  /** How many statements count for a request. */
  const counting = async (path: string, query: Query = {}) => {
    const run = await statementsOf(() => world.get(path, { ...one, ...query }))
    return run.filter((sql) => sql.includes('count(*)')).length
  }

  it('for as long as nothing changes, whatever is shown and in which order', async () => {
    for (let each = 0; each < 3; each++) await world.person({ name: 'Ada' })
    const ada = { 'filter[name]': 'Ada' }
    const counted = [
      await counting('/persons'),
      await counting('/persons', { 'page[number]': '2', sort: '-name' }),
      await counting('/persons', { include: 'computers', 'fields[person]': 'computers' }),
      await counting('/persons', ada),
      await counting('/persons', { ...ada, 'page[number]': '3' }),
    ]
    assert.deepEqual(counted, [1, 0, 0, 1, 0])
    await world.computer()
    assert.equal(await counting('/persons'), 1)
  })

  it('for the values that were counted, and for no others', async () => {
    const { id } = await world.person({ name: '1' })
    for (const name of ['1', '1', '1', '2'])
      await world.computer({ serial: name }, { type: 'person', id })
    const { id: other } = await world.person({ name: '2' })
    for (let round = 0; round < 2; round++) {
      assert.equal(await countOf(world, '/computers', { 'filter[serial]': '1' }), 3)
      assert.equal(await countOf(world, '/computers', { 'filter[serial]': '2' }), 1)
      assert.equal(await countOf(world, `/persons/${id}/computers`), 4)
      assert.equal(await countOf(world, `/persons/${other}/computers`), 0)
    }
  })
})

chapter('meta.count is exact', (world) => {
  it('after every write', async () => {
    assert.equal(await countOf(world, '/persons'), 0)
    const ada = await world.person()
    assert.equal(await countOf(world, '/persons'), 1)
    const grace = await world.person()
    assert.equal(await countOf(world, '/persons'), 2)
    const owned = { filter: [{ name: 'owner__id', op: 'eq', val: ada.id }] }
    const machines = [await world.computer({}, ada), await world.computer({}, ada)]
    assert.equal(await countOf(world, '/computers', owned), 2)
    await world.patch(`/persons/${grace.id}/relationships/computers`, {
      data: machines.slice(1).map(identifier),
    })
    assert.equal(await countOf(world, '/computers', owned), 1)
    await world.delete(`/persons/${ada.id}`)
    assert.equal(await countOf(world, '/persons'), 1)
    assert.equal(await countOf(world, '/computers', owned), 0)
  })

  it('after a write that was undone', async () => {
    for (const _ of [1, 2]) await world.person()
    assert.equal(await countOf(world, '/persons'), 2)
    const computers = { data: [{ type: 'computer', id: '404' }] }
    const data = { type: 'person', attributes: { name: 'x' }, relationships: { computers } }
    assert.equal((await world.post('/persons', { data })).status, 404)
    assert.equal(await countOf(world, '/persons'), 2)
    await world.person()
    assert.equal(await countOf(world, '/persons'), 3)
  })

  it('after others have written', async () => {
    if (!isShared(world)) return
    for (const name of ['a', 'b', 'c']) await world.person({ name })
    assert.equal(await countOf(world, '/persons'), 3)
    await behind(world.databaseUrl, `insert into person (name) values ('d')`)
    assert.equal(await countOf(world, '/persons', { 'page[number]': '2' }), 4)
    await behind(world.databaseUrl, 'begin', 'delete from person', 'rollback')
    assert.equal(await countOf(world, '/persons'), 4)
    await behind(world.databaseUrl, `delete from person where name = 'a'`)
    assert.equal(await countOf(world, '/persons', { 'page[number]': '3' }), 3)
  })
})

chapter('pages are the same from either end', (world) => {
  it('in every order, with nulls and with equals', async () => {
    const days = ['2000-01-01', null, '1999-12-31', null, '2000-01-01']
    for (let each = 0; each < 23; each++)
      await world.person({ name: `n${each % 3}`, birth_date: days[each % 5], gender: null })
    for (const sort of ['id', '-id', 'birth_date', '-birth_date,name', 'gender,-name', '-gender']) {
      const all = ids(await world.get('/persons', { sort, 'page[size]': '0' }))
      for (const size of [1, 4, 11, 12, 22]) {
        for (let number = 1; (number - 2) * size <= all.length; number++) {
          const page = { 'page[size]': String(size), 'page[number]': String(number) }
          const answer = await world.get('/persons', { sort, ...page })
          assert.deepEqual(
            ids(answer),
            all.slice((number - 1) * size, number * size),
            `${sort} ${number}`,
          )
          assert.equal(answer.body.meta?.count, 23)
        }
      }
    }
  })

  it('through relationships, and of a related list', async () => {
    const owners = [await world.person({ name: 'a' }), await world.person({ name: 'b' }), null]
    for (let each = 0; each < 9; each++) await world.computer({}, owners[each % 3] ?? null)
    for (const [path, sort] of [
      ['/computers', 'owner.name'],
      ['/computers', '-owner.name,-serial'],
      [`/persons/${owners[0]?.id}/computers`, '-serial'],
      [`/persons/${owners[0]?.id}/relationships/computers`, 'serial'],
    ] as const) {
      const all = ids(await world.get(path, { sort, 'page[size]': '0' }))
      const pages: string[] = []
      for (let number = 1; number <= 5; number++) {
        const page = { 'page[size]': '2', 'page[number]': String(number) }
        pages.push(...ids(await world.get(path, { sort, ...page })))
      }
      assert.deepEqual(pages, all)
    }
  })
})
