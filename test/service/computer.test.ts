import assert from 'node:assert/strict'
import { it } from 'node:test'
import { chapter } from '../world.ts'
import { behind, isShared } from './beside.ts'
import { count, linked } from './people.ts'
import { assertRefused, assertStatus } from './told.ts'

const computer = (attributes: Record<string, unknown>) => ({
  data: { type: 'computer', attributes },
})

chapter('computer', (world) => {
  it('shows its serial and links to its owner', async () => {
    const machine = await world.computer({ serial: 'ENIAC' })
    assert.equal(machine.type, 'computer')
    assert.deepEqual(machine.attributes, { serial: 'ENIAC' })
    assert.deepEqual(machine.relationships, {
      owner: {
        links: {
          self: `/computers/${machine.id}/relationships/owner`,
          related: `/computers/${machine.id}/owner`,
        },
      },
    })
    assert.deepEqual(machine.links, { self: `/computers/${machine.id}` })
    assert.deepEqual((await world.get(`/computers/${machine.id}`)).one, machine)
  })

  it('requires a serial, a text', async () => {
    const missing = { status: 422, at: /^\/data(\/attributes(\/serial)?)?$/, says: 'serial' }
    assertRefused(await world.post('/computers', computer({})), 422, missing)
    assertRefused(await world.post('/computers', { data: { type: 'computer' } }), 422, missing)
    for (const serial of [null, 5, true, [], {}, '\u0000']) {
      const told = { status: 422, at: '/data/attributes/serial', says: 'serial' }
      assertRefused(await world.post('/computers', computer({ serial })), 422, told)
    }
    assert.equal(await count(world, '/computers'), 0)
    assertStatus(await world.post('/computers', computer({ serial: '' })), 201)
  })

  it('has one owner or none', async () => {
    const ada = await world.person()
    const hers = await world.computer({}, ada)
    const orphan = await world.computer({}, null)
    const read = async (id: string) =>
      linked((await world.get(`/computers/${id}`, { include: 'owner' })).one, 'owner')
    assert.deepEqual(await read(hers.id), { type: 'person', id: ada.id })
    assert.equal(await read(orphan.id), null)
  })
})

chapter('tables', (world) => {
  if (!isShared(world)) return

  it('keeps persons and computers in the tables the document names', async () => {
    const columns: string[][] = []
    await world.person()
    await world.computer()
    for (const table of ['person', 'computer']) {
      const [row = {}] = await behind(world.databaseUrl, `select * from ${table}`)
      columns.push(Object.keys(row))
    }
    assert.deepEqual(columns, [
      ['id', 'name', 'email', 'birth_date', 'gender', 'password'],
      ['id', 'serial', 'person_id'],
    ])
  })

  it('stores the owner of a computer as person_id', async () => {
    const ada = await world.person()
    const { id } = await world.computer({}, ada)
    const sql = `select cast(person_id as text) as owner from computer where id = ${id}`
    assert.deepEqual(await behind(world.databaseUrl, sql), [{ owner: ada.id }])
  })

  it('never shows the stored password', async () => {
    const { id } = await world.person({ name: 'Ada' })
    await world.computer({}, { type: 'person', id })
    await behind(world.databaseUrl, "update person set password = 'hunter2'")
    const answers = [
      await world.get('/persons'),
      await world.get(`/persons/${id}`),
      await world.get('/computers', { include: 'owner' }),
      await world.patch(`/persons/${id}`, { data: { type: 'person', id } }),
    ]
    for (const answer of answers) {
      assertStatus(answer, 200)
      assert.ok(!/password|hunter2/.test(answer.text), answer.text)
    }
  })

  it('leaves the stored password alone when the person is changed', async () => {
    const { id } = await world.person({ name: 'Ada' })
    await behind(world.databaseUrl, "update person set password = 'hunter2'")
    const attributes = { name: 'Eve', email: null, birth_date: null, gender: null }
    assertStatus(
      await world.patch(`/persons/${id}`, { data: { type: 'person', id, attributes } }),
      200,
    )
    const rows = await behind(world.databaseUrl, 'select name, password from person')
    assert.deepEqual(rows, [{ name: 'Eve', password: 'hunter2' }])
  })
})
