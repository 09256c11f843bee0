import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { attribute, createHandler, defineModel, RequestError, resource, text } from 'lapidary'
import { apiKeyAuth, bearerAuth, createApiKey, firstOf } from 'lapidary/auth'
import { createClient } from 'lapidary/client'
import { docsPage } from 'lapidary/docs'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { createNodeHandler } from 'lapidary/node'
import { describeApi } from 'lapidary/openapi'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { folder } from '../../service/child.ts'

const model = defineModel([
  resource('note', { path: '/notes', table: 'note', fields: { text: attribute(text) } }),
])
const store = openSqlite(model, ':memory:')
const app = { model, store }
const secret = 'a secret that has 32 bytes or more'
const token = { key: { secret }, algorithms: ['HS256'], issuer: 'i', audience: 'a', toAuth: String }
const { key: apiKey, hash } = createApiKey()
const postgres = 'postgres://localhost/music'

/** Calls a function as a program without types may do. */
const call =
  (work: (...args: never[]) => unknown, ...args: readonly unknown[]) =>
  () =>
    Reflect.apply(work, undefined, args)
const migrate = call.bind(undefined, store.migrate)
const error = (...args: readonly unknown[]) => {
  return () => Reflect.construct(RequestError, args)
}

/** Calls that the compiler rejects, and the line that a program without types gets. */
// biome-ignore format: a table, one call a row
const wrong: readonly (readonly [work: () => unknown, line: string])[] = [
  [call(openSqlite, model, 'a.db', { readonly: true }), 'openSqlite.readonly: there is no such option; did you mean "readOnly"?'],
  [call(openSqlite, model, 'a.db', { timeout: '5s' }), 'openSqlite.timeout: must be a whole number from 1; it is "5s"'],
  [call(openSqlite, model, 'sqlite:a.db'), 'openSqlite.path: must be the path alone; write "a.db"'],
  [call(openSqlite, model), 'openSqlite.path: must be the path of a file, or ":memory:"; it is missing'],
  [call(openSqlite, [], 'a.db'), 'openSqlite.model: must be the result of defineModel; it is an array'],
  [call(openPostgres, model, postgres, { poolsize: 5 }), 'openPostgres.poolsize: there is no such option; did you mean "poolSize"?'],
  [call(openPostgres, model, postgres, { replicaUrls: 'postgres://b' }), 'openPostgres.replicaUrls: must be an array of URLs; it is "postgres://b"'],
  [call(openPostgres, model), 'openPostgres.url: must be postgres://<user>:<password>@<host>/<database>; it is missing'],
  [call(openPostgres, model, 'postgre://me:secret@b/c'), 'openPostgres.url: must be postgres://<user>:<password>@<host>/<database>; it is not'],
  [migrate({ version: 1, sql: '' }), 'migrate.migrations: must be an array of migrations; it is an object'],
  [migrate([{ verison: 1, sql: '' }]), 'migrate.migrations[0].verison: there is no such option; did you mean "version"?\nmigrate.migrations[0].version: must be a whole number from 1; it is missing'],
  [migrate([{ version: 1, sql: '' }, { version: 1, sql: '' }]), 'migrate.migrations[1].version: another migration has the version 1'],
  [migrate([], 'comapre'), 'migrate.mode: "comapre" is not allowed; did you mean "compare"?'],
  [call(createHandler, { ...app, log: 'debug' }), 'createHandler.log: must be a logger with the methods trace, debug, info, warn, error, fatal; it is "debug"'],
  [call(createNodeHandler, { ...app, log: {} }), 'createNodeHandler.log: must be a logger with the methods trace, debug, info, warn, error, fatal; it is an object'],
  [call(createServer, { ...app, allowedHosts: ['https://a.org/'] }), 'createServer.allowedHosts: must be an array of hosts such as "api.example.org"; it is an array'],
  [call(createPages, { explian: true }), 'createPages.explian: there is no such option; did you mean "explain"?'],
  [call(docsPage, { pth: '/docs' }), 'docsPage.pth: there is no such option; did you mean "path"?'],
  [call(describeApi, model, { auht: {} }), 'describeApi.auht: there is no such option; did you mean "auth"?'],
  [call(describeApi, store), 'describeApi.model: must be the result of defineModel; it is an object'],
  [call(openSqlite, model, 'a.db', { create: true, readOnly: true }), 'openSqlite.options: create and readOnly contradict each other; remove one of them'],
  [call(createClient, { ulr: 'http://localhost' }), 'createClient.ulr: there is no such option; the options are url, headers, fetch, root.'],
  [call(createClient, { url: undefined }), 'createClient.url: must be the address of the API.'],
  [call(bearerAuth, { ...token, audience: undefined, audiance: 'a' }), 'bearerAuth.audiance: there is no such option; did you mean "audience"?\nbearerAuth.audience: must be a string; it is missing'],
  [call(bearerAuth, { ...token, algorithms: ['none'] }), 'bearerAuth.algorithms: must be names of signature algorithms, such as ["RS256"], without "none"; it is an array'],
  [call(bearerAuth, { ...token, algorithms: ['RS256'] }), 'bearerAuth.algorithms: none signs with a secret, so no token is valid; use HS256, HS384 or HS512'],
  [call(bearerAuth, { ...token, key: { jwks: 'https://a.org/jwks' } }), 'bearerAuth.algorithms: none signs with a private key, so no token is valid; use an algorithm of public keys, such as RS256'],
  [call(bearerAuth, { ...token, key: secret }), 'bearerAuth.key: must be { secret }, { pem } or { jwks }'],
  [call(bearerAuth, { ...token, key: { secret: 'too short' } }), 'bearerAuth.key.secret: must be a string of at least 32 bytes, and no key in PEM: pass a public key as { pem }'],
  [call(bearerAuth, { ...token, key: { secret: undefined } }), 'bearerAuth.key.secret: must be a string of at least 32 bytes, and no key in PEM: pass a public key as { pem }; it is missing'],
  [call(bearerAuth, { ...token, key: { pem: secret } }), 'bearerAuth.key.pem: must be a public key in PEM, which begins with "-----BEGIN"'],
  [call(apiKeyAuth, { keys: [{ hash, auth: 1 }], hedder: 'x' }), 'apiKeyAuth.hedder: there is no such option; did you mean "header"?'],
  [call(apiKeyAuth, { keys: [{ hash: apiKey, auth: 1 }] }), 'apiKeyAuth.keys[0].hash: must be the result of hashApiKey'],
  [call(apiKeyAuth, {}), 'apiKeyAuth.keys: must be a list of keys, or a function of a hash; it is missing'],
  [call(firstOf), 'firstOf.methods[0]: must be a function such as bearerAuth(…); it is missing'],
  [call(firstOf, [String]), 'firstOf.methods[0]: must be a function such as bearerAuth(…); it is an array'],
  [error('Sign in.'), 'RequestError.detail: must be a sentence for the client; it is missing'],
  [error({ detail: 'Sign in.', statusCode: 401 }), 'RequestError.statusCode: there is no such option; the options are detail, status, code, title, pointer, parameter, headers.'],
]

