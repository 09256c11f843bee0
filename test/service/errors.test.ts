import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from '../service-suite.ts'
import { assertErrors, assertStatus } from './assert-errors.ts'
import { executeDirectly, isShared } from './direct-database.ts'
import { count, enter, identifier } from './people.ts'

const person = (data: object) => ({ data: { type: 'person', ...data } })

/** Bodies of `POST /persons` that are not a JSON:API document of a person, and the pointer of the error. */
// biome-ignore format: a table, one body a row
const malformed: readonly (readonly [raw: string, at: string | RegExp])[] = [
  ['',                                                                    ''],
  [' ',                                                                   ''],
  ['{',                                                                   ''],
  ['{"data":{"type":"person"}',                                           ''],
  ["{'data':null}",                                                       ''],
  ['{"data":{"type":"person","attributes":{"name":"a\nb"}}}',             ''],
  ['{"data":{"type":"person","attributes":{"name":NaN}}}',                ''],
  ['[]',                                                                  ''],
  ['"x"',                                                                 ''],
  ['null',                                                                ''],
  ['3',                                                                   ''],
  ['{}',                                                                  /^(\/data)?$/],
  ['{"meta":{}}',                                                         /^(\/data)?$/],
  ['{"data":null}',                                                       '/data'],
  ['{"data":[]}',                                                         '/data'],
  ['{"data":[{"type":"person","attributes":{"name":"x"}}]}',              '/data'],
  ['{"data":"x"}',                                                        '/data'],
  ['{"data":5}',                                                          '/data'],
  ['{"data":{}}',                                                         /^\/data(\/type)?$/],
  ['{"data":{"attributes":{"name":"x"}}}',                                /^\/data(\/type)?$/],
  ['{"data":{"type":null}}',                                              '/data/type'],
  ['{"data":{"type":5}}',                                                 '/data/type'],
  ['{"data":{"type":["person"]}}',                                        '/data/type'],
  ['{"data":{"type":"person","attributes":[]}}',                          '/data/attributes'],
  ['{"data":{"type":"person","attributes":"x"}}',                         '/data/attributes'],
  ['{"data":{"type":"person","attributes":null}}',                        '/data/attributes'],
  ['{"data":{"type":"person","relationships":[]}}',                       '/data/relationships'],
  ['{"data":{"type":"person","relationships":null}}',                     '/data/relationships'],
  ['{"data":{"type":"person","relationships":"x"}}',                      '/data/relationships'],
  ['{"data":{"type":"person","relationships":{"computers":[]}}}',         '/data/relationships/computers'],
  ['{"data":{"type":"person","relationships":{"computers":null}}}',       '/data/relationships/computers'],
  ['{"data":{"type":"person","relationships":{"computers":"x"}}}',        '/data/relationships/computers'],
  ['{"data":{"type":"person","relationships":{"computers":{"data":null}}}}', '/data/relationships/computers/data'],
  ['{"data":{"type":"person","relationships":{"computers":{"data":{"type":"computer","id":"1"}}}}}', '/data/relationships/computers/data'],
  ['{"data":{"type":"person","relationships":{"computers":{"data":"x"}}}}', '/data/relationships/computers/data'],
  ['{"data":{"type":"person","relationships":{"computers":{"data":[5]}}}}', '/data/relationships/computers/data/0'],
  ['{"data":{"type":"person","relationships":{"computers":{"data":[null]}}}}', '/data/relationships/computers/data/0'],
  ['{"data":{"type":"person","relationships":{"computers":{"data":[{"type":"computer"}]}}}}', /^\/data\/relationships\/computers\/data\/0(\/id)?$/],
  ['{"data":{"type":"person","relationships":{"computers":{"data":[{"id":"1"}]}}}}', /^\/data\/relationships\/computers\/data\/0(\/type)?$/],
  ['{"data":{"type":"person","relationships":{"computers":{"data":[{"type":"computer","id":1}]}}}}', '/data/relationships/computers/data/0/id'],
  ['{"data":{"type":"person","relationships":{"computers":{"data":[{"type":5,"id":"1"}]}}}}', '/data/relationships/computers/data/0/type'],
]

