import assert from 'node:assert/strict'
import type { Answer, World } from '../world.ts'
import { chapter, rule } from '../world.ts'
import { isObject } from './document-members.ts'
import { fetchErrorSamples } from './sample-responses.ts'
import { assertError, countResources, createSamples, identifier, missingId } from './samples.ts'

/** The faults of an answer as `status place`, sorted. */
function told({ body }: Answer): string[] {
  return (body.errors ?? [])
    .map(({ status, source }) => `${status} ${source?.pointer ?? source?.parameter}`)
    .sort()
}

chapter('ERR Errors', (world: World) => {
  const create = (attributes: object, relationships: object = {}) =>
    world.post('/persons', { data: { type: 'person', attributes, relationships } })

  // ERR-1 Stop at the first problem or collect several.
  rule('ERR-1', 'all faults of a body are told at once', async () => {
    const answer = await create({ name: 5, email: 'x', birth_date: '1990-13-40', nope: 1 })
    assert.deepEqual(told(answer), [
      '422 /data/attributes/birth_date',
      '422 /data/attributes/email',
      '422 /data/attributes/name',
      '422 /data/attributes/nope',
    ])
    assert.equal(await countResources(world, '/persons'), 0)
  })

  rule('ERR-1', 'all faults of a query are told at once', async () => {
    const answer = await world.get('/persons', {
      sort: 'nope',
      include: 'nope',
      foo: '1',
      'page[size]': 'x',
      'filter[nope]': '1',
      'fields[nope]': 'a',
    })
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(told(answer), [
      '400 fields[nope]',
      '400 filter[nope]',
      '400 foo',
      '400 include',
      '400 page[size]',
      '400 sort',
    ])
  })

  // ERR-2 Several problems → the most general status.
  rule('ERR-2', 'faults of one status have that status', async () => {
    const answer = await create({ name: 'n', email: 'x', birth_date: 'x' })
    assert.equal(answer.status, 422, answer.text)
    assert.equal(answer.body.errors?.length, 2)
  })

  rule('ERR-2', 'faults of several statuses are 400, each with its own', async () => {
    const { rosa } = await createSamples(world)
    const answer = await create(
      { name: 'n', email: 'x' },
      { computers: { data: [identifier(rosa)] } },
    )
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(told(answer), [
      '409 /data/relationships/computers/data/0/type',
      '422 /data/attributes/email',
    ])
    assert.equal(await countResources(world, '/persons'), 3)
  })

  // ERR-3 Error objects come as an array under top-level `errors`.
  rule('ERR-3', 'every refusal tells a list of errors and no data', async () => {
    for (const { asked, answer } of await fetchErrorSamples(world)) {
      assert.ok(Array.isArray(answer.body.errors) && answer.body.errors.length > 0, asked)
      assert.deepEqual(Object.keys(answer.body).sort(), ['errors', 'jsonapi'], asked)
    }
  })

  // ERR-4 Members: `id`, `links.about`, `status` (string), `code` (string), `title`, `detail`,
  // `source`, `meta`; no others.
  rule(
    'ERR-4',
    'an error has status, code, title and detail as texts, and its source',
    async () => {
      for (const { asked, answer } of await fetchErrorSamples(world)) {
        for (const { source, ...texts } of answer.body.errors ?? []) {
          assert.deepEqual(Object.keys(texts).sort(), ['code', 'detail', 'status', 'title'], asked)
          for (const text of Object.values(texts)) {
            assert.ok(typeof text === 'string' && text !== '', asked)
          }
          if (source === undefined) continue
          assert.ok(isObject(source), asked)
          const [place, ...others] = Object.keys(source)
          assert.ok(place === 'pointer' || place === 'parameter', asked)
          assert.deepEqual(others, [], asked)
        }
      }
    },
  )

  rule('ERR-4', 'the status of the only error is that of the answer', async () => {
    for (const { asked, answer } of await fetchErrorSamples(world)) {
      const { errors = [] } = answer.body
      if (errors.length === 1) assert.equal(errors[0]?.status, String(answer.status), asked)
    }
  })

  // ERR-5 `title` does not vary between occurrences.
  rule('ERR-5', 'errors of one kind share the title and differ in the detail', async () => {
    const pairs = [
      [await world.get(`/persons/${missingId}`), await world.get('/computers/888888')],
      [
        await world.get('/persons', { sort: 'nope' }),
        await world.get('/persons', { sort: 'other' }),
      ],
      [await create({ name: 5 }), await create({ name: 'n', email: 'x' })],
      [await world.get('/persons', { foo: 1 }), await world.get('/persons', { bar: 1 })],
    ] as const
    for (const [{ fault: one }, { fault: other }] of pairs) {
      assert.equal(one.code, other.code)
      assert.equal(one.title, other.title)
      assert.notEqual(one.detail, other.detail)
    }
  })

  rule('ERR-5', 'a title belongs to one code, wherever it is told', async () => {
    const titles = new Map<string, string>()
    for (const { asked, answer } of await fetchErrorSamples(world)) {
      for (const { code, title } of answer.body.errors ?? []) {
        assert.equal(titles.get(code) ?? title, title, asked)
        titles.set(code, title)
      }
    }
    assert.ok(titles.size > 8, [...titles.keys()].join())
    assert.equal(new Set(titles.values()).size, titles.size)
  })

  // ERR-6 `source.pointer` is a JSON Pointer into the request document; `source.parameter` names the
  // URI query parameter at fault.
  rule('ERR-6', 'a fault in the query names its parameter', async () => {
    for (const [parameter, value] of [
      ['sort', 'nope'],
      ['include', 'nope'],
      ['filter', '{'],
      ['filter[nope]', '1'],
      ['page[size]', 'x'],
      ['page[number]', '0'],
      ['fields[person]', 'nope'],
      ['foo', '1'],
    ] as const) {
      assertError(await world.get('/persons', { [parameter]: value }), 400, { parameter })
    }
  })

  rule('ERR-6', 'a fault in the body points at its place', async () => {
    const faults = [
      [await create({ name: 'n', email: 'x' }), 422, '/data/attributes/email'],
      [await create({ name: 'n', 'a/b~c': 1 }), 422, '/data/attributes/a~1b~0c'],
      [await create({ name: 'n' }, { nope: { data: [] } }), 422, '/data/relationships/nope'],
      [await world.post('/persons', { data: { type: 'computer' } }), 409, '/data/type'],
      [await world.post('/persons', { data: [] }), 400, '/data'],
    ] as const
    for (const [answer, status, pointer] of faults) assertError(answer, status, { pointer })
  })

  rule('ERR-6', 'a path that leads to no resource names its parameter', async () => {
    assertError(await world.get(`/persons/${missingId}`), 404, { parameter: 'id' })
    assertError(await world.get(`/computers/${missingId}`), 404, { parameter: 'id' })
    assertError(await world.get(`/computers/${missingId}/owner`), 404, { parameter: 'computer_id' })
  })
})
