import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  action,
  attribute,
  auth,
  createApi,
  createHandler,
  defineModel,
  idempotencyTable,
  type Model,
  resource,
  type Store,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { atomicExtension, atomicMediaType } from '../../src/model/media-types.ts'
import { databases } from '../databases.ts'
import type { OpenDatabase } from '../open-database.ts'
import { findStartErrors, openStore } from './engine.ts'

interface User {
  readonly id?: string
  readonly sub?: string
  readonly team?: string
  readonly isLead?: boolean
}

/** The action `block` has begun, and may end. */
let blocked = Promise.withResolvers<void>()
const unblock = Promise.withResolvers<void>()

const user = (read: (user: User) => string | boolean | undefined) => auth(read)
const note = resource('note', {
  path: '/notes',
  table: 'note',
  access: {
    read: { filter: [{ name: 'team', op: 'eq', val: user(({ team }) => team ?? '') }] },
    create: user(({ isLead = true }) => isLead) as never,
    update: true,
    delete: true,
    call: true,
  },
  fields: {
    text: attribute(text),
    team: attribute(text),
    lines: toMany('line', { column: 'note_id' }),
  },
  actions: {
    block: action({
      on: 'collection',
      run: async () => {
        blocked.resolve()
        await unblock.promise
      },
    }),
    lead: action({
      on: 'collection',
      callable: user(({ isLead = true }) => isLead) as never,
      run: () => {},
    }),
    fill: action({
      on: 'resource',
      returns: { meta: { failed: text } },
      run: async ({ id, tx }) => {
        const failed = await tx
          .update('note', id ?? '', { text: 'lost', lines: ['999'] })
          .then(() => 'no')
          .catch(() => 'yes')
        await tx.create('line', { text: 'kept' })
        return { failed }
      },
    }),
  },
})
const line = resource('line', {
  path: '/lines',
  table: 'line',
  access: { read: true, create: true, update: true, delete: true },
  fields: { text: attribute(text), note: toOne('note', { column: 'note_id' }) },
})
/** Its principal is the default: the subject of a token. */
const model = defineModel([note, line])
const batched = defineModel([note, line], { atomic: { actions: true } })
const named = defineModel([note, line], { principal: (each) => (each as User | undefined)?.id })
const required = defineModel([
  resource('note', {
    path: '/notes',
    table: 'note',
    idempotency: 'required',
    fields: { text: attribute(text) },
    actions: {
      free: action({ on: 'collection', idempotency: 'optional', run: () => {} }),
      bound: action({ on: 'collection', run: () => {} }),
    },
  }),
])

const ada = { sub: 'ada', team: 'red' }
const lineData = { type: 'line', attributes: { text: 'a' } }
const created = { data: { type: 'note', attributes: { text: 'a', team: 'red' } } }