describeService(
  'Malformed bodies',
  (app) => {
    for (const [raw, at] of malformed)
      it(`rejects ${raw}, which is not JSON or not a JSON:API document, at the position of the error`, async () => {
        assertErrors(await app.call('POST', '/persons', { raw }), 400, { status: 400, at })
        assert.equal(await count(app, '/persons'), 0)
      })

    it('rejects a body that is not UTF-8', async () => {
      const raw = Buffer.from(
        '{"data":{"type":"person","attributes":{"name":"\xff\xfe"}}}',
        'latin1',
      )
      assertErrors(await app.call('POST', '/persons', { raw }), 400, { status: 400 })
    })

    it('rejects a to-one relationship given as a list', async () => {
      const ada = await app.person()
      const owner = { data: [identifier(ada)] }
      const body = {
        data: { type: 'computer', attributes: { serial: 'x' }, relationships: { owner } },
      }
      const at = '/data/relationships/owner/data'
      assertErrors(await app.post('/computers', body), 400, { status: 400, at })
    })

    it('reports every error of the structure together, and only those', async () => {
      const body = {
        data: { attributes: [], relationships: { computers: { data: [{ id: 5 }, 'x'] } } },
      }
      const response = await app.post('/persons', body)
      assertStatus(response, 400)
      const pointers = response.body.errors?.map(({ source }) => source?.pointer ?? 'nowhere') ?? []
      for (const start of [
        '/data/attributes',
        '/data/relationships/computers/data/0',
        '/data/relationships/computers/data/1',
      ]) {
        assert.ok(
          pointers.some((pointer) => pointer.startsWith(start)),
          response.text,
        )
      }
      assert.ok(response.body.errors?.every(({ status }) => status === '400'))
    })

    it('reports a missing id of an update together with them', async () => {
      const { id } = await app.person()
      const response = await app.patch(`/persons/${id}`, person({ attributes: [] }))
      assertErrors(
        response,
        400,
        { status: 400, at: /^\/data(\/id)?$/, says: 'id' },
        { status: 400, at: '/data/attributes' },
      )
    })
  },
  { isLongOnOthers: true },
)

describeService('All errors of one body', (app) => {
  it('reports every invalid attribute, each at its pointer', async () => {
    const attributes = {
      name: 5,
      email: 'x',
      birth_date: '1990-13-40',
      gender: [],
      quux: 1,
      password: 'x',
    }
    const expectedErrors = Object.keys(attributes).map((name) => ({
      status: 422,
      at: `/data/attributes/${name}`,
      says: name,
    }))
    assertErrors(await app.post('/persons', person({ attributes })), 422, ...expectedErrors)
    const { id } = await app.person()
    assertErrors(
      await app.patch(`/persons/${id}`, person({ id, attributes })),
      422,
      ...expectedErrors,
    )
  })

  it('reports a missing value beside the wrong ones', async () => {
    const response = await app.post('/persons', person({ attributes: { email: 'x' } }))
    const missing = { status: 422, at: /^\/data\/attributes(\/name)?$/, says: 'name' }
    assertErrors(response, 422, missing, { status: 422, at: '/data/attributes/email' })
  })

  it('reports unknown relationships beside unknown attributes', async () => {
    const attributes = { name: 'Ada', quux: 1 }
    const relationships = { zot: { data: null } }
    assertErrors(
      await app.post('/persons', person({ attributes, relationships })),
      422,
      { status: 422, at: '/data/attributes/quux' },
      { status: 422, at: '/data/relationships/zot' },
    )
  })

  for (const relationship of [{ links: { self: '/x' } }, { meta: {} }]) {
    it(`reports an unknown relationship with nothing but ${Object.keys(relationship)}`, async () => {
      const relationships = { length: relationship }
      const { id } = await app.person()
      const expected = {
        ...{ status: 422, at: '/data/relationships/length' },
        says: 'person has no relationship "length"',
      }
      const attributes = { name: 'Ada' }
      const created = await app.post('/persons', person({ attributes, relationships }))
      assertErrors(created, 422, expected)
      const updated = await app.patch(`/persons/${id}`, person({ id, relationships }))
      assertErrors(updated, 422, expected)
      const nested = { data: { type: 'computer', attributes: { serial: 'x' }, relationships } }
      const related = await app.post(`/persons/${id}/computers`, nested)
      assertErrors(related, 422, {
        ...{ status: 422, at: '/data/relationships/length' },
        says: 'computer has no relationship "length"',
      })
    })
  }

  it('given a new related resource with links in the relationship to its parent, then it is linked to the parent', async () => {
    const { id } = await app.person()
    const relationships = { owner: { links: { related: '/x' } } }
    const body = { data: { type: 'computer', attributes: { serial: 'x' }, relationships } }
    const made = await app.post(`/persons/${id}/computers`, body)
    assert.equal(made.status, 201, made.text)
    assert.equal((await app.get(`/computers/${made.one.id}/owner`)).one.id, id)
  })

  it('reports every missing related resource', async () => {
    const { orphan } = await enter(app)
    const missing = ['999999', '888888'].map((id) => ({ type: 'computer', id }))
    const data = [missing[0], identifier(orphan), missing[1]]
    assertErrors(
      await app.post(
        '/persons',
        person({ attributes: { name: 'x' }, relationships: { computers: { data } } }),
      ),
      404,
      { status: 404, at: /^\/data\/relationships\/computers\/data\/0(\/id)?$/, says: '999999' },
      { status: 404, at: /^\/data\/relationships\/computers\/data\/2(\/id)?$/, says: '888888' },
    )
  })

  it('reports conflicts, missing resources and wrong values together, each with its own status', async () => {
    const { alan } = await enter(app)
    const data = [identifier(alan), { type: 'computer', id: '999999' }]
    const body = { attributes: { name: 5 }, relationships: { computers: { data } } }
    assertErrors(
      await app.post('/persons', person(body)),
      400,
      { status: 409, at: '/data/relationships/computers/data/0/type' },
      { status: 404, at: /^\/data\/relationships\/computers\/data\/1(\/id)?$/ },
      { status: 422, at: '/data/attributes/name' },
    )
    assert.equal(await count(app, '/persons'), 4)
  })

  it('reports only the type if it is not that of the path, because the fields of another type are unknown', async () => {
    const body = { data: { type: 'computer', attributes: { quux: 1 } } }
    assertErrors(await app.post('/persons', body), 409, { status: 409, at: '/data/type' })
  })

  it('reports a resource in the path that does not exist before errors of the body', async () => {
    const attributes = { name: 5 }
    const response = await app.patch('/persons/999999', person({ id: '999999', attributes }))
    assert.equal(response.body.errors?.[0]?.status, '404')
    assert.equal(response.error.source?.parameter, 'id')
  })
})

