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
    list: action({
      ...{ on: 'collection', dryRun: true },
      returns: { resources: 'note' },
      run: async ({ tx }) => (await tx.list('note')).data.map(({ id }) => String(id)),
    }),
  },
}
const model = defineModel([notes], { atomic: { actions: true } })

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

    const openClient = () => {
      const handle = createHandler({ model, store })
      return createClient<typeof model>({
        url: 'http://localhost',
        fetch: (url, init) => handle(new Request(url, init)),
      })
    }
    type Atomic = ReturnType<typeof openClient>['atomic']
    const clients: readonly (readonly [name: string, open: () => Atomic])[] = [
      ['in process', () => createApi({ model, store }).with().atomic as Atomic],
      ['in the client', () => openClient().atomic],
    ]
    for (const [where, open] of clients)
      it(`return lists without the id of a resource that their batch would create, ${where}`, async () => {
        const tried = await open()(
          (batch) => {
            batch.create('note', { title: 'tried' })
            return batch.call('note', 'list', {})
          },
          { dryRun: true },
        )
        const { data } = tried.result
        assert.deepEqual(
          data.map(({ id, title }) => [id, title]),
          [
            ['1', 'new'],
            [undefined, 'tried'],
          ],
        )
      })

    it('return what they would return, in the client', async () => {
      seen.length = 0
      const client = openClient()
      const closed = await client.note.call('close', { id: '1' }, { dryRun: true })
      assert.deepEqual([closed, seen], [tried, [true]])
      assert.equal((await client.note.get('1')).title, 'new')
    })
  })
