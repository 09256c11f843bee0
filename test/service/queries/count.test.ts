import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Query } from '../../client.ts'
import { describeService, ids, type TestService } from '../../service-suite.ts'
import { executeDirectly, isShared } from '../direct-database.ts'
import { identifier } from '../people.ts'
import { statementsOf } from '../statements.ts'

/** Pages of one resource, whose number follows only from a count statement. */
const one = { 'page[size]': '1' }

async function countOf(app: TestService, path: string, query: Query = {}): Promise<unknown> {
  return (await app.get(path, { ...one, ...query })).body.meta?.count
}

describeService('meta.count is cached on SQLite', (app) => {
  if (app.dialect === 'postgres') return

  /** The number of count statements of a request. */
  const counting = async (path: string, query: Query = {}) => {
    const run = await statementsOf(() => app.get(path, { ...one, ...query }))
    return run.filter((sql) => sql.includes('count(*)')).length
  }

  it('while nothing is written, for any fields and any order', async () => {
    for (let each = 0; each < 3; each++) await app.person({ name: 'Ada' })
    const ada = { 'filter[name]': 'Ada' }
    const counted = [
      await counting('/persons'),
      await counting('/persons', { 'page[number]': '2', sort: '-name' }),
      await counting('/persons', { include: 'computers', 'fields[person]': 'computers' }),
      await counting('/persons', ada),
      await counting('/persons', { ...ada, 'page[number]': '3' }),
    ]
    assert.deepEqual(counted, [1, 0, 0, 1, 0])
    await app.computer()
    assert.equal(await counting('/persons'), 1)
  })

  it('separately for each value of a filter', async () => {
    const { id } = await app.person({ name: '1' })
    for (const name of ['1', '1', '1', '2'])
      await app.computer({ serial: name }, { type: 'person', id })
    const { id: other } = await app.person({ name: '2' })
    for (let round = 0; round < 2; round++) {
      assert.equal(await countOf(app, '/computers', { 'filter[serial]': '1' }), 3)
      assert.equal(await countOf(app, '/computers', { 'filter[serial]': '2' }), 1)
      assert.equal(await countOf(app, `/persons/${id}/computers`), 4)
      assert.equal(await countOf(app, `/persons/${other}/computers`), 0)
    }
  })
})

describeService('meta.count is exact', (app) => {
  it('after every write', async () => {
    assert.equal(await countOf(app, '/persons'), 0)
    const ada = await app.person()
    assert.equal(await countOf(app, '/persons'), 1)
    const grace = await app.person()
    assert.equal(await countOf(app, '/persons'), 2)
    const owned = { filter: [{ name: 'owner__id', op: 'eq', val: ada.id }] }
    const machines = [await app.computer({}, ada), await app.computer({}, ada)]
    assert.equal(await countOf(app, '/computers', owned), 2)
    await app.patch(`/persons/${grace.id}/relationships/computers`, {
      data: machines.slice(1).map(identifier),
    })
    assert.equal(await countOf(app, '/computers', owned), 1)
    await app.delete(`/persons/${ada.id}`)
    assert.equal(await countOf(app, '/persons'), 1)
    assert.equal(await countOf(app, '/computers', owned), 0)
  })

  it('after a write that was rolled back', async () => {
    for (const _ of [1, 2]) await app.person()
    assert.equal(await countOf(app, '/persons'), 2)
    const computers = { data: [{ type: 'computer', id: '404' }] }
    const data = { type: 'person', attributes: { name: 'x' }, relationships: { computers } }
    assert.equal((await app.post('/persons', { data })).status, 404)
    assert.equal(await countOf(app, '/persons'), 2)
    await app.person()
    assert.equal(await countOf(app, '/persons'), 3)
  })

  it('after writes of other connections', async () => {
    if (!isShared(app)) return
    for (const name of ['a', 'b', 'c']) await app.person({ name })
    assert.equal(await countOf(app, '/persons'), 3)
    await executeDirectly(app.databaseUrl, `insert into person (name) values ('d')`)
    assert.equal(await countOf(app, '/persons', { 'page[number]': '2' }), 4)
    await executeDirectly(app.databaseUrl, 'begin', 'delete from person', 'rollback')
    assert.equal(await countOf(app, '/persons'), 4)
    await executeDirectly(app.databaseUrl, `delete from person where name = 'a'`)
    assert.equal(await countOf(app, '/persons', { 'page[number]': '3' }), 3)
  })
})

describeService('Pages that are read from the start and from the end are the same', (app) => {
  for (const sort of ['id', '-id', 'birth_date', '-birth_date,name', 'gender,-name', '-gender'])
    it(`in every order, with nulls and equal values: ${sort}`, async () => {
      const days = ['2000-01-01', null, '1999-12-31', null, '2000-01-01']
      for (let each = 0; each < 23; each++)
        await app.person({ name: `n${each % 3}`, birth_date: days[each % 5], gender: null })

      const all = ids(await app.get('/persons', { sort, 'page[size]': '0' }))
      for (const size of [1, 4, 11, 12, 22]) {
        for (let number = 1; (number - 2) * size <= all.length; number++) {
          const page = { 'page[size]': String(size), 'page[number]': String(number) }
          const response = await app.get('/persons', { sort, ...page })
          assert.deepEqual(
            ids(response),
            all.slice((number - 1) * size, number * size),
            `${sort} ${number}`,
          )
          assert.equal(response.body.meta?.count, 23)
        }
      }
    })

  for (const [path, sort] of [
    ['/computers', 'owner.name'],
    ['/computers', '-owner.name,-serial'],
    ['/persons/1/computers', '-serial'],
    ['/persons/1/relationships/computers', 'serial'],
  ] as const)
    it(`through relationships, and of a related list: ${path}?sort=${sort}`, async () => {
      const owners = [await app.person({ name: 'a' }), await app.person({ name: 'b' }), null]
      for (let each = 0; each < 9; each++) await app.computer({}, owners[each % 3] ?? null)

      const all = ids(await app.get(path, { sort, 'page[size]': '0' }))
      const pages: string[] = []
      for (let number = 1; number <= 5; number++) {
        const page = { 'page[size]': '2', 'page[number]': String(number) }
        pages.push(...ids(await app.get(path, { sort, ...page })))
      }
      assert.deepEqual(pages, all)
    })
})
