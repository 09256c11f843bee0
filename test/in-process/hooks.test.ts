import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { attribute, createApi, declare, RequestError, sql, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import { type Engine, engine, openStore } from '../engine/engine.ts'

/** The hooks that ran, in order. */
let seen: string[] = []
/** Runs in `afterCommit` of a note. */
let also: (id: string) => unknown = () => undefined
/** Runs at the beginning of `beforeUpdate` of a note. */
let within: () => unknown = () => undefined

const { resource, defineModel } = declare<{ auth: string | undefined }>()

const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: {
    words: attribute(text, { required: true }),
    author: toOne('author', { column: 'author_id' }),
  },
  hooks: {
    async beforeUpdate(current, { relationships }, { auth, ip, requestId }) {
      await within()
      seen.push(`update ${current.id} by ${auth} from ${ip} ${requestId}`)
      if (relationships.author === null)
        throw new RequestError({ detail: 'A note keeps its author.' })
    },
    async afterCommit(committed) {
      const id = committed.operation === 'delete' ? committed.before.id : committed.resource.id
      seen.push(`${committed.operation} ${id}`)
      await also(id)
    },
  },
})
const author = resource('author', {
  path: '/authors',
  table: 'author',
  fields: { name: attribute(text), notes: toMany('note', { column: 'author_id' }) },
})

const served = {
  isLongOnOthers: true,
  model: defineModel([note, author], {
    hooks: { begin: ({ auth }) => void seen.push(`begin ${auth}`) },
  }),
  tables: ({ newId }: ColumnTypes) => `
    create table author (id ${newId}, name text);
    create table note (id ${newId}, words text not null unique, author_id bigint references author (id));
    insert into author values (1, 'Ada');
    insert into note (id, words, author_id) values (1, 'one', 1), (2, 'two', null)`,
}

engine('Hooks of calls in process', served, (app) => {
  beforeEach(() => {
    seen = []
    also = () => undefined
    within = () => undefined
  })

  it('given a call, when its hooks run, then they receive the context of the client', () =>
    withApi(app, async (api) => {
      const client = api.with({ auth: 'ada', ip: '192.0.2.1', requestId: 'r1' })
      await client.relate('author', '1', 'notes', { add: ['2'] })
      assert.deepEqual(seen, ['begin ada', 'update 2 by ada from 192.0.2.1 r1', 'update 2'])
      const removal = client.relate('author', '1', 'notes', { remove: ['2'] })
      await assert.rejects(removal, { status: 403 })
    }))

  it('given a transaction of several calls, when it begins with SQL, then begin runs once, before the SQL', () =>
    withApi(app, async (api) => {
      await api.with({ auth: 'ada' }).transaction(async (tx) => {
        seen.push('work')
        await tx.sql(sql`select 1`)
        await tx.list('note')
        await tx.update('author', '1', { name: 'Grace' })
        seen.push('end')
      })
      assert.deepEqual(seen, ['begin ada', 'work', 'end'])
    }))

  it('given a transaction of several calls, when it is committed, then afterCommit runs for each change that was not rolled back, and others see it', () =>
    withApi(app, async (api) => {
      const statuses: number[] = []
      also = async (id) => statuses.push((await app.get(`/notes/${id}`)).status)
      await api.with().transaction(async (tx) => {
        await tx.create('note', { words: 'three' })
        await assert.rejects(tx.create('note', { words: 'one' }))
        await assert.rejects(tx.update('author', '1', { notes: [] }))
        await tx.update('note', '2', { words: 'changed' })
        seen.push('end')
        assert.deepEqual(statuses, [])
      })
      assert.deepEqual(
        seen.slice(seen.indexOf('end') + 1).filter((each) => !each.startsWith('begin')),
        ['create 3', 'update 2'],
      )
      assert.deepEqual(statuses, [200, 200])
    }))

  it('given a transaction of several calls, when its work throws, then afterCommit does not run', () =>
    withApi(app, async (api) => {
      const failing = api.with().transaction(async (tx) => {
        await tx.remove('note', '1')
        throw new RangeError('no')
      })
      await assert.rejects(failing, RangeError)
      assert.deepEqual(seen, ['begin undefined'])
    }))

  it('given a call in afterCommit, when it runs, then it has a transaction of its own', () =>
    withApi(app, async (api) => {
      let name: unknown
      also = async () => {
        name = (await api.with().get('author', '1')).name
      }
      await api.with().transaction((tx) => tx.remove('note', '2'))
      assert.equal(name, 'Ada')
    }))

  it('given a write of a client in a hook, when it runs, then it is rejected instead of waiting for the transaction', () =>
    withApi(app, async (api) => {
      const client = api.with()
      const writes = [
        () => client.create('note', { words: 'in a hook' }),
        () => client.transaction(async () => undefined),
      ]
      const message = /^A hook must not write by a call or a request: .* Use context\.query/
      for (const write of writes) {
        within = write
        await assert.rejects(client.update('note', '1', { words: 'new' }), {
          name: 'Error',
          message,
        })
        await assert.rejects(
          client.transaction((tx) => tx.update('note', '1', { words: 'new' })),
          { name: 'Error' },
        )
      }
      within = () => client.get('author', '1')
      assert.equal((await client.update('note', '1', { words: 'new' })).words, 'new')
    }))

  it('given a write that a hook has started and not awaited, when the hook has ended, then it runs', () =>
    withApi(app, async (api) => {
      const later = Promise.withResolvers<unknown>()
      within = () => {
        within = () => undefined
        setTimeout(() => later.resolve(api.with().create('note', { words: 'later' })), 20)
      }
      await api.with().update('note', '1', { words: 'new' })
      assert.partialDeepStrictEqual(await later.promise, { words: 'later' })
    }))
})

async function withApi(
  { databaseUrl }: Engine,
  work: (api: ReturnType<typeof open>) => Promise<void>,
): Promise<void> {
  const store = await openStore(served.model, databaseUrl)
  try {
    await work(open(store))
  } finally {
    await store.close()
  }
}

const open = (store: Awaited<ReturnType<typeof openStore>>) =>
  createApi({ model: served.model, store })
