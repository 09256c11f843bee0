import assert from 'node:assert/strict'
import { it } from 'node:test'
import { chapter } from '../world.ts'
import { behind, isOnDisk } from './disk.ts'
import { enter } from './people.ts'
import { assertStatus } from './told.ts'

chapter('SERVICE §1 restart', (world) => {
  if (isOnDisk(world)) {
    it('on disk keeps persons, computers and who owns them', async () => {
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
      behind(world.databaseUrl, (database) => database.exec("update person set password = 'kept'"))
      await world.restart()
      assertStatus(await world.get(`/persons/${id}`), 200)
      const row = behind(world.databaseUrl, (database) =>
        database.prepare('select password from person').get(),
      )
      assert.deepEqual({ ...row }, { password: 'kept' })
    })

    it('keeps the database in WAL mode', () => {
      const mode = behind(world.databaseUrl, (database) =>
        database.prepare('pragma journal_mode').get(),
      )
      assert.deepEqual({ ...mode }, { journal_mode: 'wal' })
    })

    it('sees at once what others write', async () => {
      const { id } = await world.person({ name: 'Ada' })
      behind(world.databaseUrl, (database) => database.exec("update person set name = 'Eve'"))
      assert.equal((await world.get(`/persons/${id}`)).one.attributes?.name, 'Eve')
    })

    it('no computer can be stored with an owner who is not there', async () => {
      const sql = "insert into computer (serial, person_id) values ('x', 999999)"
      assert.throws(
        () => behind(world.databaseUrl, (database) => database.exec(sql)),
        /FOREIGN KEY/,
      )
    })
    return
  }

  if (world.database === 'PostgreSQL') {
    it('serves again what was stored', async () => {
      const ada = await world.person()
      await world.restart()
      assert.equal((await world.get(`/persons/${ada.id}`)).status, 200)
    })
    return
  }

  it('in memory starts empty', async () => {
    await world.person()
    await world.restart()
    assert.equal((await world.get('/persons')).body.meta?.count, 0)
  })
})
