import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { attribute, createHandler, defineModel, RequestError, resource, text } from 'lapidary'
import {
  type AuthRequest,
  apiKeyAuth,
  bearerAuth,
  createApiKey,
  firstOf,
  hashApiKey,
} from 'lapidary/auth'
import { createServer as createApiServer } from 'lapidary/fastify'
import { createNodeHandler } from 'lapidary/node'
import { openSqlite } from 'lapidary/sqlite'

const issuer = 'https://login.example.org'
const audience = 'notes'
const secret = 'a secret of at least thirty-two bytes'
const common = { issuer, audience, toAuth: ({ sub }: { sub?: string }) => sub }
const secondsNow = () => Math.floor(Date.now() / 1000)

/** Signs a token that is valid apart from the given claims. */
function sign(
  claims: Readonly<Record<string, unknown>> = {},
  key: Parameters<SignJWT['sign']>[0] = new TextEncoder().encode(secret),
  header: Readonly<{ alg: string; kid?: string }> = { alg: 'HS256' },
) {
  const defaults = { iss: issuer, aud: audience, sub: 'ada', exp: secondsNow() + 60 }
  return new SignJWT({ ...defaults, ...claims }).setProtectedHeader(header).sign(key)
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns the auth context, or the status and the challenge of a rejection. */
async function resultOf(authenticated: Promise<unknown>): Promise<unknown> {
  try {
    return await authenticated
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return [error.status, error.headers['www-authenticate']]
  }
}

/** Signs a token whose expiry is spelled like this. */
function signText(exp: string): string {
  const claims = `{"iss":"${issuer}","aud":"${audience}","sub":"ada","exp":${exp}}`
  const content = `${encode({ alg: 'HS256' })}.${Buffer.from(claims).toString('base64url')}`
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

const bearer = (token: string, rawHeaders: readonly string[] = []) => ({
  headers: { authorization: `Bearer ${token}` },
  rawHeaders,
})
const invalid = [401, 'Bearer error="invalid_token"']

/** Serves HTTP on a free port until the tests of the suite have run. */
async function listen(handle: RequestListener) {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { origin, close }
}

describe('bearerAuth with a secret', () => {
  const authenticate = bearerAuth({ ...common, key: { secret }, algorithms: ['HS256'] })

  it('returns the auth context of a valid token, whatever the case of the scheme', async () => {
    const token = await sign()
    const authorization = `Bearer ${token}`
    assert.equal(await authenticate(bearer(token)), 'ada')
    assert.equal(await authenticate({ headers: { authorization: `bEARER  ${token}` } }), 'ada')
    assert.equal(await authenticate(new Request('http://a', { headers: { authorization } })), 'ada')
  })

  it('accepts a token that has expired within the clock tolerance', async () => {
    assert.equal(await authenticate(bearer(await sign({ exp: secondsNow() - 2 }))), 'ada')
  })

  it('rejects a request without a token, without an error code', async () => {
    assert.deepEqual(await resultOf(authenticate({ headers: {} })), [401, 'Bearer'])
  })

  const unsigned = () =>
    `${encode({ alg: 'none' })}.${encode({ sub: 'ada', iss: issuer, aud: audience, exp: secondsNow() + 60 })}.`
  const tokens: readonly (readonly [title: string, token: () => Promise<string> | string])[] = [
    ['an expired token', () => sign({ exp: secondsNow() - 60 })],
    ['a token without an expiry', () => sign({ exp: undefined })],
    ['a token whose expiry is infinite', () => signText('1e400')],
    ['a token whose expiry is no date', () => sign({ exp: 1e300 })],
    ['a token that is not valid yet', () => sign({ nbf: secondsNow() + 60 })],
    ['a token of another issuer', () => sign({ iss: 'https://evil.example.org' })],
    ['a token for another audience', () => sign({ aud: 'other' })],
    ['a token with another signature', () => sign({}, new TextEncoder().encode(`${secret}!`))],
    [
      'a token with another algorithm',
      () => sign({}, new TextEncoder().encode(secret.repeat(2)), { alg: 'HS512' }),
    ],
    ['a token without a signature', unsigned],
    ['a token that was cut', async () => (await sign()).slice(0, -5)],
    ['a token of a user who is not known', () => sign({ sub: undefined })],
    ['text', () => 'abc'],
    ['an empty token', () => ''],
    ['a token that is too long', async () => `${await sign()}${'a'.repeat(9000)}`],
    ['two tokens', async () => `${await sign()}, Bearer ${await sign()}`],
  ]
  for (const [title, token] of tokens)
    it(`rejects ${title}`, async () => {
      assert.deepEqual(await resultOf(authenticate(bearer(await token()))), invalid)
    })

  it('rejects another scheme and a repeated header field', async () => {
    const token = await sign()
    const basic = { headers: { authorization: 'Basic YTpi' } }
    assert.deepEqual(await resultOf(authenticate(basic)), invalid)
    const raw = ['Authorization', `Bearer ${token}`, 'authorization', 'Bearer b']
    assert.deepEqual(await resultOf(authenticate(bearer(token, raw))), invalid)
  })

  it('accepts anonymous requests only with `anonymous`, and never an invalid token', async () => {
    const options = { ...common, key: { secret }, algorithms: ['HS256'] }
    const open = bearerAuth({ ...options, anonymous: () => 'nobody' })
    assert.equal(await open({ headers: {} }), 'nobody')
    assert.deepEqual(await resultOf(open(bearer('abc'))), invalid)
  })

  it('throws for options that are not safe', () => {
    const create = (options: object) => () =>
      bearerAuth({ ...common, key: { secret }, algorithms: ['HS256'], ...options })
    assert.throws(create({ algorithms: [] }), /bearerAuth\.algorithms: must be names/)
    assert.throws(
      create({ algorithms: ['HS256', 'None'] }),
      /bearerAuth\.algorithms: must be names/,
    )
    assert.throws(
      create({ key: { secret: 'short' } }),
      /bearerAuth\.key\.secret: must be a string of at least 32 bytes/,
    )
    assert.throws(create({ key: { pem: 'no key' } }), /bearerAuth\.key\.pem: must be/)
    const pem = { key: { pem: '-----BEGIN' }, algorithms: ['RS256'] }
    assert.throws(create(pem), /bearerAuth\.key\.pem: cannot be read/)
    for (const jwks of [
      'no url',
      'http://login.example.org/keys',
      'http://127.evil.example/k',
      'ftp://a/k',
    ])
      assert.throws(
        create({ key: { jwks }, algorithms: ['RS256'] }),
        /bearerAuth\.key\.jwks: must be the https URL of a key set, or an http URL of this machine/,
      )
    for (const jwks of ['https://a.example/k', 'http://localhost:1/k', 'http://[::1]/k'])
      create({ key: { jwks }, algorithms: ['RS256'] })()
    assert.throws(create({ issuer: undefined }), /bearerAuth\.issuer: must be a string/)
  })
})

describe('bearerAuth with public keys', () => {
  it('verifies by a PEM, and never takes the PEM for a secret', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const pem = await exportSPKI(publicKey)
    const asSecret = { ...common, key: { secret: pem }, algorithms: ['HS256'] }
    assert.throws(() => bearerAuth(asSecret), /key\.secret: .*pass a public key as { pem }$/)
    const authenticate = bearerAuth({ ...common, key: { pem }, algorithms: ['ES256', 'HS256'] })
    assert.equal(await authenticate(bearer(await sign({}, privateKey, { alg: 'ES256' }))), 'ada')
    const forged = await sign({}, new TextEncoder().encode(pem))
    assert.deepEqual(await resultOf(authenticate(bearer(forged))), invalid)
  })

  describe('of a key set', () => {
    let keys: object[] = []
    let status = 200
    let requests = 0
    let keyServer: Awaited<ReturnType<typeof listen>>
    before(async () => {
      keyServer = await listen((_request, response) => {
        requests += 1
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ keys }))
      })
    })
    after(() => keyServer.close())
    const createKey = async (kid: string) => {
      const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
      keys.push({ ...(await exportJWK(publicKey)), kid, alg: 'ES256' })
      return () => sign({}, privateKey, { alg: 'ES256', kid })
    }
    const create = (jwks = `${keyServer.origin}/keys`) =>
      bearerAuth({ ...common, key: { jwks }, algorithms: ['ES256'] })

    it('loads the keys once, and chooses by the id of the key', async () => {
      keys = []
      const [one, two] = [await createKey('one'), await createKey('two')]
      const authenticate = create()
      requests = 0
      for (const token of [one, two, one])
        assert.equal(await authenticate(bearer(await token())), 'ada')
      assert.equal(requests, 1)
      const { privateKey } = await generateKeyPair('ES256')
      const unknown = await sign({}, privateKey, { alg: 'ES256', kid: 'three' })
      assert.deepEqual(await resultOf(authenticate(bearer(unknown))), invalid)
    })

    it('reports 503 when the keys cannot be loaded, and serves when they can again', async () => {
      keys = []
      const token = await createKey('one')
      status = 500
      const authenticate = create()
      const unavailable = { code: 'unavailable', status: 503 }
      await assert.rejects(authenticate(bearer(await token())), unavailable)
      status = 200
      assert.equal(await authenticate(bearer(await token())), 'ada')
      const gone = create('http://127.0.0.1:1/keys')
      await assert.rejects(gone(bearer(await token())), unavailable)
    })
  })
})

