import assert from 'node:assert/strict'
import { mediaType } from '../client.ts'
import type { Call, World } from '../world.ts'
import { chapter, rule } from '../world.ts'
import { fetchSamples } from './sample-responses.ts'
import { assertError, computersOf, countResources, createSamples, identifier } from './samples.ts'

const ada = { data: { type: 'person', attributes: { name: 'Ada' } } }

/** Content types that name JSON:API with a parameter. */
const parameterized = [
  `${mediaType};charset=utf-8`,
  `${mediaType}; charset=utf-8`,
  `${mediaType};profile="https://x/y"`,
  `${mediaType};ext="https://x/y"`,
  'Application/Vnd.Api+JSON;charset=utf-8',
]

chapter('NEG Media types and negotiation', (world: World) => {
  // NEG-1 Every response that carries JSON:API data is labelled exactly `application/vnd.api+json`,
  // with no media type parameter.
  rule(
    'NEG-1',
    'every body is labelled with exactly the media type, whatever its status',
    async () => {
      const pictures = await fetchSamples(world)
      const told = new Set(pictures.map(({ answer }) => answer.status))
      for (const status of [200, 201, 400, 404, 405, 406, 409, 415, 422]) {
        assert.ok(told.has(status), `the gallery shows no ${status}`)
      }
      for (const { asked, answer } of pictures) {
        assert.equal(answer.headers['content-type'], mediaType, asked)
      }
    },
  )

  // NEG-2 A request whose `Content-Type` is the JSON:API type plus any parameter gets 415.
  rule('NEG-2', 'a body typed with a parameter is refused and nothing is written', async () => {
    const cast = await createSamples(world)
    const person = `/persons/${cast.ada.id}`
    const renamed = { data: { ...identifier(cast.ada), attributes: { name: 'Changed' } } }
    const unlinked = { data: [identifier(cast.engine)] }
    for (const type of parameterized) {
      const typed = (body: unknown): Call => ({ body, headers: { 'Content-Type': type } })
      assertError(await world.call('POST', '/persons', typed(ada)), 415)
      assertError(await world.call('PATCH', person, typed(renamed)), 415)
      const linkage = `${person}/relationships/computers`
      assertError(await world.call('DELETE', linkage, typed(unlinked)), 415)
    }
    assert.equal(await countResources(world, '/persons'), 3)
    assert.equal((await world.get(person)).one.attributes?.name, 'Ada')
    assert.deepEqual(await computersOf(world, cast.ada), [identifier(cast.engine)])
  })

  rule('NEG-2', 'the parameter is refused without a body too', async () => {
    const cast = await createSamples(world)
    const person = `/persons/${cast.ada.id}`
    for (const type of parameterized) {
      const headers = { 'Content-Type': type }
      assertError(await world.call('GET', '/persons', { headers }), 415)
      assertError(await world.call('GET', person, { headers }), 415)
      assertError(await world.call('DELETE', person, { headers }), 415)
    }
    assert.equal((await world.get(person)).status, 200)
  })

  rule('NEG-2', 'the bare type is served, in upper or lower case, on every method', async () => {
    for (const type of [mediaType, 'Application/Vnd.Api+JSON']) {
      const headers = { 'Content-Type': type }
      const created = await world.call('POST', '/persons', { body: ada, headers })
      assert.equal(created.status, 201, type)
      const path = `/persons/${created.one.id}`
      assert.equal((await world.call('GET', path, { headers })).status, 200, type)
      assert.equal((await world.call('DELETE', path, { headers })).status, 200, type)
    }
  })

  // NEG-3 If `Accept` names the JSON:API type and every one of those instances has media type
  // parameters, answer 406.
  rule('NEG-3', 'an Accept that names the type only with parameters is 406', async () => {
    const cast = await createSamples(world)
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
    for (const accept of unacceptable) {
      const headers = { Accept: accept }
      assertError(await world.call('GET', '/persons', { headers }), 406)
      assertError(await world.call('GET', `/persons/${cast.ada.id}`, { headers }), 406)
      assertError(await world.call('POST', '/persons', { body: ada, headers }), 406)
    }
    assert.equal(await countResources(world, '/persons'), 3)
  })

  rule('NEG-3', 'any other Accept is served, with JSON:API all the same', async () => {
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
    for (const accept of acceptable) {
      const answer = await world.call('GET', '/persons', { headers: { Accept: accept } })
      assert.equal(answer.status, 200, `Accept: ${accept}\n${answer.text}`)
      assert.equal(answer.headers['content-type'], mediaType, String(accept))
    }
  })
})
