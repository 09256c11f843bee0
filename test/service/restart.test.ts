import assert from 'node:assert/strict'
import { it } from 'node:test'
import { chapter } from '../world.ts'
import { behind, isShared } from './beside.ts'
import { enter } from './people.ts'
import { assertStatus } from './told.ts'

chapter('restart', (world) => {
  if (!isShared(world)) {
    it('in memory starts empty', async () => {
      await world.person()
      await world.restart()
      assert.equal((await world.get('/persons')).body.meta?.count, 0)
    })
    return
  }

  it('keeps persons, computers and who owns them', async () => {
    await enter(world)
    const before = [
      await world.get('/persons', { include: 'computers' }),
      await world.get('/computers', { include: 'owner' }),
    ]
    await world.restart()
    const after = [
      await world.get('/persons', { include: 'computers' }),
      await world.get('/computers', { include: 'owner' }),
    ]
    for (const [at, { body }] of before.entries()) {
      assert.deepEqual(after[at]?.body.data, body.data)
      assert.deepEqual(after[at]?.body.included, body.included)
    }
  })

  it('takes tables that stand there already as they are', async () => {
    const { id } = await world.person({ name: 'Ada' })
    await behind(world.databaseUrl, "update person set password = 'kept'")
    await world.restart()
    assertStatus(await world.get(`/persons/${id}`), 200)
    const rows = await behind(world.databaseUrl, 'select password from person')
    assert.deepEqual(rows, [{ password: 'kept' }])
  })

  it('sees at once what others write', async () => {
    const { id } = await world.person({ name: 'Ada' })
    await behind(world.databaseUrl, "update person set name = 'Eve'")
    assert.equal((await world.get(`/persons/${id}`)).one.attributes?.name, 'Eve')
  })

  it('no computer can be stored with an owner who is not there', async () => {
    const sql = "insert into computer (serial, person_id) values ('x', 999999)"
    await assert.rejects(behind(world.databaseUrl, sql), /foreign key/i)
  })

  if (world.database === 'SQLite') {
    it('keeps the database in WAL mode', async () => {
      const mode = await behind(world.databaseUrl, 'pragma journal_mode')
      assert.deepEqual(mode, [{ journal_mode: 'wal' }])
    })
  }
})