describe('apiKeyAuth', () => {
  const [ada, bob] = [createApiKey(), createApiKey()]
  const keys = [
    { hash: ada.hash, auth: 'ada' },
    { hash: bob.hash, auth: 'bob' },
  ]
  const authenticate = apiKeyAuth({ keys })
  const withKey = (key: string, name = 'x-api-key') => ({ headers: { [name]: key } })

  it('finds the auth context of a key', async () => {
    assert.equal(await authenticate(withKey(ada.key)), 'ada')
    assert.equal(await authenticate(withKey(bob.key)), 'bob')
    assert.equal(ada.hash, hashApiKey(ada.key))
    assert.notEqual(ada.key, bob.key)
  })

  it('rejects other keys, a hash, a repeated field, and requests without a key', async () => {
    const rejected = [401, 'ApiKey header="x-api-key"']
    for (const key of ['', 'abc', ada.hash, `${ada.key} `, 'a'.repeat(9000)])
      assert.deepEqual(await resultOf(authenticate(withKey(key))), rejected)
    assert.deepEqual(await resultOf(authenticate({ headers: {} })), rejected)
    const repeated = { headers: { 'x-api-key': [ada.key, 'b'] } }
    assert.deepEqual(await resultOf(authenticate(repeated)), rejected)
  })

  it('finds keys by their hash in a store of the application', async () => {
    const hashes: string[] = []
    const stored = apiKeyAuth({
      header: 'X-Token',
      keys: async (hash) => {
        hashes.push(hash)
        return hash === ada.hash ? 'ada' : undefined
      },
      anonymous: () => 'nobody',
    })
    assert.equal(await stored(withKey(ada.key, 'x-token')), 'ada')
    const rejected = [401, 'ApiKey header="x-token"']
    assert.deepEqual(await resultOf(stored(withKey('abc', 'x-token'))), rejected)
    assert.equal(await stored({ headers: {} }), 'nobody')
    assert.deepEqual(hashes, [ada.hash, hashApiKey('abc')])
  })

  it('throws for a key that is not hashed', () => {
    const create = () => apiKeyAuth({ keys: [{ hash: ada.key, auth: 'ada' }] })
    assert.throws(create, /keys\[0\]\.hash: must be/)
  })
})

