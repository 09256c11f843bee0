import assert from 'node:assert/strict'
import { it } from 'node:test'
import { chapter } from '../world.ts'
import { behind, isShared } from './beside.ts'
import { count, enter, identifier } from './people.ts'
import { assertRefused, assertStatus } from './told.ts'

const person = (data: object) => ({ data: { type: 'person', ...data } })

/** Bodies of `POST /persons` that are no JSON:API document of a person, as sent, and where their fault lies. */
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

chapter('bodies: 400', (world) => {
  it('refuses what is no JSON or no JSON:API document, at the place at fault', async () => {
    for (const [raw, at] of malformed) {
      assertRefused(await world.call('POST', '/persons', { raw }), 400, { status: 400, at })
    }
    assert.equal(await count(world, '/persons'), 0)
  })

  it('refuses a body that is not UTF-8', async () => {
    const raw = Buffer.from('{"data":{"type":"person","attributes":{"name":"\xff\xfe"}}}', 'latin1')
    assertRefused(await world.call('POST', '/persons', { raw }), 400, { status: 400 })
  })

  it('refuses a to-one relationship given as a list', async () => {
    const ada = await world.person()
    const owner = { data: [identifier(ada)] }
    const body = {
      data: { type: 'computer', attributes: { serial: 'x' }, relationships: { owner } },
    }
    const at = '/data/relationships/owner/data'
    assertRefused(await world.post('/computers', body), 400, { status: 400, at })
  })

  it('tells every fault of the structure together, and only those', async () => {
    const body = {
      data: { attributes: [], relationships: { computers: { data: [{ id: 5 }, 'x'] } } },
    }
    const answer = await world.post('/persons', body)
    assertStatus(answer, 400)
    const pointers = answer.body.errors?.map(({ source }) => source?.pointer ?? 'nowhere') ?? []
    for (const start of [
      '/data/attributes',
      '/data/relationships/computers/data/0',
      '/data/relationships/computers/data/1',
    ]) {
      assert.ok(
        pointers.some((pointer) => pointer.startsWith(start)),
        answer.text,
      )
    }
    assert.ok(answer.body.errors?.every(({ status }) => status === '400'))
  })

  it('counts a missing id of an update among them', async () => {
    const { id } = await world.person()
    const answer = await world.patch(`/persons/${id}`, person({ attributes: [] }))
    assertRefused(
      answer,
      400,
      { status: 400, at: /^\/data(\/id)?$/, says: 'id' },
      { status: 400, at: '/data/attributes' },
    )
  })
})

