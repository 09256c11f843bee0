import assert from 'node:assert/strict'
import type { Call, TestResponse, TestService } from '../service-suite.ts'
import type { Samples } from './samples.ts'
import { createSamples, identifier, missingComputer, missingId } from './samples.ts'

/** A response and its request. */
export interface SampleResponse {
  /** The method, path and options of the request, for the message of a failed test. */
  readonly request: string
  readonly response: TestResponse
  /** The parsed body. */
  readonly document: unknown
}

/** The sample responses of a suite. They are fetched on the first call and then reused. */
export interface RecordedSamples {
  all(): Promise<readonly SampleResponse[]>
  /** The responses with data. */
  data(): Promise<readonly SampleResponse[]>
  /** The responses with errors. */
  errors(): Promise<readonly SampleResponse[]>
}

/** Records the sample responses once for all tests of a suite. */
export function recordSamples(app: TestService): RecordedSamples {
  let recorded: Promise<readonly SampleResponse[]> | undefined
  const all = () => {
    recorded ??= fetchSamples(app)
    return recorded
  }
  return {
    all,
    data: async () => (await all()).filter(({ response }) => 'data' in response.body),
    errors: async () => (await all()).filter(({ response }) => response.status >= 400),
  }
}

/** A request: the expected status, the method, the path and the options. */
type SampleRequest = readonly [status: number, method: string, path: string, call?: Call]

/**
 * Sends sample requests: every URL and method, every status, with and without the query parameters that change the
 * structure of a document.
 */
export async function fetchSamples(app: TestService): Promise<readonly SampleResponse[]> {
  const resources = await createSamples(app)
  const requests = [...reads(resources), ...rejections(resources), ...writes(resources)]
  const samples: SampleResponse[] = []
  for (const [status, method, path, call] of requests) {
    const response = await app.call(method, path, call)
    const request = `${method} ${path} ${JSON.stringify(call ?? {})}`
    assert.equal(response.status, status, `${request}\n${response.text}`)
    samples.push({ request, response, document: JSON.parse(response.text) })
  }
  return samples
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
