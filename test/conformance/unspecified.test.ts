import assert from 'node:assert/strict'
import { mediaType } from '../client.ts'
import type { Call, TestResponse, TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import {
  assertError,
  computersOf,
  countResources,
  createSamples,
  identifier,
  missingComputer,
  missingId,
  ownerOf,
} from './samples.ts'

const ada = { data: { type: 'person', attributes: { name: 'Ada' } } }

/** Bodies that are not JSON. */
const malformedBodies = [
  '{',
  '',
  ' ',
  '{"data":{"type":"person"}',
  "{'data':1}",
  'undefined',
  '{"data":01}',
  Buffer.from([0x22, 0xff, 0x22]),
]

/** The headers of a response, except those of its connection and its time. */
function stableHeaders({ headers }: TestResponse): Record<string, string> {
  const volatile = ['date', 'connection', 'keep-alive', 'transfer-encoding']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !volatile.includes(name)))
}

describeService('Unspecified cases: bodies and values', (app: TestService) => {
  for (const type of [
    undefined,
    'application/json',
    'text/plain',
    'application/vnd.api',
    '*/*',
    'x',
  ])
    rule('D-1', `given a body with the Content-Type ${type}, a write gets 415`, async () => {
      const person = await app.person()
      const path = `/persons/${person.id}`
      const update = { data: { ...identifier(person), attributes: { name: 'Changed' } } }
      const headers = { 'Content-Type': type }
      assertError(await app.call('POST', '/persons', { body: ada, headers }), 415)
      assertError(await app.call('PATCH', path, { body: update, headers }), 415)
      const linkage = { body: { data: [] }, headers }
      assertError(await app.call('PATCH', `${path}/relationships/computers`, linkage), 415)
      assert.equal(await countResources(app, '/persons'), 1)
      assert.deepEqual((await app.get(path)).one, person)
    })

  for (const raw of malformedBodies)
    rule('D-2', `given the body ${JSON.stringify(String(raw))}, a write gets 400`, async () => {
      const { id } = await app.person()
      assertError(await app.call('POST', '/persons', { raw }), 400, { pointer: '' })
      assertError(await app.call('PATCH', `/persons/${id}`, { raw }), 400, { pointer: '' })
    })

  for (const [title, call] of [
    ['no body', {}],
    ['a Content-Type without a body', { headers: { 'Content-Type': mediaType } }],
    ['an empty body', { raw: '' }],
    ['a body', { body: { data: { type: 'person', id: '1' } } }],
    ['a malformed body', { raw: '{' }],
  ] satisfies [string, Call][])
    rule('D-3', `given ${title}, a DELETE of a resource gets 200`, async () => {
      const path = `/persons/${(await app.person()).id}`
      const response = await app.call('DELETE', path, call)
      assert.equal(response.status, 200, response.text)
      assertError(await app.get(path), 404)
    })

  rule('D-3', 'given a Content-Type, a GET gets 200', async () => {
    const headers = { 'Content-Type': mediaType }
    assert.equal((await app.call('GET', '/persons', { headers })).status, 200)
  })

  rule('D-4', 'given several invalid values, a write gets 422 with all errors', async () => {
    const attributes = { email: 'x', name: 5, birth_date: '1990-13-40', gender: [] }
    const created = await app.post('/persons', { data: { type: 'person', attributes } })
    const person = await app.person()
    const data = { ...identifier(person), attributes }
    const updated = await app.patch(`/persons/${person.id}`, { data })
    for (const response of [created, updated]) {
      assert.equal(response.status, 422, response.text)
      const pointers = response.body.errors?.map(({ source }) => source?.pointer).sort()
      assert.deepEqual(
        pointers,
        ['birth_date', 'email', 'gender', 'name'].map((name) => `/data/attributes/${name}`),
      )
    }
    assert.equal(await countResources(app, '/persons'), 1)
  })

  for (const [path, type, name] of [
    ['/persons', 'person', 'name'],
    ['/computers', 'computer', 'serial'],
  ] as const)
    for (const attributes of [{}, undefined, { [name]: null }])
      rule(
        'D-5',
        `given no ${name} in ${JSON.stringify(attributes)}, the error points at ${name}`,
        async () => {
          const pointer = `/data/attributes/${name}`
          const response = await app.post(path, { data: { type, attributes } })
          assert.match(assertError(response, 422, { pointer }).detail, new RegExp(name))
          assert.equal(await countResources(app, path), 0)
        },
      )

  rule('D-13', 'given linkage of the wrong type, a create and an update get 409', async () => {
    const { ada: person, engine, orphan } = await createSamples(app)
    const relationships = { computers: { data: [identifier(orphan), identifier(person)] } }
    const pointer = '/data/relationships/computers/data/1/type'
    const created = await app.post('/persons', { data: { ...ada.data, relationships } })
    assertError(created, 409, { pointer })
    const data = { ...identifier(person), relationships }
    assertError(await app.patch(`/persons/${person.id}`, { data }), 409, { pointer })
    assert.deepEqual(await computersOf(app, person), [identifier(engine)])
    assert.equal(await ownerOf(app, orphan), null)
  })

  for (const method of ['POST', 'PATCH', 'DELETE'])
    rule('D-13', `given linkage of the wrong type, a relationship ${method} gets 409`, async () => {
      const { ada: person, engine, orphan } = await createSamples(app)
      const computers = `/persons/${person.id}/relationships/computers`
      const toMany = { body: { data: [identifier(orphan), identifier(person)] } }
      assertError(await app.call(method, computers, toMany), 409, { pointer: '/data/1/type' })
      const owner = `/computers/${engine.id}/relationships/owner`
      const toOne = { body: { data: identifier(orphan) } }
      assertError(await app.call(method, owner, toOne), 409, { pointer: '/data/type' })
      assert.deepEqual(await computersOf(app, person), [identifier(engine)])
      assert.equal(await ownerOf(app, orphan), null)
    })

  rule('D-14', 'given a deleted person, her computers remain without an owner', async () => {
    const { ada: person, engine } = await createSamples(app)
    await app.delete(`/persons/${person.id}`)
    const response = await app.get(`/computers/${engine.id}`, { include: 'owner' })
    assert.equal(response.status, 200)
    assert.equal(response.one.relationships?.owner?.data, null)
    assert.equal((await app.get(`/computers/${engine.id}/owner`)).body.data, null)
    assert.equal(await countResources(app, '/computers'), 3)
  })
})