describe('Options of programs without types', () => {
  for (const [work, line] of wrong)
    it(`are rejected by the line: ${line}`, async () => {
      const settled = async () => work()
      await assert.rejects(settled, { message: line })
    })

  it('make no file when they are rejected', () => {
    assert.ok(!existsSync('a.db') && !existsSync('sqlite:a.db'))
  })
})

describe('A file that SQLite cannot open', () => {
  it('is named, with the reason', async (test) => {
    const path = await folder(test)
    const file = join(path, 'text.db')
    await writeFile(file, 'This is a text. '.repeat(100))
    assert.throws(() => openSqlite(model, file), {
      message: `the file ${file} cannot be opened: file is not a database`,
    })
    assert.throws(() => openSqlite(model, path), {
      message: `${path} is a folder; name a file in it`,
    })
  })

  for (const path of ['absent.db', join('absent', 'folder', 'a.db')])
    it(`is not made by a mistyped path: ${path}`, async (test) => {
      const parent = await folder(test)
      const file = join(parent, path)
      assert.throws(() => openSqlite(model, file), {
        message: `there is no file ${file}; openSqlite creates it with the option create: true`,
      })
      assert.deepEqual(readdirSync(parent), [])
      await openSqlite(model, file, { create: true }).close()
      assert.ok(existsSync(file))
      await openSqlite(model, file).close()
    })
})

describe('Many open databases in memory', () => {
  it('share one listener of the exit of the process', async () => {
    const before = process.listenerCount('exit')
    const stores = Array.from({ length: 11 }, () => openSqlite(model, ':memory:'))
    assert.ok(process.listenerCount('exit') <= before + 1)
    for (const store of stores) await store.close()
    assert.equal(process.listenerCount('exit'), before)
  })
})