describe('firstOf', () => {
  const { key, hash } = createApiKey()
  const nobody = { anonymous: () => 'nobody' }
  const bearerOptions = { ...common, key: { secret }, algorithms: ['HS256'] }
  const keyOptions = { keys: [{ hash, auth: 'the key' }] }
  const session = async ({ headers }: AuthRequest) => {
    const cookie =
      'get' in headers && typeof headers.get === 'function' ? headers.get('cookie') : null
    if (cookie === 'session=1') return 'the session'
    throw new RequestError({ status: 401, detail: 'Sign in.' })
  }
  const withBearer = [bearerAuth({ ...bearerOptions, ...nobody }), apiKeyAuth(keyOptions)] as const
  const withKey = [bearerAuth(bearerOptions), apiKeyAuth({ ...keyOptions, ...nobody })] as const
  const open = async () => undefined
  // biome-ignore format: a table, one combination a row
  const combinations: readonly (readonly [title: string, authenticate: (request: AuthRequest) => Promise<unknown>])[] = [
    ['bearerAuth with anonymous, then apiKeyAuth', firstOf(...withBearer)],
    ['apiKeyAuth, then bearerAuth with anonymous', firstOf(withBearer[1], withBearer[0])],
    ['bearerAuth, then apiKeyAuth with anonymous', firstOf(...withKey)],
    ['apiKeyAuth with anonymous, then bearerAuth', firstOf(withKey[1], withKey[0])],
    ['both with anonymous',                        firstOf(withBearer[0], withKey[1])],
    ['a nested firstOf',                           firstOf(firstOf(session, withBearer[1]), firstOf(withBearer[0]))],
    ['a nested firstOf with anonymous in front',   firstOf(firstOf(...withKey), session)],
  ]
  const send = async (
    authenticate: (request: AuthRequest) => Promise<unknown>,
    headers: Record<string, string>,
  ) => {
    const result = await resultOf(authenticate(new Request('http://a', { headers })))
    return Array.isArray(result) ? result[0] : result
  }
  for (const [title, authenticate] of combinations) {
    const valid = async () => `Bearer ${await sign()}`
    // biome-ignore format: a table, one request a row
    const requests: readonly (readonly [credentials: string, headers: () => Promise<Record<string, string>>, result: unknown])[] = [
      ['no credentials',               async () => ({}),                                                    'nobody'],
      ['a token',                      async () => ({ authorization: await valid() }),                      'ada'],
      ['a key',                        async () => ({ 'x-api-key': key }),                                  'the key'],
      ['an expired token',             async () => ({ authorization: `Bearer ${await sign({ exp: 1 })}` }), 401],
      ['a forged token',               async () => ({ authorization: 'Bearer forged' }),                    401],
      ['an empty field',               async () => ({ authorization: '' }),                                 401],
      ['another scheme',               async () => ({ authorization: 'Basic YTpi' }),                       401],
      ['a wrong key',                  async () => ({ 'x-api-key': 'guessed' }),                            401],
      ['a wrong key and a token',      async () => ({ 'x-api-key': 'guessed', authorization: await valid() }), 'ada'],
      ['a key and a forged token',     async () => ({ 'x-api-key': key, authorization: 'Bearer forged' }),  'the key'],
      ['a wrong key, a forged token',  async () => ({ 'x-api-key': 'guessed', authorization: 'Bearer x' }), 401],
    ]
    for (const [credentials, headers, result] of requests)
      it(`given ${title} and ${credentials}, then the result is ${result}`, async () => {
        assert.equal(await send(authenticate, await headers()), result)
      })

    it(`given ${title} and repeated fields, then the request is rejected`, async () => {
      const token = await valid()
      const raw = ['Authorization', token, 'authorization', token]
      const repeated = { headers: { authorization: token }, rawHeaders: raw }
      assert.deepEqual(Object(await resultOf(authenticate(repeated)))[0], 401)
      const keys = { headers: { 'x-api-key': [key, key] } }
      assert.deepEqual(Object(await resultOf(authenticate(keys)))[0], 401)
    })
  }

  it('tells every challenge, and which credentials are wrong', async () => {
    const authenticate = firstOf(apiKeyAuth(keyOptions), bearerAuth(bearerOptions))
    const challenges = async (headers: Record<string, string>) =>
      resultOf(authenticate(new Request('http://a', { headers })))
    const missing = 'ApiKey header="x-api-key", Bearer'
    assert.deepEqual(await challenges({}), [401, missing])
    assert.deepEqual(await challenges({ 'x-api-key': 'x' }), [401, missing])
    const forged = `${missing} error="invalid_token"`
    assert.deepEqual(await challenges({ authorization: 'Bearer x' }), [401, forged])
    await assert.rejects(authenticate(new Request('http://a', { headers: { 'x-api-key': 'x' } })), {
      message: 'The credentials of the request are not valid.',
    })
    await assert.rejects(authenticate(new Request('http://a')), {
      message: 'The request has no credentials; WWW-Authenticate names what it needs.',
    })
  })

  it('takes a 401 of a function of the application for wrong credentials only if the request has some', async () => {
    const authenticate = firstOf(session, apiKeyAuth({ ...keyOptions, ...nobody }))
    assert.equal(await send(authenticate, { cookie: 'session=1' }), 'the session')
    assert.equal(await send(authenticate, { cookie: 'session=expired' }), 401)
    assert.equal(await send(authenticate, { authorization: 'Bearer x' }), 401)
    assert.equal(await send(authenticate, { 'x-user': 'x' }), 'nobody')
    const named = Object.assign(session.bind(undefined), { credentialFields: ['x-user'] })
    const extended = firstOf(named, apiKeyAuth({ ...keyOptions, ...nobody }))
    assert.equal(await send(extended, { 'x-user': 'x' }), 401)
    assert.deepEqual(extended.credentialFields, ['authorization', 'cookie', 'x-user', 'x-api-key'])
  })

  it('takes undefined of a function of the application for no credentials', async () => {
    const authenticate = firstOf<string | undefined>(open, bearerAuth(bearerOptions))
    assert.equal(await send(authenticate, {}), undefined)
    assert.equal(await send(authenticate, { authorization: `Bearer ${await sign()}` }), 'ada')
    assert.equal(await send(authenticate, { authorization: 'Bearer x' }), 401)
  })
})

