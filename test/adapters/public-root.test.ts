import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { attribute, declare, RequestError, text } from 'lapidary'
import { createPages } from 'lapidary/html'
import { describeApi } from 'lapidary/openapi'
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

/** Returns the status of a response, and the types of its root document. */
async function readRoot(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers })
  const { meta } = JSON.parse(await response.text())
  return { status: response.status, types: Object.keys(meta?.resources ?? {}) }
}

for (const { name, start } of hosts)
  describe(`The root document for requests without credentials: ${name}`, () => {
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

    it('has the types that exist without an identity', async () => {
      assert.deepEqual(await readRoot(`${host.origin}/api/`), { status: 200, types: ['news'] })
      const head = await fetch(`${host.origin}/api/`, { method: 'HEAD' })
      assert.equal(head.status, 200)
    })

    it('has the types of an identity with credentials in any header field', async () => {
      const types = ['note', 'news']
      for (const field of ['authorization', 'x-key'])
        assert.deepEqual(await readRoot(`${host.origin}/api/`, { [field]: 'ada' }), {
          ...{ status: 200, types },
        })
    })

    it('is 401 for wrong credentials', async () => {
      for (const field of ['authorization', 'x-key'])
        assert.equal((await readRoot(`${host.origin}/api/`, { [field]: 'eve' })).status, 401, field)
    })

    it('is a page without counts, with a form for credentials', async () => {
      const readPage = async (headers: Record<string, string>) => {
        const response = await fetch(`${host.origin}/api/`, {
          headers: { accept: 'text/html', ...headers },
        })
        return { status: response.status, page: await response.text() }
      }
      const anonymous = await readPage({})
      assert.equal(anonymous.status, 200)
      assert.match(anonymous.page, /\/api\/news/)
      assert.match(anonymous.page, /<form[^>]* data-sign-in="authorization"/i)
      assert.doesNotMatch(anonymous.page, /\/api\/notes/)
      const signedIn = await readPage({ authorization: 'ada' })
      // The only difference in the row of a type is its count.
      const findRow = ({ page }: { page: string }) =>
        page.match(/<tr[^>]*>(?:(?!<tr).)*\/api\/news.*?<\/tr>/s)?.[0]
      assert.match(String(findRow(signedIn)), />1</)
      assert.doesNotMatch(String(findRow(anonymous)), />1</)
    })

    it('is the only document without credentials', async () => {
      for (const path of [
        '/news',
        '/notes',
        '/openapi.json',
        '/news.schema.json',
        '/html.model.json',
      ])
        assert.equal((await fetch(`${host.origin}/api${path}`)).status, 401, path)
    })

    it('is 401 with publicRoot: false', async () => {
      assert.equal((await readRoot(`${closed.origin}/api/`)).status, 401)
    })
  })

it('The description says that the root document needs no credentials', () => {
  const security = {
    schemes: { bearer: { type: 'http', scheme: 'bearer' } },
    isOptional: false,
  } as const
  const readSecurity = (publicRoot?: boolean) => {
    const { paths } = describeApi(model, {
      security,
      ...(publicRoot !== undefined && { publicRoot }),
    })
    return Object(paths['/']?.get).security
  }
  assert.deepEqual(readSecurity(), [{ bearer: [] }, {}])
  assert.equal(readSecurity(false), undefined)
})
