import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { after, before, describe, it, type TestContext } from 'node:test'
import { attribute, createHandler, declare, sql, text, toMany, toOne } from 'lapidary'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'

const { action, auth, resource, defineModel } = declare<{
  auth: { id: string; role: string } | undefined
}>()
const isLead = auth(({ role }) => role === 'lead')
const isAuthor = { filter: [{ name: 'author__id', op: 'eq', val: auth(({ id }) => id) }] }

const person = resource('person', {
  path: '/people',
  table: 'person',
  access: { read: true, update: isLead, create: isLead, delete: false },
  fields: {
    name: attribute(text, { required: true, description: 'As in the "contract".' }),
    salary: attribute(text, { readable: isLead, writable: isLead }),
    grade: attribute(text, { writable: false }),
    reports: toMany('report', { column: 'author_id' }),
  },
  actions: {
    promote: action({ callable: isLead, run: () => undefined }),
    greet: action({ run: () => undefined }),
    never: action({ callable: false, run: () => undefined }),
    hire: action({ on: 'collection', callable: isLead, run: () => undefined }),
  },
})
const report = resource('report', {
  path: '/reports',
  table: 'report',
  access: {
    ...{ read: { any: [isLead, isAuthor] }, create: true, update: isAuthor, delete: isAuthor },
    call: isLead,
  },
  fields: {
    text: attribute(text, { required: true }),
    editor: attribute(text, { set: auth(({ role }) => role) }),
    author: toOne('person', { column: 'author_id' }),
  },
  actions: { print: action({ run: () => undefined }) },
})
const model = defineModel([person, report])