describe('Authentication in every adapter', () => {
  const note = resource('note', {
    path: '/notes',
    table: 'note',
    fields: { text: attribute(text) },
  })
  const model = defineModel([note])
  const store = openSqlite(model, ':memory:')
  const { key, hash } = createApiKey()
  const authenticate = firstOf<unknown>(
    apiKeyAuth({ keys: [{ hash, auth: 'ada' }] }),
    bearerAuth({ ...common, key: { secret }, algorithms: ['HS256'] }),
  )
  before(() =>
    store.migrate([{ version: 1, sql: 'create table note (id integer primary key, text)' }]),
  )
  after(() => store.close())

  /** Sends a request to each adapter, and returns status, challenge and document. */
  const adapters: Readonly<
    Record<string, (headers: Record<string, string>) => Promise<unknown[]>>
  > = {
    Fastify: async (headers) => {
      const app = createApiServer({ model, store, authenticate, logLevel: 'silent' })
      const { statusCode, headers: fields, body } = await app.inject({ url: '/notes', headers })
      await app.close()
      return [statusCode, fields['www-authenticate'] ?? null, JSON.parse(body)]
    },
    'the Fetch API': async (headers) => {
      const handle = createHandler({ model, store, authenticate })
      return read(await handle(new Request('http://a/notes', { headers })))
    },
    'node:http': async (headers) => {
      const { origin, close } = await listen(createNodeHandler({ model, store, authenticate }))
      const result = await read(await fetch(`${origin}/notes`, { headers }))
      close()
      return result
    },
  }
  const read = async (response: Response) => [
    response.status,
    response.headers.get('www-authenticate'),
    await response.json(),
  ]
  for (const [name, send] of Object.entries(adapters))
    it(`works in ${name}`, async () => {
      assert.equal((await send({ authorization: `Bearer ${await sign()}` }))[0], 200)
      assert.equal((await send({ 'x-api-key': key }))[0], 200)
      const [status, challenge, document] = await send({ authorization: 'Bearer abc' })
      assert.equal(status, 401)
      assert.equal(challenge, 'ApiKey header="x-api-key", Bearer error="invalid_token"')
      assert.deepEqual(Object(document).errors, [
        {
          status: '401',
          code: 'unauthenticated',
          title: 'The request is not authenticated',
          detail: 'The credentials of the request are not valid.',
        },
      ])
    })
})
