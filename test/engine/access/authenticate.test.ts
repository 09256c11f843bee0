import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { attribute, defineModel, RequestError, resource, sql, text } from 'lapidary'
import type { ServerOptions } from 'lapidary/fastify'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

type Authenticate = NonNullable<ServerOptions['authenticate']>

/** The authentication of the current test, and the number of its calls. */
let authenticate: Authenticate = () => undefined
let calls = 0
/** The auth contexts that hooks received. */
let received: unknown[] = []
/** SQL that the `beforeRead` hook runs. */
let hookSql: string | undefined

const note = resource('note', {
  path: '/notes',
  table: 'note',
  hooks: {
    beforeCreate: (_, { auth }) => void received.push(auth),
    beforeUpdate: (_, __, { auth }) => void received.push(auth),
    beforeDelete: (_, { auth }) => void received.push(auth),
    async beforeRead({ auth, query }) {
      received.push(auth)
      if (hookSql !== undefined) await query(sql`${sql.raw(hookSql)}`)
    },
  },
  fields: { text: attribute(text) },
})

const served = {
  model: defineModel([note], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes) =>
    `create table note (id ${newId}, text text); insert into note values (1, 'a')`,
  server: {
    authenticate: (request: Parameters<Authenticate>[0]) => {
      calls += 1
      return authenticate(request)
    },
  },
}

const body = { data: { type: 'note', id: '1', attributes: { text: 'b' } } }

/** Requests that have a route. */
const requests = [
  ['GET', '/', undefined],
  ['GET', '/notes', undefined],
  ['HEAD', '/notes', undefined],
  ['GET', '/notes/1', undefined],
  ['POST', '/notes', body],
  ['PATCH', '/notes/1', body],
  ['DELETE', '/notes/1', undefined],
] as const

const unauthorized = new RequestError({
  ...{ status: 401, code: 'who_are_you', title: 'Who are you?', detail: 'Say who you are.' },
  headers: { 'www-authenticate': 'Bearer realm="notes"' },
})

engine('Authentication', served, (app) => {
  beforeEach(() => {
    authenticate = () => undefined
    calls = 0
    received = []
    hookSql = undefined
  })

  for (const [kind, implementation] of [
    ['a synchronous authenticate', ({ headers }) => headers.authorization],
    [
      'an asynchronous authenticate',
      async ({ headers }) => {
        await setTimeout(1)
        return headers.authorization
      },
    ],
  ] as const satisfies readonly (readonly [string, Authenticate])[]) {
    it(`given ${kind}, when requests are served, then it runs once for each and every hook receives its result`, async () => {
      authenticate = implementation
      for (const [at, [method, path, sent]] of requests.entries()) {
        received = []
        const headers = { authorization: `user ${at}` }
        const answer = await app.call(method, path, { headers, body: sent })
        assert.ok(answer.status < 300, answer.text)
        assert.deepEqual([...new Set(received)], path === '/' ? [] : [`user ${at}`])
        assert.equal(calls, at + 1)
      }
    })
  }

  it('given an auth context that is an object, when a hook runs, then it receives the same object', async () => {
    const user = { name: 'Ada', roles: new Set(['admin']) }
    authenticate = () => user
    await app.get('/notes')
    assert.equal(received[0], user)
  })

  it('given an authenticate that throws a RequestError, when any request is sent, then that error is the response, before all other checks', async () => {
    for (const implementation of [
      () => {
        throw unauthorized
      },
      async () => {
        await setTimeout(1)
        throw unauthorized
      },
    ] satisfies Authenticate[]) {
      authenticate = implementation
      for (const [method, path, sent] of [
        ...requests,
        ['GET', '/notes/9', undefined],
        ['GET', '/notes?sort=nothing', undefined],
        ['POST', '/notes', { data: null }],
      ] as const) {
        const answer = await app.call(method, path, { body: sent })
        assert.equal(answer.status, 401, `${method} ${path} ${answer.text}`)
        assert.equal(answer.headers['www-authenticate'], 'Bearer realm="notes"')
        if (method === 'HEAD') continue
        const { code, title, detail } = answer.error
        assert.deepEqual([code, title, detail], ['who_are_you', 'Who are you?', 'Say who you are.'])
      }
      assert.deepEqual(received, [])
    }
    authenticate = () => undefined
    assert.equal((await app.get('/notes')).body.meta?.count, 1)
    assert.equal((await app.get('/notes/1')).one.attributes?.text, 'a')
  })

  for (const thrown of [new Error('secret'), 'secret', undefined])
    it(`given an authenticate that throws ${String(thrown)}, when a request is sent, then the response is a bare 500`, async () => {
      authenticate = () => {
        throw thrown
      }
      const answer = await app.get('/notes')
      assert.deepEqual([answer.status, answer.error.code], [500, 'internal_error'])
      assert.ok(!answer.text.includes('secret'))
    })

  for (const [method, path, headers, status] of [
    ['GET', '/nowhere', {}, 404],
    ['PUT', '/notes', {}, 405],
    ['OPTIONS', '/notes', {}, 204],
    ['GET', '/notes', { Accept: 'application/vnd.api+json; a=b' }, 406],
    ['POST', '/notes', { 'Content-Type': 'text/plain' }, 415],
  ] as const)
    it(`given ${method} ${path}, which is ${status} by its route or headers, when it is sent, then authenticate does not run`, async () => {
      const sent = method === 'POST' ? body : undefined
      assert.equal((await app.call(method, path, { headers, body: sent })).status, status)
      assert.equal(calls, 0)
    })

  it('given a beforeRead hook, when it runs SQL, then it can read but not write', async () => {
    hookSql = "insert into note (text) values ('by a hook')"
    for (const path of ['/notes', '/notes/1', '/notes?page[size]=0']) {
      assert.equal((await app.get(path)).status, 500, path)
    }
    hookSql = 'select * from note'
    assert.equal((await app.get('/notes')).body.meta?.count, 1)
    assert.equal((await app.post('/notes', body)).status, 201)
    assert.equal((await app.get('/notes')).body.meta?.count, 2)
  })
})
