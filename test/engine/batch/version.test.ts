import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createApi, createErrorResponse } from 'lapidary'
import { addPerson, modernOffice, office } from './office.ts'
import { type BatchSuite, batchType, describeBatches, summarize } from './send-batch.ts'

const type = 'application/vnd.api+json'
const unknown = 'https://example.org/ext'
const eve = { data: { type: 'person', attributes: { name: 'Eve' } } }

/** The status of a read by its `Accept`. */
const accepted: readonly (readonly [status: number, accept: string])[] = [
  [200, type],
  [200, '*/*'],
  [200, 'application/*'],
  [200, `${type};q=0.5`],
  [200, `${type};profile="https://example.org/a https://example.org/b"`],
  [200, batchType],
  [200, `${type};charset=utf-8, ${type}`],
  [200, `${type};ext="${unknown}", ${type};profile="${unknown}"`],
  [406, `${type};charset=utf-8`],
  [406, `${type};ext="${unknown}"`],
  [406, `${batchType.slice(0, -1)} ${unknown}"`],
]

/** The status of a create by its `Content-Type`. */
const sent: readonly (readonly [status: number, contentType: string])[] = [
  [201, type],
  [201, `${type};profile="https://example.org/a"`],
  [201, `${type}; profile="a b"`],
  [415, `${type};charset=utf-8`],
  [415, `${type};ext="${unknown}"`],
  [415, `${type};profile="a";ext="${unknown}"`],
  [415, batchType],
  [415, 'application/json'],
]

/** Requests, whose documents differ between the versions in their member `jsonapi` only. */
const requests: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', '/'],
  ['GET', '/persons'],
  ['GET', '/persons/1?include=computers'],
  ['GET', '/persons/1/relationships/boss'],
  ['GET', '/persons/1/relationships/computers'],
  ['GET', '/persons/99'],
  ['GET', '/nothing'],
  ['GET', '/persons?sort=size'],
  ['PUT', '/persons'],
  ['POST', '/persons', eve],
  ['PATCH', '/persons/1', { data: { type: 'person', id: '1', attributes: { name: 3 } } }],
  ['POST', '/persons/actions/count', {}],
  ['DELETE', '/persons/2'],
]

/** The responses of JSON:API 1.0: status and document. */
const answers = new Map<string, unknown>()

describeBatches('JSON:API 1.0 beside 1.1', office, (app) => {
  for (const [method, path, body] of requests)
    it(`stays the default: ${method} ${path}`, async () => {
      const { status, document } = await app.send(method, path, body)
      const { jsonapi, ...rest } = document
      assert.deepEqual(jsonapi, { version: '1.0' })
      answers.set(`${app.dialect} ${method} ${path}`, [status, rest])
    })
})

/** Requests that are no batches. */
const others: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/persons'],
  ['POST', '/persons/1/computers'],
  ['PATCH', '/persons/1'],
  ['PATCH', '/persons/1/relationships/computers'],
  ['POST', '/persons/actions/count'],
]

