import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestService } from '../../service-suite.ts'
import { describeService, ids } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { enter } from '../people.ts'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Sends a QUERY whose body is JSON. */
const query = (app: TestService, path: string, body: unknown, search = '') =>
  app.call('QUERY', path, { query: search, headers: json, body })

const filter = [{ name: 'name', op: 'startswith', val: 'A' }]

/** A query as JSON, and the query string of the GET that means the same. */
const equal: readonly (readonly [path: string, body: object, search: string])[] = [
  ['/persons', {}, ''],
  ['/persons', { filter }, `filter=${JSON.stringify(filter)}`],
  [
    '/persons',
    { sort: ['-name', 'id'], page: { size: 2, number: 2 } },
    'sort=-name,id&page[size]=2&page[number]=2',
  ],
  [
    '/persons',
    { page: { size: 1, total: 'none', cursors: true } },
    'page[size]=1&page[total]=none&page[cursors]=true',
  ],
  [
    '/persons',
    { include: ['computers.owner'], fields: { person: ['name'], computer: [] } },
    'include=computers.owner&fields[person]=name&fields[computer]=',
  ],
  [
    '/persons',
    { include: [], withCount: ['computers'], withVersions: true },
    'include=&withCount=computers&withVersions=true',
  ],
  ['/persons/1/computers', { sort: ['serial'] }, 'sort=serial'],
  ['/persons/1/relationships/computers', { page: { size: 1 } }, 'page[size]=1'],
]

/** Bodies that are rejected, the pointers of their errors, and texts of the details. */
const rejected: readonly (readonly [body: unknown, pointer: string, ...says: string[]])[] = [
  [{ fields: { 'a.b/c': [] } }, '/fields/a.b~1c', 'a.b/c'],
  [{ fields: { '\ud800': [] } }, '/fields/\ufffd', 'fields'],
  [{ page: { 'a]b': 1 } }, '/page/a]b', 'page'],
  [{ page: { number: 2 ** 70 } }, '/page/number', 'whole number'],
  [[], '', 'must be an object'],
  [{ filters: [] }, '/filters', 'did you mean "filter"?'],
  [{ srot: ['id'] }, '/srot', 'did you mean "sort"?'],
  [
    { gender: 'male' },
    '/gender',
    'a filter by a field is {"filter":[{"name":"gender","op":"eq","val":"male"}]}',
    'the members are "filter", "sort"',
  ],
  [
    { filter: { gender: 'male' } },
    '/filter',
    'send [{"name":"gender","op":"eq","val":"male"}] instead',
  ],
  [
    { filter: { name: 'id', op: 'eq', val: '1' } },
    '/filter',
    'send [{"name":"id","op":"eq","val":"1"}] instead',
  ],
  [{ sort: '-name,id' }, '/sort', 'send ["-name","id"] instead'],
  [{ fields: { person: 'name' } }, '/fields/person', 'send ["name"] instead'],
  [{ filter: {} }, '/filter', 'must be a JSON array'],
  [
    {
      filter: [
        { name: 'id', op: 'eq', val: '1' },
        {
          or: [
            { name: 'name', op: 'like', val: 'a' },
            { name: 'name', op: 'lik', val: 'a' },
          ],
        },
      ],
    },
    '/filter/1/or/1/op',
    'did you mean "like"?',
  ],
  [
    { filter: [{ name: 'computers', op: 'any', val: [{ name: 'quux', op: 'eq', val: 'x' }] }] },
    '/filter/0/val/0/name',
    'quux',
  ],
  [{ filter: [{ name: 'id', op: 'in_', val: ['1', 'x'] }] }, '/filter/0/val', 'x'],
  [{ sort: ['quux'] }, '/sort', 'quux'],
  [{ sort: 'name' }, '/sort', 'array'],
  [{ sort: ['name,id'] }, '/sort/0', 'one name'],
  [{ page: { size: -1 } }, '/page/size', 'page[size]'],
  [{ page: { limit: 5 } }, '/page/limit', 'page[size]'],
  [{ page: 5 }, '/page', 'must be an object'],
  [{ page: { size: null } }, '/page/size', 'null'],
  [{ include: ['quux'] }, '/include', 'quux'],
  [{ fields: { person: ['quux'] } }, '/fields/person', 'quux'],
  [{ fields: { person: 'name' } }, '/fields/person', 'array'],
]