describe('Pages of a model with access rules', () => {
  const store = openSqlite(model, ':memory:')
  const handle = createHandler({
    model,
    store,
    html: createPages({ explain: true }),
    authenticate: ({ headers }) => {
      const role = headers.get('x-role')
      return role === null ? undefined : { id: role === 'lead' ? '3' : '1', role }
    },
  })
  const send = async (role: string | undefined, path: string, accept: string) => {
    const headers = { accept, ...(role !== undefined && { 'x-role': role }) }
    const response = await handle(new Request(`http://team.test${path}`, { headers }))
    return { status: response.status, text: await response.text() }
  }
  const open = (role: string | undefined, path: string) => send(role, path, 'text/html')

  before(() =>
    store.migrate([
      {
        version: 1,
        sql: `create table person (id integer primary key, name text not null, salary text, grade text);
          create table report (id integer primary key, text text not null, editor text, author_id integer references person (id));
          insert into person (id, name, salary) values (1, 'Cora', '4000'), (2, 'Dan', '5000'), (3, 'Eve', '6000');
          insert into report (id, text, author_id) values (1, 'of Cora', 1), (7777, 'of Dan', 2)`,
      },
    ]),
  )
  after(() => store.close())

  it('given a hidden field, when pages, forms and the description of the model are read, then none names it', async () => {
    const paths = [
      '/people',
      '/people/1?include=reports',
      '/html.model.json',
      '/reports?include=author',
    ]
    for (const path of paths) {
      assert.doesNotMatch((await open('member', path)).text, /salary|4000/, path)
      assert.match((await open('lead', path)).text, /salary/, path)
    }
  })

  it('given a hidden row, when its page is opened, then it is the 404 of a row that does not exist', async () => {
    const hidden = await open('member', '/reports/7777')
    const missing = await open('member', '/reports/8888')
    assert.deepEqual([hidden.status, missing.status], [404, 404])
    assert.equal(hidden.text.replaceAll('7777', '8888'), missing.text)
    assert.match((await open('lead', '/reports/7777')).text, /of Dan/)
  })

  for (const [role, path] of [
    [undefined, '/people'],
    [undefined, '/people/1'],
    ['member', '/reports/7777'],
    ['member', '/people?sort=salary'],
    ['member', '/people?filter[salary]=1'],
    ['member', '/people/99'],
    ['member', '/people/99/reports'],
    ['member', '/people/99/relationships/reports'],
    ['member', '/people/1/salary'],
    ['member', '/people/1/relationships/salary'],
    ['member', '/people?include=salary'],
    ['member', '/people?fields[person]=salary'],
    ['member', '/reports/7777/author'],
    ['member', '/reports/7777/relationships/author'],
    ['member', '/reports/x'],
    ['member', '/people/1/actions/greet'],
    ['member', '/people/1/actions/none'],
    ['member', '/people/actions/hire'],
    ['member', '/nothing'],
    ['member', '/html.nothing'],
    ['member', '/html.explain?url=/people/1/salary'],
    ['member', '/html.explain?url=/people/1/actions/greet'],
    ['member', '/html.explain?url=/people?sort=salary'],
    ['member', '/html.explain?url=/nothing'],
  ] as const)
    it(`given ${path}, which ${role ?? 'nobody'} may not read, when it is opened, then it has the status and the words of the JSON`, async () => {
      const json = await send(role, path, 'application/vnd.api+json')
      const page = await open(role, path)
      assert.equal(page.status, json.status, path)
      assert.equal(page.status >= 400, path !== '/people', path)
      const escapeHtml = (detail: string) =>
        detail.replaceAll('"', '&quot;').replaceAll('<', '&lt;')
      for (const { detail } of JSON.parse(json.text).errors ?? [])
        assert.ok(page.text.includes(escapeHtml(detail)), `${path}: ${detail}`)
    })

  const forms = async (role: string | undefined, path: string) =>
    [...(await open(role, path)).text.matchAll(/data-(?:method|send)="(\w+)"(?! data-call)/g)].map(
      ([, method]) => method,
    )

  it('given operations that are never allowed, when pages are opened, then they have no form for them', async () => {
    assert.deepEqual(await forms('member', '/people'), [])
    assert.deepEqual(await forms('lead', '/people'), ['POST'])
    assert.deepEqual(await forms(undefined, '/people'), [])
    assert.deepEqual(await forms('member', '/people/1'), [])
    assert.deepEqual(await forms('lead', '/people/1'), ['PATCH'])
    assert.deepEqual(await forms('member', '/reports'), ['POST'])
    assert.deepEqual(await forms('lead', '/people/1/reports'), ['POST'])
  })

  it('given rules on rows, when pages are opened, then they have the forms that the shown resource admits', async () => {
    assert.deepEqual(await forms('member', '/reports/1'), ['PATCH', 'DELETE'])
    assert.deepEqual(await forms('lead', '/reports/1'), [])
    // The report stores the key, so its rule decides from both sides of the relationship.
    assert.deepEqual(await forms('member', '/reports/1/relationships/author'), ['PATCH', 'PATCH'])
    assert.deepEqual(await forms('lead', '/reports/1/relationships/author'), [])
    assert.deepEqual(await forms('member', '/people/1/relationships/reports'), ['DELETE', 'POST'])
    assert.deepEqual(await forms('lead', '/people/1/relationships/reports'), ['POST'])
  })

  it('given fields that the identity may not write, when pages are opened, then their forms have no input for them', async () => {
    const inputs = async (role: string, path: string) =>
      [...(await open(role, path)).text.matchAll(/data-pointer="\/data\/(\S+)"/g)].map(
        ([, pointer]) => pointer,
      )
    assert.deepEqual(await inputs('member', '/reports'), [
      'attributes/text',
      'relationships/author',
    ])
    assert.deepEqual(await inputs('lead', '/people/1'), [
      ...['attributes/name', 'attributes/salary', 'relationships/reports'],
    ])
  })

  it('given the description of a field, when pages are opened, then inputs, values and columns have it', async () => {
    const text = 'As in the &quot;contract&quot;.'
    const { text: list } = await open('lead', '/people')
    const { text: one } = await open('lead', '/people/1')
    assert.match(list, new RegExp(`<th scope="col" title="${text}"`))
    assert.match(one, new RegExp(`<dt title="${text}"`))
    for (const page of [list, one]) {
      const [, hint] = /name="name"[^>]* aria-describedby="(\S+) \S+-error"/.exec(page) ?? []
      assert.ok(page.includes(`<div class="hint" id="${hint}" dir="auto"><p>${text}</p></div>`))
    }
  })

  it('given a page, when it is opened, then one further statement evaluates the rules that depend on its row, if there are any', async () => {
    const countStatements = async (role: string, path: string) => {
      let count = 0
      const add = () => {
        count += 1
      }
      for (const accept of ['application/vnd.api+json', 'text/html']) {
        // The first request may read what later ones have in memory.
        await send(role, path, accept)
        count = accept === 'text/html' ? -count : 0
        channel('lapidary:statement').subscribe(add)
        await send(role, path, accept)
        channel('lapidary:statement').unsubscribe(add)
      }
      return count
    }
    assert.equal(await countStatements('lead', '/people/1'), 0)
    assert.equal(await countStatements('lead', '/people?page[size]=2'), 0)
    assert.equal(await countStatements('member', '/reports/1'), 1)
    assert.equal(await countStatements('lead', '/people/1/relationships/reports'), 1)
  })

  it('given actions, when pages are opened, then they have forms for those that the identity may call there', async () => {
    const calls = async (role: string, path: string) =>
      [...(await open(role, path)).text.matchAll(/data-call="(\w+)"/g)].map(([, name]) => name)
    assert.deepEqual(await calls('member', '/people'), [])
    assert.deepEqual(await calls('lead', '/people'), ['hire'])
    assert.deepEqual(await calls('member', '/people/1'), ['greet'])
    assert.deepEqual(await calls('lead', '/people/1'), ['promote', 'greet'])
    assert.deepEqual(await calls('member', '/reports/1'), [])
    assert.deepEqual(await calls('lead', '/reports/1'), ['print'])
    assert.deepEqual(await calls('lead', '/reports/1/author'), [])
  })
})