describeService(
  'All errors of one query',
  (app) => {
    it('reports every invalid parameter, each by its name', async () => {
      const query =
        'sort=quux&include=zot&page[size]=x&page[number]=0&fields[blob]=a&fields[person]=b&filter=[5]&filter[c]=1&foo=1&bar[baz]=2'
      const parameters = [
        'sort',
        'include',
        'page[size]',
        'page[number]',
        'fields[blob]',
        'fields[person]',
        'filter',
        'filter[c]',
        'foo',
        'bar[baz]',
      ]
      const expectedErrors = parameters.map((at) => ({ status: 400, at }))
      assertErrors(await app.call('GET', '/persons', { query }), 400, ...expectedErrors)
    })

    for (const [query, at, ...says] of [
      ['quux=1', 'quux', 'quux', 'filter', 'sort', 'include'],
      ['sorts=name', 'sorts', 'sorts', 'sort'],
      ['Sort=name', 'Sort', 'Sort', 'sort'],
      ['sort[]=name', 'sort[]'],
      ['quux', 'quux'],
      ['=1', ''],
      ['_=1', '_'],
      ['a.b=1', 'a.b'],
      ['fooBar=1', 'fooBar'],
      ['foo_bar=1', 'foo_bar'],
      ['__proto__=1', '__proto__'],
      ['callback=x', 'callback'],
    ] as const)
      it(`rejects the unknown parameter of ${query}, and lists the valid ones`, async () => {
        const response = await app.call('GET', '/persons', { query })
        assertStatus(response, 400)
        assert.deepEqual(response.error.source, { parameter: at }, query)
        for (const word of says) assert.ok(response.error.detail.includes(word), response.text)
      })

    const she = '/persons/1'
    const list = { data: [] }

    for (const [method, path, body] of [
      ['GET', '/', undefined],
      ['GET', she, undefined],
      ['GET', `${she}/computers`, undefined],
      ['GET', `${she}/relationships/computers`, undefined],
      ['GET', '/computers/1/owner', undefined],
      ['GET', '/computers/1/relationships/owner', undefined],
      ['POST', '/persons', person({ attributes: { name: 'Eve' } })],
      ['PATCH', she, person({ id: '1', attributes: { name: 'Eve' } })],
      ['PATCH', `${she}/relationships/computers`, list],
      ['POST', `${she}/relationships/computers`, list],
      ['DELETE', `${she}/relationships/computers`, list],
      ['PATCH', '/computers/1/relationships/owner', { data: null }],
      ['DELETE', she, undefined],
    ] as const)
      it(`rejects an unknown parameter of ${method} ${path}, and nothing is written`, async () => {
        await enter(app)

        const response = await app.call(method, path, { query: 'quux=1', body })
        assertErrors(response, 400, { status: 400, at: 'quux', says: 'quux' })
        assert.deepEqual((await app.get(`${she}/computers`)).many.length, 2)
        assert.equal((await app.get('/persons', { 'filter[name]': 'Eve' })).body.meta?.count, 0)
      })

    for (const query of ['filter[name]=%ff', 'filter[name]=%ed%a0%80', '%ff=1'])
      it(`rejects a query that is not UTF-8: ${query}`, async () => {
        const response = await app.call('GET', '/persons', { query })
        assertErrors(response, 400, { status: 400 })
      })
  },
  { isLongOnOthers: true },
)

