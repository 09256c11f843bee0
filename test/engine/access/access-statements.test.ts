import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { Session } from 'node:inspector/promises'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  auth,
  type Client,
  createApi,
  createHandler,
  defineModel,
  type Model,
  resource,
  type Store,
  sql,
  text,
} from 'lapidary'
import { databases } from '../../databases.ts'
import type { OpenDatabase } from '../../open-database.ts'
import { openStore } from '../engine.ts'

interface User {
  readonly id: string
}

const authorOf = auth(({ id }: User) => id)
const isAuthor = { filter: [{ name: 'author', op: 'eq', val: authorOf }] }
const fields = { text: attribute(text), author: attribute(text) }
const ruled = defineModel([
  resource('note', {
    ...{ path: '/notes', table: 'note' },
    access: { read: isAuthor, create: isAuthor, update: isAuthor, delete: isAuthor },
    fields,
  }),
  resource('binary', {
    ...{ path: '/binaries', table: 'note' },
    access: { read: { sql: (column) => sql`${column('token')} = ${authorOf}` }, create: false },
    fields: { text: attribute(text) },
  }),
])
const open = defineModel([resource('note', { path: '/notes', table: 'note', fields })])

/** The number of identities that send a request. Each takes PostgreSQL a millisecond. */
const identities = { sqlite: 10_000, postgres: 1000 } as const

/** A list, a read by its id, and the lock before an update; PostgreSQL gets a second read, the checks and the update with the lock. */
const statementCounts = { sqlite: 3, postgres: 7 } as const