for (const database of databases)
  describe(`Idempotency keys of identities · ${database.name}`, () => {
    let opened: OpenDatabase
    let store: Store
    before(async () => {
      opened = await database.create()
      store = await openStore(model, opened.url)
      const { newId, id } = database.columnTypes
      const tables = `create table note (id ${newId}, text text, team text);
        create table line (id ${newId}, text text, note_id ${id} references note (id));`
      await store.migrate([{ version: 1, sql: tables + idempotencyTable }])
    })
    after(async () => {
      await store.close()
      await opened.remove()
    })

    /** Each write of a type that a lead may do, and the request with it alone. */
    const leads: readonly (readonly [
      what: string,
      operation: object,
      path: string,
      body: object,
    ])[] = [
      ['create', { op: 'add', ...created }, '/notes', created],
      ['call', { op: 'update', href: '/notes/actions/lead' }, '/notes/actions/lead', {}],
    ]
    for (const [what, operation, path, body] of leads)
      it(`who may not ${what} any more gets no replay, also of operations`, async () => {
        if (!database.isShared) return
        const batchStore = await openStore(batched, opened.url)
        const [key, send] = [newKey(), serve(batched, batchStore)]
        const [lead, other] = [
          { ...ada, isLead: true },
          { ...ada, isLead: false },
        ]
        const operations = { 'atomic:operations': [{ op: 'add', data: lineData }, operation] }
        assert.equal((await send(lead, key, '/operations', operations)).status, 200)
        const denied = await send(other, key, '/operations', operations)
        assert.deepEqual([denied.status, denied.code, denied.isReplayed], [403, 'forbidden', false])
        assert.equal(denied.pointer, '/atomic:operations/1')
        const moved = await send({ ...lead, team: 'blue' }, key, '/operations', operations)
        assert.deepEqual([moved.status, moved.isReplayed], [200, true])
        assert.ok(moved.text.endsWith(`"jsonapi":{"version":"1.1","ext":["${atomicExtension}"]}}`))
        const alone = newKey()
        await send(lead, alone, path, body)
        assert.equal((await send(other, alone, path, body)).status, 403)
        await batchStore.close()
      })

    let next = 0
    /** A key of its own for each test: the tests share the table. */
    const newKey = () => {
      next += 1
      return `"${next}"`
    }
    const serve =
      (served: Model = model, on = store) =>
      async (who: User | undefined, key: string | undefined, path = '/notes', body?: unknown) => {
        const handle = createHandler({ model: served, store: on, authenticate: () => who })
        const response = await handle(
          new Request(`http://localhost${path}`, {
            method: 'POST',
            headers: {
              'content-type': path === '/operations' ? atomicMediaType : 'application/vnd.api+json',
              ...(key !== undefined && { 'idempotency-key': key }),
            },
            body: JSON.stringify(body ?? created),
          }),
        )
        const sent = await response.text()
        return {
          status: response.status,
          text: sent,
          code: /"code":"(\w+)"/.exec(sent)?.[1],
          pointer: /"pointer":"([^"]*)"/.exec(sent)?.[1],
          location: response.headers.get('location'),
          isReplayed: response.headers.get('idempotency-replayed') === 'true',
          link: response.headers.get('link'),
        }
      }

    it('two users with the same key do not meet', async () => {
      const [key, send] = [newKey(), serve()]
      const first = await send({ sub: 'ada', team: 'red' }, key)
      const other = await send({ sub: 'bob', team: 'red' }, key)
      assert.deepEqual([first.status, other.status, other.isReplayed], [201, 201, false])
      assert.notEqual(first.location, other.location)
      assert.equal((await send({ sub: 'ada', team: 'red' }, key)).text, first.text)
    })

    for (const [what, who] of [
      ['without an identity', undefined],
      ['whose identity has no subject', { id: 'ada' }],
      ['whose subject is empty', { sub: '' }],
    ] as const)
      it(`a request ${what} is refused, and not executed`, async () => {
        const response = await serve()(who, newKey())
        assert.deepEqual([response.status, response.code], [400, 'key_not_supported'])
      })

    it('the principal is what the model says', async () => {
      if (!database.isShared) return
      const namedStore = await openStore(named, opened.url)
      const [key, send] = [newKey(), serve(named, namedStore)]
      const first = await send({ id: 'ada', sub: 'token 1', team: 'red' }, key)
      const second = await send({ id: 'ada', sub: 'token 2', team: 'red' }, key)
      await namedStore.close()
      assert.deepEqual([second.isReplayed, second.text], [true, first.text])
    })

    it('who sees other rows than at first gets the status without the document', async () => {
      const [key, send] = [newKey(), serve()]
      const first = await send({ sub: 'ada', team: 'red' }, key)
      assert.ok(first.text.includes('"red"'))
      const moved = await send({ sub: 'ada', team: 'blue' }, key)
      assert.deepEqual(
        [moved.status, moved.location, moved.isReplayed],
        [201, first.location, true],
      )
      assert.equal(moved.text.includes('red'), false)
      assert.ok(moved.text.includes('"replayed":true'))
    })

    it('who may not create any more gets no replay', async () => {
      const [key, send] = [newKey(), serve()]
      await send({ sub: 'ada', team: 'red' }, key)
      const denied = await send({ sub: 'ada', team: 'red', isLead: false }, key)
      assert.deepEqual([denied.status, denied.code], [403, 'forbidden'])
    })

    it('the responses survive a restart', async () => {
      const key = newKey()
      const first = await serve()({ sub: 'ada', team: 'red' }, key)
      if (!database.isShared) return
      const restarted = await openStore(model, opened.url)
      const second = await serve(model, restarted)({ sub: 'ada', team: 'red' }, key)
      await restarted.close()
      assert.deepEqual([second.isReplayed, second.text], [true, first.text])
    })

    it('a failed call in an action with a key is rolled back alone', async () => {
      const send = serve()
      const who = { sub: 'ada', team: 'red' }
      const { location } = await send(who, undefined)
      const key = newKey()
      const path = `${location}/actions/fill`
      const filled = await send(who, key, path, { meta: {} })
      assert.ok(filled.text.includes('"failed":"yes"'), filled.text)
      const again = await send(who, key, path, { meta: {} })
      assert.deepEqual([again.isReplayed, again.text], [true, filled.text])
      const api = createApi({ model, store }).with({ auth: who })
      const found = await api.get('note', location?.split('/').at(-1) ?? '')
      assert.equal(found.text, 'a')
    })

    it('a type or an action may require keys', async () => {
      if (!database.isShared) return
      const requiredStore = await openStore(required, opened.url)
      const send = serve(required, requiredStore)
      const refused = await send({ sub: 'ada' }, undefined)
      assert.deepEqual([refused.status, refused.code], [400, 'key_required'])
      assert.match(refused.link ?? '', /retries\.md>; rel="help"$/)
      const bound = await send({ sub: 'ada' }, undefined, '/notes/actions/bound', { meta: {} })
      assert.deepEqual([bound.status, bound.code], [400, 'key_required'])
      const free = await send({ sub: 'ada' }, undefined, '/notes/actions/free', { meta: {} })
      await requiredStore.close()
      assert.equal(free.status, 200)
    })

    it('expired keys are deleted with a later request', async () => {
      const [key, send] = [newKey(), serve()]
      await send({ sub: 'old', team: 'red' }, key)
      await opened.second?.execute(
        "update lapidary_idempotency set created_at = 0 where principal = 'old'",
      )
      if (opened.second === undefined) return
      await send({ sub: 'ada', team: 'red' }, newKey())
      // The deletion is the next transaction of the store.
      let again = await send({ sub: 'old', team: 'red' }, key)
      for (let tries = 0; again.isReplayed && tries < 100; tries += 1)
        again = await send({ sub: 'old', team: 'red' }, key)
      assert.deepEqual([again.status, again.isReplayed], [201, false])
    })

    it('a model that needs keys does not start without their table', async () => {
      const { newId, id } = database.columnTypes
      const tables = `create table note (id ${newId}, text text, team text);
        create table line (id ${newId}, text text, note_id ${id} references note (id));`
      for (const [served, location] of [
        [named, 'options.principal'],
        [required, 'note.idempotency'],
      ] as const) {
        const [error = ''] = await findStartErrors(database, served, tables)
        assert.ok(error.startsWith(`${location}: the database has no table`), error)
        assert.ok(error.includes('create table if not exists lapidary_idempotency'))
      }
      assert.deepEqual(await findStartErrors(database, model, tables), [])
    })

    it('calls in process with a key are executed once', async () => {
      const api = createApi({ model, store }).with({ auth: { sub: 'ada', team: 'red' } })
      const idempotencyKey = newKey()
      const create = (value: string) =>
        api.create('note', { text: value, team: 'red' }, { idempotencyKey })
      const first = await create('x')
      assert.deepEqual(await create('x'), first)
      await assert.rejects(create('y'), { code: 'key_reused' })
      const updateKey = { idempotencyKey: newKey() }
      const updated = await api.update('note', first.id, { text: 'y' }, updateKey)
      await api.update('note', first.id, { text: 'z' })
      assert.deepEqual(await api.update('note', first.id, { text: 'y' }, updateKey), updated)
      assert.equal((await api.get('note', first.id)).text, 'z')
      const removeKey = { idempotencyKey: newKey() }
      await api.remove('note', first.id, removeKey)
      await api.remove('note', first.id, removeKey)
    })

    if (database.dialect === 'postgres')
      it('a request waits for one with the same key, without a connection, and gives up', async () => {
        const key = newKey()
        const who = { sub: 'ada', team: 'red' }
        const path = '/notes/actions/block'
        const small = await openStore(model, opened.url, { poolSize: 1 })
        const [first, other] = [serve(), serve(model, small)]
        blocked = Promise.withResolvers()
        const running = first(who, key, path, { meta: {} })
        await blocked.promise
        // The only connection of the other server is free while four requests wait.
        const waiting = Array.from({ length: 4 }, () => other(who, key, path, { meta: {} }))
        assert.equal((await other(who, undefined)).status, 201)
        for (const { status, code } of await Promise.all(waiting))
          assert.deepEqual([status, code], [409, 'request_in_progress'])
        const next = other(who, key, path, { meta: {} })
        unblock.resolve()
        const { text: sent } = await running
        const replayed = await next
        await small.close()
        assert.deepEqual([replayed.isReplayed, replayed.text], [true, sent])
      })

    it('a key in a transaction of a program is committed with it', async () => {
      const api = createApi({ model, store }).with({ auth: { sub: 'ada', team: 'red' } })
      const idempotencyKey = newKey()
      const create = (on: Pick<typeof api, 'create'>) =>
        on.create('note', { text: 'x', team: 'red' }, { idempotencyKey })
      const undone = api.transaction(async (tx) => {
        assert.deepEqual(await create(tx), await create(tx))
        throw new Error('undone')
      })
      await assert.rejects(undone, { message: 'undone' })
      const created = await api.transaction((tx) => create(tx))
      assert.deepEqual(await create(api), created)
      assert.equal((await api.list('note', { filter: { id: created.id } })).meta.count, 1)
    })
  })
