import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import {
  attribute,
  createHandler,
  declare,
  defineModel,
  integer,
  resource,
  type Store,
  text,
} from 'lapidary'
import { apiKeyAuth, bearerAuth, createApiKey, firstOf } from 'lapidary/auth'
import { createPages } from 'lapidary/html'
import { describeApi, type OpenApiDocument } from 'lapidary/openapi'
import { openSqlite } from 'lapidary/sqlite'
import { migrations } from '../../service/migrations.ts'
import { resources } from '../../service/resources/index.ts'
import { createRoutes } from '../../src/http/create-routes.ts'
import { listAllowedMethods, takesQuery } from '../../src/http/methods.ts'
import { formatPath } from '../../src/openapi/operations.ts'
import { hosts, type RunningHost } from '../adapters/hosts.ts'
import { barePage } from '../chromium/scalar.ts'

const model = defineModel(resources)
const prefix = '/api'
const rootMeta = { version: '1.2.3', description: 'Persons.' }

/** The validators of schemas, by their text: those that the hosts send are equal. */
const validators = new Map<string, ValidateFunction>()

function compileSchema(text: string): ValidateFunction {
  const known = validators.get(text)
  if (known !== undefined) return known
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false })
  addFormats.default(ajv)
  const validate = ajv.compile(JSON.parse(text))
  validators.set(text, validate)
  return validate
}

/** A request to the API of the staff. */
interface StaffRequest {
  readonly method?: string
  readonly accept?: string
  readonly body?: string
}

/** Opens an API in which only the user `admin` may use salaries, and everybody else may only create messages. */
async function openStaff(test: TestContext) {
  const { auth, resource, defineModel } = declare<{ auth: string | null }>()
  const isAdmin = auth((user) => user === 'admin')
  const salary = resource('salary', {
    path: '/salaries',
    table: 'salary',
    access: { read: isAdmin, create: isAdmin, update: isAdmin, delete: isAdmin },
    fields: { amount: attribute(integer) },
  })
  const message = resource('message', {
    path: '/messages',
    table: 'message',
    access: { read: isAdmin, create: true, update: false, delete: false },
    fields: {
      body: attribute(text, { required: true }),
      spam_score: attribute(integer, { access: 'read-only' }),
    },
  })
  const staff = defineModel([salary, message])
  const store = openSqlite(staff, ':memory:')
  test.after(() => store.close())
  const sql = `create table salary (id integer primary key, amount integer);
    create table message (id integer primary key, body text, spam_score integer)`
  await store.migrate([{ version: 1, sql }])
  const authenticate = ({ headers }: Request) => headers.get('user')
  const html = createPages()
  const handle = createHandler({ model: staff, store, openapi: true, html, authenticate })
  return async (path: string, user: string, { accept = '*/*', ...init }: StaffRequest = {}) => {
    const headers = { user, accept, 'content-type': 'application/vnd.api+json' }
    const response = await handle(new Request(`http://x${path}`, { ...init, headers }))
    const link = response.headers.get('link')
    return { status: response.status, link, text: await response.text() }
  }
}

/** Opens a store in memory with two persons and a computer. */
async function openService(): Promise<Store> {
  const store = openSqlite(model, ':memory:')
  await store.migrate(migrations.sqlite)
  const handle = createHandler({ model, store })
  const create = async (path: string, data: object) => {
    const headers = { 'content-type': 'application/vnd.api+json' }
    const body = JSON.stringify({ data })
    const response = await handle(new Request(`http://x${path}`, { method: 'POST', headers, body }))
    assert.equal(response.status, 201)
  }
  for (const name of ['Ada', 'Alan'])
    await create('/persons', { type: 'person', attributes: { name, email: `${name}@example.org` } })
  await create('/persons/1/computers', { type: 'computer', attributes: { serial: 'x' } })
  return store
}