for (const database of databases)
  describe(`The statements of access rules · ${database.name}`, () => {
    let opened: OpenDatabase
    let store: Store
    before(async () => {
      opened = await database.create()
      const { newId, text: type, bytes } = database.columnTypes
      await opened.second?.execute(
        `create table note (id ${newId}, text ${type}, author ${type}, token ${bytes});
        insert into note (text, author) values ('x', '1'), ('y', '2'), ('z', '1')`,
      )
      store = await openStore(ruled, opened.url, { poolSize: 1 })
      await store.prepare()
    })
    after(async () => {
      await store.close()
      await opened.remove()
    })

    it(`are shared by ${identities[database.dialect]} identities: lists, reads by id and updates`, async () => {
      const api = createApi({ model: ruled, store })
      const statements = new Set<string>()
      const listen = (message: unknown) => statements.add((message as { sql: string }).sql)
      const use = async (id: number) => {
        const client = api.with({ auth: { id: String(id) } })
        const { data } = await client.list('note')
        assert.equal(data.length, id === 1 ? 2 : id === 2 ? 1 : 0)
        if (id % 10 === 0) await assert.rejects(client.get('note', '1'), { code: 'not_found' })
        if (id % 50 === 0)
          await assert.rejects(client.update('note', '1', { text: 'n' }), { code: 'not_found' })
      }
      channel('lapidary:statement').subscribe(listen)
      // The first identities compile the statements, and PostgreSQL prepares them.
      for (let id = 1; id <= 100; id += 1) await use(id)
      const compiled = statements.size
      const ofNotes = [...statements].filter((each) => /\bnote\b/.test(each))
      for (let id = 101; id <= identities[database.dialect]; id += 1) await use(id)
      channel('lapidary:statement').unsubscribe(listen)
      assert.equal(statements.size, compiled, [...statements].join('\n'))
      assert.equal(ofNotes.length, statementCounts[database.dialect], ofNotes.join('\n'))
      if (database.dialect === 'sqlite') return
      const prepared = await api
        .with({ auth: { id: '1' } })
        .transaction((tx) =>
          tx.sql(
            sql`select count(*)::int as count from pg_prepared_statements where statement like '%"note"%'`,
          ),
        )
      assert.deepEqual(prepared, [{ count: statementCounts.postgres }])
    })

    it('given a rule that is a filter, then a list has the statements of a client that sends the filter', async (test) => {
      const plain = await openStore(open, opened.url)
      test.after(() => plain.close())
      await plain.prepare()
      const listStatements = async (model: Model, used: Store, query: object) => {
        const statements: string[] = []
        const listen = (message: unknown) => statements.push((message as { sql: string }).sql)
        const client = createApi({ model, store: used }).with({ auth: { id: '1' } }) as Client
        channel('lapidary:statement').subscribe(listen)
        for (const page of [{ size: 1 }, { size: 1, number: 2 }, {}])
          await client.list('note', { ...query, page })
        channel('lapidary:statement').unsubscribe(listen)
        return statements.filter((each) => each.includes('"note"'))
      }
      const ofRule = await listStatements(ruled, store, {})
      const filter = [{ name: 'author', op: 'eq', val: '1' }]
      const ofFilter = await listStatements(open, plain, { filter })
      assert.ok(ofRule.length >= 3)
      const withoutParentheses = (each: string) => each.replaceAll(/[()]/g, '')
      assert.deepEqual(ofRule.map(withoutParentheses), ofFilter.map(withoutParentheses))
    })

    it('given identities whose values are bytes, then no count of one is used for another', async () => {
      const tokens = [Buffer.from([0xff, 1]), Buffer.from([0xfe, 1])]
      const values = tokens.map((token, index) => {
        const hex = token.toString('hex')
        const bytes = database.dialect === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`
        return Array.from({ length: 31 + index }, () => `('t', ${bytes})`).join(', ')
      })
      await opened.second?.execute(`insert into note (text, token) values ${values.join(', ')}`)
      const api = createApi({ model: ruled, store })
      for (const round of [1, 2, 3])
        for (const [index, id] of tokens.entries()) {
          const { meta } = await api.with({ auth: { id } }).list('binary')
          assert.equal(meta.count, 31 + index, `round ${round}`)
        }
    })

    it('given a model without rules, when requests are handled, then no function of access rules runs', async () => {
      const plain = await openStore(open, opened.url)
      const ran = await listAccessFunctions(open, plain)
      await plain.close()
      // These only return: the statements of a request without an identity, and no checks of a write.
      const constant = ['sql/access/restrict.ts ', 'sql/access/run-checks.ts runAccessChecks']
      assert.deepEqual(
        ran.filter((each) => !constant.includes(each)),
        [],
      )
      assert.ok((await listAccessFunctions(ruled, store)).length > 3)
    })
  })

/** Sends requests of each kind, twice. */
async function sendRequests(handle: ReturnType<typeof createHandler>): Promise<void> {
  const data = { type: 'note', attributes: { text: 'n', author: '7' } }
  const requests = [
    ['GET', '/notes', undefined],
    ['GET', '/notes/1', undefined],
    ['POST', '/notes', { data }],
    ['PATCH', '/notes/1', { data: { ...data, id: '1', attributes: { text: 'm' } } }],
    ['DELETE', '/notes/99', undefined],
  ] as const
  for (const [method, path, body] of [...requests, ...requests]) {
    const response = await handle(
      new Request(`http://localhost${path}`, {
        method,
        headers: { 'content-type': 'application/vnd.api+json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
      { auth: { id: '7' } },
    )
    assert.ok(response.status < 500, await response.text())
  }
}

/** Lists the functions of the modules about access rules that requests call, by V8's coverage. */
async function listAccessFunctions(model: Model, store: Store): Promise<string[]> {
  const handle = createHandler({ model, store })
  // The first requests compile, and the next ones do not.
  await sendRequests(handle)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  try {
    await session.post('Profiler.takePreciseCoverage')
    await sendRequests(handle)
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result
      .filter(({ url }) => /\/src\/(plan|sql)\/access\/|\/src\/endpoints\/access-views/.test(url))
      .flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges: [range] }) => range && range.count > 0)
          .map(({ functionName }) => `${url.split('/src/')[1]} ${functionName}`),
      )
  } finally {
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
  }
}
