import assert from 'node:assert/strict'
import { mediaType } from '../client.ts'
import type { Call, TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import { recordSamples } from './sample-responses.ts'
import { assertError, computersOf, countResources, createSamples, identifier } from './samples.ts'

const ada = { data: { type: 'person', attributes: { name: 'Ada' } } }

/** Content types with the JSON:API media type and a parameter. */
const parameterized = [
  `${mediaType};charset=utf-8`,
  `${mediaType}; charset=utf-8`,
  `${mediaType};profile="https://x/y"`,
  `${mediaType};ext="https://x/y"`,
  'Application/Vnd.Api+JSON;charset=utf-8',
]

/** Accept headers with the JSON:API media type only with parameters. */
const unacceptable = [
  `${mediaType};charset=utf-8`,
  `${mediaType}; charset=utf-8`,
  `${mediaType};profile="a,b"`,
  `${mediaType};profile="a, ${mediaType}"`,
  `${mediaType};ext="x", ${mediaType};profile="y"`,
  `${mediaType};profile="x", */*`,
  `text/html, ${mediaType};profile="x";q=0.5`,
  'APPLICATION/VND.API+JSON;charset=utf-8',
]

/** Other Accept headers. */
const acceptable = [
  undefined,
  '*/*',
  'application/*',
  'application/json, text/plain, */*',
  mediaType,
  `${mediaType};q=0.5`,
  `${mediaType}; q=0.5`,
  `${mediaType};profile="x", ${mediaType}`,
  `${mediaType};profile="x", ${mediaType};q=0.1`,
  'Application/Vnd.Api+JSON',
  'text/html',
]

/** `test/html/` has the tests of the pages that browsers get otherwise. */
const withoutPages = { settings: { html: 'off' }, isLongOnOthers: true } as const

describeService(
  'Content negotiation',
  (app: TestService) => {
    const samples = recordSamples(app)

    rule('NEG-1', 'every response has the exact media type, whatever its status', async () => {
      const all = await samples.all()
      const statuses = new Set(all.map(({ response }) => response.status))
      for (const status of [200, 201, 400, 404, 405, 406, 409, 415, 422]) {
        assert.ok(statuses.has(status), `no sample has the status ${status}`)
      }
      for (const { request, response } of all) {
        assert.equal(response.headers['content-type'], mediaType, request)
      }
    })

    for (const type of parameterized)
      rule('NEG-2', `given a body with Content-Type ${type}, a write gets 415`, async () => {
        const { ada: person, engine } = await createSamples(app)
        const path = `/persons/${person.id}`
        const update = { data: { ...identifier(person), attributes: { name: 'Changed' } } }
        const withType = (body: unknown): Call => ({ body, headers: { 'Content-Type': type } })
        assertError(await app.call('POST', '/persons', withType(ada)), 415)
        assertError(await app.call('PATCH', path, withType(update)), 415)
        const linkage = `${path}/relationships/computers`
        const removed = { data: [identifier(engine)] }
        assertError(await app.call('DELETE', linkage, withType(removed)), 415)
        assert.equal(await countResources(app, '/persons'), 3)
        assert.equal((await app.get(path)).one.attributes?.name, 'Ada')
        assert.deepEqual(await computersOf(app, person), [identifier(engine)])
      })

    for (const type of parameterized)
      rule('NEG-2', `given no body but Content-Type ${type}, a request gets 415`, async () => {
        const path = `/persons/${(await app.person()).id}`
        const headers = { 'Content-Type': type }
        assertError(await app.call('GET', '/persons', { headers }), 415)
        assertError(await app.call('GET', path, { headers }), 415)
        assertError(await app.call('DELETE', path, { headers }), 415)
        assert.equal((await app.get(path)).status, 200)
      })

    for (const type of [mediaType, 'Application/Vnd.Api+JSON'])
      rule('NEG-2', `given Content-Type ${type}, every method succeeds`, async () => {
        const headers = { 'Content-Type': type }
        const created = await app.call('POST', '/persons', { body: ada, headers })
        assert.equal(created.status, 201)
        const path = `/persons/${created.one.id}`
        assert.equal((await app.call('GET', path, { headers })).status, 200)
        assert.equal((await app.call('DELETE', path, { headers })).status, 200)
      })

    for (const accept of unacceptable)
      rule('NEG-3', `given Accept: ${accept}, a request gets 406`, async () => {
        const { id } = await app.person()
        const headers = { Accept: accept }
        assertError(await app.call('GET', '/persons', { headers }), 406)
        assertError(await app.call('GET', `/persons/${id}`, { headers }), 406)
        assertError(await app.call('POST', '/persons', { body: ada, headers }), 406)
        assert.equal(await countResources(app, '/persons'), 1)
      })

    for (const accept of acceptable)
      rule('NEG-3', `given Accept: ${accept}, a request gets a JSON:API document`, async () => {
        const response = await app.call('GET', '/persons', { headers: { Accept: accept } })
        assert.equal(response.status, 200, response.text)
        assert.equal(response.headers['content-type'], mediaType)
      })
  },
  withoutPages,
)