describeService('The method QUERY', (app) => {
  for (const [path, body, search] of equal)
    it(`as JSON or as a form equals the GET with ${search} of ${path}`, async () => {
      await enter(app)
      const expected = await app.call('GET', path, { query: search })
      assertStatus(expected, 200)
      const asJson = await query(app, path, body)
      const asForm = await app.call('QUERY', path, { headers: form, raw: search })
      const asSearch = await app.call('QUERY', path, { query: search, headers: form, raw: '' })
      for (const response of [asJson, asForm, asSearch]) {
        assert.equal(response.text, expected.text)
        assert.equal(response.headers.etag, expected.headers.etag)
        const location = response.headers.location ?? ''
        const links = new URL(expected.body.links?.self ?? '', 'http://x')
        assert.deepEqual(new URL(location, 'http://x').search, links.search)
        assert.equal((await app.call('GET', location)).text, expected.text)
      }
    })

  for (const [body, pointer, ...says] of rejected)
    it(`names the place in the body of what is wrong: ${JSON.stringify(body).slice(0, 80)}`, async () => {
      await enter(app)
      assertErrors(await query(app, '/persons', body), 400, { status: 400, at: pointer, says })
    })

  it('reports all errors at once', async () => {
    const body = {
      filter: [{ name: 'quux', op: 'eq', val: 1 }],
      sort: ['quux'],
      page: { size: 'x' },
    }
    assertErrors(
      await query(app, '/persons', body, 'include=quux'),
      400,
      ...['/filter/0/name', '/sort', '/page/size', 'include'].map((at) => ({ status: 400, at })),
    )
  })

  it('rejects members whose names are repeated', async () => {
    const bodies = [
      ['{"sort":["id"],"sort":["name"]}', 'repeated_parameter', '/sort'],
      ['{"sort":["id"],"so\\u0072t":["id"]}', 'repeated_parameter', '/sort'],
      ['{"page":{"size":1,"number":1,"size":2}}', 'repeated_parameter', '/page/size'],
      [
        '{"includePage":{"computers":{"size":1},"computers":{"size":2}},"include":["computers"]}',
        'repeated_parameter',
        '/includePage/computers',
      ],
      [
        '{"filter":[{"name":"id","op":"eq","val":"1"},{"name":"id","op":"eq","val":"1","val":"2"}]}',
        'invalid_filter',
        '/filter/1/val',
      ],
      [
        '{"filter":[{"or":[{"name":"name","name":"id","op":"in_","val":["a,","}"]}]}]}',
        'invalid_filter',
        '/filter/0/or/0/name',
      ],
      ['{"filter":[],"filter":[]}', 'repeated_parameter', '/filter'],
    ] as const
    for (const [body, code, pointer] of bodies) {
      const { status, body: document } = await app.call('QUERY', '/persons', {
        headers: json,
        raw: body,
      })
      assert.equal(status, 400, body)
      assert.deepEqual(
        document.errors?.map((error) => [error.code, error.source?.pointer]),
        [[code, pointer]],
      )
    }
    const equalNames =
      '{"page":{"size":1},"fields":{"person":["name"],"computer":["serial"]},"filter":[{"or":[{"name":"id","op":"eq","val":"1"},{"name":"id","op":"eq","val":"2"}]}]}'
    assertStatus(await app.call('QUERY', '/persons', { headers: json, raw: equalNames }), 200)
  })

  it('rejects a body that is not JSON or not UTF-8', async () => {
    for (const raw of ['{', '', Buffer.from([0x22, 0xff, 0x22])])
      assertErrors(await app.call('QUERY', '/persons', { headers: json, raw }), 400, {
        status: 400,
        at: '',
        says: 'not JSON',
      })
    assertErrors(await app.call('QUERY', '/persons', { headers: form, raw: 'sort=%FF' }), 400, {
      status: 400,
      at: 'sort',
    })
  })

  it('rejects a parameter in the URL and in the body', async () => {
    const both = await query(app, '/persons', { sort: ['name'], filter }, 'sort=id&page[size]=1')
    assertErrors(both, 400, { status: 400, at: '/sort', says: 'in the URL and in the body' })
    const call = { query: 'filter[name]=a', headers: form, raw: 'filter%5Bname%5D=a' }
    assertErrors(await app.call('QUERY', '/persons', call), 400, {
      status: 400,
      at: 'filter[name]',
    })
    assertStatus(await query(app, '/persons', { filter }, 'sort=id&page[size]=1'), 200)
  })

  it('finds 3,000 ids, without links that would be too long', async () => {
    await enter(app)
    const val = ['1', '3', ...Array.from({ length: 2998 }, (_, index) => String(10_000 + index))]
    const body = { filter: [{ name: 'id', op: 'in_', val }], page: { size: 1 } }
    const first = await query(app, '/persons', body)
    assertStatus(first, 200)
    assert.deepEqual(ids(first), ['1'])
    assert.deepEqual(first.body.links, {})
    const numbers = { first: 1, prev: null, next: 2, last: 2 }
    assert.deepEqual(first.body.meta, { count: 2, page: numbers })
    assert.equal(first.headers.location, undefined)
    const second = await query(app, '/persons', { ...body, page: { size: 1, number: 2 } })
    assert.deepEqual(ids(second), ['3'])
    assert.deepEqual(second.body.meta, { count: 2, page: { ...numbers, prev: 1, next: null } })
    const cursor = { ...body, page: { size: 1, total: 'exact' } }
    const page = await query(app, '/persons', cursor)
    const { before, after, first: start } = Object(page.body.meta?.page)
    assert.equal(before, null)
    assert.deepEqual(page.body.links, { prev: null })
    const next = await query(app, '/persons', { ...cursor, page: { ...cursor.page, after } })
    assert.deepEqual(ids(next), ['3'])
    assert.equal(Object(next.body.meta?.page).after, null)
    assert.deepEqual(next.body.links, { next: null })
    const again = await query(app, '/persons', {
      ...cursor,
      page: { ...cursor.page, after: start },
    })
    assert.deepEqual(again.body, page.body)
    const wrong = await query(app, '/persons', { ...cursor, page: { size: 1, before: start } })
    assertErrors(wrong, 400, { status: 400, at: '/page/before', says: 'the start of the list' })
    const previous = { ...cursor.page, before: Object(next.body.meta?.page).before }
    assert.deepEqual(ids(await query(app, '/persons', { ...cursor, page: previous })), ['1'])
    const last = { ...cursor.page, before: Object(page.body.meta?.page).last }
    assert.deepEqual(ids(await query(app, '/persons', { ...cursor, page: last })), ['3'])
  })

  it('takes 20,000 values in a list, and no more', async () => {
    const val = Array.from({ length: 20_000 }, (_, index) => String(index + 1))
    assertStatus(await query(app, '/persons', { filter: [{ name: 'id', op: 'in_', val }] }), 200)
    const more = { filter: [{ name: 'id', op: 'in_', val: [...val, '1'] }] }
    const says = ['20001 values', 'at most 20000']
    assertErrors(await query(app, '/persons', more), 400, {
      status: 400,
      at: '/filter/0/val',
      says,
    })
  })

  it('applies what the client prefers', async () => {
    const headers = { ...json, prefer: 'handling=strict, wait=60' }
    const { status, headers: fields } = await app.call('QUERY', '/persons', { headers, body: {} })
    assert.deepEqual([status, fields['preference-applied']], [200, headers.prefer])
    for (const prefer of ['return=minimal', 'dry-run', 'wait=0', 'respond-async']) {
      const strict = { ...json, prefer: `handling=strict, ${prefer}` }
      const refused = await app.call('QUERY', '/persons', { headers: strict, body: {} })
      assertErrors(refused, 400, { status: 400, says: prefer })
    }
  })

  it('answers 304 if the client has the document', async () => {
    await enter(app)
    const { headers } = await query(app, '/persons', { filter })
    const fields = { ...json, 'if-none-match': headers.etag }
    const again = await app.call('QUERY', '/persons', { headers: fields, body: { filter } })
    assert.equal(again.status, 304)
    const other = await app.call('QUERY', '/persons', { headers: fields, body: {} })
    assertStatus(other, 200)
  })

  it('needs a type of its body that the server accepts', async () => {
    const without = await app.call('QUERY', '/persons', {
      headers: { 'content-type': undefined },
      raw: '{}',
    })
    assertErrors(without, 400, { status: 400, says: 'Content-Type' })
    const other = { 'content-type': 'text/plain' }
    const foreign = await app.call('QUERY', '/persons', { headers: other, raw: '{}' })
    assertErrors(foreign, 415, { status: 415, says: 'text/plain' })
    const accepted = 'application/json, application/x-www-form-urlencoded'
    assert.equal(foreign.headers['accept-query'], accepted)
    assert.equal((await app.call('OPTIONS', '/persons')).headers['accept-query'], accepted)
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': `${type}; charset=latin1` }
      assertErrors(await app.call('QUERY', '/persons', { headers, raw: '{}' }), 415, {
        status: 415,
      })
    }
    const charset = { 'content-type': 'application/json; charset=utf-8' }
    assertStatus(await app.call('QUERY', '/persons', { headers: charset, raw: '{}' }), 200)
  })

  it('is allowed where a filter is', async () => {
    await enter(app)
    for (const [path, isAllowed] of [
      ['/persons', true],
      ['/persons/1/computers', true],
      ['/persons/1/relationships/computers', true],
      ['/persons/1', false],
      ['/computers/1/owner', false],
      ['/', false],
    ] as const) {
      const { headers } = await app.call('OPTIONS', path)
      assert.equal((headers.allow ?? '').split(', ').includes('QUERY'), isAllowed, path)
      assert.equal(headers['accept-query'] !== undefined, isAllowed, path)
      const response = await app.call('QUERY', path, { headers: json, raw: '{}' })
      assertStatus(response, isAllowed ? 200 : 405)
    }
    assertStatus(await query(app, '/persons/99/computers', {}), 404)
  })

  it('is announced by every response to a read of a list', async () => {
    await enter(app)
    const accepted = 'application/json, application/x-www-form-urlencoded'
    const { headers } = await app.call('GET', '/persons')
    for (const [method, path, isAnnounced] of [
      ['GET', '/persons', true],
      ['HEAD', '/persons', true],
      ['GET', '/persons/1/computers', true],
      ['GET', '/persons/1/relationships/computers', true],
      ['GET', '/persons/1', false],
      ['GET', '/', false],
    ] as const)
      assert.equal(
        (await app.call(method, path)).headers['accept-query'],
        isAnnounced ? accepted : undefined,
        path,
      )
    assert.equal((await query(app, '/persons', {})).headers['accept-query'], accepted)
    const known = { 'if-none-match': headers.etag }
    const unchanged = await app.call('GET', '/persons', { headers: known })
    assert.deepEqual([unchanged.status, unchanged.headers['accept-query']], [304, accepted])
  })
})

describeService(
  'The method QUERY by X-HTTP-Method-Override',
  (app) => {
    const headers = { ...json, 'x-http-method-override': 'QUERY' }

    it('is that of a POST, which writes nothing', async () => {
      await enter(app)
      const expected = await query(app, '/persons', { filter })
      const posted = await app.call('POST', '/persons', { headers, body: { filter } })
      assert.deepEqual([posted.status, posted.text], [200, expected.text])
      assert.equal(posted.headers.location, expected.headers.location)
      assertStatus(await app.call('POST', '/persons/1', { headers, body: {} }), 405)
      const list = await app.call('GET', '/persons', { headers })
      assertStatus(list, 200)
    })
  },
  { settings: { methodOverride: 'on' }, isDescribed: false },
)

describeService('A field X-HTTP-Method-Override', (app) => {
  it('has no effect by default', async () => {
    const headers = { ...json, 'x-http-method-override': 'QUERY' }
    assertStatus(await app.call('POST', '/persons', { headers, body: { filter } }), 415)
  })
})
