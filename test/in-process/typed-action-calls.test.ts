import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  createApi,
  declare,
  integer,
  nullable,
  type TypedActionCalls,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import { engine, openStore } from '../engine/engine.ts'

interface User {
  readonly name: string
}

const { resource, defineModel } = declare<{ auth: User }>()

const issues = resource('issues', {
  path: '/issues',
  table: 'issue',
  fields: {
    title: attribute(text, { required: true }),
    status: attribute(text, { access: 'read-only' }),
    comments: toMany('comments', { column: 'issue_id' }),
  },
})
const comments = resource('comments', {
  path: '/comments',
  table: 'comment',
  fields: {
    body: attribute(text, { required: true }),
    votes: attribute(integer),
    issue: toOne('issues', { column: 'issue_id' }),
  },
})

const { action } = declare<{
  auth: User
  tx: TypedActionCalls<[typeof issues, typeof comments]>
}>()

const close = action({
  parameters: { comment: nullable(text) },
  returns: { resource: 'issues' },
  async run({ id, auth, parameters: { comment }, tx }) {
    // @ts-expect-error status is read-only for the writes of clients
    await assert.rejects(tx.update('issues', id, { status: 'closed' }))
    const { status } = await tx.asServer().update('issues', id, { status: 'closed' })
    assert.equal(status satisfies string | null, 'closed')
    if (comment === null) return id
    const { votes } = await tx.create('comments', { body: comment, votes: 1, issue: id })
    assert.equal(votes satisfies number | null, 1)
    // @ts-expect-error there is no such type
    void (() => tx.get('comment', id))
    // @ts-expect-error there is no such field
    void (() => tx.create('comments', { text: '' }))
    // @ts-expect-error votes are numbers
    void (() => tx.list('comments', { filter: { votes: 'many' } }))
    const { data } = await tx.list('issues', {
      filter: { title: auth.name },
      include: ['comments'],
    })
    assert.equal(data[0]?.comments[0]?.body satisfies string | undefined, comment)
    return id
  },
})

const model = defineModel([{ ...issues, actions: { close } }, comments])

const served = {
  isLongOnOthers: true,
  model,
  server: { authenticate: (): User => ({ name: 'Ada' }) },
  tables: ({ newId }: ColumnTypes) => `
    create table issue (id ${newId}, title text not null, status text default 'open');
    create table comment (id ${newId}, body text not null, votes integer, issue_id integer references issue (id))`,
}

engine('Typed calls in actions', served, (on) => {
  it('given declarations without their actions, then tx of an action has their types', async () => {
    const store = await openStore(model, on.databaseUrl)
    const client = createApi({ model, store }).with({ auth: { name: 'Ada' } })
    const { id } = await client.create('issues', { title: 'Ada' })
    const input = { id, parameters: { comment: 'Done.' } }
    const { status } = await client.call('issues', 'close', input)
    assert.equal(status satisfies string | null, 'closed')
    await store.close()
  })
})
