import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { SignJWT } from 'jose'
import { attribute, createHandler, declare, text, toMany, toOne } from 'lapidary'
import { bearerAuth } from 'lapidary/auth'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { silentLogger } from '../../src/endpoints/handler.ts'

interface User {
  readonly id: string
}
const { auth, defineModel, resource } = declare<{ auth: User }>()
const isAdmin = auth(({ id }) => id === 'admin')
const fail = auth(({ id }) => {
  if (id === 'broken') throw new Error('the secret of the rule')
  return true
})

const note = resource('note', {
  path: '/notes',
  table: 'note',
  access: { read: fail },
  fields: {
    text: attribute(text),
    review: toOne('review', { column: 'review_id', readable: isAdmin }),
    related: toMany('note', { column: 'parent_id' }),
  },
})
const review = resource('review', {
  path: '/reviews',
  table: 'review',
  fields: { text: attribute(text) },
})
const model = defineModel([note, review])

const secret = 'a secret of at least thirty-two bytes'
const [issuer, audience] = ['https://login.example.org', 'notes']
const sign = (sub: string, claims: object = {}, key = secret) =>
  new SignJWT({
    iss: issuer,
    aud: audience,
    sub,
    exp: Math.floor(Date.now() / 1000) + 60,
    ...claims,
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(key))
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A response of any adapter. */
interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** Sends a request with any number of `Authorization` fields. */
type Send = (
  method: string,
  path: string,
  credentials: readonly string[],
  fields?: Readonly<Record<string, string>>,
) => Promise<Answer>

describe('Requests that are rejected before a handler', () => {
  const store = openSqlite(model, ':memory:')
  const authenticate = bearerAuth({
    ...{ key: { secret }, algorithms: ['HS256'], issuer, audience },
    toAuth: ({ sub }) => (sub === undefined ? undefined : { id: sub }),
  })
  const server = createServer({ model, store, authenticate, logLevel: 'silent' })
  const handle = createHandler({ model, store, authenticate, log: silentLogger })
  let origin = ''
  before(async () => {
    await store.migrate([
      {
        version: 1,
        sql: `create table review (id integer primary key, text);
          create table note (id integer primary key, text, parent_id references note (id), review_id references review (id));
          insert into review values (1, 'a'); insert into note values (1, 'x', null, 1)`,
      },
    ])
    origin = await server.listen({ host: '127.0.0.1', port: 0 })
  })
  after(async () => {
    await server.close()
    await store.close()
  })

  const adapters: Readonly<Record<string, Send>> = {
    Fastify: (method, path, credentials, fields = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      // Names and values in turn: an object cannot repeat a field.
      const headers = [
        ...['host', 'localhost'],
        ...credentials.flatMap((value) => ['authorization', value]),
        ...Object.entries(fields).flat(),
      ]
      const sent = request(`${origin}${path}`, { method, headers }, async (response) => {
        const body = (await response.toArray()).join('')
        const entries = Object.entries(response.headers).map(([name, value]) => [
          name,
          String(value),
        ])
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(entries), body })
      })
      sent.on('error', reject).end()
      return promise
    },
    'the Fetch API': async (method, path, credentials, fields) => {
      const headers = new Headers(fields)
      for (const value of credentials) headers.append('authorization', value)
      const response = await handle(new Request(`http://localhost${path}`, { method, headers }))
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      }
    },
  }
  const bearer = async (user: string) => [`Bearer ${await sign(user)}`]

  /** Counts the statements that work runs. */
  async function countStatements(work: () => Promise<void>): Promise<number> {
    let count = 0
    const listener = () => {
      count += 1
    }
    subscribe('lapidary:statement', listener)
    await work()
    unsubscribe('lapidary:statement', listener)
    return count
  }

  const tokens: Readonly<Record<string, () => Promise<readonly string[]> | readonly string[]>> = {
    broken: async () => [`Bearer ${(await sign('ada')).slice(0, -5)}`],
    expired: async () => [`Bearer ${await sign('ada', { exp: 1 })}`],
    'wrongly signed': async () => [`Bearer ${await sign('ada', {}, `${secret}!`)}`],
    unsigned: () => [
      `Bearer ${encode({ alg: 'none' })}.${encode({ sub: 'ada', iss: issuer, aud: audience, exp: 2e9 })}.`,
    ],
    oversized: async () => [`Bearer ${await sign('ada')}${'a'.repeat(9000)}`],
    duplicated: async () => [...(await bearer('ada')), ...(await bearer('ada'))],
    empty: () => ['Bearer '],
  }
  for (const [name, send] of Object.entries(adapters)) {
    it(`given any token that is not valid, then the response of ${name} is the same 401, and no statement runs`, async () => {
      const answers: unknown[] = []
      const count = await countStatements(async () => {
        for (const [title, credentials] of Object.entries(tokens))
          for (const [method, path] of [
            ['GET', '/notes/1'],
            ['DELETE', '/notes/1'],
          ] as const) {
            const { status, headers, body } = await send(method, path, await credentials())
            assert.equal(status, 401, title)
            answers.push([headers['www-authenticate'], headers['content-type'], body])
          }
      })
      assert.equal(count, 0)
      assert.equal(new Set(answers.map((each) => JSON.stringify(each))).size, 1)
      const [[challenge, type, body]] = answers as [[string, string, string]]
      assert.deepEqual(
        [challenge, type],
        ['Bearer error="invalid_token"', 'application/vnd.api+json'],
      )
      assert.deepEqual(JSON.parse(body).errors, [
        {
          ...{ status: '401', code: 'unauthenticated', title: 'The request is not authenticated' },
          detail: 'The credentials of the request are not valid.',
        },
      ])
      assert.equal((await send('GET', '/notes/1', await bearer('ada'))).status, 200)
    })

    it(`given a rule that throws, then the response of ${name} is a bare 500, and nothing is read or written`, async () => {
      const credentials = await bearer('broken')
      const count = await countStatements(async () => {
        for (const [method, path] of [
          ['GET', '/notes'],
          ['GET', '/notes/1'],
          ['GET', '/reviews/1'],
          ['DELETE', '/notes/1'],
          ['OPTIONS', '/notes/1/review'],
          ['PUT', '/notes/1/review'],
        ] as const) {
          const { status, body } = await send(method, path, credentials)
          assert.equal(status, 500, `${method} ${path}`)
          assert.doesNotMatch(body, /secret|rule/)
        }
      })
      assert.equal(count, 0)
      assert.equal((await send('GET', '/notes/1', await bearer('ada'))).status, 200)
    })

    it(`given a path that exists for everybody, then ${name} answers OPTIONS and 405 without credentials`, async () => {
      const options = await send('OPTIONS', '/notes/1', [])
      assert.deepEqual(
        [options.status, options.headers.allow],
        [204, 'GET, PATCH, DELETE, HEAD, OPTIONS'],
      )
      const put = await send('PUT', '/notes/1/related', [])
      assert.deepEqual([put.status, put.headers.allow], [405, 'GET, POST, HEAD, QUERY, OPTIONS'])
    })

    it(`given a path that is hidden from an identity, then ${name} answers OPTIONS and 405 as for an unknown path`, async () => {
      const [ada, admin] = [await bearer('ada'), await bearer('admin')]
      for (const path of ['/notes/1/review', '/notes/1/relationships/review'])
        for (const method of ['OPTIONS', 'PUT', 'PROPFIND', 'GET', 'HEAD']) {
          const hidden = await send(method, path, ada)
          const unknown = await send(method, `${path}s`, ada)
          assert.equal(hidden.status, 404, method)
          assert.equal(hidden.body, unknown.body.replaceAll(`${path}s`, path))
          assert.equal(hidden.headers.allow, undefined)
          assert.equal((await send(method, path, [])).status, 401)
        }
      assert.equal((await send('OPTIONS', '/notes/1/review', admin)).status, 204)
      for (const method of ['PUT', 'PROPFIND'])
        assert.equal((await send(method, '/notes/1/review', admin)).status, 405)
    })

    it(`given a preflight request, then ${name} answers it without credentials`, async () => {
      const fields = { origin: 'https://app.example.org', 'access-control-request-method': 'PATCH' }
      assert.equal((await send('OPTIONS', '/notes/1', [], fields)).status, 204)
      assert.equal((await send('OPTIONS', '/notes/1/review', [], fields)).status, 204)
    })
  }
})
