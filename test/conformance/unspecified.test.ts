import assert from 'node:assert/strict'
import { mediaType } from '../client.ts'
import type { Answer, Call, World } from '../world.ts'
import { chapter, rule } from '../world.ts'
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

/** Everything in the headers that does not belong to the one connection or the moment. */
function lasting({ headers }: Answer): Record<string, string> {
  const passing = ['date', 'connection', 'keep-alive', 'transfer-encoding']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.includes(name)))
}

chapter('D Derived checks: bodies and values', (world: World) => {
  // D-1 Body with no `Content-Type`, `application/json`, `text/plain`: 415, nothing written.
  rule('D-1', 'a body of another media type, or of none, is 415', async () => {
    const { ada: person } = await createSamples(world)
    const path = `/persons/${person.id}`
    const changed = { data: { ...identifier(person), attributes: { name: 'Changed' } } }
    for (const type of [
      undefined,
      'application/json',
      'text/plain',
      'application/vnd.api',
      '*/*',
      'x',
    ]) {
      const headers = { 'Content-Type': type }
      assertError(await world.call('POST', '/persons', { body: ada, headers }), 415)
      assertError(await world.call('PATCH', path, { body: changed, headers }), 415)
      const linkage = { body: { data: [] }, headers }
      assertError(await world.call('PATCH', `${path}/relationships/computers`, linkage), 415)
    }
    assert.equal(await countResources(world, '/persons'), 3)
    assert.deepEqual((await world.get(path)).one, person)
  })

  // D-2 Malformed JSON, empty body on POST/PATCH: 400, `source.pointer:""`.
  rule(
    'D-2',
    'malformed JSON and an empty body are 400 and point at the whole document',
    async () => {
      const { ada: person } = await createSamples(world)
      const wrong = [
        '{',
        '',
        ' ',
        '{"data":{"type":"person"}',
        "{'data':1}",
        'undefined',
        '{"data":01}',
      ]
      for (const raw of [...wrong, Buffer.from([0x22, 0xff, 0x22])]) {
        assertError(await world.call('POST', '/persons', { raw }), 400, { pointer: '' })
        assertError(await world.call('PATCH', `/persons/${person.id}`, { raw }), 400, {
          pointer: '',
        })
      }
    },
  )

  // D-3 `DELETE /persons/P` with `Content-Type: JA` and an empty body, or with a body: 200.
  rule('D-3', 'a DELETE of a resource may have a content type and a body', async () => {
    const calls: Call[] = [
      {},
      { headers: { 'Content-Type': mediaType } },
      { raw: '' },
      { body: { data: { type: 'person', id: '1' } } },
      { raw: '{' },
    ]
    for (const call of calls) {
      const path = `/persons/${(await world.person()).id}`
      const answer = await world.call('DELETE', path, call)
      assert.equal(answer.status, 200, answer.text)
      assertError(await world.get(path), 404)
    }
    const headers = { 'Content-Type': mediaType }
    assert.equal((await world.call('GET', '/persons', { headers })).status, 200)
  })

  // D-4 Attribute invalid: 422, pointer `/data/attributes/<name>`, all problems in one answer.
  rule('D-4', 'values that are none are 422, all told at once', async () => {
    const attributes = { email: 'x', name: 5, birth_date: '1990-13-40', gender: [] }
    const created = await world.post('/persons', { data: { type: 'person', attributes } })
    const person = await world.person()
    const data = { ...identifier(person), attributes }
    const changed = await world.patch(`/persons/${person.id}`, { data })
    for (const answer of [created, changed]) {
      assert.equal(answer.status, 422, answer.text)
      const places = answer.body.errors?.map(({ source }) => source?.pointer).sort()
      assert.deepEqual(
        places,
        ['birth_date', 'email', 'gender', 'name'].map((name) => `/data/attributes/${name}`),
      )
    }
    assert.equal(await countResources(world, '/persons'), 1)
  })

  // D-5 Required attribute missing: 422. Clients take the last segment of the pointer as the field's name.
  rule('D-5', 'a required value that is missing points at the field that lacks it', async () => {
    for (const [path, type, name] of [
      ['/persons', 'person', 'name'],
      ['/computers', 'computer', 'serial'],
    ] as const) {
      const pointer = `/data/attributes/${name}`
      for (const attributes of [{}, undefined, { [name]: null }]) {
        const answer = await world.post(path, { data: { type, attributes } })
        assert.match(assertError(answer, 422, { pointer }).detail, new RegExp(name))
      }
      assert.equal(await countResources(world, path), 0)
    }
  })

  // D-13 Linkage of the wrong type: 409, pointer to that `type`.
  rule('D-13', 'linkage of the wrong type is 409 and points at that type', async () => {
    const { ada: person, engine, orphan } = await createSamples(world)
    const path = `/persons/${person.id}`
    const data = [identifier(orphan), identifier(person)]
    const pointer = '/data/relationships/computers/data/1/type'
    const relationships = { computers: { data } }
    const created = await world.post('/persons', { data: { ...ada.data, relationships } })
    assertError(created, 409, { pointer })
    const changed = await world.patch(path, { data: { ...identifier(person), relationships } })
    assertError(changed, 409, { pointer })
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const linkage = await world.call(method, `${path}/relationships/computers`, {
        body: { data },
      })
      assertError(linkage, 409, { pointer: '/data/1/type' })
      const body = { data: identifier(orphan) }
      const owner = await world.call(method, `/computers/${engine.id}/relationships/owner`, {
        body,
      })
      assertError(owner, 409, { pointer: '/data/type' })
    }
    assert.deepEqual(await computersOf(world, person), [identifier(engine)])
    assert.equal(await ownerOf(world, orphan), null)
  })

  // D-14 Deleting a person that owns computers: computers stay, owner empty.
  rule('D-14', 'the computers of a deleted person stay, ownerless', async () => {
    const { ada: person, engine } = await createSamples(world)
    await world.delete(`/persons/${person.id}`)
    const answer = await world.get(`/computers/${engine.id}`, { include: 'owner' })
    assert.equal(answer.status, 200)
    assert.equal(answer.one.relationships?.owner?.data, null)
    assert.equal((await world.get(`/computers/${engine.id}/owner`)).body.data, null)
    assert.equal(await countResources(world, '/computers'), 3)
  })
})

