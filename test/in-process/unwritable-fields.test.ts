import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import {
  attribute,
  computed,
  createApi,
  declare,
  expression,
  integer,
  type Store,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { z } from 'zod'
import type { ColumnTypes } from '../databases.ts'
import { type Engine, engine, openStore } from '../engine/engine.ts'

interface User {
  readonly name: string
  readonly isAdmin: boolean
}

/** The hooks that ran, in order. */
let ran: string[] = []
/** Runs in `afterCommit` of a task. */
let also: () => unknown = () => undefined

const { action, auth, defineModel, resource } = declare<{ auth: User }>()
const isAdmin = auth((user) => user.isAdmin)

const people = resource('people', {
  path: '/people',
  table: 'person',
  access: { read: true, create: true, update: true },
  fields: { name: attribute(text) },
})

const tasks = resource('tasks', {
  path: '/tasks',
  table: 'task',
  access: {
    read: true,
    create: true,
    update: { filter: [{ name: 'title', op: 'ne', val: 'locked' }] },
    call: true,
  },
  validate: z.looseObject({ status: z.string().min(2, 'is too short').nullable() }),
  hooks: {
    beforeUpdate: (_stored, { attributes }) => void ran.push(`before ${Object.keys(attributes)}`),
    afterUpdate: ({ attributes: { status } }, before) =>
      void ran.push(`${before.attributes.status} to ${status}`),
    afterCommit: async () => void (await also()),
  },
  fields: {
    title: attribute(text, { required: true }),
    status: attribute(text, { access: 'read-only' }),
    code: attribute(text, { access: 'immutable' }),
    by: attribute(text, { set: auth(({ name }) => name) }),
    size: attribute(integer, { writable: isAdmin }),
    grade: attribute(integer, { readable: isAdmin, writable: isAdmin }),
    twice: attribute(integer, { access: 'read-only' }),
    shout: computed(text, { title: text }, ({ title }) => title?.toUpperCase() ?? null),
    half: expression(integer, (column) => sql`${column('size')} / 2`),
    owner: toOne('people', { column: 'owner_id', access: 'read-only' }),
    watchers: toMany('people', {
      access: 'read-only',
      through: { table: 'watcher', from: 'task_id', to: 'person_id' },
    }),
  },
  actions: {
    close: action({
      returns: { resource: 'tasks' },
      run: async ({ id, tx }) => {
        await tx.update('tasks', id, { status: 'closed' })
        return id
      },
    }),
    settle: action({
      returns: { resource: 'tasks' },
      run: async ({ id, tx }) => {
        await tx.asServer().update('tasks', id, { status: 'settled' })
        return id
      },
    }),
  },
})

const totals = resource('totals', {
  path: '/totals',
  table: 'person',
  access: 'read-only',
  fields: { name: attribute(text) },
})

const model = defineModel([people, tasks, totals], { clientIds: 'discard' })
const served = {
  isLongOnOthers: true,
  model,
  server: { authenticate: (): User => ({ name: 'http', isAdmin: false }) },
  tables: ({ newId }: ColumnTypes) => `
    create table person (id ${newId}, name text);
    create table task (id ${newId}, title text not null, status text default 'open', code text, "by" text, size integer,
      grade integer, twice integer generated always as (size * 2) stored, owner_id integer references person (id));
    create table watcher (task_id integer references task (id), person_id integer references person (id),
      primary key (task_id, person_id));
    insert into person (name) values ('Ada'), ('Ben');
    insert into task (title, code, "by", size, grade, owner_id) values ('a', 'c', 'ada', 1, 1, 1), ('locked', null, null, 1, 1, null)`,
}

type ClientOf = ReturnType<ReturnType<typeof open>['with']>

/** Fields that the types reject: applications in JavaScript may pass them. */
const wrong = (value: unknown) => value as never

// biome-ignore format: a table, one field a row
const refused: readonly (readonly [title: string, fields: Readonly<Record<string, unknown>>, pointer: string, status: number])[] = [
  ['a read-only attribute', { status: 'closed' }, '/data/attributes/status', 422],
  ['a read-only attribute that is null', { status: null }, '/data/attributes/status', 422],
  ['a computed attribute', { shout: 'A' }, '/data/attributes/shout', 422],
  ['an expression', { half: 1 }, '/data/attributes/half', 422],
  ['a generated column', { twice: 1 }, '/data/attributes/twice', 422],
  ['a read-only relationship to one', { owner: '2' }, '/data/relationships/owner', 422],
  ['a read-only relationship to many', { watchers: ['2'] }, '/data/relationships/watchers', 422],
  ['a field that the rules close', { size: 7 }, '/data/attributes/size', 403],
  ['a field that does not exist for the identity', { grade: 7 }, '/data/attributes/grade', 422],
  ['an unknown name', { titel: 'b' }, '/data/attributes/titel', 422],
  ['a reserved name', { links: 'b' }, '/data/attributes/links', 422],
]
// biome-ignore format: a table, one field a row
const refusedByUpdates: typeof refused = [
  ...refused,
  ['another value of an immutable attribute', { code: 'd' }, '/data/attributes/code', 422],
  ['another value of an attribute that the server sets', { by: 'ben' }, '/data/attributes/by', 422],
  ['another id', { id: '2' }, '/data/id', 409],
]
// biome-ignore format: a table, one field a row
const refusedByCreates: typeof refused = [
  ...refused,
  ['a value that the server sets', { by: 'ben' }, '/data/attributes/by', 403],
  ['an id that the database makes', { id: '77' }, '/data/id', 403],
]
/** The fields that not even the server can write. */
const neverWritten = refused.filter(([title]) => /computed|expression|unknown|reserved/.test(title))

engine('Fields that a call in process cannot write', served, (app) => {
  const assertRefused = async (call: Promise<unknown>, pointer: string, status: number) =>
    assert.rejects(call, { name: 'BodyError', pointer, status })
  const stored = async (id = '1') =>
    withClient(app, (_ada, root) => root.get('tasks', id, { include: ['owner', 'watchers'] }))

  beforeEach(() => {
    ran = []
    also = () => undefined
  })

  for (const [title, fields, pointer, status] of refusedByUpdates)
    it(`are errors of update: ${title}`, () =>
      withClient(app, async (ada) => {
        const before = await stored()
        await assertRefused(ada.update('tasks', '1', wrong(fields)), pointer, status)
        await assertRefused(ada.documents.update('tasks', '1', wrong(fields)), pointer, status)
        await ada.transaction((tx) =>
          assertRefused(tx.update('tasks', '1', wrong(fields)), pointer, status),
        )
        assert.deepEqual(await stored(), before)
        assert.deepEqual(ran, [])
      }))

  for (const [title, fields, pointer, status] of refusedByCreates)
    it(`are errors of create: ${title}`, () =>
      withClient(app, async (ada) => {
        const sent = wrong({ title: 'n', ...fields })
        await assertRefused(ada.create('tasks', sent), pointer, status)
        await ada.transaction((tx) => assertRefused(tx.create('tasks', sent), pointer, status))
        assert.equal((await ada.list('tasks')).meta.count, 2)
      }))

  it('are errors of actions, which name the remedy', () =>
    withClient(app, async (ada) => {
      await assert.rejects(ada.call('tasks', 'close', { id: '1' }), {
        name: 'BodyError',
        message: '"status" of tasks is read-only; remove it, or write it with asServer().',
      })
      assert.equal((await app.call('POST', '/tasks/1/actions/close')).status, 422)
      assert.deepEqual(ran, [])
    }))

  it('are errors in afterCommit', () =>
    withClient(app, async (ada) => {
      let error: unknown
      also = async () => {
        also = () => undefined
        error = await ada.update('tasks', '1', wrong({ status: 'x' })).catch((thrown) => thrown)
      }
      await ada.update('tasks', '1', { title: 'b' })
      assert.equal(Reflect.get(Object(error), 'pointer'), '/data/attributes/status')
    }))

  it('may be repeated if they are immutable', () =>
    withClient(app, async (ada) => {
      const repeated = wrong({ type: 'tasks', id: '1', code: 'c', by: 'ada', title: 'b' })
      assert.equal((await ada.update('tasks', '1', repeated)).title, 'b')
    }))

  it('are ignored over HTTP, where clients send back what they have read', async () => {
    const attributes = { title: 'b', status: 'closed', shout: 'A', half: 1, twice: 1 }
    const data = { type: 'tasks', id: '1', attributes }
    const { one } = await app.patch('/tasks/1', { data })
    assert.partialDeepStrictEqual(one.attributes, { title: 'b', status: 'open', shout: 'B' })
  })
})

engine('What the server writes in process', served, (app) => {
  const everything = {
    ...{ status: 'done', code: 'd', by: 'ben', size: 8, grade: 9 },
    ...{ owner: '2', watchers: ['1', '2'] },
  }
  const related = ['owner', 'watchers'] as const

  beforeEach(() => {
    ran = []
    also = () => undefined
  })

  it('is every stored field in an update, with its hooks', () =>
    withClient(app, async (ada, root) => {
      await ada.asServer().update('tasks', '1', everything)
      const { owner, watchers, ...task } = await root.get('tasks', '1', { include: related })
      const { owner: _owner, watchers: _watchers, ...attributes } = everything
      assert.partialDeepStrictEqual(task, { title: 'a', twice: 16, ...attributes })
      assert.deepEqual([owner?.id, watchers.map(({ id }) => id)], ['2', ['1', '2']])
      assert.deepEqual(ran, ['before status,code,by,size,grade', 'open to done'])
    }))

  it('is every stored field in a create, instead of what is set', () =>
    withClient(app, async (ada, root) => {
      const created = await ada.asServer().create('tasks', { title: 'n', ...everything })
      const { owner, watchers, ...task } = await root.get('tasks', created.id, { include: related })
      const { owner: _owner, watchers: _watchers, ...attributes } = everything
      assert.partialDeepStrictEqual(task, { title: 'n', twice: 16, ...attributes })
      assert.deepEqual([owner?.id, watchers.map(({ id }) => id)], ['2', ['1', '2']])
      const other = await ada.asServer().create('tasks', { title: 'o', status: 'new' })
      assert.deepEqual([other.by, other.status], ['ada', 'new'])
    }))

  it('are the members of read-only relationships', () =>
    withClient(app, async (ada) => {
      const server = ada.asServer()
      await server.relate('tasks', '1', 'watchers', { add: ['1', '2'] })
      await server.relate('tasks', '1', 'watchers', { remove: ['1'] })
      await server.documents.relate('tasks', '1', 'owner', { replace: null })
      const { owner, watchers } = await ada.get('tasks', '1', { include: related })
      assert.deepEqual([owner, watchers.map(({ id }) => id)], [null, ['2']])
      await assert.rejects(ada.relate('tasks', '1', wrong('watchers'), wrong({ add: ['1'] })), {
        code: 'read_only',
      })
    }))

  it('is written in transactions and actions too', () =>
    withClient(app, async (ada) => {
      await ada.transaction((tx) => tx.asServer().update('tasks', '1', { status: 'taken' }))
      const { status } = await ada.call('tasks', 'settle', { id: '1' })
      assert.deepEqual(
        [status, ran],
        ['settled', ['before status', 'open to taken', 'before status', 'taken to settled']],
      )
    }))

  it('is returned as the identity may read it', () =>
    withClient(app, async (ada) => {
      const updated = await ada.asServer().update('tasks', '1', { grade: 3 })
      assert.equal(Object.hasOwn(updated, 'grade'), false)
    }))

  it('is validated', () =>
    withClient(app, async (ada) => {
      const server = ada.asServer()
      await assert.rejects(server.update('tasks', '1', { status: 'x' }), {
        message: 'status: is too short.',
      })
      await assert.rejects(server.update('tasks', '1', { size: wrong('x') }), { status: 422 })
    }))

  it('is an internal error if the value of a hidden field is not valid', () =>
    withClient(app, async (ada) => {
      const server = ada.asServer()
      await assert.rejects(server.update('tasks', '1', { grade: wrong('x') }), { name: 'Error' })
    }))

  it('obeys the rules of rows and types', () =>
    withClient(app, async (ada) => {
      const server = ada.asServer()
      const forbidden = { code: 'forbidden', status: 403 }
      await assert.rejects(server.update('tasks', '2', { status: 'done' }), forbidden)
      await assert.rejects(server.update('tasks', '1', { title: 'locked' }), forbidden)
      await assert.rejects(server.update(wrong('totals'), '1', wrong({ name: 'x' })), {
        code: 'read_only',
      })
    }))

  for (const [title, fields, pointer, status] of neverWritten)
    it(`is not ${title}`, () =>
      withClient(app, async (ada) => {
        const server = ada.asServer()
        const error = { name: 'BodyError', pointer, status }
        await assert.rejects(server.update('tasks', '1', wrong(fields)), error)
        await assert.rejects(server.create('tasks', wrong({ title: 'n', ...fields })), error)
      }))

  it('is not an id that the database makes, nor a generated column', () =>
    withClient(app, async (ada) => {
      const server = ada.asServer()
      await assert.rejects(server.create('tasks', wrong({ title: 'n', id: '9' })), {
        code: 'client_id_forbidden',
      })
      await assert.rejects(server.update('tasks', '1', { twice: 5 }))
      assert.equal((await ada.get('tasks', '1')).twice, 2)
    }))
})

async function withClient<Result>(
  { databaseUrl }: Engine,
  work: (ada: ClientOf, root: ClientOf) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(model, databaseUrl)
  try {
    const api = open(store)
    return await work(
      api.with({ auth: { name: 'ada', isAdmin: false } }),
      api.with({ auth: { name: 'root', isAdmin: true } }),
    )
  } finally {
    await store.close()
  }
}

function open(store: Store) {
  return createApi({ model, store })
}

/** The types of what the server writes. Nothing here runs: a comment marks each line that must not compile. */
function types(ada: ClientOf): readonly unknown[] {
  return [
    // @ts-expect-error read-only
    ada.update('tasks', '1', { status: 'x' }),
    // @ts-expect-error read-only
    ada.relate('tasks', '1', 'watchers', { add: [] }),
    ada.asServer().update('tasks', '1', { status: 'x', code: 'x' }),
    // @ts-expect-error computed
    ada.asServer().update('tasks', '1', { shout: 'x' }),
    // @ts-expect-error a text
    ada.asServer().update('tasks', '1', { status: 1 }),
    // @ts-expect-error the title is required
    ada.asServer().create('tasks', { status: 'x' }),
    // @ts-expect-error a read-only type
    ada.asServer().update('totals', '1', { name: 'x' }),
  ]
}

it('The compiler knows what the server writes', () => assert.equal(typeof types, 'function'))
