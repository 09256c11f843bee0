import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestService } from '../../service-suite.ts'
import { describeService } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { count } from '../people.ts'

const type = 'application/vnd.api+json'

/** Valid requests, one for each method of each kind of route. */
async function requests(app: TestService) {
  const ada = await app.person()
  const machine = await app.computer({}, ada)
  const path = `/persons/${ada.id}`
  const person = { type: 'person', attributes: { name: 'Eve' } }
  return [
    { method: 'GET', path: '/' },
    { method: 'GET', path: '/persons' },
    { method: 'GET', path },
    { method: 'HEAD', path },
    { method: 'GET', path: `/computers/${machine.id}/owner` },
    { method: 'GET', path: `${path}/relationships/computers` },
    { method: 'POST', path: '/persons', body: { data: person } },
    { method: 'POST', path: `${path}/relationships/computers`, body: { data: [] } },
    { method: 'PATCH', path, body: { data: { ...person, id: ada.id } } },
    { method: 'PATCH', path: `/computers/${machine.id}/relationships/owner`, body: { data: null } },
    { method: 'DELETE', path: `${path}/relationships/computers`, body: { data: [] } },
    { method: 'DELETE', path },
  ] as const
}

/** Accept header fields, and the status of the response. */
// biome-ignore format: a table, one header a row
const accepts: readonly (readonly [accept: string | undefined, status: number])[] = [
  [type,                                              200],
  ['Application/VND.API+JSON',                        200],
  [undefined,                                         200],
  ['*/*',                                             200],
  ['application/*',                                   200],
  ['application/json',                                200],
  ['text/html, application/xhtml+xml, */*;q=0.8',     200],
  ['application/json, text/plain, */*',               200],
  [`${type};q=0.5`,                                   200],
  [`${type} ; Q=0.5`,                                 200],
  [`${type};ext="x", ${type}`,                        200],
  [`${type}, ${type};profile="https://example.org/"`, 200],
  [`text/html, ${type}`,                              200],
  ['application/vnd.api+json2;x=y',                   200],
  [`${type};charset=utf-8`,                           406],
  [`${type};ext="x"`,                                 406],
  [`${type} ; ext="x"`,                               406],
  [`${type};profile="a,b"`,                           406],
  [`${type};profile="a;q=1"`,                         406],
  [`${type};profile="a\\",${type},b"`,                406],
  [`${type};ext="x", ${type};profile="y"`,            406],
  [`${type};profile="x", */*`,                        406],
  [`${type};profile="x";q=0.1, application/json`,     406],
  ['APPLICATION/VND.API+JSON;ext="x"',                406],
]

/** Media types of a body, and whether they are accepted. */
// biome-ignore format: a table, one header a row
const contentTypes: readonly (readonly [contentType: string | undefined, isServed: boolean])[] = [
  [type,                              true],
  ['Application/Vnd.Api+JSON',        true],
  [` ${type} `,                       true],
  [undefined,                         false],
  ['',                                false],
  ['application/json',                false],
  ['text/plain',                      false],
  ['application/x-www-form-urlencoded', false],
  ['multipart/form-data; boundary=x', false],
  ['application/vnd.api',             false],
  ['application/vnd.api+json2',       false],
  [`${type};charset=utf-8`,           false],
  [`${type}; charset=utf-8`,          false],
  [`${type} ;ext="x"`,                false],
  [`${type};profile="x"`,             false],
  [`${type};q=1`,                     false],
  [`${type}, ${type}`,                false],
]

/** The tests of pages are in `test/html/`. */
const withoutPages = { settings: { html: 'off' } } as const