chapter('all faults of one body', (world) => {
  it('tells every attribute at fault, each at its pointer', async () => {
    const attributes = {
      name: 5,
      email: 'x',
      birth_date: '1990-13-40',
      gender: [],
      quux: 1,
      password: 'x',
    }
    const told = Object.keys(attributes).map((name) => ({
      status: 422,
      at: `/data/attributes/${name}`,
      says: name,
    }))
    assertRefused(await world.post('/persons', person({ attributes })), 422, ...told)
    const { id } = await world.person()
    assertRefused(await world.patch(`/persons/${id}`, person({ id, attributes })), 422, ...told)
  })

  it('tells a missing value beside the wrong ones', async () => {
    const answer = await world.post('/persons', person({ attributes: { email: 'x' } }))
    const missing = { status: 422, at: /^\/data\/attributes(\/name)?$/, says: 'name' }
    assertRefused(answer, 422, missing, { status: 422, at: '/data/attributes/email' })
  })

  it('tells unknown relationships beside unknown attributes', async () => {
    const attributes = { name: 'Ada', quux: 1 }
    const relationships = { zot: { data: null } }
    assertRefused(
      await world.post('/persons', person({ attributes, relationships })),
      422,
      { status: 422, at: '/data/attributes/quux' },
      { status: 422, at: '/data/relationships/zot' },
    )
  })

  it('tells every missing related resource', async () => {
    const { orphan } = await enter(world)
    const missing = ['999999', '888888'].map((id) => ({ type: 'computer', id }))
    const data = [missing[0], identifier(orphan), missing[1]]
    assertRefused(
      await world.post(
        '/persons',
        person({ attributes: { name: 'x' }, relationships: { computers: { data } } }),
      ),
      404,
      { status: 404, at: /^\/data\/relationships\/computers\/data\/0(\/id)?$/, says: '999999' },
      { status: 404, at: /^\/data\/relationships\/computers\/data\/2(\/id)?$/, says: '888888' },
    )
  })

  it('tells conflicts, missing resources and wrong values together, each with its own status', async () => {
    const { alan } = await enter(world)
    const data = [identifier(alan), { type: 'computer', id: '999999' }]
    const body = { attributes: { name: 5 }, relationships: { computers: { data } } }
    assertRefused(
      await world.post('/persons', person(body)),
      400,
      { status: 409, at: '/data/relationships/computers/data/0/type' },
      { status: 404, at: /^\/data\/relationships\/computers\/data\/1(\/id)?$/ },
      { status: 422, at: '/data/attributes/name' },
    )
    assert.equal(await count(world, '/persons'), 4)
  })

  it('tells a type that does not belong to the path alone: the rest is of no known type', async () => {
    const body = { data: { type: 'computer', attributes: { quux: 1 } } }
    assertRefused(await world.post('/persons', body), 409, { status: 409, at: '/data/type' })
  })

  it('tells a path that leads to nothing before what the body names', async () => {
    const attributes = { name: 5 }
    const answer = await world.patch('/persons/999999', person({ id: '999999', attributes }))
    assert.equal(answer.body.errors?.[0]?.status, '404')
    assert.equal(answer.fault.source?.parameter, 'id')
  })
})

chapter('all faults of one query', (world) => {
  it('tells every parameter at fault, each by its name', async () => {
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
    const told = parameters.map((at) => ({ status: 400, at }))
    assertRefused(await world.call('GET', '/persons', { query }), 400, ...told)
  })

  it('refuses unknown parameters, and says which there are', async () => {
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
    ] as const) {
      const answer = await world.call('GET', '/persons', { query })
      assertStatus(answer, 400)
      assert.deepEqual(answer.fault.source, { parameter: at }, query)
      for (const word of says) assert.ok(answer.fault.detail.includes(word), answer.text)
    }
  })

  it('refuses them on every route and method, and nothing is written', async () => {
    const { ada, eniac } = await enter(world)
    const she = `/persons/${ada.id}`
    const list = { data: [] }
    for (const [method, path, body] of [
      ['GET', '/', undefined],
      ['GET', she, undefined],
      ['GET', `${she}/computers`, undefined],
      ['GET', `${she}/relationships/computers`, undefined],
      ['GET', `/computers/${eniac.id}/owner`, undefined],
      ['GET', `/computers/${eniac.id}/relationships/owner`, undefined],
      ['POST', '/persons', person({ attributes: { name: 'Eve' } })],
      ['PATCH', she, person({ id: ada.id, attributes: { name: 'Eve' } })],
      ['PATCH', `${she}/relationships/computers`, list],
      ['POST', `${she}/relationships/computers`, list],
      ['DELETE', `${she}/relationships/computers`, list],
      ['PATCH', `/computers/${eniac.id}/relationships/owner`, { data: null }],
      ['DELETE', she, undefined],
    ] as const) {
      const answer = await world.call(method, path, { query: 'quux=1', body })
      assertRefused(answer, 400, { status: 400, at: 'quux', says: 'quux' })
    }
    assert.deepEqual((await world.get(`${she}/computers`)).many.length, 2)
    assert.equal((await world.get('/persons', { 'filter[name]': 'Eve' })).body.meta?.count, 0)
  })

  it('refuses a query that is not UTF-8', async () => {
    for (const query of ['filter[name]=%ff', 'filter[name]=%ed%a0%80', '%ff=1']) {
      const answer = await world.call('GET', '/persons', { query })
      assertRefused(answer, 400, { status: 400 })
    }
  })
})