describeService('Error objects', (app) => {
  it('have status, code, title, detail and source; the title depends on the code only', async () => {
    const [one, other] = [await app.get('/persons/999999'), await app.get('/persons/888888')]
    assert.deepEqual(Object.keys(one.error).sort(), ['code', 'detail', 'source', 'status', 'title'])
    assert.equal(one.error.status, '404')
    assert.match(one.error.code, /^[a-z]+(_[a-z]+)*$/)
    assert.deepEqual([other.error.code, other.error.title], [one.error.code, one.error.title])
    assert.notEqual(other.error.detail, one.error.detail)
    assert.deepEqual(one.error.source, { parameter: 'id' })
  })

  it('have a detail of one sentence with the names and values concerned', async () => {
    const response = await app.post(
      '/persons',
      person({ attributes: { name: 'x', birth_date: '1990-13-40' } }),
    )
    assert.match(response.error.detail, /birth_date.*1990-13-40|1990-13-40.*birth_date/)
    assert.match(response.error.detail, /[.?]$/)
  })

  it('of a header or a method have no source', async () => {
    const answers = [
      await app.call('PUT', '/persons'),
      await app.get('/persons', {}, { Accept: 'application/vnd.api+json;ext="x"' }),
      await app.get('/persons', {}, { 'Content-Type': 'application/vnd.api+json;ext="x"' }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [405, 406, 415],
    )

    for (const { error } of answers) assert.equal(error.source, undefined)
  })
})

describeService('Requests that are too large', (app) => {
  it('given a large body, then the response is a 413 document and nothing is stored', async () => {
    const attributes = { name: 'x'.repeat(32 * 1024 * 1024) }
    assertErrors(await app.post('/persons', person({ attributes })), 413, { status: 413 })
    assert.equal(await count(app, '/persons'), 0)
  })

  it('given a body of MAX_BODY bytes, then it is accepted; of one byte more, then it is 413', async () => {
    const complete = JSON.stringify(person({ attributes: { name: 'é'.repeat(100) } }))
    const size = Buffer.byteLength(complete)
    await app.restart({ maxBody: size })
    assertStatus(await app.call('POST', '/persons', { raw: complete }), 201)
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      const response = await app.call('POST', '/persons', { raw: `${complete} `, headers })
      assertErrors(response, 413, { status: 413, says: String(size) })
    }
  })

  it('given a long URL, then the response is a 414 or 431 document', async () => {
    const response = await app.get('/persons', { 'filter[name]': 'x'.repeat(200_000) })
    assert.ok(response.status === 414 || response.status === 431, response.text)
    assertStatus(await app.get('/persons'), 200)
  })

  it('given large header fields, then the response is a 431 document', async () => {
    const response = await app.get('/persons', {}, { 'X-Large': 'x'.repeat(200_000) })
    assertErrors(response, 431, { status: 431 })
  })
})

describeService('An internal error', (app) => {
  if (!isShared(app)) return

  it('is 500 with an id, without SQL, paths or a stack, and the service continues', async () => {
    await app.person()
    await executeDirectly(app.databaseUrl, 'alter table computer rename to elsewhere')
    const response = await app.get('/computers')
    assertErrors(response, 500, { status: 500 })
    assert.equal(typeof response.error.id, 'string')
    assert.notEqual(response.error.id, (await app.get('/computers')).error.id)
    assert.doesNotMatch(
      response.text,
      /select|table|sqlite|postgres|relation "|elsewhere|\.ts|node_modules|at /i,
    )
    assertStatus(await app.get('/persons'), 200)
    await executeDirectly(app.databaseUrl, 'alter table elsewhere rename to computer')
    assertStatus(await app.get('/computers'), 200)
  })
})
