import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService, ids } from '../service-suite.ts'
import { assertStatus } from './assert-errors.ts'
import { executeDirectly, isShared } from './direct-database.ts'
import { count, identifier, included, linked } from './people.ts'

describeService('Deletions', (app) => {
  it('keep the computers of a deleted person, without an owner', async () => {
    const ada = await app.person()
    const eve = await app.person()
    const hers = await app.computer({}, ada)
    const other = await app.computer({}, eve)
    assertStatus(await app.delete(`/persons/${ada.id}`), 200)
    const computers = await app.get('/computers', { include: 'owner' })
    assert.deepEqual(ids(computers), [hers.id, other.id])
    assert.deepEqual(
      computers.many.map((each) => linked(each, 'owner')),
      [null, identifier(eve)],
    )
  })

  it('keep the owner of a deleted computer', async () => {
    const ada = await app.person()
    const hers = await app.computer({}, ada)
    assertStatus(await app.delete(`/computers/${hers.id}`), 200)
    assert.equal(await count(app, `/persons/${ada.id}/computers`), 0)
  })
})

describeService('Ids', (app) => {
  it('are not reused', async () => {
    const given = new Set<string>()
    for (let round = 0; round < 4; round++) {
      const { id } = await app.person()
      const machine = await app.computer()
      assert.ok(!given.has(`person ${id}`) && !given.has(`computer ${machine.id}`))
      given.add(`person ${id}`).add(`computer ${machine.id}`)
      await app.delete(`/persons/${id}`)
      await app.delete(`/computers/${machine.id}`)
    }
  })

  it('increase, also after a rejected request', async () => {
    const first = await app.person()
    await app.post('/persons', { data: { type: 'person', attributes: { quux: 1 } } })
    const second = await app.person()
    assert.ok(BigInt(second.id) > BigInt(first.id))
  })

  if (!isShared(app)) return

  it('are not reused after a restart', async () => {
    const { id } = await app.person()
    await app.delete(`/persons/${id}`)
    await app.restart()
    assert.ok(BigInt((await app.person()).id) > BigInt(id))
  })

  /** Neighbours that a double cannot distinguish, up to 2^63−1. */
  const wide = [
    '9007199254740992',
    '9007199254740993',
    '9223372036854775806',
    '9223372036854775807',
  ]

  const insertWide = () =>
    executeDirectly(
      app.databaseUrl,
      ...wide.flatMap((id) => [
        `insert into person (id, name) values (${id}, '${id}')`,
        `insert into computer (id, serial, person_id) values (${id}, '${id}', ${id})`,
      ]),
    )

  it('returns ids exactly up to 2^63−1', async () => {
    await insertWide()
    const persons = await app.get('/persons', { include: 'computers' })
    assert.deepEqual(ids(persons), wide)
    assert.deepEqual(
      persons.many.map((person) => linked(person, 'computers')),
      wide.map((id) => [{ type: 'computer', id }]),
    )
    assert.deepEqual(
      included(persons),
      wide.map((id) => `computer ${id}`),
    )
    const backwards = await app.get('/persons', { sort: '-id' })
    assert.deepEqual(ids(backwards), wide.toReversed())
  })

  it('finds each by its path, its relationships and its links', async () => {
    await insertWide()
    for (const id of wide) {
      const person = await app.get(`/persons/${id}`)
      assert.equal(person.one.attributes?.name, id)
      assert.equal(person.one.links?.self, `/persons/${id}`)
      assert.deepEqual(ids(await app.get(`/persons/${id}/computers`)), [id])
      assert.equal((await app.get(`/computers/${id}/owner`)).one.id, id)
      const linkage = await app.get(`/computers/${id}/relationships/owner`)
      assert.deepEqual(linkage.body.data, { type: 'person', id })
    }
  })

  it('filters by ids exactly', async () => {
    await insertWide()
    for (const id of wide) {
      assert.deepEqual(ids(await app.get('/persons', { 'filter[id]': id })), [id])
      assert.deepEqual(ids(await app.get('/computers', { 'filter[owner__id]': id })), [id])
      const filter = [{ name: 'id', op: 'in_', val: [id] }]
      assert.deepEqual(ids(await app.get('/persons', { filter })), [id])
    }
  })

  it('writes ids exactly', async () => {
    await insertWide()
    const machine = await app.get('/computers/9007199254740992')
    for (const id of wide) {
      const owner = { data: { type: 'person', id } }
      const { self } = machine.one.relationships?.owner?.links ?? {}
      assertStatus(await app.patch(self ?? '', owner), 200)
      assert.equal((await app.get('/computers/9007199254740992/owner')).one.id, id)
    }
    assertStatus(await app.delete('/persons/9007199254740993'), 200)
    assertStatus(await app.get('/persons/9007199254740992'), 200)
  })
})
