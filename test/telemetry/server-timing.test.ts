import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { attribute, createHandler, declare, text } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { engine } from '../engine/engine.ts'
import { library, libraryTables } from '../engine/library.ts'

/** Parses `auth;dur=0.1, plan;dur=0.2`. */
function parse(field: string | null | undefined): ReadonlyMap<string, number> {
  const parts = (field ?? '').split(', ').filter((part) => part !== '')
  return new Map(
    parts.map((part) => {
      const [, name = '', duration] = /^(\w+);dur=([\d.]+)$/.exec(part) ?? []
      return [name, Number(duration)]
    }),
  )
}

engine(
  'Server-Timing',
  { model: library, tables: libraryTables, server: { serverTiming: true } },
  (api) => {
    it('has the durations of the parts of a read and of a write', async () => {
      const read = parse((await api.get('/books')).headers['server-timing'])
      assert.deepEqual([...read.keys()], ['auth', 'plan', 'db', 'serialize'])
      assert.ok((read.get('db') ?? 0) > 0)
      const written = await api.post('/books', {
        data: { type: 'book', attributes: { title: 'A' } },
      })
      assert.ok((parse(written.headers['server-timing']).get('db') ?? 0) > 0)
    })

    it('is not in errors', async () => {
      assert.equal((await api.get('/books/999999')).headers['server-timing'], undefined)
    })
  },
)

engine('Server-Timing, off', { model: library, tables: libraryTables }, (api) => {
  it('is in no response', async () => {
    assert.equal((await api.get('/books')).headers['server-timing'], undefined)
  })
})

/** A model with rows of several owners, whose identity is the header field `x-user`. */
const { resource, defineModel, auth } = declare<{ auth: string }>()
const note = resource('note', {
  path: '/notes',
  table: 'note',
  access: { read: { filter: [{ name: 'owner', op: 'eq', val: auth((user) => user) }] } },
  fields: { text: attribute(text), owner: attribute(text) },
})
const model = defineModel([note])

/** Opens the notes of two owners. */
async function openNotes(test: TestContext, serverTiming: boolean | ((auth: unknown) => boolean)) {
  const store = openSqlite(model, ':memory:')
  const sql = `create table note (id integer primary key, text text, owner text);
    insert into note (text, owner) values ('a', 'ada'), ('b', 'bob')`
  await store.migrate([{ version: 1, sql }])
  test.after(() => store.close())
  const authenticate = ({ headers }: Request) => headers.get('x-user') ?? ''
  const handle = createHandler({ model, store, serverTiming, authenticate })
  return async (user: string, path = '/notes') => {
    const request = new Request(`http://localhost${path}`, { headers: { 'x-user': user } })
    return (await handle(request)).headers.get('server-timing')
  }
}

describe('Server-Timing of a model that hides rows', () => {
  it('is rounded up to 10 ms, and is not in an error', async (test) => {
    const read = await openNotes(test, true)
    const timing = parse(await read('ada'))
    assert.equal(timing.size, 4)
    for (const duration of timing.values()) assert.equal(duration % 10, 0)
    assert.ok((timing.get('db') ?? 0) >= 10)
    assert.equal(await read('ada', '/notes/2'), null)
    assert.equal(await read('ada', '/notes/3'), null)
  })

  it('is for those identities that a function names', async (test) => {
    const read = await openNotes(test, (user) => user === 'ada')
    assert.equal(parse(await read('ada')).size, 4)
    assert.equal(await read('bob'), null)
  })
})