describeService(
  'Responses',
  (app) => {
    it('have the media type without parameters, for every status', async () => {
      const { id } = await app.person()
      const answers = [
        await app.get('/persons'),
        await app.get('/'),
        await app.get(`/persons/${id}`, {}, { Accept: '*/*' }),
        await app.get(`/persons/${id}`, {}, { Accept: 'text/html' }),
        await app.post('/persons', { data: { type: 'person', attributes: { name: 'x' } } }),
        await app.delete(`/persons/${id}`),
        await app.get('/nowhere'),
        await app.get('/persons', { sort: 'quux' }),
        await app.call('PUT', '/persons'),
        await app.call('POST', '/persons', { raw: '{', headers: { 'Content-Type': 'text/plain' } }),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 201, 200, 404, 400, 405, 415],
      )
      for (const { headers } of answers) assert.equal(headers['content-type'], type)
    })

    it('have Vary: Accept for every status', async () => {
      for (const { method, path, ...rest } of await requests(app)) {
        const response = await app.call(method, path, rest)
        assert.match(response.headers.vary ?? '', /\bAccept\b/i, `${method} ${path}`)
      }
      for (const [path, headers] of [
        ['/nowhere', {}],
        ['/persons?sort=quux', {}],
        ['/persons', { Accept: `${type};ext="x"` }],
        ['/persons', { 'Content-Type': `${type};ext="x"` }],
      ] as const) {
        assert.match((await app.get(path, {}, headers)).headers.vary ?? '', /\bAccept\b/i, path)
      }
    })
  },
  withoutPages,
)

describeService(
  'Accept',
  (app) => {
    for (const [accept, status] of accepts)
      it(`given ${accept}, then the response is ${status}: 406 only if each entry of the media type has parameters`, async () => {
        const response = await app.get('/persons', {}, { Accept: accept })
        assert.equal(response.status, status, `Accept: ${accept}`)
        if (status === 406) assertErrors(response, 406, { status: 406 })
      })

    it('is checked for every method before anything is written', async () => {
      const all = await requests(app)
      for (const { method, path, ...rest } of all) {
        const response = await app.call(method, path, {
          ...rest,
          headers: { Accept: `${type};ext="x"` },
        })
        assert.equal(response.status, 406, `${method} ${path}`)
      }
      assert.equal(await count(app, '/persons'), 1)
      assert.equal((await app.get('/persons')).many[0]?.attributes?.name, 'Ada')
    })
  },
  withoutPages,
)

describeService('Content-Type', (app) => {
  for (const [contentType, isServed] of contentTypes)
    it(`given a body of the media type ${contentType}, then the response is ${isServed ? 201 : 415}`, async () => {
      const response = await app.call('POST', '/persons', {
        body: { data: { type: 'person', attributes: { name: 'Ada' } } },
        headers: { 'Content-Type': contentType },
      })
      if (isServed) assertStatus(response, 201)
      else assertErrors(response, 415, { status: 415 })
      assert.equal(await count(app, '/persons'), isServed ? 1 : 0)
    })

  it('given a parameter, then the response to every method is 415, with a body or without', async () => {
    for (const { method, path, ...rest } of await requests(app)) {
      for (const parameter of ['charset=utf-8', 'ext="x"', 'profile="https://example.org/"']) {
        const headers = { 'Content-Type': `${type}; ${parameter}` }
        const response = await app.call(method, path, { ...rest, headers })
        assert.equal(response.status, 415, `${method} ${path} ${parameter}`)
      }
    }
    assert.equal(await count(app, '/persons'), 1)
  })

  it('given another media type, then the response to every method with a body is 415', async () => {
    for (const request of await requests(app)) {
      if (!('body' in request)) continue
      const { method, path, body } = request
      for (const contentType of [undefined, 'application/json']) {
        const headers = { 'Content-Type': contentType }
        const response = await app.call(method, path, { body, headers })
        assertErrors(response, 415, { status: 415 })
      }
    }
    assert.equal((await app.get('/persons')).many[0]?.attributes?.name, 'Ada')
  })

  it('given another media type without a body, then the request is served', async () => {
    const { id } = await app.person()
    const headers = { 'Content-Type': 'application/json' }
    assertStatus(await app.get(`/persons/${id}`, {}, headers), 200)
    assertStatus(await app.call('DELETE', `/persons/${id}`, { headers }), 200)
  })

  it('is checked after the path and the method', async () => {
    const headers = { 'Content-Type': `${type};ext="x"`, Accept: `${type};ext="x"` }
    assert.equal((await app.call('GET', '/nowhere', { headers })).status, 404)
    assert.equal((await app.call('PUT', '/persons', { headers })).status, 405)
    assert.equal((await app.call('GET', '/persons', { headers })).status, 415)
    assert.equal(
      (await app.get('/persons', { sort: 'x' }, { Accept: `${type};ext="x"` })).status,
      406,
    )
  })
})
