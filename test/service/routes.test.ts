import assert from 'node:assert/strict'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import type { TestService } from '../service-suite.ts'
import { describeService } from '../service-suite.ts'
import { assertErrors, assertStatus } from './assert-errors.ts'
import { enter } from './people.ts'

/** Every path of the service with its methods. `P` is the id of a person, `C` that of one of the person's computers. */
// biome-ignore format: a table, one path a row
const routes: readonly (readonly [path: string, allow: string])[] = [
  ['/',                            'GET, HEAD, OPTIONS'],
  ['/persons',                     'GET, HEAD, OPTIONS, POST, QUERY'],
  ['/persons/P',                   'DELETE, GET, HEAD, OPTIONS, PATCH'],
  ['/persons/P/computers',         'GET, HEAD, OPTIONS, POST, QUERY'],
  ['/persons/P/relationships/computers', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, QUERY'],
  ['/computers',                   'GET, HEAD, OPTIONS, POST, QUERY'],
  ['/computers/C',                 'DELETE, GET, HEAD, OPTIONS, PATCH'],
  ['/computers/C/owner',           'GET, HEAD, OPTIONS'],
  ['/computers/C/relationships/owner', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST'],
]

/** The routes with the ids of a person and a computer filled in. */
async function real(app: TestService): Promise<(readonly [path: string, allow: string])[]> {
  const ada = await app.person()
  const machine = await app.computer({}, ada)
  return routes.map(([path, allow]) => [path.replace('P', ada.id).replace('C', machine.id), allow])
}

const allowed = (header: string | undefined) => (header ?? '').split(/ *, */).sort().join(', ')

describeService('GET {base}/', (app) => {
  it('returns the resource types with their paths, the description and the version', async () => {
    const response = await app.get('/')
    assertStatus(response, 200)
    assert.ok(!('data' in response.body))
    const meta = JSON.stringify(response.body.meta)
    for (const word of ['person', '/persons', 'computer', '/computers', 'version', '1.0']) {
      assert.ok(response.text.includes(word), `${word} in ${meta}`)
    }
  })

  it('accepts the query parameters of every route, and no others', async () => {
    assertErrors(await app.get('/', { quux: '1' }), 400, {
      status: 400,
      at: 'quux',
      says: 'quux',
    })
  })
})

describeService('A request target with scheme and host (RFC 9112, section 3.2.2)', (app) => {
  const textOf = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const request = get(app.url, { path }, (response) => text(response).then(resolve, reject))
      request.on('error', reject)
    })

  it('is served like its path and query', async () => {
    const { id } = await app.person()
    for (const path of ['/', `/persons/${id}`, '/persons?page[size]=1&include=computers']) {
      const response = await app.get(path)
      assert.equal(response.status, 200)
      for (const host of ['http://localhost:1', 'HTTPS://[::1]:8'])
        assert.equal(await textOf(host + path), response.text, host + path)
    }
    assert.equal(await textOf('http://localhost:1'), await textOf('/'))
    assert.match(await textOf('http://localhost:1/nowhere'), /"status":"404".*nowhere/)
  })
})

describeService('HEAD and OPTIONS', (app) => {
  it('HEAD has the status and the header fields of GET, and no body', async () => {
    for (const [path] of await real(app)) {
      const get = await app.get(path)
      const head = await app.call('HEAD', path)
      assert.equal(head.status, 200)
      assert.equal(head.text, '')
      for (const name of ['content-type', 'content-length', 'vary', 'allow']) {
        assert.equal(head.headers[name] ?? get.headers[name], get.headers[name], `${path} ${name}`)
      }
      assert.equal(head.headers['content-type'], 'application/vnd.api+json')
    }
  })

  for (const [path, status] of [
    ['/persons/999999', 404],
    ['/nowhere', 404],
    ['/persons?sort=quux', 400],
  ] as const)
    it(`HEAD ${path}, which GET rejects, has the same status, without a body`, async () => {
      const head = await app.call('HEAD', path)
      assert.deepEqual([head.status, head.text], [status, ''])
    })

  it('OPTIONS returns in Allow what the path allows', async () => {
    for (const [path, allow] of await real(app)) {
      const response = await app.call('OPTIONS', path)
      assert.equal(response.status, 204)
      assert.equal(allowed(response.headers.allow), allow, path)
      assert.equal(response.text, '')
    }
  })

  it('OPTIONS of an unknown path is 404', async () => {
    assertStatus(await app.call('OPTIONS', '/nowhere'), 404)
  })
})

