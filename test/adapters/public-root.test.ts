import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { attribute, declare, RequestError, text } from 'lapidary'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { hosts, type RunningHost } from './hosts.ts'

const { resource, defineModel, auth } = declare<{ auth: string }>()
const fields = { text: attribute(text) }
const isOwn = { filter: [{ name: 'text', op: 'eq', val: auth((user) => user) }] }
const model = defineModel(
  [
    resource('note', { path: '/notes', table: 'note', access: { read: isOwn }, fields }),
    resource('news', {
      ...{ path: '/news', table: 'news', fields },
      access: { read: true, anonymous: ['read'] },
    }),
  ],
  {},
)

const tables = `
  create table note (id integer primary key, text text);
  create table news (id integer primary key, text text);
  insert into news values (1, 'a')`

/** Accepts the credentials `ada`, in `Authorization` or in `x-key`. */
function authenticate(header: (name: string) => string | undefined): string {
  const user = header('authorization') ?? header('x-key')
  if (user === 'ada') return user
  throw new RequestError({
    ...{ status: 401, code: 'unauthenticated', title: 'Sign in', detail: 'Sign in.' },
    headers: { 'www-authenticate': 'Bearer, ApiKey header="X-Key"' },
  })
}

/** Returns the status of a landing page, and the types that it lists. */
async function readPage(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers: { accept: 'text/html', ...headers } })
  const page = await response.text()
  const types = [...page.matchAll(/<th scope="row"><a href="\/api\/(\w+)"/g)].map(
    ([, path]) => path,
  )
  return { status: response.status, types, page }
}

for (const { name, start } of hosts)
  describe(`The landing page without credentials: ${name}`, () => {
    const store = openSqlite(model, ':memory:')
    const options = {
      model,
      store,
      openapi: true,
      html: createPages(),
      authenticateBy: authenticate,
    }
    let host: RunningHost
    let closed: RunningHost
    before(async () => {
      await store.migrate([{ version: 1, sql: tables }])
      host = await start({ ...options, prefix: '/api' })
      closed = await start({ ...options, prefix: '/api', publicRoot: false })
    })
    after(async () => {
      await host.close()
      await closed.close()
      await store.close()
    })

    it('has the types that exist without an identity, no counts, and a form for credentials', async () => {
      const { status, types, page } = await readPage(`${host.origin}/api/`)
      assert.deepEqual([status, types], [200, ['news']])
      assert.match(page, /<form[^>]* data-sign-in="authorization"/i)
      assert.match(page, /data-count-of="\/api\/news">–</)
      const headers = { accept: 'text/html' }
      assert.equal((await fetch(`${host.origin}/api/`, { method: 'HEAD', headers })).status, 200)
    })

    it('has the types and counts of an identity with credentials in any header field', async () => {
      for (const field of ['authorization', 'x-key']) {
        const { status, types, page } = await readPage(`${host.origin}/api/`, { [field]: 'ada' })
        assert.deepEqual([status, types], [200, ['notes', 'news']])
        assert.match(page, /class="count">1</)
      }
    })

    it('is 401 for wrong credentials', async () => {
      for (const field of ['authorization', 'x-key'])
        assert.equal((await readPage(`${host.origin}/api/`, { [field]: 'eve' })).status, 401, field)
    })

    it('is 401 for clients that ask for JSON', async () => {
      assert.equal((await fetch(`${host.origin}/api/`)).status, 401)
    })

    for (const path of [
      '/news',
      '/notes',
      '/openapi.json',
      '/news.schema.json',
      '/html.model.json',
    ])
      it(`is the only page without credentials: ${path} is 401`, async () => {
        assert.equal((await readPage(`${host.origin}/api${path}`)).status, 401, path)
      })

    it('is 401 with publicRoot: false', async () => {
      assert.equal((await readPage(`${closed.origin}/api/`)).status, 401)
    })
  })
