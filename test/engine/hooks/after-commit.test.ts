import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import {
  attribute,
  type CommitContext,
  type CommittedChange,
  defineModel,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import type { ColumnTypes } from '../../databases.ts'
import { logOf } from '../../log.ts'
import { engine } from '../engine.ts'
import { rejectingTrigger } from '../triggers.ts'

/** The changes that `afterCommit` received. */
let seen: (CommittedChange & Readonly<{ context: CommitContext }>)[] = []
/** Runs in `afterCommit`. */
let also: (change: CommittedChange) => unknown = () => undefined
/** The number of runs of `afterCreate`, and a function that it calls. */
let created = 0
let inTransaction: (query: (text: string) => Promise<unknown>) => Promise<unknown> = async () => {}

const order = resource('order', {
  path: '/orders',
  table: 'purchase',
  fields: {
    title: attribute(text),
    secret: attribute(text, { access: 'write-only' }),
    customer: toOne('customer', { column: 'customer_id' }),
  },
  hooks: {
    async afterCreate(_, { query }) {
      created += 1
      await inTransaction((text) => query(sql`${sql.raw(text)}`))
    },
    async afterCommit(change, context) {
      seen.push({ ...change, context })
      await also(change)
    },
  },
})
const customer = resource('customer', {
  path: '/customers',
  table: 'customer',
  fields: { name: attribute(text), orders: toMany('order', { column: 'customer_id' }) },
})

const served = {
  model: defineModel([order, customer]),
  tables: ({ newId }: ColumnTypes, dialect: DialectName) => `
    create table customer (id ${newId}, name text);
    create table purchase (id ${newId}, title text, secret text,
      customer_id bigint references customer (id) deferrable initially deferred);
    insert into customer values (1, 'Ada');
    insert into purchase (id, title, secret) values (1, 'one', 'hush');
    ${
      dialect === 'sqlite'
        ? `create trigger strict before insert on customer when new.name = 'rollback'
             begin select raise(rollback, 'no'); end;`
        : ''
    }
    ${rejectingTrigger({ table: 'purchase', when: "new.title = 'refused'", words: 'no' }, dialect)}`,
  server: { authenticate: () => 'somebody', logLevel: 'error' },
} as const

engine('The hook afterCommit', served, (app) => {
  beforeEach(() => {
    seen = []
    also = () => undefined
    created = 0
    inTransaction = async () => {}
  })
  const changes = () => seen.map(({ context: _, ...change }) => change)
  const create = (title: string) =>
    app.post('/orders', { data: { type: 'order', attributes: { title } } })

  it('given a create, an update, a change of its foreign key and a deletion, when they are committed, then it receives each with the resources', async () => {
    assert.equal((await create('two')).status, 201)
    const attributes = { title: 'changed', secret: 'psst' }
    await app.patch('/orders/1', { data: { type: 'order', id: '1', attributes } })
    await app.post('/customers/1/relationships/orders', { data: [{ type: 'order', id: '1' }] })
    await app.delete('/orders/1')
    const none = { customer: null }
    const one = { id: '1', attributes: { title: 'one', secret: 'hush' }, relationships: none }
    const changed = { id: '1', attributes, relationships: none }
    const linked = { ...changed, relationships: { customer: '1' } }
    assert.deepEqual(changes(), [
      {
        operation: 'create',
        resource: { id: '2', attributes: { title: 'two', secret: null }, relationships: none },
      },
      { operation: 'update', resource: changed, before: one },
      { operation: 'update', resource: linked, before: changed },
      { operation: 'delete', before: linked },
    ])
    const [first] = seen
    assert.deepEqual([first?.context.type, first?.context.auth], ['order', 'somebody'])
  })

  it('given a create, when it runs, then every other connection sees the new row', async () => {
    const statuses: number[] = []
    also = async (change) => {
      if (change.operation !== 'create') return
      statuses.push((await app.get(`/orders/${change.resource.id}`)).status)
    }
    await Promise.all(['two', 'three', 'four'].map(create))
    assert.deepEqual(statuses, [200, 200, 200])
  })

  it('given writes that fail, when they are rolled back, then it does not run', async () => {
    assert.equal((await create('refused')).status, 409)
    inTransaction = async () => {
      throw new Error('no')
    }
    await logOf(async () => assert.equal((await create('two')).status, 500))
    // The database checks the deferred foreign key at the commit.
    inTransaction = (query) => query('update purchase set customer_id = 99 where id > 1')
    assert.equal((await create('two')).status, 409)
    assert.equal(created, 2)
    assert.deepEqual(seen, [])
  })

  it('given a transaction that runs again after a conflict, when it is committed, then it runs once', async () => {
    const listIds = async () =>
      (await app.get('/orders')).many.map(({ id }) => id).filter((id) => id !== '1')
    if (app.dialect === 'postgres') await deadlock()
    // Requests that arrive late are in another group.
    else
      for (let tries = 0; tries < 20 && created === (await listIds()).length; tries += 1)
        await rollBackGroup()
    const ids = await listIds()
    assert.ok(created > ids.length, `${created} runs for ${ids.length} orders`)
    const committed = seen.map((change) => change.operation === 'create' && change.resource.id)
    assert.deepEqual(committed.toSorted(), ids.toSorted())
  })

  /** Creates orders together with a statement that rolls the whole group back, so that the other transactions of the group run again. */
  async function rollBackGroup(): Promise<void> {
    const rollback = { type: 'customer', attributes: { name: 'rollback' } }
    const answers = await Promise.all([
      create('two'),
      create('three'),
      app.post('/customers', { data: rollback }),
      create('four'),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 409, 201],
    )
  }

  /** Creates two orders whose transactions wait for each other: PostgreSQL aborts one of them, and it runs again. */
  async function deadlock(): Promise<void> {
    const barrier = Promise.withResolvers<void>()
    let locks = 0
    inTransaction = async (query) => {
      const [first, second] = created === 1 ? [1, 2] : [2, 1]
      await query(`select pg_advisory_xact_lock(${first})`)
      locks += 1
      if (locks === 2) barrier.resolve()
      await barrier.promise
      await query(`select pg_advisory_xact_lock(${second})`)
    }
    const answers = await Promise.all([create('two'), create('three')])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    )
  }

  it('given a hook that throws, when the change is committed, then the response is that of the write and the error is logged', async () => {
    also = () => {
      throw new Error('the queue is full')
    }
    let status = 0
    const log = await logOf(async () => {
      status = (await create('two')).status
    })
    assert.equal(status, 201)
    assert.equal((await app.get('/orders/2')).status, 200)
    const lines = log.filter((line) => line.includes('the queue is full'))
    assert.equal(lines.length, 1, log.join('\n'))
    assert.match(lines[0] ?? '', /afterCommit/)
  })

  it('given a hook that rejects with nothing, when the change is committed, then the log says so', async () => {
    also = () => Promise.reject(undefined)
    let status = 0
    const log = await logOf(async () => {
      status = (await create('two')).status
    })
    assert.equal(status, 201)
    assert.match(log.join('\n'), /A value that is not an Error was thrown: undefined/)
  })
})