describeService('405', (app) => {
  it('rejects every other method with Allow and an error document', async () => {
    for (const [path, allow] of await real(app)) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
        if (allow.split(', ').includes(method)) continue
        const response = await app.call(method, path)
        assertErrors(response, 405, { status: 405, says: method })
        assert.equal(allowed(response.headers.allow), allow, path)
        assert.equal(response.error.source, undefined)
      }
    }
  })
})

describeService('404', (app) => {
  for (const path of [
    '/nowhere',
    '/person',
    '/Persons',
    '/persons/abc/computers',
    '/persons/1/nowhere',
    '/persons/1/owner',
    '/persons/1/relationships',
    '/persons/1/relationships/nowhere',
    '/persons/1/relationships/owner',
    '/persons/1/relationships/name',
    '/persons/1/computers/1',
    '/persons/1/name',
    '/computers/1/person_id',
    '/favicon.ico',
    '/persons/__proto__',
    '/__proto__',
  ])
    it(`given the unknown path ${path}, then the response to every method is an error document`, async () => {
      await app.person()
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT']) {
        const response = await app.call(method, path)
        assert.ok(
          response.status === 404 || response.status === 405,
          `${method} ${path}: ${response.text}`,
        )
        if (method === 'GET') assertErrors(response, 404, { status: 404 })
      }
    })

  // An id is digits without sign or leading zero, up to 2^63−1.
  for (const id of [
    'abc',
    '01',
    '+1',
    '-1',
    '1.0',
    '1e0',
    '0x1',
    '0',
    '00',
    '%201',
    '1%20',
    '%D9%A1',
    '1,2',
    '9223372036854775808',
    '18446744073709551616',
    '1'.repeat(90),
    'null',
    'undefined',
    '%2e',
    '9223372036854775807',
  ])
    it(`given the id ${id}, then the response is 404`, async () => {
      await app.person()
      await app.computer()
      for (const path of [`/persons/${id}`, `/persons/${id}/computers`, `/computers/${id}/owner`])
        assertErrors(await app.get(path), 404, { status: 404 })
    })

  it('given a percent-encoded digit, then it is decoded', async () => {
    await app.person()
    assertStatus(await app.get('/persons/%31'), 200)
  })

  /** Requests of resources that do not exist, and texts of the detail of the error. */
  // biome-ignore format: a table, one path a row
  const absent: readonly (readonly [methods: string, path: string, kind: string, parameter: string])[] = [
    ['GET PATCH DELETE',      '/persons/999999',                         'person',   'id'],
    ['GET POST',              '/persons/999999/computers',               'person',   'id'],
    ['GET POST PATCH DELETE', '/persons/999999/relationships/computers', 'person',   'id'],
    ['GET PATCH DELETE',      '/computers/999999',                       'computer', 'id'],
    ['GET',                   '/computers/999999/owner',                 'computer', 'computer_id'],
    ['GET POST PATCH DELETE', '/computers/999999/relationships/owner',   'computer', 'id'],
  ]

  it('names the type and the missing id, and the path parameter as its source', async () => {
    const bodyOf = (path: string) => {
      if (path.endsWith('/relationships/computers')) return { data: [] }
      if (path.endsWith('/relationships/owner')) return { data: null }
      const type =
        path.endsWith('/computers') || path.startsWith('/computers') ? 'computer' : 'person'
      return {
        data: { type, id: '999999', attributes: { [type === 'person' ? 'name' : 'serial']: 'x' } },
      }
    }
    for (const [methods, path, kind, parameter] of absent) {
      for (const method of methods.split(' ')) {
        const body = method === 'GET' ? undefined : bodyOf(path)
        const response = await app.call(method, path, { body })
        assertErrors(response, 404, { status: 404, at: parameter, says: [kind, '999999'] })
      }
    }
  })
})

