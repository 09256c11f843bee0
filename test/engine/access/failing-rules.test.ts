import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  createApi,
  createHandler,
  declare,
  RequestError,
  type Store,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { createPages } from 'lapidary/html'
import { silentLogger } from '../../../src/endpoints/handler.ts'
import { databases } from '../../databases.ts'
import type { OpenDatabase } from '../../open-database.ts'
import { openStore } from '../engine.ts'

/** The functions of the model that may throw. */
const places = [
  ...(['a rule for reads', 'a rule for creates', 'a rule of a field', 'the tenant'] as const),
  ...(['a value of a filter', 'a value in SQL', 'a value of an insert'] as const),
] as const

interface User {
  /** The function that throws. */
  readonly fails?: (typeof places)[number] | undefined
  /** The number of calls that return before one throws. */
  works?: number
}
const { auth, defineModel, resource } = declare<{ auth: User }>()

/** Defers a value, which throws for the users whose `fails` names it. */
const orThrow = <Value>(place: (typeof places)[number], value: Value) =>
  auth((user) => {
    if (user.fails !== place) return value
    user.works = (user.works ?? 0) - 1
    if (user.works < 0) throw new Error('the secret of the rule')
    return value
  })

const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  fields: { name: attribute(text), notes: toMany('note', { column: 'shelf_id' }) },
})
const note = resource('note', {
  path: '/notes',
  table: 'note',
  access: {
    read: {
      all: [
        orThrow('a rule for reads', true),
        { filter: [{ name: 'author', op: 'eq', val: orThrow('a value of a filter', 'ada') }] },
      ],
    },
    create: orThrow('a rule for creates', true),
    update: { sql: (column) => sql`${column('author')} = ${orThrow('a value in SQL', 'ada')}` },
    delete: true,
  },
  fields: {
    words: attribute(text, { readable: orThrow('a rule of a field', true) }),
    author: attribute(text, { set: orThrow('a value of an insert', 'ada') }),
    shelf: toOne('shelf', { column: 'shelf_id' }),
  },
})
const model = defineModel([shelf, note], {
  maxPageSize: null,
  tenant: { column: 'org', value: orThrow('the tenant', 'a') },
})

const fields = { type: 'note', attributes: { words: 'new' } }
const requests = {
  list: ['GET', '/notes'],
  stream: ['GET', '/notes?page[size]=0&include=shelf'],
  one: ['GET', '/notes/1'],
  create: ['POST', '/notes', { data: fields }],
  update: ['PATCH', '/notes/1', { data: { ...fields, id: '1' } }],
  delete: ['DELETE', '/notes/1'],
} as const

type Title = keyof typeof requests
const all = Object.keys(requests) as Title[]
/** The requests that need each function. A function that decides is called for every request. */
const failing: Readonly<Record<(typeof places)[number], readonly Title[]>> = {
  'a rule for reads': all,
  'a rule for creates': all,
  'a rule of a field': all,
  'the tenant': all,
  'a value of a filter': all,
  'a value in SQL': ['update'],
  'a value of an insert': ['create'],
}

for (const database of databases)
  describe(`Functions of rules that throw · ${database.name}`, () => {
    let opened: OpenDatabase
    let store: Store
    let handle: ReturnType<typeof createHandler<User>>
    before(async () => {
      opened = await database.create()
      const { newId, id } = database.columnTypes
      await opened.second?.execute(`
        create table shelf (id ${newId}, name text, org text);
        create table note (id ${newId}, words text, author text, org text, shelf_id ${id} references shelf (id));
        create index note_shelf on note (shelf_id);
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 700)
          insert into shelf (name, org) select 'shelf', 'a' from n;
        insert into note (words, author, org, shelf_id) select 'a word', 'ada', 'a', id from shelf`)
      store = await openStore(model, opened.url)
      await store.verify()
      const authenticate = () => assert.fail('the host passes the user on')
      handle = createHandler({ model, store, authenticate, html: createPages(), log: silentLogger })
    })
    after(async () => {
      await store.close()
      await opened.remove()
    })

    const send = (title: Title, user: User, accept = 'application/vnd.api+json') => {
      const [method, path, body] = requests[title]
      const headers = { accept, ...(body && { 'content-type': 'application/vnd.api+json' }) }
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      return handle(new Request(`http://localhost${path}`, init), { auth: user })
    }
    /** All notes, as a user for whom nothing throws sees them. */
    const readNotes = async () => (await send('stream', {})).text()

    for (const place of places)
      it(`given ${place} that throws, then every request that needs it is a bare 500, and nothing is stored`, async () => {
        const stored = await readNotes()
        for (const title of failing[place]) {
          const accepts = title === 'list' || title === 'one' ? ['text/html'] : []
          for (const accept of [undefined, ...accepts]) {
            const response = await send(title, { fails: place }, accept)
            const body = await response.text()
            assert.equal(response.status, 500, `${title}: ${body}`)
            assert.doesNotMatch(body, /secret|a word/, title)
          }
        }
        assert.equal(await readNotes(), stored)
      })

    it('given a rule that throws, then a call in process throws its error, and returns nothing', async () => {
      const api = createApi({ model, store })
      for (const place of [
        'a rule for reads',
        'a rule of a field',
        'a value of a filter',
      ] as const) {
        const client = api.with({ auth: { fails: place } })
        for (const call of [
          () => client.list('note'),
          () => client.get('note', '1'),
          () => client.create('note', { words: 'new' }),
          () => client.update('note', '1', { words: 'new' }),
          () => client.remove('note', '1'),
        ])
          await assert.rejects(call, (error) => {
            assert.ok(error instanceof Error && !(error instanceof RequestError))
            assert.match(error.message, /the secret of the rule/)
            return true
          })
      }
      assert.equal((await api.with({ auth: {} }).list('note')).meta.count, 700)
    })

    it('given a value that throws after the first bytes of a stream, then the response is cut off, and has readable rows only', async () => {
      const results: string[] = []
      for (const works of [1, 2, 3, 4, 5, 6]) {
        const response = await send('stream', { fails: 'a value of a filter', works })
        if (response.status === 500) continue
        const body = await response.text().catch(() => undefined)
        results.push(body === undefined ? 'cut off' : 'complete')
        // The value was computed often enough for all statements.
        if (body !== undefined) assert.equal(body, await readNotes())
      }
      assert.ok(results.includes('cut off'), results.join(', '))
      assert.equal((await send('one', {})).status, 200)
    })
  })
