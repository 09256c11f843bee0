import assert from 'node:assert/strict'
import type { TestResponse, TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import { isObject } from './document-members.ts'
import { recordSamples } from './sample-responses.ts'
import { assertError, countResources, createSamples, identifier, missingId } from './samples.ts'

/** The status and the source of each error of a response, sorted. */
function errorsOf({ body }: TestResponse): string[] {
  return (body.errors ?? [])
    .map(({ status, source }) => `${status} ${source?.pointer ?? source?.parameter}`)
    .sort()
}

describeService('Errors', (app: TestService) => {
  const samples = recordSamples(app)

  const create = (attributes: object, relationships: object = {}) =>
    app.post('/persons', { data: { type: 'person', attributes, relationships } })

  rule('ERR-1', 'a response has all errors of a body', async () => {
    const response = await create({ name: 5, email: 'x', birth_date: '1990-13-40', nope: 1 })
    assert.deepEqual(errorsOf(response), [
      '422 /data/attributes/birth_date',
      '422 /data/attributes/email',
      '422 /data/attributes/name',
      '422 /data/attributes/nope',
    ])
    assert.equal(await countResources(app, '/persons'), 0)
  })

  rule('ERR-1', 'a response has all errors of a query', async () => {
    const response = await app.get('/persons', {
      sort: 'nope',
      include: 'nope',
      foo: '1',
      'page[size]': 'x',
      'filter[nope]': '1',
      'fields[nope]': 'a',
    })
    assert.equal(response.status, 400, response.text)
    assert.deepEqual(errorsOf(response), [
      '400 fields[nope]',
      '400 filter[nope]',
      '400 foo',
      '400 include',
      '400 page[size]',
      '400 sort',
    ])
  })

  rule('ERR-2', 'given several errors of one status, the response has this status', async () => {
    const response = await create({ name: 'n', email: 'x', birth_date: 'x' })
    assert.equal(response.status, 422, response.text)
    assert.equal(response.body.errors?.length, 2)
  })

  rule('ERR-2', 'given errors of several statuses, the response has the status 400', async () => {
    const { rosa } = await createSamples(app)
    const response = await create(
      { name: 'n', email: 'x' },
      { computers: { data: [identifier(rosa)] } },
    )
    assert.equal(response.status, 400, response.text)
    assert.deepEqual(errorsOf(response), [
      '409 /data/relationships/computers/data/0/type',
      '422 /data/attributes/email',
    ])
    assert.equal(await countResources(app, '/persons'), 3)
  })

  rule('ERR-3', 'every error response has a list of errors and no data', async () => {
    for (const { request, response } of await samples.errors()) {
      assert.ok(Array.isArray(response.body.errors) && response.body.errors.length > 0, request)
      assert.deepEqual(Object.keys(response.body).sort(), ['errors', 'jsonapi'], request)
    }
  })

  rule(
    'ERR-4',
    'every error has a status, code, title and detail, and one source at most',
    async () => {
      for (const { request, response } of await samples.errors()) {
        for (const { source, ...texts } of response.body.errors ?? []) {
          assert.deepEqual(
            Object.keys(texts).sort(),
            ['code', 'detail', 'status', 'title'],
            request,
          )
          for (const text of Object.values(texts)) {
            assert.ok(typeof text === 'string' && text !== '', request)
          }
          if (source === undefined) continue
          assert.ok(isObject(source), request)
          const [name, ...others] = Object.keys(source)
          assert.ok(name === 'pointer' || name === 'parameter', request)
          assert.deepEqual(others, [], request)
        }
      }
    },
  )

  rule('ERR-4', 'given a single error, its status is the status of the response', async () => {
    for (const { request, response } of await samples.errors()) {
      const { errors = [] } = response.body
      if (errors.length === 1) assert.equal(errors[0]?.status, String(response.status), request)
    }
  })

  rule('ERR-5', 'errors with the same code have the same title and different details', async () => {
    const pairs = [
      [await app.get(`/persons/${missingId}`), await app.get('/computers/888888')],
      [await app.get('/persons', { sort: 'nope' }), await app.get('/persons', { sort: 'other' })],
      [await create({ name: 5 }), await create({ name: 'n', email: 'x' })],
      [await app.get('/persons', { foo: 1 }), await app.get('/persons', { bar: 1 })],
    ] as const
    for (const [{ error: one }, { error: other }] of pairs) {
      assert.equal(one.code, other.code)
      assert.equal(one.title, other.title)
      assert.notEqual(one.detail, other.detail)
    }
  })

  rule('ERR-5', 'each code has one title, and each title belongs to one code', async () => {
    const titles = new Map<string, string>()
    for (const { request, response } of await samples.errors()) {
      for (const { code, title } of response.body.errors ?? []) {
        assert.equal(titles.get(code) ?? title, title, request)
        titles.set(code, title)
      }
    }
    assert.ok(titles.size > 8, [...titles.keys()].join())
    assert.equal(new Set(titles.values()).size, titles.size)
  })

  for (const [parameter, value] of [
    ['sort', 'nope'],
    ['include', 'nope'],
    ['filter', '{'],
    ['filter[nope]', '1'],
    ['page[size]', 'x'],
    ['page[number]', '0'],
    ['fields[person]', 'nope'],
    ['foo', '1'],
  ] as const)
    rule('ERR-6', `given an invalid ${parameter}, the error names the parameter`, async () => {
      assertError(await app.get('/persons', { [parameter]: value }), 400, { parameter })
    })

  for (const [data, status, pointer] of [
    [{ attributes: { name: 'n', email: 'x' } }, 422, '/data/attributes/email'],
    [{ attributes: { name: 'n', 'a/b~c': 1 } }, 422, '/data/attributes/a~1b~0c'],
    [
      { attributes: { name: 'n' }, relationships: { nope: { data: [] } } },
      422,
      '/data/relationships/nope',
    ],
    [{ type: 'computer' }, 409, '/data/type'],
    [[], 400, '/data'],
  ] as const)
    rule('ERR-6', `given an error at ${pointer} of a body, the error points at it`, async () => {
      const body = { data: Array.isArray(data) ? data : { type: 'person', ...data } }
      assertError(await app.post('/persons', body), status, { pointer })
    })

  for (const [path, parameter] of [
    [`/persons/${missingId}`, 'id'],
    [`/computers/${missingId}`, 'id'],
    [`/computers/${missingId}/owner`, 'computer_id'],
  ] as const)
    rule('ERR-6', `given the missing resource ${path}, the error names ${parameter}`, async () => {
      assertError(await app.get(path), 404, { parameter })
    })
})