const signed = declare<{ auth: string }>()
/** Takes seconds, and reads nothing. */
const isSlow = sql`exists (
  with recursive n (i) as (select 1 union all select i + 1 from n where i < 60000000)
  select 1 from n where i < 0)`

for (const database of databases)
  describe(`The rules that a page asks for · ${database.name}`, () => {
    /** Serves notes that their owner may change. @returns how to request one as a user */
    async function serve(
      test: TestContext,
      options: Readonly<{ timeout?: number; beforeUpdate?: () => Promise<void> }>,
      rule?: typeof isSlow,
    ) {
      const { timeout = 10_000, beforeUpdate = async () => {} } = options
      const isOwner = {
        filter: [{ name: 'owner', op: 'eq', val: signed.auth((user) => user) }],
      } as const
      const note = signed.resource('note', {
        path: '/notes',
        table: 'note',
        access: {
          read: true,
          create: true,
          update: rule ? { sql: () => rule } : isOwner,
          delete: true,
        },
        fields: { line: attribute(text), owner: attribute(text) },
        hooks: {
          beforeUpdate: async (_stored, _change, { query }) => {
            await query(sql`update note set owner = 'ben' where id = 2`)
            await beforeUpdate()
          },
        },
      })
      const served = signed.defineModel([note])
      const { url, remove } = await database.create()
      const store = await openStore(served, url, { timeout })
      test.after(async () => {
        await store.close()
        await remove()
      })
      const tables = `create table note (id integer primary key, line text, owner text);
        insert into note values (1, 'a', 'ada'), (2, 'b', 'ada')`
      await store.migrate([{ version: 1, sql: tables }])
      const authenticate = ({ headers }: Request) => headers.get('x-user') ?? ''
      const handle = createHandler({ model: served, store, html: createPages(), authenticate })
      return (method: string, path: string, user: string, body?: string) => {
        const type = 'application/vnd.api+json'
        const accept = method === 'GET' ? 'text/html' : type
        const headers = { accept, 'x-user': user, ...(body && { 'content-type': type }) }
        const init = { method, headers, ...(body && { body }) }
        return handle(new Request(`http://notes.test${path}`, init))
      }
    }

    it('given a transaction that is open, when a page is opened, then its forms are those of the committed rows', async (test) => {
      const written = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const beforeUpdate = async () => {
        written.resolve()
        await gate.promise
        throw new Error('no')
      }
      const send = await serve(test, { beforeUpdate })
      const offersUpdate = async () =>
        (await (await send('GET', '/notes/2', 'ben')).text()).includes('data-method="PATCH"')
      const body = JSON.stringify({ data: { type: 'note', id: '1', attributes: { line: 'c' } } })
      const update = send('PATCH', '/notes/1', 'ada', body)
      await written.promise
      try {
        assert.equal(await offersUpdate(), false)
      } finally {
        gate.resolve()
      }
      assert.equal((await update).status, 500)
      assert.equal(await offersUpdate(), false)
    })

    it('given a rule that takes long, when a page is opened, then other work runs meanwhile, and the page ends at the deadline of reads', async (test) => {
      const send = await serve(test, { timeout: 3000 }, isSlow)
      let isPending = true
      let turns = 0
      const page = send('GET', '/notes/2', 'ben').finally(() => {
        isPending = false
      })
      while (isPending) {
        await new Promise(setImmediate)
        turns += 1
      }
      assert.equal((await page).status, 503)
      assert.ok(turns > 100, `${turns} turns of the event loop`)
    })
  })