for (const suite of [office, modernOffice])
  describeBatches('Operations of every version', suite, (app) => {
    for (const [method, path] of others)
      for (const contentType of [type, batchType])
        it(`says where operations belong: ${method} ${path} with ${contentType}`, async () => {
          const body = { 'atomic:operations': [addPerson('Eve')] }
          const sent = await app.send(method, path, body, { 'content-type': contentType })
          assert.equal(sent.status, contentType === type ? 400 : 415)
          const [, address = '', remedy = ''] =
            /at (\S+), with Content-Type: (\S+)\.$/.exec(String(sent.errors[0]?.detail)) ?? []
          const moved = await app.send('POST', address, body, { 'content-type': remedy })
          assert.deepEqual([moved.status, moved.results.length], [200, 1])
        })

    it('refuses the id of a new resource that the database generates, which a later one names', async () => {
      const ref = { type: 'person', id: '1' }
      const response = await app.batch([
        { op: 'add', data: { ...ref, attributes: { name: 'Eve' } } },
        { op: 'update', ref, data: { ...ref, attributes: { note: 'new' } } },
      ])
      assert.deepEqual(summarize(response), [
        '403 client_id_forbidden /atomic:operations/0/data/id',
      ])
      assert.match(String(response.errors[0]?.detail), / by a lid\.$/)
    })

    it('writes nothing if the data has another id than the target', async () => {
      const update = (target: object, name: object) => ({
        ...{ op: 'update', ...target },
        data: { type: 'person', attributes: {}, ...name },
      })
      const summarizeDetails = ({ errors }: Awaited<ReturnType<typeof app.batch>>) =>
        errors.map(({ code, detail }) => [code, detail])
      const ref = { type: 'person', id: '1' }
      const begin = '/atomic:operations/0'
      const cases: readonly [operation: object, detail: string][] = [
        [
          update({ ref }, { id: '2' }),
          `${begin}/data must have the id "1", as ${begin}/ref; it has the id "2".`,
        ],
        [
          update({ href: '/persons/1' }, { id: '2' }),
          `${begin}/data must have the id of "/persons/1", as ${begin}/href; it has the id "2".`,
        ],
      ]
      for (const [operation, detail] of cases)
        assert.deepEqual(summarizeDetails(await app.batch([operation as never])), [
          ['id_conflict', detail],
        ])
      const two = [addPerson('Eve', 'p'), update({ ref }, { lid: 'p' })]
      assert.deepEqual(summarizeDetails(await app.batch(two)), [
        [
          'id_conflict',
          '/atomic:operations/1/data must have the id "1", as /atomic:operations/1/ref; it has the lid "p".',
        ],
      ])
      const local = update({ ref: { type: 'person', lid: 'p' } }, { id: '2' })
      assert.deepEqual(summarizeDetails(await app.batch([addPerson('Eve', 'p'), local])), [
        [
          'id_conflict',
          '/atomic:operations/1/data must have the lid "p", as /atomic:operations/1/ref; it has the id "2".',
        ],
      ])
    })
  })

const lenient: BatchSuite = {
  ...office,
  model: { ...office.model, atomic: { actions: true, maxOperations: 5, idMismatch: 'discard' } },
}

describeBatches('Operations of a model that discards other ids', lenient, (app) => {
  it('write to their target', async () => {
    const ref = { type: 'person', id: '1' }
    const data = { type: 'person', id: '2', attributes: { name: 'Ida' } }
    const { results } = await app.batch([{ op: 'update', ref, data }])
    assert.equal(results[0]?.data?.id, '1')
  })
})

