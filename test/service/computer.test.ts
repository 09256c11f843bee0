import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from '../service-suite.ts'
import { assertErrors, assertStatus } from './assert-errors.ts'
import { executeDirectly, isShared } from './direct-database.ts'
import { count, linked } from './people.ts'

const computer = (attributes: Record<string, unknown>) => ({
  data: { type: 'computer', attributes },
})

describeService('Computers', (app) => {
  it('have a serial and links to the owner', async () => {
    const machine = await app.computer({ serial: 'ENIAC' })
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
    assert.deepEqual((await app.get(`/computers/${machine.id}`)).one, machine)
  })

  it('require a text as serial', async () => {
    const missing = { status: 422, at: /^\/data(\/attributes(\/serial)?)?$/, says: 'serial' }
    assertErrors(await app.post('/computers', computer({})), 422, missing)
    assertErrors(await app.post('/computers', { data: { type: 'computer' } }), 422, missing)
    for (const serial of [null, 5, true, [], {}, '\u0000']) {
      const expectedError = { status: 422, at: '/data/attributes/serial', says: 'serial' }
      assertErrors(await app.post('/computers', computer({ serial })), 422, expectedError)
    }
    assert.equal(await count(app, '/computers'), 0)
    assertStatus(await app.post('/computers', computer({ serial: '' })), 201)
  })

  it('have one owner or none', async () => {
    const ada = await app.person()
    const hers = await app.computer({}, ada)
    const orphan = await app.computer({}, null)
    const read = async (id: string) =>
      linked((await app.get(`/computers/${id}`, { include: 'owner' })).one, 'owner')
    assert.deepEqual(await read(hers.id), { type: 'person', id: ada.id })
    assert.equal(await read(orphan.id), null)
  })
})

describeService('Tables of the service', (app) => {
  if (!isShared(app)) return

  it('have the names of docs/service.md', async () => {
    const columns: string[][] = []
    await app.person()
    await app.computer()
    for (const table of ['person', 'computer']) {
      const [row = {}] = await executeDirectly(app.databaseUrl, `select * from ${table}`)
      columns.push(Object.keys(row))
    }
    assert.deepEqual(columns, [
      ['id', 'name', 'email', 'birth_date', 'gender', 'password'],
      ['id', 'serial', 'person_id'],
    ])
  })

  it('have the owner of a computer in person_id', async () => {
    const ada = await app.person()
    const { id } = await app.computer({}, ada)
    const sql = `select cast(person_id as text) as owner from computer where id = ${id}`
    assert.deepEqual(await executeDirectly(app.databaseUrl, sql), [{ owner: ada.id }])
  })

  it('have a password that no response contains', async () => {
    const { id } = await app.person({ name: 'Ada' })
    await app.computer({}, { type: 'person', id })
    await executeDirectly(app.databaseUrl, "update person set password = 'hunter2'")
    const answers = [
      await app.get('/persons'),
      await app.get(`/persons/${id}`),
      await app.get('/computers', { include: 'owner' }),
      await app.patch(`/persons/${id}`, { data: { type: 'person', id } }),
    ]
    for (const response of answers) {
      assertStatus(response, 200)
      assert.ok(!/password|hunter2/.test(response.text), response.text)
    }
  })

  it('given a change of a person, then the stored password stays', async () => {
    const { id } = await app.person({ name: 'Ada' })
    await executeDirectly(app.databaseUrl, "update person set password = 'hunter2'")
    const attributes = { name: 'Eve', email: null, birth_date: null, gender: null }
    assertStatus(
      await app.patch(`/persons/${id}`, { data: { type: 'person', id, attributes } }),
      200,
    )
    const rows = await executeDirectly(app.databaseUrl, 'select name, password from person')
    assert.deepEqual(rows, [{ name: 'Eve', password: 'hunter2' }])
  })
})