describeService(
  'BASE_PATH',
  (app) => {
    it('is the beginning of every path, in requests and in links', async () => {
      const { ada, eniac } = await enter(app)
      const self = `/api/v1/persons/${ada.id}`
      assert.deepEqual(ada.links, { self })
      assert.deepEqual(ada.relationships?.computers?.links, {
        self: `${self}/relationships/computers`,
        related: `${self}/computers`,
      })
      assert.equal((await app.get(self)).body.links?.self, self)
      const owner = await app.get(`/api/v1/computers/${eniac.id}/owner`)
      assert.equal(owner.body.links?.self, `/api/v1/computers/${eniac.id}/owner`)
      const linkage = await app.get(`${self}/relationships/computers`)
      assert.equal(linkage.body.links?.related, `${self}/computers`)
      const page = await app.get('/api/v1/persons', { 'page[size]': '1' })
      const next = page.body.links?.next ?? ''
      assert.ok(next.startsWith(`${app.url}/api/v1/persons?`), next)
      assertStatus(await app.get(next), 200)
    })

    it('is the beginning of the path in Location', async () => {
      const body = { data: { type: 'person', attributes: { name: 'Ada' } } }
      const created = await app.post('/api/v1/persons', body)
      assert.equal(created.headers.location, `/api/v1/persons/${created.one.id}`)
    })

    it('has the root document at its root, with the paths of the types', async () => {
      const response = await app.get('/api/v1/')
      assertStatus(response, 200)
      assert.ok(response.text.includes('"/api/v1/persons"'), response.text)
      assert.ok(response.text.includes('"/api/v1/computers"'), response.text)
    })

    for (const path of ['/persons', '/persons/1', '/api/persons', '/api/v1persons'])
      it(`given the path ${path} without the prefix, then the response is 404`, async () => {
        await app.person()
        assertErrors(await app.get(path), 404, { status: 404 })
      })
  },
  { settings: { basePath: '/api/v1' } },
)

describeService(
  'The host of absolute links',
  (app) => {
    it('is that of the request', async () => {
      await app.person()
      const response = await app.get('/persons', {}, { Host: 'api.example.org:8080' })
      assert.equal(response.body.links?.self, 'http://api.example.org:8080/persons')
    })

    for (const host of ['a b', 'x/y', 'x"y', 'x?y=', 'user@x', '<script>', 'x:99999', ''])
      it(`given the invalid host ${JSON.stringify(host)}, then the response is 400 or its links lead to the path`, async () => {
        const response = await app.get('/persons', {}, { Host: host })
        if (response.status === 400) return
        assertStatus(response, 200)
        const self = new URL(response.body.links?.self ?? '')
        assert.deepEqual([self.pathname, self.search, self.username], ['/persons', '', ''], host)
      })
  },
  { settings: { allowedHosts: ['*'] } },
)

describeService('The service at 127.0.0.1', (app) => {
  for (const [host, status] of [
    ['127.0.0.1:3000', 200],
    ['localhost:3000', 200],
    ['rebound.example:3000', 421],
  ] as const)
    it(`given the host ${host}, then the response is ${status}`, async () => {
      const { id } = await app.person()
      const headers = { Host: host }
      assert.equal((await app.get(`/persons/${id}`, {}, headers)).status, status)
      assert.equal((await app.call('DELETE', `/persons/${id}`, { headers })).status, status)
    })
})

describeService(
  'PUBLIC_URL',
  (app) => {
    it('is the origin of absolute links for every requested host, and links in resources are paths', async () => {
      const ada = await app.person()
      await app.person()
      const response = await app.get('/v1/persons', { 'page[size]': '1' })
      for (const link of Object.values(response.body.links ?? {})) {
        assert.ok(link.startsWith('https://api.example.org/v1/persons?'), link)
      }
      assert.deepEqual(ada.links, { self: `/v1/persons/${ada.id}` })
      const body = { data: [] }
      assertStatus(await app.delete(`/v1/persons/${ada.id}/relationships/computers`, body), 200)
    })
  },
  { settings: { publicUrl: 'https://api.example.org', basePath: '/v1' } },
)
