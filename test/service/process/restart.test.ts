import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from '../../service-suite.ts'
import { assertStatus } from '../assert-errors.ts'
import { executeDirectly, isShared } from '../direct-database.ts'
import { enter } from '../people.ts'

describeService('A restart', (app) => {
  if (!isShared(app)) {
    it('of a database in memory starts without rows', async () => {
      await app.person()
      await app.restart()
      assert.equal((await app.get('/persons')).body.meta?.count, 0)
    })
    return
  }

  it('keeps persons, computers and their owners', async () => {
    await enter(app)
    const before = [
      await app.get('/persons', { include: 'computers' }),
      await app.get('/computers', { include: 'owner' }),
    ]
    await app.restart()
    const after = [
      await app.get('/persons', { include: 'computers' }),
      await app.get('/computers', { include: 'owner' }),
    ]
    for (const [at, { body }] of before.entries()) {
      assert.deepEqual(after[at]?.body.data, body.data)
      assert.deepEqual(after[at]?.body.included, body.included)
    }
  })

  it('does not change existing tables', async () => {
    const { id } = await app.person({ name: 'Ada' })
    await executeDirectly(app.databaseUrl, "update person set password = 'kept'")
    await app.restart()
    assertStatus(await app.get(`/persons/${id}`), 200)
    const rows = await executeDirectly(app.databaseUrl, 'select password from person')
    assert.deepEqual(rows, [{ password: 'kept' }])
  })

  it('given a write of another connection, then the next read returns it', async () => {
    const { id } = await app.person({ name: 'Ada' })
    await executeDirectly(app.databaseUrl, "update person set name = 'Eve'")
    assert.equal((await app.get(`/persons/${id}`)).one.attributes?.name, 'Eve')
  })

  it('rejects a computer with an owner that does not exist', async () => {
    const sql = "insert into computer (serial, person_id) values ('x', 999999)"
    await assert.rejects(executeDirectly(app.databaseUrl, sql), /foreign key/i)
  })

  if (app.database === 'SQLite') {
    it('keeps the database in WAL mode', async () => {
      const mode = await executeDirectly(app.databaseUrl, 'pragma journal_mode')
      assert.deepEqual(mode, [{ journal_mode: 'wal' }])
    })
  }
})
