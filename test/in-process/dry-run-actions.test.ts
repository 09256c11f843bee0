import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  action,
  attribute,
  createApi,
  createHandler,
  defineModel,
  resource,
  type Store,
  text,
} from 'lapidary'
import { createClient } from 'lapidary/client'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import type { OpenDatabase } from '../open-database.ts'

/** Whether the hook has run in a dry run, once for each update. */
const seen: boolean[] = []
const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { title: attribute(text) },
  hooks: {
    beforeUpdate: (_stored, _change, { dryRun }) => {
      seen.push(dryRun)
    },
  },
})
const notes = {
  ...note,
  actions: {
    close: action({
      dryRun: true,
      returns: { meta: { title: text } },
      run: async ({ id, tx }) => {
        // A call with a restriction is a part of the dry run, too.
        await tx.update('note', id, { title: 'closed' }, { maxAffected: 1 })
        return { title: 'closed' }
      },
    }),
    open: action({ run: () => {} }),
  },
}
const model = defineModel([notes])

for (const { name, create, columnTypes } of databases)
  describe(`Dry runs of actions · ${name}`, () => {
    let opened: OpenDatabase
    let store: Store
    before(async () => {
      opened = await create()
      store = await openStore(model, opened.url)
      const sql = `create table note (id ${columnTypes.newId}, title text); insert into note (title) values ('new')`
      await store.migrate([{ version: 1, sql }])
    })
    after(async () => {
      await store.close()
      await opened.remove()
    })
    const tried = { dryRun: true, affected: {}, members: {}, result: { title: 'closed' } }

    it('return what they would return, in process', async () => {
      seen.length = 0
      const client = createApi({ model, store }).with()
      const closed = await client.call('note', 'close', { id: '1', dryRun: true })
      assert.deepEqual([closed, seen], [tried, [true]])
      assert.equal((await client.get('note', '1')).title, 'new')
      const refused = { status: 400, code: 'invalid_preference' }
      await assert.rejects(client.call('note', 'open', { id: '1', dryRun: true }), refused)
    })

    it('return what they would return, in the client', async () => {
      seen.length = 0
      const handle = createHandler({ model, store })
      const client = createClient<typeof model>({
        url: 'http://localhost',
        fetch: (url, init) => handle(new Request(url, init)),
      })
      const closed = await client.note.call('close', { id: '1' }, { dryRun: true })
      assert.deepEqual([closed, seen], [tried, [true]])
      assert.equal((await client.note.get('1')).title, 'new')
    })
  })
