import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  attribute,
  defineModel,
  RequestError,
  resource,
  type ServerOptions,
  sql,
  text,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import { engine } from './engine.ts'

type Identify = NonNullable<ServerOptions['authenticate']>

/** How requests are identified, and how often they were. */
let authenticate: Identify = () => undefined
let identified = 0
let callers: unknown[] = []
/** SQL that a hook of a read runs. */
let inRead: string | undefined

const note = resource('note', {
  path: '/notes',
  table: 'note',
  hooks: {
    beforeCreate: (_, { auth }) => void callers.push(auth),
    beforeUpdate: (_, __, { auth }) => void callers.push(auth),
    beforeDelete: (_, { auth }) => void callers.push(auth),
    async beforeRead({ auth, query }) {
      callers.push(auth)
      if (inRead !== undefined) await query(sql`${sql.raw(inRead)}`)
    },
  },
  fields: { text: attribute(text) },
})

const served = {
  model: defineModel([note], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes) =>
    `create table note (id ${newId}, text text); insert into note values (1, 'a')`,
  server: {
    authenticate: (request: Parameters<Identify>[0]) => {
      identified += 1
      return authenticate(request)
    },
  },
}

const body = { data: { type: 'note', id: '1', attributes: { text: 'b' } } }

/** Requests that reach an endpoint. */
const requests = [
  ['GET', '/', undefined],
  ['GET', '/notes', undefined],
  ['HEAD', '/notes', undefined],
  ['GET', '/notes/1', undefined],
  ['POST', '/notes', body],
  ['PATCH', '/notes/1', body],
  ['DELETE', '/notes/1', undefined],
] as const

const refusal = new RequestError({
  ...{ status: 401, code: 'who_are_you', title: 'Who are you?', detail: 'Say who you are.' },
  headers: { 'www-authenticate': 'Bearer realm="notes"' },
})

engine('Who asks', served, (world) => {
  beforeEach(() => {
    authenticate = () => undefined
    identified = 0
    callers = []
    inRead = undefined
  })

  for (const [sentence, by] of [
    ['at once', ({ headers }) => headers.authorization],
    [
      'after a while',
      async ({ headers }) => {
        await setTimeout(1)
        return headers.authorization
      },
    ],
  ] as const satisfies readonly (readonly [string, Identify])[]) {
    it(`is found out ${sentence}, once for each request, and every hook is told`, async () => {
      authenticate = by
      for (const [at, [method, path, sent]] of requests.entries()) {
        callers = []
        const headers = { authorization: `caller ${at}` }
        const answer = await world.call(method, path, { headers, body: sent })
        assert.ok(answer.status < 300, answer.text)
        assert.deepEqual([...new Set(callers)], path === '/' ? [] : [`caller ${at}`])
        assert.equal(identified, at + 1)
      }
    })
  }

  it('may be an object, handed on as it is', async () => {
    const caller = { name: 'Ada', roles: new Set(['admin']) }
    authenticate = () => caller
    await world.get('/notes')
    assert.equal(callers[0], caller)
  })

  it('may be refused: 401 with its header and its words, before anything else is looked at', async () => {
    for (const by of [
      () => {
        throw refusal
      },
      async () => {
        await setTimeout(1)
        throw refusal
      },
    ] satisfies Identify[]) {
      authenticate = by
      for (const [method, path, sent] of [
        ...requests,
        ['GET', '/notes/9', undefined],
        ['GET', '/notes?sort=nothing', undefined],
        ['POST', '/notes', { data: null }],
      ] as const) {
        const answer = await world.call(method, path, { body: sent })
        assert.equal(answer.status, 401, `${method} ${path} ${answer.text}`)
        assert.equal(answer.headers['www-authenticate'], 'Bearer realm="notes"')
        if (method === 'HEAD') continue
        const { code, title, detail } = answer.fault
        assert.deepEqual([code, title, detail], ['who_are_you', 'Who are you?', 'Say who you are.'])
      }
      assert.deepEqual(callers, [])
    }
    authenticate = () => undefined
    assert.equal((await world.get('/notes')).body.meta?.count, 1)
    assert.equal((await world.get('/notes/1')).one.attributes?.text, 'a')
  })

  it('whatever else it throws is a fault of ours', async () => {
    for (const thrown of [new Error('secret'), 'secret', undefined]) {
      authenticate = () => {
        throw thrown
      }
      const answer = await world.get('/notes')
      assert.deepEqual([answer.status, answer.fault.code], [500, 'internal_error'])
      assert.ok(!answer.text.includes('secret'))
    }
  })

  it('is not asked where no endpoint is reached', async () => {
    for (const [method, path, headers, status] of [
      ['GET', '/nowhere', {}, 404],
      ['PUT', '/notes', {}, 405],
      ['OPTIONS', '/notes', {}, 204],
      ['GET', '/notes', { Accept: 'application/vnd.api+json; a=b' }, 406],
      ['POST', '/notes', { 'Content-Type': 'text/plain' }, 415],
    ] as const) {
      const sent = method === 'POST' ? body : undefined
      assert.equal((await world.call(method, path, { headers, body: sent })).status, status)
    }
    assert.equal(identified, 0)
  })

  it('hooks of reads read and do not write, on every database', async () => {
    inRead = "insert into note (text) values ('by a hook')"
    for (const path of ['/notes', '/notes/1', '/notes?page[size]=0']) {
      assert.equal((await world.get(path)).status, 500, path)
    }
    inRead = 'select * from note'
    assert.equal((await world.get('/notes')).body.meta?.count, 1)
    assert.equal((await world.post('/notes', body)).status, 201)
    assert.equal((await world.get('/notes')).body.meta?.count, 2)
  })
})