/** Error classes in their order of precedence: the expected status, and a request with this error and all later ones. */
function requestsInOrder() {
  const contentType = { 'Content-Type': 'text/plain' }
  const accept = { Accept: `${mediaType};charset=utf-8` }
  const computers = { data: [missingComputer] }
  const invalid = { attributes: { name: 5 }, relationships: { computers } }
  const missingPath = `/persons/${missingId}`
  const all = { raw: '{', headers: { ...contentType, ...accept }, query: 'foo=1' }
  const body = (type: string) => ({ body: { data: { type, id: missingId, ...invalid } } })
  return [
    ['an unknown path', 404, 'PUT', '/nowhere', all],
    ['an unsupported method', 405, 'PUT', '/persons', all],
    ['a wrong Content-Type', 415, 'POST', '/persons', all],
    ['a wrong Accept', 406, 'POST', '/persons', { ...all, headers: accept }],
    ['a wrong type', 409, 'PATCH', missingPath, body('computer')],
    ['a missing resource', 404, 'PATCH', missingPath, body('person')],
  ] as const
}

describeService('Unspecified cases: paths and methods', (app: TestService) => {
  for (const [method, path, allowed] of [
    ['PUT', '/persons/1', 'PATCH'],
    ['POST', '/persons/1', 'PATCH'],
    ['DELETE', '/persons', 'POST'],
    ['PATCH', '/persons', 'POST'],
    ['POST', '/', 'GET'],
  ] as const)
    rule('D-15', `${method} ${path} gets 405 with the allowed methods`, async () => {
      await app.person()
      const response = await app.call(method, path, { body: ada })
      assertError(response, 405)
      const methods = (response.headers.allow ?? '').split(/, */)
      assert.ok(methods.includes(allowed) && !methods.includes(method), methods.join())
      assert.equal(await countResources(app, '/persons'), 1)
    })

  for (const path of ['/nope', '/persons/1/nope', '/relationships', '/persons/1/relationships/'])
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT'])
      rule('D-16', `given ${method}, the unknown path ${path} gets 404`, async () => {
        const response = await app.call(method, path, method === 'GET' ? {} : { body: ada })
        assertError(response, 404)
        assert.equal(response.headers['content-type'], mediaType)
      })

  for (const path of [
    '/',
    '/persons',
    '/computers?include=owner',
    '/persons?sort=nope',
    '/persons/1',
    '/persons/1/computers',
    '/computers/3/owner',
    '/persons/1/relationships/computers',
    '/computers/1/relationships/owner',
    `/persons/${missingId}`,
    '/nope',
  ])
    rule('D-17', `HEAD ${path} returns the status and the headers of GET`, async () => {
      await createSamples(app)
      const get = await app.get(path)
      const head = await app.call('HEAD', path)
      assert.equal(head.status, get.status)
      assert.equal(head.text, '')
      assert.deepEqual(stableHeaders(head), stableHeaders(get))
    })

  for (const id of [
    ...['01', '+1', '%2B1', '-1', '1.0', '1e0', '0x1', '0', '1%20', '%31%00', '%D9%A1'],
    ...['9223372036854775808', '18446744073709551617', '1'.repeat(300)],
  ])
    rule('D-19', `given the id ${id.slice(0, 20)}, a request gets 404`, async () => {
      assert.equal((await app.person()).id, '1')
      assertError(await app.get(`/persons/${id}`), 404)
      assertError(await app.get(`/persons/${id}/computers`), 404)
      assertError(await app.get(`/persons/${id}/relationships/computers`), 404)
      assertError(await app.delete(`/persons/${id}`), 404)
      assert.equal((await app.get('/persons/1')).status, 200)
    })

  rule('D-19', 'given the largest id, a request gets 404 with the parameter id', async () => {
    assertError(await app.get('/persons/9223372036854775807'), 404, { parameter: 'id' })
  })

  for (const [title, status, method, path, call] of requestsInOrder())
    rule('D-20', `given ${title} and later errors, the response has the first one`, async () => {
      assertError(await app.call(method, path, call), status)
    })

  rule(
    'D-20',
    'given errors in the query and the body, the response has those of the query',
    async () => {
      const response = await app.call('POST', '/persons', { raw: '{', query: 'foo=1' })
      assertError(response, 400, { parameter: 'foo' })
    },
  )

  rule('D-20', 'given a malformed document, the response has no other error', async () => {
    const malformed = { data: { type: 'computer', attributes: [] } }
    assertError(await app.patch(`/persons/${missingId}`, malformed), 400)
    assertError(await app.post('/persons', malformed), 400, { pointer: '/data/attributes' })
  })

  rule('D-20', 'given a missing resource, the response has no error of the values', async () => {
    const relationships = { computers: { data: [missingComputer] } }
    const data = { type: 'person', id: missingId, attributes: { name: 5 }, relationships }
    const response = await app.patch(`/persons/${missingId}`, { data })
    assertError(response, 404, { parameter: 'id' })
    assert.equal(response.body.errors?.length, 1)
  })

  rule(
    'D-20',
    'given a missing related resource and an invalid value, the response has both',
    async () => {
      const person = await app.person()
      const relationships = { computers: { data: [missingComputer] } }
      const data = { ...identifier(person), attributes: { name: 5 }, relationships }
      const response = await app.patch(`/persons/${person.id}`, { data })
      assert.equal(response.status, 400, response.text)
      assert.deepEqual(response.body.errors?.map(({ status }) => status).sort(), ['404', '422'])
    },
  )
})