describeBatches('JSON:API 1.1', modernOffice, (app) => {
  for (const [status, accept] of accepted)
    it(`answers a read that accepts ${accept} with ${status}`, async () => {
      const response = await app.send('GET', '/persons', undefined, { accept })
      assert.equal(response.status, status)
      assert.equal(response.headers.get('content-type'), type)
      assert.deepEqual(response.document.jsonapi, { version: '1.1' })
    })

  for (const [status, contentType] of sent)
    it(`answers a create as ${contentType} with ${status}`, async () => {
      const response = await app.send('POST', '/persons', eve, { 'content-type': contentType })
      assert.equal(response.status, status)
      assert.deepEqual(response.document.jsonapi, { version: '1.1' })
    })

  for (const [method, path, body] of requests)
    it(`differs from 1.0 in the version of the document only: ${method} ${path}`, async () => {
      const { status, document } = await app.send(method, path, body)
      const { jsonapi, ...rest } = document
      assert.deepEqual(jsonapi, { version: '1.1' })
      assert.deepEqual([status, rest], answers.get(`${app.dialect} ${method} ${path}`))
    })

  it('leads from the error of a missing member to the object that lacks it, and names it', async () => {
    const { errors } = await app.send('POST', '/persons', { data: { type: 'person' } })
    assert.deepEqual(
      errors.map(({ code, source }) => [code, source?.pointer]),
      [['missing_value', '/data']],
    )
    assert.match(String(errors[0]?.detail), /name/)
    const { errors: others } = await app.send('POST', '/persons', {
      data: { type: 'person', attributes: { name: 5 } },
    })
    assert.deepEqual(others[0]?.source?.pointer, '/data/attributes/name')
  })

  const wrongFields: readonly (readonly [field: string, value: string, status: number])[] = [
    ['accept', `${type};charset=utf-8`, 406],
    ['content-type', 'application/json', 415],
    ['content-encoding', 'gzip', 415],
    ['if-match', '"other"', 412],
    ['if-match', 'other', 400],
    ['if-none-match', '*', 412],
    ['idempotency-key', '', 400],
    ['idempotency-key', '"k"', 400],
    ['prefer', 'dry-run=1', 400],
    ['prefer', 'max-affected=0', 422],
  ]
  for (const [field, value, status] of wrongFields)
    it(`names the header field of an error: ${field}: ${value}`, async () => {
      const body = { data: { type: 'person', id: '1', attributes: { name: 'Ida' } } }
      const response = await app.send('PATCH', '/persons/1', body, { [field]: value })
      assert.deepEqual(
        [response.status, response.errors.map(({ source }) => source?.header?.toLowerCase())],
        [status, [field]],
      )
    })

  it('names the header field of an error of operations', async () => {
    const { errors } = await app.batch([addPerson('Eve')], { prefer: 'max-affected=0' })
    assert.deepEqual(
      errors.map(({ source }) => source),
      [{ header: 'Prefer' }],
    )
    const plain = await app.batch([addPerson('Eve')], { 'content-type': type })
    assert.deepEqual(
      plain.errors.map(({ source }) => source),
      [{ header: 'Content-Type' }],
    )
  })

  it('names the missing condition', async () => {
    const body = { data: { type: 'order', id: '1', attributes: { status: 'paid' } } }
    const { errors } = await app.send('PATCH', '/orders/1', body)
    assert.deepEqual(
      errors.map(({ status, source }) => [status, source?.header]),
      [['428', 'If-Match']],
    )
  })

  it('rejects an update with another id', async () => {
    const body = { data: { type: 'person', id: '2', attributes: { name: 'Ida' } } }
    assert.equal((await app.send('PATCH', '/persons/1', body)).status, 409)
  })

  it('has operations', async () => {
    const response = await app.batch([addPerson('Eve')])
    assert.equal(response.status, 200)
    assert.deepEqual(response.document.jsonapi?.ext, ['https://jsonapi.org/ext/atomic'])
  })
})

const typed: BatchSuite = {
  ...modernOffice,
  model: { ...modernOffice.model, errorTypes: 'https://example.org/errors#' },
}