describe('A server with the option openapi', () => {
  for (const host of hosts) {
    describe(host.name, () => {
      let running: RunningHost
      let store: Store

      before(async () => {
        store = await openService()
        running = await host.start({ model, store, prefix, rootMeta, openapi: { title: 'Ours' } })
      })
      after(async () => {
        await running.close()
        await store.close()
      })
      const get = (path: string, init?: RequestInit) => fetch(running.origin + path, init)

      it('describes the API at /openapi.json', async () => {
        const response = await get('/api/openapi.json')
        assert.equal(response.status, 200)
        assert.equal(response.headers.get('content-type'), 'application/json')
        // The route sends what `describeApi` returns.
        const served = (await response.json()) as OpenApiDocument
        const { version, description } = rootMeta
        const options = { title: 'Ours', version, description, prefix }
        const { paths, ...others } = JSON.parse(JSON.stringify(describeApi(model, options)))
        assert.partialDeepStrictEqual(served, others)
        assert.partialDeepStrictEqual(served.paths, paths)
        assert.equal((await get('/api/openapi.json', { method: 'HEAD' })).status, 200)
        assert.equal((await get('/api/openapi.json', { method: 'POST' })).status, 405)
      })

      it('describes every address of its own, with its media type', async () => {
        const described = await (await get('/api/openapi.json')).json()
        const own = Object.entries(Object(described).paths).filter(([path]) =>
          /[.]|^\/health/.test(path),
        )
        const isServer = host.name === 'createServer'
        assert.deepEqual(own.map(([path]) => path).sort(), [
          '/computers.schema.json',
          ...(isServer ? ['/health/live', '/health/ready'] : []),
          '/openapi.json',
          '/persons.schema.json',
        ])
        for (const [path, item] of own) {
          // The health routes are outside of the prefix.
          const response = await get(Object(item).servers ? path : prefix + path)
          const { content } = Object(item).get.responses[response.status]
          const [type] = response.headers.get('content-type')?.split(';') ?? []
          assert.deepEqual(Object.keys(content), [type])
        }
      })

      it('links each document with a schema that describes it', async () => {
        const paths = [
          ...['/persons', '/persons/1', '/persons/1?include=computers.owner&fields[person]=name'],
          ...['/persons/1/computers', '/computers/1/owner', '/persons?page[size]=1', '/computers'],
        ]
        for (const path of paths) {
          const response = await get(prefix + path)
          const link = response.headers.get('link') ?? ''
          const [, address] = /^<([^>]+)>; rel="describedby"$/.exec(link) ?? []
          assert.ok(address, `${path} is linked: ${link}`)
          const schema = await get(address)
          assert.equal(schema.headers.get('content-type'), 'application/schema+json')
          const validate = compileSchema(await schema.text())
          assert.ok(validate(await response.json()), JSON.stringify(validate.errors))
          assert.ok(!validate({ data: { type: 'person' } }))
        }
      })

      it('links the root document with the description, and no error or linkage', async () => {
        const links = async (path: string) => (await get(prefix + path)).headers.get('link')
        assert.equal(await links('/'), '</api/openapi.json>; rel="service-desc"')
        assert.equal(await links('/persons/9'), null)
        assert.equal(await links('/persons?sort=x'), null)
        assert.equal(await links('/persons/1/relationships/computers'), null)
      })
    })
  }
})