chapter('D Derived checks: paths and methods', (world: World) => {
  // D-15 `PUT`, `POST /persons/P`, `DELETE /persons`: 405 with `Allow`, errors document.
  rule('D-15', 'another method on a known path is 405 with Allow', async () => {
    const { ada: person } = await createSamples(world)
    for (const [method, path, allowed] of [
      ['PUT', `/persons/${person.id}`, 'PATCH'],
      ['POST', `/persons/${person.id}`, 'PATCH'],
      ['DELETE', '/persons', 'POST'],
      ['PATCH', '/persons', 'POST'],
      ['POST', '/', 'GET'],
    ] as const) {
      const answer = await world.call(method, path, { body: ada })
      assertError(answer, 405)
      const methods = (answer.headers.allow ?? '').split(/, */)
      assert.ok(methods.includes(allowed) && !methods.includes(method), `${method} ${path}`)
    }
    assert.equal(await countResources(world, '/persons'), 3)
  })

  // D-16 Unknown route: 404, errors document, right `Content-Type`.
  rule('D-16', 'an unknown route is 404 like any other, whatever the method', async () => {
    for (const path of [
      '/nope',
      '/persons/1/nope',
      '/relationships',
      '/persons/1/relationships/',
    ]) {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT']) {
        const answer = await world.call(method, path, method === 'GET' ? {} : { body: ada })
        assertError(answer, 404)
        assert.equal(answer.headers['content-type'], mediaType)
      }
    }
  })

  // D-17 `HEAD` on any GET route: same status and headers, no body.
  rule('D-17', 'HEAD answers with the headers of GET, on every route', async () => {
    const { ada: person, engine, orphan } = await createSamples(world)
    for (const path of [
      '/',
      '/persons',
      '/computers?include=owner',
      '/persons?sort=nope',
      `/persons/${person.id}`,
      `/persons/${person.id}/computers`,
      `/computers/${orphan.id}/owner`,
      `/persons/${person.id}/relationships/computers`,
      `/computers/${engine.id}/relationships/owner`,
      `/persons/${missingId}`,
      '/nope',
    ]) {
      const get = await world.get(path)
      const head = await world.call('HEAD', path)
      assert.equal(head.status, get.status, path)
      assert.equal(head.text, '', path)
      assert.deepEqual(lasting(head), lasting(get), path)
    }
  })

  // D-19 Path id `01`, `+1`, `1.0`, huge: 404.
  rule('D-19', 'an id is written in one way only', async () => {
    const { ada: person } = await createSamples(world)
    assert.equal(person.id, '1')
    const wrong = ['01', '+1', '%2B1', '-1', '1.0', '1e0', '0x1', '0', '1%20', '%31%00', '%D9%A1']
    const huge = ['9223372036854775808', '18446744073709551617', '1'.repeat(300)]
    for (const id of [...wrong, ...huge]) {
      assertError(await world.get(`/persons/${id}`), 404)
      assertError(await world.get(`/persons/${id}/computers`), 404)
      assertError(await world.get(`/persons/${id}/relationships/computers`), 404)
      assertError(await world.delete(`/persons/${id}`), 404)
    }
    assert.equal((await world.get('/persons/1')).status, 200)
    assertError(await world.get('/persons/9223372036854775807'), 404, { parameter: 'id' })
  })

  // D-20 Order of checks: 404 route → 405 → 415 → 406 → 400 query → 400 body → 409 type → 404 target
  // → 404 related → 422.
  rule('D-20', 'of several reasons to refuse, the first in the order is told', async () => {
    const { ada: person } = await createSamples(world)
    const typed = { 'Content-Type': 'text/plain' }
    const accepting = { Accept: `${mediaType};charset=utf-8` }
    const computers = { data: [missingComputer] }
    const wrong = { attributes: { name: 5 }, relationships: { computers } }
    const absent = `/persons/${missingId}`
    const foo = { query: 'foo=1' }
    for (const [status, method, path, call] of [
      [404, 'PUT', '/nowhere', { raw: '{', headers: { ...typed, ...accepting }, ...foo }],
      [405, 'PUT', '/persons', { raw: '{', headers: { ...typed, ...accepting }, ...foo }],
      [415, 'POST', '/persons', { raw: '{', headers: { ...typed, ...accepting }, ...foo }],
      [406, 'POST', '/persons', { raw: '{', headers: accepting, ...foo }],
      [409, 'PATCH', absent, { body: { data: { type: 'computer', id: missingId, ...wrong } } }],
      [404, 'PATCH', absent, { body: { data: { type: 'person', id: missingId, ...wrong } } }],
    ] as const) {
      assertError(await world.call(method, path, call), status)
    }
    assertError(await world.call('POST', '/persons', { raw: '{', ...foo }), 400, {
      parameter: 'foo',
    })
    const shapeless = { data: { type: 'computer', attributes: [] } }
    assertError(await world.patch(absent, shapeless), 400)
    assertError(await world.post('/persons', shapeless), 400, { pointer: '/data/attributes' })
    const target = await world.patch(absent, { data: { type: 'person', id: missingId, ...wrong } })
    assertError(target, 404, { parameter: 'id' })
    assert.equal(target.body.errors?.length, 1)
    const both = await world.patch(`/persons/${person.id}`, {
      data: { ...identifier(person), ...wrong },
    })
    assert.equal(both.status, 400, both.text)
    assert.deepEqual(both.body.errors?.map(({ status }) => status).sort(), ['404', '422'])
  })
})