describeBatches('Errors of calls in process in JSON:API 1.1', typed, (app) => {
  const { model } = typed
  const open = () => createApi({ model, store: app.store }).with()
  const path = '/persons/1'
  const update = (attributes: object) => ({ data: { type: 'person', id: '1', attributes } })
  const calls: readonly (readonly [
    status: number,
    call: (client: ReturnType<typeof open>) => Promise<unknown>,
    ...request: Parameters<typeof app.send>,
  ])[] = [
    [404, (client) => client.get('person', '99'), 'GET', '/persons/99'],
    [
      400,
      (client) => client.list('person', { sort: ['size'] as never }),
      'GET',
      '/persons?sort=size',
    ],
    [
      412,
      (client) => client.update('person', '1', { name: 'Ida' }, { ifMatch: 'other' }),
      ...(['PATCH', path, update({ name: 'Ida' }), { 'if-match': '"other"' }] as const),
    ],
    [
      422,
      (client) => client.update('person', '1', { name: 5, note: 5 } as never),
      ...(['PATCH', path, update({ name: 5, note: 5 })] as const),
    ],
  ]
  for (const [status, call, ...request] of calls)
    it(`are the documents of requests: ${status} ${request[1]}`, async () => {
      const thrown: unknown = await call(open()).catch((error: unknown) => error)
      const response = createErrorResponse(thrown, model)
      const { document } = await app.send(...request)
      assert.deepEqual([response?.status, JSON.parse(response?.body ?? '')], [status, document])
      assert.match(response?.body ?? '', /"type":"https:\/\/example.org\/errors#/)
    })
})

const profile = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination'

describeBatches('Pages between cursors in JSON:API 1.0', office, (app) => {
  it('have no profile', async () => {
    const { headers, document } = await app.send('GET', '/persons?page[size]=1&page[total]=exact')
    assert.equal(headers.get('content-type'), type)
    assert.deepEqual(document.jsonapi, { version: '1.0' })
    assert.equal(
      document.links?.self,
      'http://localhost/persons?page%5Bsize%5D=1&page%5Btotal%5D=exact',
    )
  })
})

describeBatches('Documents in JSON:API 1.1', modernOffice, (app) => {
  for (const path of ['/persons', '/persons/1/computers', '/persons/1/relationships/computers'])
    it(`have the profile of a page between cursors: ${path}`, async () => {
      const mediaType = `${type};profile="${profile}"`
      const { headers, document } = await app.send('GET', `${path}?page[size]=1&page[total]=exact`)
      assert.equal(headers.get('content-type'), mediaType)
      assert.deepEqual(document.jsonapi, { version: '1.1', profile: [profile] })
      const { href, ...self } = Object(document.links?.self)
      assert.deepEqual(self, { type: mediaType })
      assert.ok(href.endsWith(`${path}?page%5Bsize%5D=1&page%5Btotal%5D=exact`), href)
    })

  it('have a profile in the response to HEAD, and none in a 304', async () => {
    const path = '/persons?page[size]=1&page[total]=exact'
    const { headers } = await app.send('HEAD', path)
    assert.equal(headers.get('content-type'), `${type};profile="${profile}"`)
    const etag = String(headers.get('etag'))
    const unchanged = await app.send('GET', path, undefined, { 'if-none-match': etag })
    assert.deepEqual([unchanged.status, unchanged.headers.get('content-type')], [304, null])
  })

  it('have pointers to values of the body of a QUERY', async () => {
    const query = {
      filter: [
        { name: 'name', op: 'eq' },
        { name: 'size', op: 'eq', val: '1' },
      ],
    }
    const json = { 'content-type': 'application/json' }
    const { status, errors } = await app.send('QUERY', '/persons', query, json)
    assert.equal(status, 400)
    for (const { source } of errors) {
      const tokens = String(source?.pointer).split('/').slice(1)
      let value: unknown = query
      for (const token of tokens) {
        assert.ok(Object.hasOwn(Object(value), token), String(source?.pointer))
        value = Reflect.get(Object(value), token)
      }
      assert.ok(tokens.length >= 2, String(source?.pointer))
    }
  })
})

const described: BatchSuite = { ...modernOffice, options: { openapi: true, prefix: '/v1' } }

describeBatches('Documents of a described API in JSON:API 1.1', described, (app) => {
  const descriptions: readonly (readonly [path: string, description: string])[] = [
    ['/v1', '/v1/openapi.json'],
    ['/v1/persons', '/v1/persons.schema.json'],
    ['/v1/persons/1', '/v1/persons.schema.json'],
    ['/v1/persons/1/computers', '/v1/computers.schema.json'],
    ['/v1/computers/1/owner', '/v1/persons.schema.json'],
    ['/v1/persons/1/relationships/computers', '/v1/openapi.json'],
    ['/v1/computers/1/relationships/owner', '/v1/openapi.json'],
  ]
  for (const [path, description] of descriptions)
    it(`link their description: ${path}`, async () => {
      const { document } = await app.send('GET', path)
      assert.equal(document.links?.describedby, description)
      assert.equal((await app.send('GET', description)).status, 200)
    })
})