chapter('error objects', (world) => {
  it('carry status, code, title, detail and source; title never varies, detail does', async () => {
    const [one, other] = [await world.get('/persons/999999'), await world.get('/persons/888888')]
    assert.deepEqual(Object.keys(one.fault).sort(), ['code', 'detail', 'source', 'status', 'title'])
    assert.equal(one.fault.status, '404')
    assert.match(one.fault.code, /^[a-z]+(_[a-z]+)*$/)
    assert.deepEqual([other.fault.code, other.fault.title], [one.fault.code, one.fault.title])
    assert.notEqual(other.fault.detail, one.fault.detail)
    assert.deepEqual(one.fault.source, { parameter: 'id' })
  })

  it('say in one sentence which names and values they are about', async () => {
    const answer = await world.post(
      '/persons',
      person({ attributes: { name: 'x', birth_date: '1990-13-40' } }),
    )
    assert.match(answer.fault.detail, /birth_date.*1990-13-40|1990-13-40.*birth_date/)
    assert.match(answer.fault.detail, /[.?]$/)
  })

  it('of a header or a method have no source', async () => {
    const answers = [
      await world.call('PUT', '/persons'),
      await world.get('/persons', {}, { Accept: 'application/vnd.api+json;ext="x"' }),
      await world.get('/persons', {}, { 'Content-Type': 'application/vnd.api+json;ext="x"' }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [405, 406, 415],
    )
    for (const { fault } of answers) assert.equal(fault.source, undefined)
  })
})

chapter('too large', (world) => {
  it('a body: 413, as a document, and nothing is stored', async () => {
    const attributes = { name: 'x'.repeat(32 * 1024 * 1024) }
    assertRefused(await world.post('/persons', person({ attributes })), 413, { status: 413 })
    assert.equal(await count(world, '/persons'), 0)
  })

  it('a body may have exactly as many bytes as MAX_BODY says', async () => {
    const whole = JSON.stringify(person({ attributes: { name: 'é'.repeat(100) } }))
    const size = Buffer.byteLength(whole)
    await world.restart({ maxBody: size })
    assertStatus(await world.call('POST', '/persons', { raw: whole }), 201)
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      const answer = await world.call('POST', '/persons', { raw: `${whole} `, headers })
      assertRefused(answer, 413, { status: 413, says: String(size) })
    }
  })

  it('a URL: 414 or 431, as a document', async () => {
    const answer = await world.get('/persons', { 'filter[name]': 'x'.repeat(200_000) })
    assert.ok(answer.status === 414 || answer.status === 431, answer.text)
    assertStatus(await world.get('/persons'), 200)
  })

  it('header fields: 431, as a document', async () => {
    const answer = await world.get('/persons', {}, { 'X-Large': 'x'.repeat(200_000) })
    assertRefused(answer, 431, { status: 431 })
  })
})

chapter('a fault of ours', (world) => {
  if (!isShared(world)) return

  it('is 500 with an id alone: never SQL, a path or a stack; the service goes on', async () => {
    await world.person()
    await behind(world.databaseUrl, 'alter table computer rename to elsewhere')
    const answer = await world.get('/computers')
    assertRefused(answer, 500, { status: 500 })
    assert.equal(typeof answer.fault.id, 'string')
    assert.notEqual(answer.fault.id, (await world.get('/computers')).fault.id)
    assert.doesNotMatch(
      answer.text,
      /select|table|sqlite|postgres|relation "|elsewhere|\.ts|node_modules|at /i,
    )
    assertStatus(await world.get('/persons'), 200)
    await behind(world.databaseUrl, 'alter table elsewhere rename to computer')
    assertStatus(await world.get('/computers'), 200)
  })
})