describe('The option openapi', () => {
  let store: Store
  before(async () => {
    store = await openService()
  })
  after(() => store.close())

  it('is off by default: no description, no link', async () => {
    const handle = createHandler({ model, store })
    assert.equal((await handle(new Request('http://x/openapi.json'))).status, 404)
    assert.equal((await handle(new Request('http://x/persons.schema.json'))).status, 404)
    assert.equal((await handle(new Request('http://x/persons'))).headers.get('link'), null)
  })

  it('links the response to QUERY as that to GET', async () => {
    const handle = createHandler({ model, store, openapi: true })
    const headers = { 'content-type': 'application/json' }
    const query = { method: 'QUERY', headers, body: '{}' }
    const response = await handle(new Request('http://x/persons', query))
    const read = await handle(new Request('http://x/persons'))
    assert.equal(response.headers.get('link'), '</persons.schema.json>; rel="describedby"')
    assert.equal(read.headers.get('link'), response.headers.get('link'))
    const failed = await handle(new Request('http://x/persons', { ...query, body: '{"sort":"x"}' }))
    assert.deepEqual([failed.status, failed.headers.get('link')], [400, null])
  })

  const wrong = [
    [5, 'createHandler.openapi: must be true, false or an object; it is 5'],
    [{ titel: 'x' }, 'createHandler.openapi.titel: there is no such option; did you mean "title"?'],
    [{ version: 2 }, 'createHandler.openapi.version: must be a string; it is 2'],
    [
      { security: { schemes: {} } },
      'createHandler.openapi.security.isOptional: must be true or false; it is missing',
    ],
  ] as const
  for (const [openapi, message] of wrong) {
    it(`is checked: ${JSON.stringify(openapi)}`, () => {
      const options: object = { model, store, openapi }
      assert.throws(() => Reflect.apply(createHandler, undefined, [options]), {
        name: 'DeclarationError',
        message,
      })
    })
  }

  for (const version of ['3.1', '3.2'] as const)
    it(`describes with generalMethods every route and method that the server has, in OpenAPI ${version}`, async () => {
      const html = createPages({ explain: true })
      const openapi = { generalMethods: true, docs: barePage, openapi: version }
      const options = { model, store, prefix, html, openapi }
      const { routes } = createRoutes(options)
      const answered = routes.flatMap((route) =>
        listAllowedMethods(route.methods, version === '3.2' && takesQuery(route)).map(
          (method) => `${method} ${formatPath(route)}`,
        ),
      )
      const handle = createHandler(options)
      const send = (method: string, path: string, accept = '*/*') =>
        handle(new Request(`http://x${prefix}${path}`, { method, headers: { accept } }))
      const { paths, components } = Object(await (await send('GET', '/openapi.json')).json())
      const listMethods = (path: string) =>
        Object.keys(paths[path])
          .filter((member) => member !== 'parameters')
          .map((method) => method.toUpperCase())
      const described = Object.keys(paths).flatMap((path) =>
        listMethods(path).map((method) => `${method} ${path}`),
      )
      assert.deepEqual(described.sort(), answered.sort())

      for (const path of Object.keys(paths)) {
        const allowed = (await send('OPTIONS', path.replace('{id}', '1'))).headers.get('allow')
        // OpenAPI 3.1 cannot describe QUERY.
        const describable = allowed
          ?.split(', ')
          .filter((method) => method !== 'QUERY' || version === '3.2')
        assert.deepEqual(describable?.sort(), listMethods(path).sort(), path)
        const { get } = paths[path]
        const address = path === '/html.explain' ? `${path}?url=/api/persons` : path
        const page = await send('GET', address.replace('{id}', '1'), 'text/html')
        const [type = ''] = page.headers.get('content-type')?.split(';') ?? []
        const [name] = Object.values(Object(get.responses[200])).map((ref) =>
          String(ref).split('/'),
        )
        const content =
          get.responses[200].content ?? components.responses[name?.at(-1) ?? '']?.content
        assert.ok(Object.hasOwn(content, type), `${path}: ${type}`)
      }
    })

  it('rejects a page at the path of a resource type', async (test) => {
    const docs = { path: '/docs', files: [] }
    const taken = defineModel([resource('doc', { path: '/docs', table: 'doc', fields: {} })])
    const other = openSqlite(taken, ':memory:')
    test.after(() => other.close())
    assert.throws(() => createHandler({ model: taken, store: other, openapi: { docs } }), {
      message:
        'openapi.docs.path: the resource type "doc" has the path /docs; choose another path for the page',
    })
  })

  it('describes what authenticate carries, and serves the description as any other route', async () => {
    const { key, hash } = createApiKey()
    const secret = 'a secret of at least 32 characters'
    const authenticate = firstOf(
      apiKeyAuth({ header: 'X-Key', keys: [{ hash, auth: 'ada' }] }),
      bearerAuth({
        ...{ key: { secret }, algorithms: ['HS256'], issuer: 'us', audience: 'them' },
        toAuth: ({ sub }) => sub,
      }),
    )
    const handle = createHandler({ model, store, openapi: true, authenticate })
    assert.equal((await handle(new Request('http://x/openapi.json'))).status, 401)
    const headers = { 'x-key': key }
    const response = await handle(new Request('http://x/openapi.json', { headers }))
    // The route sends what `describeApi` returns.
    const description = (await response.json()) as OpenApiDocument
    assert.deepEqual(description.components.securitySchemes, {
      'x-key': { type: 'apiKey', in: 'header', name: 'x-key' },
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    })
    assert.deepEqual(description.security, [{ 'x-key': [] }, { bearer: [] }])
  })

  it('says that credentials are optional if anonymous requests are accepted', () => {
    const { security } = apiKeyAuth({ keys: [], anonymous: () => undefined })
    assert.deepEqual(describeApi(model, { security }).security, [{ 'x-api-key': [] }, {}])
    assert.deepEqual(describeApi(model).security, [])
  })

  it('describes to each identity what it may see', async (test) => {
    const api = declare<{ auth: string | null }>()
    const isAdmin = (auth: string) => auth === 'admin'
    const staff = api.defineModel([
      api.resource('person', {
        path: '/persons',
        table: 'person',
        fields: {
          name: attribute(text, { readable: () => true, writable: isAdmin }),
          salary: attribute(integer, { readable: isAdmin, writable: isAdmin }),
        },
      }),
    ])
    const other = openSqlite(staff, ':memory:')
    test.after(() => other.close())
    const authenticate = ({ headers }: Request) => headers.get('user')
    const handle = createHandler({ model: staff, store: other, openapi: true, authenticate })
    const read = async (path: string, user: string) => {
      const response = await handle(new Request(`http://x${path}`, { headers: { user } }))
      return response.text()
    }
    for (const path of ['/openapi.json', '/persons.schema.json']) {
      assert.ok((await read(path, 'admin')).includes('salary'))
      assert.ok(!(await read(path, 'ben')).includes('salary'))
      assert.equal(await read(path, 'ada'), await read(path, 'ben'))
    }
    const { schemas } = JSON.parse(await read('/openapi.json', 'ben')).components
    assert.deepEqual(Object.keys(schemas.person.properties.attributes.properties), ['name'])
    assert.deepEqual(schemas['person.attributes']?.properties ?? {}, {})
  })

  it('describes no type that an identity can do nothing with: its schema is an address that does not exist', async (test) => {
    const send = await openStaff(test)
    const asPage = { accept: 'text/html' }
    assert.equal((await send('/salaries', 'ben')).link, null)
    assert.match((await send('/salaries', 'admin')).link ?? '', /salaries\.schema\.json/)
    assert.match((await send('/salaries.schema.json', 'admin')).text, /amount/)
    for (const options of [{}, asPage, { method: 'DELETE' }, { method: 'OPTIONS' }]) {
      const hidden = await send('/salaries.schema.json', 'ben', options)
      const absent = await send('/salarie9.schema.json', 'ben', options)
      assert.equal(hidden.status, 404)
      assert.deepEqual(hidden, { ...absent, text: absent.text.replaceAll('salarie9', 'salaries') })
    }
    assert.doesNotMatch((await send('/openapi.json', 'ben')).text, /salar|amount/)
    assert.doesNotMatch((await send('/salaries', 'ben', asPage)).text, /amount/)
  })

  it('describes of a type that an identity may only create what it sends, and the identifier that it gets', async (test) => {
    const send = await openStaff(test)
    for (const path of ['/messages.schema.json', '/openapi.json', '/messages']) {
      const { status, text } = await send(path, 'ben', { accept: 'text/html' })
      assert.deepEqual([status, text.includes('body')], [200, true])
      assert.doesNotMatch(text, /spam_score/, path)
    }
    const body = JSON.stringify({ data: { type: 'message', attributes: { body: 'Hi' } } })
    const created = await send('/messages', 'ben', { method: 'POST', body })
    assert.equal(created.status, 201)
    const validate = compileSchema((await send('/messages.schema.json', 'ben')).text)
    assert.ok(validate(JSON.parse(created.text)), JSON.stringify(validate.errors))
  })

  it('describes an authenticate that carries nothing in words, and takes what the option says', async () => {
    const read = async (openapi: object) => {
      const handle = createHandler({ model, store, openapi, authenticate: () => 'ada' })
      const response = await handle(new Request('http://x/openapi.json'))
      return Object(await response.json()).components.securitySchemes
    }
    assert.equal((await read({})).authorization.name, 'Authorization')
    const session = { type: 'apiKey', in: 'cookie', name: 'session' } as const
    const security = { schemes: { session }, isOptional: false }
    assert.deepEqual(await read({ security }), { session })
  })
})
