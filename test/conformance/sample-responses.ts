import assert from 'node:assert/strict'
import type { Answer, Call, World } from '../world.ts'
import type { Samples } from './samples.ts'
import { createSamples, identifier, missingComputer, missingId } from './samples.ts'

/** One answer of the gallery, and what was asked for. */
export interface SampleResponse {
  /** The method, path and query, for the message of a failed test. */
  readonly asked: string
  readonly answer: Answer
  /** The body as parsed, unread. */
  readonly document: unknown
}

/** A request of the gallery: the status it must be answered with, method, path and the rest. */
type SampleRequest = readonly [status: number, method: string, path: string, call?: Call]

/**
 * Asks for an answer of every kind: every route and method, every status, with and without the query
 * parameters that change a document's shape.
 */
export async function fetchSamples(world: World): Promise<SampleResponse[]> {
  const cast = await createSamples(world)
  const pictures: SampleResponse[] = []
  for (const [status, method, path, call] of [
    ...reads(cast),
    ...rejections(cast),
    ...writes(cast),
  ]) {
    const answer = await world.call(method, path, call)
    const asked = `${method} ${path} ${JSON.stringify(call ?? {})}`
    assert.equal(answer.status, status, `${asked}\n${answer.text}`)
    pictures.push({ asked, answer, document: JSON.parse(answer.text) })
  }
  return pictures
}

/** The pictures of the gallery that show resources or linkage. */
export async function fetchDataSamples(world: World): Promise<SampleResponse[]> {
  return (await fetchSamples(world)).filter(({ answer }) => 'data' in answer.body)
}

/** The pictures of the gallery that show errors. */
export async function fetchErrorSamples(world: World): Promise<SampleResponse[]> {
  return (await fetchSamples(world)).filter(({ answer }) => answer.status >= 400)
}

function reads({ ada, rosa, engine, orphan }: Samples): SampleRequest[] {
  const query = (call: Record<string, string>) => ({ query: call })
  return [
    [200, 'GET', '/'],
    [200, 'GET', '/persons'],
    [200, 'GET', '/persons', query({ 'page[size]': '1', 'page[number]': '2' })],
    [200, 'GET', '/persons', query({ 'page[size]': '0', sort: '-name' })],
    [200, 'GET', '/persons', query({ 'filter[name]': 'nobody' })],
    [200, 'GET', '/persons', query({ include: 'computers.owner' })],
    [200, 'GET', '/persons', query({ 'fields[person]': 'name,computers' })],
    [200, 'GET', `/persons/${ada.id}`],
    [200, 'GET', `/persons/${ada.id}`, query({ include: 'computers' })],
    [200, 'GET', `/persons/${ada.id}`, query({ 'fields[person]': '' })],
    [200, 'GET', `/persons/${ada.id}/computers`],
    [200, 'GET', `/persons/${ada.id}/computers`, query({ include: 'owner' })],
    [200, 'GET', `/persons/${rosa.id}/computers`],
    [200, 'GET', `/persons/${ada.id}/relationships/computers`],
    [200, 'GET', `/persons/${ada.id}/relationships/computers`, query({ include: 'computers' })],
    [200, 'GET', `/persons/${rosa.id}/relationships/computers`],
    [200, 'GET', '/computers'],
    [200, 'GET', '/computers', query({ include: 'owner.computers' })],
    [200, 'GET', `/computers/${engine.id}`],
    [200, 'GET', `/computers/${orphan.id}`, query({ include: 'owner' })],
    [200, 'GET', `/computers/${engine.id}/owner`],
    [200, 'GET', `/computers/${orphan.id}/owner`],
    [200, 'GET', `/computers/${engine.id}/relationships/owner`],
    [200, 'GET', `/computers/${orphan.id}/relationships/owner`],
  ]
}

function rejections({ ada, engine }: Samples): SampleRequest[] {
  const person = (attributes: unknown) => ({ body: { data: { type: 'person', attributes } } })
  const computers = (...data: unknown[]) => ({
    body: { data: { type: 'person', id: ada.id, relationships: { computers: { data } } } },
  })
  return [
    [400, 'GET', '/persons', { query: { sort: 'nope' } }],
    [400, 'GET', '/persons', { query: { foo: '1' } }],
    [400, 'POST', '/persons', { raw: '{' }],
    [400, 'POST', '/persons', { body: {} }],
    [404, 'GET', '/nowhere'],
    [404, 'GET', '/persons/abc'],
    [404, 'GET', `/persons/${missingId}`],
    [404, 'GET', `/computers/${missingId}/owner`],
    [404, 'GET', `/persons/${ada.id}/relationships/nope`],
    [404, 'PATCH', `/persons/${ada.id}`, computers(missingComputer)],
    [405, 'PUT', '/persons', person({ name: 'Ada' })],
    [406, 'GET', '/persons', { headers: { Accept: 'application/vnd.api+json;charset=utf-8' } }],
    [409, 'POST', '/persons', { body: { data: { type: 'computer', attributes: {} } } }],
    [409, 'PATCH', `/persons/${ada.id}`, computers(identifier(ada))],
    [
      415,
      'POST',
      '/persons',
      { ...person({ name: 'Ada' }), headers: { 'Content-Type': 'text/plain' } },
    ],
    [422, 'POST', '/persons', person({ email: 'x', birth_date: '1990-13-40' })],
    [
      422,
      'PATCH',
      `/computers/${engine.id}`,
      {
        body: { data: { type: 'computer', id: engine.id, attributes: { serial: 5 } } },
      },
    ],
  ]
}

function writes({ ada, grace, rosa, engine, orphan }: Samples): SampleRequest[] {
  const include = (path: string) => ({ query: { include: path } })
  const data = (content: unknown) => ({ body: { data: content } })
  const computers = `/persons/${ada.id}/relationships/computers`
  const owner = `/computers/${engine.id}/relationships/owner`
  const linkedTo = (computer: { type: string; id: string }) => ({
    relationships: { computers: { data: [identifier(computer)] } },
  })
  return [
    [201, 'POST', '/persons', data({ type: 'person', attributes: { name: 'Alan' } })],
    [
      201,
      'POST',
      '/persons',
      {
        ...include('computers'),
        ...data({ type: 'person', attributes: { name: 'Edsger' }, ...linkedTo(orphan) }),
      },
    ],
    [201, 'POST', '/computers', data({ type: 'computer', attributes: { serial: 'new' } })],
    [
      201,
      'POST',
      `/persons/${ada.id}/computers`,
      data({ type: 'computer', attributes: { serial: 'hers' } }),
    ],
    [
      200,
      'PATCH',
      `/persons/${ada.id}`,
      data({ type: 'person', id: ada.id, attributes: { name: 'A' } }),
    ],
    [
      200,
      'PATCH',
      `/computers/${engine.id}`,
      {
        ...include('owner'),
        ...data({ type: 'computer', id: engine.id, attributes: { serial: 'changed' } }),
      },
    ],
    [200, 'POST', computers, data([identifier(orphan)])],
    [200, 'PATCH', computers, { ...include('computers'), ...data([identifier(engine)]) }],
    [200, 'DELETE', computers, data([identifier(engine)])],
    [200, 'PATCH', owner, data(identifier(grace))],
    [200, 'POST', owner, data(identifier(ada))],
    [200, 'DELETE', owner, data(identifier(ada))],
    [200, 'DELETE', `/computers/${orphan.id}`],
    [200, 'DELETE', `/persons/${rosa.id}`, include('computers')],
  ]
}
